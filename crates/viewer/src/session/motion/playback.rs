//! A recording that is played: its time, and what it does to the scene.

use super::figure_match::{Drive, FigureMatch};
use super::planted_feet::{LedFoot, PlantedFeet};
use super::source::MotionSource;
use crate::session::command::{MotionCommand, MotionMode};
use crate::session::command_error::CommandError;
use crate::session::remark::Remark;
use fabrik3d_ik::{Isometry, Pose, Skeleton};
use fabrik3d_scene::{Misfit, Scene, find_clip};
use glam::DVec3;
use std::sync::Arc;

/// Largest difference between the time of playback and a recorded frame, in frames.
const ON_FRAME: f64 = 1e-6;
/// Largest distance between the end and the start of a clip that repeats without easing, relative to the figure's size.
const CLOSED_CLIP: f64 = 0.02;

/// A recording that is played in a scene.
#[derive(Clone, Debug, PartialEq)]
pub struct Playback {
    /// Where the recording comes from.
    pub source: Arc<MotionSource>,
    /// How the recorded figure corresponds to that of the scene; none for a table.
    pub(super) figure_match: Option<Arc<FigureMatch>>,
    /// Index of the clip.
    pub clip: usize,
    /// Time in the clip, seconds.
    pub time: f64,
    /// How it moves the figure.
    pub mode: MotionMode,
    /// Whether it is playing.
    pub playing: bool,
    /// Whether it starts again at the end.
    pub looping: bool,
    /// Speed relative to the recording.
    pub speed: f64,
    /// Whether targets take the recorded orientations.
    pub turns: bool,
    /// What the target of each effector of the scene follows.
    pub drives: Vec<Option<Drive>>,
    /// The recorded feet that stand, while targets follow them.
    planted: Option<Arc<PlantedFeet>>,
    /// Matches by hand: a recorded joint, or none, for a joint of the figure.
    manual_matches: Vec<(Option<usize>, usize)>,
}

/// How the figure gets to the pose of a recording.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Transition {
    /// Continuously.
    Glide,
    /// The display eases.
    Jump,
    /// The display eases, and a figure that follows starts again from the recorded pose.
    Restart,
}

impl Playback {
    /// A recording at the start of its first clip that lasts, paused. Files with a saved pose start with a clip of one
    /// frame. It is shown if a recorded joint matches a joint of the scene, otherwise followed.
    pub(in crate::session) fn new(source: Arc<MotionSource>, scene: &Scene) -> Self {
        let mut playback = Playback {
            source,
            figure_match: None,
            clip: 0,
            time: 0.0,
            mode: MotionMode::default(),
            playing: false,
            looping: true,
            speed: 1.0,
            turns: false,
            drives: Vec::new(),
            planted: None,
            manual_matches: Vec::new(),
        };
        let clips = 0..playback.source.clips().len();
        playback.clip = clips.into_iter().find(|&clip| playback.source.duration(clip) > 0.0).unwrap_or(0);
        playback.match_figure(scene);
        playback.drives = playback.default_drives(scene);
        if !playback.can_show() {
            playback.mode = MotionMode::Follow;
        }
        playback
    }

    /// Matches the recorded figure with the present skeleton of the scene.
    pub(in crate::session) fn match_figure(&mut self, scene: &Scene) {
        let figure = self.source.figure();
        self.figure_match = figure.map(|figure| Arc::new(FigureMatch::new(figure, scene, &self.manual_matches)));
        self.planted = None;
    }

    /// Finds the recorded feet that stand, if targets of another figure follow them.
    pub(in crate::session) fn plant_feet(&mut self, scene: &Scene) {
        let follows = self.mode == MotionMode::Follow;
        let Some(matched) = self.figure_match.as_ref().filter(|matched| follows && !matched.same) else { return };
        let (source, clip, drives) = (&self.source, self.clip, &self.drives);
        if !self.planted.as_ref().is_some_and(|planted| planted.fits(clip, drives)) {
            self.planted = Some(Arc::new(PlantedFeet::find(source, matched, clip, drives, scene)));
        }
    }

    /// The place of a recorded point in a frame with these joints, or where it stands.
    pub(super) fn planted(&self, drive: Drive, recorded: &[Isometry]) -> DVec3 {
        let displacement = |planted: &Arc<PlantedFeet>| planted.displacement(drive, self.time, recorded);
        recorded[drive.track].point(drive.point) + self.planted.as_ref().map_or(DVec3::ZERO, displacement)
    }

    /// The feet of another figure that are followed.
    pub(super) fn feet(&self) -> Vec<LedFoot> {
        self.planted.as_ref().map_or(Vec::new(), |planted| planted.feet(&self.drives, self.time))
    }

    /// What the effectors of a scene follow by default.
    fn default_drives(&self, scene: &Scene) -> Vec<Option<Drive>> {
        if let (Some(matched), Some(figure)) = (&self.figure_match, self.source.figure()) {
            return matched.drives(figure, scene);
        }
        let tracks = self.source.tracks();
        let drive = |name: &str| {
            let track = tracks.iter().position(|track| *track == name)?;
            Some(Drive { track, point: DVec3::ZERO })
        };
        scene.effectors.iter().map(|effector| drive(&effector.name)).collect()
    }

