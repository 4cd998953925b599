//! The section about recorded motion: clip, time, and the effectors that follow it.

use super::LIST;
use crate::hud::help::keyed;
use crate::hud::names::{file_name, fitted_beside, name_label, told_apart};
use crate::hud::number::{changed, length_suffix, number, quick_click};
use crate::hud::spoken::{name_by_hint, name_control, name_part};
use crate::hud::style::{checkbox, color32, dot, quiet};
use crate::session::command::{AppCommand, CameraCommand};
use crate::session::numbers::{digits, percent};
use crate::session::{Command, FileCommand, MotionCommand, MotionMode, Playback, Session, SessionCommand};
use crate::view::Viewer;
use crate::view::sizes::target_color;
use egui::{ComboBox, Grid, RichText, Sides, Slider, SliderClamping, Ui, vec2};

/// Width beside effector names and joint lists, points.
const BESIDE_NAMES: f32 = 62.0;
/// Size of the buttons for playback, points.
const BUTTON: egui::Vec2 = vec2(26.0, 20.0);
/// Share of the remaining width for the effector names.
const NAMES: f32 = 0.45;

/// Clip, time, mode, and the recorded joint and residual of each effector.
pub(super) fn motion(ui: &mut Ui, viewer: &Viewer, commands: &mut Vec<Command>) {
    let session = viewer.session();
    let Some(playback) = session.motion() else {
        ui.colored_label(quiet(ui), "No recorded motion is open.");
        if ui
            .button("Open a motion or targets…")
            .on_hover_text(keyed(ui, "The clips of a figure or a table of targets ({motion.open})"))
            .clicked()
        {
            commands.push(ask());
        }
        return;
    };
    clip(ui, playback, commands);
    time(ui, playback, commands);
    if !playback.has_rows() {
        camera(ui, viewer, commands);
    }
    mode(ui, session, playback, commands);
    if playback.mode == MotionMode::Follow {
        drives(ui, viewer, playback, commands);
        reconstruction(ui, session);
    }
}

fn ask() -> Command {
    Command::App(AppCommand::File(FileCommand::AskForMotion))
}

fn give(commands: &mut Vec<Command>, command: MotionCommand) {
    commands.push(Command::Session(SessionCommand::Motion(command)));
}

/// The recording and its clips.
fn clip(ui: &mut Ui, playback: &Playback, commands: &mut Vec<Command>) {
    if let Some(file) = &playback.source.file {
        ui.horizontal(|ui| {
            let (close, hint) = (ui.small_button("×"), "Close the recording");
            name_by_hint(&close, hint);
            if close.on_hover_text(hint).clicked() {
                give(commands, MotionCommand::Close);
            }
            let name = fitted_beside(ui, &file_name(file), 0.0);
            ui.add(egui::Label::new(name).extend()).on_hover_text(file.display().to_string());
        });
    }
    let open =
        |ui: &mut Ui| ui.button("Open…").on_hover_text(keyed(ui, "Open another recording ({motion.open})")).clicked();
    let list = |ui: &mut Ui| clips(ui, playback, commands);
    let (_, is_asked) = Sides::new().shrink_left().show(ui, list, open);
    if is_asked {
        commands.push(ask());
    }
}

/// The clip, and the list of all.
fn clips(ui: &mut Ui, playback: &Playback, commands: &mut Vec<Command>) {
    let (clips, width) = (playback.source.clips(), ui.available_width());
    name_part(ui, "Clip");
    let list = ComboBox::from_id_salt("clip").width(width).truncate().selected_text(playback.clip_name());
    list.show_ui(ui, |ui| {
        for (at, name) in clips.iter().enumerate() {
            if ui.selectable_label(at == playback.clip, *name).clicked() {
                // Clips may have equal names, but their numbers are unique.
                let is_first = clips.iter().position(|other| other == name) == Some(at);
                let name = if is_first { (*name).to_owned() } else { (at + 1).to_string() };
                give(commands, MotionCommand::Clip(name));
            }
        }
    });
}

/// Where a recording is: a time, or a row.
pub(in crate::hud) fn place_in(playback: &Playback) -> String {
    match playback.has_rows() {
        true => numbered("row", playback),
        false => format!("{:.2} s", playback.time),
    }
}

/// `frame 12 of 240`
fn numbered(noun: &str, playback: &Playback) -> String {
    let [at, count] = playback.frame();
    format!("{noun} {at} of {count}")
}

