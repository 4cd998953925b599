//! Shapes of robot links: what they keep clear with.
#![allow(clippy::unwrap_used)]

use fabrik3d_ik::queries::clearance;
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
        // Two shapes in a few convex parts each.
        assert_eq!((joints.len(), drawn.capsules.len() <= 40), (4, true), "{}", drawn.capsules.len());
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

/// An arm whose hand is beside its upper link: the boxes are apart, the capsules around them overlap.
fn folded(folder: &Path) -> Scene {
    let box_at = |[x, y, z]: [f64; 3], size: &str| {
        format!("<visual><origin xyz=\"{x} {y} {z}\"/><geometry><box size=\"{size}\"/></geometry></visual>")
    };
    let flat = "0.02 0.4 0.8";
    arm(
        folder,
        |at| [String::new(), box_at([0.0, 0.0, 0.0], flat), String::new(), box_at([0.1, 0.0, -2.0], flat)][at].clone(),
        &OpenOptions::default(),
    )
}

/// Whether the upper link and the hand keep clear of each other.
fn keeps_clear(scene: &Scene) -> bool {
    let keep_clear = scene.keep_clear.as_ref().unwrap();
    let joints = ["j1", "j3"].map(|name| scene.skeleton.joints().iter().position(|joint| joint.name == name).unwrap());
    keep_clear.pairs.iter().any(|pair| pair.map(|at| keep_clear.capsules[at].joint) == joints)
}

/// Capsules that overlap in the start pose are a pair all the same if the hulls in them are apart.
#[test]
fn hulls_decide_which_links_can_keep_clear() {
    let folder = tempfile::tempdir().unwrap();
    let scene = folded(folder.path());
    assert!(keeps_clear(&scene) && scene.overlapping.is_empty());
    let nearest = clearance(&scene.skeleton, &scene.problem(), &scene.start).unwrap();
    assert!((nearest.distance - 0.08).abs() < 1e-6, "{}", nearest.distance);
    // Without the hulls, nothing could keep these capsules apart.
    let mut bare = scene.clone();
    bare.capsules.iter_mut().for_each(|capsule| capsule.hull = None);
    bare.set_keep_clear(true);
    assert!(!keeps_clear(&bare));
    assert!(bare.overlapping_links().contains(&"upper and hand".to_owned()));
    let warnings = bare.warnings();
    assert!(
        warnings.iter().any(|warning| warning.contains("upper and hand") && warning.contains("disable_collisions"))
    );
    // A scene file holds the hulls.
    let again = Scene::parse(&scene.to_toml(), fabrik3d_scene::Syntax::Toml, "robot.toml").unwrap();
    assert_eq!(again.capsules, scene.capsules);
    assert_eq!(again.keep_clear, scene.keep_clear);
}

/// An SRDF beside the robot says which links may touch; so does a key of the scene, and a scene file keeps it.
#[test]
fn collisions_that_an_srdf_disables_do_not_count() {
    let folder = tempfile::tempdir().unwrap();
    let srdf = |text: &str| std::fs::write(folder.path().join("robot.srdf"), text).unwrap();
    let entry = |a: &str, b: &str| format!("<disable_collisions link1=\"{a}\" link2=\"{b}\" reason=\"Never\"/>\n");
    assert!(keeps_clear(&folded(folder.path())));
    srdf(&format!("<?xml version=\"1.0\"?>\n<robot name=\"r\">{}</robot>", entry("hand", "upper")));
    let scene = folded(folder.path());
    assert!(!keeps_clear(&scene));
    assert!(scene.overlapping.is_empty());
    let again = Scene::parse(&scene.to_toml(), fabrik3d_scene::Syntax::Toml, "robot.toml").unwrap();
    assert_eq!(again.disabled_collisions, scene.disabled_collisions);
    assert_eq!(again.keep_clear, scene.keep_clear);
    // What is wrong is a warning with its place; the rest counts.
    srdf(&format!("<robot name=\"r\">\n{}{}</robot>", entry("upper", "hnad"), entry("hand", "upper")));
    let scene = folded(folder.path());
    assert!(!keeps_clear(&scene));
    let warnings = scene.warnings();
    let is_told = |part: &str| warnings.iter().filter(|warning| warning.contains("srdf")).all(|it| it.contains(part));
    assert!(["robot.srdf:2:1", "hnad", "hand"].into_iter().all(is_told), "{warnings:?}");
    srdf("<robot");
    let warnings = folded(folder.path()).warnings().join(";");
    assert!(warnings.contains("robot.srdf:1:") && warnings.contains("ignored"), "{warnings}");
    std::fs::remove_file(folder.path().join("robot.srdf")).unwrap();
    // The layout of ROS packages.
    let [urdf, beside] = ["urdf", "srdf"].map(|name| folder.path().join(name));
    [&urdf, &beside].into_iter().for_each(|folder| std::fs::create_dir(folder).unwrap());
    std::fs::write(beside.join("robot.srdf"), format!("<robot name=\"r\">{}</robot>", entry("hand", "upper"))).unwrap();
    assert!(!keeps_clear(&folded(&urdf)));
}

