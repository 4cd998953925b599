//! What can go wrong when pictures are made.

/// Why there is no renderer. Each says what is missing and what to do.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum RenderError {
    /// The EGL library is absent.
    #[error(
        "drawing without a window needs EGL, and libEGL.so.1 cannot be loaded; \
         on Debian or Ubuntu: apt install libegl1 libgl1-mesa-dri"
    )]
    NoEgl,
    /// EGL is there, but none of its devices gave a context.
    #[error(
        "EGL offers no device with OpenGL 3.3 core ({}); on Debian or Ubuntu: apt install libegl1 libgl1-mesa-dri",
        if .tried.is_empty() { "no device at all".to_owned() } else { .tried.join("; ") }
    )]
    NoDevice {
        /// Each device with the step that failed.
        tried: Vec<String>,
    },
    /// This system draws in windows only.
    #[error(
        "drawing without a window needs EGL, which this system does not have; open the scene in the viewer instead"
    )]
    NotHere,
    /// A shader does not compile or link on this driver.
    #[error("the OpenGL driver refuses the shader '{name}': {message}")]
    Shader {
        /// Program.
        name: &'static str,
        /// The driver's words.
        message: String,
    },
    /// A buffer or texture could not be made.
    #[error("OpenGL has no room or no support for {what}: {reason}")]
    Resource {
        /// What it was for.
        what: &'static str,
        /// The driver's words.
        reason: String,
    },
}

impl RenderError {
    /// For `map_err` where a buffer or a texture is made.
    pub(crate) fn resource<E: std::fmt::Display>(what: &'static str) -> impl FnOnce(E) -> RenderError {
        move |reason| RenderError::Resource { what, reason: reason.to_string() }
    }
}

/// Why one picture could not be drawn.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum DrawError {
    /// The driver refused a drawing command.
    #[error("OpenGL refuses to draw: {0}")]
    Refused(#[from] glium::DrawError),
    /// No room to grow into, or a target that cannot be drawn to.
    #[error(transparent)]
    Resource(#[from] RenderError),
    /// The frame names a mesh that the renderer was not given.
    #[error("the frame shows mesh {mesh}, but the renderer has {known}")]
    UnknownMesh {
        /// Index in the frame.
        mesh: usize,
        /// Number of meshes given.
        known: usize,
    },
    /// The frame bends a mesh that has no bone weights, or has fewer bones than its weights name.
    #[error("mesh {mesh} needs {needed} bones, the frame gives {given}")]
    Bones {
        /// Index in the frame.
        mesh: usize,
        /// Bones that its weights name.
        needed: usize,
        /// Bones in the frame.
        given: usize,
    },
    /// A program was drawn without one of its uniforms: a mistake in this crate, looked for in debug builds.
    #[error("a shader program is drawn without its uniform '{0}'")]
    MissingUniform(String),
    /// The driver gave back something else than the picture.
    #[error("the picture cannot be read back from OpenGL")]
    ReadBack,
}
