//! `[names]` of a limits file says which joints are the parts of a body.

use crate::tube::{BONES, Model, picture};
use fabrik3d_ik::{Interval, Kind};
use fabrik3d_scene::{OpenOptions, Retarget, Scene, Surfaces, Syntax};
use serde_json::json;
use std::path::{Path, PathBuf};

/// The joints of the puppet that are parts of a body, and the keys of these parts.
const PARTS: [(&str, &str); 21] = [
    ("hips", "Hips"),
    ("spine", "Spine"),
    ("chest", "Chest"),
    ("neck", "Neck"),
    ("head", "Head"),
    ("left_collar_bone", "LeftShoulder"),
    ("left_upper_arm", "LeftArm"),
    ("left_forearm", "LeftForeArm"),
    ("left_hand", "LeftHand"),
    ("right_collar_bone", "RightShoulder"),
    ("right_upper_arm", "RightArm"),
    ("right_forearm", "RightForeArm"),
    ("right_hand", "RightHand"),
    ("left_thigh", "LeftUpLeg"),
    ("left_shin", "LeftLeg"),
    ("left_foot", "LeftFoot"),
    ("left_toes", "LeftToeBase"),
    ("right_thigh", "RightUpLeg"),
    ("right_shin", "RightLeg"),
    ("right_foot", "RightFoot"),
    ("right_toes", "RightToeBase"),
];

fn puppet() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../assets/models/puppet.gltf")
}

/// What a file of bones without names calls a joint of the puppet.
fn bone(joint: &str) -> String {
    PARTS.iter().position(|(_, name)| *name == joint).map_or(joint.to_owned(), |at| format!("Bone.{at:03}"))
}

/// The puppet with bones whose names say nothing, and a limits file with this text.
fn bones(limits: &str) -> Scene {
    let folder = tempfile::tempdir().expect("a folder");
    let text = std::fs::read_to_string(puppet()).expect("reads");
    let text = PARTS
        .iter()
        .fold(text, |text, (_, joint)| text.replace(&format!("\"puppet:{joint}\""), &format!("{:?}", bone(joint))));
    let file = folder.path().join("bones.gltf");
    std::fs::write(&file, text).expect("writes");
    std::fs::write(file.with_extension("limits.toml"), limits).expect("writes");
    Scene::open(&file).expect("opens whatever the limits file names")
}

fn all_names() -> String {
    let line = |(key, joint): &(&str, &str)| format!("{key} = {:?}\n", bone(joint));
    format!("[names]\n{}", PARTS.iter().map(line).collect::<String>())
}

#[test]
fn bones_that_are_named_are_the_parts_of_the_body() {
    let (puppet, bones) = (Scene::open(puppet()).expect("opens"), bones(&all_names()));
    assert!(bones.assets.unknown_body.is_none() && bones.warnings().is_empty());
    assert_eq!(bones.assets.human_limits, puppet.assets.human_limits);
    for (one, other) in bones.skeleton.joints().iter().zip(puppet.skeleton.joints()) {
        assert_eq!((one.kind, one.rest, one.stiffness), (other.kind, other.rest, other.stiffness), "{}", other.name);
    }
    let effectors = |scene: &Scene| -> Vec<_> { scene.effectors.iter().map(|end| (end.effector, end.hold)).collect() };
    assert_eq!(effectors(&bones), effectors(&puppet));
    assert_eq!(bones.front(), puppet.front());
    // A recording of the puppet plays on the bones, and the other way round.
    for (recorded, driven) in [(&puppet, &bones), (&bones, &puppet)] {
        let retarget = Retarget::between(recorded, driven, &[]).expect("matches");
        // The first joint is that above the hips, whose name is one of theirs.
        let itself: Vec<Option<usize>> = (1..driven.skeleton.len()).map(Some).collect();
        assert_eq!(retarget.partners[1..], itself);
        assert!((retarget.scale - 1.0).abs() < 1e-12);
    }
}

