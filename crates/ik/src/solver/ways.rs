//! The ways from row to row of a path.

use super::Solver;
use crate::maths;
use crate::model::mix::{mix_poses, pose_distance};
use crate::model::{Attachment, Coordinates, Goal, Kind, Orientation, Pose, Problem, Settings, Skeleton, Target};
use std::sync::Arc;

/// Where the way between two rows still leaves the path after so many halvings, within 1/1024 of it, there is no way.
const MOST_HALVINGS: u32 = 10;
/// How far a semicircle over a line leaves it, as a share of its length.
const SEMICIRCLE: f64 = 0.5;
/// A move of more than this many times the root mean square of all moves of a path stands out.
const STANDS_OUT: f64 = 4.0;
/// Shares of a way at which it is measured.
const MEASURED: [f64; 3] = [0.25, 0.5, 0.75];

/// How far a way between two poses leaves the straight lines between their targets: see [`Ways`].
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Departure {
    /// Largest distance of an effector from its line, or of the two points of a loop, in world units.
    pub distance: f64,
    /// Largest angle of an effector to the orientation that it should have there, radians.
    pub angle: f64,
}

impl Departure {
    /// The larger ones of two.
    #[must_use]
    pub fn max(self, other: Departure) -> Departure {
        Departure { distance: self.distance.max(other.distance), angle: self.angle.max(other.angle) }
    }
}

/// A way from one pose to another: see [`Ways`].
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Way {
    /// The poses between the two. From each pose to the next, the joints move evenly.
    pub poses: Vec<Pose>,
    /// How far it leaves the path.
    pub departure: Departure,
}

/// Two rows between which a joint jumps.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Jump {
    /// The row after the jump, counted from 0.
    pub row: usize,
    /// The joint that moves most, in radians or as a share of the skeleton's extent.
    pub joint: usize,
    /// How far it moves: radians, or for slides lengths.
    pub moved: f64,
    /// How far the even way between the two rows leaves the path.
    pub departure: Departure,
}

/// How far the effectors may leave the straight lines between the rows of a path unless something else is said, as a fraction of
/// the largest effector's size.
pub const DEFAULT_TOLERANCE: f64 = 1e-3;

/// Finds the ways from row to row of a path that is solved: how a machine that follows it moves between the rows.
///
/// The effectors move along straight lines from where they are in one row to where they are in the next, and turn about one axis.
/// The even way in joint coordinates is enough where they stay within the tolerance of that. Elsewhere, poses between the two rows
/// are looked for. Where there are none, the joints move evenly, and [`Way::departure`] says how far the effectors leave
/// their lines; but a joint jumps there if that is farther than a semicircle over the line, or if it moves far more than from row
/// to row elsewhere. Ways are measured at their quarters.
///
/// ```
/// # use fabrik3d_ik::{Coordinates, Effector, Goal, Joint, Kind, Pose, Problem, Settings, Skeleton, paths::Ways};
/// # use glam::DVec3;
/// let hinge = Kind::hinge(DVec3::Z);
/// let arm = Skeleton::new(vec![
///     Joint::new("shoulder", None, DVec3::ZERO, hinge),
///     Joint::new("elbow", Some(0), DVec3::X, hinge),
/// ])?;
/// let hand = Effector::new(1, DVec3::X);
/// let mut ways = Ways::new(arm.clone(), Settings::default(), 1e-3);
/// // Elbow up, elbow up, elbow down.
/// for [shoulder, elbow] in [[0.0, 1.0], [0.01, 1.0], [1.0, -1.0]] {
///     let pose: Pose = vec![Coordinates::scalar(shoulder), Coordinates::scalar(elbow)];
///     let target = arm.frames(&pose)[1].point(hand.tip);
///     ways.push(&Problem { goals: vec![Goal::new(hand, target)], ..Problem::default() }, &pose);
/// }
/// let (ways, jumps) = ways.finish();
/// assert!(ways[0].is_some() && ways[1].is_none() && jumps[0].row == 2);
/// # Ok::<(), fabrik3d_ik::errors::SkeletonError>(())
/// ```
#[derive(Debug)]
pub struct Ways {
    solver: Solver,
    tolerance: f64,
    /// The row before: its goals with the targets that its pose meets, and the pose.
    before: Option<(Vec<Goal>, Pose)>,
    /// Whether the motion begins with a pose that is no row.
    has_begin: bool,
    found: Vec<Found>,
}

/// What was found between two rows.
#[derive(Debug)]
struct Found {
    /// None if no other way than the even one was found, and that leaves the path too far.
    way: Option<Way>,
    /// Whether it keeps to the path within the tolerance.
    is_kept: bool,
    /// How far the even way leaves the path.
    departure: Departure,
    joint: usize,
    /// How far the joint moves, radians or shares of the extent.
    moved: f64,
}

