//! What files keep of a scene, and what they leave behind.

use fabrik3d_scene::{Content, FileFormat, limits_path, write_file};
use fabrik3d_viewer::hud::{file_name, quoted};
use fabrik3d_viewer::session::{MotionMode, Playback};
use fabrik3d_viewer::view::Viewer;
use std::path::{Path, PathBuf};

/// What a file with this name holds, if that is less than a scene.
pub(super) fn contents(path: &Path) -> Option<&'static str> {
    let format = FileFormat::of(path)?;
    match format.scene_syntax() {
        Some(_) => None,
        None if holds(path, Content::Targets) => Some(
            "one row of joint values: angles in radians, ball joints as quaternions, lengths in the unit of the scene",
        ),
        None if format.saves_scenes() => Some("the pose; pins and targets are not saved"),
        None => format.is_written().then_some("the pose alone, as a motion of one frame"),
    }
}

/// Whether a file with this name is a scene file.
pub(super) fn is_scene_file(path: &Path) -> bool {
    FileFormat::of(path).is_some_and(|format| format.scene_syntax().is_some())
}

/// Whether what is saved in a file with this name can be opened as a scene.
pub(super) fn opens_again(path: &Path) -> bool {
    FileFormat::of(path).is_some_and(FileFormat::saves_scenes)
}

/// That a file with the present pose would lack a motion that the window shows: glTF keeps the character's own clips.
pub(super) fn motion_left_behind(viewer: &Viewer, path: &Path) -> Option<String> {
    let motion = viewer.session().motion().filter(|motion| motion.is_engaged() && motion.duration() > 0.0)?;
    let keeps_clips = opens_again(path);
    let is_own = motion.source.file.is_none() && motion.mode == MotionMode::Show;
    let name = motion.clip_name();
    let rest = if motion.has_rows() { "the other rows" } else { "its motion" };
    (!(is_scene_file(path) || is_own && keeps_clips)).then(|| format!("This pose of “{name}” is saved, not {rest}."))
}

/// What becomes of the names and limits of a limits file when the figure's pose is saved in another file.
enum LimitsFate {
    /// The new file has no limits file: the text of the present one is written to this path.
    Copied(PathBuf),
    /// The limits file beside the new file says the same.
    Same(PathBuf),
    /// The limits file beside the new file says something else.
    Differs(PathBuf),
}

impl LimitsFate {
    /// For a file with this path. None if the scene needs no limits file, or if the new file could not be opened with it.
    fn of(viewer: &Viewer, path: &Path) -> Option<Self> {
        let own = viewer.session().scene().assets.limits_text.as_deref();
        let own = own.filter(|_| opens_again(path) && !is_scene_file(path))?;
        let file = limits_path(path);
        Some(match std::fs::read(&file) {
            Ok(other) if String::from_utf8_lossy(&other).trim_start_matches('\u{feff}') == own => {
                LimitsFate::Same(file)
            }
            Err(_) if !file.exists() => return (!own.is_empty()).then_some(LimitsFate::Copied(file)),
            _ => LimitsFate::Differs(file),
        })
    }
}

/// Writes the limits file of a new file with the figure's pose, which would lose names and limits otherwise. What is written are
/// those that count here: the present limits file may have changed since it was read. Returns the name of the new file.
///
/// # Errors
/// What cannot be written, and why.
pub(super) fn copy_limits(viewer: &Viewer, path: &Path) -> Result<Option<String>, String> {
    match LimitsFate::of(viewer, path) {
        Some(LimitsFate::Copied(file)) => {
            let text = viewer.session().scene().assets.limits_text.as_deref().unwrap_or_default();
            let name = file_name(&file).into_owned();
            match write_file(&file, |out| out.write_all(text.as_bytes())) {
                Ok(()) => Ok(Some(name)),
                Err(error) => Err(format!("Names and limits are not in {name}: {error}.")),
            }
        }
        Some(LimitsFate::Differs(file)) => Err(differs(&file)),
        Some(LimitsFate::Same(_)) | None => Ok(None),
    }
}