/// The names that `check` asks for are enough: the joints above hands, feet and head follow from them.
#[test]
fn named_joints_are_shown_as_their_parts() {
    let scene = bones(&all_names());
    for (joint, shown) in [("LeftHand", "left hand"), ("Hips", "pelvis"), ("RightToeBase", "right toe")] {
        assert_eq!(scene.shown_name(&bone(joint)), shown);
    }
    assert_eq!(bones("").shown_name(&bone("LeftHand")), bone("LeftHand"));
}

#[test]
fn the_parts_between_the_ends_follow_from_the_ends() {
    let ends = ["head", "left_hand", "right_hand", "left_foot", "right_foot", "left_toes", "right_toes"];
    let all = all_names();
    let only_ends = all.lines().filter(|line| ends.iter().any(|end| line.starts_with(&format!("{end} "))));
    let text = format!("[names]\n{}", only_ends.map(|line| format!("{line}\n")).collect::<String>());
    let (whole, bones) = (bones(&all_names()), bones(&text));
    assert!(bones.assets.unknown_body.is_none() && bones.warnings().is_empty());
    for joint in 0..bones.skeleton.len() {
        assert_eq!(bones.body_part(joint), whole.body_part(joint));
    }
    assert_eq!(bones.assets.human_limits, whole.assets.human_limits);
    let retarget = Retarget::between(&Scene::open(puppet()).expect("opens"), &bones, &[]).expect("matches");
    assert!((retarget.scale - 1.0).abs() < 1e-12);
    // Who knows only the ends of the figure calls its toes feet.
    let feet = |text: &str| {
        let sides = ["left", "right"].map(|side| (format!("{side}_foot = "), format!("{side}_toes = ")));
        let lines = text.lines().filter(|line| !sides.iter().any(|(foot, _)| line.starts_with(foot)));
        let line =
            |line: &str| sides.iter().fold(line.to_owned(), |line, (foot, toes)| line.replace(toes, foot)) + "\n";
        lines.map(line).collect::<String>()
    };
    let called_feet = self::bones(&feet(&text));
    for joint in 0..bones.skeleton.len() {
        assert_eq!(called_feet.body_part(joint), whole.body_part(joint));
    }
    assert_eq!(called_feet.assets.human_limits, whole.assets.human_limits);
    // Who names the ankles need not name the toes.
    let no_toes: String = text.lines().filter(|line| !line.contains("_toes")).map(|line| format!("{line}\n")).collect();
    let without_toes = self::bones(&no_toes);
    for joint in 0..bones.skeleton.len() {
        assert_eq!(without_toes.body_part(joint), whole.body_part(joint));
    }
    assert_eq!(without_toes.effectors.len(), whole.effectors.len());
    // A part that is named stays what it is.
    let forearm = bone("LeftForeArm");
    let odd = self::bones(&format!("{text}left_upper_arm = {forearm:?}\n"));
    let at = odd.skeleton.find(&forearm).expect("a joint");
    assert_eq!(odd.body_part(at), "left arm");
}

#[test]
fn swapped_sides_are_told_by_the_feet() {
    let swapped = all_names().replace("left_", "LEFT_").replace("right_", "left_").replace("LEFT_", "right_");
    let scene = bones(&swapped);
    let warnings = scene.warnings();
    assert!(warnings.len() == 1 && warnings[0].contains("left and right swapped"), "{warnings:?}");
    assert!(bones(&all_names()).warnings().is_empty());
    // Only the hands, and who names no toes.
    let lines = |keep: fn(&str) -> bool| {
        all_names().lines().filter(|line| keep(line)).map(|line| format!("{line}\n")).collect::<String>()
    };
    let hands =
        all_names().replace("left_hand", "HAND").replace("right_hand", "left_hand").replace("HAND", "right_hand");
    let hands: String = hands
        .lines()
        .filter(|line| !line.contains("arm") && !line.contains("shoulder"))
        .map(|line| format!("{line}\n"))
        .collect();
    assert!(
        bones(&hands).warnings().iter().any(|warning| warning.contains("different sides")),
        "{:?}",
        bones(&hands).warnings()
    );
    let no_toes = lines(|line| !line.contains("toes"));
    let no_toes = no_toes.replace("left_", "LEFT_").replace("right_", "left_").replace("LEFT_", "right_");
    assert!(bones(&no_toes).warnings().iter().any(|warning| warning.contains("left and right swapped")));
}

