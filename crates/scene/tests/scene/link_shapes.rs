//! Shapes of robot links: what they keep clear with.
#![allow(clippy::unwrap_used)]

use fabrik3d_ik::random::Random;
use fabrik3d_scene::{Change, OpenOptions, Scene, Surfaces};
use glam::DVec3;
use std::collections::BTreeSet;
use std::path::Path;

/// An arm of three moving links on a fixed base; each link has `parts` of its index, as the text of elements.
fn arm(folder: &Path, parts: impl Fn(usize) -> String, options: &OpenOptions) -> Scene {
    let names = ["base", "upper", "lower", "hand"];
    let links = (0..4).map(|at| format!("<link name=\"{}\">{}</link>\n", names[at], parts(at)));
    let joints = (1..4).map(|at| {
        format!(
            "<joint name=\"j{at}\" type=\"continuous\"><parent link=\"{}\"/><child link=\"{}\"/><origin xyz=\"0 0 1\"/></joint>\n",
            names[at - 1],
            names[at]
        )
    });
    let text = format!("<robot name=\"r\">{}{}</robot>", links.collect::<String>(), joints.collect::<String>());
    let path = folder.join("robot.urdf");
    std::fs::write(&path, text).unwrap();
    let mut scene = Scene::open_with(&path, options).unwrap();
    if options.changes.is_empty() {
        scene.set_keep_clear(true);
    }
    scene
}

/// A tetrahedron as STL.
fn write_mesh(path: &Path) {
    let corners = ["0 0 0", "0.1 0 0", "0 0.2 0", "0 0 0.6"];
    let face = |[a, b, c]: [usize; 3]| {
        let vertices = [a, b, c].map(|at| format!("vertex {}\n", corners[at])).concat();
        format!("facet normal 0 0 0\nouter loop\n{vertices}endloop\nendfacet\n")
    };
    let faces = [[0, 2, 1], [0, 1, 3], [0, 3, 2], [1, 2, 3]].map(face).concat();
    std::fs::write(path, format!("solid s\n{faces}endsolid\n")).unwrap();
}

/// A random geometry at a random place.
fn geometry(random: &mut Random) -> String {
    let mut size = || random.range(0.02, 0.3);
    let shapes = [
        format!("<box size=\"{} {} {}\"/>", size(), size(), size()),
        format!("<cylinder radius=\"{}\" length=\"{}\"/>", size(), size()),
        format!("<sphere radius=\"{}\"/>", size()),
        format!("<mesh filename=\"a.stl\" scale=\"{} 1 {}\"/>", size(), size()),
    ];
    let (place, turn) = (random.ball() * 0.2, random.ball() * 3.0);
    let numbers = |v: DVec3| format!("{} {} {}", v.x, v.y, v.z);
    let shape = &shapes[random.index(4)];
    format!("<origin xyz=\"{}\" rpy=\"{}\"/><geometry>{shape}</geometry>", numbers(place), numbers(turn))
}

/// Collision shapes give the capsules that the same shapes give as visuals; beside a visual that can be read they do not count.
#[test]
fn links_without_visuals_keep_clear_with_their_collision_shapes() {
    let folder = tempfile::tempdir().unwrap();
    write_mesh(&folder.path().join("a.stl"));
    let as_given = OpenOptions::default();
    let mut random = Random::new(4);
    for case in 0..40 {
        let shapes: Vec<String> = (0..8).map(|_| geometry(&mut random)).collect();
        let as_tag = |tag: &str, at: usize| {
            shapes[2 * at..2 * at + 2].iter().map(|shape| format!("<{tag}>{shape}</{tag}>")).collect::<String>()
        };
        let drawn = arm(folder.path(), |at| as_tag("visual", at), &as_given);
        let missing = "<visual><geometry><mesh filename=\"none.stl\"/></geometry></visual>";
        let other = "<collision><geometry><sphere radius=\"9\"/></geometry></collision>";
        let joints: BTreeSet<usize> = drawn.capsules.iter().map(|capsule| capsule.joint).collect();
        assert_eq!((joints.len(), drawn.capsules.len() <= 8), (4, true));
        let solid = arm(folder.path(), |at| as_tag("collision", at), &as_given);
        let unread = arm(folder.path(), |at| missing.to_owned() + &as_tag("collision", at), &as_given);
        let both = arm(folder.path(), |at| as_tag("visual", at) + other, &as_given);
        for (scene, what) in [(&solid, "no visual"), (&unread, "a missing mesh"), (&both, "a visual")] {
            assert_eq!(scene.capsules, drawn.capsules, "case {case}: {what}");
            assert_eq!(scene.keep_clear, drawn.keep_clear, "case {case}: {what}");
        }
        assert!(solid.assets.surfaces.is_empty(), "collision shapes are not drawn");
        assert_eq!(solid.warnings(), [""; 0]);
    }
}