/// That another limits file is there, which will count, and is not replaced.
fn differs(file: &Path) -> String {
    let name = file_name(file);
    format!(
        "{name} says something else than the names and limits here, and stays as it is. It counts when the file is opened. To keep the \
         names and limits here, delete it before you save."
    )
}

/// What becomes of names and limits in a file with the present pose, if a limits file gives them. `opened` is the figure's file.
fn fate_of_limits(viewer: &Viewer, opened: Option<&Path>, path: &Path) -> Option<String> {
    if !opens_again(path) {
        let text = viewer.session().scene().assets.limits_text.as_ref();
        let own = limits_path(opened.filter(|_| text.is_some_and(|text| !text.is_empty()))?);
        return Some(format!("Names and limits stay in {}.", file_name(&own)));
    }
    Some(match LimitsFate::of(viewer, path)? {
        LimitsFate::Copied(file) => format!("Names and limits are written to {}.", file_name(&file)),
        LimitsFate::Same(file) => format!("Names and limits are in {}.", file_name(&file)),
        LimitsFate::Differs(file) => differs(&file),
    })
}

/// The command that writes the motion that the window shows to a file beside this one. Paths below the working folder are
/// short.
pub(super) fn conversion(viewer: &Viewer, scene: Option<&Path>, path: &Path) -> String {
    let word = |name: &str| if name.contains(' ') { format!("'{name}'") } else { name.to_owned() };
    let name = |path: &Path| word(&path_to_type(path));
    let motion = viewer.session().motion();
    let recording = motion.and_then(|motion| motion.source.file.as_deref());
    // A table without times is no motion yet: its rows are solved one by one.
    let flag = if motion.is_some_and(Playback::has_rows) { "--targets" } else { "--motion" };
    let recording = recording.map_or(String::new(), |file| format!(" {flag} {}", name(file)));
    let clip = motion.filter(|motion| motion.source.clips().len() > 1);
    let clip = clip.map_or(String::new(), |motion| format!(" --clip {}", word(motion.clip_name())));
    let [stem, extension] =
        [path.file_stem(), path.extension()].map(|part| part.unwrap_or_default().to_string_lossy().into_owned());
    let mut outputs = (1..).map(|number| match number {
        1 => path.with_file_name(format!("{stem}-motion.{extension}")),
        _ => path.with_file_name(format!("{stem}-motion-{number}.{extension}")),
    });
    let output = outputs.find(|output| !output.exists()).unwrap_or_default();
    format!("fabrik3d convert {}{recording}{clip} -o {}", scene.map_or("SCENE".to_owned(), name), name(&output))
}

/// A path as one would type it in the folder in which the program was started.
fn path_to_type(path: &Path) -> String {
    let absolute = std::path::absolute(path).unwrap_or_else(|_| path.to_owned());
    let working = std::env::current_dir().ok();
    match working.and_then(|working| absolute.strip_prefix(working).ok().map(Path::to_owned)) {
        Some(below) => below.display().to_string(),
        None => absolute.display().to_string(),
    }
}

/// What a file with this name would hold of the scene from the file `opened`, or lack, if that is not all.
pub(super) fn kept(viewer: &Viewer, opened: Option<&Path>, path: &Path) -> Option<String> {
    let lost = viewer.session().scene().left_behind(path).map(|lost| format!("Warning: {}.", quoted(&lost)));
    let kept = lost.or_else(|| contents(path).map(|contents| format!("It holds {contents}.")));
    let is_character = viewer.session().scene().assets.source.is_some();
    let is_same = |opened: &Path| std::path::absolute(opened).ok() == std::path::absolute(path).ok();
    let is_opened = is_character && opened.is_some_and(is_same);
    let own =
        is_opened.then(|| "This replaces the file that is open here: next time it opens in this pose.".to_owned());
    let names = fate_of_limits(viewer, opened, path);
    let motion = motion_left_behind(viewer, path);
    let motion = motion.map(|motion| format!("{motion} A message will then show the command that writes all of it."));
    let parts: Vec<String> = kept.into_iter().chain(motion).chain(own).chain(names).collect();
    (!parts.is_empty()).then(|| parts.join(" "))
}