#[test]
fn a_scene_file_keeps_the_names() {
    let bones = bones(&all_names());
    let opened = |bytes: String, name: &str| Scene::from_bytes(bytes.into_bytes(), name, &OpenOptions::default());
    assert!(bones.center_of_mass().is_some());
    for (text, file) in [(bones.to_toml(), "bones.toml"), (bones.to_text(Syntax::Json), "bones.json")] {
        let scene = opened(text, file).expect("reads back");
        for joint in 0..bones.skeleton.len() {
            assert_eq!(scene.body_part(joint), bones.body_part(joint));
        }
        assert!(scene.center_of_mass().is_some(), "{file}: it keeps its balance");
        assert!(Retarget::between(&bones, &scene, &[]).is_some(), "{file}: a recording plays on it");
    }
    let wrong = |line: &str| {
        let text = bones.to_toml().replace("head = \"Bone.004\"", line);
        opened(text, "bones.toml").expect_err(line).to_string()
    };
    for (line, expected) in [
        ("haed = \"Bone.004\"", "`names.haed`: this is no part of a body\n  did you mean `head`?"),
        ("head = \"Bone.04\"", "there is no joint `Bone.04`"),
        ("head = \"Bone.003\"", "the joint `Bone.003` is already `names.head`\n  each part is a joint of its own"),
        ("head = 4", "`names.head`: expected"),
    ] {
        let message = wrong(line);
        assert!(message.contains(expected) && message.starts_with("bones.toml:"), "{message}");
    }
}

#[test]
fn without_names_the_figure_says_what_is_missing() {
    let scene = bones("");
    let unknown = scene.assets.unknown_body.as_ref().expect("not recognised");
    assert_eq!(unknown.missing, ["head", "left_hand", "left_foot", "right_hand", "right_foot"]);
    assert_eq!(scene.limits_file_name().as_deref(), Some("bones.limits.toml"));
    assert!(
        unknown
            .remedy("bones.limits.toml")
            .contains("bones.limits.toml beside it: names = { head = \"HEAD\", left_hand = \"LEFT_WRIST\""),
        "{}",
        unknown.remedy("bones.limits.toml")
    );
    assert!(unknown.note().starts_with("No joint's name says head, hand or foot, so knees"), "{}", unknown.note());
    assert!(scene.skeleton.joints().iter().all(|joint| joint.stiffness == 0.0));
    // The joints of these parts are those of several bodies.
    let swapped = all_names().replace(&bone("Head"), "puppet:Root");
    let unknown = bones(&swapped).assets.unknown_body.clone().expect("not recognised");
    assert!(
        unknown.missing.is_empty() && unknown.remedy("bones.limits.toml").contains("in common"),
        "{}",
        unknown.remedy("bones.limits.toml")
    );
}

#[test]
fn a_line_that_cannot_be_used_is_a_warning_with_its_place() {
    let scene = bones(
        "[names]\n\
         head = \"Bone.04\"\n\
         left_hand = \"Bone.008\"\n\
         right_hand = \"Bone.008\"\n\
         left_hnad = \"Bone.012\"\n\
         left_foot = 15\n",
    );
    let warnings: Vec<String> = scene.warnings().iter().map(|warning| warning.to_string()).collect();
    let expected = [
        ":2:8: `names.head`: there is no joint `Bone.04`; did you mean `Bone.004`?",
        ":4:14: `names.right_hand`: the joint `Bone.008` is already `names.left_hand`; each part is a joint of its own",
        ":5:13: `names.left_hnad`: this is no part of a body; did you mean `left_hand`?",
        ":6:13: `names.left_foot`: expected a text, found 15; write the name of a joint",
    ];
    assert_eq!(warnings.len(), expected.len(), "{warnings:?}");
    for (warning, expected) in warnings.iter().zip(expected) {
        assert!(warning.ends_with(&format!("bones.limits.toml{expected}")), "{warning}");
    }
    assert_eq!(scene.body_part(8 + 4), "left hand");
}

