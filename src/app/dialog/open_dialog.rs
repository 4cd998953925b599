//! An open file dialog: what it lists, what is typed, and what Enter does.

use super::folder::{
    Entry, FileDialogKind, completed, entries, matches, name_to_save, parted, path_to_save, resolved, trail,
};
use directories::UserDirs;
use egui::text::{CCursor, CCursorRange};
use egui::{Key, Modifiers, RichText, ScrollArea, TextEdit, Ui, Vec2};
use fabrik3d_scene::FileFormat;
use fabrik3d_viewer::hud::{file_name, frame_focus, name_control, taken_letters};
use std::path::{Component, Path, PathBuf};

/// Largest size of the dialog, its distance from the edges of the window, and the height of everything except the list, points.
const SIZE: Vec2 = Vec2::new(640.0, 440.0);
const AROUND: Vec2 = Vec2::new(48.0, 48.0);
const BESIDES_LIST: f32 = 170.0;
const MIN_LIST: f32 = 44.0;
/// In dialogs lower than this, points, saving takes a typed name only: without folders, formats and list.
const LOW: f32 = 230.0;

/// An open dialog: a folder, and what is typed.
#[derive(Debug)]
pub(in crate::app) struct OpenDialog {
    pub(super) kind: FileDialogKind,
    folder: PathBuf,
    name: String,
    /// The name that the dialog opened with.
    suggestion: Option<String>,
    /// The folder whose entries are listed: `folder`, or the one that the typed text names.
    listed: PathBuf,
    entries: Vec<Entry>,
    /// The entry that the arrow keys have chosen, as an index into the shown ones.
    chosen: Option<usize>,
    /// Why the last choice was not possible.
    problem: Option<String>,
    /// The path of which the dialog has warned, and which the next confirmation takes.
    warned: Option<PathBuf>,
}

#[derive(Debug, PartialEq)]
pub(super) enum Answer {
    Chosen(PathBuf),
    Cancelled,
}

impl OpenDialog {
    pub(super) fn new(kind: FileDialogKind, current: Option<&Path>) -> Self {
        let parent = current.and_then(Path::parent).filter(|folder| !folder.as_os_str().is_empty());
        let folder = parent.unwrap_or(Path::new("."));
        let has_detours = folder.components().any(|part| part == Component::ParentDir);
        let whole = if has_detours { folder.canonicalize() } else { std::path::absolute(folder) };
        let folder = whole.unwrap_or_else(|_| folder.to_owned());
        let suggestion = (kind == FileDialogKind::Save).then(|| name_to_save(current));
        let mut dialog = OpenDialog {
            kind,
            folder,
            name: suggestion.clone().unwrap_or_default(),
            suggestion,
            listed: PathBuf::new(),
            entries: Vec::new(),
            chosen: None,
            problem: None,
            warned: None,
        };
        dialog.list_entries();
        dialog
    }

