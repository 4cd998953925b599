//! A scene over time: every frame runs solver iterations toward the targets and eases the displayed pose to the solved
//! one. It needs no window and no OpenGL. Every change is a [`SessionCommand`].

mod apply;
mod base;
pub mod command;
mod command_error;
mod effector_state;
mod effectors;
mod feet;
mod frame_budget;
mod free_effectors;
mod held;
mod host;
mod island_state;
mod islands;
mod joints;
mod kinks;
pub mod lesson;
mod live_passes;
mod live_solutions;
mod methods;
mod modes;
pub mod motion;
pub mod numbers;
mod passes;
mod path;
mod poses;
mod queries;
pub mod race;
mod reload;
mod remark;
pub mod script;
#[expect(clippy::module_inception, reason = "the file holds the type, the folder what it does")]
mod session;
mod settings;
mod shedding;
mod solutions;
mod targets;
mod undo;

pub use command::{
    Command, Content, EffectorCommand, FileCommand, JointCommand, MotionCommand, MotionMode, PathShape, PoseCommand,
    RotationCommand, SessionCommand,
};
pub use command_error::{CommandError, MISFIT_REMEDY};
pub use host::Host;
pub use methods::method_applies;
pub use motion::Playback;
pub use numbers::Effort;
pub use passes::{ShownPass, ShownPasses};
pub use path::{TargetPath, ramp, ramp_integral};
pub use remark::Remark;
pub use session::{Session, Version};
pub use solutions::ShownSolutions;
