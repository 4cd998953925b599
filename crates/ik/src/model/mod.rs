//! What is solved: joints, limits, skeletons, poses, problems, settings and reports. Plain data and the mathematics of
//! a pose; the algorithms are in `fabrik`, `tree` and `methods`.

mod builder;
pub mod center_of_mass;
pub mod custom_goal;
pub mod distance;
pub mod effector;
pub mod freedom;
pub mod gap;
pub mod hull;
pub mod islands;
pub mod jacobian;
pub mod joint;
pub mod keep_clear;
pub mod kinematics;
pub mod limits;
pub mod mix;
mod nearest_target;
pub mod obstacle;
pub mod pose;
pub mod problem;
pub mod queries;
pub mod refusal;
pub mod report;
pub mod serial_arm;
pub mod settings;
pub mod skeleton;
pub mod target;
pub mod transform;

pub use builder::{BuildError, SkeletonBuilder, UnknownJoint, nearest_name};
pub(crate) use center_of_mass::{CenterOfMass, PointMass};
pub(crate) use custom_goal::CustomGoal;
pub(crate) use distance::{Contact, box_contact, nearest_along, nearest_along_both};
pub(crate) use effector::{Attachment, Effector, GoalRank};
pub(crate) use freedom::Freedom;
pub(crate) use gap::{Gap, Solid};
pub(crate) use hull::Hull;
pub(crate) use islands::Island;
pub(crate) use jacobian::{Rate, lever, write_rates};
pub(crate) use joint::{Axes, Joint, Kind, MAX_ANGLE, Mimic, swing_rotation, unit, unit_axis};
pub(crate) use keep_clear::{Body, KeepClear, LinkCapsule, Separation};
pub(crate) use kinematics::travel;
pub(crate) use limits::{Interval, LimitError, Swing, nearest_rounded_turn, nearest_turn, wrap};
pub(crate) use mix::{
    follow_leaders, mix_joint, pose_distance, resisted, superpose_chain, superpose_joint, swing_and_roll, turn_on,
};
pub(crate) use obstacle::{Obstacle, way_apart};
pub(crate) use pose::{Coordinates, Pose};
pub(crate) use problem::{Goal, Pole, Posture, Problem};
pub(crate) use queries::{LinkEnd, excess, link_ends, worst_error};
pub(crate) use refusal::{
    LARGEST, Part, Reason, Refusal, check_all, check_number, check_point, check_rotation, check_size, check_unit,
};
pub(crate) use report::{Report, Stop, merge};
pub(crate) use serial_arm::{UnsupportedArm, serial_arm};
pub(crate) use settings::{Interrupt, Method, Prefer, Settings};
pub(crate) use skeleton::Skeleton;
pub(crate) use target::{Orientation, Target, hash};
pub(crate) use transform::{Isometry, angle_between, any_side, rotation_arc, smallest_rotation};
