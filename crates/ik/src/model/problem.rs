//! The input of a solve: goals, loops, poles, obstacles and what keeps clear of them.

use super::{
    Attachment, CenterOfMass, Coordinates, CustomGoal, Effector, Freedom, GoalRank, Isometry, KeepClear, Obstacle,
    Orientation, Part, Pose, Reason, Refusal, Skeleton, Target, check_all, check_number, check_point, check_rotation,
    check_size, check_unit, hash,
};
use glam::{DQuat, DVec3};

/// An effector, its target, and its weights relative to the other goals of its rank.
///
/// A tool that is where it should be, and points downward where that is possible:
///
/// ```
/// # use glam::DVec3;
/// # use fabrik3d_ik::{Goal, Kind, Skeleton, Solver, goals::GoalRank};
/// let arm = Skeleton::builder()
///     .root("base", Kind::hinge(DVec3::Z))
///     .child("shoulder", "base", DVec3::Z * 0.4, Kind::limited_hinge(DVec3::Y, -2.0, 2.0)?)
///     .child("elbow", "shoulder", DVec3::Z * 0.4, Kind::limited_hinge(DVec3::Y, -2.5, 2.5)?)
///     .child("wrist", "elbow", DVec3::Z * 0.4, Kind::limited_hinge(DVec3::Y, -2.0, 2.0)?)
///     .build()?;
/// let tool = arm.effector("wrist")?.at(DVec3::Z * 0.1);
/// let mut solver = Solver::new(&arm).goal(tool, DVec3::new(0.5, 0.2, 0.1));
/// let down = Goal::pointing(tool, None, DVec3::Z, DVec3::NEG_Z);
/// solver.add_goal(Goal { rank: GoalRank::Preferred, ..down });
/// let mut pose = arm.rest_pose();
/// assert!(solver.solve(&mut pose).stop.is_reached());
/// assert!((solver.frames()[tool.joint].rotation * DVec3::Z).angle_between(DVec3::NEG_Z) < 1e-3);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Goal {
    /// The effector to move.
    pub effector: Effector,
    /// Its target.
    pub target: Target,
    /// Weight of the position; 0 ignores it.
    #[cfg_attr(feature = "serde", serde(default = "one"))]
    pub weight: f64,
    /// Weight of the orientation; 0 ignores it. At 1, an error of one radian counts as much as 0.3 of the reach.
    #[cfg_attr(feature = "serde", serde(default = "one"))]
    pub rotation_weight: f64,
    /// What the goal leaves open.
    #[cfg_attr(feature = "serde", serde(default, skip_serializing_if = "Freedom::is_none"))]
    pub freedom: Freedom,
    /// What it gives way to. It matters only if not all goals can be met.
    #[cfg_attr(feature = "serde", serde(default, skip_serializing_if = "GoalRank::is_default"))]
    pub rank: GoalRank,
}

/// The default weight.
#[cfg(feature = "serde")]
fn one() -> f64 {
    1.0
}

impl Goal {
    /// A wanted goal with both weights 1 that leaves nothing open.
    pub fn new(effector: Effector, target: impl Into<Target>) -> Self {
        Goal {
            effector,
            target: target.into(),
            weight: 1.0,
            rotation_weight: 1.0,
            freedom: Freedom::default(),
            rank: GoalRank::default(),
        }
    }

    /// Whether a solve has to meet the goal: it requests a position or an orientation with a positive weight, and is not only
    /// preferred.
    pub fn is_active(&self) -> bool {
        self.rank != GoalRank::Preferred && self.requests_something()
    }

    /// Whether the goal requests something that is only preferred.
    pub fn is_preferred(&self) -> bool {
        self.rank == GoalRank::Preferred && self.requests_something()
    }

    fn requests_something(&self) -> bool {
        self.requested_position().is_some() || self.requests_orientation()
    }

    fn check(&self, skeleton: &Skeleton) -> Result<(), Reason> {
        skeleton.check_joint(self.effector.joint)?;
        check_point(self.effector.tip)?;
        self.target.check()?;
        check_size(self.weight)?;
        check_size(self.rotation_weight)?;
        self.freedom.check()
    }

    /// Whether the goal requests an orientation, or a part of one, with a positive weight.
    #[inline]
    pub fn requests_orientation(&self) -> bool {
        self.rotation_weight > 0.0 && self.target.orientation.is_some()
    }

    /// Whether the goal leaves nothing open in what it requests.
    pub(crate) fn is_exact(&self) -> bool {
        self.freedom.is_none() && self.target.look_at().is_none()
    }

