//! What assistive technology reads out of the panels. egui exports a tree of them while somebody asks for it, and only then;
//! without, all of this does nothing.

use egui::accesskit::{Action, Live, Node, NodeId, Role, TreeUpdate};
use egui::{Context, Id, Response, Ui};
use std::collections::HashMap;

/// Names a control whose text says too little, or a part of a panel. In a part, controls without a text are called as it is.
pub fn name_control(context: &Context, id: Id, name: &str) {
    context.accesskit_node_builder(id, |node| node.set_label(name));
}

/// Names a part of a panel.
pub(super) fn name_part(ui: &Ui, text: &str) {
    ui.ctx().accesskit_node_builder(ui.unique_id(), |node| node.set_role(Role::Group));
    name_control(ui.ctx(), ui.unique_id(), text);
}

/// Names a control by what a hint says first.
pub(super) fn name_by_hint(response: &Response, hint: &str) {
    let first = hint.split([':', ';', '.', ',']).next().unwrap_or(hint);
    name_control(&response.ctx, response.id, first.split(" (").next().unwrap_or(first));
}

/// The text of a label is read out whenever it changes: at once, or politely, when nothing else is being read.
pub(super) fn read_changes(response: &Response, live: Live) {
    response.ctx.accesskit_node_builder(response.id, |node| node.set_live(live));
}

/// Gives the controls that have no name of their own that of the part of a panel in which they are. To be called with what
/// egui exports, before it is passed on.
pub fn name_controls(update: &mut TreeUpdate) {
    let children = |(id, node): &(NodeId, Node)| node.children().iter().map(|child| (*child, *id)).collect::<Vec<_>>();
    let parents: HashMap<NodeId, NodeId> = update.nodes.iter().flat_map(children).collect();
    let names: HashMap<NodeId, String> =
        update.nodes.iter().filter_map(|(id, node)| Some((*id, label(node)?.to_owned()))).collect();
    for (id, node) in &mut update.nodes {
        let is_nameless = label(node).is_none() && node.labelled_by().is_empty() && node.role() != Role::Label;
        if is_nameless && node.supports_action(Action::Focus) {
            let mut around = std::iter::successors(parents.get(id), |id| parents.get(id));
            if let Some(name) = around.find_map(|id| names.get(id)) {
                node.set_label(name.as_str());
            }
        }
    }
}

fn label(node: &Node) -> Option<&str> {
    node.label().filter(|label| !label.is_empty())
}
