//! `fabrik3d convert SCENE -o PAGE.html`: a page for browsers with the viewer and the scene inside.

use super::context::{Context, Ending, Failure};
use super::scene_arguments::{SceneArguments, input_name, is_standard, one_of, unwritable};
use super::sink::keep_inputs;
use crate::examples;
use clap::Args;
use fabrik3d_scene::{
    Content, FileFormat, Files, HeldFiles, OpenOptions, Scene, Surfaces, extension, open_targets, write_file,
};
use fabrik3d_viewer::page::{Page, Recording};
use fabrik3d_viewer::session::command::Theme;
use fabrik3d_viewer::session::script::Script;
use fabrik3d_viewer::view::{Display, Viewer};
use serde_json::json;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::{Arc, PoisonError};

/// Flags that only pages have.
#[derive(Clone, Debug, Default, Args)]
#[command(next_help_heading = "Pages (.html)")]
pub(super) struct PageArguments {
    /// Script of timed commands that the page plays, as `view` does
    #[arg(long, value_name = "SCRIPT")]
    play: Option<PathBuf>,
    /// Colour theme of the page
    #[arg(long, value_name = "dark|light", hide_possible_values = true)]
    #[arg(value_parser = one_of([("dark", Theme::Dark), ("light", Theme::Light)]))]
    theme: Option<Theme>,
}

impl PageArguments {
    /// Whether a flag is given.
    pub fn is_any(&self) -> bool {
        self.play.is_some() || self.theme.is_some()
    }
}

/// What goes into a page.
pub(super) struct Contents<'a> {
    /// The scene file.
    pub file: &'a Path,
    pub scene: &'a SceneArguments,
    pub recording: Recording,
    pub page: &'a PageArguments,
}

/// Where in the page without a scene the scene belongs.
const PLACE: &str = "<!--SCENE-->";
/// The page without a scene, as `tools/web.sh` makes it.
const BUNDLE: &str = "fabrik3d.html";
/// The variable that names it.
const VARIABLE: &str = "FABRIK3D_WEB";
/// What a scene from standard input is called in a page.
const UNNAMED: &str = "scene.toml";

/// Whether a file with this name is a page.
pub(super) fn is_page(path: &Path) -> bool {
    matches!(extension(path).as_str(), "html" | "htm")
}

/// Writes a page with a scene.
pub(super) fn run(contents: &Contents<'_>, output: &Path, context: &Context) -> Result<Ending, Failure> {
    let script = contents.page.play.as_deref();
    let inputs = [Some(contents.file), contents.recording.file.as_deref(), script];
    keep_inputs(output, inputs.into_iter().flatten())?;
    let bundle = read_bundle()?;
    let (files, noted) = Files::noted();
    let options = OpenOptions { files: files.clone(), ..contents.scene.options() };
    let scene = contents.scene.load_with(Some(contents.file), &options)?;
    context.warn(contents.file, &scene);
    let mut page = Page {
        file: contents.file.to_owned(),
        options: OpenOptions { changes: Vec::new(), ..options },
        recording: contents.recording.clone(),
        script: script.map_or(Ok(String::new()), read_script)?,
        is_light: contents.page.theme == Some(Theme::Light),
        ..Page::default()
    };
    if let Some(file) = &page.recording.file {
        note_recording(file, &page.options, &scene)?;
    }
    check_recording(&scene, &page.recording)?;
    let mut held = noted.lock().unwrap_or_else(PoisonError::into_inner).clone();
    if is_standard(contents.file) {
        page.file = UNNAMED.into();
        held.insert(UNNAMED.into(), scene.to_toml().into_bytes());
    } else if Scene::to_toml(&examples::open(&page.file, &page.options)?) != scene.to_toml() {
        page.text = Some(scene.to_toml());
    }
    let held = without_folders_above(held, &mut page);
    check_page(&page, &held, &scene)?;
    let text = with_scene(&bundle, &page, &held)?;
    write_file(output, |out| out.write_all(text.as_bytes())).map_err(unwritable(output))?;
    Ok(Ending::Done)
}

/// Reads the page without a scene: the file that the variable names, or one beside the program, in the folder `share` of a package,
/// or where `make web` puts it.
fn read_bundle() -> Result<String, Failure> {
    let places = match std::env::var_os(VARIABLE) {
        Some(named) => vec![PathBuf::from(named)],
        None => {
            let program = std::env::current_exe().unwrap_or_default();
            let folder = program.parent().unwrap_or(Path::new("")).to_owned();
            let above = folder.parent().unwrap_or(Path::new("")).to_owned();
            vec![folder.join(BUNDLE), above.join("share/fabrik3d").join(BUNDLE), above.join("web").join(BUNDLE)]
        }
    };
    let text = places.iter().find_map(|place| std::fs::read_to_string(place).ok());
    let text = text.filter(|text| text.contains(PLACE));
    text.ok_or_else(|| {
        let looked: Vec<String> = places.iter().map(|place| format!("  {}", place.display())).collect();
        Failure::Message(format!(
            "pages need the viewer for browsers, which is none of these files:\n{}\n  \
            `make web` builds it in a checkout; packages bring it; {VARIABLE}=FILE names it",
            looked.join("\n")
        ))
    })
}