    /// The requested position, without negative zeros; `None` if there is none or its weight is 0.
    #[inline]
    pub fn requested_position(&self) -> Option<DVec3> {
        self.target.canonical().position.filter(|_| self.weight > 0.0)
    }

    /// The requested orientation, as that one of `q` and `-q` whose w is positive; `None` if there is none or its weight is
    /// 0, and for goals that look at a point.
    #[inline]
    pub fn requested_rotation(&self) -> Option<DQuat> {
        self.target.canonical().rotation().filter(|_| self.rotation_weight > 0.0)
    }

    /// How the effector should be turned, without negative zeros; `None` if that is left open or its weight is 0.
    #[inline]
    pub(crate) fn requested_orientation(&self) -> Option<Orientation> {
        self.target.canonical().orientation.filter(|_| self.rotation_weight > 0.0)
    }

    /// A hash of the requested position and orientation, for the seed of random starts.
    pub(crate) fn hash(&self) -> u64 {
        let position = self.requested_position().map_or([0.0; 3], |position| position.to_array());
        let rotation = self.requested_rotation().map_or([0.0; 4], |rotation| rotation.to_array());
        hash(position.into_iter().chain(rotation))
    }
}

/// A point that a joint bends toward as far as the goals leave freedom (a pole vector). If they leave enough, the joint
/// lies on the side of the point, in one plane with it and the two ends of its limb. A pole of a root is ignored, and so is one of
/// a joint below which no goal has its effector.
///
/// ```
/// # use glam::DVec3;
/// # use fabrik3d_ik::{Effector, Joint, Kind, Skeleton, Solver, goals::Pole};
/// let mut arm = Solver::new(Skeleton::new(vec![
///     Joint::new("shoulder", None, DVec3::ZERO, Kind::UNLIMITED_BALL),
///     Joint::new("elbow", Some(0), DVec3::X, Kind::UNLIMITED_BALL),
/// ])?)
/// .goal(Effector::new(1, DVec3::X), DVec3::X);
/// let mut pose = arm.skeleton().rest_pose();
/// for toward in [DVec3::Y, DVec3::Z, DVec3::NEG_Y] {
///     arm.problem.poles = vec![Pole { joint: 1, toward }];
///     assert!(arm.solve(&mut pose).stop.is_reached());
///     assert!((arm.frames()[1].position - DVec3::X * 0.5).angle_between(toward) < 1e-6);
/// }
/// # Ok::<(), fabrik3d_ik::errors::SkeletonError>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Pole {
    /// Index of the joint, such as an elbow or a knee.
    pub joint: usize,
    /// The point, in the world.
    pub toward: DVec3,
}

/// A pose that joints keep to as far as the goals leave freedom, like a goal of the rank [`GoalRank::Preferred`]. The default asks
/// for nothing.
#[derive(Clone, Debug, Default, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Posture {
    /// The pose: one entry per joint.
    pub pose: Pose,
    /// One weight per joint; 0 leaves it free. At 1, a joint that is one radian away, or that slides by the largest size of an
    /// effector, counts as much as a preferred position that is missed by the size of its effector.
    pub weights: Vec<f64>,
}

impl Posture {
    /// All joints keep to `pose` with the weight 1.
    pub fn new(pose: Pose) -> Self {
        Posture { weights: vec![1.0; pose.len()], pose }
    }

    /// Whether it asks for something.
    pub fn is_active(&self) -> bool {
        self.joints().next().is_some()
    }

    /// The joints that keep to the pose: those with a positive weight, ascending.
    pub(crate) fn joints(&self) -> impl Iterator<Item = usize> {
        (0..self.weights.len()).filter(|&joint| self.weights[joint] > 0.0)
    }

    fn is_none(&self) -> bool {
        self.pose.is_empty() && self.weights.is_empty()
    }

    fn check(&self, skeleton: &Skeleton) -> Result<(), Reason> {
        if self.is_none() {
            return Ok(());
        }
        skeleton.check_pose(&self.pose).map_err(|refusal| refusal.reason)?;
        if self.weights.len() != self.pose.len() {
            return Err(Reason::Entries { joints: skeleton.len(), entries: self.weights.len() });
        }
        self.weights.iter().try_for_each(|&weight| check_size(weight))
    }
}