/// Playback, time and speed.
fn time(ui: &mut Ui, playback: &Playback, commands: &mut Vec<Command>) {
    ui.horizontal(|ui| {
        let (sign, hint) =
            if playback.playing { ("⏸", "Pause ({motion.toggle})") } else { ("▶", "Play ({motion.toggle})") };
        let noun = if playback.has_rows() { "row" } else { "frame" };
        let [before, after] =
            [format!("Previous {noun} ({{motion.step -1}})"), format!("Next {noun} ({{motion.step 1}})")];
        for (sign, hint, command) in [
            ("-1", &before[..], MotionCommand::Step(-1)),
            (sign, hint, MotionCommand::TogglePlay),
            ("+1", &after, MotionCommand::Step(1)),
        ] {
            let button = ui.add_sized(BUTTON, egui::Button::new(sign));
            name_by_hint(&button, hint);
            if button.on_hover_text(keyed(ui, hint)).clicked() {
                give(commands, command);
            }
        }
        ui.spacing_mut().slider_width = ui.available_width();
        let mut time = playback.time;
        let slider = Slider::new(&mut time, 0.0..=playback.duration().max(1e-9))
            .clamping(SliderClamping::Edits)
            .show_value(false);
        let slider = ui.add(slider);
        name_control(ui.ctx(), slider.id, "Time");
        let clicked = quick_click(&slider).map(|share| share * playback.duration());
        if let Some(time) = clicked.or(slider.changed().then_some(time)) {
            give(commands, MotionCommand::Scrub(time));
        }
    });
    ui.horizontal(|ui| {
        ui.monospace(match playback.has_rows() {
            true => place_in(playback),
            false => format!("{:.2} of {:.2} s", playback.time, playback.duration()),
        });
        if let Some(looping) = changed(playback.looping, |looping| checkbox(ui, looping, "loop")) {
            give(commands, MotionCommand::Loop(looping));
        }
        let speed = changed(playback.speed, |speed| {
            let field = number(ui.ctx(), speed).range(0.05..=16.0).speed(0.01).max_decimals(2).suffix("x");
            let (field, hint) = (ui.add(field), "Playback speed");
            name_by_hint(&field, hint);
            field.on_hover_text(hint)
        });
        if let Some(speed) = speed {
            give(commands, MotionCommand::Speed(speed));
        }
    });
    let note = match (playback.has_rows(), playback.mode) {
        (true, MotionMode::Follow) => "Each row is solved from the pose on the screen".to_owned(),
        (true, MotionMode::Show) => "The joint values of the row; nothing is solved".to_owned(),
        (false, _) => numbered("frame", playback),
    };
    ui.colored_label(quiet(ui), RichText::new(note).small());
}

/// Whether the camera goes along with a figure that the recording takes through the world.
fn camera(ui: &mut Ui, viewer: &Viewer, commands: &mut Vec<Command>) {
    let hint = "The camera moves along with a figure that walks ({camera.follow}); otherwise it stands still";
    let follows = |on: &mut bool| checkbox(ui, on, "camera follows").on_hover_text(keyed(ui, hint));
    if let Some(on) = changed(viewer.follows_recording(), follows) {
        commands.push(Command::Camera(CameraCommand::Follow(Some(on))));
    }
}

/// The choice between showing and following the recording.
fn mode(ui: &mut Ui, session: &Session, playback: &Playback, commands: &mut Vec<Command>) {
    ui.horizontal(|ui| {
        for (mode, name, hint) in [
            (
                MotionMode::Show,
                "as recorded",
                "Shows the recorded pose ({motion.mode}). What you change lasts until it plays on",
            ),
            (
                MotionMode::Follow,
                "follow",
                "The targets follow recorded joints, and the solver finds the pose ({motion.mode})",
            ),
        ] {
            let is_possible = mode == MotionMode::Follow || playback.can_show();
            let chosen = playback.mode == mode && !session.is_edited();
            let label =
                ui.add_enabled(is_possible, egui::Button::selectable(chosen, name)).on_hover_text(keyed(ui, hint));
            let label = label.on_disabled_hover_text("No recorded joint has the same name as a joint of the scene");
            if label.clicked() && !chosen {
                give(commands, MotionCommand::Mode(Some(mode)));
            }
        }
    });
    if playback.mode != MotionMode::Follow || !playback.can_show() {
        return;
    }
    ui.horizontal(|ui| {
        let hint = "The targets follow the recorded orientations as well as the positions";
        let turns = changed(playback.turns, |turns| checkbox(ui, turns, "orientations").on_hover_text(hint));
        if let Some(turns) = turns {
            give(commands, MotionCommand::Turns(turns));
        }
        let hint = "Adds effectors to the recorded hips, head, hands and feet that have none";
        if ui.button("More effectors").on_hover_text(hint).clicked() {
            give(commands, MotionCommand::Effectors);
        }
    });
}

