//! Positions of the panels.

/// Names of all panels that are not messages.
const PANELS: [&str; 7] = ["status", "panel", "panel-tab", "lesson", "race", "profiler", "welcome"];

/// Rectangles of all visible panels.
pub(super) fn panels(context: &egui::Context) -> Vec<egui::Rect> {
    PANELS.iter().filter_map(|name| shown(context, name)).collect()
}

/// Rectangle of the panel with this name, if it is visible.
pub(super) fn shown(context: &egui::Context, name: &str) -> Option<egui::Rect> {
    context.memory(|memory| {
        let area = memory.areas().visible_layer_ids().into_iter().find(|layer| layer.id == egui::Id::new(name))?;
        memory.area_rect(area.id)
    })
}