impl Ways {
    /// No row yet. Effectors may be `tolerance` away from their lines, in world units, and turned by such an arc at their
    /// distance from the root.
    pub fn new(skeleton: impl Into<Arc<Skeleton>>, settings: Settings, tolerance: f64) -> Self {
        let settings = Settings { time_limit: None, may_jump: false, ..settings };
        let solver = Solver::new(skeleton).settings(settings);
        Ways { solver, tolerance, before: None, has_begin: false, found: Vec::new() }
    }

    /// Begins at a pose that is no row, with a problem like those of the rows: the way to the first row counts, too.
    ///
    /// # Panics
    /// The problem or the pose does not fit the skeleton.
    pub fn begin(&mut self, problem: &Problem, pose: &[Coordinates]) {
        self.has_begin = true;
        self.before = Some((problem.goals_met_by(&self.solver.skeleton, pose), pose.to_vec()));
    }

    /// Finds the way to the next row. All problems have the same goals. After an interrupt, nothing is found any more.
    ///
    /// # Panics
    /// The problem or the pose does not fit the skeleton.
    pub fn push(&mut self, problem: &Problem, pose: &[Coordinates]) {
        if self.solver.settings.interrupt.is_requested() {
            return;
        }
        let mut own = problem.goals_met_by(&self.solver.skeleton, pose);
        if let Some((before, start)) = self.before.take() {
            let path = Path { problem, ends: [before, own], tolerance: self.tolerance };
            self.found.push(path.find(&mut self.solver, [&start, pose]));
            [_, own] = path.ends;
        }
        self.before = Some((own, pose.to_vec()));
    }

    /// The ways, one per pose of the motion but the first; `None` across a jump. And the jumps.
    pub fn finish(self) -> (Vec<Option<Way>>, Vec<Jump>) {
        let Ways { solver, has_begin, found, .. } = self;
        let skeleton = solver.skeleton();
        let moved = found.iter().map(|found| found.moved.powi(2)).sum::<f64>();
        let most = STANDS_OUT * (moved / found.len().max(1) as f64).sqrt();
        let mut jumps = Vec::new();
        let ways = found.into_iter().enumerate().map(|(at, found)| {
            let Found { way, is_kept, departure, joint, moved } = found;
            let way = way.filter(|_| is_kept || moved <= most);
            if way.is_none() {
                let unit = if matches!(skeleton.kind(joint), Kind::Slide { .. }) { extent(skeleton) } else { 1.0 };
                jumps.push(Jump { row: at + usize::from(!has_begin), joint, moved: moved * unit, departure });
            }
            way
        });
        (ways.collect(), jumps)
    }
}

/// The path between two rows.
struct Path<'a> {
    /// What holds on the way, besides its goals: that of the second row.
    problem: &'a Problem,
    /// The goals with the targets that the two poses meet.
    ends: [Vec<Goal>; 2],
    tolerance: f64,
}

/// A part of the path between two rows.
#[derive(Clone, Copy)]
struct Stretch<'a> {
    /// Where it begins and ends, as shares of the path, and the poses there.
    shares: [f64; 2],
    poses: [&'a [Coordinates]; 2],
    /// How many times it may still be halved.
    halvings: u32,
}

