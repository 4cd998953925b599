//! What of a problem belongs to a figure: the only place, beside [`Problem`] itself, that lists all parts of problems.

use crate::model::{Attachment, CenterOfMass, CustomGoal, Effector, GoalRank, Island, Pole, Problem, Skeleton};

/// What belongs to a figure of the goals, loops, poles, centers of mass, custom goals and capsules of a problem: ascending indices.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Share {
    pub goals: Vec<usize>,
    pub loops: Vec<usize>,
    pub poles: Vec<usize>,
    pub centers: Vec<usize>,
    pub custom: Vec<usize>,
    /// The capsules on the figure, and those that they keep clear of.
    pub capsules: Vec<usize>,
    /// The pairs of these capsules that keep clear.
    pub pairs: Vec<usize>,
}

impl Share {
    /// Whether something is preferred of these joints, which are those of the figure.
    pub fn has_preferences(&self, problem: &Problem, joints: &[usize]) -> bool {
        let keeps = problem.posture.joints().any(|joint| joints.binary_search(&joint).is_ok());
        keeps
            || self.custom_goals(problem).any(CustomGoal::is_preferred)
            || self.goals.iter().any(|&at| problem.goals[at].is_preferred())
    }

    /// Whether there is something that only the search solves: neither chains on the fast path nor arms in lanes know it.
    /// Both say themselves whether they know goals, poles and what keeps clear.
    pub fn needs_search(&self) -> bool {
        let Share { goals: _, poles: _, capsules: _, pairs: _, loops, centers, custom } = self;
        !(loops.is_empty() && centers.is_empty() && custom.is_empty())
    }

    /// Whether something has to be met.
    pub fn is_asked(&self, problem: &Problem) -> bool {
        let is_wanted = self.custom_goals(problem).any(CustomGoal::is_active);
        is_wanted || !self.loops.is_empty() || self.goals.iter().any(|&at| problem.goals[at].is_active())
    }

    /// The joints that loops, capsules, masses and points of custom goals are on.
    pub fn supports<'a>(&'a self, problem: &'a Problem) -> impl Iterator<Item = usize> + use<'a> {
        let loops = self.loops.iter().map(|&at| &problem.loops[at]).flat_map(|(a, b)| [a.joint, b.joint]);
        let capsules = self.capsules.iter().map(|&at| problem.keep_clear.capsules[at].joint);
        loops.chain(capsules).chain(self.masses(problem)).chain(self.custom_points(problem))
    }

    /// The joints that goals, poles, masses and points of custom goals are on, and those that keep to a posture.
    pub fn moved<'a>(&'a self, problem: &'a Problem) -> impl Iterator<Item = usize> + use<'a> {
        let Share { goals, poles, centers: _, custom: _, loops: _, capsules: _, pairs: _ } = self;
        let goals = goals.iter().map(|&at| problem.goals[at].effector.joint);
        let poles = poles.iter().map(|&at| problem.poles[at].joint);
        let points = self.masses(problem).chain(self.custom_points(problem));
        goals.chain(poles).chain(points).chain(problem.posture.joints())
    }

    fn masses<'a>(&'a self, problem: &'a Problem) -> impl Iterator<Item = usize> + use<'a> {
        let bodies = self.centers.iter().flat_map(|&at| &problem.centers_of_mass[at].masses);
        bodies.map(|mass| mass.joint)
    }