/// Everything that a solve has to meet at once. Plain data.
///
/// A loop needs joints on both sides of the gap that it closes. A four-bar linkage, driven by the orientation of its crank:
///
/// ```
/// # use glam::{DQuat, DVec3};
/// # use fabrik3d_ik::{Effector, Goal, Joint, Kind, Skeleton, Solver, goals::Attachment, queries::loop_gaps};
/// let hinge = |name, parent, offset| Joint::new(name, parent, offset, Kind::Hinge { axis: DVec3::Z, range: None });
/// let mut linkage = Solver::new(Skeleton::new(vec![
///     hinge("crank", None, DVec3::ZERO),
///     hinge("coupler", Some(0), DVec3::X * 0.5),
///     hinge("rocker", None, DVec3::X * 2.0),
/// ])?);
/// let end = Attachment { joint: 1, point: DVec3::X * 2.0 };
/// let pin = Attachment { joint: 2, point: DVec3::Y * 1.5 };
/// linkage.problem.loops.push((end, pin));
/// let crank = linkage.add_goal(Goal::new(Effector::new(0, DVec3::ZERO), DQuat::IDENTITY));
/// let mut pose = linkage.skeleton().rest_pose();
/// for degrees in 0..360 {
///     linkage.set_target(crank, DQuat::from_rotation_z(f64::from(degrees).to_radians()));
///     assert!(linkage.track(&mut pose).stop.is_reached());
/// }
/// assert!(loop_gaps(linkage.skeleton(), &linkage.problem, &pose)[0] < 1e-3);
/// # Ok::<(), fabrik3d_ik::errors::SkeletonError>(())
/// ```
#[derive(Debug, Default, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize), serde(default, deny_unknown_fields))]
pub struct Problem {
    /// Effectors and their targets.
    pub goals: Vec<Goal>,
    /// Pairs of points that must coincide: they close loops. Where not everything can be met, goals give way to them.
    pub loops: Vec<(Attachment, Attachment)>,
    /// Points that joints bend toward.
    #[cfg_attr(feature = "serde", serde(rename = "hints", alias = "poles"))]
    pub poles: Vec<Pole>,
    /// Bodies whose center of mass stays above what they stand on, as far as the goals leave freedom.
    #[cfg_attr(feature = "serde", serde(skip_serializing_if = "Vec::is_empty"))]
    pub centers_of_mass: Vec<CenterOfMass>,
    /// Goals of the caller's own. They are not written to files.
    #[cfg_attr(feature = "serde", serde(skip))]
    pub custom_goals: Vec<CustomGoal>,
    /// Regions that the links must stay out of. Where not everything can be met, goals give way to obstacles if the links have
    /// bodies (`keep_clear`). Otherwise both give way: a link goes part of the way into an obstacle that its target is in.
    pub obstacles: Vec<Obstacle>,
    /// The clearance of links from obstacles, for links without bodies: those are the segments between the joints, and from a
    /// joint to the tip of its effector.
    pub link_radius: f64,
    /// The bodies of the links. If there are any, they keep out of the obstacles in place of the segments; links without one
    /// then pass through.
    pub keep_clear: KeepClear,
    /// Parent frame of all roots: the frame of a moving base.
    pub base: Isometry,
    /// The pose that a skeleton with stiff joints returns to while its targets move, as far as the goals leave it free: one
    /// entry per joint, or none for a skeleton that stays bent. The positions of free joints do not count.
    #[cfg_attr(feature = "serde", serde(skip_serializing_if = "Vec::is_empty"))]
    pub home: Pose,
    /// The pose that joints keep to as far as the goals leave freedom.
    #[cfg_attr(feature = "serde", serde(skip_serializing_if = "Posture::is_none"))]
    pub posture: Posture,
    /// [`Settings::max_step`](crate::Settings::max_step) of each joint, such as its velocity limit times the time between two calls:
    /// one entry per joint, infinite for joints without a bound, or none. Where both say something, the smaller bound counts.
    #[cfg_attr(feature = "serde", serde(skip_serializing_if = "Vec::is_empty"))]
    pub max_steps: Vec<f64>,
}

impl Clone for Problem {
    fn clone(&self) -> Self {
        let mut copy = Problem::default();
        copy.clone_from(self);
        copy
    }

    /// Keeps the memory of all lists: solvers copy problems in every frame.
    fn clone_from(&mut self, other: &Self) {
        let Problem { goals, loops, poles, centers_of_mass, obstacles, link_radius, keep_clear, .. } = other;
        let Problem { base, home, posture, max_steps, custom_goals, .. } = other;
        self.goals.clone_from(goals);
        self.loops.clone_from(loops);
        self.poles.clone_from(poles);
        self.centers_of_mass.clone_from(centers_of_mass);
        self.custom_goals.clone_from(custom_goals);
        self.obstacles.clone_from(obstacles);
        self.link_radius = *link_radius;
        let KeepClear { capsules, pairs, margin } = keep_clear;
        self.keep_clear.capsules.clone_from(capsules);
        self.keep_clear.pairs.clone_from(pairs);
        self.keep_clear.margin = *margin;
        self.base = *base;
        self.home.clone_from(home);
        self.posture.pose.clone_from(&posture.pose);
        self.posture.weights.clone_from(&posture.weights);
        self.max_steps.clone_from(max_steps);
    }
}

