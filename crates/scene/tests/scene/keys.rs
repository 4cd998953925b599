//! `docs/scene-files.md` matches the reader: its tables list every key, its defaults and required keys are correct, and its
//! examples open.
#![allow(clippy::unwrap_used)]

use fabrik3d_ik::Kind;
use fabrik3d_scene::{Scene, Syntax};
use glam::DVec3;
use std::collections::BTreeSet;
use std::path::Path;

const PAGE: &str = include_str!("../../../../docs/scene-files.md");

/// A heading of the page and a scene with that table: the text before its keys, the keys, the text after them.
type Section = (&'static str, &'static str, &'static str, &'static str);

const TREE: &str = "[[joint]]\nname = \"a\"\n[[joint]]\nname = \"b\"\nparent = \"a\"\noffset = [0, 1, 0]\n";

const SECTIONS: &[Section] = &[
    (
        "The file",
        "",
        "up = \"z\"\nunit = \"m\"\nlink_radius = 1\nkeep_clear = true\nmargin = 1\nbalance = false\n",
        TREE,
    ),
    (
        "`[[joint]]`",
        "[[joint]]\nname = \"root\"\n[[joint]]\n",
        "name = \"a\"\nparent = \"root\"\noffset = [0, 1, 0]\nrest = [1, 0, 0, 0]\naxes = \"world\"\nstiffness = 0.5\nkind = \"hinge\"\naxis = [0, 0, 1]\n",
        "",
    ),
    (
        "`mimic` of a joint",
        "[[joint]]\nname = \"a\"\nkind = \"hinge\"\naxis = [0, 0, 1]\n[[joint]]\nname = \"b\"\nkind = \"hinge\"\naxis = [0, 0, 1]\n[joint.mimic]\n",
        "joint = \"a\"\nscale = 2\noffset = 1\n",
        "",
    ),
    (
        "`[[chain]]`",
        "[[chain]]\n",
        "points = [[0, 0, 0], [0, 1, 0]]\nname = \"arm\"\nbase = \"free\"\npresets = [[1, 0, 0]]\n",
        "",
    ),
    (
        "`[[effector]]`",
        "[[joint]]\nname = \"a\"\n[[joint]]\nname = \"b\"\nparent = \"a\"\noffset = [0, 1, 0]\n[[effector]]\n",
        "joint = \"b\"\ntip = [0, 0, 1]\ntarget = [1, 1, 0]\nrotation = [1, 0, 0, 0]\nweight = 2\nrotation_weight = 2\nhold = \"free\"\npresets = [[1, 0, 0]]\n",
        "",
    ),
    ("`[[pole]]`", "[[joint]]\nname = \"a\"\n[[pole]]\n", "joint = \"a\"\ntoward = [0, 0, 1]\n", ""),
    (
        "`[[loop]]`",
        "[[joint]]\nname = \"a\"\n[[joint]]\nname = \"b\"\n[[loop]]\n",
        "a = { joint = \"a\" }\nb = { joint = \"b\" }\n",
        "",
    ),
    (
        "An end of a loop",
        "[[joint]]\nname = \"a\"\n[[joint]]\nname = \"b\"\n[[loop]]\nb = { joint = \"b\" }\n[loop.a]\n",
        "joint = \"a\"\npoint = [0, 0, 1]\n",
        "",
    ),
    ("`[[obstacle]]`", "[[joint]]\nname = \"a\"\n[[obstacle]]\n", "sphere = { center = [0, 0, 0], radius = 1 }\n", ""),
    (
        "`sphere` of an obstacle",
        "[[joint]]\nname = \"a\"\n[[obstacle]]\n[obstacle.sphere]\n",
        "center = [0, 0, 0]\nradius = 1\n",
        "",
    ),
    (
        "`capsule` of an obstacle",
        "[[joint]]\nname = \"a\"\n[[obstacle]]\n[obstacle.capsule]\n",
        "from = [0, 0, 0]\nto = [0, 0, 1]\nradius = 1\n",
        "",
    ),
    (
        "`box` of an obstacle",
        "[[joint]]\nname = \"a\"\n[[obstacle]]\n[obstacle.box]\n",
        "center = [0, 0, 0]\nsize = [1, 2, 3]\nrotation = [1, 0, 0, 0]\n",
        "",
    ),
    (
        "`plane` of an obstacle",
        "[[joint]]\nname = \"a\"\n[[obstacle]]\n[obstacle.plane]\n",
        "normal = [0, 1, 0]\noffset = 1\n",
        "",
    ),
    (
        "`[[capsule]]`",
        "[[joint]]\nname = \"a\"\n[[capsule]]\n",
        "joint = \"a\"\nfrom = [0, 0, 0]\nto = [0, 0, 1]\nradius = 1\n",
        "",
    ),
    (
        "`hull` of a capsule",
        "[[joint]]\nname = \"a\"\n[[capsule]]\njoint = \"a\"\nfrom = [0, 0, 0]\nto = [0, 0, 1]\nradius = 1\n[capsule.hull]\n",
        "points = [[0, 0, 0]]\nradius = 0.1\n",
        "",
    ),
    (
        "`[solver]`",
        "[[joint]]\nname = \"a\"\n[solver]\n",
        "method = \"ccd\"\ntolerance = 1\nrotation_tolerance = 1\nmax_iterations = 7\nmax_attempts = 7\niterations_per_frame = 7\nseed = 7\nprefer = \"nearest\"\n",
        "",
    ),
    ("`[smoothing]`", "[[joint]]\nname = \"a\"\n[smoothing]\n", "duration = 7\nkeys = 7\n", ""),
    ("`[[mass]]`", "[[joint]]\nname = \"a\"\n[[mass]]\n", "joint = \"a\"\npoint = [0, 0, 1]\nmass = 2\n", ""),
    (
        "`[[end_site]]`",
        "[[joint]]\nname = \"a\"\n[[end_site]]\n",
        "joint = \"a\"\ntip = [0, 0, 1]\nname = \"end\"\n",
        "",
    ),
    ("`[camera]`", "[[joint]]\nname = \"a\"\n[camera]\n", "position = [0, 1, 2]\nlook_at = [0, 0, 0]\n", ""),
];

