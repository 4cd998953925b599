//! Meshes: the first byte chooses the reader, the rest is the file.
//! `cargo +nightly fuzz run mesh fuzz/corpus/mesh`
#![no_main]

use fabrik3d::scene::mesh::read_mesh;
use libfuzzer_sys::fuzz_target;

fuzz_target!(|data: &[u8]| {
    let Some((choice, bytes)) = data.split_first() else { return };
    let extension = ["stl", "obj", "dae"][usize::from(*choice) % 3];
    if let Ok(file) = read_mesh(bytes.to_vec(), extension, "fuzz") {
        for part in &file.parts {
            let count = part.positions.len();
            assert!(part.normals.len() == count);
            assert!(part.triangles.iter().flatten().all(|&corner| (corner as usize) < count));
        }
    }
});
