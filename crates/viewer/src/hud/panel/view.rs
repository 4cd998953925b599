//! The sections about the view, files and warnings.

use crate::hud::help::keyed;
use crate::hud::info::Info;
use crate::hud::names::file_name;
use crate::hud::spoken::name_control;
use crate::hud::style::{AROUND, checkbox, quiet};
use crate::session::command::{AppCommand, CameraCommand, Content, DisplayCommand, PictureSize, Show, Theme};
use crate::session::numbers::percent;
use crate::session::{Command, FileCommand};
use crate::view::{Projection, Viewer};
use egui::{ComboBox, RichText, ScrollArea, Ui};
use std::borrow::Cow;
use std::path::Path;

/// Text sizes to choose from; others are set with `--font-scale`.
const TEXT_SIZES: [f32; 7] = [0.75, 0.875, 1.0, 1.125, 1.25, 1.5, 2.0];

/// Theme, text size, and visibility of drawn things.
pub(super) fn view(ui: &mut Ui, viewer: &Viewer, commands: &mut Vec<Command>) {
    let display = viewer.display();
    ui.horizontal(|ui| {
        for (name, theme) in Theme::NAMES {
            if ui.selectable_label(display.theme == theme, name).clicked() {
                commands.push(Command::Display(DisplayCommand::Theme(theme)));
            }
        }
        ui.separator();
        // Buttons for larger and smaller would move away under the pointer.
        let present = format!("text {}", percent(display.font_scale.into()));
        let sizes = ComboBox::from_id_salt("text").selected_text(present).show_ui(ui, |ui| {
            for scale in TEXT_SIZES {
                let is_present = (display.font_scale - scale).abs() < 1e-3;
                if ui.selectable_label(is_present, percent(scale.into())).clicked() {
                    commands.push(Command::Display(DisplayCommand::FontScale(scale)));
                }
            }
        });
        name_control(ui.ctx(), sizes.response.id, "Text size");
    });
    ui.horizontal_wrapped(|ui| {
        for (name, what) in Show::NAMES {
            let Some(meaning) = meaning(what) else { continue };
            let mut on = display.shows(what);
            if checkbox(ui, &mut on, name).on_hover_text(keyed(ui, meaning)).changed() {
                commands.push(Command::Display(DisplayCommand::Show(what, on)));
            }
        }
        let mut is_orthographic = viewer.camera().projection == Projection::Orthographic;
        let hint = "No perspective: what is far away is drawn as large as what is near ({camera.projection})";
        if checkbox(ui, &mut is_orthographic, "orthographic").on_hover_text(keyed(ui, hint)).changed() {
            commands.push(Command::Camera(CameraCommand::ToggleProjection));
        }
    });
}

/// What a switch of this section shows; none for those that are elsewhere.
fn meaning(what: Show) -> Option<&'static str> {
    Some(match what {
        Show::Grid => "Lines on the floor",
        Show::Axes => "Axes of the world: x red, y green, z blue",
        Show::Names => "Names of joints and effectors ({toggle names})",
        Show::Meshes => "Shows the meshes of the file. Off: joints and links ({toggle meshes})",
        Show::Limits => "Limits of the selected joint, and which joints are at a limit",
        Show::Trails => "Where the effectors have been",
        Show::Passes => "While the figure moves: where it is after each backward and forward pass ({toggle passes})",
        Show::Solutions => "All poses that meet the target ({toggle solutions}); {pose.next} goes to the next one",
        Show::Marks => "Targets, rings, handles, trails and limits ({toggle marks}): without them, the figures alone",
        Show::Reach => {
            "Where the effector can get ({toggle reach}). With joint limits it is estimated from sampled poses; without limits, and with \
             loops, it is what the lengths of the links allow"
        }
        Show::Shadows | Show::Hud | Show::Panel | Show::Help | Show::Profiler => return None,
    })
}

