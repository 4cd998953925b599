//! Recorded motion in a session: clips of the scene's own file, of another figure, or a table of targets.
//!
//! Two modes. In `show` the pose is the recorded one; targets go along with their effectors, so that a target can be
//! taken at any moment and moved from where the figure stands. In `follow` the recorded places of chosen joints are
//! where targets glide, and the solver finds the pose. Either way a target has one mover: what is moved by hand or along a
//! path is no longer moved by the recording.

mod apply;
mod command;
mod fit;
mod reading;
mod source;

pub use command::MotionCommand;
pub use fit::Drive;
pub use reading::{Reconstruction, RecordedFigure};
pub use source::{MotionContent, MotionSource, TargetRows};

use super::CommandError;
use fabrik3d_ik::{Pose, Skeleton};
use fabrik3d_scene::Scene;
use fit::Fit;
use std::sync::Arc;

/// What a recording does to the figure.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum MotionMode {
    /// The pose is the recorded one.
    #[default]
    Show,
    /// Targets follow recorded joints, and the solver finds the pose.
    Follow,
}

impl MotionMode {
    /// Both with their names.
    pub const NAMES: [(&'static str, MotionMode); 2] = [("show", MotionMode::Show), ("follow", MotionMode::Follow)];

    /// Its name in scripts.
    pub fn name(self) -> &'static str {
        match self {
            MotionMode::Show => "show",
            MotionMode::Follow => "follow",
        }
    }

    /// The other one.
    #[must_use]
    pub fn other(self) -> Self {
        match self {
            MotionMode::Show => MotionMode::Follow,
            MotionMode::Follow => MotionMode::Show,
        }
    }
}

/// Farthest that the end of a clip may be from its beginning, in sizes of the figure, for the two to meet without an
/// ease.
const CLOSED: f64 = 0.02;

/// A recording on the stage: how far it is, and what it does to the scene.
#[derive(Clone, Debug, PartialEq)]
pub struct Playback {
    source: Arc<MotionSource>,
    /// How the recorded figure stands for the scene's; none of a table.
    fit: Option<Arc<Fit>>,
    clip: usize,
    time: f64,
    mode: MotionMode,
    playing: bool,
    looping: bool,
    speed: f64,
    /// Whether targets take recorded orientations.
    turns: bool,
    /// For each effector of the scene, what its target follows.
    drives: Vec<Option<Drive>>,
    /// Matches that were told: of which recorded joint one of the figure is the like, if of any.
    told: Vec<(Option<usize>, usize)>,
}

/// How the figure gets to where a recording wants it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Way {
    /// At once: it is on its way there.
    Glide,
    /// The display eases.
    Jump,
    /// The same, to another moment of the recording: what follows begins anew in the recorded pose.
    Begin,
}

impl Playback {
    /// A recording at its beginning, held, in a scene. Figures of which a joint is known in the scene are shown, others
    /// followed.
    pub(super) fn new(source: Arc<MotionSource>, scene: &Scene) -> Self {
        let mut playback = Playback {
            source,
            fit: None,
            clip: 0,
            time: 0.0,
            mode: MotionMode::default(),
            playing: false,
            looping: true,
            speed: 1.0,
            turns: false,
            drives: Vec::new(),
            told: Vec::new(),
        };
        playback.fit_to(scene);
        playback.drives = playback.own_drives(scene);
        if !playback.can_show() {
            playback.mode = MotionMode::Follow;
        }
        playback
    }

    /// Matches the recorded figure with a scene whose skeleton is another now.
    pub(super) fn fit_to(&mut self, scene: &Scene) {
        self.fit = self.source.figure().map(|figure| Arc::new(Fit::new(figure, scene, &self.told)));
    }

    /// What the effectors of a scene follow by themselves.
    fn own_drives(&self, scene: &Scene) -> Vec<Option<Drive>> {
        if let (Some(fit), Some(figure)) = (&self.fit, self.source.figure()) {
            return fit.drives(figure, scene);
        }
        let tracks = self.source.tracks();
        let drive = |name: &str| {
            let track = tracks.iter().position(|track| *track == name)?;
            Some(Drive { track, point: glam::DVec3::ZERO })
        };
        scene.effectors.iter().map(|effector| drive(&effector.name)).collect()
    }