fn read_script(path: &Path) -> Result<String, Failure> {
    let fail = |reason: String| Failure::Message(format!("{}: {reason}", input_name(path)));
    let text = if is_standard(path) { io::read_to_string(io::stdin()) } else { std::fs::read_to_string(path) };
    let text = text.map_err(|error| fail(error.to_string()))?;
    text.parse::<Script>().map_err(|error| fail(error.to_string()))?;
    Ok(text)
}

/// Reads a recording, so that its files are noted.
fn note_recording(file: &Path, options: &OpenOptions, scene: &Scene) -> Result<(), Failure> {
    if FileFormat::of_file(file, &options.files).is_some_and(|format| format.holds(Content::Targets)) {
        // What is wrong with it is told when it is opened.
        drop(open_targets(file, &options.files, scene));
        return Ok(());
    }
    let options = OpenOptions { surfaces: Surfaces::Skip, ..options.clone() };
    examples::open(file, &options)?;
    Ok(())
}

/// Opens the recording as the page will.
fn check_recording(scene: &Scene, recording: &Recording) -> Result<(), Failure> {
    let mut viewer = Viewer::new(scene.clone(), Display::default(), 1.0).with_host(crate::host::host());
    let commands = recording.commands().into_iter().map(|command| viewer.apply(command).map(drop));
    commands.collect::<Result<(), _>>().map_err(|error| Failure::Message(format!("--motion: {error}")))
}

/// Files whose absolute paths, also that of the page's scene, begin with the folder that they have in common: others need not know
/// the folders above it.
fn without_folders_above(held: HeldFiles, page: &mut Page) -> HeldFiles {
    let folders = held.keys().filter(|path| path.has_root()).filter_map(|path| path.parent());
    let common = folders.map(Path::to_owned).reduce(|common, folder| {
        common.ancestors().find(|above| folder.starts_with(above)).map_or(PathBuf::new(), Path::to_owned)
    });
    // References to packages name the folder of the package itself.
    let above = common.as_deref().and_then(Path::parent).unwrap_or(Path::new("/"));
    let shorter = |path: &Path| path.strip_prefix(above).unwrap_or(path).to_owned();
    page.file = shorter(&page.file);
    page.recording.file = page.recording.file.as_deref().map(shorter);
    held.into_iter().map(|(path, bytes)| (shorter(&path), bytes)).collect()
}

/// Reads the scene of a page as the page will, and compares it.
fn check_page(page: &Page, held: &HeldFiles, scene: &Scene) -> Result<(), Failure> {
    let options = OpenOptions { files: Files::Held(Arc::new(held.clone())), ..page.options.clone() };
    let read = Page { options, ..page.clone() }.open(|path, options| examples::open(path, options))?;
    let meshes = |scene: &Scene| scene.assets.meshes.len();
    match read.to_toml() == scene.to_toml() && meshes(&read) == meshes(scene) {
        true => Ok(()),
        false => Err(Failure::Message(format!(
            "{}: a page cannot hold this scene: read from the page it is another one\n  \
            `fabrik3d convert` without flags that change it, or a scene file (.toml), may help",
            page.file.display()
        ))),
    }
}

/// The page with the scene in it.
fn with_scene(bundle: &str, page: &Page, held: &HeldFiles) -> Result<String, Failure> {
    let files: serde_json::Map<_, _> =
        held.iter().map(|(path, bytes)| (path.to_string_lossy().into_owned(), base64(bytes).into())).collect();
    let json = json!({ "page": page, "files": files }).to_string();
    // Nothing in a scene ends the element that holds it.
    let json = json.replace('<', "\\u003c");
    let element = format!("<script type=\"application/json\" id=\"scene\">{json}</script>");
    Ok(bundle.replacen(PLACE, &element, 1))
}

/// Bytes in base64 (RFC 4648).
fn base64(bytes: &[u8]) -> String {
    const LETTERS: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let mut text = String::with_capacity(bytes.len().div_ceil(3) * 4);
    for chunk in bytes.chunks(3) {
        let part = |at: usize| u32::from(chunk.get(at).copied().unwrap_or(0)) << (16 - 8 * at);
        let bits = part(0) | part(1) | part(2);
        for at in 0..4 {
            let letter = LETTERS[(bits >> (18 - 6 * at) & 63) as usize];
            text.push(if at <= chunk.len() { letter.into() } else { '=' });
        }
    }
    text
}
