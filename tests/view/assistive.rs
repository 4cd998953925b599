//! What assistive technology is told of the panels: the tree that egui exports.

use super::hud_layout::{MODES, full_info, viewer, with_sections};
use egui::accesskit::{Action, Live, Node, NodeId, Role, TreeUpdate};
use egui::{Context, Event, FullOutput, Key, Modifiers, Pos2, RawInput, Rect, vec2};
use fabrik3d_scene::Scene;
use fabrik3d_viewer::hud::{Info, apply_theme, hud, name_controls};
use fabrik3d_viewer::session::command::Show;
use fabrik3d_viewer::view::{Display, Viewer};
use std::collections::{BTreeSet, HashMap, HashSet};

const SIZE: egui::Vec2 = vec2(1280.0, 720.0);

/// Panels over a picture, as assistive technology gets to know them.
struct Told {
    context: Context,
    viewer: Viewer,
    info: Info,
}

impl Told {
    /// A scene after some commands, with everything open that can be.
    fn of(file: &str, commands: &[&str]) -> Self {
        let scene = Scene::open(format!("{}/assets/{file}", env!("CARGO_MANIFEST_DIR"))).expect("reads");
        let display = with_sections(Display::default().with(Show::Panel, true).with(Show::Profiler, true), true);
        let viewer = viewer(&scene, commands, SIZE, display);
        let context = Context::default();
        context.enable_accesskit();
        apply_theme(&context, viewer.display().theme);
        let mut told = Told { context, viewer, info: full_info() };
        (0..4).for_each(|_| drop(told.tree(&[])));
        told
    }

    /// The tree after these keys.
    fn tree(&mut self, keys: &[Key]) -> Tree {
        let mut update = self.output(keys).platform_output.accesskit_update.expect("is asked for");
        name_controls(&mut update);
        Tree::new(update)
    }

    fn output(&mut self, keys: &[Key]) -> FullOutput {
        let press = |key: &Key| Event::Key {
            key: *key,
            physical_key: None,
            pressed: true,
            repeat: false,
            modifiers: Modifiers::NONE,
        };
        let screen_rect = Some(Rect::from_min_size(Pos2::ZERO, SIZE));
        let input = RawInput { screen_rect, events: keys.iter().map(press).collect(), ..RawInput::default() };
        self.context.run(input, |context| drop(hud(context, &self.viewer, &self.info, |_| None)))
    }
}

/// What egui tells.
struct Tree {
    nodes: HashMap<NodeId, Node>,
    parents: HashMap<NodeId, NodeId>,
    focus: NodeId,
}

impl Tree {
    fn new(update: TreeUpdate) -> Self {
        let nodes: HashMap<NodeId, Node> = update.nodes.into_iter().collect();
        let children =
            |(id, node): (&NodeId, &Node)| node.children().iter().map(|child| (*child, *id)).collect::<Vec<_>>();
        let parents = nodes.iter().flat_map(children).collect();
        Tree { nodes, parents, focus: update.focus }
    }

    /// What a node is called: by itself, or by its label.
    fn name(&self, node: &Node) -> String {
        let labels = node.labelled_by().iter().filter_map(|id| self.nodes.get(id)?.value());
        let own = node.label().or(node.value().filter(|_| node.role() == Role::Label));
        own.map_or_else(|| labels.collect::<Vec<_>>().join(" "), str::to_owned)
    }

    /// The names of everything that a node is in, the outermost last.
    fn around(&self, id: NodeId) -> Vec<String> {
        let ids = std::iter::successors(Some(id), |id| self.parents.get(id).copied());
        ids.filter_map(|id| Some(self.name(self.nodes.get(&id)?))).filter(|name| !name.is_empty()).collect()
    }

    fn focusable(&self) -> impl Iterator<Item = (NodeId, &Node)> {
        self.nodes.iter().filter(|(_, node)| node.supports_action(Action::Focus)).map(|(id, node)| (*id, node))
    }
}

/// What people set or press. All else that can be focused is there for the pointer, or is read only.
const CONTROLS: [Role; 6] =
    [Role::Button, Role::CheckBox, Role::ComboBox, Role::Slider, Role::SpinButton, Role::TextInput];

#[test]
fn every_control_has_a_name_which_tells_it_from_all_others() {
    for (mode, file, commands) in MODES {
        let tree = Told::of(file, commands).tree(&[]);
        let mut known = HashSet::new();
        for (id, node) in tree.focusable() {
            let name = tree.name(node);
            assert!(name.chars().any(char::is_alphanumeric), "{mode}: {name:?} in {:?}: {node:?}", tree.around(id));
            if CONTROLS.contains(&node.role()) {
                let is_new = known.insert((node.role(), tree.around(id)));
                assert!(is_new, "{mode}: another {:?} is called {:?}", node.role(), tree.around(id));
            }
        }
        assert!(known.len() >= 3, "{mode}: {known:?}");
    }
}

#[test]
fn the_keyboard_reaches_every_panel() {
    for (mode, file, commands) in MODES {
        let mut told = Told::of(file, commands);
        let tree = told.tree(&[]);
        let panel = |tree: &Tree, id: NodeId| tree.around(id).last().cloned().unwrap_or_default();
        let all: BTreeSet<String> = tree.focusable().map(|(id, _)| panel(&tree, id)).collect();
        let (mut reached, mut seen) = (BTreeSet::new(), HashSet::new());
        loop {
            let tree = told.tree(&[Key::Tab]);
            // Between the last control and the first one, none has the focus.
            if tree.parents.contains_key(&tree.focus) {
                if !seen.insert(tree.focus) {
                    break;
                }
                reached.insert(panel(&tree, tree.focus));
            }
        }
        assert_eq!(reached, all, "{mode}");
        assert!(reached.contains("Messages") && reached.len() > 1, "{mode}: {reached:?}");
    }
}

#[test]
fn changes_of_the_status_and_messages_are_read_out_and_nothing_that_changes_all_the_time() {
    for (mode, file, commands) in MODES {
        let mut told = Told::of(file, commands);
        let live = |tree: &Tree, which: Live| {
            let texts = tree.nodes.iter().filter(|(_, node)| node.live() == Some(which));
            texts.map(|(id, node)| (tree.name(node), tree.around(*id))).collect::<BTreeSet<_>>()
        };
        let tree = told.tree(&[]);
        let [polite, at_once] = [Live::Polite, Live::Assertive].map(|which| live(&tree, which));
        let is_in = |panel: &str, texts: &BTreeSet<(String, Vec<String>)>| {
            texts.iter().any(|(_, around)| around.iter().any(|name| name == panel))
        };
        assert!(is_in("Messages", &at_once), "{mode}: {at_once:?}");
        let has_state = tree.nodes.values().any(|node| tree.name(node) == "Status") && !mode.contains("lesson");
        let has_state = has_state && *mode != "a motion";
        assert!(!has_state || is_in("Status", &polite), "{mode}: {polite:?}");
        told.info.frame_seconds = Some(0.031);
        told.info.draw_seconds = 0.011;
        let later = told.tree(&[]);
        assert_eq!(live(&later, Live::Polite), polite, "{mode}");
    }
}

#[test]
fn panels_describe_themselves_only_while_somebody_asks() {
    let mut told = Told::of("scenes/demo.toml", &[]);
    let mut is_told = |on: bool| {
        if on {
            told.context.enable_accesskit()
        } else {
            told.context.disable_accesskit()
        }
        told.output(&[]).platform_output.accesskit_update.is_some()
    };
    assert_eq!([is_told(false), is_told(true), is_told(false)], [false, true, false]);
}
