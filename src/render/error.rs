//! Rendering errors.

/// What offers contexts without a window on the screen.
const API: &str = if cfg!(windows) { "WGL" } else { "EGL" };

/// What to do where no context can be had without a window on the screen.
const REMEDY: &str = if cfg!(target_os = "linux") {
    "on Debian or Ubuntu: apt install libegl1 libgl1-mesa-dri"
} else if cfg!(windows) {
    "install the current driver of the graphics card, or put opengl32.dll of Mesa beside the program"
} else {
    "open the scene in the viewer instead, which records pictures and films too"
};

/// Why there is no renderer. Each message says what is missing and what to do.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum RenderError {
    /// The EGL library is missing.
    #[error("rendering without a window needs EGL, but its library cannot be loaded; {}", REMEDY)]
    NoEgl,
    /// No device offers a context.
    #[error(
        "{API} offers no device with OpenGL 3.3 core ({}); {}",
        if .tried.is_empty() { "no devices".to_owned() } else { .tried.join("; ") },
        REMEDY
    )]
    NoDevice {
        /// For each device, the step that failed.
        tried: Vec<String>,
    },
    /// This system can render in windows only.
    #[error(
        "rendering without a window needs EGL, which this system does not support; open the scene in the viewer instead"
    )]
    Unsupported,
    /// A shader does not compile or link on this driver.
    #[error("the OpenGL driver rejects the shader '{name}': {message}")]
    Shader {
        /// Name of the program.
        name: &'static str,
        /// The driver's message.
        message: String,
    },
    /// A buffer or texture cannot be created.
    #[error("OpenGL cannot create {what}: {reason}")]
    Resource {
        /// Its purpose.
        what: &'static str,
        /// The driver's message.
        reason: String,
    },
}

impl RenderError {
    /// For `map_err` where a buffer or texture is created.
    pub(crate) fn resource<E: std::fmt::Display>(what: &'static str) -> impl FnOnce(E) -> RenderError {
        move |reason| RenderError::Resource { what, reason: reason.to_string() }
    }
}

/// Why one picture could not be drawn.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum DrawError {
    /// The driver rejected a draw call.
    #[error("OpenGL cannot draw: {0}")]
    Refused(#[from] glium::DrawError),
    /// A buffer cannot grow, or a target cannot be drawn to.
    #[error(transparent)]
    Resource(#[from] RenderError),
    /// The frame refers to a mesh that is not loaded.
    #[error("the frame shows mesh {mesh}, but the renderer has {known}")]
    UnknownMesh {
        /// Index in the frame.
        mesh: usize,
        /// Number of loaded meshes.
        known: usize,
    },
    /// The frame has fewer bones than the weights of a mesh refer to.
    #[error("mesh {mesh} needs {needed} bones, but the frame has {given}")]
    Bones {
        /// Index in the frame.
        mesh: usize,
        /// Number of bones that its weights refer to.
        needed: usize,
        /// Number of bones in the frame.
        given: usize,
    },
    /// A uniform of a shader program is missing: a bug in this program, detected in debug builds.
    #[error("a shader program is missing its uniform '{0}'")]
    MissingUniform(String),
    /// The driver returned something other than the picture.
    #[error("the picture cannot be read back from OpenGL")]
    ReadBack,
}
