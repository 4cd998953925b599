//! Shader programs from the files in `shaders/`.

use super::error::RenderError;
use super::targets::Samples;
use fabrik3d_viewer::view::frame::{Color, Quality};
use glium::Program;
use glium::backend::Context;
use glium::program::ProgramCreationInput;
use std::rc::Rc;

const FILES: [(&str, &str); 31] = [
    ("background.frag", include_str!("../../shaders/background.frag")),
    ("background.glsl", include_str!("../../shaders/background.glsl")),
    ("capsule.frag", include_str!("../../shaders/capsule.frag")),
    ("capsule.vert", include_str!("../../shaders/capsule.vert")),
    ("corner.glsl", include_str!("../../shaders/corner.glsl")),
    ("coverage.glsl", include_str!("../../shaders/coverage.glsl")),
    ("finish.frag", include_str!("../../shaders/finish.frag")),
    ("floor.frag", include_str!("../../shaders/floor.frag")),
    ("floor.vert", include_str!("../../shaders/floor.vert")),
    ("footprint.frag", include_str!("../../shaders/footprint.frag")),
    ("footprint.vert", include_str!("../../shaders/footprint.vert")),
    ("gui.frag", include_str!("../../shaders/gui.frag")),
    ("gui.vert", include_str!("../../shaders/gui.vert")),
    ("halo.frag", include_str!("../../shaders/halo.frag")),
    ("halo.vert", include_str!("../../shaders/halo.vert")),
    ("light.glsl", include_str!("../../shaders/light.glsl")),
    ("line.frag", include_str!("../../shaders/line.frag")),
    ("line.vert", include_str!("../../shaders/line.vert")),
    ("mesh.frag", include_str!("../../shaders/mesh.frag")),
    ("mesh.vert", include_str!("../../shaders/mesh.vert")),
    ("outline.glsl", include_str!("../../shaders/outline.glsl")),
    ("patch.frag", include_str!("../../shaders/patch.frag")),
    ("patch.vert", include_str!("../../shaders/patch.vert")),
    ("round_cone.glsl", include_str!("../../shaders/round_cone.glsl")),
    ("scene.glsl", include_str!("../../shaders/scene.glsl")),
    ("screen.vert", include_str!("../../shaders/screen.vert")),
    ("soften.frag", include_str!("../../shaders/soften.frag")),
    ("softness.glsl", include_str!("../../shaders/softness.glsl")),
    ("sphere.frag", include_str!("../../shaders/sphere.frag")),
    ("sphere.vert", include_str!("../../shaders/sphere.vert")),
    ("stretch.frag", include_str!("../../shaders/stretch.frag")),
];

/// Sample shading lets multisampling evaluate edges at each sample.
const HEAD: &str = "#version 330 core\n#extension GL_ARB_sample_shading : enable\n";

/// Compiles and links a program from a vertex and a fragment shader of `shaders/`, with preprocessor definitions.
pub(crate) fn compile(
    context: &Rc<Context>,
    files: [&'static str; 2],
    defines: &[&str],
) -> Result<Program, RenderError> {
    let [vertex, fragment] = files.map(|file| {
        let mut text = String::from(HEAD);
        defines.iter().for_each(|define| text += &format!("#define {define}\n"));
        include(file, &mut text);
        text
    });
    Program::new(
        context,
        ProgramCreationInput::SourceCode {
            vertex_shader: &vertex,
            fragment_shader: &fragment,
            geometry_shader: None,
            tessellation_control_shader: None,
            tessellation_evaluation_shader: None,
            transform_feedback_varyings: None,
            // The last shader encodes sRGB itself; all earlier targets store linear floats.
            outputs_srgb: true,
            uses_point_size: false,
        },
    )
    .map_err(|error| RenderError::Shader { name: files[1], message: error.to_string() })
}

/// Adds the text of a file, with that of each file that a line `#include "file"` names.
fn include(file: &str, text: &mut String) {
    let found = FILES.iter().find(|(name, _)| *name == file);
    for line in found.map_or("#error no such file", |(_, content)| content).lines() {
        match line.strip_prefix("#include \"").and_then(|rest| rest.strip_suffix('"')) {
            Some(other) => include(other, text),
            None => {
                text.push_str(line);
                text.push('\n');
            }
        }
    }
}

/// How surfaces are drawn.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Style {
    pub(crate) quality: Quality,
    pub(crate) samples: Samples,
    /// Whether meshes may be simplified.
    pub(crate) simple: bool,
}

/// A program for each style, compiled on first use.
pub(crate) struct Styled {
    context: Rc<Context>,
    files: [&'static str; 2],
    defines: &'static [&'static str],
    compiled: [Option<Program>; 4],
}

impl Styled {
    pub(crate) fn new(context: &Rc<Context>, files: [&'static str; 2], defines: &'static [&'static str]) -> Self {
        Styled { context: context.clone(), files, defines, compiled: [None, None, None, None] }
    }

    pub(crate) fn program(&mut self, style: Style) -> Result<&Program, RenderError> {
        let (number, extra): (usize, &[&str]) = match (style.quality, style.samples) {
            (Quality::Fast, Samples::One) => (0, &[]),
            (Quality::Fast, Samples::Four) => (1, &["MULTISAMPLED"]),
            (Quality::Fine, Samples::One) => (2, &["FINE"]),
            (Quality::Fine, Samples::Four) => (3, &["FINE", "MULTISAMPLED"]),
        };
        let program = match self.compiled[number].take() {
            Some(program) => program,
            None => compile(&self.context, self.files, &[self.defines, extra].concat())?,
        };
        Ok(self.compiled[number].insert(program))
    }
}

/// Linear light of an sRGB colour; alpha is unchanged.
pub(crate) fn linear(color: Color) -> [f32; 4] {
    let [r, g, b, a] = color.map(|byte| f32::from(byte) / 255.0);
    let decode = |c: f32| if c <= 0.04045 { c / 12.92 } else { ((c + 0.055) / 1.055).powf(2.4) };
    [decode(r), decode(g), decode(b), a]
}
