//! A session seen through a camera: plain data and its accessors.

use super::race_layout::RaceLayout;
use super::records::{Convergence, Residuals, Trails};
use super::transitions::Transitions;
use super::{Area, Camera, Display, Lens, Ray, Space, frame::Bounds};
use crate::session::command::Show;
use crate::session::{Remark, Session};
use fabrik3d_ik::display::WorkspaceSurface;
use glam::DVec3;

/// What the camera shows instead of the whole scene.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Subject {
    Lesson,
    Race {
        methods: usize,
        /// First joint of the racing figure.
        root: Option<usize>,
        /// Whether the workspace is drawn around each figure.
        shows_reach: bool,
    },
}

/// The camera while a lesson or a race is open.
#[derive(Clone, Copy, Debug)]
pub(super) struct SubjectView {
    pub subject: Subject,
    /// The camera before it moved to show the subject.
    pub before: Camera,
    /// The camera that shows the subject.
    pub shown: Camera,
    /// Where the figures of the race stand.
    pub race_layout: Option<RaceLayout>,
}

/// What follows from the scene as it opened, and from everywhere that its recording goes.
#[derive(Clone, Debug)]
pub(super) struct Stage {
    /// What the camera frames, in the picture's space.
    pub landmarks: Vec<DVec3>,
    /// How many of them belong to the recording.
    pub recorded: usize,
    /// The camera that frames them.
    pub home: Camera,
    pub extent: Bounds,
    pub ground: Ground,
}

/// The floor under a scene.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Ground {
    /// Height in the picture's space.
    pub height: f32,
    /// Whether posts hold the bases above it.
    pub posts: bool,
}

/// A part of the gizmo.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Handle {
    /// The target itself: moves in the plane that faces the eye.
    Center,
    /// Moves along this axis.
    Arrow(usize),
    /// Moves in the plane perpendicular to this axis.
    Plane(usize),
    /// Turns about this axis.
    Ring(usize),
}

/// What the pointer is over, or what it drags.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Hover {
    /// A handle of the selected target.
    Handle(Handle),
    /// The target of this effector.
    Target(usize),
    /// The part of a figure that this joint moves, and what drags it; none if a drag there orbits.
    Part(usize, Option<Grip>),
}

/// What drags a part of a figure.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Grip {
    /// This effector.
    Effector(usize),
    /// An effector that the drag adds to this joint: the base of a figure that floats.
    Base(usize),
}

impl Hover {
    /// Whether a left drag moves it.
    pub fn can_be_dragged(self) -> bool {
        !matches!(self, Hover::Part(_, None))
    }
}

/// What the keys that move the target did.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct KeyState {
    /// One was down in the last frame.
    pub pressed: bool,
    /// They moved something in the last frame.
    pub moved: bool,
    /// Another command came in between, which ends what is left of their motion.
    pub interrupted: bool,
}

/// Everything that a picture depends on.
#[derive(Clone, Debug)]
pub struct Viewer {
    pub(super) session: Session,
    pub(super) camera: Camera,
    /// The camera moves in progress.
    pub(super) transitions: Transitions,
    pub(super) display: Display,
    pub(super) lens: Lens,
    pub(super) stage: Stage,
    pub(super) trails: Trails,
    /// Recent errors of the selected effector.
    pub residuals: Residuals,
    /// Error of the selected effector after each iteration of its last solve.
    pub convergence: Convergence,
    /// Workspace of the selected effector inside its limits, while it is shown.
    pub(super) workspace: Option<WorkspaceSurface>,
    pub(super) hover: Option<Hover>,
    /// Number of ticks so far.
    pub frame: u64,
    /// Whether a key was down in the last frame, and whether keys moved the target.
    pub(super) keys: KeyState,
    /// The viewer's own remark on the last command.
    pub(super) remark: Option<Remark>,
    /// Whether and how the camera follows a recording.
    pub(super) following: Following,
    /// Whether everything stays in the picture while the figure goes to a row of a table.
    pub(super) keeps_all: bool,
    /// Whether the selected figure stays in the picture while it goes to a target that has jumped.
    pub(super) keeps_figure: bool,
    /// None while neither a lesson nor a race is open.
    pub(super) subject: Option<SubjectView>,
}