    /// Lays out the dialog. `kept`: what a file with this name would hold of the scene.
    pub(super) fn contents(&mut self, ui: &mut Ui, kept: impl Fn(&Path) -> Option<String>) -> Option<Answer> {
        let room = (ui.ctx().content_rect().size() - AROUND).min(SIZE);
        let room = Vec2::new(room.x.min(ui.available_width()), room.y);
        ui.set_width(room.x);
        let (cancels, confirms, completes, step) = keys(ui);
        if cancels {
            return Some(Answer::Cancelled);
        }
        ui.heading(self.kind.title());
        let is_low = self.kind == FileDialogKind::Save && room.y < LOW;
        if !is_low {
            self.folders(ui);
        }
        self.list_entries();
        if completes {
            self.name = completed(&self.name, &self.entries);
        }
        if self.name_field(ui, completes) {
            (self.chosen, self.problem, self.warned) = (None, None, None);
            self.list_entries();
        }
        if self.kind == FileDialogKind::Save && !is_low {
            self.formats(ui);
        }
        let shown: Vec<Entry> = self.shown().cloned().collect();
        if let Some(last) = shown.len().checked_sub(1).filter(|_| step != 0) {
            // Before the first step, the choice is beside the list.
            let now = self.chosen.map_or(if step > 0 { -1 } else { last as i64 + 1 }, |at| at as i64);
            let next = (now + step).clamp(0, last as i64) as usize;
            self.choose(next, &shown[next]);
        }
        let picked = match is_low {
            true => None,
            false => self.list(ui, &shown, (room.y - BESIDES_LIST).max(MIN_LIST), step != 0),
        };
        self.remark(ui, kept);
        let mut answer = None;
        ui.horizontal(|ui| {
            let text = match self.kind {
                FileDialogKind::Save if self.warned.as_deref().is_some_and(Path::exists) => "Replace",
                FileDialogKind::Save => "Save",
                FileDialogKind::Open | FileDialogKind::Motion => "Open",
            };
            if ui.button(text).clicked() || confirms {
                answer = self.confirmed(&shown);
            }
            if ui.button("Cancel").clicked() {
                answer = Some(Answer::Cancelled);
            }
        });
        let picked = picked.and_then(|path| self.taken(path));
        answer.or(picked)
    }

    /// Why the last choice was not possible, or what the file would not hold.
    fn remark(&self, ui: &mut Ui, kept: impl Fn(&Path) -> Option<String>) {
        let warning = ui.visuals().warn_fg_color;
        let remark = match (&self.problem, self.kind) {
            (Some(problem), _) => Some(RichText::new(problem).color(warning)),
            (None, FileDialogKind::Save) => {
                kept(&path_to_save(resolved(&self.folder, &self.name, home().as_deref()))).map(RichText::new)
            }
            (None, FileDialogKind::Open | FileDialogKind::Motion) => None,
        };
        if let Some(remark) = remark {
            ui.add(egui::Label::new(remark).wrap());
        }
    }

    /// The listed folder and those around it; a click goes there.
    fn folders(&mut self, ui: &mut Ui) {
        let mut next = None;
        ui.horizontal_wrapped(|ui| {
            ui.spacing_mut().item_spacing.x = 3.0;
            for (name, folder) in trail(&self.listed) {
                if ui.small_button(name).clicked() {
                    next = Some(folder);
                }
            }
            ui.separator();
            if let Some(home) = home().filter(|_| ui.small_button("Home").clicked()) {
                next = Some(home);
            }
        });
        if let Some(folder) = next {
            self.go_to(folder);
        }
    }

    /// The field for a name. It takes everything that is typed. Returns whether the name has changed.
    fn name_field(&mut self, ui: &mut Ui, is_completed: bool) -> bool {
        let id = ui.id().with("name");
        let has_focus = ui.memory(|memory| memory.has_focus(id));
        let before = self.name.clone();
        if !has_focus {
            // Letters that arrive before the field has the focus are not lost.
            self.type_in(&ui.input_mut(|input| taken_letters(&mut input.events)));
            ui.memory_mut(|memory| memory.request_focus(id));
        }
        let mut field = TextEdit::singleline(&mut self.name)
            .id(id)
            .desired_width(f32::INFINITY)
            .lock_focus(true)
            .hint_text("Type a name or a path; Tab completes it")
            .show(ui);
        frame_focus(ui, &field.response);
        name_control(ui.ctx(), id, "Name or path");
        if !has_focus || is_completed {
            let end = CCursor::new(self.name.chars().count());
            let range = match self.suggested_end() {
                Some(end) => CCursorRange::two(CCursor::new(0), CCursor::new(self.name[..end].chars().count())),
                None => CCursorRange::one(end),
            };
            field.state.cursor.set_char_range(Some(range));
            field.state.store(ui.ctx(), id);
        }
        is_completed || self.name != before
    }

    /// Adds letters to the name. The first ones replace a suggested name up to its extension.
    fn type_in(&mut self, letters: &str) {
        match self.suggested_end() {
            _ if letters.is_empty() => {}
            Some(end) => self.name.replace_range(..end, letters),
            None => self.name.push_str(letters),
        }
    }