    /// The scene has more effectors, its last.
    pub(super) fn gain_effectors(&mut self, scene: &Scene) {
        self.drives.extend(self.own_drives(scene).into_iter().skip(self.drives.len()).collect::<Vec<_>>());
    }

    /// The scene has lost an effector.
    pub(super) fn lose_effector(&mut self, effector: usize) {
        self.drives.remove(effector);
    }

    /// The same recording, just as far, in a newly read version of its scene.
    pub(super) fn carried_over(&self, old: &Scene, new: &Scene) -> Option<Self> {
        let source = match self.source.file {
            Some(_) => self.source.clone(),
            None => Arc::new(MotionSource::of_scene(new)?),
        };
        let mut carried = Playback::new(source, new);
        let joint = |at: usize| new.skeleton.find(&old.skeleton.joints()[at].name);
        let track = |at: usize| carried.source.figure()?.skeleton.find(self.source.tracks()[at]);
        let told = self.told.iter().filter_map(|&(own, at)| match own {
            Some(own) => Some((Some(track(own)?), joint(at)?)),
            None => Some((None, joint(at)?)),
        });
        carried.told = told.collect();
        if !carried.told.is_empty() {
            carried.fit_to(new);
            carried.drives = carried.own_drives(new);
        }
        let clip = self.clip_name();
        carried.clip = carried.source.clips().iter().position(|name| *name == clip).unwrap_or(0);
        carried.time = self.time.min(carried.duration());
        if carried.can_show() {
            carried.mode = self.mode;
        }
        (carried.playing, carried.looping, carried.speed) = (self.playing, self.looping, self.speed);
        carried.turns = self.turns;
        let tracks = carried.source.tracks().into_iter().map(str::to_owned).collect::<Vec<_>>();
        for (at, effector) in new.effectors.iter().enumerate() {
            let Some(was) = old.effectors.iter().position(|other| other.name == effector.name) else { continue };
            carried.drives[at] = self.drives[was].and_then(|drive| {
                let name = self.source.tracks()[drive.track];
                let track = tracks.iter().position(|track| track == name)?;
                Some(Drive { track, ..drive })
            });
        }
        Some(carried)
    }

    /// Where the recording comes from.
    pub fn source(&self) -> &MotionSource {
        &self.source
    }

    /// Index of the clip.
    pub fn clip(&self) -> usize {
        self.clip
    }

    /// Name of the clip.
    pub fn clip_name(&self) -> &str {
        self.source.clips().get(self.clip).copied().unwrap_or_default()
    }

    /// How far it is, seconds.
    pub fn time(&self) -> f64 {
        self.time
    }

    /// Seconds that the clip takes.
    pub fn duration(&self) -> f64 {
        self.source.duration(self.clip)
    }

    /// What it does to the figure.
    pub fn mode(&self) -> MotionMode {
        self.mode
    }

    /// Whether it should be followed while no joint of it drives an effector.
    pub fn is_idle_follower(&self) -> bool {
        self.mode == MotionMode::Follow && self.is_engaged() && self.drives.iter().all(Option::is_none)
    }

    /// Whether it goes on by itself.
    pub fn is_playing(&self) -> bool {
        self.playing
    }

    /// Whether it begins anew at its end.
    pub fn is_looping(&self) -> bool {
        self.looping
    }

    /// Whether targets take the recorded orientations too.
    pub fn turns(&self) -> bool {
        self.turns
    }

    /// How much faster than recorded it runs.
    pub fn speed(&self) -> f64 {
        self.speed
    }

    /// For each effector of the scene, what its target follows.
    pub fn drives(&self) -> &[Option<Drive>] {
        &self.drives
    }

    /// Whether it can give the figure its pose: some joint is known in both.
    pub fn can_show(&self) -> bool {
        self.fit.as_ref().is_some_and(|fit| fit.has_partners())
    }

