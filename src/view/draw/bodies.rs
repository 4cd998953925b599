//! Meshes and skins.

use crate::session::race::RaceArrangement;
use crate::view::bodies::{bytes, style, with_frames};
use crate::view::frame::{Color, Frame, Material, MeshInstance, Substance};
use crate::view::theme::{SATIN, faded, mixed};
use crate::view::{Hover, MeshStyle, Viewer};
use fabrik3d_ik::Isometry;
use glam::{DMat4, DVec3};

/// Colour of a mesh that has none.
const CLAY: Color = [206, 201, 193, 255];
/// Share of the mark's colour in the colour of the part under the pointer.
const LIT: f32 = 0.45;

/// Draws all meshes and skins for these frames of all joints; in a race, those of each figure.
pub(super) fn draw(viewer: &Viewer, frames: &[Isometry], out: &mut Frame) {
    let glass = viewer.display().theme.palette().glass;
    // Among the lines of a lesson, the body only hints at what they belong to.
    let faint = faded(glass, glass[3] / 2);
    match (style(viewer), viewer.session().race()) {
        (MeshStyle::Hidden, _) => {}
        // Bodies in one place would hide each other.
        (_, Some(race)) if race.layout == RaceArrangement::Overlaid => {}
        (_, Some(race)) => {
            for (lane, offset) in race.lanes().iter().zip(viewer.lane_offsets()) {
                let own = lane.frames(race.figure(), race.rounds());
                if !own.is_empty() {
                    body(viewer, &with_frames(frames, own), offset, Some(faint), out);
                }
            }
        }
        (MeshStyle::Solid, None) => body(viewer, frames, DVec3::ZERO, None, out),
        (MeshStyle::XRay, None) => {
            let glass = if viewer.session().lesson().is_some() { faint } else { glass };
            body(viewer, frames, DVec3::ZERO, Some(glass), out);
        }
    }
}

/// All meshes and skins for these frames, moved by `offset` in the picture's space; as glass if a glass colour is given.
fn body(viewer: &Viewer, frames: &[Isometry], offset: DVec3, glass: Option<Color>, out: &mut Frame) {
    let substance = if glass.is_some() { Substance::Glass } else { Substance::Own };
    let (assets, space) = (&viewer.session().scene().assets, viewer.space());
    let axes = DVec3::AXES.map(|axis| space.shown(axis).extend(0.0));
    let upright = DMat4::from_cols(axes[0], axes[1], axes[2], offset.extend(1.0));
    let instance = |mesh: usize, color: Option<[f32; 4]>, model: DMat4, bones: Vec<DMat4>| MeshInstance {
        mesh,
        model: (upright * model).as_mat4(),
        color: tinted(color.or(assets.meshes[mesh].color).map_or(CLAY, bytes), glass),
        material: assets.meshes[mesh].paint.roughness.map_or(SATIN, |roughness| Material { roughness, ..SATIN }),
        bones: bones.iter().map(DMat4::as_mat4).collect(),
        shadow: true,
        substance,
    };
    let rigid = assets.surfaces.iter().map(|surface| {
        let mut drawn = instance(surface.mesh, surface.color, surface.model(frames), Vec::new());
        if let (Some(joint), Some(Hover::Part(part, _))) = (surface.joint, viewer.hover())
            && joint == part
        {
            // Many robots are white and could not be lighter.
            drawn.color = mixed(drawn.color, viewer.display().theme.palette().trail, LIT);
        }
        drawn
    });
    let skins = assets.skins.iter().map(|skin| instance(skin.mesh, None, DMat4::IDENTITY, skin.bones(frames)));
    out.meshes.extend(rigid.chain(skins));
}

/// A colour seen as glass, if a glass colour is given.
fn tinted(color: Color, glass: Option<Color>) -> Color {
    let Some(glass) = glass else { return color };
    let through = |k: usize| (u16::from(color[k]) * u16::from(glass[k]) / 255) as u8;
    [through(0), through(1), through(2), glass[3]]
}
