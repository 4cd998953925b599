//! Every mistake in a scene file gives an error with position, reason and fix.
#![allow(clippy::unwrap_used)]

use fabrik3d_scene::{Change, OpenOptions, Scene, Syntax};

fn toml_error(text: &str) -> String {
    Scene::parse(text, Syntax::Toml, "arm.toml").expect_err("must be refused").to_string()
}

fn json_error(text: &str) -> String {
    Scene::parse(text, Syntax::Json, "arm.json").expect_err("must be refused").to_string()
}

const ARM: &str = r#"
[[joint]]
name = "shoulder"

[[joint]]
name = "elbow"
parent = "shoulder"
offset = [0, 1, 0]

[[effector]]
joint = "elbow"
tip = [0, 1, 0]
"#;

/// The arm with one line replaced.
fn arm(line: &str, by: &str) -> String {
    assert_eq!(ARM.matches(line).count(), 1, "{line}");
    ARM.replace(line, by)
}

#[test]
fn the_unmodified_arm_opens() {
    let scene = Scene::parse(ARM, Syntax::Toml, "arm.toml").unwrap();
    assert_eq!((scene.name.as_str(), scene.skeleton.len(), scene.effectors[0].name.as_str()), ("arm", 2, "elbow"));
}

#[test]
fn a_distance_tolerance_counts_instead_of_a_relative_one() {
    let text = format!("{ARM}[solver]\ntolerance = 0.5\ndistance_tolerance = 1e-5\n");
    let scene = Scene::parse(&text, Syntax::Toml, "arm.toml").unwrap();
    let distance = scene.settings.tolerance * scene.effector_size(&scene.effectors[0]);
    assert!((distance - 1e-5).abs() < 1e-15, "{distance}");
}