fn read(text: &str) -> Result<Scene, String> {
    Scene::parse(text, Syntax::Toml, "page.toml").map_err(|error| error.to_string())
}

/// The keys below a heading of the page, with the defaults in the page.
fn documented(heading: &str) -> Vec<(String, String)> {
    let lines =
        PAGE.lines().skip_while(|line| line.trim_start_matches('#').trim() != heading || !line.starts_with('#'));
    let below = lines.skip(1).take_while(|line| !line.starts_with('#'));
    let rows = below.filter(|line| line.starts_with("| `"));
    rows.map(|row| {
        let cells: Vec<&str> = row.split('|').map(str::trim).collect();
        (cells[1].trim_matches('`').to_owned(), cells[3].to_owned())
    })
    .collect()
}

/// The lines without the line of a key.
fn without(lines: &str, key: &str) -> String {
    lines.lines().filter(|line| !line.starts_with(&format!("{key} ="))).map(|line| format!("{line}\n")).collect()
}

#[test]
fn the_page_lists_every_key() {
    for (heading, before, keys, after) in SECTIONS {
        read(&format!("{before}{keys}{after}")).unwrap_or_else(|error| panic!("{heading}: {error}"));
        // The reader lists the known keys.
        let error = read(&format!("{before}{keys}zzzzzzzzzzzz = 1\n{after}")).unwrap_err();
        let (_, known) = error.split_once("known: ").unwrap_or_else(|| panic!("{heading}: {error}"));
        let known: BTreeSet<&str> = known.split(", ").collect();
        let rows = documented(heading);
        let listed: BTreeSet<&str> = rows.iter().map(|(key, _)| key.as_str()).collect();
        assert_eq!(listed, known, "{heading}");
    }
    let headings = PAGE.lines().filter(|line| line.starts_with("##")).count();
    assert_eq!(headings, SECTIONS.len() + 1, "a section of the page is not tested");
}

#[test]
fn defaults_and_required_keys_match_the_page() {
    let mut checked = 0;
    for (heading, before, keys, after) in SECTIONS {
        for (key, default) in documented(heading) {
            let bare = without(keys, &key);
            let left_out = read(&format!("{before}{bare}{after}"));
            if default == "required" {
                assert!(left_out.is_err(), "{heading}: {key} is not required");
                checked += 1;
            } else if let Some(value) = default.strip_prefix('`').and_then(|value| value.strip_suffix('`')) {
                let written = read(&format!("{before}{bare}{key} = {value}\n{after}"));
                // Without a kind, the keys of a hinge come first.
                let (left_out, written) = match (key.as_str(), *heading) {
                    ("kind", _) => {
                        let bare = without(&bare, "axis");
                        (
                            read(&format!("{before}{bare}{after}")),
                            read(&format!("{before}{bare}{key} = {value}\n{after}")),
                        )
                    }
                    _ => (left_out, written),
                };
                let (left_out, written) = (left_out.unwrap(), written.unwrap());
                assert_eq!(left_out, written, "{heading}: {key} = {value} is not the default");
                checked += 1;
            }
        }
    }
    assert!(checked >= 35, "{checked}");
    // The test detects a wrong default.
    let solver = SECTIONS.iter().find(|section| section.0 == "`[solver]`");
    let &(_, before, keys, after) = solver.unwrap();
    assert_ne!(read(&format!("{before}{}{after}", without(keys, "seed"))), read(&format!("{before}{keys}{after}")));
}

#[test]
fn the_examples_on_the_page_open() {
    let blocks: Vec<&str> = PAGE.split("```toml\n").skip(1).map(|rest| rest.split("```").next().unwrap()).collect();
    let [scene, limits] = blocks[..] else { panic!("two examples expected") };
    let scene = read(scene).unwrap();
    assert_eq!((scene.skeleton.len(), scene.effectors.len(), scene.obstacles.len()), (2, 1, 1));
    let folder = tempfile::tempdir().unwrap();
    let bones = Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/../..")).join("assets/models/two-joints.bvh");
    std::fs::copy(bones, folder.path().join("two-joints.bvh")).unwrap();
    std::fs::write(folder.path().join("two-joints.limits.toml"), limits).unwrap();
    let limited = Scene::open(folder.path().join("two-joints.bvh")).unwrap();
    assert!(matches!(limited.skeleton.joints()[0].kind, Kind::Ball { swing: Some(_), twist: Some(_) }));
    assert!(matches!(limited.skeleton.joints()[1].kind, Kind::Hinge { axis: DVec3::X, range: Some(_) }));
}
