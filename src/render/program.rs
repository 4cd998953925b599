//! Shader programs from the files in `shaders/`.

use super::error::RenderError;
use super::shaders;
use super::targets::Samples;
use fabrik3d_viewer::view::frame::Quality;
use glium::Program;
use glium::backend::Context;
use glium::program::ProgramCreationInput;
use std::rc::Rc;

/// Sample shading lets multisampling evaluate edges at each sample.
const HEAD: &str = "#version 330 core\n#extension GL_ARB_sample_shading : enable\n";

/// Compiles and links a program from a vertex and a fragment shader of `shaders/`, with preprocessor definitions.
pub(crate) fn compile(
    context: &Rc<Context>,
    files: [&'static str; 2],
    defines: &[&str],
) -> Result<Program, RenderError> {
    let [vertex, fragment] = files.map(|file| shaders::text(HEAD, defines, file));
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
