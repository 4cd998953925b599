//! Shared by the fuzz targets: reading a scene from memory, and the invariants of everything that can be read.

use fabrik3d_scene::{FileFormat, Files, Mesh, Motion, OpenOptions, Scene, Syntax};
use std::path::PathBuf;
use std::sync::{Arc, LazyLock};

/// A scene with a joint of every kind, for tables and cases.
pub static CASES: LazyLock<Scene> = LazyLock::new(|| {
    Scene::parse(include_str!("../scenes/cases.toml"), Syntax::Toml, "cases.toml").expect("a valid scene")
});

/// A file in a folder that this process alone uses.
pub fn scratch_file(name: &str) -> PathBuf {
    let folder = std::env::temp_dir().join(format!("fabrik3d-fuzz-{}", std::process::id()));
    std::fs::create_dir_all(&folder).expect("the folder for temporary files can be written");
    folder.join(name)
}

/// Reads the bytes as a file of this name. Files that it refers to do not exist.
pub fn read(bytes: &[u8], name: &str) -> Option<Scene> {
    // Robots may name files at any path: do not open them.
    let options = OpenOptions { files: Files::Held(Arc::default()), ..OpenOptions::default() };
    let scene = Scene::from_bytes(bytes.to_vec(), format!("no-such-folder/{name}"), &options).ok()?;
    check(&scene);
    Some(scene)
}

/// A motion of a scene as the contents of a file with this extension.
pub fn written(scene: &Scene, motion: &Motion, extension: &str) -> std::io::Result<Vec<u8>> {
    let write = FileFormat::with_extension(extension).and_then(|format| format.write_motion).expect("a format of motion");
    let mut bytes = Vec::new();
    write(scene, motion, &mut bytes).map(|()| bytes)
}

/// Checks that a scene is consistent: finite frames and valid indices.
pub fn check(scene: &Scene) {
    let frames = scene.skeleton.frames(&scene.start);
    assert!(frames.iter().all(|frame| frame.position.is_finite() && frame.rotation.is_finite()));
    for motion in &scene.assets.motions {
        for frame in [0, motion.len() / 2, motion.len().saturating_sub(1)] {
            let frames = scene.skeleton.frames(&motion.pose(&scene.skeleton, frame));
            assert!(frames.iter().all(|frame| frame.rotation.is_finite()));
        }
    }
    assert!(scene.assets.surfaces.iter().all(|surface| surface.mesh < scene.assets.meshes.len()));
    for skin in &scene.assets.skins {
        assert_eq!(skin.joints.len(), skin.inverse_bind.len());
        let named = scene.assets.meshes[skin.mesh].influences.iter().flat_map(|influence| influence.joints);
        assert!(skin.joints.is_empty() || named.into_iter().all(|joint| usize::from(joint) < skin.joints.len()));
    }
    scene.assets.meshes.iter().for_each(check_mesh);
}

/// Checks that a mesh has valid indices and finite vertices.
pub fn check_mesh(mesh: &Mesh) {
    let count = mesh.positions.len();
    assert_eq!(mesh.normals.len(), count);
    assert!(mesh.influences.is_empty() || mesh.influences.len() == count);
    assert!(mesh.triangles.iter().flatten().all(|&corner| (corner as usize) < count));
    assert!(mesh.positions.iter().all(|position| position.is_finite()));
}
