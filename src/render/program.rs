//! Shader programs from the files in `shaders/`.

use super::error::RenderError;
use crate::view::frame::Quality;
use glium::Program;
use glium::backend::Context;
use glium::program::ProgramCreationInput;
use std::rc::Rc;

/// Sources that others include.
const SHARED: [(&str, &str); 7] = [
    ("scene.glsl", include_str!("../../shaders/scene.glsl")),
    ("outline.glsl", include_str!("../../shaders/outline.glsl")),
    ("coverage.glsl", include_str!("../../shaders/coverage.glsl")),
    ("round_cone.glsl", include_str!("../../shaders/round_cone.glsl")),
    ("softness.glsl", include_str!("../../shaders/softness.glsl")),
    ("light.glsl", include_str!("../../shaders/light.glsl")),
    ("background.glsl", include_str!("../../shaders/background.glsl")),
];

/// Multisampling wants edges that are evaluated at each sample.
const HEAD: &str = "#version 330 core\n#extension GL_ARB_sample_shading : enable\n";

/// One program: the two sources, and the words that they are compiled with.
#[derive(Clone, Copy)]
pub(crate) struct Recipe {
    pub(crate) name: &'static str,
    pub(crate) vertex: &'static str,
    pub(crate) fragment: &'static str,
    pub(crate) defines: &'static [&'static str],
}

/// Compiles and links.
pub(crate) fn compile(context: &Rc<Context>, recipe: &Recipe) -> Result<Program, RenderError> {
    compile_with(context, recipe, &[])
}

fn compile_with(context: &Rc<Context>, recipe: &Recipe, words: &[&str]) -> Result<Program, RenderError> {
    let defines = [recipe.defines, words].concat();
    let vertex = assembled(recipe.vertex, &defines);
    let fragment = assembled(recipe.fragment, &defines);
    Program::new(
        context,
        ProgramCreationInput::SourceCode {
            vertex_shader: &vertex,
            fragment_shader: &fragment,
            geometry_shader: None,
            tessellation_control_shader: None,
            tessellation_evaluation_shader: None,
            transform_feedback_varyings: None,
            // The last shader encodes sRGB itself; every earlier target holds linear floats.
            outputs_srgb: true,
            uses_point_size: false,
        },
    )
    .map_err(|error| RenderError::Shader { name: recipe.name, message: error.to_string() })
}

/// How the edge of a shape is made.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Raster {
    /// One sample a pixel.
    Plain,
    /// Several: edges are smooth.
    Multisampled,
}

/// How surfaces are drawn.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Style {
    pub(crate) quality: Quality,
    pub(crate) raster: Raster,
}

/// A program for each style, compiled when it is first wanted.
pub(crate) struct Styled {
    context: Rc<Context>,
    recipe: Recipe,
    compiled: [Option<Program>; 4],
}

impl Styled {
    pub(crate) fn new(context: &Rc<Context>, recipe: Recipe) -> Self {
        Styled { context: context.clone(), recipe, compiled: [None, None, None, None] }
    }

    pub(crate) fn program(&mut self, style: Style) -> Result<&Program, RenderError> {
        let (number, words): (usize, &[&str]) = match (style.quality, style.raster) {
            (Quality::Fast, Raster::Plain) => (0, &[]),
            (Quality::Fast, Raster::Multisampled) => (1, &["MULTISAMPLED"]),
            (Quality::Fine, Raster::Plain) => (2, &["FINE"]),
            (Quality::Fine, Raster::Multisampled) => (3, &["FINE", "MULTISAMPLED"]),
        };
        let program = match self.compiled[number].take() {
            Some(program) => program,
            None => compile_with(&self.context, &self.recipe, words)?,
        };
        Ok(self.compiled[number].insert(program))
    }
}

fn assembled(source: &str, defines: &[&str]) -> String {
    let mut text = String::from(HEAD);
    for define in defines {
        text += &format!("#define {define}\n");
    }
    include(source, &mut text);
    text
}

/// Puts each `#include "file"` in its place.
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