/// A row per effector: the recorded joint that it follows, and its residual.
fn drives(ui: &mut Ui, viewer: &Viewer, playback: &Playback, commands: &mut Vec<Command>) {
    let session = viewer.session();
    let scene = session.scene();
    let tracks = playback.source.tracks();
    let recorded = playback.source.figure().unwrap_or(scene);
    let room = ui.available_width() - BESIDE_NAMES;
    Grid::new("drives").num_columns(3).spacing([4.0, 3.0]).show(ui, |ui| {
        for heading in ["effector", "follows", "off by"] {
            ui.colored_label(quiet(ui), RichText::new(heading).small());
        }
        ui.end_row();
        let names: Vec<&str> = scene.effectors.iter().map(|effector| scene.shown_name(&effector.name)).collect();
        let drives = playback.drives.iter().flatten();
        let followed: Vec<&str> = drives.map(|drive| recorded.shown_name(tracks[drive.track])).collect();
        let (short, mut followed) = (told_apart(&names), told_apart(&followed).into_iter());
        for (at, effector) in scene.effectors.iter().enumerate().take(LIST) {
            ui.horizontal(|ui| {
                ui.set_width(NAMES * room);
                dot(ui, color32(target_color(viewer, at)));
                name_label(ui, short[at]).on_hover_text(names[at]);
            });
            let drive = playback.drives[at];
            let shown = drive.and_then(|_| followed.next()).unwrap_or("none");
            let width = (1.0 - NAMES) * room;
            let beside = ui.available_width() - width + ui.spacing().icon_width + 3.0 * ui.spacing().button_padding.x;
            let shown = fitted_beside(ui, shown, beside);
            let list = ComboBox::from_id_salt(("drive", at)).width(width).truncate().selected_text(shown);
            let list = list.show_ui(ui, |ui| {
                let mut choice = |ui: &mut Ui, name: &str, chosen: bool| {
                    if ui.selectable_label(chosen, recorded.shown_name(name)).clicked() && !chosen {
                        give(commands, MotionCommand::Drive(name.to_owned(), effector.name.clone()));
                    }
                };
                choice(ui, "none", drive.is_none());
                for (track, name) in tracks.iter().enumerate() {
                    choice(ui, name, drive.is_some_and(|drive| drive.track == track));
                }
            });
            name_control(ui.ctx(), list.response.id, &format!("What {} follows", names[at]));
            match session.residual(at).filter(|_| drive.is_some()) {
                Some(gap) => miss(ui, session, at, gap),
                None => drop(ui.label("")),
            }
            ui.end_row();
        }
    });
    let more = scene.effectors.len().saturating_sub(LIST);
    if more > 0 {
        ui.colored_label(quiet(ui), RichText::new(format!("and {more} more")).small());
    }
}

/// How far an effector is from its target.
fn miss(ui: &mut Ui, session: &Session, effector: usize, gap: f64) {
    let scene = session.scene();
    let share = gap / scene.effector_size(&scene.effectors[effector]).max(f64::MIN_POSITIVE);
    let unit = scene.length_unit().unwrap_or("units");
    let (text, color, hint) = match share > scene.settings.tolerance {
        true => {
            let hint = format!("{} {unit} from its target, {} of its reach", digits(gap), percent(share));
            (percent(share), ui.visuals().warn_fg_color, hint)
        }
        false => ("on target".to_owned(), quiet(ui), "Closer than the tolerance".to_owned()),
    };
    ui.label(RichText::new(text).color(color)).on_hover_text(hint);
}

/// The deviation of all other joints from the recording.
fn reconstruction(ui: &mut Ui, session: &Session) {
    let Some(found) = session.reconstruction() else { return };
    let unit = length_suffix(session.scene());
    let [mean, largest] = [found.mean, found.worst].map(|value| format!("{value:.3}{unit}"));
    let text = format!("All joints, distance from the recording: mean {mean}, largest {largest}");
    let farthest = session.scene().shown_name(&session.scene().skeleton.joints()[found.worst_joint].name);
    let count = found.joints;
    let hint = format!("{count} joints compared with their recorded positions; {farthest} is farthest away");
    ui.add(egui::Label::new(RichText::new(text).small().color(quiet(ui))).wrap()).on_hover_text(hint);
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::hud::test_input::{click, frame};
    use egui::{Event, Pos2};
    use fabrik3d_scene::Scene;

    #[test]
    fn a_click_on_the_time_seeks_however_quick_it_is() {
        let file = crate::test_scenes::root().join("assets/models/two-joints.bvh");
        let session = Session::new(Scene::open(file).expect("reads"));
        let playback = session.motion().expect("has a clip");
        for x in [120.0, 180.0, 240.0_f32] {
            let at = Pos2::new(x, 12.0);
            let ([press, release], moved) = (click(at), Event::PointerMoved(at));
            let times = |frames: Vec<Vec<Event>>| {
                let (context, mut commands) = (egui::Context::default(), Vec::new());
                for events in frames {
                    frame(&context, vec2(320.0, 200.0), events, |ui| {
                        ui.set_width(300.0);
                        time(ui, playback, &mut commands);
                    });
                }
                let scrubbed = commands.into_iter().filter_map(|command| match command {
                    Command::Session(SessionCommand::Motion(MotionCommand::Scrub(time))) => Some(time),
                    _ => None,
                });
                scrubbed.collect::<Vec<_>>()
            };
            let start = || [vec![], vec![moved.clone()], vec![moved.clone()]].into_iter();
            let slow = times(start().chain([vec![press.clone()], vec![release.clone()], vec![]]).collect());
            let quick = times(start().chain([vec![press.clone(), release.clone()], vec![]]).collect());
            assert_eq!(quick.len(), 1, "at {x}");
            // A slow click rounds to what a pixel resolves.
            let last = slow.last().expect("a slow click seeks");
            assert!((quick[0] - last).abs() < 0.02 * playback.duration(), "at {x}: {quick:?} {slow:?}");
        }
    }
}