    /// Where the suggested name ends without its extension, if it is still unchanged.
    fn suggested_end(&self) -> Option<usize> {
        let suggestion = self.suggestion.as_ref().filter(|name| **name == self.name)?;
        suggestion.rfind('.')
    }

    /// The formats that can be written. A click changes the extension of the name.
    fn formats(&mut self, ui: &mut Ui) {
        let current = FileFormat::for_writing(Path::new(&self.name)).map(|format| format.extensions[0]);
        ui.horizontal_wrapped(|ui| {
            ui.spacing_mut().item_spacing.x = 3.0;
            for (kind, has_scene) in [("scene, with pins and targets", true), ("pose alone", false)] {
                ui.label(RichText::new(kind).small());
                let formats = FileFormat::all().iter();
                for format in formats.filter(|it| it.is_written() && it.scene_syntax().is_some() == has_scene) {
                    let extension = format.extensions[0];
                    let mut label = ui.selectable_label(current == Some(extension), format!(".{extension}"));
                    // TOML tells no more than .toml.
                    if !format.name.eq_ignore_ascii_case(extension) {
                        label = label.on_hover_text(format.name);
                    }
                    if label.clicked() {
                        self.name = Path::new(&self.name).with_extension(extension).to_string_lossy().into_owned();
                        (self.chosen, self.problem, self.warned) = (None, None, None);
                    }
                }
                ui.add_space(8.0);
            }
        });
    }

    /// Chooses an entry of the list. In a dialog for saving a file's name is written into the field, and another name there ends
    /// the choice: what the field says is saved. In the other dialogs what is typed filters the list.
    fn choose(&mut self, at: usize, entry: &Entry) {
        if self.kind == FileDialogKind::Save && !entry.is_folder {
            let (folder, _) = parted(&self.name);
            self.name = format!("{folder}{}", entry.name);
        }
        (self.chosen, self.problem, self.warned) = (Some(at), None, None);
    }

    /// The list of entries. A click opens a folder or chooses a file; a double click takes the file.
    fn list(&mut self, ui: &mut Ui, shown: &[Entry], height: f32, scrolls: bool) -> Option<PathBuf> {
        let mut picked = None;
        ScrollArea::vertical().auto_shrink([false, false]).max_height(height).show(ui, |ui| {
            for (at, entry) in shown.iter().enumerate() {
                let sign = if entry.is_folder { "🗀" } else { "🗋" };
                let label = ui.selectable_label(self.chosen == Some(at), format!("{sign} {}", entry.name));
                if scrolls && self.chosen == Some(at) {
                    label.scroll_to_me(None);
                }
                if label.double_clicked() || (label.clicked() && entry.is_folder) {
                    picked = Some(self.listed.join(&entry.name));
                } else if label.clicked() {
                    self.choose(at, entry);
                }
            }
            // A name for a new file is in no list.
            if shown.is_empty() && self.kind != FileDialogKind::Save {
                let (_, typed) = parted(&self.name);
                let text = if typed.is_empty() {
                    "nothing to open in this folder"
                } else {
                    "no file that can be opened here has this name"
                };
                ui.label(RichText::new(text).weak());
            }
        });
        picked
    }

    /// The entries that match what is typed. A dialog for saving shows all.
    fn shown(&self) -> impl Iterator<Item = &Entry> {
        let (_, start) = parted(&self.name);
        let start = if self.kind == FileDialogKind::Save || start == "~" { "" } else { start };
        self.entries.iter().filter(move |entry| matches(&entry.name, start))
    }

    /// Reads the entries of the folder that the typed text names, if that is another one than before.
    fn list_entries(&mut self) {
        let folder = resolved(&self.folder, parted(&self.name).0, home().as_deref());
        if self.listed == folder {
            return;
        }
        let kind = self.kind;
        let read = entries(&folder, |path| FileFormat::of(path).is_some_and(|format| kind.offers(format)));
        // A folder that a file cannot be saved in is named when it is confirmed.
        if let Err(error) = &read
            && kind != FileDialogKind::Save
        {
            self.problem = Some(format!("{}: {error}", folder.display()));
        }
        (self.entries, self.listed) = (read.unwrap_or_default(), folder);
    }