/// Hulls and pairs of joints in scene files that make no sense are errors with a place.
#[test]
fn keys_of_solid_links_are_checked() {
    let read = |text: &str| {
        let joints = "[[joint]]\nname = \"a\"\n[[joint]]\nname = \"b\"\nparent = \"a\"\noffset = [0, 1, 0]\n";
        let text =
            format!("{text}\n{joints}[[capsule]]\njoint = \"a\"\nfrom = [0, 0, 0]\nto = [0, 0, 1]\nradius = 0.1\n");
        Scene::parse(&text, fabrik3d_scene::Syntax::Toml, "s.toml").map(|_| ()).map_err(|error| error.to_string())
    };
    assert_eq!(read(""), Ok(()));
    assert_eq!(read("disable_collisions = [[\"a\", \"b\"]]"), Ok(()));
    for (text, part) in [
        ("disable_collisions = [[\"a\"]]", "two joints"),
        ("disable_collisions = [[\"a\", \"c\"]]", "`c`"),
        ("disable_collisions = 3", "list"),
    ] {
        let error = read(text).unwrap_err();
        assert!(error.contains("s.toml:1:") && error.contains(part), "{error}");
    }
    let hull = |hull: &str| {
        let text = format!(
            "[[joint]]\nname = \"a\"\n[[capsule]]\njoint = \"a\"\nfrom = [0, 0, 0]\nto = [0, 0, 1]\nradius = 0.1\nhull = {hull}"
        );
        Scene::parse(&text, fabrik3d_scene::Syntax::Toml, "s.toml").map(|_| ()).map_err(|error| error.to_string())
    };
    assert_eq!(hull("{ points = [[0, 0, 0], [0, 0.05, 1]], radius = 0.01 }"), Ok(()));
    for (text, part) in [
        ("{ points = [[0, 0, 0], [0, 0.2, 1]] }", "outside the capsule"),
        ("{ points = [] }", "no point"),
        ("{ points = [[0, 0, 0]], radius = -1 }", "radius"),
        ("{ radius = 1 }", "points"),
    ] {
        let error = hull(text).unwrap_err();
        assert!(error.contains("s.toml:8:") && error.contains(part), "{error}");
    }
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

/// A robot whose base has the mesh of this reference: the corners of its triangles, and the warnings.
fn mesh_of(folder: &Path, reference: &str, more: &str) -> (Vec<DVec3>, Vec<String>) {
    let shape = format!("<visual><geometry><mesh filename=\"{reference}\" {more}/></geometry></visual>");
    let scene = arm(folder, |at| if at == 0 { shape.clone() } else { String::new() }, &OpenOptions::default());
    let corners = scene
        .assets
        .meshes
        .iter()
        .flat_map(|mesh| mesh.triangles.iter().flatten().map(|corner| mesh.positions[*corner as usize].as_dvec3()));
    (corners.collect(), scene.assets.warnings.clone())
}

/// A mesh is found however other systems have written its name: with backslashes, with blanks as `%20`, in other case. A file of
/// exactly the name that is written comes first.
#[test]
fn meshes_are_found_however_their_names_are_written() {
    let folder = tempfile::tempdir().unwrap();
    let meshes = folder.path().join("My Robot/Meshes");
    std::fs::create_dir_all(&meshes).unwrap();
    write_mesh(&meshes.join("Part 100%.STL"));
    let (expected, warnings) = mesh_of(folder.path(), "My Robot/Meshes/Part 100%.STL", "");
    assert_eq!((expected.len(), warnings), (12, Vec::new()));
    let mut random = Random::new(7);
    for _ in 0..100 {
        let mut reference = "My Robot/Meshes/Part 100%.STL".to_owned();
        if random.index(2) == 0 {
            reference = reference.replace('%', "%25").replace(' ', "%20");
        }
        reference = match random.index(3) {
            0 => reference.to_lowercase(),
            1 => reference.to_uppercase(),
            _ => reference,
        };
        let scheme = ["", "package://", "file://"][random.index(3)];
        let root = if scheme == "file://" { format!("{}/", folder.path().display()) } else { String::new() };
        if random.index(2) == 0 {
            reference = reference.replace('/', "\\");
        }
        let reference = format!("{scheme}{root}{reference}");
        assert_eq!(mesh_of(folder.path(), &reference, ""), (expected.clone(), Vec::new()), "{reference}");
    }
    let other = "solid s\nfacet normal 0 0 0\nouter loop\nvertex 0 0 0\nvertex 1 0 0\nvertex 0 1 0\nendloop\nendfacet\nendsolid\n";
    std::fs::write(meshes.join("part 100%.stl"), other).unwrap();
    assert_eq!(mesh_of(folder.path(), "My Robot/Meshes/part 100%.stl", "").0.len(), 3);
    let (corners, warnings) = mesh_of(folder.path(), "My%20Robot\\Meshes\\none.stl", "");
    assert!(
        corners.is_empty() && warnings.len() == 1 && warnings[0].contains("is missing: not found in"),
        "{warnings:?}"
    );
}

/// One number scales all axes.
#[test]
fn one_number_scales_all_axes() {
    let folder = tempfile::tempdir().unwrap();
    write_mesh(&folder.path().join("a.stl"));
    assert_eq!(
        mesh_of(folder.path(), "a.stl", "scale=\"0.001\""),
        mesh_of(folder.path(), "a.stl", "scale=\"0.001 0.001 0.001\"")
    );
    assert!(mesh_of(folder.path(), "a.stl", "scale=\"1 2\"").1[0].contains("must be 3 numbers"));
}

/// A glTF file as a visual is what its nodes show at rest, in both forms, with the nodes where they are.
#[test]
fn meshes_in_gltf_are_what_its_nodes_show() {
    let folder = tempfile::tempdir().unwrap();
    let mut random = Random::new(9);
    for case in 0..40 {
        let corners: Vec<DVec3> = (0..3).map(|_| random.ball()).collect();
        let bytes: Vec<u8> = corners.iter().flat_map(|at| at.as_vec3().to_array()).flat_map(f32::to_le_bytes).collect();
        let (place, turn, scale) = (random.ball(), random.rotation(), random.range(0.5, 2.0));
        let node = serde_json::json!({
            "mesh": 0, "translation": place.to_array(), "rotation": turn.to_array(), "scale": [scale, scale, scale],
        });
        let is_binary = case % 2 == 0;
        let document = serde_json::json!({
            "asset": {"version": "2.0"}, "scene": 0, "scenes": [{"nodes": [1]}],
            "nodes": [node, {"children": [0], "translation": [1, 2, 3]}],
            "meshes": [{"primitives": [{"attributes": {"POSITION": 0}}]}],
            "accessors": [{"bufferView": 0, "componentType": 5126, "count": 3, "type": "VEC3"}],
            "bufferViews": [{"buffer": 0, "byteLength": 36}],
            "buffers": [if is_binary { serde_json::json!({"byteLength": 36}) } else { serde_json::json!({"byteLength": 36, "uri": "Data.bin"}) }],
        });
        let mut json = document.to_string();
        let name = if is_binary { "part.glb" } else { "part.gltf" };
        let file = if is_binary {
            json += &" ".repeat((4 - json.len() % 4) % 4);
            let size = |bytes: &[u8]| (bytes.len() as u32).to_le_bytes();
            let total = (28 + json.len() + bytes.len()) as u32;
            [
                &b"glTF\x02\0\0\0"[..],
                &total.to_le_bytes(),
                &size(json.as_bytes()),
                b"JSON",
                json.as_bytes(),
                &size(&bytes),
                b"BIN\0",
                &bytes,
            ]
            .concat()
        } else {
            std::fs::write(folder.path().join("data.BIN"), &bytes).unwrap();
            json.into_bytes()
        };
        std::fs::write(folder.path().join(name), file).unwrap();
        let (found, warnings) = mesh_of(folder.path(), name, "");
        assert!(warnings.iter().all(|warning| warning.contains("y up")), "{warnings:?}");
        assert_eq!(found.len(), 3);
        for (found, corner) in found.into_iter().zip(corners) {
            let expected = DVec3::new(1.0, 2.0, 3.0) + place + turn * (corner * scale);
            assert!(found.distance(expected) < 1e-5, "{found} {expected}");
        }
    }
}
