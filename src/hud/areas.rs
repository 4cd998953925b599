//! Where the panels are.

/// Names of all panels that stay.
const PANELS: [&str; 6] = ["status", "panel", "panel-tab", "lesson", "race", "profiler"];

/// Where the panels are that stay.
pub(super) fn panels(context: &egui::Context) -> Vec<egui::Rect> {
    PANELS.iter().filter_map(|name| shown(context, name)).collect()
}

/// Where the panel of this name is, if it is shown.
pub(super) fn shown(context: &egui::Context, name: &str) -> Option<egui::Rect> {
    context.memory(|memory| {
        let area = memory.areas().visible_layer_ids().into_iter().find(|layer| layer.id == egui::Id::new(name))?;
        memory.area_rect(area.id)
    })
}
