//! Shader programs from the files in `shaders/`, for OpenGL ES 3.0.

use super::shaders;
use crate::gl::{self, Object, gl, gl_object};
use std::cell::RefCell;
use std::collections::HashMap;

/// OpenGL ES asks for precisions.
const HEAD: &str = "#version 300 es\nprecision highp float;\nprecision highp int;\nprecision highp sampler2D;\n\
                    precision highp sampler2DShadow;\n";

/// The texture unit of each sampler.
pub const UNITS: [(&str, u32); 7] = [
    ("shadow_map", 0),
    ("shade_map", 1),
    ("silhouette", 2),
    ("light_map", 3),
    ("bone_rows", 4),
    ("picture", 5),
    ("image", 6),
];

/// Binds a texture to the unit of a sampler.
pub fn bind(sampler: &str, texture: Object) {
    let unit = UNITS.iter().find(|(name, _)| *name == sampler).map_or(0, |(_, unit)| *unit);
    gl!(activeTexture, gl::TEXTURE0 + unit);
    gl!(bindTexture, gl::TEXTURE_2D, texture);
}

/// A linked program. It looks up where its inputs are once.
pub struct Program {
    object: Object,
    uniforms: RefCell<HashMap<&'static str, Object>>,
    attributes: RefCell<HashMap<&'static str, i32>>,
}

impl Program {
    /// Compiles a vertex and a fragment shader with preprocessor definitions.
    ///
    /// # Errors
    /// What the driver says.
    pub fn new(files: [&str; 2], defines: &[&str]) -> Result<Self, String> {
        let object = gl_object!(createProgram);
        for (file, kind) in files.into_iter().zip([gl::VERTEX_SHADER, gl::FRAGMENT_SHADER]) {
            let shader = gl_object!(createShader, kind);
            let text = shaders::text(HEAD, defines, file);
            gl!(shaderSource, shader, text.as_str());
            gl!(compileShader, shader);
            gl!(attachShader, object, shader);
        }
        // The page has the log of the program and its shaders, and tells it.
        if gl!(link, object) == 0.0 {
            return Err(format!("the graphics driver rejects the shaders {} and {}", files[0], files[1]));
        }
        gl!(useProgram, object);
        for (name, unit) in UNITS {
            gl!(uniform1i, gl_object!(getUniformLocation, object, name), unit);
        }
        // INVALID_INDEX: it has no such block.
        let block = gl!(getUniformBlockIndex, object, "Scene");
        if block < f64::from(u32::MAX) {
            gl!(uniformBlockBinding, object, block, 0u32);
        }
        Ok(Program { object, uniforms: RefCell::default(), attributes: RefCell::default() })
    }

    /// Draws with this program from now on.
    pub fn begin(&self) {
        gl!(useProgram, self.object);
    }

    fn uniform(&self, name: &'static str) -> Object {
        *self.uniforms.borrow_mut().entry(name).or_insert_with(|| gl_object!(getUniformLocation, self.object, name))
    }

    /// Sets numbers of the program in use: one to four, or the 16 of a matrix.
    pub fn set(&self, name: &'static str, numbers: &[f32]) {
        let at = self.uniform(name);
        match numbers.len() {
            1 => gl!(uniform1fv, at, numbers),
            2 => gl!(uniform2fv, at, numbers),
            3 => gl!(uniform3fv, at, numbers),
            4 => gl!(uniform4fv, at, numbers),
            _ => gl!(uniformMatrix4fv, at, false, numbers),
        };
    }

    /// Where an attribute is; negative if the program does not read it.
    pub fn attribute(&self, name: &'static str) -> i32 {
        let look_up = || gl!(getAttribLocation, self.object, name) as i32;
        *self.attributes.borrow_mut().entry(name).or_insert_with(look_up)
    }
}
