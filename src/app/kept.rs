//! What files keep of a scene, and what they leave behind.

use fabrik3d_scene::{Content, FileFormat, limits_path, write_file};
use fabrik3d_viewer::hud::{file_name, quoted};
use fabrik3d_viewer::session::MotionMode;
use fabrik3d_viewer::view::Viewer;
use std::path::Path;

/// What a file with this name holds, if that is less than a scene.
pub(super) fn held(path: &Path) -> Option<&'static str> {
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
    let is_own = motion.source.file.is_none() && motion.mode == MotionMode::Show;
    let keeps = is_scene_file(path) || is_own && opens_again(path);
    let rest = if motion.has_rows() { "the other rows" } else { "its motion" };
    (!keeps).then(|| format!("This pose of “{}” is saved, not {rest}.", motion.clip_name()))
}

/// Writes the limits file of a new file with the figure's pose, which would lose names and limits otherwise. What is written are
/// those that count here: the present limits file may have changed since it was read. Returns the name of the new file.
///
/// # Errors
/// What cannot be written, and why; and that another limits file is there, which counts, and is not replaced.
pub(super) fn copy_limits(viewer: &Viewer, path: &Path) -> Result<Option<String>, String> {
    let own = viewer.session().scene().assets.limits_text.as_deref();
    let Some(own) = own.filter(|_| opens_again(path) && !is_scene_file(path)) else { return Ok(None) };
    let file = limits_path(path);
    let name = file_name(&file).into_owned();
    match std::fs::read(&file) {
        Ok(other) if String::from_utf8_lossy(&other).trim_start_matches('\u{feff}') == own => Ok(None),
        Err(_) if !file.exists() && own.is_empty() => Ok(None),
        Err(_) if !file.exists() => match write_file(&file, |out| out.write_all(own.as_bytes())) {
            Ok(()) => Ok(Some(name)),
            Err(error) => Err(format!("Names and limits are not in {name}: {error}.")),
        },
        _ => Err(format!(
            "{name} says something else than the names and limits here, and stays as it is. It counts when the file is opened. To \
             keep the names and limits here, delete it before you save."
        )),
    }
}

/// What a file with this name would hold of the scene, or lack, if that is not all.
pub(super) fn kept(viewer: &Viewer, path: &Path) -> Option<String> {
    let lost = viewer.session().scene().left_behind(path).map(|lost| format!("Warning: {}.", quoted(&lost)));
    let kept = lost.or_else(|| held(path).map(|held| format!("It holds {held}.")));
    let parts: Vec<String> = kept.into_iter().chain(motion_left_behind(viewer, path)).collect();
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
        viewer.scene_now().save(&posed).expect("saves");
        // The limits that count are those that were read.
        std::fs::write(folder.path().join("mannequin.limits.toml"), "body_limits = false").expect("writes");
        copy_limits(&viewer, &posed).expect("copies");
        let [own, new] = [viewer.session().scene(), &Scene::open(&posed).expect("opens")].map(|scene| {
            scene.skeleton.joints().iter().map(|joint| (joint.name.clone(), joint.kind)).collect::<Vec<_>>()
        });
        assert_eq!(own, new);
        copy_limits(&viewer, &posed).expect("does nothing");
        std::fs::write(&limits, "body_limits = false").expect("writes");
        assert!(copy_limits(&viewer, &posed).expect_err("says so").contains("stays as it is"));
        assert_eq!(std::fs::read_to_string(&limits).expect("reads"), "body_limits = false");
        copy_limits(&viewer, &folder.path().join("posed.bvh")).expect("does nothing");
        let own = copy_limits(&viewer, &folder.path().join("mannequin.glb"));
        assert!(own.expect_err("says so").contains("mannequin.limits.toml says something else"));
        assert_eq!(std::fs::read_dir(folder.path()).expect("a folder").count(), 4);
    }
}
