//! Rows of the commands to the camera, the display and the program.

use crate::session::command::command::Command::{App, Camera, Display};
use crate::session::command::row::*;
use crate::session::command::view::{
    AppCommand as A, CameraCommand as C, Content, DisplayCommand as D, FONT_SCALES, FileCommand as F, PANEL_WIDTHS,
    PictureSize, Section, Show, Theme, ViewPreset,
};

pub(in crate::session::command) const CAMERA: &[Row] = &[
    row("camera.orbit DYAW DPITCH", "orbit, degrees", "two angles in degrees: DYAW DPITCH", |a| {
        numbers(a).map(|[yaw, pitch]| Camera(C::Orbit(yaw, pitch)))
    }),
    row(
        "camera.pan DX DY",
        "pan, fractions of the picture's height",
        "two fractions of the picture's height: DX DY",
        |a| numbers(a).map(|[x, y]| Camera(C::Pan(x, y))),
    ),
    row(
        "camera.zoom F [X Y]",
        "zoom in F times, toward a point of the picture (-1..1)",
        "a positive factor and, optionally, a point of the picture: F [X Y]",
        |a| {
            let (first, point) = a.split_first()?;
            Some(Camera(C::Zoom(factor(&[first])?, optional(point, numbers)?)))
        },
    ),
    row(
        "camera.view SIDE",
        "look from front, back, left, right, top, bottom or iso",
        "front, back, right, left, top, bottom or iso",
        |a| named(&ViewPreset::NAMES, a).map(|side| Camera(C::View(side))),
    ),
    row(
        "camera.frame [selected]",
        "frame everything, or the selected figure",
        "no argument, or `selected`",
        |a| match a {
            [] => Some(Camera(C::Frame)),
            ["selected"] => Some(Camera(C::FrameSelected)),
            _ => None,
        },
    ),
    row("camera.focus X Y Z", "orbit around this point", "three numbers: X Y Z", |a| {
        vector(a).map(|point| Camera(C::Focus(point)))
    }),
    row(
        "camera.follow [on|off]",
        "go along with a figure that a recording moves",
        "on or off, or no argument to switch",
        |a| optional(a, switch).map(|on| Camera(C::Follow(on))),
    ),
    plain("camera.reset", "restore the opening view", Camera(C::Reset)),
    plain("camera.projection", "switch between perspective and orthographic projection", Camera(C::ToggleProjection)),
];

pub(in crate::session::command) const DISPLAY: &[Row] = &[
    row(
        "show WHAT on|off|xray",
        "grid, axes, names, meshes (xray: transparent, with the bones inside), limits, shadows, trails, marks (all of these and targets, rings, handles), reach, hud, panel, help, profiler",
        "what to show ({things}) and on or off; meshes also xray",
        |a| match a {
            ["meshes", "xray"] => Some(Display(D::XRay)),
            [what, state] => Some(Display(D::Show(named(&Show::NAMES, &[what])?, switch(&[state])?))),
            _ => None,
        },
    ),
    row("toggle WHAT", "show what is hidden, hide what is shown", "{things}", |a| {
        named(&Show::NAMES, a).map(|what| Display(D::Toggle(what)))
    }),
    row("theme dark|light", "choose the colours", "dark or light", |a| {
        named(&Theme::NAMES, a).map(|theme| Display(D::Theme(theme)))
    }),
    plain("links.next", "the next style of links", Display(D::NextLinkStyle)),
    plain("axes.next", "the next axes along which keys move the target", Display(D::NextMotionAxes)),
    row("font.scale FACTOR", "size of the text", "a factor from 0.25 to 8", |a| {
        one_of(a, FONT_SCALES).map(|scale| Display(D::FontScale(scale)))
    }),
    row("panel.width WIDTH", "width of the side panel, points", "a width from 230 to 520", |a| {
        one_of(a, PANEL_WIDTHS).map(|width| Display(D::PanelWidth(width)))
    }),
    row(
        "picture.size 1x|2x|4k",
        "size of saved pictures: that of the window, twice as wide and high, or 3840 pixels at the longer side",
        "1x, 2x or 4k",
        |a| named(&PictureSize::NAMES, a).map(|size| Display(D::PictureSize(size))),
    ),
    row("picture.transparent on|off", "whether saved pictures have a transparent background", "on or off", |a| {
        switch(a).map(|on| Display(D::PictureTransparent(on)))
    }),
    row(
        "panel.section NAME on|off",
        "open or close a section of the side panel: target, more-target, motion, joints, error, more-error, solver, view, file, warnings",
        "the name of a section ({sections}) and on or off",
        |a| match a {
            [name, state] => Some(Display(D::Section(named(&Section::NAMES, &[name])?, switch(&[state])?))),
            _ => None,
        },
    ),
];

const FILE: &str = "a file name, in quotation marks if it contains blanks, or no argument";

pub(in crate::session::command) const APP: &[Row] = &[
    row("screenshot [FILE]", "save a picture of the scene without panels", FILE, |a| {
        optional(a, file).map(|file| App(A::Screenshot(Content::Scene, file)))
    }),
    row("screenshot.window [FILE]", "save a picture of the window with its panels", FILE, |a| {
        optional(a, file).map(|file| App(A::Screenshot(Content::Window, file)))
    }),
    row("open [FILE]", "open a scene; without a name: ask for one", FILE, |a| {
        optional(a, file).map(|file| App(A::File(F::Open(file))))
    }),
    row("save [FILE]", "save the scene", FILE, |a| optional(a, file).map(|file| App(A::File(F::Save(file))))),
    row("record [FILE]", "start a film of the scene without panels, or end a film", FILE, |a| {
        optional(a, file).map(|file| App(A::File(F::Record(Content::Scene, file))))
    }),
    row("record.window [FILE]", "start a film of the window with its panels, or end a film", FILE, |a| {
        optional(a, file).map(|file| App(A::File(F::Record(Content::Window, file))))
    }),
    plain("reload", "read the scene file again and keep the pose", App(A::Reload)),
    row("dismiss [NUMBER]", "dismiss one message, or all", "the number of a message, or no argument", |a| {
        optional(a, |a| one(a)?.parse().ok()).map(|number| App(A::Dismiss(number)))
    }),
    plain("messages", "show the last messages again", App(A::Messages)),
    plain("palette", "find a command by words and carry it out", App(A::Palette)),
    plain("panels.keys", "give the keys to the panels, or take them back", App(A::Panels)),
    plain("fullscreen", "switch to full screen or back", App(A::Fullscreen)),
    plain("cancel", "what Esc does", App(A::Cancel)),
    plain("quit", "end the program", App(A::Quit)),
];
