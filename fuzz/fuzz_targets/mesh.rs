//! Meshes: the first byte selects the reader (`s` STL, `o` OBJ, `d` DAE, `g` glTF), the rest is the file.
#![no_main]

use fabrik3d_scene::read_mesh;
use libfuzzer_sys::fuzz_target;

fuzz_target!(|data: &[u8]| {
    let Some((choice, bytes)) = data.split_first() else { return };
    let extension = match choice {
        b's' => "stl",
        b'o' => "obj",
        b'd' => "dae",
        b'g' => "glb",
        _ => return,
    };
    if let Ok(file) = read_mesh(bytes.to_vec(), extension, "fuzz") {
        file.parts.iter().for_each(fabrik3d_fuzz::check_mesh);
    }
});