    fn custom_goals<'a>(&'a self, problem: &'a Problem) -> impl Iterator<Item = &'a CustomGoal> + use<'a> {
        self.custom.iter().map(|&at| &problem.custom_goals[at])
    }

    fn custom_points<'a>(&'a self, problem: &'a Problem) -> impl Iterator<Item = usize> + use<'a> {
        self.custom_goals(problem).flat_map(|goal| goal.points.iter().map(|end| end.joint))
    }

    /// Writes its part of a problem to that of a figure, whose joints have these `numbers` in the whole skeleton. The
    /// obstacles are not written.
    pub fn load(&self, whole: &Problem, numbers: &[usize], own: &mut Problem) {
        let Share { goals, loops, poles, centers, custom, capsules, pairs } = self;
        let number = |joint: usize| numbers.binary_search(&joint).unwrap_or_default();
        let end = |end: Attachment| Attachment { joint: number(end.joint), ..end };
        own.goals.clear();
        own.goals.extend(goals.iter().map(|&at| whole.goals[at]));
        own.goals.iter_mut().for_each(|goal| goal.effector.joint = number(goal.effector.joint));
        own.loops.clear();
        own.loops.extend(loops.iter().map(|&at| whole.loops[at]).map(|(a, b)| (end(a), end(b))));
        own.poles.clear();
        own.poles.extend(poles.iter().map(|&at| whole.poles[at]));
        own.poles.iter_mut().for_each(|pole: &mut Pole| pole.joint = number(pole.joint));
        own.centers_of_mass.resize_with(centers.len(), CenterOfMass::default);
        for (own, &at) in own.centers_of_mass.iter_mut().zip(centers) {
            own.clone_from(&whole.centers_of_mass[at]);
            own.masses.iter_mut().for_each(|mass| mass.joint = number(mass.joint));
        }
        own.custom_goals.truncate(custom.len());
        for (place, &at) in custom.iter().enumerate() {
            match own.custom_goals.get_mut(place) {
                Some(own) => own.clone_from(&whole.custom_goals[at]),
                None => own.custom_goals.push(whole.custom_goals[at].clone()),
            }
        }
        let points = own.custom_goals.iter_mut().flat_map(|goal| &mut goal.points);
        points.for_each(|end| end.joint = number(end.joint));
        let (clear, all) = (&mut own.keep_clear, &whole.keep_clear);
        clear.capsules.clear();
        clear.capsules.extend(capsules.iter().map(|&at| all.capsules[at].clone()));
        clear.capsules.iter_mut().for_each(|capsule| capsule.joint = number(capsule.joint));
        let place = |capsule: usize| capsules.binary_search(&capsule).unwrap_or_default();
        clear.pairs.clear();
        clear.pairs.extend(pairs.iter().map(|&at| all.pairs[at].map(place)));
        clear.margin = all.margin;
        (own.link_radius, own.base) = (whole.link_radius, whole.base);
        own.home.clear();
        if !whole.home.is_empty() {
            own.home.extend(numbers.iter().map(|&joint| whole.home[joint]));
        }
        own.max_steps.clear();
        if !whole.max_steps.is_empty() {
            own.max_steps.extend(numbers.iter().map(|&joint| whole.max_steps[joint]));
        }
        own.posture.pose.clear();
        own.posture.weights.clear();
        if whole.posture.is_active() {
            own.posture.pose.extend(numbers.iter().map(|&joint| whole.posture.pose[joint]));
            own.posture.weights.extend(numbers.iter().map(|&joint| whole.posture.weights[joint]));
        }
    }
}

/// The shares of all islands of a skeleton.
pub fn shares(skeleton: &Skeleton, problem: &Problem, islands: &[Island]) -> Vec<Share> {
    let mut island_of = vec![0; skeleton.len()];
    for (at, island) in islands.iter().enumerate() {
        island.joints.iter().for_each(|&joint| island_of[joint] = at);
    }
    let mut shares = vec![Share::default(); islands.len()];
    for (at, goal) in problem.goals.iter().enumerate() {
        shares[island_of[goal.effector.joint]].goals.push(at);
    }
    for (at, (a, b)) in problem.loops.iter().enumerate() {
        shares[island_of[skeleton.closing_joint(a.joint, b.joint)]].loops.push(at);
    }
    for (at, pole) in problem.poles.iter().enumerate() {
        shares[island_of[pole.joint]].poles.push(at);
    }
    for (at, body) in problem.centers_of_mass.iter().enumerate() {
        let joint = first_movable(skeleton, body.masses.iter().map(|mass| mass.joint));
        joint.into_iter().for_each(|joint| shares[island_of[joint]].centers.push(at));
    }
    for (at, goal) in problem.custom_goals.iter().enumerate() {
        let joint = first_movable(skeleton, goal.points.iter().map(|end| end.joint));
        joint.into_iter().for_each(|joint| shares[island_of[joint]].custom.push(at));
    }
    for (at, capsule) in problem.keep_clear.capsules.iter().enumerate() {
        shares[island_of[capsule.joint]].capsules.push(at);
    }
    for (at, (a, b)) in problem.keep_clear.joint_pairs().enumerate() {
        let own = &mut shares[island_of[skeleton.closing_joint(a, b)]];
        own.pairs.push(at);
        own.capsules.extend(problem.keep_clear.pairs[at]);
    }
    for share in &mut shares {
        share.capsules.sort_unstable();
        share.capsules.dedup();
    }
    shares
}