/// Whether files of this format contain this kind of content.
pub(super) fn holds(file: &Path, content: Content) -> bool {
    FileFormat::of(file).is_some_and(|format| format.holds(content))
}

#[cfg(test)]
mod tests {
    use super::*;
    use fabrik3d_scene::Scene;
    use fabrik3d_viewer::view::Display;

    fn mannequin(folder: &Path) -> Viewer {
        for name in ["mannequin.glb", "mannequin.limits.toml"] {
            let own = Path::new(env!("CARGO_MANIFEST_DIR")).join("assets/models").join(name);
            std::fs::copy(own, folder.join(name)).expect("copies");
        }
        Viewer::new(Scene::open(folder.join("mannequin.glb")).expect("opens"), Display::default(), 1.6)
    }

    #[test]
    fn a_character_that_is_saved_keeps_its_limits_file_and_no_other_file_is_replaced() {
        let folder = tempfile::tempdir().expect("a folder");
        let [posed, limits] = ["posed.glb", "posed.limits.toml"].map(|name| folder.path().join(name));
        let viewer = mannequin(folder.path());
        let opened = folder.path().join("mannequin.glb");
        let note = |name: &str| kept(&viewer, Some(&opened), &folder.path().join(name)).expect("a note");
        assert!(note("posed.glb").contains("limits are written to posed.limits.toml"));
        assert!(note("posed.bvh").contains("stay in mannequin.limits.toml"));
        assert!(note("mannequin.glb").contains("next time it opens in this pose"));
        viewer.scene_now().save(&posed).expect("saves");
        // The limits that count are those that were read.
        std::fs::write(folder.path().join("mannequin.limits.toml"), "body_limits = false").expect("writes");
        copy_limits(&viewer, &posed).expect("copies");
        let [own, new] = [viewer.session().scene(), &Scene::open(&posed).expect("opens")].map(|scene| {
            scene.skeleton.joints().iter().map(|joint| (joint.name.clone(), joint.kind)).collect::<Vec<_>>()
        });
        assert_eq!(own, new);
        copy_limits(&viewer, &posed).expect("does nothing");
        assert!(note("posed.glb").contains("Names and limits are in posed.limits.toml"));
        std::fs::write(&limits, "body_limits = false").expect("writes");
        assert!(note("posed.glb").contains("posed.limits.toml says something else"));
        assert!(copy_limits(&viewer, &posed).expect_err("says so").contains("stays as it is"));
        assert_eq!(std::fs::read_to_string(&limits).expect("reads"), "body_limits = false");
        copy_limits(&viewer, &folder.path().join("posed.bvh")).expect("does nothing");
        let own = copy_limits(&viewer, &folder.path().join("mannequin.glb"));
        assert!(own.expect_err("says so").contains("mannequin.limits.toml says something else"));
        assert_eq!(std::fs::read_dir(folder.path()).expect("a folder").count(), 4);
    }

    #[test]
    fn the_command_that_writes_the_motion_replaces_no_file() {
        let folder = tempfile::tempdir().expect("a folder");
        let viewer = mannequin(folder.path());
        let posed = folder.path().join("posed.bvh");
        let output = |viewer| conversion(viewer, Some(Path::new("man.glb")), &posed);
        let (first, others) = (folder.path().join("posed-motion.bvh"), "fabrik3d convert man.glb ");
        assert!(output(&viewer).starts_with(others), "{}", output(&viewer));
        assert!(output(&viewer).ends_with(&format!(" -o {}", first.display())), "{}", output(&viewer));
        std::fs::write(&first, "").expect("writes");
        assert!(output(&viewer).ends_with("posed-motion-2.bvh"), "{}", output(&viewer));
    }
}