/// Of the ends of a figure, those that only steer the inverse kinematics of other programs have no effector: they have such a
/// name and move no surface.
#[test]
fn helpers_for_inverse_kinematics_have_no_effector() {
    let mut model = Model::tube(&picture());
    let last = BONES - 1;
    // The tip of the tube moves its upper end, whatever its name.
    model.json["nodes"][last]["name"] = json!("tip_IK");
    let nodes = model.json["nodes"].as_array_mut().expect("a list");
    let first = nodes.len();
    let added = [("PoleTarget.L", None), ("IKGrip", Some(0)), ("Lantern", None), ("Spike", None)];
    for (at, (name, mesh)) in added.into_iter().enumerate() {
        let mut node = json!({"name": name, "translation": [0.3, 0.1 * at as f64, 0.0]});
        if let Some(mesh) = mesh {
            node["mesh"] = json!(mesh);
        }
        nodes.push(node);
    }
    let added: Vec<usize> = (first..first + added.len()).collect();
    nodes[1]["children"] = json!([vec![2], added.clone()].concat());
    let skin = &mut model.json["skins"][0];
    let joints = (0..BONES).chain(added);
    (skin["joints"], skin["inverseBindMatrices"]) = (json!(joints.collect::<Vec<_>>()), serde_json::Value::Null);
    skin.as_object_mut().expect("a table").remove("inverseBindMatrices");
    for surfaces in [Surfaces::Load, Surfaces::Skip] {
        let options = OpenOptions { surfaces, ..OpenOptions::default() };
        let scene = Scene::from_bytes(model.glb(), "tube.glb", &options).expect("opens");
        let mut names: Vec<&str> = scene.effectors.iter().map(|effector| effector.name.as_str()).collect();
        names.sort_unstable();
        assert_eq!(names, ["IKGrip", "Lantern", "Spike", "tip_IK"], "{surfaces:?}");
        assert!(scene.skeleton.find("PoleTarget.L").is_some(), "the joint is there, and can get an effector");
    }
}

#[test]
fn a_pose_beyond_the_limits_of_the_limits_file_is_told() {
    let arm = bone("LeftForeArm");
    let lines =
        |range: &str| format!("[[joint]]\nname = {arm:?}\nkind = \"hinge\"\naxis = [1, 0, 0]\nrange = {range}\n");
    assert!(bones(&lines("[-90, 90]")).warnings().is_empty());
    let told = bones(&lines("[30, 90]"));
    let [warning] = &told.warnings()[..] else { panic!("{:?}", told.warnings()) };
    assert!(warning.contains(&format!("beyond the limits of `{arm}`, so it stands at its limit")), "{warning}");
    let twice = bones(&(lines("[-90, 90]") + &lines("[-80, 80]")));
    let [warning] = &twice.warnings()[..] else { panic!("{:?}", twice.warnings()) };
    assert!(warning.contains(&format!("`{arm}` is listed twice")), "{warning}");
}

#[test]
fn lines_for_the_limits_of_a_person_allow_as_much_to_every_side() {
    let scene = bones(&all_names());
    for joint in &scene.assets.human_limits.joints {
        let Kind::Ball { swing: Some(swing), twist } = scene.skeleton.kind(*joint) else { continue };
        let own = bones(&(scene.limits_lines(*joint) + &all_names()));
        assert!(own.warnings().is_empty(), "{:?}", own.warnings());
        assert_eq!(own.assets.human_limits.overruled, [*joint]);
        let Kind::Ball { swing: Some(cone), twist: own_twist } = own.skeleton.kind(*joint) else { panic!("a ball") };
        let widest = swing.tilts().into_iter().fold(0.0, f64::max);
        let above = cone.tilts().map(|tilt| (tilt - widest).to_degrees());
        assert!(above.iter().all(|above| (-1e-6..1.0).contains(above)), "{cone:?}, {swing:?}");
        let ends = |twist: &Option<Interval>| twist.map_or([0.0; 2], |twist| [twist.low(), twist.high()]);
        let apart = (0..2).map(|at| (ends(twist)[at] - ends(own_twist)[at]).abs()).fold(0.0, f64::max);
        assert!(apart < 1e-6, "{twist:?}, {own_twist:?}");
    }
}