#[test]
fn toml_errors_have_a_position_and_a_reason() {
    let parent = "parent = \"shoulder\"";
    let offset = "offset = [0, 1, 0]";
    let tip = "tip = [0, 1, 0]";
    let more = |line: &str| format!("{ARM}{line}\n");
    let cases = [
        // text, position, reason, fix
        (arm(offset, "ofset = [0, 1, 0]"), "8:1", "unknown key `ofset` in `joint[1]`", "did you mean `offset`?"),
        (
            arm(offset, "offset = [0, 1]"),
            "8:10",
            "`joint[1].offset`: expected three numbers, [x, y, z], found a list of 2",
            "",
        ),
        (arm(offset, "offset = \"up\""), "8:10", "found the text \"up\"", ""),
        (arm(offset, "offset = [0, nan, 0]"), "8:14", "`joint[1].offset[1]`: expected a finite number, found NaN", ""),
        (arm(offset, "offset = [0, 1e999, 0]"), "8:14", "expected a finite number", ""),
        (arm(offset, "offset = [0, 1, true]"), "8:17", "expected a number, found true", ""),
        (
            arm(offset, &format!("{offset}\nkind = \"slide\"\naxis = [0, 0, 1]\nmax_velocity = -1")),
            "11:16",
            "`joint[1].max_velocity`: expected a length per second, at least 0, found",
            "",
        ),
        (
            arm(offset, &format!("{offset}\nmax_velocity = 1")),
            "9:16",
            "a joint of kind ball has no `max_velocity`",
            "belongs to kind hinge or slide",
        ),
        (more("[solver]\ndistance_tolerance = 0"), "14:22", "expected a number above 0", ""),
        (arm(offset, ""), "5:1", "`joint[1]` lacks the key `offset`", "add offset = "),
        (arm(offset, "offset = [0, 1, 0]\nrest = [0, 0, 0, 0]"), "9:8", "a rotation cannot be zero", "[0, 0, 0, 1]"),
        (
            arm("name = \"elbow\"", "name = \"shoulder\""),
            "5:1",
            "a joint named `shoulder` exists already, `joint[0]`",
            "a name of its own",
        ),
        (arm("name = \"elbow\"", ""), "5:1", "lacks the key `name`", ""),
        (arm(parent, "parent = \"sholder\""), "7:10", "there is no joint `sholder`", "did you mean `shoulder`?"),
        (
            arm("name = \"shoulder\"", "name = \"shoulder\"\nparent = \"elbow\"\noffset = [1, 0, 0]"),
            "4:10",
            "the parents form a cycle: shoulder -> elbow -> shoulder",
            "remove its `parent`",
        ),
        (arm(parent, "parent = \"elbow\""), "7:10", "the parents form a cycle: elbow -> elbow", ""),
        (arm(parent, "parent = 3"), "7:10", "expected a text, found 3", "quotes"),
        (
            arm(offset, "offset = [0, 1, 0]\nkind = \"hing\"\naxis = [0, 0, 1]"),
            "9:8",
            "\"hing\" is not known here",
            "did you mean `hinge`?",
        ),
        (arm(offset, "offset = [0, 1, 0]\nkind = \"hinge\""), "5:1", "lacks the key `axis`", "add axis = [0, 0, 1]"),
        (arm(offset, "offset = [0, 1, 0]\nkind = \"hinge\"\naxis = [0, 0, 0]"), "10:8", "a vector of length 0", ""),
        (
            arm(offset, "offset = [0, 1, 0]\nkind = \"hinge\"\naxis = [0, 0, 1]\nrange = [90, -90]"),
            "11:9",
            "the lower limit 90 is above the upper limit -90",
            "swap the two",
        ),
        (
            arm(offset, "offset = [0, 1, 0]\nkind = \"hinge\"\naxis = [0, 0, 1]\nrange = [90]"),
            "11:9",
            "expected two numbers, [low, high]",
            "",
        ),
        (
            arm(offset, "offset = [0, 1, 0]\nkind = \"hinge\"\naxis = [0, 0, 1]\nswing = 20"),
            "11:9",
            "a joint of kind hinge has no `swing`",
            "belongs to kind ball",
        ),
        (arm(offset, "offset = [0, 1, 0]\nswing = 180"), "9:9", "below 180 degrees, not 180", "leave `swing` out"),
        (arm(offset, "offset = [0, 1, 0]\nswing = [10, 20]"), "9:9", "expected an angle, or four", ""),
        (arm(offset, "offset = [0, 1, 0]\nswing = \"3 radians\""), "9:9", "expected an angle", ""),
        (arm(offset, "offset = [0, 1, 0]\ntwist = [10, -10]"), "9:9", "above the upper limit", "swap"),
        (arm("joint = \"elbow\"", "joint = \"elbw\""), "11:9", "there is no joint `elbw`", "did you mean `elbow`?"),
        (arm(tip, "tip = [0, 1, 0]\nweight = -1"), "13:10", "expected a number that is not negative, found -1", ""),
        (arm(tip, "tip = [0, 1, 0]\nchain_length = 0"), "13:16", "at least 1", ""),
        (
            arm(tip, "tip = [0, 1, 0]\npresets = [1, 2, 3]"),
            "13:12",
            "`effector[0].presets[0]`: expected three numbers",
            "",
        ),
        (
            more("[[effector]]\nname = \"elbow\"\njoint = \"shoulder\"\ntip = [0, 1, 0]"),
            "13:1",
            "an effector named `elbow` exists already",
            "",
        ),
        (more("[[effector]]\njoint = \"shoulder\""), "13:1", "have no length", "give the effector a `tip`"),
        (more("[[pole]]\njoint = \"elbow\""), "13:1", "`pole[0]` lacks the key `toward`", ""),
        (
            more("[[pole]]\njoint = \"knee\"\ntoward = [1, 0, 0]"),
            "14:9",
            "there is no joint `knee`",
            "known: shoulder, elbow",
        ),
        (more("[[loop]]\na = { joint = \"elbow\" }\nb = { joint = \"elbow\" }"), "13:1", "the same joint", ""),
        (more("[[obstacle]]"), "13:1", "either a sphere, a capsule, a box or a plane", "sphere = "),
        (
            more(
                "[[obstacle]]\nsphere = { center = [0, 0, 0], radius = 1 }\nbox = { center = [0, 0, 0], size = [1, 1, 1] }",
            ),
            "13:1",
            "either a sphere, a capsule, a box or a plane",
            "box = ",
        ),
        (more("[[obstacle]]\nbox = { center = [0, 0, 0], size = [1, 0, 1] }"), "14:36", "longer than 0", ""),
        (more("[[obstacle]]\ncapsule = { from = [0, 0, 0], to = [0, 0, 0] }"), "14:11", "lacks the key `radius`", ""),
        (more("[[capsule]]\njoint = \"elbow\"\nfrom = [0, 0, 0]"), "13:1", "lacks the key `to`", "add to = "),
        (
            more("[[capsule]]\njoint = \"knee\"\nfrom = [0, 0, 0]\nto = [0, 0, 1]\nradius = 1"),
            "14:9",
            "there is no joint `knee`",
            "known: shoulder, elbow",
        ),
        (more("[[obstacle]]\nsphere = { center = [0, 0, 0], radius = -1 }"), "14:41", "expected a number above 0", ""),
        (more("[[obstacle]]\nplane = { normal = [0, 0, 0] }"), "14:20", "a vector of length 0", ""),
        (
            more("[[chain]]\npoints = [[0, 0, 0], [0, 1, 0], [0, 1, 0]]"),
            "14:33",
            "the link from point 1 to point 2 has no length",
            "move or remove",
        ),
        (more("[[chain]]\npoints = [[0, 0, 0]]"), "14:10", "at least two points, not 1", ""),
        (
            more("[[chain]]\npoints = [[0, 0, 0], [0, 1, 0]]\nbase = \"loose\""),
            "15:8",
            "\"loose\" is not known here",
            "known: fixed, free",
        ),
        (
            more("[solver]\ntolerence = 1e-6"),
            "14:1",
            "unknown key `tolerence` in `solver`",
            "did you mean `tolerance`?",
        ),
        (more("[solver]\ntolerance = -1"), "14:13", "expected a number above 0, found -1", ""),
        (more("[solver]\nmethod = \"DLS\""), "14:10", "\"DLS\" is not known here", "did you mean `dls`?"),
        (more("[solver]\nmax_iterations = 0"), "14:18", "expected a whole number from 1", ""),
        (more("[solver]\nmax_iterations = 1.5"), "14:18", "found 1.5", ""),
        (more("[solver]\nseed = -1"), "14:8", "not negative", ""),
        (more("[smoothing]\nduration = -1"), "14:12", "not negative", ""),
        (more("[smoothing]\nkeys = -0.1"), "14:8", "not negative", ""),
        (more("[smoothing]\nkeys = nan"), "14:8", "finite", ""),
        (more("[smoothing]\nkeys = inf"), "14:8", "finite", ""),
        (
            more("[camera]\nposition = [0, 0, 0]\nlook_at = [0, 0, 0]"),
            "13:1",
            "the camera cannot look at its own position",
            "",
        ),
        (
            more("up = \"x\"").replace(&more("up = \"x\""), &format!("up = \"x\"\n{ARM}")),
            "1:6",
            "\"x\" is not known here",
            "known: y, z",
        ),
        (format!("joints = 3\n{ARM}"), "1:1", "unknown key `joints`", "did you mean `joint`?"),
        (format!("name = \"a\"\nname = \"b\"\n{ARM}"), "2:1", "this is not TOML: duplicate key", ""),
        (arm(offset, "offset = [0, 1, 0"), "", "this is not TOML", ""),
        ("name = \"empty\"".to_owned(), "1:1", "the scene has no joints", "add a [[joint]] or a [[chain]]"),
        (String::new(), "1:1", "the scene has no joints", ""),
    ];
    for (text, place, what, fix) in cases {
        let error = toml_error(&text);
        assert!(error.starts_with(&format!("arm.toml:{place}")), "expected {place}\n{error}\n{text}");
        assert!(error.contains(what), "expected: {what}\n{error}");
        assert!(error.contains(fix), "expected: {fix}\n{error}");
    }
}

