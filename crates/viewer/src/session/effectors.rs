//! Adds, removes, selects, pins and weights effectors, and sets what they leave open.

use super::command::EffectorCommand;
use super::command_error::CommandError;
use super::effector_state::EffectorState;
use super::island_state::IslandState;
use super::session::{Gliding, Session};
use fabrik3d_ik::{Kind, Target};
use fabrik3d_scene::{EffectorMode, Scene, SceneEffector};
use glam::DVec3;
use std::sync::Arc;

/// Weight of an effector that moves a whole body, as in characters: hands and feet come first.
const BODY_WEIGHT: f64 = 0.1;

impl Session {
    pub(super) fn apply_effector(&mut self, command: &EffectorCommand) -> Result<(), CommandError> {
        match command {
            EffectorCommand::Add(joint, name) => return self.add_effector(joint.as_deref(), name.as_deref()),
            EffectorCommand::Remove(name) => {
                let at = self.effector_or_selected(name.as_deref())?;
                self.remove_effector(at);
            }
            EffectorCommand::Pin(None) => {
                let at = self.selected_effector()?;
                // An effector that is only dragged counts as free here.
                let is_free = self.scene.effectors[at].hold == EffectorMode::Free;
                self.pin(at, if is_free { EffectorMode::Pinned } else { EffectorMode::Free });
            }
            EffectorCommand::Pin(Some((name, hold))) => {
                let at = self.find_effector(name)?;
                self.pin(at, *hold);
            }
            EffectorCommand::Weight(name, weight) => {
                let at = self.find_effector(name)?;
                self.save_before(Gliding::Weight(at));
                self.change_effector(at, |effector| effector.weight = *weight);
            }
            EffectorCommand::Rank(name, rank) => {
                let at = self.find_effector(name)?;
                self.save();
                self.change_effector(at, |effector| effector.rank = *rank);
                self.update_free_effectors();
            }
            EffectorCommand::Spin(name, axis) => {
                let at = self.find_effector(name)?;
                self.save();
                // An effector that begins to look at a point may get the axis first: one step to undo.
                self.history.gliding = Some(Gliding::Axis(at));
                self.change_effector(at, |effector| effector.freedom.spin_axis = *axis);
            }
            EffectorCommand::Slack(name, slack) => {
                let at = self.find_effector(name)?;
                self.save_before(Gliding::Slack(at));
                self.change_effector(at, |effector| effector.freedom.slack = *slack);
            }
            EffectorCommand::All => {
                self.selected_effector()?;
                self.selection.all = !self.selection.all;
            }
        }
        Ok(())
    }

    pub(super) fn selected_effector(&self) -> Result<usize, CommandError> {
        self.selected().ok_or(CommandError::NoEffector)
    }

    /// The effectors that a change of the target applies to: the selected one, or all.
    pub(super) fn chosen_effectors(&self) -> Result<Vec<usize>, CommandError> {
        let selected = self.selected_effector()?;
        Ok(if self.selection.all { (0..self.effectors.len()).collect() } else { vec![selected] })
    }

    pub(super) fn find_effector(&self, name: &str) -> Result<usize, CommandError> {
        let effectors = &self.scene.effectors;
        let names = || effectors.iter().map(|effector| effector.name.as_str()).collect::<Vec<_>>().join(", ");
        let found = effectors.iter().position(|effector| effector.name == name);
        found.ok_or_else(|| CommandError::UnknownEffector(name.to_owned(), names()))
    }

    /// The effector with this name; without a name, the selected one.
    pub(super) fn effector_or_selected(&self, name: Option<&str>) -> Result<usize, CommandError> {
        name.map_or_else(|| self.selected_effector(), |name| self.find_effector(name))
    }

    pub(super) fn select_effector(&mut self, effector: usize) {
        (self.selection.effector, self.selection.all) = (effector, false);
    }

    fn add_effector(&mut self, joint: Option<&str>, name: Option<&str>) -> Result<(), CommandError> {
        let mut scene = (*self.scene).clone();
        let at = match joint {
            Some(place) => scene.add_effector(place, name)?,
            None => add_to_joint(&mut scene, self.selection.joint.ok_or(CommandError::NoJoint)?, name)?,
        };
        self.save();
        self.take_added_effectors(scene);
        self.select_effector(at);
        Ok(())
    }

    /// Adds an effector to each of these joints, which can be undone only together with what is undone next.
    pub(super) fn insert_effectors(&mut self, joints: &[usize]) -> Result<(), CommandError> {
        if joints.is_empty() {
            return Ok(());
        }
        let mut scene = (*self.scene).clone();
        for &joint in joints {
            add_to_joint(&mut scene, joint, None)?;
        }
        self.take_added_effectors(scene);
        Ok(())
    }

    /// Replaces the scene by one with more effectors.
    fn take_added_effectors(&mut self, mut scene: Scene) {
        let added = self.effectors.len()..scene.effectors.len();
        added.clone().for_each(|at| lighten(&mut scene, at));
        self.scene = Arc::new(scene);
        for at in added {
            self.effectors.push(EffectorState::new(Target::from(self.tip(at))));
        }
        if let Some(playback) = &mut self.playback {
            playback.add_effectors(&self.scene);
        }
        self.rebuild_islands_keeping_eases();
    }

    fn remove_effector(&mut self, at: usize) {
        self.save();
        Arc::make_mut(&mut self.scene).effectors.remove(at);
        self.effectors.remove(at);
        if let Some(playback) = &mut self.playback {
            playback.drives.remove(at);
        }
        let selected = &mut self.selection.effector;
        if *selected > at || *selected == self.effectors.len() {
            *selected = selected.saturating_sub(1);
        }
        self.rebuild_islands_keeping_eases();
    }

    /// Pins an effector where its target is, or frees it. What a person pins holds, also if it was light before. A figure
    /// with nothing left to solve keeps still, unless it misses targets and may come nearer to them now.
    fn pin(&mut self, at: usize, hold: EffectorMode) {
        self.save();
        let island = self.islands.index_of(at);
        let IslandState { settled, report, .. } = self.islands.states[island];
        let may_come_nearer = hold == EffectorMode::Free && report.is_some_and(|report| !report.stop.is_reached());
        self.effectors[at].dragged = hold == EffectorMode::Pinned;
        self.change_effector(at, |effector| {
            effector.hold = hold;
            if effector.is_soft() {
                (effector.weight, effector.rotation_weight) = (1.0, effector.rotation_weight.max(1.0));
            }
        });
        self.update_free_effectors();
        if settled && !may_come_nearer {
            (self.islands.states[island].settled, self.islands.states[island].report) = (true, report);
        }
    }

    fn change_effector(&mut self, at: usize, change: impl FnOnce(&mut SceneEffector)) {
        change(&mut Arc::make_mut(&mut self.scene).effectors[at]);
        self.pause_shown_recording();
        self.update_goal(at);
    }
}

fn add_to_joint(scene: &mut Scene, joint: usize, name: Option<&str>) -> Result<usize, CommandError> {
    let place = scene.skeleton.joints()[joint].name.clone();
    Ok(scene.add_effector_at(joint, DVec3::ZERO, &place, name)?)
}

/// Gives an effector that moves a whole body a small weight.
fn lighten(scene: &mut Scene, at: usize) {
    let effector = &mut scene.effectors[at];
    if *scene.skeleton.kind(effector.effector.joint) == Kind::Free {
        (effector.weight, effector.rotation_weight) = (BODY_WEIGHT, BODY_WEIGHT);
    }
}