/// The first of these joints that can move; the first one if none can.
fn first_movable(skeleton: &Skeleton, mut joints: impl Iterator<Item = usize> + Clone) -> Option<usize> {
    joints.clone().find(|&joint| !skeleton.is_anchored(joint)).or_else(|| joints.next())
}

/// Something that a problem asks for. A split, and layouts, hold for all problems that ask for the same; where targets,
/// obstacles and poles are makes no difference.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Asked {
    /// An effector; whether its position and its orientation are requested, whether both are fixed, and whether that is preferred.
    Goal(Effector, [bool; 4]),
    /// A joint that keeps to a posture.
    Kept(usize),
    /// Joints whose moves have bounds of their own.
    Bounds,
    Loop(Attachment, Attachment),
    /// The joint of a pole.
    Pole(usize),
    /// To balance a body with a mass on this joint.
    Mass(usize, usize),
    /// A point of a custom goal: the number of the goal, whether it is met, and whether it is only preferred.
    Custom(usize, Attachment, [bool; 2]),
    /// To keep clear of some obstacles.
    Obstacles,
    /// The joint of a capsule.
    Capsule(usize),
    /// To keep two capsules clear of each other.
    Pair([usize; 2]),
}

/// Everything that a problem asks for.
pub(crate) fn asked(problem: &Problem) -> impl Iterator<Item = Asked> {
    let Problem {
        goals,
        loops,
        poles,
        centers_of_mass,
        custom_goals,
        obstacles,
        keep_clear,
        posture,
        max_steps,
        link_radius: _,
        base: _,
        home: _,
    } = problem;
    let goals = goals.iter().map(|goal| {
        let (position, orientation) = (goal.requested_position().is_some(), goal.requests_orientation());
        Asked::Goal(goal.effector, [position, orientation, goal.is_exact(), goal.rank == GoalRank::Preferred])
    });
    let loops = loops.iter().map(|&(a, b)| Asked::Loop(a, b));
    let poles = poles.iter().map(|pole| Asked::Pole(pole.joint));
    let bodies = centers_of_mass.iter().enumerate();
    let masses = bodies.flat_map(|(body, own)| own.masses.iter().map(move |mass| Asked::Mass(body, mass.joint)));
    let custom = custom_goals.iter().enumerate().flat_map(|(at, goal)| {
        let asks = [goal.is_active(), goal.is_preferred()];
        goal.points.iter().map(move |&end| Asked::Custom(at, end, asks))
    });
    let obstacles = (!obstacles.is_empty()).then_some(Asked::Obstacles);
    let capsules = keep_clear.capsules.iter().map(|capsule| Asked::Capsule(capsule.joint));
    let pairs = keep_clear.pairs.iter().map(|&pair| Asked::Pair(pair));
    let kept = posture.joints().map(Asked::Kept);
    let bounds = (!max_steps.is_empty()).then_some(Asked::Bounds);
    let bodies = masses.chain(custom).chain(bounds).chain(obstacles).chain(capsules).chain(pairs);
    goals.chain(loops).chain(poles).chain(bodies).chain(kept)
}
