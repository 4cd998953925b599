//! The scene's world and the picture's space, where +Y is always up.

use fabrik3d_scene::Up;
use glam::{DVec3, Vec3};

/// The change of axes between a scene's world and the picture's space.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Space {
    /// The scene's own up axis.
    pub up: Up,
}

impl Space {
    /// A point or direction of the scene's world, in the picture's space.
    pub fn shown(self, world: DVec3) -> DVec3 {
        match self.up {
            Up::Y => world,
            Up::Z => DVec3::new(world.x, world.z, -world.y),
        }
    }

    /// The same in single precision.
    pub fn drawn(self, world: DVec3) -> Vec3 {
        self.shown(world).as_vec3()
    }

    /// A point or direction of the picture's space, in the scene's world.
    pub fn world(self, shown: DVec3) -> DVec3 {
        match self.up {
            Up::Y => shown,
            Up::Z => DVec3::new(shown.x, -shown.z, shown.y),
        }
    }
}
