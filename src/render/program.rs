//! Shader programs from the files in `shaders/`.

use super::error::RenderError;
use glium::Program;
use glium::backend::Context;
use glium::program::ProgramCreationInput;
use std::rc::Rc;

/// Sources that others include.
const SHARED: [(&str, &str); 6] = [
    ("scene.glsl", include_str!("../../shaders/scene.glsl")),
    ("outline.glsl", include_str!("../../shaders/outline.glsl")),
    ("coverage.glsl", include_str!("../../shaders/coverage.glsl")),
    ("round_cone.glsl", include_str!("../../shaders/round_cone.glsl")),
    ("light.glsl", include_str!("../../shaders/light.glsl")),
    ("background.glsl", include_str!("../../shaders/background.glsl")),
];

/// Multisampling wants edges that are evaluated at each sample.
const HEAD: &str = "#version 330 core\n#extension GL_ARB_sample_shading : enable\n";

/// One program: the two sources, and the words that they are compiled with.
pub(crate) struct Recipe {
    pub(crate) name: &'static str,
    pub(crate) vertex: &'static str,
    pub(crate) fragment: &'static str,
    pub(crate) defines: &'static [&'static str],
}

/// Compiles and links.
pub(crate) fn compile(context: &Rc<Context>, recipe: &Recipe) -> Result<Program, RenderError> {
    let vertex = assembled(recipe.vertex, recipe.defines);
    let fragment = assembled(recipe.fragment, recipe.defines);
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
