//! A serial arm: the moving joints between a base and an effector, in the form that the lanes use.
//!
//! Every joint moves about or along its local z axis. The frame of a joint follows from that of the joint before by a
//! shift, a turn about x (the *twist*), and the joint's own turn about z and shift along z. Any rest rotation is
//! `Rz(a) Rx(twist) Rz(b)`; `a` is added to the turn of the joint before and `b` to the joint's own, so that a step costs
//! 12 products for each of the two turns instead of 27 for a general rotation. Fixed joints vanish, because their frames
//! are constant. The frame of the first joint is part of the base, and the rotation of the effector part of the target.

use crate::maths;
use crate::model::{
    Coordinates, Effector, Freedom, Goal, Interval, Isometry, Kind, MAX_ANGLE, Skeleton, UnsupportedArm, nearest_turn,
    serial_arm, smallest_rotation, wrap,
};
use crate::simd::Engine;
use crate::tasks::orientation::REACHES_PER_RADIAN;
use glam::{DMat3, DQuat, DVec3};

/// A part of a target, its position or its orientation, that does not count.
pub(super) const IGNORED: u8 = 0;
/// A part that is met as it is.
pub(super) const EXACT: u8 = 1;
/// A part that leaves something open: a box around the position, or the turn about an axis. If either part does, the
/// kinematics run in the frame of the target instead of that of the base, so that the sides of the box are parallel to the
/// axes.
pub(super) const OPEN: u8 = 2;

/// What a goal says about the position and the orientation: [`IGNORED`], [`EXACT`] or [`OPEN`].
pub(crate) type Demand = [u8; 2];

/// What this goal asks for; `None` if it asks for nothing, or for something that the lanes do not solve. If the orientation
/// leaves something open, so may the position: it is then a box without extent.
pub(crate) fn demand(goal: &Goal) -> Option<Demand> {
    let is_spinning = goal.freedom.spin_axis.is_some();
    let is_open = (is_spinning && goal.requested_rotation().is_some()) || goal.freedom.slack != DVec3::ZERO;
    let part = |is_open| if is_open { OPEN } else { EXACT };
    let demand = [
        goal.requested_position().map_or(IGNORED, |_| part(is_open)),
        goal.requested_rotation().map_or(IGNORED, |_| part(is_spinning)),
    ];
    (goal.target.look_at().is_none() && demand != [IGNORED; 2]).then_some(demand)
}

/// A serial arm. Lengths are in units of `unit`.
#[derive(Clone, Debug)]
pub(crate) struct Arm<N> {
    /// The moving joints, base first, followers included.
    pub joints: Vec<ArmJoint<N>>,
    /// The range of each variable: the coordinate of a joint that follows no other.
    pub ranges: Vec<[N; 2]>,
    /// The effector's tip in the frame of the last joint.
    pub tip: [N; 3],
    /// How far the tip may be from the position along each axis of the target.
    pub slack: [N; 3],
    /// The axis about which the effector may turn, in the frame of the last joint.
    pub spin_axis: [N; 3],
    /// The direction that this axis should have in the frame of the target.
    pub direction: [N; 3],
    /// The columns of the orientation that the last joint should have in the frame of the target, if all turns are fixed.
    pub rotation: [[N; 3]; 3],
}

/// One moving joint.
#[derive(Clone, Copy, Debug)]
pub(crate) struct ArmJoint<N> {
    /// Shift from the frame of the joint before.
    pub offset: [N; 3],
    /// Cosine and sine of the twist.
    pub twist: [N; 2],
    /// Whether the coordinate is a distance along z, not an angle about it.
    pub slides: bool,
    /// The angle about z that is added to that of the coordinate.
    pub turn: N,
    /// Cosine and sine of `turn`, for slides.
    pub turned: [N; 2],
    /// The coordinate is `scale * variable + shift`.
    pub variable: usize,
    pub scale: N,
    pub shift: N,
    /// Whether it follows the joint of its variable.
    pub follows: bool,
}

/// The parts of an arm that do not depend on the precision, and what connects it with its skeleton.
#[derive(Clone, Debug)]
pub(crate) struct Mount {
    /// The joint above the first moving one, if any.
    pub parent: Option<usize>,
    /// The frame of the first moving joint relative to that joint.
    pub base: Isometry,
    /// The effector's orientation in the frame of the last joint.
    pub tool: DQuat,
    /// What the goals of the effector leave open.
    pub freedom: Freedom,
    /// The length of one unit.
    pub unit: f64,
    /// The joint of each variable.
    pub variables: Vec<usize>,
    /// The range of each variable; lengths in scene units. `None`: unlimited.
    pub ranges: Vec<Option<Interval>>,
    /// Whether each variable is a distance.
    pub slides: Vec<bool>,
    /// Whether each variable reaches the same pose after a whole turn too.
    pub circles: Vec<bool>,
    /// Upper bound of the distance of the tip from the origin of the first joint, in scene units.
    pub reach: f64,
}

/// An arm in both precisions.
#[derive(Clone, Debug)]
pub(crate) struct ArmLanes {
    pub mount: Mount,
    /// What its goals ask for.
    pub(super) demand: Demand,
    pub(super) wide: Arm<f64>,
    pub(super) narrow: Arm<f32>,
    pub(super) engine: Engine,
}