impl Path<'_> {
    /// Finds the way between the poses of the two rows.
    fn find(&self, solver: &mut Solver, poses: [&[Coordinates]; 2]) -> Found {
        let (joint, moved) = farthest(&solver.skeleton, poses);
        let even = Way { departure: self.measure(&solver.skeleton, [0.0, 1.0], poses), poses: Vec::new() };
        let departure = even.departure;
        let off = self.off(&solver.skeleton, departure);
        if off <= self.tolerance {
            return Found { way: Some(even), is_kept: true, departure, joint, moved };
        }
        solver.problem.clone_from(self.problem);
        solver.problem.max_steps.clear();
        let mut way = Way::default();
        let is_kept = self.halve(solver, Stretch { shares: [0.0, 1.0], poses, halvings: MOST_HALVINGS }, &mut way);
        let length = || departure_of(&solver.skeleton, self.problem, &self.ends[1], poses[0]);
        let is_near = || off <= SEMICIRCLE * self.off(&solver.skeleton, length());
        let way = if is_kept { Some(way) } else { is_near().then_some(even) };
        Found { way, is_kept, departure, joint, moved }
    }

    /// The goals at this share of the path.
    fn goals(&self, share: f64) -> Vec<Goal> {
        let [from, to] = &self.ends;
        let between = |(from, to): (&Goal, &Goal)| Goal { target: between(from.target, to.target, share), ..*from };
        from.iter().zip(to).map(between).collect()
    }

    /// How far the even way between two poses that are at these shares of the path leaves it.
    fn measure(&self, skeleton: &Skeleton, shares: [f64; 2], poses: [&[Coordinates]; 2]) -> Departure {
        let at = |share: f64| {
            let goals = self.goals(shares[0] + share * (shares[1] - shares[0]));
            departure_of(skeleton, self.problem, &goals, &evenly(skeleton, poses, share))
        };
        MEASURED.map(at).into_iter().fold(Departure::default(), Departure::max)
    }

    /// Adds the poses on a stretch. Returns whether there is a way.
    fn follow(&self, solver: &mut Solver, stretch: Stretch<'_>, way: &mut Way) -> bool {
        let even = self.measure(&solver.skeleton, stretch.shares, stretch.poses);
        if self.off(&solver.skeleton, even) <= self.tolerance {
            way.departure = way.departure.max(even);
            return true;
        }
        self.halve(solver, stretch, way)
    }

    /// As `follow`, where the even way leaves the path.
    fn halve(&self, solver: &mut Solver, stretch: Stretch<'_>, way: &mut Way) -> bool {
        let Stretch { shares: [begin, end], poses, .. } = stretch;
        let Some(halvings) = stretch.halvings.checked_sub(1) else { return false };
        let middle = 0.5 * (begin + end);
        let mut pose = evenly(&solver.skeleton, poses, 0.5);
        solver.problem.goals = self.goals(middle);
        // What the pose misses is measured.
        let _ = solver.track(&mut pose);
        let own = departure_of(&solver.skeleton, &solver.problem, &solver.problem.goals, &pose);
        if self.off(&solver.skeleton, own) > self.tolerance
            || !self.follow(solver, Stretch { shares: [begin, middle], poses: [poses[0], &pose], halvings }, way)
        {
            return false;
        }
        way.poses.push(pose.clone());
        self.follow(solver, Stretch { shares: [middle, end], poses: [&pose, poses[1]], halvings }, way)
    }

    /// A departure as a distance: angles count as arcs at the largest distance of an effector from the root.
    fn off(&self, skeleton: &Skeleton, departure: Departure) -> f64 {
        let effectors = || self.ends[0].iter().map(|goal| &goal.effector);
        let sizes = effectors().map(|effector| effector.error_scale(skeleton, effectors()));
        departure.distance.max(departure.angle * sizes.fold(0.0, f64::max))
    }
}

/// The joint that moves most from one pose to another, and how far: radians, or shares of the extent.
fn farthest(skeleton: &Skeleton, [from, to]: [&[Coordinates]; 2]) -> (usize, f64) {
    let moved = |joint: usize| match skeleton.kind(joint) {
        // Whole turns count.
        Kind::Hinge { .. } => (to[joint].value() - from[joint].value()).abs(),
        _ => pose_distance(skeleton, &[joint], from, to, extent(skeleton)),
    };
    let moves = (0..skeleton.len()).map(|joint| (joint, moved(joint)));
    moves.max_by(|(_, a), (_, b)| a.total_cmp(b)).unwrap_or_default()
}

fn extent(skeleton: &Skeleton) -> f64 {
    skeleton.extent().max(f64::MIN_POSITIVE)
}

/// How far a pose is off these goals and the loops of a problem.
fn departure_of(skeleton: &Skeleton, problem: &Problem, goals: &[Goal], pose: &[Coordinates]) -> Departure {
    let frames = skeleton.frames_at(problem.base, pose);
    let goals = goals.iter().filter(|goal| goal.is_active()).map(|goal| {
        let (distance, angle) = goal.error(frames[goal.effector.joint]);
        Departure { distance, angle }
    });
    let place = |end: &Attachment| frames[end.joint].point(end.point);
    let gap = |(a, b): &(Attachment, Attachment)| Departure { distance: place(a).distance(place(b)), angle: 0.0 };
    goals.chain(problem.loops.iter().map(gap)).fold(Departure::default(), Departure::max)
}

/// The target at this share of the way from one to another of the same kind.
fn between(from: Target, to: Target, share: f64) -> Target {
    let position = from.position.zip(to.position).map(|(from, to)| from.lerp(to, share));
    let orientation = from.orientation.zip(to.orientation).map(|both| match both {
        (Orientation::Rotation(from), Orientation::Rotation(to)) => {
            Orientation::Rotation(maths::part_way(from, to, share))
        }
        (Orientation::LookAt(from), Orientation::LookAt(to)) => Orientation::LookAt(from.lerp(to, share)),
        (from, _) => from,
    });
    Target { position, orientation }
}

/// The pose at this share of the even way between two poses. A hinge moves by the difference of its angles, whole turns included:
/// that is what a machine reads from a table.
fn evenly(skeleton: &Skeleton, [from, to]: [&[Coordinates]; 2], share: f64) -> Pose {
    let joints: Vec<usize> = (0..skeleton.len()).collect();
    let mut pose = from.to_vec();
    mix_poses(skeleton, &joints, from, to, share, &mut pose);
    for (joint, own) in pose.iter_mut().enumerate() {
        if let Kind::Hinge { .. } | Kind::Slide { .. } = skeleton.kind(joint) {
            let [from, to] = [from, to].map(|pose| pose[joint].value());
            *own = Coordinates::scalar(from + share * (to - from));
        }
    }
    pose
}
