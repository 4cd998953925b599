//! What programs that show poses need: solve in the loop, ease on the screen. The solver uses nothing of it.
//!
//! [`Eases`] lets a displayed pose follow the solved one, [`mix_poses`] mixes two poses within all limits, and
//! [`WorkspaceSurface`] is the region that an effector can reach. They panic if a joint that they are given does not exist,
//! or if a pose has no entry for it.

mod eases;
mod isosurface;
mod workspace;

pub use crate::model::mix::{mix_directions, mix_poses, pose_distance};
pub use eases::{Blend, EaseStart, Eases, ease, eased_way, speed_toward_limits};
pub use workspace::{WorkspaceShell, WorkspaceSurface, unbounded_joint};