impl ArmLanes {
    /// The arm of the effector of this goal, for goals that ask for the same and leave the same open. `None` if it is not a
    /// line of hinges, slides and fixed joints, or if the lanes do not solve what the goal asks for.
    pub fn new(skeleton: &Skeleton, goal: &Goal, engine: Engine) -> Option<Self> {
        let demand = demand(goal)?;
        let (mount, wide) = Mount::of(skeleton, &goal.effector, goal.freedom).ok()?;
        Some(ArmLanes { narrow: wide.narrow(), mount, demand, wide, engine })
    }
}

impl Mount {
    fn of(skeleton: &Skeleton, effector: &Effector, freedom: Freedom) -> Result<(Mount, Arm<f64>), UnsupportedArm> {
        let chain = serial_arm(skeleton, effector, |_| true)?;
        let mut build = Build::EMPTY;
        for &joint in &chain {
            let own = &skeleton.joints()[joint];
            let rest = Isometry::new(own.offset, own.rest);
            match own.kind {
                Kind::Hinge { axis, .. } | Kind::Slide { axis, .. } => build.add(skeleton, joint, rest, axis),
                _ => build.pending = build.pending.frame(rest),
            }
        }
        let parent = chain.first().and_then(|&top| skeleton.joints()[top].parent);
        Ok(build.finish(skeleton, parent, effector.tip, freedom))
    }

    /// The factor from variable number `at` in the lanes to the coordinate of its joint.
    pub fn variable_unit(&self, at: usize) -> f64 {
        if self.slides[at] { self.unit } else { 1.0 }
    }

    /// The range of variable number `at` in the lanes.
    fn lane_range(&self, at: usize) -> [f64; 2] {
        let unit = self.variable_unit(at);
        self.ranges[at].map_or([-f64::INFINITY, f64::INFINITY], |range| [range.low() / unit, range.high() / unit])
    }

    /// Variable number `at` in the lanes from the coordinate of its joint.
    pub fn to_lane(&self, at: usize, coordinate: f64) -> f64 {
        match self.ranges[at] {
            // Single precision has no decimals to spare for whole turns.
            None if !self.slides[at] => wrap(coordinate),
            _ => coordinate / self.variable_unit(at),
        }
    }

    /// The coordinate of the joint of variable number `at`, inside its range, after the whole turns that bring it next to
    /// `near`.
    pub fn to_coordinate(&self, at: usize, variable: f64, near: f64) -> f64 {
        let coordinate = variable * self.variable_unit(at);
        match self.ranges[at] {
            Some(range) if !self.circles[at] => range.clamp(coordinate),
            None if self.slides[at] => coordinate,
            range => {
                let inside = range.map_or_else(|| wrap(coordinate), |range| range.clamp(coordinate));
                nearest_turn(range, inside, near).unwrap_or(inside)
            }
        }
    }

    /// What [`Kind::project`] makes of a coordinate of the joint of variable number `at`.
    pub fn inside(&self, at: usize, coordinate: f64) -> f64 {
        match self.ranges[at] {
            Some(range) => range.clamp(coordinate),
            None if !self.slides[at] && coordinate.abs() > MAX_ANGLE => wrap(coordinate),
            None => coordinate,
        }
    }

    /// Writes the joints of these variables, next to where they are, and those that follow them.
    pub fn write(&self, skeleton: &Skeleton, variables: &[f64], pose: &mut [Coordinates]) {
        for (at, (&joint, &variable)) in self.variables.iter().zip(variables).enumerate() {
            pose[joint] = Coordinates::scalar(self.to_coordinate(at, variable, pose[joint].value()));
        }
        skeleton.follow(pose);
    }
}

/// The arm under construction, in scene units.
struct Build {
    /// The joints of the skeleton, base first.
    moving: Vec<usize>,
    joints: Vec<ArmJoint<f64>>,
    base: Isometry,
    /// What follows the last joint so far: the frame that the next joint is attached to.
    pending: Isometry,
}

impl Build {
    const EMPTY: Build =
        Build { moving: Vec::new(), joints: Vec::new(), base: Isometry::IDENTITY, pending: Isometry::IDENTITY };

    /// Adds a hinge or a slide with this rest frame and axis.
    fn add(&mut self, skeleton: &Skeleton, joint: usize, rest: Isometry, axis: DVec3) {
        let aligned = smallest_rotation(DVec3::Z, axis);
        let frame = self.pending.frame(Isometry::new(rest.position, rest.rotation * aligned));
        self.pending = Isometry::new(DVec3::ZERO, aligned.conjugate());
        let mimic = skeleton.joints()[joint].mimic;
        let mut own = ArmJoint {
            offset: [0.0; 3],
            twist: [1.0, 0.0],
            slides: matches!(skeleton.kind(joint), Kind::Slide { .. }),
            turn: 0.0,
            turned: [1.0, 0.0],
            variable: joint,
            scale: 1.0,
            shift: 0.0,
            follows: mimic.is_some(),
        };
        if let Some(mimic) = mimic {
            (own.variable, own.scale, own.shift) = (mimic.joint, mimic.scale, mimic.offset);
        }
        match self.joints.last_mut() {
            None => self.base = frame,
            Some(before) => {
                let [first, twist, second] = turns_about_z_x_z(frame.rotation);
                before.turn += first;
                own.offset = (maths::turn(DVec3::Z, -first) * frame.position).to_array();
                own.twist = [maths::cos(twist), maths::sin(twist)];
                own.turn = second;
            }
        }
        self.joints.push(own);
        self.moving.push(joint);
    }

