//! The shaders of this folder as texts.

const FILES: [(&str, &str); 31] = [
    ("background.frag", include_str!("background.frag")),
    ("background.glsl", include_str!("background.glsl")),
    ("capsule.frag", include_str!("capsule.frag")),
    ("capsule.vert", include_str!("capsule.vert")),
    ("corner.glsl", include_str!("corner.glsl")),
    ("coverage.glsl", include_str!("coverage.glsl")),
    ("finish.frag", include_str!("finish.frag")),
    ("floor.frag", include_str!("floor.frag")),
    ("floor.vert", include_str!("floor.vert")),
    ("footprint.frag", include_str!("footprint.frag")),
    ("footprint.vert", include_str!("footprint.vert")),
    ("gui.frag", include_str!("gui.frag")),
    ("gui.vert", include_str!("gui.vert")),
    ("halo.frag", include_str!("halo.frag")),
    ("halo.vert", include_str!("halo.vert")),
    ("light.glsl", include_str!("light.glsl")),
    ("line.frag", include_str!("line.frag")),
    ("line.vert", include_str!("line.vert")),
    ("mesh.frag", include_str!("mesh.frag")),
    ("mesh.vert", include_str!("mesh.vert")),
    ("outline.glsl", include_str!("outline.glsl")),
    ("patch.frag", include_str!("patch.frag")),
    ("patch.vert", include_str!("patch.vert")),
    ("round_cone.glsl", include_str!("round_cone.glsl")),
    ("scene.glsl", include_str!("scene.glsl")),
    ("screen.vert", include_str!("screen.vert")),
    ("soften.frag", include_str!("soften.frag")),
    ("softness.glsl", include_str!("softness.glsl")),
    ("sphere.frag", include_str!("sphere.frag")),
    ("sphere.vert", include_str!("sphere.vert")),
    ("stretch.frag", include_str!("stretch.frag")),
];

/// The text of a file behind a head and preprocessor definitions, with that of each file that a line `#include "file"` names.
pub(crate) fn text(head: &str, defines: &[&str], file: &str) -> String {
    let mut text = String::from(head);
    defines.iter().for_each(|define| text += &format!("#define {define}\n"));
    include(file, &mut text);
    text
}

fn include(file: &str, text: &mut String) {
    let found = FILES.iter().find(|(name, _)| *name == file);
    for line in found.map_or("#error no such file", |(_, content)| content).lines() {
        match line.strip_prefix("#include \"").and_then(|rest| rest.strip_suffix('"')) {
            Some(other) => include(other, text),
            None => {
                text.push_str(line);
                text.push('\n');
            }
        }
    }
}