    /// The scene has more effectors, the last ones.
    pub(in crate::session) fn add_effectors(&mut self, scene: &Scene) {
        self.drives.extend(self.default_drives(scene).into_iter().skip(self.drives.len()).collect::<Vec<_>>());
        self.plant_feet(scene);
    }

    /// The same recording at the same time in a newly read version of its scene.
    pub(in crate::session) fn reloaded(&self, old: &Scene, new: &Scene) -> Option<Self> {
        let source = match self.source.file {
            Some(_) => self.source.clone(),
            None => Arc::new(MotionSource::of_scene(new)?),
        };
        let mut reloaded = Playback::new(source, new);
        let clip = self.clip_name();
        reloaded.clip = reloaded.source.clips().iter().position(|name| *name == clip).unwrap_or(0);
        reloaded.time = self.time.min(reloaded.duration());
        (reloaded.playing, reloaded.looping, reloaded.speed) = (self.playing, self.looping, self.speed);
        reloaded.turns = self.turns;
        // What was chosen by hand is kept as long as there is the same to choose from.
        let same_tracks = reloaded.source.tracks() == self.source.tracks();
        if same_tracks && new.has_joint_names_of(old) && new.has_effectors_of(old) {
            reloaded.manual_matches.clone_from(&self.manual_matches);
            reloaded.match_figure(new);
            reloaded.drives.clone_from(&self.drives);
        }
        if reloaded.can_show() {
            reloaded.mode = self.mode;
        }
        reloaded.plant_feet(new);
        Some(reloaded)
    }

    /// Name of the clip.
    pub fn clip_name(&self) -> &str {
        self.source.clips().get(self.clip).copied().unwrap_or_default()
    }

    /// Duration of the clip, seconds.
    pub fn duration(&self) -> f64 {
        self.source.duration(self.clip)
    }

    /// The frame or row at this time, and how many there are.
    pub fn frame(&self) -> [usize; 2] {
        let at = |time: f64| 1 + (time / self.source.frame_time(self.clip)).round() as usize;
        [at(self.time), at(self.duration())]
    }

    /// Whether each row stands for itself: none comes within a second of the last.
    pub fn has_rows(&self) -> bool {
        self.source.frame_time(self.clip) >= 1.0
    }

    /// Whether it is in `follow` mode but drives no effector.
    pub fn is_idle_follower(&self) -> bool {
        self.mode == MotionMode::Follow && self.is_engaged() && self.drives.iter().all(Option::is_none)
    }

    /// What of it does not reach the figure; none if everything does, or if the clips are those of the scene.
    pub fn remark(&self) -> Option<Remark> {
        if self.is_idle_follower() {
            return Some(Remark::NothingFollows);
        }
        if let Some(note) = &self.source.note {
            return Some(Remark::OfTable(note.clone()));
        }
        let matched = self.figure_match.as_ref()?;
        Remark::of_match(self.source.file.as_ref()?, matched.unmatched(), matched.turned.clone())
    }

    /// How many joints of a skeleton follow the recording, or effectors a table.
    pub fn followers(&self, driven: &Skeleton) -> usize {
        match &self.figure_match {
            Some(matched) => (0..driven.len()).filter(|&joint| matched.partner(joint).is_some()).count(),
            None => self.drives.iter().flatten().count(),
        }
    }

    /// Whether it can be shown: at least one joint has a match.
    pub fn can_show(&self) -> bool {
        self.figure_match.as_ref().is_some_and(|matched| matched.has_partners())
    }

    /// Whether it affects the figure, or has done so. The clips of a scene that was just opened have not.
    pub fn is_engaged(&self) -> bool {
        self.playing || self.time > 0.0 || self.mode == MotionMode::Follow || self.source.file.is_some()
    }

    /// Whether it shows its own poses, and has done so: see [`is_engaged`](Self::is_engaged).
    pub(in crate::session) fn shows_poses(&self) -> bool {
        self.mode == MotionMode::Show && self.is_engaged()
    }

    /// The recorded pose at a time on the skeleton of the scene; none for a table or without matches.
    pub(in crate::session) fn pose_at(&self, driven: &Skeleton, time: f64) -> Option<Pose> {
        let (recorded, offsets) = (self.source.pose(self.clip, time)?, self.source.offsets(self.clip, Some(time)));
        self.figure_match.as_ref()?.pose(recorded, &offsets, driven)
    }

    /// Frames of the recorded joints at a time, aligned with the figure of the scene; none for a table.
    pub(super) fn recorded_frames(&self, time: f64) -> Option<Vec<Isometry>> {
        let skeleton = self.source.skeleton(self.clip, time)?;
        Some(self.figure_match.as_ref()?.frames(&skeleton, &self.source.pose(self.clip, time)?))
    }

    /// Seconds of the recording between `since` and now, the shorter way around in a loop.
    pub(super) fn elapsed(&self, since: f64) -> f64 {
        let elapsed = (self.time - since).abs();
        if self.looping { elapsed.min((self.duration() - elapsed).max(0.0)) } else { elapsed }
    }

