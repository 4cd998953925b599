//! The compared solvers behind one interface.

mod ours;
mod rebirth;
mod robot;
mod skeleton;
mod textbook;

use fabrik3d_ik::settings::Method;
use glam::DVec3;

/// The solver that all times are compared with.
pub const YARDSTICK: &str = "textbook glam f32";

/// All solvers, in the order of the table.
pub const NAMES: [&str; 6] = [YARDSTICK, "fabrik3d", "fabrik3d textbook", "rebirth-ik 0.1", "skelly 0.4", "k 0.32"];

/// A solver and its chain of links of length 1, whose base is at the origin.
pub trait Rival {
    /// Resets the chain to the straight pose along +y.
    fn reset(&mut self);

    /// Moves the tip to the target. Returns the number of iterations if the solver reports it.
    fn solve(&mut self, target: DVec3) -> Option<u32>;

    /// Current positions of the joints, base first, tip last.
    fn points(&mut self) -> Vec<DVec3>;
}

/// The solver of this name, one of [`NAMES`].
pub fn new(name: &str, links: usize) -> Box<dyn Rival> {
    match name {
        "fabrik3d" => Box::new(ours::Ours::new(links, Method::Accelerated)),
        "fabrik3d textbook" => Box::new(ours::Ours::new(links, Method::Textbook)),
        "rebirth-ik 0.1" => Box::new(rebirth::Rebirth::new(links)),
        "skelly 0.4" => Box::new(skeleton::Skeleton::new(links)),
        "k 0.32" => Box::new(robot::Robot::new(links)),
        _ => Box::new(textbook::Textbook::new(links)),
    }
}

/// The straight chain along +y.
fn straight(links: usize) -> Vec<DVec3> {
    (0..=links).map(|i| DVec3::Y * i as f64).collect()
}
