//! The settings file of the viewer: TOML in the platform's configuration folder.

use crate::examples::PREFIX;
use fabrik3d_scene::write_file;
use fabrik3d_viewer::session::command::{FONT_SCALES, PANEL_WIDTHS, PictureSize, Section, Theme};
use serde::{Deserialize, Deserializer, Serialize};
use std::collections::BTreeMap;
use std::io::ErrorKind;
use std::ops::Range;
use std::path::{Path, PathBuf};
use toml_edit::{Document, DocumentMut, Key};

/// Environment variable with the path of another settings file. If it is empty, no file is used.
const VARIABLE: &str = "FABRIK3D_CONFIG";
/// Number of recent files that are stored.
const MAX_RECENT: usize = 8;

/// The settings. Absent values have their defaults.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Settings {
    /// Colour theme.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub theme: Option<Theme>,
    /// Text size; 1 is normal.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub font_scale: Option<f32>,
    /// Width of the side panel's content in points.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub panel_width: Option<f32>,
    /// How large saved pictures are: `1x`, `2x` or `4k`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub picture_size: Option<PictureSize>,
    /// Whether saved pictures have a transparent background.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub picture_transparent: Option<bool>,
    /// Sections of the side panel that were opened (true) or closed.
    #[serde(skip_serializing_if = "BTreeMap::is_empty", deserialize_with = "known_sections")]
    pub panel: BTreeMap<String, bool>,
    /// Whether the introduction of the first start has been read.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub introduced: bool,
    /// Width and height of the window in logical pixels.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub window: Option<(u32, u32)>,
    /// Recently opened files, newest first.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub recent: Vec<PathBuf>,
    /// Changed key bindings: `"Ctrl+KeyP" = "pause.toggle"`, or `"none"`.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub keys: BTreeMap<String, String>,
}

impl Settings {
    /// Adds a file to the front of the recent files. Examples have a menu of their own.
    pub fn remember(&mut self, file: &Path) {
        if file.to_string_lossy().starts_with(PREFIX) {
            return;
        }
        let file = std::path::absolute(file).unwrap_or_else(|_| file.to_owned());
        self.recent.retain(|other| *other != file);
        self.recent.insert(0, file);
        self.recent.truncate(MAX_RECENT);
    }
}

/// The sections that the side panel has, with their states. Others come from another version of the program.
fn known_sections<'de, D: Deserializer<'de>>(deserializer: D) -> Result<BTreeMap<String, bool>, D::Error> {
    let panel = toml::Value::deserialize(deserializer)?;
    let states = panel.as_table().into_iter().flatten().filter(|(name, on)| is_section(name, on.as_bool()));
    Ok(states.map(|(name, on)| (name.clone(), on == &true.into())).collect())
}

fn is_section(name: &str, on: Option<bool>) -> bool {
    on.is_some() && Section::NAMES.iter().any(|(known, _)| *known == name)
}

/// A message about the first state of the side panel that means nothing to this version, with its line.
fn unknown_section(text: &str) -> Option<String> {
    let document = Document::parse(text).ok()?;
    let (key, panel) = document.as_table().get_key_value("panel")?;
    let (name, span) = match panel.as_table_like() {
        None => ("panel".to_owned(), key.span()),
        Some(states) => {
            let (name, _) = states.iter().find(|(name, on)| !is_section(name, on.as_bool()))?;
            (format!("panel.{name}"), states.key(name).and_then(Key::span).or(key.span()))
        }
    };
    let line = line(text, span);
    Some(format!("line {line}: `{name}` is no state of the side panel; the panel opens as usual"))
}

/// The line of a part of a text, from 1; the first line if it is not known which part.
fn line(text: &str, part: Option<Range<usize>>) -> usize {
    1 + part.map_or(0, |part| text[..part.start].matches('\n').count())
}

/// The settings file and its last known content.
#[derive(Clone, Debug, Default)]
pub struct SettingsFile {
    /// `None` if there is no file, or if it is invalid and must not be overwritten.
    path: Option<PathBuf>,
    stored: Settings,
}

impl SettingsFile {
    /// Reads the settings. An invalid file is not changed; the result is then the defaults and a warning. States of the side
    /// panel that this version does not know cost only a warning.
    pub fn read() -> (Self, Settings, Option<String>) {
        let path = match std::env::var_os(VARIABLE) {
            Some(path) => Some(PathBuf::from(path)).filter(|path| !path.as_os_str().is_empty()),
            None => directories::ProjectDirs::from("", "", "fabrik3d")
                .map(|folders| folders.config_dir().join("settings.toml")),
        };
        Self::read_from(path)
    }