    /// Changes when and how fast the recording plays. Returns how the figure gets to its new pose; none if it stays as it is.
    pub(super) fn change_time(&mut self, command: &MotionCommand) -> Option<Transition> {
        let within_clip = |playback: &Self, time: f64| time.clamp(0.0, playback.duration());
        match command {
            MotionCommand::Play(false) => self.playing = false,
            MotionCommand::TogglePlay if self.playing => self.playing = false,
            MotionCommand::Play(true) | MotionCommand::TogglePlay => {
                let is_over = !self.playing && !self.looping && self.time >= self.duration();
                if is_over {
                    self.time = 0.0;
                }
                self.playing = true;
                return Some(if is_over { Transition::Restart } else { Transition::Jump });
            }
            MotionCommand::Seek(time) => {
                self.time = within_clip(self, *time);
                return Some(Transition::Restart);
            }
            MotionCommand::Scrub(time) => {
                self.time = within_clip(self, *time);
                return Some(Transition::Glide);
            }
            MotionCommand::Step(frames) => {
                let frame_time = self.source.frame_time(self.clip);
                // Between two frames, a step goes to the next one in its direction.
                let at = self.time / frame_time;
                let from = if (at - at.round()).abs() < ON_FRAME { at.round() } else { at - at.fract() };
                let past = f64::from(u8::from(from < at && *frames < 0));
                let to = from + past + *frames as f64;
                let count = (self.duration() / frame_time).round() + 1.0;
                let wraps = self.looping && !(0.0..count).contains(&to);
                let to = if wraps { to.rem_euclid(count) } else { to };
                (self.time, self.playing) = (within_clip(self, to * frame_time), false);
                // Rows that stand for themselves may be far apart.
                let beside = if self.has_rows() { Transition::Jump } else { Transition::Glide };
                return Some(if wraps { Transition::Restart } else { beside });
            }
            MotionCommand::Speed(factor) => self.speed = *factor,
            MotionCommand::Loop(on) => self.looping = *on,
            _ => {}
        }
        None
    }

    /// Chooses a clip by its name, or else by its number, `next` or `previous`.
    pub(super) fn choose_clip(&mut self, name: &str) -> Result<(), CommandError> {
        let clips = self.source.clips();
        let around = |step: usize| Some((self.clip + step) % clips.len());
        let found = match name {
            "next" if !clips.contains(&name) => around(1),
            "previous" if !clips.contains(&name) => around(clips.len() - 1),
            _ => find_clip(&clips, name),
        };
        self.clip = found.ok_or_else(|| CommandError::UnknownClip(name.to_owned(), clips.join(", ")))?;
        self.time = 0.0;
        Ok(())
    }

    /// What does not fit of the recorded figure and that of the scene.
    pub(super) fn misfit(&self, scene: &Scene) -> Option<Misfit> {
        self.figure_match.as_ref()?.misfit(self.source.figure()?, scene)
    }

    /// Matches a joint with a recorded joint or none. The mode changes if the recording can or cannot be shown from now on.
    pub(super) fn match_joint(&mut self, recorded: &str, joint: usize, scene: &Scene) -> Result<(), CommandError> {
        let track = self.source.figure().and_then(|figure| figure.skeleton.find(recorded));
        if track.is_none() && (recorded != "none" || self.source.figure().is_none()) {
            return Err(CommandError::UnknownTrack(recorded.to_owned()));
        }
        let could_show = self.can_show();
        self.manual_matches.retain(|(_, other)| *other != joint);
        self.manual_matches.push((track, joint));
        self.match_figure(scene);
        for (at, own) in self.default_drives(scene).into_iter().enumerate() {
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

    /// Lets an effector's target follow a recorded joint, or nothing.
    pub(super) fn drive(&mut self, recorded: &str, effector: usize, tip: DVec3) -> Result<(), CommandError> {
        let tracks = self.source.tracks();
        let track = tracks.iter().position(|name| *name == recorded);
        self.drives[effector] = match track {
            Some(track) => {
                let point = match (&self.figure_match, self.source.figure()) {
                    (Some(matched), Some(figure)) => matched.point_of(figure, track, tip),
                    _ => DVec3::ZERO,
                };
                Some(Drive { track, point })
            }
            None if recorded == "none" => None,
            None => return Err(CommandError::UnknownTrack(recorded.to_owned())),
        };
        Ok(())
    }

    /// Advances by `dt` seconds. Returns how the figure gets there.
    pub(super) fn advance(&mut self, dt: f64) -> Transition {
        let duration = self.duration();
        self.time += dt * self.speed;
        if self.time <= duration {
            return Transition::Glide;
        }
        if !self.looping || duration <= 0.0 {
            (self.time, self.playing) = (duration, false);
            return Transition::Glide;
        }
        self.time = self.time.rem_euclid(duration);
        if self.source.gap(self.clip) > CLOSED_CLIP { Transition::Restart } else { Transition::Glide }
    }
}
