//! Colours and text sizes of the panels, and where they are.

use crate::session::command::Theme;
use crate::view::frame::Color;
use egui::style::HandleShape;
use egui::text::{LayoutJob, TextFormat};
use egui::{
    Align, Align2, Button, Color32, CornerRadius, FontDefinitions, FontFamily, FontId, Margin, Pos2, Rect, Response,
    Sense, Shape, Slider, Stroke, StrokeKind, TextStyle, Ui, Visuals, pos2, vec2,
};
use egui_plot::Plot;

/// Fonts of the panels. The proportional family falls back to the fonts of the monospace family.
fn fonts() -> FontDefinitions {
    let mut fonts = FontDefinitions::default();
    let monospace = fonts.families.get(&FontFamily::Monospace).cloned().unwrap_or_default();
    let proportional = fonts.families.entry(FontFamily::Proportional).or_default();
    let missing: Vec<String> = monospace.into_iter().filter(|font| !proportional.contains(font)).collect();
    proportional.extend(missing);
    fonts
}

/// Applies a theme to the panels, whatever theme the system has. Call it before each pass; it does nothing if the theme is
/// unchanged.
pub fn apply_theme(context: &egui::Context, theme: Theme) {
    let id = egui::Id::new("theme of the panels");
    match context.data(|data| data.get_temp::<Theme>(id)) {
        Some(current) if current == theme => return,
        Some(_) => {}
        None => context.set_fonts(fonts()),
    }
    context.data_mut(|data| data.insert_temp(id, theme));
    context.set_theme(match theme {
        Theme::Dark => egui::Theme::Dark,
        Theme::Light => egui::Theme::Light,
    });
    context.set_visuals(visuals(theme));
    context.style_mut(|style| {
        for (kind, size) in [
            (TextStyle::Heading, 16.0),
            (TextStyle::Body, 13.0),
            (TextStyle::Button, 13.0),
            (TextStyle::Monospace, 12.5),
            (TextStyle::Small, 11.0),
        ] {
            let family = if kind == TextStyle::Monospace { FontFamily::Monospace } else { FontFamily::Proportional };
            style.text_styles.insert(kind, FontId::new(size, family));
        }
        style.spacing.item_spacing = vec2(8.0, 5.0);
        style.spacing.window_margin = Margin::same(MARGIN as i8);
        style.spacing.scroll = egui::style::ScrollStyle::thin();
        style.spacing.scroll.floating_width = 4.0;
        style.spacing.scroll.foreground_color = true;
        style.spacing.scroll.dormant_handle_opacity = 0.5;
        style.spacing.scroll.dormant_background_opacity = 0.0;
        style.interaction.selectable_labels = false;
        style.animation_time = 0.0;
    });
}

fn visuals(theme: Theme) -> Visuals {
    let rgb = Color32::from_rgb;
    let (mut visuals, fill, edge, text) = match theme {
        Theme::Dark => {
            let fill = Color32::from_rgba_unmultiplied(28, 32, 39, 228);
            (Visuals::dark(), fill, rgb(62, 69, 80), rgb(226, 230, 236))
        }
        Theme::Light => {
            let fill = Color32::from_rgba_unmultiplied(252, 253, 255, 236);
            (Visuals::light(), fill, rgb(208, 214, 222), rgb(34, 40, 49))
        }
    };
    visuals.warn_fg_color = WARNING;
    if theme == Theme::Light {
        // On white, the orange of the palette cannot be read.
        visuals.warn_fg_color = rgb(160, 94, 0);
        visuals.hyperlink_color = rgb(0, 94, 148);
        // Fields for text would have no edge on white panels, and empty boxes would not be seen.
        visuals.extreme_bg_color = rgb(236, 239, 243);
        visuals.widgets.inactive.bg_fill = rgb(196, 203, 212);
    }
    // Menus and tooltips cover panels, whose text would shine through.
    visuals.window_fill = fill.to_opaque();
    visuals.panel_fill = fill;
    visuals.window_stroke = Stroke::new(EDGE, edge);
    visuals.window_corner_radius = CornerRadius::same(8);
    visuals.window_shadow = egui::Shadow::NONE;
    let widgets = &mut visuals.widgets;
    for look in [
        &mut widgets.noninteractive,
        &mut widgets.inactive,
        &mut widgets.hovered,
        &mut widgets.active,
        &mut widgets.open,
    ] {
        look.fg_stroke.color = text;
    }
    visuals.selection.bg_fill = Color32::from_rgb(0, 114, 178);
    visuals.selection.stroke.color = Color32::WHITE;
    visuals.slider_trailing_fill = true;
    visuals
}