    /// Whether it has, or had, a say in how the figure stands: that of a scene just opened has not.
    pub fn is_engaged(&self) -> bool {
        self.playing || self.time > 0.0 || self.mode == MotionMode::Follow || self.source.file.is_some()
    }

    /// The recorded pose at a time, on the driven skeleton; none of a table, and none where no joint is known in both.
    pub(super) fn recorded(&self, driven: &Skeleton, time: f64) -> Option<Pose> {
        self.fit.as_ref()?.pose(self.source.pose(self.clip, time)?, driven)
    }

    /// Seconds of the recording that have gone by `since` then, the shorter way round where it begins anew at its end.
    pub(super) fn gone(&self, since: f64) -> f64 {
        let gone = (self.time - since).abs();
        if self.looping { gone.min((self.duration() - gone).max(0.0)) } else { gone }
    }

    /// Back to its beginning, held.
    pub(super) fn rewind(&mut self) {
        (self.time, self.playing) = (0.0, false);
    }

    /// Takes the clip of a name, or else of a number or the next or previous one.
    fn choose(&mut self, wanted: &str) -> Result<(), CommandError> {
        let clips = self.source.clips();
        let around = |step: usize| Some((self.clip + step) % clips.len());
        let found = clips.iter().position(|name| *name == wanted).or_else(|| match wanted {
            "next" => around(1),
            "previous" => around(clips.len() - 1),
            number => number.parse::<usize>().ok()?.checked_sub(1).filter(|&at| at < clips.len()),
        });
        let unknown = || CommandError::UnknownClip { name: wanted.to_owned(), known: clips.join(", ") };
        self.clip = found.ok_or_else(unknown)?;
        self.time = 0.0;
        Ok(())
    }

    /// Matches a joint with a recorded one, or with none, whatever they are called. A recording that could only be followed,
    /// and now can be shown, is.
    fn pair(&mut self, wanted: &str, joint: usize, scene: &Scene) -> Result<(), CommandError> {
        let track = self.source.figure().and_then(|figure| figure.skeleton.find(wanted));
        if track.is_none() && (wanted != "none" || self.source.figure().is_none()) {
            return Err(CommandError::UnknownTrack { name: wanted.to_owned() });
        }
        let could_show = self.can_show();
        self.told.retain(|(_, other)| *other != joint);
        self.told.push((track, joint));
        self.fit_to(scene);
        for (at, own) in self.own_drives(scene).into_iter().enumerate() {
            if scene.effectors[at].effector.joint == joint {
                self.drives[at] = own;
            }
        }
        match (could_show, self.can_show()) {
            (false, true) => self.mode = MotionMode::Show,
            (true, false) => self.mode = MotionMode::Follow,
            _ => {}
        }
        Ok(())
    }

    /// Lets an effector's target follow a recorded joint, or none.
    fn drive(&mut self, wanted: &str, effector: usize, tip: glam::DVec3) -> Result<(), CommandError> {
        let tracks = self.source.tracks();
        let track = tracks.iter().position(|name| *name == wanted);
        self.drives[effector] = match track {
            Some(track) => {
                let point = match (&self.fit, self.source.figure()) {
                    (Some(fit), Some(figure)) => fit.point_of(figure, track, tip),
                    _ => glam::DVec3::ZERO,
                };
                Some(Drive { track, point })
            }
            None if wanted == "none" => None,
            None => return Err(CommandError::UnknownTrack { name: wanted.to_owned() }),
        };
        Ok(())
    }

    /// Time goes on by `dt` seconds; how the figure gets there.
    fn advance(&mut self, dt: f64) -> Way {
        let duration = self.duration();
        self.time += dt * self.speed;
        if self.time <= duration {
            return Way::Glide;
        }
        if !self.looping || duration <= 0.0 {
            (self.time, self.playing) = (duration, false);
            return Way::Glide;
        }
        self.time = self.time.rem_euclid(duration);
        if self.source.gap(self.clip) > CLOSED { Way::Begin } else { Way::Glide }
    }
}