    fn go_to(&mut self, folder: PathBuf) {
        self.folder = folder;
        let name = Path::new(&self.name).file_name().unwrap_or_default().to_string_lossy().into_owned();
        self.name = if self.kind == FileDialogKind::Save { name } else { String::new() };
        (self.chosen, self.problem, self.warned) = (None, None, None);
    }

    /// What Enter and the first button do.
    fn confirmed(&mut self, shown: &[Entry]) -> Option<Answer> {
        let typed = resolved(&self.folder, &self.name, home().as_deref());
        let path = match (self.chosen.and_then(|at| shown.get(at)), shown) {
            (Some(entry), _) => self.listed.join(&entry.name),
            // The only match, even if only a part of its name was typed.
            (None, [only]) if self.kind != FileDialogKind::Save && !typed.exists() => self.listed.join(&only.name),
            _ if self.name.trim().is_empty() => {
                self.problem = Some("Type a name, or choose a file.".to_owned());
                return None;
            }
            (None, [_, _, ..]) if self.kind != FileDialogKind::Save && !typed.exists() => {
                let count = shown.len();
                self.problem = Some(format!("{count} names match. Choose one with the arrow keys, or type more."));
                return None;
            }
            _ => typed,
        };
        self.taken(path)
    }

    /// Opens a folder, or takes a file.
    pub(super) fn taken(&mut self, path: PathBuf) -> Option<Answer> {
        if path.is_dir() {
            self.go_to(path);
            return None;
        }
        if self.kind != FileDialogKind::Save {
            self.problem = match path.exists() {
                false => Some(format!("There is no file {}.", path.display())),
                true if self.kind.takes(&path) => return Some(Answer::Chosen(path)),
                true if self.kind == FileDialogKind::Open && FileDialogKind::Motion.takes(&path) => {
                    let name = file_name(&path);
                    Some(format!("{name} holds targets, not a scene. Motion in the side panel opens it in this one."))
                }
                true => {
                    let name = file_name(&path);
                    let formats = FileFormat::list(|format| self.kind.offers(format), "or");
                    Some(format!("{name} is in no format that can be opened here. Open {formats}."))
                }
            };
            return None;
        }
        let path = path_to_save(path);
        let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
        let has_folder = path.parent().is_some_and(Path::is_dir);
        self.problem = match FileFormat::for_writing(&path) {
            None => Some(format!(
                "{name} cannot be saved in this format. Use {}.",
                FileFormat::list(FileFormat::is_written, "or")
            )),
            Some(_) if !has_folder => path.parent().map(|folder| format!("There is no folder {}.", folder.display())),
            Some(_) if self.warned.as_ref() == Some(&path) => return Some(Answer::Chosen(path)),
            Some(_) if path.exists() => Some(format!("{name} exists. “Replace”, or Enter again, replaces it.")),
            Some(_) => return Some(Answer::Chosen(path)),
        };
        self.warned = Some(path);
        None
    }
}

/// Takes the keys of the dialog: whether they cancel, confirm and complete, and the steps in the list.
fn keys(ui: &Ui) -> (bool, bool, bool, i64) {
    ui.input_mut(|input| {
        let mut pressed = |key| input.count_and_consume_key(Modifiers::NONE, key);
        let is_pressed = [Key::Escape, Key::Enter, Key::Tab].map(|key| pressed(key) > 0);
        let step = pressed(Key::ArrowDown) as i64 - pressed(Key::ArrowUp) as i64;
        (is_pressed[0], is_pressed[1], is_pressed[2], step)
    })
}

fn home() -> Option<PathBuf> {
    UserDirs::new().map(|folders| folders.home_dir().to_owned())
}