/// The frame of a panel, through which the picture shines.
pub(super) fn panel_frame(context: &egui::Context) -> egui::Frame {
    let style = context.style();
    egui::Frame::window(&style).fill(style.visuals.panel_fill)
}

/// A panel without a title bar that stays at its place. Only assistive technology is told its title.
pub(super) fn fixed_window(name: &str, place: Align2, offset: [f32; 2], frame: egui::Frame) -> egui::Window<'_> {
    let title = PANELS.into_iter().find(|(id, _)| *id == name).map_or(name, |(_, title)| title);
    let window = egui::Window::new(title).id(egui::Id::new(name)).title_bar(false).resizable(false).movable(false);
    window.anchor(place, offset).frame(frame)
}

/// Frames a field for text that has the focus. Its own frame is as white as selected letters, and not seen on light panels.
pub fn frame_focus(ui: &Ui, field: &Response) {
    if field.has_focus() {
        let stroke = Stroke::new(1.0, ui.visuals().selection.bg_fill);
        ui.painter().rect_stroke(field.rect, ui.visuals().widgets.active.corner_radius, stroke, StrokeKind::Inside);
    }
}

/// Space between panels, between a panel and the edges of the picture, and between columns, points.
pub(super) const MARGIN: f32 = 12.0;
/// Space between parts that belong together, points.
pub(super) const TIGHT: f32 = 4.0;
/// Width that frame and margins add to the content of a panel, points.
pub(super) const AROUND: f32 = 4.0 * MARGIN + 2.0 * EDGE;
/// Width of the edge of a panel, points.
const EDGE: f32 = 1.0;
/// Width beside what scrolls, for its bar, points.
pub(super) const SCROLL_BAR: f32 = 12.0;
/// In pictures narrower or lower than this, points, panels show only the essentials.
pub(super) const SMALL: egui::Vec2 = vec2(600.0, 400.0);
/// Minimum width of a picture beside the side panel for the panels on the left and the figure, points. A narrower one has room for
/// the essentials alone, or for the side panel alone.
pub(super) const BESIDE_PANEL: f32 = 500.0;
/// Width of a panel in the middle of a picture, points.
pub(super) const CENTERED_WIDTH: f32 = 620.0;

/// What is right, of the palette of Okabe and Ito.
pub(super) const GOOD: Color32 = Color32::from_rgb(0, 158, 115);
/// What asks for attention.
pub(super) const WARNING: Color32 = Color32::from_rgb(230, 159, 0);
/// What failed.
pub(super) const BAD: Color32 = Color32::from_rgb(213, 94, 0);

/// Factor of the channels of coloured words on light panels. Test: `words_of_all_states_can_be_read`.
const ON_LIGHT: f32 = 0.62;

/// The colour of a word of this colour: darker on light panels.
pub(super) fn legible(visuals: &Visuals, color: Color32) -> Color32 {
    if visuals.dark_mode {
        return color;
    }
    let [r, g, b, _] = color.to_array().map(|channel| (f32::from(channel) * ON_LIGHT) as u8);
    Color32::from_rgb(r, g, b)
}

/// A colour of the picture in the panels.
pub(super) fn color32([r, g, b, _]: Color) -> Color32 {
    Color32::from_rgb(r, g, b)
}

/// A round mark in a row.
pub(super) fn dot(ui: &mut Ui, color: Color32) {
    let (place, _) = ui.allocate_exact_size(vec2(9.0, 9.0), Sense::hover());
    ui.painter().circle_filled(place.center(), 4.0, color);
}

pub(super) fn still_plot(name: &str, height: f32) -> Plot<'_> {
    Plot::new(name)
        .height(height)
        .show_background(false)
        .show_x(false)
        .show_y(false)
        .allow_drag(false)
        .allow_zoom(false)
        .allow_scroll(false)
        .allow_boxed_zoom(false)
        .allow_double_click_reset(false)
        .set_margin_fraction(vec2(0.02, 0.04))
}

/// Opacity of the edge of a box. Test: `the_edge_of_an_empty_box_is_seen`.
const BOX_EDGE: f32 = 0.6;

/// The edge of a box on panels of this look: its ground alone is too close to theirs.
fn box_edge(visuals: &Visuals) -> Stroke {
    Stroke::new(1.0, visuals.text_color().gamma_multiply(BOX_EDGE))
}

/// A box to check, with an edge.
pub(super) fn checkbox(ui: &mut Ui, on: &mut bool, text: &str) -> Response {
    let edge = box_edge(ui.visuals());
    let before = std::mem::replace(&mut ui.visuals_mut().widgets.inactive.bg_stroke, edge);
    let response = ui.checkbox(on, text);
    ui.visuals_mut().widgets.inactive.bg_stroke = before;
    response
}