#[test]
fn mimic_joints_need_a_valid_leader() {
    let hinge =
        |name: &str, more: &str| format!("[[joint]]\nname = \"{name}\"\nkind = \"hinge\"\naxis = [0, 0, 1]\n{more}\n");
    let follow = |who: &str| format!("mimic = {{ joint = \"{who}\" }}");
    let ball = "[[joint]]\nname = \"ball\"\n";
    for (text, what) in [
        (hinge("a", &follow("a")), "a joint cannot follow itself"),
        (hinge("a", &follow("ball")) + ball, "`ball` is neither"),
        (hinge("a", &follow("b")) + &hinge("b", &follow("c")) + &hinge("c", ""), "`b` itself follows another joint"),
        (hinge("a", &follow("d")), "there is no joint `d`"),
        (
            hinge("a", &format!("range = [10, 20]\n{}", follow("b"))) + &hinge("b", "range = [30, 40]"),
            ":6:9: `joint[0].mimic`: joint `b` cannot keep both its range and that of `a`, which follows it",
        ),
    ] {
        let error = toml_error(&text);
        assert!(error.contains(what), "{error}");
    }
    let scene = Scene::parse(&(hinge("a", &follow("b")) + &hinge("b", "")), Syntax::Toml, "x").unwrap();
    assert_eq!(scene.skeleton.joints()[0].mimic.unwrap().joint, 1);
}