/// The pairs of all joints in a list of so many. Neighbours alone would not do: a joint in between that cannot move ties nothing.
fn all_pairs(count: usize, joint: impl Fn(usize) -> usize + Copy) -> impl Iterator<Item = (usize, usize)> {
    (0..count).flat_map(move |b| (0..b).map(move |a| (joint(a), joint(b))))
}

impl Skeleton {
    /// Checks that a joint exists.
    pub(crate) fn check_joint(&self, joint: usize) -> Result<(), Reason> {
        if joint < self.len() { Ok(()) } else { Err(Reason::NoJoint(joint)) }
    }

    /// Checks that a pose has one entry per joint, with which a solve can begin.
    pub(crate) fn check_pose(&self, pose: &[Coordinates]) -> Result<(), Refusal> {
        if pose.len() != self.len() {
            return Err(Reason::Entries { joints: self.len(), entries: pose.len() }.of(Part::Pose));
        }
        check_all(pose.iter().enumerate(), Part::Joint, |(at, own)| self.kind(at).check(own))
    }
}

impl Problem {
    /// Whether something is preferred: goals of that rank, or a posture.
    pub fn has_preferences(&self) -> bool {
        let is_preferred = self.custom_goals.iter().any(CustomGoal::is_preferred);
        is_preferred || self.posture.is_active() || self.goals.iter().any(Goal::is_preferred)
    }

    /// How far a center of mass is beside what its body stands on, seen from above, while the joints have these frames, one per joint
    /// of the skeleton: the largest distance of all bodies. `None` if none stands on something.
    pub fn imbalance(&self, frames: &[Isometry]) -> Option<f64> {
        let standing = self.centers_of_mass.iter().filter(|body| !body.support.is_empty());
        standing.map(|body| body.beside_support(body.place(frames)).length()).reduce(f64::max)
    }

    /// Whether the problem has goals that a solve has to meet and nothing else: no loops, poles, centers of mass, custom goals or
    /// preferences, and nothing to keep clear of.
    pub fn has_only_goals(&self) -> bool {
        let is_clear = self.obstacles.is_empty() && self.keep_clear.is_empty();
        is_clear && self.has_only_goals_and_clearances() && !self.has_preferences()
    }

    /// Whether the problem has goals and what keeps clear, and nothing else.
    fn has_only_goals_and_clearances(&self) -> bool {
        let Problem {
            loops,
            poles,
            centers_of_mass,
            custom_goals,
            goals: _,
            obstacles: _,
            link_radius: _,
            keep_clear: _,
            base: _,
            home: _,
            posture: _,
            max_steps: _,
        } = self;
        loops.is_empty() && poles.is_empty() && centers_of_mass.is_empty() && custom_goals.is_empty()
    }

    /// The pairs of joints that must be solved together although they may be on different trees: those that loops connect,
    /// those whose capsules keep clear of each other, those that carry the masses of one body, and those that carry the points of one
    /// custom goal. They are the argument of [`Skeleton::islands`].
    pub fn ties(&self) -> impl Iterator<Item = (usize, usize)> {
        let loops = self.loops.iter().map(|(a, b)| (a.joint, b.joint));
        let bodies = self.centers_of_mass.iter();
        let masses = bodies.flat_map(|body| all_pairs(body.masses.len(), |at| body.masses[at].joint));
        let custom = self.custom_goals.iter();
        let custom = custom.flat_map(|goal| all_pairs(goal.points.len(), |at| goal.points[at].joint));
        loops.chain(self.keep_clear.joint_pairs()).chain(masses).chain(custom)
    }

    /// The joints whose places count, beside those of goals, loops, poles and capsules: those that carry masses.
    pub(crate) fn measured_joints(&self) -> impl Iterator<Item = usize> {
        self.centers_of_mass.iter().flat_map(|body| body.masses.iter().map(|mass| mass.joint))
    }

    fn check_max_steps(&self, skeleton: &Skeleton) -> Result<(), Reason> {
        let (joints, entries) = (skeleton.len(), self.max_steps.len());
        if entries != 0 && entries != joints {
            return Err(Reason::Entries { joints, entries });
        }
        self.max_steps.iter().try_for_each(|&step| match step {
            0.0 => Err(Reason::NoStep),
            f64::INFINITY => Ok(()),
            step => check_size(step),
        })
    }