/// How the camera follows a recording.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(super) enum Following {
    /// It will if a recording goes far: nobody has chosen.
    #[default]
    Unset,
    /// It does not.
    Off,
    /// It will show the figure, if the recording takes it anywhere.
    Begins,
    /// The recording moves the figure in its place, and the camera stands.
    InPlace,
    /// It has gone to this place for this time of the recording; in the picture's space.
    Along(DVec3, f64),
}

impl Viewer {
    /// The remark on the last command, if any.
    pub fn remark(&self) -> Option<&Remark> {
        self.remark.as_ref().or(self.session.remark())
    }

    /// Whether a lesson or a race is open.
    pub(super) fn is_teaching(&self) -> bool {
        self.session.lesson().is_some() || self.session.race().is_some()
    }

    /// The same viewer for a picture without panels, in which the figures stand in the middle of the whole picture. The camera
    /// stands.
    #[must_use]
    pub fn without_panels(&self) -> Self {
        let mut bare = self.clone();
        bare.camera = self.camera();
        for panels in [Show::Hud, Show::Help, Show::Profiler] {
            bare.display = bare.display.with(panels, false);
        }
        bare.take_whole_picture();
        bare
    }

    /// Centers the picture in its whole area at once.
    pub fn take_whole_picture(&mut self) {
        self.transitions.clear();
        self.set_free_area(Area::WHOLE);
        self.transitions.clear();
    }

    /// Whether the next picture differs from this one without further input.
    pub fn is_moving(&self) -> bool {
        !self.transitions.is_empty() || self.session.is_moving() || self.session.passes_fade()
    }

    /// The camera of the present picture, also while it moves.
    pub fn camera(&self) -> Camera {
        self.transitions.shown(self.camera, self.lens).0
    }

    /// The lens of the present picture, also while it changes.
    pub fn lens(&self) -> Lens {
        self.transitions.shown(self.camera, self.lens).1
    }

    /// The ray under a point of the picture (x right, y up, -1..1), in the picture's space.
    pub fn ray(&self, at: [f64; 2]) -> Ray {
        self.camera().ray(at, self.lens())
    }

    /// Height of the picture at a point of the picture's space, in world units.
    pub(super) fn height_at(&self, point: DVec3) -> f64 {
        self.camera().pixel_at(point, 1.0)
    }

    /// Offset of each figure of the open race from its own place in the scene; in the picture's space. Without a race, there
    /// is one figure, in its own place.
    pub(super) fn lane_offsets(&self) -> Vec<DVec3> {
        let Some(race) = self.session.race() else { return vec![DVec3::ZERO] };
        let layout = self.subject.and_then(|subject| subject.race_layout);
        layout.map_or_else(|| vec![DVec3::ZERO; race.lanes().len()], RaceLayout::offsets)
    }

    /// The joints that stand at a limit as displayed, in ascending order.
    pub fn joints_at_limits(&self) -> Vec<usize> {
        self.session.joints_at_limits(self.session.displayed())
    }

    /// The session.
    pub fn session(&self) -> &Session {
        &self.session
    }

    /// What is shown and how.
    pub fn display(&self) -> &Display {
        &self.display
    }

    /// The picture's axes relative to the scene's.
    pub fn space(&self) -> Space {
        Space { up: self.session.scene().up }
    }

    /// Sphere around everything when the scene opened, in the picture's space.
    pub fn extent(&self) -> Bounds {
        self.stage.extent
    }

    /// Past positions of each effector, newest last. While a recording plays, only recent ones of the selected effector.
    pub fn trails(&self) -> impl Iterator<Item = impl ExactSizeIterator<Item = DVec3> + '_> {
        self.trails.positions()
    }

    /// What the pointer is over.
    pub fn hover(&self) -> Option<Hover> {
        self.hover
    }

    /// Sets what the pointer is over and returns whether it changed.
    pub fn set_hover(&mut self, hover: Option<Hover>) -> bool {
        std::mem::replace(&mut self.hover, hover) != hover
    }
}