#[test]
fn json_has_the_same_errors_with_positions() {
    for (text, place, what) in [
        (
            "{\n  \"joint\": [{\"name\": \"a\", \"parent\": \"b\", \"offset\": [0, 1, 0]}]\n}",
            "2:37",
            "`joint[0].parent`: there is no joint `b`",
        ),
        ("{\n  \"joints\": []\n}", "2:13", "unknown key `joints`"),
        ("{\"joint\": [{\"name\": \"a\"}, {\"name\": \"a\"}]}", "1:27", "a joint named `a` exists already, `joint[0]`"),
        ("{\"joint\": [", "1:11", "this is not JSON: EOF while parsing"),
        ("{\"name\": 1e999, \"joint\": [{\"name\": \"a\"}]}", "1:10", "expected a text"),
        ("{\"link_radius\": 1e999, \"joint\": [{\"name\": \"a\"}]}", "1:17", "expected a finite number, found inf"),
        ("{\"name\": \"a\", \"name\": \"b\"}", "", "the key `name` appears twice"),
        ("[]", "1:1", "expected a table, found an empty list"),
        ("", "1:1", "this is not JSON"),
        ("null", "1:1", "expected a table, found null"),
    ] {
        let error = json_error(text);
        assert!(error.starts_with(&format!("arm.json:{place}")), "expected {place}\n{error}");
        assert!(error.contains(what), "expected: {what}\n{error}");
    }
}

#[test]
fn deep_nesting_is_refused() {
    for depth in [40, 200, 100_000] {
        let lists = format!("{}{}", "[".repeat(depth), "]".repeat(depth));
        assert!(json_error(&lists).contains("nested too deep") || json_error(&lists).contains("recursion"));
        let error = toml_error(&format!("name = {lists}"));
        assert!(error.contains("nested too deep") || error.contains("not TOML"), "{error}");
    }
}