/// Warnings of the reader of the file.
pub(super) fn warnings(ui: &mut Ui, warnings: &[Cow<str>]) {
    for warning in warnings {
        ui.add(egui::Label::new(RichText::new(warning.as_ref()).small()).wrap());
    }
}

/// How large saved pictures are, and whether they have a background.
fn pictures(ui: &mut Ui, viewer: &Viewer, commands: &mut Vec<Command>) {
    let mut give = |command| commands.push(Command::Display(command));
    ui.horizontal(|ui| {
        ui.colored_label(quiet(ui), "Pictures");
        for (name, size) in PictureSize::NAMES {
            let is_chosen = viewer.display().picture_size == size;
            let hint = match size {
                PictureSize::Once => "As large as the window",
                PictureSize::Twice => "Twice as wide and as high as the window",
                PictureSize::FourK => "3840 pixels at the longer side",
            };
            if ui.selectable_label(is_chosen, name).on_hover_text(hint).clicked() {
                give(DisplayCommand::PictureSize(size));
            }
        }
        let mut on = viewer.display().transparent;
        let hint = "Without background and floor, for slides";
        if checkbox(ui, &mut on, "transparent").on_hover_text(hint).changed() {
            give(DisplayCommand::PictureTransparent(on));
        }
    });
}

/// Opening, saving, recording.
pub(super) fn file(ui: &mut Ui, viewer: &Viewer, info: &Info, commands: &mut Vec<Command>) {
    let mut give = |command| commands.push(Command::App(command));
    ui.horizontal_wrapped(|ui| {
        let film = if info.film.is_some() { "Stop film" } else { "Film" };
        for (name, hint, command) in [
            ("Open…", "Open a scene ({open}), or drop a file on the window", AppCommand::File(FileCommand::Open(None))),
            ("Save…", "Save the scene, or its pose alone ({save})", AppCommand::File(FileCommand::Save(None))),
            ("Reload", "Read the file again ({reload}). The pose stays", AppCommand::Reload),
            (
                "Picture",
                "Save a picture of the scene ({screenshot}), or of the window with its panels ({screenshot.window}). For the figure alone, first hide marks ({toggle marks}), grid ({toggle grid}) and axes ({toggle axes}).",
                AppCommand::Screenshot(Content::Scene, None),
            ),
            (
                film,
                "Record a film of the scene ({record}), or of the window with its panels ({record.window})",
                AppCommand::File(FileCommand::Record(Content::Scene, None)),
            ),
        ] {
            if ui.button(name).on_hover_text(keyed(ui, hint)).clicked() {
                give(command);
            }
        }
    });
    pictures(ui, viewer, commands);
    let mut give = |command| commands.push(Command::App(command));
    ui.menu_button("Examples", |ui| {
        ScrollArea::vertical().max_height(ui.ctx().content_rect().height() - AROUND).show(ui, |ui| {
            for card in &info.shelf.cards {
                let hint = format!("In a terminal: fabrik3d {}", card.path.display());
                if ui.button(&card.title).on_hover_text(hint).clicked() {
                    give(AppCommand::File(FileCommand::Open(Some(card.path.clone()))));
                    ui.close();
                }
            }
        });
    })
    .response
    .on_hover_text("Scenes that come with the program");
    if !info.shelf.recent.is_empty() {
        ui.colored_label(quiet(ui), RichText::new("Recent files").small());
    }
    for file in &info.shelf.recent {
        let is_alone = info.shelf.recent.iter().filter(|other| other.file_name() == file.file_name()).count() == 1;
        let folder = file.parent().and_then(Path::file_name).filter(|_| !is_alone).map(Path::new);
        let name = folder.unwrap_or(Path::new("")).join(&*file_name(file));
        let link = ui.link(name.to_string_lossy()).on_hover_text(file.display().to_string());
        if link.clicked() {
            give(AppCommand::File(FileCommand::Open(Some(file.clone()))));
        }
    }
}