    fn read_from(path: Option<PathBuf>) -> (Self, Settings, Option<String>) {
        let Some(path) = path else { return Default::default() };
        let read = match std::fs::read_to_string(&path) {
            Ok(text) => toml::from_str(&text)
                .map(|settings| (settings, unknown_section(&text)))
                .map_err(|error| format!("line {}: {}", line(&text, error.span()), error.message())),
            Err(error) if error.kind() == ErrorKind::NotFound => Ok((Settings::default(), None)),
            Err(error) => Err(error.to_string()),
        };
        match read {
            Ok(settings) => {
                let (settings, warning): (Settings, Option<String>) = settings;
                let warning = warning.map(|reason| format!("{}: {reason}", path.display()));
                let font_scale = settings.font_scale.filter(|scale| FONT_SCALES.contains(scale));
                let panel_width = settings.panel_width.filter(|width| PANEL_WIDTHS.contains(width));
                let window = settings.window.filter(|(width, height)| *width.min(height) >= 240);
                let stored = Settings { font_scale, panel_width, window, ..settings };
                (SettingsFile { path: Some(path), stored: stored.clone() }, stored, warning)
            }
            Err(reason) => {
                let warning = format!("The settings in {} are ignored: {reason}", path.display());
                (SettingsFile::default(), Settings::default(), Some(warning))
            }
        }
    }

    /// Whether changed settings are kept for the next start.
    pub fn is_kept(&self) -> bool {
        self.path.is_some()
    }

    /// Writes changed settings. Everything else in the file stays the same: comments, order, and edits made while the
    /// viewer was open.
    pub fn write(&mut self, settings: &Settings) -> Result<(), String> {
        let Some(path) = self.path.as_ref().filter(|_| self.stored != *settings) else { return Ok(()) };
        let current = match std::fs::read_to_string(path) {
            Ok(text) => text,
            Err(error) if error.kind() == ErrorKind::NotFound => String::new(),
            Err(error) => return Err(format!("{}: {error}", path.display())),
        };
        let text =
            edited(&current, &self.stored, settings).map_err(|reason| format!("{}: {reason}", path.display()))?;
        if let Some(folder) = path.parent() {
            std::fs::create_dir_all(folder).map_err(|error| format!("{}: {error}", folder.display()))?;
        }
        let written = write_file(path, |out| out.write_all(text.as_bytes()));
        written.map_err(|error| format!("{}: {error}", path.display()))?;
        self.stored = settings.clone();
        Ok(())
    }
}