/// A blank at which no line breaks.
pub(super) const NO_BREAK: &str = "\u{a0}";

/// The format of what is beside keys in a text of several lines.
pub(super) fn beside_keys(ui: &Ui, color: Color32) -> TextFormat {
    // The grounds of the keys in two lines stay apart.
    let height = ui.text_style_height(&TextStyle::Body) + TIGHT;
    let text = TextFormat::simple(TextStyle::Body.resolve(ui.style()), color);
    TextFormat { line_height: Some(height), valign: Align::TOP, ..text }
}

/// Appends the name of a key on a ground of its own, so that a key such as the comma is no punctuation.
pub(super) fn key_cap(ui: &Ui, name: &str, job: &mut LayoutJob) {
    job.append(&format!("{NO_BREAK}{}{NO_BREAK}", name.replace(' ', NO_BREAK)), 0.0, key_format(ui, 1.0));
}

/// The text of a key, with a ground that is larger by this much.
fn key_format(ui: &Ui, expand_bg: f32) -> TextFormat {
    let color = ui.visuals().text_color();
    let text = TextFormat::simple(TextStyle::Body.resolve(ui.style()), color);
    TextFormat { background: color.gamma_multiply(0.18), expand_bg, valign: Align::TOP, ..text }
}

/// A button with its key, if one is bound.
pub fn key_button<'a>(ui: &Ui, text: &'a str, key: Option<&str>) -> Button<'a> {
    with_key(ui, Button::new(text), key)
}

/// The same for any button.
pub(super) fn with_key<'a>(ui: &Ui, button: Button<'a>, key: Option<&str>) -> Button<'a> {
    if let Some(key) = key { button.shortcut_text(key_box(ui, key)) } else { button }
}

/// The name of a key alone, on its ground, which takes no room in a row.
pub(super) fn key_box(ui: &Ui, name: &str) -> LayoutJob {
    LayoutJob::single_section(name.to_owned(), key_format(ui, 3.0))
}

/// Colour of secondary text.
pub(super) fn quiet(ui: &Ui) -> Color32 {
    ui.visuals().text_color().gamma_multiply(0.74)
}

/// All panels that are not messages, with their titles.
const PANELS: [(&str, &str); 7] = [
    ("status", "Status"),
    ("panel", "Side panel"),
    ("panel-tab", "Closed side panel"),
    ("lesson", "Lesson"),
    ("race", "Comparison"),
    ("profiler", "Profiler"),
    ("welcome", "Welcome"),
];

/// Rectangles of all visible panels.
pub(super) fn panel_areas(context: &egui::Context) -> Vec<Rect> {
    PANELS.iter().filter_map(|(name, _)| panel_area(context, name)).collect()
}

/// Rectangle of the panel with this name, if it is visible.
pub(super) fn panel_area(context: &egui::Context, name: &str) -> Option<Rect> {
    context.memory(|memory| {
        let area = memory.areas().visible_layer_ids().into_iter().find(|layer| layer.id == egui::Id::new(name))?;
        memory.area_rect(area.id)
    })
}

/// Lays out again before drawing where the size of a panel has changed: its place, and what it clips, depend on the size before.
pub(super) fn settle(context: &egui::Context, before: Option<Rect>, now: Option<Rect>) {
    let sizes = [before, now].map(|rect| rect.map(|rect| rect.size()));
    if let [Some(before), Some(now)] = sizes
        && (now - before).length() >= 0.5
    {
        context.request_discard("the size of a panel changed");
    }
}

/// Width of the mark of a joint at a limit, points.
const LIMIT_MARK: f32 = 9.0;

/// A diamond, which also marks the joint in the picture.
pub(super) fn limit_mark(ui: &mut Ui, color: Color32) {
    let (place, mark) = ui.allocate_exact_size(vec2(LIMIT_MARK, LIMIT_MARK), Sense::hover());
    diamond(ui, place.center(), color);
    mark.on_hover_text("at a limit");
}

/// Adds a slider. If its value is at a limit, at the right end or the left one, its trail has this colour, and its handle a
/// diamond, which takes no room.
pub(super) fn add_slider(ui: &mut Ui, slider: Slider<'_>, right_end: Option<bool>, color: Color32) -> Response {
    // Always in a part of its own, so that egui knows the slider again where it comes to a limit in a drag.
    let add = |ui: &mut Ui| {
        let Some(is_right) = right_end else { return ui.add(slider) };
        ui.visuals_mut().selection.bg_fill = color;
        let slider = ui.add(slider);
        let aspect = match ui.visuals().handle_shape {
            HandleShape::Circle => 1.0,
            HandleShape::Rect { aspect_ratio } => aspect_ratio,
        };
        // egui's handles are this large.
        let inset = aspect * slider.rect.height() / 2.5;
        let x = if is_right { slider.rect.right() - inset } else { slider.rect.left() + inset };
        diamond(ui, pos2(x, slider.rect.center().y), color);
        slider
    };
    ui.scope(add).inner
}