    /// The problem with the targets that a pose meets: what they ask for stays, and they are where the effectors are.
    ///
    /// # Panics
    /// The problem or the pose does not fit the skeleton.
    #[must_use]
    pub fn met_by(&self, skeleton: &Skeleton, pose: &[Coordinates]) -> Problem {
        Problem { goals: self.goals_met_by(skeleton, pose), ..self.clone() }
    }

    /// The goals of [`Problem::met_by`].
    pub(crate) fn goals_met_by(&self, skeleton: &Skeleton, pose: &[Coordinates]) -> Vec<Goal> {
        let frames = skeleton.frames_at(self.base, pose);
        let mut goals = self.goals.clone();
        for goal in &mut goals {
            let frame = frames[goal.effector.joint];
            let tip = frame.point(goal.effector.tip);
            let ahead = frame.rotation * goal.freedom.spin_axis.unwrap_or(DVec3::Z);
            goal.target.position = goal.target.position.map(|_| tip);
            goal.target.orientation = goal.target.orientation.map(|orientation| match orientation {
                Orientation::Rotation(_) => Orientation::Rotation(frame.rotation),
                Orientation::LookAt(point) => Orientation::LookAt(tip + ahead * point.distance(tip)),
            });
        }
        goals
    }

    /// The goal of a problem with one active goal, which leaves nothing open, and without loops, poles and centers of
    /// mass. There may be something to keep clear of.
    pub(crate) fn one_exact_goal(&self) -> Option<&Goal> {
        let mut active = self.goals.iter().filter(|goal| goal.is_active());
        let goal = active.next().filter(|goal| goal.is_exact() && active.next().is_none());
        goal.filter(|_| self.has_only_goals_and_clearances())
    }

    /// As [`Problem::check`], and checks that the pose has one entry per joint, each with numbers that a solve can begin with.
    pub(crate) fn check_with(&self, skeleton: &Skeleton, pose: &[Coordinates]) -> Result<(), Refusal> {
        skeleton.check_pose(pose)?;
        self.check(skeleton)
    }

    /// Checks that custom goals have residuals to compute with in a pose that the problem fits.
    pub(crate) fn check_custom_goals(&self, skeleton: &Skeleton, pose: &[Coordinates]) -> Result<(), Refusal> {
        let frames = skeleton.frames_at(self.base, pose);
        check_all(&self.custom_goals, Part::CustomGoal, |goal| {
            let points: Vec<DVec3> = goal.points.iter().map(|end| frames[end.joint].point(end.point)).collect();
            goal.evaluate(&points, &mut vec![DVec3::ZERO; points.len()]).map(drop).ok_or(Reason::Number)
        })
    }

    /// Checks that the problem fits `skeleton`: all joints exist, all numbers are finite and at most 1e75, weights and masses are
    /// not negative, orientations are not zero, the base is rigid, obstacles and capsules are valid, and home, posture and
    /// largest steps have one entry per joint or none.
    ///
    /// # Errors
    /// What a solve would refuse.
    pub fn check(&self, skeleton: &Skeleton) -> Result<(), Refusal> {
        let Isometry { position, rotation } = self.base;
        let base = check_point(position).and_then(|()| check_rotation(rotation));
        let base = base.and_then(|()| check_unit(rotation.length_squared()));
        base.map_err(|reason| reason.of(Part::Base))?;
        check_number(self.link_radius).map_err(|reason| reason.of(Part::LinkRadius))?;
        let check_place = |joint, point| skeleton.check_joint(joint).and_then(|()| check_point(point));
        let check_end = |end: &Attachment| check_place(end.joint, end.point);
        check_all(&self.goals, Part::Goal, |goal| goal.check(skeleton))?;
        check_all(&self.loops, Part::Loop, |(a, b)| check_end(a).and_then(|()| check_end(b)))?;
        check_all(&self.poles, Part::Pole, |pole| check_place(pole.joint, pole.toward))?;
        check_all(&self.centers_of_mass, Part::CenterOfMass, |body| body.check(skeleton))?;
        check_all(&self.custom_goals, Part::CustomGoal, |goal| goal.check(skeleton))?;
        check_all(&self.obstacles, Part::Obstacle, Obstacle::check)?;
        self.keep_clear.check(skeleton)?;
        self.posture.check(skeleton).map_err(|reason| reason.of(Part::Posture))?;
        self.check_max_steps(skeleton).map_err(|reason| reason.of(Part::MaxStep))?;
        match self.home.is_empty() {
            true => Ok(()),
            false => skeleton.check_pose(&self.home).map_err(|refusal| refusal.reason.of(Part::Home)),
        }
    }
}
