//! What files keep of a scene, and what they leave behind.

use crate::hud::quoted;
use crate::session::MotionMode;
use crate::view::Viewer;
use fabrik3d_scene::{Content, FileFormat, limits_path};
use std::path::Path;

/// What a file with this name holds, if that is less than a scene.
pub(super) fn contents(path: &Path) -> Option<&'static str> {
    let format = FileFormat::of(path)?;
    match format.scene_syntax() {
        Some(_) => None,
        None if holds(path, Content::Targets) => Some(
            "one row of joint values: angles in radians, ball joints as quaternions, lengths in the unit of the scene",
        ),
        None if format.saves_scenes() => Some("the pose; pins, targets and limits are not saved"),
        None => format.is_written().then_some("the pose alone, as a motion of one frame"),
    }
}

/// That a file with the present pose would lack a motion that the window shows: glTF keeps the character's own clips.
pub(super) fn motion_left_behind(viewer: &Viewer, path: &Path) -> Option<String> {
    let motion = viewer.session().motion().filter(|motion| motion.is_engaged() && motion.duration() > 0.0)?;
    let is_scene = FileFormat::of(path).is_some_and(|format| format.scene_syntax().is_some());
    let keeps_clips = FileFormat::of(path).is_some_and(FileFormat::saves_scenes);
    let is_own = motion.source.file.is_none() && motion.mode == MotionMode::Show;
    let name = motion.clip_name();
    (!(is_scene || is_own && keeps_clips)).then(|| format!("This pose of “{name}” is saved, not its motion."))
}

/// That a glTF file with the present pose needs the limits file of this one, if it names the parts of the body.
fn names_left_behind(viewer: &Viewer, path: &Path) -> Option<String> {
    let assets = &viewer.session().scene().assets;
    let saves_pose =
        FileFormat::of(path).is_some_and(|format| format.saves_scenes() && format.scene_syntax().is_none());
    let limits =
        |path: &Path| limits_path(path).file_name().map_or(String::new(), |name| name.to_string_lossy().into_owned());
    let (own, other) = (limits(assets.source.as_deref()?), limits(path));
    let is_needed = saves_pose && !assets.named_parts.is_empty() && own != other;
    is_needed.then(|| format!("Names and limits stay in {own}; copy it to {other}."))
}

/// The command that writes the motion that the window shows to this file. Paths are names: nobody types long ones.
pub(super) fn conversion(viewer: &Viewer, scene: Option<&Path>, path: &Path) -> String {
    let word = |name: &str| if name.contains(' ') { format!("'{name}'") } else { name.to_owned() };
    let name = |path: &Path| word(&path.file_name().unwrap_or(path.as_os_str()).to_string_lossy());
    let motion = viewer.session().motion();
    let recording = motion.and_then(|motion| motion.source.file.as_deref());
    let recording = recording.map_or(String::new(), |file| format!(" --motion {}", name(file)));
    let clip = motion.filter(|motion| motion.source.clips().len() > 1);
    let clip = clip.map_or(String::new(), |motion| format!(" --clip {}", word(motion.clip_name())));
    format!("fabrik3d convert {}{recording}{clip} -o {}", scene.map_or("SCENE".to_owned(), name), name(path))
}

/// What a file with this name would hold of the scene, or lack, if that is not all.
pub(super) fn kept(viewer: &Viewer, path: &Path) -> Option<String> {
    let lost = viewer.session().scene().left_behind(path).map(|lost| format!("Warning: {}.", quoted(&lost)));
    let kept = lost.or_else(|| contents(path).map(|contents| format!("It holds {contents}.")));
    let names = names_left_behind(viewer, path);
    let parts: Vec<String> = kept.into_iter().chain(motion_left_behind(viewer, path)).chain(names).collect();
    (!parts.is_empty()).then(|| parts.join(" "))
}

/// Whether files of this format contain this kind of content.
pub(super) fn holds(file: &Path, content: Content) -> bool {
    FileFormat::of(file).is_some_and(|format| format.holds(content))
}
