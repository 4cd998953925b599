//! The motion of a figure whose targets follow a recording, as the window shows it: `convert --follow`.

use super::context::Context;
use super::interrupt::Progress;
use crate::host::host;
use fabrik3d_ik::Skeleton;
use fabrik3d_scene::{Motion, Scene};
use fabrik3d_viewer::session::numbers::FRAME;
use fabrik3d_viewer::session::{CommandError, MotionCommand, MotionMode, Playback, Session, SessionCommand};
use std::io::{self, IsTerminal};

/// Tolerance for the rounding of times, in frames or steps.
const ROUNDING: f64 = 1e-6;

/// A scene and the recording that its targets are to follow.
pub(super) struct Follower {
    session: Session,
}

/// A scene that is about to follow a clip once, from start to end.
pub(super) struct Following {
    session: Session,
    /// Name of the clip.
    pub name: String,
    /// Duration of the clip.
    pub seconds: f64,
    frame_time: f64,
    /// Number of frames to be written; more than any memory holds if a file claims so.
    pub frames: f64,
}

impl Follower {
    /// `open` opens the recording; without it, the scene follows its own clips.
    pub fn new(scene: Scene, open: Option<MotionCommand>) -> Result<Self, CommandError> {
        let mut session = Session::new(scene);
        session.set_host(host());
        open.map_or(Ok(()), |open| session.apply(&SessionCommand::Motion(open)))?;
        Ok(Follower { session })
    }

    /// The recording.
    pub fn recording(&self) -> Option<&Playback> {
        self.session.motion()
    }

    /// Chooses a clip, unless the first one is meant, and a number of frames per second, unless that of the recording is.
    pub fn begin(mut self, clip: Option<&str>, fps: Option<f64>) -> Result<Following, CommandError> {
        let clip = clip.map(|name| MotionCommand::Clip(name.to_owned()));
        let follow = [MotionCommand::Mode(Some(MotionMode::Follow)), MotionCommand::Loop(false)];
        for command in clip.into_iter().chain(follow).chain([MotionCommand::Play(true)]) {
            self.session.apply(&SessionCommand::Motion(command))?;
        }
        let recording = self.recording().ok_or(CommandError::NoMotion)?;
        let frame_time = fps.map_or(recording.source.frame_time(recording.clip), |fps| 1.0 / fps);
        let (name, seconds) = (recording.clip_name().to_owned(), recording.duration());
        let frames = (seconds / frame_time - ROUNDING).ceil().max(0.0) + 1.0;
        Ok(Following { session: self.session, name, seconds, frame_time, frames })
    }
}

impl Following {
    /// Whether nothing follows the recording.
    pub fn is_idle(&self) -> bool {
        self.session.motion().is_some_and(Playback::is_idle_follower)
    }

    /// The displayed poses, one per frame, with the offsets that differ from those of `skeleton`. Tells what does not follow, and in how many frames a target is missed.
    pub fn bake(mut self, skeleton: &Skeleton, context: &Context) -> Motion {
        let remark = self.session.motion().and_then(Playback::remark);
        remark.iter().for_each(|remark| context.note(&remark.to_string()));
        let mut progress = Progress::new(io::stderr().is_terminal());
        let (mut poses, mut missed) = (Vec::new(), 0);
        let frames = self.frames as usize;
        for frame in 0..frames {
            if frame > 0 {
                self.advance();
            }
            let shown = self.session.scene().skeleton.joints().iter().zip(skeleton.joints()).enumerate();
            let elsewhere = shown.filter(|(_, (now, rest))| now.offset != rest.offset);
            let offsets = elsewhere.map(|(joint, (now, _))| (joint, now.offset)).collect();
            poses.push((self.session.displayed().clone(), offsets));
            missed += usize::from(self.misses());
            progress.show(frame as u64, "frames");
        }
        drop(progress);
        if missed > 0 {
            context.note(&format!("a target that follows the recording is missed in {missed} of {frames} frames"));
        }
        Motion::with_offsets(self.name, self.frame_time, poses)
    }

    /// Goes on by a frame, in steps as short as those of a window.
    fn advance(&mut self) {
        let steps = (self.frame_time / FRAME - ROUNDING).ceil().max(1.0);
        (0..steps as usize).for_each(|_| self.session.tick(self.frame_time / steps));
    }

    /// Whether the pose misses a target that follows the recording.
    fn misses(&self) -> bool {
        let followed = (0..self.session.targets().len()).filter(|&effector| self.session.is_driven(effector));
        let mut reports = followed.filter_map(|effector| self.session.report(effector));
        reports.any(|report| !report.stop.is_reached())
    }
}
