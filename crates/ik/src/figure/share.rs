//! What of a problem belongs to a figure: the only place, beside [`Problem`] itself, that lists all parts of problems.

use crate::model::{Attachment, CenterOfMass, Effector, Island, Pole, Problem, Skeleton};

/// What belongs to a figure of the goals, loops, poles, centers of mass and capsules of a problem: ascending indices.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Share {
    pub goals: Vec<usize>,
    pub loops: Vec<usize>,
    pub poles: Vec<usize>,
    pub centers: Vec<usize>,
    /// The capsules on the figure, and those that they keep clear of.
    pub capsules: Vec<usize>,
    /// The pairs of these capsules that keep clear.
    pub pairs: Vec<usize>,
}

impl Share {
    /// Whether there is something that only the search solves: neither chains on the fast path nor arms in lanes know it.
    /// Both say themselves whether they know goals, poles and what keeps clear.
    pub fn needs_search(&self) -> bool {
        let Share { goals: _, poles: _, capsules: _, pairs: _, loops, centers } = self;
        !(loops.is_empty() && centers.is_empty())
    }

    /// The joints that loops, capsules and masses are on.
    pub fn supports<'a>(&'a self, problem: &'a Problem) -> impl Iterator<Item = usize> + use<'a> {
        let loops = self.loops.iter().map(|&at| &problem.loops[at]).flat_map(|(a, b)| [a.joint, b.joint]);
        let capsules = self.capsules.iter().map(|&at| problem.keep_clear.capsules[at].joint);
        loops.chain(capsules).chain(self.masses(problem))
    }

    /// The joints that goals, poles and masses are on.
    pub fn moved<'a>(&'a self, problem: &'a Problem) -> impl Iterator<Item = usize> + use<'a> {
        let Share { goals, poles, centers: _, loops: _, capsules: _, pairs: _ } = self;
        let goals = goals.iter().map(|&at| problem.goals[at].effector.joint);
        let poles = poles.iter().map(|&at| problem.poles[at].joint);
        goals.chain(poles).chain(self.masses(problem))
    }

    fn masses<'a>(&'a self, problem: &'a Problem) -> impl Iterator<Item = usize> + use<'a> {
        let bodies = self.centers.iter().flat_map(|&at| &problem.centers_of_mass[at].masses);
        bodies.map(|mass| mass.joint)
    }

    /// Writes its part of a problem to that of a figure, whose joints have these `numbers` in the whole skeleton. The
    /// obstacles are not written.
    pub fn load(&self, whole: &Problem, numbers: &[usize], own: &mut Problem) {
        let Share { goals, loops, poles, centers, capsules, pairs } = self;
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
        let joints = || body.masses.iter().map(|mass| mass.joint);
        let joint = joints().find(|&joint| !skeleton.is_anchored(joint)).or_else(|| joints().next());
        joint.into_iter().for_each(|joint| shares[island_of[joint]].centers.push(at));
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

/// Something that a problem asks for. A split, and layouts, hold for all problems that ask for the same; where targets,
/// obstacles and poles are makes no difference.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Asked {
    /// An effector; whether its position and its orientation are requested, and whether both are fixed.
    Goal(Effector, [bool; 3]),
    Loop(Attachment, Attachment),
    /// The joint of a pole.
    Pole(usize),
    /// To balance a body with a mass on this joint.
    Mass(usize, usize),
    /// To keep clear of some obstacles.
    Obstacles,
    /// The joint of a capsule.
    Capsule(usize),
    /// To keep two capsules clear of each other.
    Pair([usize; 2]),
}

/// Everything that a problem asks for.
pub(crate) fn asked(problem: &Problem) -> impl Iterator<Item = Asked> {
    let Problem { goals, loops, poles, centers_of_mass, obstacles, keep_clear, link_radius: _, base: _, home: _ } =
        problem;
    let goals = goals.iter().map(|goal| {
        let parts = [goal.requested_position().is_some(), goal.requests_orientation(), goal.is_exact()];
        Asked::Goal(goal.effector, parts)
    });
    let loops = loops.iter().map(|&(a, b)| Asked::Loop(a, b));
    let poles = poles.iter().map(|pole| Asked::Pole(pole.joint));
    let bodies = centers_of_mass.iter().enumerate();
    let masses = bodies.flat_map(|(body, own)| own.masses.iter().map(move |mass| Asked::Mass(body, mass.joint)));
    let obstacles = (!obstacles.is_empty()).then_some(Asked::Obstacles);
    let capsules = keep_clear.capsules.iter().map(|capsule| Asked::Capsule(capsule.joint));
    let pairs = keep_clear.pairs.iter().map(|&pair| Asked::Pair(pair));
    goals.chain(loops).chain(poles).chain(masses).chain(obstacles).chain(capsules).chain(pairs)
}
