//! What the fuzz targets have in common: scenes read from memory, and what must hold of each.

use fabrik3d_scene::{OpenOptions, Scene, Surfaces};
use fabrik3d_scene::Mesh;

/// Reads a scene as though the bytes were a file of this name. What the file refers to is not there.
pub fn read(bytes: &[u8], name: &str) -> Option<Scene> {
    // A robot's meshes may be anywhere; only their descriptions are read.
    let surfaces = if name.ends_with("urdf") { Surfaces::Skip } else { Surfaces::Load };
    let options = OpenOptions { surfaces, ..OpenOptions::default() };
    let scene = Scene::from_bytes(bytes.to_vec(), format!("no-such-folder/{name}"), &options).ok()?;
    check(&scene);
    Some(scene)
}

/// What opens must hold together, and survive being written as a scene of our own.
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

/// Every corner of a mesh is there, and every vertex is somewhere.
pub fn check_mesh(mesh: &Mesh) {
    let count = mesh.positions.len();
    assert_eq!(mesh.normals.len(), count);
    assert!(mesh.influences.is_empty() || mesh.influences.len() == count);
    assert!(mesh.triangles.iter().flatten().all(|&corner| (corner as usize) < count));
    assert!(mesh.positions.iter().all(|position| position.is_finite()));
}
