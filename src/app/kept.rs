//! What files keep of a scene, and what they leave behind.

use crate::hud::{file_name, quoted};
use crate::session::{MotionMode, Playback};
use crate::view::Viewer;
use fabrik3d_scene::{Content, FileFormat, limits_path};
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

/// The limits file beside the character that is open, which gives names and limits, and that of a file with its present pose.
fn limits_files(viewer: &Viewer, path: &Path) -> Option<[PathBuf; 2]> {
    let absolute = |path: &Path| std::path::absolute(path).unwrap_or_else(|_| path.to_owned());
    let files = [viewer.session().scene().assets.source.as_deref()?, path].map(|path| limits_path(&absolute(path)));
    (!is_scene_file(path) && files[0] != files[1] && files[0].is_file()).then_some(files)
}

/// Copies the limits file of the character for a new file with its pose, which would lose names and limits otherwise. Returns the
/// name of the new limits file.
///
/// # Errors
/// What cannot be written, and why.
pub(super) fn copy_limits(viewer: &Viewer, path: &Path) -> Result<Option<String>, String> {
    let Some(files) = limits_files(viewer, path).filter(|_| opens_again(path)) else { return Ok(None) };
    let [own, other] = &files;
    let name = file_name(other).into_owned();
    if other.exists() {
        return stays(&files).map_or(Ok(None), Err);
    }
    match std::fs::copy(own, other) {
        Ok(_) => Ok(Some(name)),
        Err(error) => Err(format!("Names and limits are not in {name}: {error}.")),
    }
}

/// That a limits file which is there is not replaced by another one; none if both say the same.
fn stays(files: &[PathBuf; 2]) -> Option<String> {
    let [text, other_text] = [0, 1].map(|at| std::fs::read(&files[at]).ok());
    let [name, other_name] = [0, 1].map(|at| file_name(&files[at]));
    let remedy = "Delete it first if the new limits are to count";
    (text != other_text).then(|| format!("{other_name} differs from {name} and stays as it is. {remedy}."))
}

/// What becomes of names and limits in a file with the present pose, if a limits file gives them.
fn fate_of_limits(viewer: &Viewer, path: &Path) -> Option<String> {
    let files = limits_files(viewer, path)?;
    let [name, other_name] = [0, 1].map(|at| file_name(&files[at]));
    Some(match opens_again(path) {
        false => format!("Names and limits stay in {name}."),
        true if files[1].exists() => stays(&files).unwrap_or_else(|| format!("Names and limits are in {other_name}.")),
        true => format!("Names and limits: {name} is copied to {other_name}."),
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

/// What a file with this name would hold of the scene, or lack, if that is not all.
pub(super) fn kept(viewer: &Viewer, path: &Path) -> Option<String> {
    let lost = viewer.session().scene().left_behind(path).map(|lost| format!("Warning: {}.", quoted(&lost)));
    let kept = lost.or_else(|| contents(path).map(|contents| format!("It holds {contents}.")));
    let opened = viewer.session().scene().assets.source.as_deref();
    let is_opened = opened.is_some_and(|opened| std::path::absolute(opened).ok() == std::path::absolute(path).ok());
    let own = is_opened.then(|| "This is the character that is open: it will open in this pose.".to_owned());
    let names = own.or_else(|| fate_of_limits(viewer, path));
    let parts: Vec<String> = kept.into_iter().chain(motion_left_behind(viewer, path)).chain(names).collect();
    (!parts.is_empty()).then(|| parts.join(" "))
}

/// Whether files of this format contain this kind of content.
pub(super) fn holds(file: &Path, content: Content) -> bool {
    FileFormat::of(file).is_some_and(|format| format.holds(content))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::view::Display;
    use fabrik3d_scene::Scene;

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
        let note = |name: &str| kept(&viewer, &folder.path().join(name)).expect("a note");
        assert!(note("posed.glb").contains("mannequin.limits.toml is copied to posed.limits.toml"));
        assert!(note("posed.bvh").contains("stay in mannequin.limits.toml"));
        assert!(note("mannequin.glb").contains("it will open in this pose"));
        viewer.scene_now().save(&posed).expect("saves");
        copy_limits(&viewer, &posed).expect("copies");
        let [own, new] = [viewer.session().scene(), &Scene::open(&posed).expect("opens")].map(|scene| {
            scene.skeleton.joints().iter().map(|joint| (joint.name.clone(), joint.kind)).collect::<Vec<_>>()
        });
        assert_eq!(own, new);
        copy_limits(&viewer, &posed).expect("does nothing");
        assert!(note("posed.glb").contains("Names and limits are in posed.limits.toml"));
        std::fs::write(&limits, "body_limits = false").expect("writes");
        assert!(note("posed.glb").contains("posed.limits.toml differs from mannequin.limits.toml and stays"));
        assert!(copy_limits(&viewer, &posed).expect_err("says so").contains("stays as it is"));
        assert_eq!(std::fs::read_to_string(&limits).expect("reads"), "body_limits = false");
        copy_limits(&viewer, &folder.path().join("posed.bvh")).expect("does nothing");
        copy_limits(&viewer, &folder.path().join("mannequin.glb")).expect("does nothing");
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