/// Moving links without a shape are named, but only while links keep clear, and not if they all have a radius.
#[test]
fn moving_links_without_a_shape_are_named() {
    let folder = tempfile::tempdir().unwrap();
    let ball = "<visual><geometry><sphere radius=\"0.1\"/></geometry></visual>";
    let missing = "<collision><geometry><mesh filename=\"none.stl\"/></geometry></collision>";
    let as_given = OpenOptions::default();
    let named = |scene: &Scene| {
        let warnings = scene.warnings();
        let start = "keep clear: links without a shape count as lines between their joints: ";
        let warning = warnings.iter().find_map(|warning| warning.strip_prefix(start));
        warning.map(|warning| warning.split(';').next().unwrap_or_default().to_owned())
    };
    let shape = |only: &'static [usize]| move |at: usize| if only.contains(&at) { ball } else { "" }.to_owned();
    assert_eq!(named(&arm(folder.path(), shape(&[0, 1, 2, 3]), &as_given)), None);
    // The hand has no shape in the file at all: it is a frame, and has no line to keep clear with.
    assert_eq!(named(&arm(folder.path(), shape(&[0, 1, 2]), &as_given)), None);
    // The base cannot move.
    assert_eq!(named(&arm(folder.path(), shape(&[1, 2, 3]), &as_given)), None);
    assert_eq!(named(&arm(folder.path(), shape(&[3]), &as_given)).as_deref(), Some("upper, lower"));
    let unread = |at: usize| if at == 1 { ball } else { missing }.to_owned();
    let mut scene = arm(folder.path(), unread, &as_given);
    assert_eq!(named(&scene).as_deref(), Some("lower, hand"));
    let missing = scene.assets.warnings.clone();
    assert!(missing.len() == 1 && missing[0].contains("none.stl"), "{missing:?}");
    scene.link_radius = 0.05;
    scene.set_keep_clear(true);
    assert_eq!(named(&scene), None);
    scene.link_radius = 0.0;
    scene.set_keep_clear(false);
    assert_eq!(scene.warnings(), missing);
}

/// A scene key or a flag that turns keep clear on gives the same capsules: it needs the meshes, whatever the options say.
#[test]
fn the_key_reads_the_meshes_that_it_needs() {
    let folder = tempfile::tempdir().unwrap();
    write_mesh(&folder.path().join("a.stl"));
    let mesh = "<geometry><mesh filename=\"a.stl\"/></geometry>";
    for tag in ["visual", "collision"] {
        let parts = |_: usize| format!("<{tag}>{mesh}</{tag}>");
        let expected = arm(folder.path(), parts, &OpenOptions::default());
        let changes: Vec<Change> = vec!["keep_clear=true".parse().unwrap()];
        for surfaces in [Surfaces::Load, Surfaces::Skip] {
            let scene = arm(
                folder.path(),
                parts,
                &OpenOptions { changes: changes.clone(), surfaces, ..OpenOptions::default() },
            );
            assert_eq!(scene.keep_clear, expected.keep_clear, "{tag}, {surfaces:?}");
            assert_eq!(scene.capsules.len(), 4);
            let has_surfaces = surfaces == Surfaces::Load && tag == "visual";
            assert_eq!(!scene.assets.surfaces.is_empty(), has_surfaces, "{tag}, {surfaces:?}");
        }
    }
}