fn diamond(ui: &Ui, center: Pos2, color: Color32) {
    let corners = [vec2(0.0, -4.5), vec2(4.0, 0.0), vec2(0.0, 4.5), vec2(-4.0, 0.0)];
    let corners = corners.map(|corner| center + corner).to_vec();
    ui.painter().add(Shape::closed_line(corners, Stroke::new(1.3, color)));
}

#[cfg(test)]
mod tests {
    use super::*;

    /// All characters in the sources of panels, labels and messages: ASCII, and every other character found there.
    fn signs() -> Vec<char> {
        let mut signs: Vec<char> = (' '..='~').collect();
        let mut folders = ["src", "crates/viewer/src"].map(|folder| crate::test_scenes::root().join(folder)).to_vec();
        while let Some(folder) = folders.pop() {
            for entry in std::fs::read_dir(folder).expect("sources") {
                let path = entry.expect("an entry").path();
                if path.is_dir() {
                    folders.push(path);
                    continue;
                }
                let text = std::fs::read_to_string(path).expect("text");
                let program = text.split("#[cfg(test)]").next().unwrap_or_default();
                let code = program.lines().filter(|line| !line.trim_start().starts_with("//"));
                signs.extend(code.flat_map(str::chars).filter(|sign| !sign.is_ascii()));
            }
        }
        signs.sort_unstable();
        signs.dedup();
        signs
    }

    #[test]
    fn panels_have_the_theme_of_the_program_whatever_the_system_has() {
        for system_theme in [None, Some(egui::Theme::Dark), Some(egui::Theme::Light)] {
            let context = egui::Context::default();
            for theme in [Theme::Dark, Theme::Light, Theme::Dark] {
                apply_theme(&context, theme);
                for _ in 0..2 {
                    let input = egui::RawInput { system_theme, ..egui::RawInput::default() };
                    let _ = context.run(input, |_| {});
                    assert_eq!(context.style().visuals, visuals(theme), "{system_theme:?}");
                    let body = context.style().text_styles[&TextStyle::Body].size;
                    assert_eq!(body, 13.0, "{system_theme:?}");
                }
            }
        }
    }

    #[test]
    fn every_character_has_a_glyph_in_every_font() {
        let signs = signs();
        assert!(signs.len() > 100, "{signs:?}");
        for theme in [Theme::Dark, Theme::Light] {
            let context = egui::Context::default();
            apply_theme(&context, theme);
            let _ = context.run(egui::RawInput::default(), |_| {});
            let style = context.style();
            for (kind, font) in &style.text_styles {
                let missing = |sign: &char| !context.fonts_mut(|fonts| fonts.has_glyph(font, *sign));
                let missing: String = signs.iter().copied().filter(missing).collect();
                assert_eq!(missing, "", "{kind:?}");
            }
        }
    }

    /// Relative luminance, WCAG 2.2.
    fn luminance(color: Color32) -> f64 {
        let linear = |channel: u8| match f64::from(channel) / 255.0 {
            low if low <= 0.04045 => low / 12.92,
            high => ((high + 0.055) / 1.055).powf(2.4),
        };
        0.2126 * linear(color.r()) + 0.7152 * linear(color.g()) + 0.0722 * linear(color.b())
    }

    #[test]
    fn the_edge_of_an_empty_box_is_seen() {
        for theme in [Theme::Dark, Theme::Light] {
            let visuals = visuals(theme);
            let ground = visuals.panel_fill.to_opaque();
            let edge = luminance(ground.blend(box_edge(&visuals).color));
            let behind = luminance(ground);
            let contrast = (edge.max(behind) + 0.05) / (edge.min(behind) + 0.05);
            assert!(contrast >= 3.0, "{theme:?}: {contrast}");
        }
    }

    #[test]
    fn words_of_all_states_can_be_read() {
        for theme in [Theme::Dark, Theme::Light] {
            let visuals = visuals(theme);
            let behind = luminance(visuals.panel_fill.to_opaque());
            for color in [GOOD, WARNING, BAD] {
                let own = luminance(legible(&visuals, color));
                let contrast = (own.max(behind) + 0.05) / (own.min(behind) + 0.05);
                assert!(contrast > 4.0, "{theme:?}, {color:?}: {contrast}");
            }
        }
    }
}
