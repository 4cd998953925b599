//! The floor.

use crate::session::command::Show;
use crate::view::Viewer;
use crate::view::frame::Floor;
use crate::view::ground::grid_cell;
use glam::Vec3;

pub(super) fn floor(viewer: &Viewer) -> Floor {
    let (extent, display, height) = (viewer.extent(), viewer.display(), viewer.ground().height);
    Floor {
        height,
        center: Vec3::new(extent.center.x, height, extent.center.z),
        radius: extent.radius * 4.0,
        cell: grid_cell(extent.radius),
        grid: display.shows(Show::Grid),
        axes: display.shows(Show::Axes),
    }
}