/// Updates the text of a settings file by the difference between two settings.
fn edited(text: &str, before: &Settings, after: &Settings) -> Result<String, String> {
    let table = |settings: &Settings| toml::Table::try_from(settings).map_err(|error| error.to_string());
    let (before, after) = (table(before)?, table(after)?);
    let mut document: DocumentMut = text.parse().map_err(|error: toml_edit::TomlError| error.message().to_owned())?;
    for key in before.keys().filter(|key| !after.contains_key(*key)) {
        document.remove(key);
    }
    for (key, value) in after.iter().filter(|(key, value)| before.get(*key) != Some(value)) {
        let mut value: toml_edit::Value =
            value.to_string().parse().map_err(|error: toml_edit::TomlError| error.message().to_owned())?;
        match document.get_mut(key) {
            // Keep the comments above the key and after its value.
            Some(item) => {
                if let Some(old) = item.as_value() {
                    *value.decor_mut() = old.decor().clone();
                }
                *item = toml_edit::value(value);
            }
            None => drop(document.insert(key, toml_edit::value(value))),
        }
    }
    Ok(document.to_string())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sample() -> Settings {
        Settings {
            theme: Some(Theme::Light),
            font_scale: Some(1.5),
            panel_width: Some(320.0),
            picture_size: Some(PictureSize::FourK),
            picture_transparent: Some(true),
            panel: [("more-target".to_owned(), true), ("error".to_owned(), false)].into(),
            introduced: true,
            window: Some((1000, 700)),
            recent: vec![PathBuf::from("/tmp/an arm.toml")],
            keys: [("Ctrl+KeyP".to_owned(), "pause.toggle".to_owned())].into(),
        }
    }

    #[test]
    fn settings_read_back_as_they_were_written() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("deep/settings.toml");
        let (mut file, settings, warning) = SettingsFile::read_from(Some(path.clone()));
        assert_eq!((settings, warning), (Settings::default(), None), "there is no file yet");
        file.write(&sample()).expect("can be written");
        assert_eq!(SettingsFile::read_from(Some(path)).1, sample());
    }

    #[test]
    fn what_the_owner_wrote_beside_the_changed_settings_stays() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("settings.toml");
        let own = "# Mine, since 2019.\ntheme = 'dark'  # easy on the eyes\n\n# The left hand is on the mouse.\n\
                   [keys]\n\"KeyJ\" = \"pause.toggle\" # not trails\n# \"KeyB\" = \"none\"\n";
        std::fs::write(&path, own).expect("can be written");
        let (mut file, before, warning) = SettingsFile::read_from(Some(path.clone()));
        assert_eq!(warning, None);
        file.write(&before).expect("nothing to do");
        assert_eq!(std::fs::read_to_string(&path).expect("is there"), own);
        let after = Settings { theme: Some(Theme::Light), recent: sample().recent, ..before.clone() };
        // The user edits the file while the viewer is open.
        std::fs::write(&path, own.replace("# \"KeyB\"", "\"KeyB\"")).expect("can be written");
        file.write(&after).expect("can be written");
        let expected = own
            .replace("# \"KeyB\"", "\"KeyB\"")
            .replace("'dark'", "\"light\"")
            .replace("eyes\n", "eyes\nrecent = [\"/tmp/an arm.toml\"]\n");
        assert_eq!(std::fs::read_to_string(&path).expect("is there"), expected);
        file.write(&before).expect("can be written");
        let back = std::fs::read_to_string(&path).expect("is there");
        assert_eq!(back, own.replace("# \"KeyB\"", "\"KeyB\"").replace('\'', "\""));
    }

    #[test]
    fn any_settings_become_any_others_in_the_file() {
        let variants: Vec<Settings> = (0..128)
            .map(|bits: u8| Settings {
                theme: (bits & 1 != 0).then_some(Theme::Light),
                font_scale: (bits & 2 != 0).then_some(1.25),
                panel_width: (bits & 16 != 0).then_some(300.0),
                picture_size: (bits & 16 != 0).then_some(PictureSize::Twice),
                picture_transparent: (bits & 2 != 0).then_some(true),
                introduced: bits & 32 != 0,
                panel: if bits & 64 != 0 { sample().panel } else { BTreeMap::new() },
                window: (bits & 4 != 0).then_some((800, 600)),
                recent: if bits & 8 != 0 { sample().recent } else { Vec::new() },
                keys: sample().keys,
            })
            .collect();
        for (before, after) in variants.iter().flat_map(|a| variants.iter().map(move |b| (a, b))) {
            let text = edited("# kept\n", &Settings::default(), before).expect("is TOML");
            let text = edited(&text, before, after).expect("is TOML");
            assert_eq!(toml::from_str::<Settings>(&text).as_ref(), Ok(after), "{text}");
            assert!(text.contains("# kept"), "{text}");
        }
    }

    #[test]
    fn a_broken_file_gives_defaults_a_warning_and_is_kept() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("settings.toml");
        for broken in ["theme = \"dark\"\nfont_scale = = 2", "thema = \"dark\"", "theme = \"green\"", "window = 3"] {
            std::fs::write(&path, broken).expect("can be written");
            let (mut file, settings, warning) = SettingsFile::read_from(Some(path.clone()));
            assert_eq!(settings, Settings::default());
            assert!(warning.is_some_and(|warning| warning.contains("line")), "{broken}");
            file.write(&sample()).expect("is not even tried");
            assert_eq!(std::fs::read_to_string(&path).expect("is there"), broken);
        }
    }

    #[test]
    fn unknown_states_of_the_panel_cost_one_message_with_their_line_and_nothing_else() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("settings.toml");
        let known = [("solver".to_owned(), true)].into();
        for (panel, line, kept) in [
            ("panel = { solver = true }", None, &known),
            ("panel = { solver = true, tree = true }", Some("line 2: `panel.tree`"), &known),
            ("[panel]\nsolver = true\nerror = 'open'", Some("line 4: `panel.error`"), &known),
            ("panel = 'all open'", Some("line 2: `panel`"), &BTreeMap::new()),
        ] {
            std::fs::write(&path, format!("theme = 'light'\n{panel}\n")).expect("can be written");
            let (file, settings, warning) = SettingsFile::read_from(Some(path.clone()));
            assert!(file.is_kept() && settings.theme == Some(Theme::Light), "{panel}");
            assert_eq!(&settings.panel, kept, "{panel}");
            assert_eq!(warning.is_some(), line.is_some(), "{panel}: {warning:?}");
            assert!(line.is_none_or(|line| warning.is_some_and(|warning| warning.contains(line))), "{panel}");
        }
    }

    #[test]
    fn the_newest_files_come_first_and_once() {
        let mut settings = Settings::default();
        for number in [1, 2, 3, 2, 4, 5, 6, 7, 8, 9] {
            settings.remember(Path::new(&format!("/scenes/{number}.toml")));
        }
        settings.remember(Path::new("example:demo"));
        let numbers = [9, 8, 7, 6, 5, 4, 2, 3];
        assert_eq!(settings.recent, numbers.map(|number| PathBuf::from(format!("/scenes/{number}.toml"))));
    }
}
