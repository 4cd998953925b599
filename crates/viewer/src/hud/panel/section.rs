//! A section of the side panel, and what a scene is opened for.

use crate::hud::help::keyed;
use crate::hud::spoken::name_part;
use crate::hud::style::MARGIN;
use crate::hud::toast::SHORT;
use crate::session::command::{DisplayCommand, Section};
use crate::session::{Command, Session};
use crate::view::Viewer;
use egui::{CollapsingHeader, Rect, RectAlign, Response, RichText, Tooltip, Ui};
use fabrik3d_ik::Kind;

/// What a scene is opened for, which decides what the panel shows at first.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(in crate::hud) enum SceneKind {
    /// To see how a chain is solved.
    Chain,
    /// To move the joints of a robot, and its tool.
    Robot,
    /// To pose a character, and to play its clips.
    Character,
}

impl SceneKind {
    /// Hinges and slides make a robot. A body that is worn by a skin, that moves, or that has several limbs with limits, is a
    /// character.
    pub fn of(session: &Session) -> Self {
        let scene = session.scene();
        let kinds = || (0..scene.skeleton.len()).map(|joint| scene.skeleton.kind(joint)).filter(|kind| kind.can_move());
        let (mut driven, mut limited) = (0, false);
        for kind in kinds() {
            driven += usize::from(matches!(kind, Kind::Hinge { .. } | Kind::Slide { .. }));
            limited |= matches!(kind, Kind::Ball { swing, twist } if swing.is_some() || twist.is_some());
        }
        let has_clips = || session.motion().is_some_and(|motion| motion.source.file.is_none());
        match () {
            () if 2 * driven > kinds().count() => SceneKind::Robot,
            () if !scene.assets.skins.is_empty() || has_clips() => SceneKind::Character,
            () if limited && scene.effectors.len() > 1 => SceneKind::Character,
            () if scene.assets.unknown_body.is_some() => SceneKind::Character,
            () => SceneKind::Chain,
        }
    }
}

/// Which pose the values of the joints are those of, where that may surprise.
pub(super) fn which_pose(session: &Session) -> Option<&'static str> {
    let scene = session.scene();
    let opens_bent = SceneKind::of(session) == SceneKind::Robot
        && scene.start != scene.skeleton.rest_pose()
        && scene.assets.without_targets;
    match session.lesson() {
        Some(_) => Some("The pose of the scene, not that of the lesson"),
        // It stays: a row that came and went would take the others from under the pointer.
        None => opens_bent.then_some("This robot opens bent, not with all joints at zero"),
    }
}

/// A section with its title, and whether it is open unless the user has chosen.
pub(super) fn section(
    ui: &mut Ui,
    viewer: &Viewer,
    (section, title, is_open): (Section, RichText, bool),
    commands: &mut Vec<Command>,
    content: impl FnOnce(&mut Ui, &mut Vec<Command>),
) {
    let is_open = viewer.display().section(section).unwrap_or(is_open);
    let spoken = title.text().to_owned();
    let header = CollapsingHeader::new(title).id_salt(section.name()).open(Some(is_open));
    let shown = header.show_unindented(ui, |ui| {
        name_part(ui, &spoken);
        content(ui, commands);
        ui.add_space(4.0);
    });
    if shown.header_response.clicked() {
        commands.push(Command::Display(DisplayCommand::Section(section, !is_open)));
    }
}

/// A hint at the left of the panel, where it covers no other row.
pub(super) fn hint(ui: &Ui, response: &Response, text: &str) {
    let row = Rect::from_x_y_ranges(ui.clip_rect().x_range(), response.rect.y_range());
    let mut tooltip = Tooltip::for_enabled(response).gap(MARGIN);
    tooltip.popup = tooltip.popup.anchor(row).align(RectAlign::LEFT);
    tooltip.show(|ui| ui.label(text));
}

/// A button that copies lines for a file, of which it says what they are. It tells when it has done so.
pub(super) fn copy_lines(ui: &mut Ui, (what, file): (&str, &str), lines: String, hint: &str) {
    let (now, copied) = (ui.input(|input| input.time), ui.id().with("copied"));
    let is_done = ui.data(|data| data.get_temp::<f64>(copied)).is_some_and(|time| now - time < SHORT);
    let text = if is_done { format!("Copied: paste into {file}") } else { format!("Copy {what} for {file}") };
    if ui.button(RichText::new(text).small()).on_hover_text(keyed(ui, hint)).clicked() {
        ui.ctx().copy_text(lines);
        ui.data_mut(|data| data.insert_temp(copied, now));
    }
}