#[test]
fn changes_are_applied_before_reading() {
    let open = |changes: &[&str]| {
        let changes = changes.iter().map(|change| change.parse::<Change>().unwrap()).collect();
        Scene::parse_with(ARM, Syntax::Toml, "arm.toml", &OpenOptions { changes, ..OpenOptions::default() })
    };
    let scene =
        open(&["solver.tolerance=1e-6", "solver.method=ccd", "up=z", "name=My arm", "joint.elbow.offset=[0, 2, 0]"]);
    let scene = scene.unwrap();
    assert_eq!((scene.settings.tolerance, scene.settings.method.key(), scene.name.as_str()), (1e-6, "ccd", "My arm"));
    assert_eq!((scene.up, scene.skeleton.joints()[1].offset.y), (fabrik3d_scene::Up::Z, 2.0));
    assert_eq!(open(&["joint[1].offset=[0, 3, 0]"]).unwrap().skeleton.joints()[1].offset.y, 3.0);
    assert_eq!(open(&["joint.1.offset=[0, 3, 0]"]).unwrap().skeleton.joints()[1].offset.y, 3.0);
    for (change, what) in [
        ("solver.tolerence=1", "--set: unknown key `tolerence` in `solver`\n  did you mean `tolerance`?"),
        ("solver.tolerance=fast", "--set: `solver.tolerance`: expected a number, found the text \"fast\""),
        ("solver.tolerance=-1", "--set: `solver.tolerance`: expected a number above 0, found -1"),
        ("solvr.tolerance=1", "--set: unknown key `solvr`\n  did you mean `solver`?"),
        ("joint.elbo.offset=[1, 2, 3]", "--set: `joint` has no element `elbo`\n  did you mean `elbow`?"),
        ("joint[7].offset=[1, 2, 3]", "--set: `joint` has no element `7`"),
        ("joint.elbow.name.first=x", "--set: `joint.elbow.name` has no keys"),
    ] {
        let error = open(&[change]).unwrap_err().to_string();
        assert!(error.starts_with(what), "{error}");
    }
    for text in ["solver.tolerance", "=3", "a..b=3"] {
        assert!(text.parse::<Change>().is_err(), "{text}");
    }
    let scene = open(&[]).unwrap();
    let changes = vec!["solver.seed=9".parse().unwrap()];
    let changed = scene.with_changes(&OpenOptions { changes, ..OpenOptions::default() }).unwrap();
    assert_eq!((changed.settings.seed, changed.skeleton), (9, scene.skeleton));
}

#[test]
fn unreadable_files_give_an_error() {
    let missing = Scene::open("no/such/file.toml").unwrap_err().to_string();
    assert_eq!(missing, "no/such/file.toml: there is no such file");
    assert_eq!(Scene::open("robot.xyz").unwrap_err().to_string(), "robot.xyz: there is no such file");
    let own = |name: &str| {
        Scene::open(format!("{}/{name}", concat!(env!("CARGO_MANIFEST_DIR"), "/../.."))).unwrap_err().to_string()
    };
    assert!(own("Cargo.lock").contains("Cargo.lock: the format of this file is not known\n"));
    for folder in ["src", "assets/scenes", "/"] {
        assert!(own(folder).ends_with(": this is a folder, not a file\n  name the files in it"), "{}", own(folder));
    }
}

#[test]
fn an_element_that_is_never_closed_is_named_with_its_line() {
    let error = |text: &str| {
        let read = Scene::from_bytes(text.into(), "arm.urdf", &OpenOptions::default());
        read.expect_err("is no XML").to_string()
    };
    let one = error("<robot name=\"r\">\n<link name=\"a\">\n<link name=\"b\"/>\n</robot>");
    assert_eq!(one, "arm.urdf:4:1: this is not XML: </robot> comes before <link name=\"a\"> of line 2 is closed");
    let three =
        error("<robot name=\"r\">\n<link name=\"a\"/>\n<link name=\"b\">\n<visual>\n<link name=\"c\">\n</robot>");
    assert!(three.ends_with("</robot> comes before <link name=\"b\"> of line 3 is closed"), "{three}");
    let mistyped = error("<robot name=\"r\">\n<link name=\"a\">\n</lnik>\n</robot>");
    assert!(mistyped.ends_with("</lnik> comes before <link name=\"a\"> of line 2 is closed"), "{mistyped}");
    let open = error("<robot name=\"r\">\n<link name=\"a\">\n<visual/>\n");
    assert_eq!(open, "arm.urdf:2:1: this is not XML: <link name=\"a\"> is never closed");
}