    /// Converts to the units of the lanes, and numbers the variables.
    fn finish(mut self, skeleton: &Skeleton, parent: Option<usize>, tip: DVec3, freedom: Freedom) -> (Mount, Arm<f64>) {
        let leads = |joint: &usize| skeleton.joints()[*joint].mimic.is_none();
        let variables: Vec<usize> = self.moving.iter().copied().filter(leads).collect();
        let range = |&joint: &usize| skeleton.kind(joint).range();
        let slides = |&joint: &usize| matches!(skeleton.kind(joint), Kind::Slide { .. });
        let tip = self.pending.point(tip);
        let length = |joint: &ArmJoint<f64>| DVec3::from(joint.offset).length();
        let rigid = self.joints.iter().map(length).sum::<f64>() + tip.length();
        let travel = |range: Option<Interval>| range.map_or(f64::INFINITY, |r| r.low().abs().max(r.high().abs()));
        let travel: f64 = self.moving.iter().filter(|joint| slides(joint)).map(|joint| travel(range(joint))).sum();
        let unit = [rigid, travel].into_iter().find(|&length| length > 0.0 && length.is_finite()).unwrap_or(1.0)
            * REACHES_PER_RADIAN;
        let mount = Mount {
            parent,
            base: self.base,
            tool: self.pending.rotation,
            freedom,
            unit,
            ranges: variables.iter().map(range).collect(),
            slides: variables.iter().map(slides).collect(),
            circles: variables.iter().map(|joint| skeleton.circles.binary_search(joint).is_ok()).collect(),
            variables,
            reach: rigid + travel,
        };
        for joint in &mut self.joints {
            joint.offset = joint.offset.map(|part| part / unit);
            joint.turned = [maths::cos(joint.turn), maths::sin(joint.turn)];
            joint.variable = mount.variables.iter().position(|&leader| leader == joint.variable).unwrap_or_default();
            let own_unit = if joint.slides { unit } else { 1.0 };
            joint.scale *= mount.variable_unit(joint.variable) / own_unit;
            joint.shift /= own_unit;
        }
        let ranges = (0..mount.variables.len()).map(|at| mount.lane_range(at)).collect();
        let axis = freedom.spin_axis.map_or(DVec3::Z, |axis| axis.normalize_or(DVec3::Z));
        let arm = Arm {
            joints: self.joints,
            ranges,
            tip: (tip / unit).to_array(),
            slack: (freedom.slack / unit).to_array(),
            spin_axis: (mount.tool * axis).to_array(),
            direction: axis.to_array(),
            rotation: DMat3::from_quat(mount.tool.conjugate()).to_cols_array_2d(),
        };
        (mount, arm)
    }
}

/// The angles `[a, b, c]` with `Rz(a) Rx(b) Rz(c) = rotation`.
fn turns_about_z_x_z(rotation: DQuat) -> [f64; 3] {
    let axis = rotation * DVec3::Z;
    let first = maths::atan2(axis.x, -axis.y);
    let twist = maths::atan2(maths::hypot(axis.x, axis.y), axis.z);
    let rest = maths::turn(DVec3::X, -twist) * maths::turn(DVec3::Z, -first) * rotation;
    [first, twist, 2.0 * maths::atan2(rest.z, rest.w)]
}

impl Arm<f64> {
    fn narrow(&self) -> Arm<f32> {
        let joint = |joint: &ArmJoint<f64>| ArmJoint {
            offset: joint.offset.map(narrow),
            twist: joint.twist.map(narrow),
            slides: joint.slides,
            turn: narrow(joint.turn),
            turned: joint.turned.map(narrow),
            variable: joint.variable,
            scale: narrow(joint.scale),
            shift: narrow(joint.shift),
            follows: joint.follows,
        };
        Arm {
            joints: self.joints.iter().map(joint).collect(),
            ranges: self.ranges.iter().map(|range| range.map(|end| end as f32)).collect(),
            tip: self.tip.map(narrow),
            slack: self.slack.map(narrow),
            spin_axis: self.spin_axis.map(narrow),
            direction: self.direction.map(narrow),
            rotation: self.rotation.map(|column| column.map(narrow)),
        }
    }
}

/// A number of an arm in single precision. What is too small to matter becomes 0: products of such numbers, like the
/// cosine of a right angle, would be subnormal, and those are slow.
fn narrow(number: f64) -> f32 {
    const NEGLIGIBLE: f64 = 1e-12;
    if number.abs() < NEGLIGIBLE { 0.0 } else { number as f32 }
}
