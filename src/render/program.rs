//! Shader programs from the files in `shaders/`.

use super::error::RenderError;
use super::targets::Samples;
use crate::view::frame::{Color, Quality};
use glium::Program;
use glium::backend::Context;
use glium::program::ProgramCreationInput;
use std::rc::Rc;

/// Sources that other sources include.
const SHARED: [(&str, &str); 7] = [
    ("scene.glsl", include_str!("../../shaders/scene.glsl")),
    ("outline.glsl", include_str!("../../shaders/outline.glsl")),
    ("coverage.glsl", include_str!("../../shaders/coverage.glsl")),
    ("round_cone.glsl", include_str!("../../shaders/round_cone.glsl")),
    ("softness.glsl", include_str!("../../shaders/softness.glsl")),
    ("light.glsl", include_str!("../../shaders/light.glsl")),
    ("background.glsl", include_str!("../../shaders/background.glsl")),
];

/// Sample shading lets multisampling evaluate edges at each sample.
const HEAD: &str = "#version 330 core\n#extension GL_ARB_sample_shading : enable\n";

/// The sources of one program and their preprocessor definitions.
#[derive(Clone, Copy)]
pub(crate) struct ShaderSource {
    pub(crate) name: &'static str,
    pub(crate) vertex: &'static str,
    pub(crate) fragment: &'static str,
    pub(crate) defines: &'static [&'static str],
}

impl ShaderSource {
    pub(crate) const fn new(name: &'static str, vertex: &'static str, fragment: &'static str) -> Self {
        ShaderSource { name, vertex, fragment, defines: &[] }
    }
}

/// Compiles and links a program.
pub(crate) fn compile(context: &Rc<Context>, source: &ShaderSource) -> Result<Program, RenderError> {
    compile_with(context, source, &[])
}

fn compile_with(context: &Rc<Context>, source: &ShaderSource, extra: &[&str]) -> Result<Program, RenderError> {
    let defines = [source.defines, extra].concat();
    let vertex = assemble(source.vertex, &defines);
    let fragment = assemble(source.fragment, &defines);
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
    .map_err(|error| RenderError::Shader { name: source.name, message: error.to_string() })
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
    source: ShaderSource,
    compiled: [Option<Program>; 4],
}

impl Styled {
    pub(crate) fn new(context: &Rc<Context>, source: ShaderSource) -> Self {
        Styled { context: context.clone(), source, compiled: [None, None, None, None] }
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
            None => compile_with(&self.context, &self.source, extra)?,
        };
        Ok(self.compiled[number].insert(program))
    }
}

fn assemble(source: &str, defines: &[&str]) -> String {
    let mut text = String::from(HEAD);
    for define in defines {
        text += &format!("#define {define}\n");
    }
    include(source, &mut text);
    text
}

/// Expands each `#include "file"`.
fn include(source: &str, text: &mut String) {
    for line in source.lines() {
        let name = line.strip_prefix("#include \"").and_then(|rest| rest.strip_suffix('"'));
        match name.and_then(|name| SHARED.iter().find(|(known, _)| *known == name)) {
            Some((_, shared)) => include(shared, text),
            None => {
                text.push_str(line);
                text.push('\n');
            }
        }
    }
}

/// Linear light of an sRGB colour; alpha is unchanged.
pub(crate) fn linear(color: Color) -> [f32; 4] {
    let [r, g, b, a] = color.map(|byte| f32::from(byte) / 255.0);
    let decode = |c: f32| if c <= 0.04045 { c / 12.92 } else { ((c + 0.055) / 1.055).powf(2.4) };
    [decode(r), decode(g), decode(b), a]
}
