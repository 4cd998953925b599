//! URDF: forward kinematics against published Denavit-Hartenberg tables, limits, and errors.
#![allow(clippy::unwrap_used)]

use crate::gathered;

use fabrik3d_ik::random::Random;
use fabrik3d_ik::{Coordinates, Isometry, Target};
use fabrik3d_ik::{Kind, Pose};
use fabrik3d_scene::{DaeUp, EffectorError, EffectorMode, OpenOptions, RobotLimits, Scene, Surfaces, Syntax, Up};
use gathered::gathered;
use glam::DVec3;
use glam::{DMat4, DQuat, dvec3};
use std::f64::consts::{FRAC_PI_2, PI};
use std::path::{Path, PathBuf};

/// A model of the project.
fn model(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("assets/models").join(name)
}

/// Opens without meshes.
fn open(path: &Path) -> Scene {
    let options = OpenOptions { surfaces: Surfaces::Skip, ..OpenOptions::default() };
    Scene::open_with(path, &options).unwrap_or_else(|error| panic!("{error}"))
}

/// The frame of a joint for given coordinates of other joints.
fn frame(scene: &Scene, values: &[(&str, f64)], joint: &str) -> Isometry {
    let mut pose: Pose = scene.skeleton.rest_pose();
    for (name, value) in values {
        pose[scene.skeleton.find(name).unwrap()] = Coordinates::scalar(*value);
    }
    scene.skeleton.follow(&mut pose);
    scene.skeleton.frames(&pose)[scene.skeleton.find(joint).unwrap()]
}

fn assert_same(frame: Isometry, expected: DMat4, tolerance: f64, what: &str) {
    let found = DMat4::from_rotation_translation(frame.rotation, frame.position);
    assert!(found.abs_diff_eq(expected, tolerance), "{what}:\n{found}\n{expected}");
}

/// Universal Robots' table for the UR5 (classic convention): Rz(q) Tz(d) Tx(a) Rx(alpha).
#[test]
fn ur5_matches_its_denavit_hartenberg_table() {
    let Some(path) = gathered("robots/ur_description/urdf/ur5_robot.urdf") else { return };
    let scene = open(&path);
    let names =
        ["shoulder_pan_joint", "shoulder_lift_joint", "elbow_joint", "wrist_1_joint", "wrist_2_joint", "wrist_3_joint"];
    let d = [0.089159, 0.0, 0.0, 0.10915, 0.09465, 0.0823];
    let a = [0.0, -0.425, -0.39225, 0.0, 0.0, 0.0];
    let alpha = [FRAC_PI_2, 0.0, 0.0, FRAC_PI_2, -FRAC_PI_2, 0.0];
    let mut random = Random::new(3);
    for _ in 0..50 {
        let q: [f64; 6] = std::array::from_fn(|_| random.ball().x * PI);
        let values: Vec<_> = names.into_iter().zip(q).collect();
        let base = frame(&scene, &values, "base_link-base_fixed_joint");
        let mut expected = DMat4::from_rotation_translation(base.rotation, base.position);
        for i in 0..6 {
            expected *= DMat4::from_rotation_z(q[i])
                * DMat4::from_translation(dvec3(a[i], 0.0, d[i]))
                * DMat4::from_rotation_x(alpha[i]);
        }
        // The file gives lengths to five digits and angles to eleven.
        assert_same(frame(&scene, &values, "wrist_3_link-tool0_fixed_joint"), expected, 1e-5, "UR5");
    }
}

/// Franka's table for the Panda (modified convention): Rx(alpha) Tx(a) Rz(q) Tz(d), then the flange.
#[test]
fn panda_matches_its_denavit_hartenberg_table() {
    let Some(path) = gathered("robots/panda_description/urdf/panda.urdf") else { return };
    let scene = open(&path);
    let a = [0.0, 0.0, 0.0, 0.0825, -0.0825, 0.0, 0.088];
    let d = [0.333, 0.0, 0.316, 0.0, 0.384, 0.0, 0.0];
    let alpha = [0.0, -FRAC_PI_2, FRAC_PI_2, FRAC_PI_2, -FRAC_PI_2, FRAC_PI_2, FRAC_PI_2];
    let names: Vec<String> = (1..=7).map(|i| format!("panda_joint{i}")).collect();
    let mut random = Random::new(4);
    for _ in 0..50 {
        let q: [f64; 7] = std::array::from_fn(|_| random.ball().x * 2.5);
        let values: Vec<_> = names.iter().map(String::as_str).zip(q).collect();
        let mut expected = DMat4::IDENTITY;
        for i in 0..7 {
            expected *= DMat4::from_rotation_x(alpha[i])
                * DMat4::from_translation(dvec3(a[i], 0.0, 0.0))
                * DMat4::from_rotation_z(q[i])
                * DMat4::from_translation(dvec3(0.0, 0.0, d[i]));
        }
        expected *= DMat4::from_translation(dvec3(0.0, 0.0, 0.107));
        assert_same(frame(&scene, &values, "panda_joint8"), expected, 1e-9, "Panda");
    }
}

#[test]
fn panda_starts_within_its_limits() {
    let Some(path) = gathered("robots/panda_description/urdf/panda.urdf") else { return };
    let scene = open(&path);
    let elbow = scene.skeleton.find("panda_joint4").unwrap();
    let Kind::Hinge { range: Some(range), .. } = scene.skeleton.joints()[elbow].kind else { panic!("a limited hinge") };
    assert!(!range.contains(0.0) && range.contains(scene.start[elbow].value()), "{range:?}");
    let follower = scene.skeleton.find("panda_finger_joint2").unwrap();
    let leader = scene.skeleton.joints()[follower].mimic.unwrap().joint;
    assert_eq!(scene.skeleton.joints()[leader].name, "panda_finger_joint1");
}

#[test]
fn meshes_are_found_without_ros() {
    let counts = [
        ("robots/ur_description/urdf/ur5_robot.urdf", 7),
        ("robots/panda_description/urdf/panda.urdf", 11),
        ("robots/solo_description/robots/solo12.urdf", 17),
        ("robots/double_pendulum_description/urdf/double_pendulum.urdf", 3),
    ];
    for (name, least) in counts {
        let Some(path) = gathered(name) else { continue };
        let scene = Scene::open(&path).unwrap();
        let missing: Vec<_> = scene.assets.warnings.iter().filter(|warning| warning.contains("mesh")).collect();
        assert!(missing.is_empty(), "{name}: {missing:?}");
        assert!(scene.assets.surfaces.len() >= least, "{name}: {}", scene.assets.surfaces.len());
        let frames = scene.skeleton.frames(&scene.start);
        for surface in &scene.assets.surfaces {
            let (low, high) = scene.assets.meshes[surface.mesh].bounds().unwrap();
            for corner in [low, high] {
                let placed = surface.model(&frames).transform_point3(corner.as_dvec3());
                assert!(placed.length() < 3.0, "{name}: {placed}, not in metres?");
            }
        }
    }
}

#[test]
fn the_projects_arm_reads_completely() {
    let scene = Scene::open(model("arm.urdf")).unwrap();
    assert_eq!(scene.up, Up::Z);
    assert_eq!(scene.assets.warnings, [""; 0]);
    assert_eq!(scene.assets.surfaces.len(), 7);
    let names: Vec<&str> = scene.effectors.iter().map(|effector| effector.name.as_str()).collect();
    assert_eq!(names, ["hand", "left_finger", "right_finger"]);
    // The right finger follows the left one.
    assert_eq!(with_target(&scene), ["hand"]);
    // The elbow cannot straighten, and its axis in the file has a length other than 1.
    let placed = frame(&scene, &[("elbow", 0.2 + FRAC_PI_2), ("left", 0.02)], "left");
    let forearm = dvec3((0.2 + FRAC_PI_2).cos(), 0.0, -(0.2 + FRAC_PI_2).sin());
    let expected = dvec3(0.4, 0.0, 0.4) + forearm * 0.33 + DVec3::Y * 0.03;
    assert!(placed.position.distance(expected) < 1e-12, "{} {expected}", placed.position);
    let right = frame(&scene, &[("elbow", 0.2 + FRAC_PI_2), ("left", 0.02)], "right");
    assert!(right.position.distance(expected - DVec3::Y * 0.06) < 1e-12);
}

/// Names of the effectors with a target position.
fn with_target(scene: &Scene) -> Vec<&str> {
    let with_target = scene.effectors.iter().filter(|effector| effector.target.position.is_some());
    with_target.map(|effector| effector.name.as_str()).collect()
}

#[test]
fn only_main_tips_have_targets() {
    let cases: [(&str, usize, &[&str]); 4] = [
        ("robots/panda_description/urdf/panda.urdf", 3, &["panda_hand_tcp"]),
        ("robots/ur_description/urdf/ur5_robot.urdf", 2, &["ee_link"]),
        ("robots/solo_description/robots/solo12.urdf", 4, &["FL_FOOT", "FR_FOOT", "HL_FOOT", "HR_FOOT"]),
        (
            "robots/simple_humanoid_description/urdf/simple_humanoid.urdf",
            4,
            &["l_ankle", "l_wrist", "r_ankle", "r_wrist"],
        ),
    ];
    for (name, effectors, expected) in cases {
        let Some(path) = gathered(name) else { continue };
        let scene = Scene::open(&path).unwrap();
        let mut found = with_target(&scene);
        found.sort_unstable();
        assert_eq!((scene.effectors.len(), found.as_slice()), (effectors, expected), "{name}");
    }
}

/// A gripper without a frame for its tool is moved by what carries its fingers, and the fingers go with it.
#[test]
fn the_palm_of_a_gripper_comes_before_its_fingers() {
    let mut text = String::from("<robot name=\"arm\"><link name=\"base\"/>");
    let mut add = |kind: &str, parent: &str, link: &str, more: &str| {
        text += &format!(
            "<link name=\"{link}\"/><joint name=\"to_{link}\" type=\"{kind}\"><parent link=\"{parent}\"/>\
             <child link=\"{link}\"/><origin xyz=\"0 0.02 0.2\"/><axis xyz=\"0 1 0\"/>{more}</joint>"
        );
    };
    for (parent, link) in [("base", "a"), ("a", "b"), ("b", "c"), ("c", "d"), ("d", "e")] {
        add("continuous", parent, link, "");
    }
    add("fixed", "e", "gripper_body", "");
    let range = "<limit lower=\"0\" upper=\"0.8\" velocity=\"2\"/>";
    add("revolute", "gripper_body", "left_finger", range);
    add("revolute", "gripper_body", "right_finger", &format!("{range}<mimic joint=\"to_left_finger\"/>"));
    let file = tempfile::Builder::new().suffix(".urdf").tempfile().unwrap();
    std::fs::write(file.path(), text + "</robot>").unwrap();
    let scene = open(file.path());
    let effectors = scene.effectors.iter().map(|effector| (effector.name.as_str(), effector.hold));
    let (pinned, free) = (EffectorMode::Pinned, EffectorMode::Free);
    let expected = [("gripper_body", pinned), ("left_finger", free), ("right_finger", free)];
    assert!(effectors.eq(expected), "{:?}", scene.effectors);
    assert_eq!(with_target(&scene), ["gripper_body"]);
    // Saved and read again, it is the same robot with the same velocity limits.
    let saved = Scene::parse(&scene.to_toml(), Syntax::Toml, "arm.toml").unwrap();
    assert_eq!(Scene { assets: scene.assets.clone(), ..saved }, scene);
    let limits: Vec<f64> = scene.velocity_limits.iter().copied().flatten().collect();
    assert_eq!(limits, [2.0, 2.0]);
}

/// Frames that nothing can move are no effectors, and the tool comes before the camera beside it.
#[test]
fn the_first_effector_is_a_tool_that_moves() {
    let scene = open(&model("frames-first.urdf"));
    let names: Vec<&str> = scene.effectors.iter().map(|effector| effector.name.as_str()).collect();
    assert_eq!(names, ["tool0", "hand_camera"]);
    assert_eq!(with_target(&scene), ["tool0"]);
    let locked = joint("revolute", "<limit lower=\"0\" upper=\"0\"/>").unwrap();
    assert!(locked.effectors.is_empty());
}

#[test]
fn links_are_names_of_joints() {
    let mut scene = open(&model("frames-first.urdf"));
    for (link, joint) in [("wrist", "roll"), ("base_link", "base_link"), ("tool0", "flange")] {
        assert_eq!(scene.find_joint(link), scene.skeleton.find(joint), "{link}");
    }
    let added = scene.add_effector("forearm", None).unwrap();
    assert_eq!(scene.effectors[added].effector.joint, scene.skeleton.find("elbow").unwrap());
    assert_eq!(scene.add_effector("base", None), Err(EffectorError::Immovable("base".into())));
    let unknown = scene.add_effector("forarm", None).unwrap_err().to_string();
    assert_eq!(unknown, "there is no joint `forarm`: did you mean `forearm`?");
    // The chain of the tool starts at a link; that of the forearm itself does not change.
    scene.set_base("forearm").unwrap();
    let lengths = scene.effectors.iter().map(|effector| effector.effector.chain_length);
    assert_eq!(lengths.collect::<Vec<_>>(), [Some(2), Some(2), None]);
    assert_eq!(scene.set_base("tool0"), Err(EffectorError::NotBelow("tool0".into())));
}

/// Tolerances are relative to the length of the links, not to how far a base can drive.
#[test]
fn a_mobile_base_does_not_loosen_the_tolerance() {
    use fabrik3d::solve::solve_cases;
    use fabrik3d_scene::Case;
    let mut scene = open(&model("mobile-base.urdf"));
    let length = 0.4 + 0.1_f64.hypot(0.2) + 0.4 + 0.3;
    assert!((scene.effector_size(&scene.effectors[0]) - length).abs() < 1e-12);
    let mut random = Random::new(7);
    for tolerance in [1e-4 * length, 1e-6] {
        scene.set_distance_tolerance(tolerance);
        let targets: Vec<DVec3> = (0..200).map(|_| random.ball() * dvec3(40.0, 40.0, 0.4) + DVec3::Z * 0.6).collect();
        let case = |target: &DVec3| {
            let mut case = Case::of(&scene);
            case.problem.goals[0].target = Target::from(*target);
            case
        };
        for (outcome, target) in solve_cases(&scene, targets.iter().map(case).collect()).iter().zip(&targets) {
            let end = outcome.effectors[0];
            assert!(outcome.report.stop.is_reached(), "{target}: {:?}", outcome.report);
            let measured = scene.skeleton.frames(&outcome.pose)[scene.effectors[0].effector.joint].position;
            assert!(measured.distance(*target) <= 1.001 * tolerance, "{target}: {measured}");
            assert!((end.distance.unwrap() - measured.distance(*target)).abs() < 1e-12);
            assert!((end.distance.unwrap() - end.error.unwrap() * length).abs() < 1e-12);
        }
    }
}

/// Opens a description wrapped in `<robot>`.
fn robot(inside: &str) -> Result<Scene, String> {
    let folder = tempfolder();
    let path = folder.join("robot.urdf");
    std::fs::write(&path, format!("<robot name=\"r\">\n{inside}\n</robot>")).unwrap();
    let scene = Scene::open(&path).map_err(|error| error.to_string().replace(&path.display().to_string(), "F"));
    std::fs::remove_dir_all(folder).unwrap();
    scene
}

fn tempfolder() -> PathBuf {
    use std::sync::atomic::{AtomicUsize, Ordering};
    static NEXT: AtomicUsize = AtomicUsize::new(0);
    let number = NEXT.fetch_add(1, Ordering::Relaxed);
    let path = std::env::temp_dir().join(format!("fabrik3d-urdf-{}-{number}", std::process::id()));
    std::fs::create_dir_all(&path).unwrap();
    path
}

const LINKS: &str = "<link name=\"a\"/><link name=\"b\"/>";

fn joint(kind: &str, inside: &str) -> Result<Scene, String> {
    robot(&format!(
        "{LINKS}\n<joint name=\"j\" type=\"{kind}\"><parent link=\"a\"/><child link=\"b\"/><origin xyz=\"0 0 1\"/>{inside}</joint>"
    ))
}

#[test]
fn every_joint_type_is_supported() {
    let kind = |scene: Scene, name: &str| scene.skeleton.joints()[scene.skeleton.find(name).unwrap()].kind;
    let limit = "<limit lower=\"-1\" upper=\"2\"/>";
    assert!(matches!(kind(joint("revolute", limit).unwrap(), "j"), Kind::Hinge { range: Some(_), axis: DVec3::X }));
    assert!(matches!(kind(joint("continuous", "").unwrap(), "j"), Kind::Hinge { range: None, .. }));
    assert!(matches!(kind(joint("prismatic", limit).unwrap(), "j"), Kind::Slide { range: Some(_), .. }));
    assert!(matches!(kind(joint("fixed", "").unwrap(), "j"), Kind::Fixed));
    assert!(matches!(kind(joint("floating", "").unwrap(), "j"), Kind::Free));
    let planar = joint("planar", "<axis xyz=\"0 0 3\"/>").unwrap();
    let placed = frame(&planar, &[("j.x", 0.5), ("j.y", -0.25), ("j", 1.0)], "j");
    assert!(
        (placed.position.z - 1.0).abs() < 1e-12
            && (placed.position.truncate().length() - 0.3125_f64.sqrt()).abs() < 1e-12
    );
    assert!((placed.rotation * DVec3::Z).distance(DVec3::Z) < 1e-12);
}

/// Joints with several coordinates anywhere in a robot: links are where the origins and the values of the joints put them, and what
/// cannot be kept is told.
#[test]
fn joints_with_several_coordinates_stand_anywhere_in_a_robot() {
    let mut random = Random::new(19);
    for case in 0..40 {
        let count = 2 + random.index(4);
        let mut text = "<link name=\"l0\"/>".to_owned();
        let mut joints = Vec::new();
        for at in 1..=count {
            let kind = ["spherical", "floating", "planar", "continuous"][random.index(4)];
            let limit = if random.index(2) == 0 { "<limit lower=\"0.2\" upper=\"0.8\"/>" } else { "" };
            let (place, parent) = (random.direction(), random.index(at));
            let [roll, pitch, yaw] = [0; 3].map(|_| random.range(-3.0, 3.0));
            let turn = DQuat::from_rotation_z(yaw) * DQuat::from_rotation_y(pitch) * DQuat::from_rotation_x(roll);
            text += &format!(
                "<link name=\"l{at}\"/>\n<joint name=\"j{at}\" type=\"{kind}\"><parent link=\"l{parent}\"/><child link=\"l{at}\"/>\
                 <origin xyz=\"{} {} {}\" rpy=\"{roll} {pitch} {yaw}\"/><axis xyz=\"0 0 1\"/>{limit}</joint>",
                place.x, place.y, place.z
            );
            joints.push((kind, parent, Isometry::new(place, turn), !limit.is_empty()));
        }
        let scene = robot(&text).unwrap();
        let warnings = scene.assets.warnings.join("\n");
        let find = |name: String| scene.skeleton.find(&name).unwrap();
        let (mut pose, mut expected) = (scene.skeleton.rest_pose(), vec![Isometry::IDENTITY]);
        for (at, &(kind, parent, origin, has_limit)) in (1..).zip(&joints) {
            let (place, turn, angle) = (random.direction(), random.rotation(), random.range(-3.0, 3.0));
            let name = format!("j{at}");
            let told = warnings.contains(&format!("<joint name=\"{name}\"> turns without limits"));
            assert_eq!(told, kind == "spherical" && has_limit, "case {case}: {warnings}");
            let spun = DQuat::from_rotation_z(angle);
            let moved = match kind {
                "spherical" => {
                    pose[find(name)] = Coordinates::rotation(turn);
                    Isometry::new(DVec3::ZERO, turn)
                }
                "floating" => {
                    pose[find(name)] = Coordinates::free(place, turn);
                    Isometry::new(place, turn)
                }
                "planar" => {
                    pose[find(format!("{name}.x"))] = Coordinates::scalar(place.x);
                    pose[find(format!("{name}.y"))] = Coordinates::scalar(place.y);
                    pose[find(name)] = Coordinates::scalar(angle);
                    Isometry::new(DVec3::new(place.x, place.y, 0.0), spun)
                }
                _ => {
                    pose[find(name)] = Coordinates::scalar(angle);
                    Isometry::new(DVec3::ZERO, spun)
                }
            };
            expected.push(expected[parent].frame(origin).frame(moved));
        }
        let frames = scene.skeleton.frames(&pose);
        for (at, expected) in expected.iter().enumerate().skip(1) {
            let found = frames[find(format!("j{at}"))];
            assert!(found.position.distance(expected.position) < 1e-12, "case {case}, l{at}\n{text}");
            assert!((found.rotation.dot(expected.rotation).abs() - 1.0).abs() < 1e-12, "case {case}, l{at}\n{text}");
        }
    }
}

/// Soft limits narrow the limits, never widen them, and say so.
#[test]
fn soft_limits_count_where_they_are_tighter() {
    let read = |soft: &str| {
        let inside = format!("<limit lower=\"-2\" upper=\"1\"/><safety_controller k_velocity=\"1\" {soft}/>");
        let scene = joint("revolute", &inside).unwrap();
        let Kind::Hinge { range: Some(range), .. } = *scene.skeleton.kind(scene.find_joint("j").unwrap()) else {
            panic!("a hinge with a range");
        };
        ([range.low(), range.high()], scene.assets.warnings.join("\n"))
    };
    let tighter = "soft limits count where they are tighter; --hard-limits ignores them: j";
    let cases = [
        ("", [-2.0, 1.0], ""),
        ("soft_lower_limit=\"-1.5\" soft_upper_limit=\"0.5\"", [-1.5, 0.5], tighter),
        ("soft_lower_limit=\"-3\" soft_upper_limit=\"0.5\"", [-2.0, 0.5], tighter),
        ("soft_lower_limit=\"-3\" soft_upper_limit=\"3\"", [-2.0, 1.0], ""),
        ("soft_lower_limit=\"-1\"", [-1.0, 0.0], tighter),
        ("soft_lower_limit=\"0\" soft_upper_limit=\"0\"", [-2.0, 1.0], ""),
        ("soft_lower_limit=\"2\" soft_upper_limit=\"3\"", [-2.0, 1.0], "leave nothing of its limits"),
    ];
    for (soft, range, warning) in cases {
        let (read, warnings) = read(soft);
        assert_eq!(read, range, "{soft}");
        assert!(warnings.contains(warning) && warning.is_empty() == warnings.is_empty(), "{soft}: {warnings}");
    }
    let broken = "<limit lower=\"-2\" upper=\"1\"/><safety_controller soft_lower_limit=\"x\"/>";
    assert!(joint("revolute", broken).unwrap_err().contains("soft_lower_limit"), "a bad number has a place");
}

/// The same robot without its soft limits.
#[test]
fn hard_limits_are_a_choice() {
    let folder = tempfolder();
    let path = folder.join("robot.urdf");
    let limits = "<limit lower=\"-2\" upper=\"1\"/><safety_controller soft_lower_limit=\"-1\" soft_upper_limit=\"1\"/>";
    let joint = format!(
        "<joint name=\"j\" type=\"revolute\"><parent link=\"a\"/><child link=\"b\"/><origin xyz=\"0 0 1\"/>{limits}</joint>"
    );
    std::fs::write(&path, format!("<robot name=\"r\">{LINKS}{joint}</robot>")).unwrap();
    let lows = [RobotLimits::Soft, RobotLimits::Hard].map(|robot_limits| {
        let scene = Scene::open_with(&path, &OpenOptions { robot_limits, ..OpenOptions::default() }).unwrap();
        match *scene.skeleton.kind(scene.find_joint("j").unwrap()) {
            Kind::Hinge { range: Some(range), .. } => range.low(),
            _ => f64::NAN,
        }
    });
    std::fs::remove_dir_all(folder).unwrap();
    assert_eq!(lows, [-1.0, -2.0]);
}

#[test]
fn errors_name_the_position_and_the_cause() {
    let cases = [
        (joint("revolute", ""), "F:3:1: <joint name=\"j\"> has no <limit>"),
        (joint("hinge", ""), "F:3:1: <joint name=\"j\">: the type `hinge` is not known"),
        (joint("continuous", "<axis xyz=\"0 0 0\"/>"), "the axis has no direction"),
        (joint("fixed", "<origin/>").and_then(|_| joint("continuous", "<axis xyz=\"0 0\"/>")), "must be 3 numbers"),
        (joint("continuous", "<axis xyz=\"0 0 ${z}\"/>"), "run it through xacro first"),
        (joint("continuous", "<axis xyz=\"0 0 nan\"/>"), "is not finite"),
        (joint("continuous", "<mimic joint=\"j\"/>"), "follows itself"),
        (robot(""), "F:1:1: the robot has no <link>"),
        (robot("<link name=\"a\"/><link name=\"a\"/>"), "F:2:17: two links are named `a`"),
        (robot(LINKS), "two links have no parent, `a` and `b`"),
        (
            robot("<link name=\"a\"/><joint name=\"j\" type=\"fixed\"><parent link=\"a\"/><child link=\"c\"/></joint>"),
            "there is no link `c`",
        ),
        (
            robot(
                "<link name=\"a\"/><link name=\"b\"/>
                 <joint name=\"j\" type=\"fixed\"><parent link=\"a\"/><child link=\"b\"/></joint>
                 <joint name=\"k\" type=\"fixed\"><parent link=\"b\"/><child link=\"a\"/></joint>",
            ),
            "the joints form a cycle: a <- b <- a",
        ),
        (
            robot(
                "<link name=\"r\"/><link name=\"a\"/><link name=\"b\"/>
                 <joint name=\"j\" type=\"fixed\"><parent link=\"a\"/><child link=\"b\"/></joint>
                 <joint name=\"k\" type=\"fixed\"><parent link=\"b\"/><child link=\"a\"/></joint>",
            ),
            "the joints form a cycle",
        ),
        (robot("<link name=\"a\""), "F:3:1: this is not XML"),
        (robot("<xacro:macro xmlns:xacro=\"http://www.ros.org/wiki/xacro\"/>"), "this is a xacro file, not URDF"),
        (robot(&format!("{LINKS}<xacro:arm/>")), "this is a xacro file, not URDF: <xacro:arm> is a macro"),
        (joint("continuous", "<xacro:axis/>"), "this is a xacro file, not URDF: <xacro:axis> is a macro"),
        (joint("continuous", "").and(joint("fixed", "<xacro:if><link/></xacro:if>")), "this is a xacro file"),
    ];
    for (outcome, expected) in cases {
        let message = outcome.err().unwrap_or_else(|| panic!("opened, expected: {expected}"));
        assert!(message.contains(expected), "{message}\nexpected: {expected}");
    }
}

/// What leaves the kinematics intact is a warning.
#[test]
fn blemishes_of_a_file_are_warnings() {
    let drawn = |shape: &str| robot(&format!("<link name=\"a\"><visual><geometry>{shape}</geometry></visual></link>"));
    let cases = [
        (
            joint("revolute", "<limit lower=\"2\" upper=\"1\"/>"),
            "<joint name=\"j\"> moves without limits: the lower limit 2 is above the upper limit 1",
        ),
        (
            joint("continuous", "<mimic joint=\"jj\"/>"),
            "the <mimic> of <joint name=\"j\"> is ignored: there is no joint `jj`; known: j",
        ),
        (joint("fixed", "<mimic joint=\"j2\"/>"), "is ignored: there is no joint `j2`"),
        (robot("<link name=\"a\"><visual/></link>"), "a <visual> of <link name=\"a\"> is left out: it has no geometry"),
        (drawn("<sphere radius=\"0\"/>"), "is left out: <sphere> needs radius=\"...\" above 0"),
        (drawn("<box size=\"1 1\"/>"), "size=\"1 1\" must be 3 numbers"),
        (drawn("<mesh filename=\"a.stl\" scale=\"1 1 1 1\"/>"), "the fourth number of scale=\"1 1 1 1\" is ignored"),
    ];
    for (scene, expected) in cases {
        let warnings = &scene.unwrap_or_else(|error| panic!("{error}, expected: {expected}")).assets.warnings;
        assert!(warnings.iter().any(|warning| warning.contains(expected)), "{warnings:?}\nexpected: {expected}");
    }
}

/// Every blemish of this file is a warning, and the arm moves as the same arm without them.
#[test]
fn stray_elements_do_not_stop_a_file() {
    let scene = open(&model("blemishes.urdf"));
    let expected = [
        "line 7: <xacro:property> is a macro, which is ignored",
        "elements with undeclared namespace prefixes are ignored: xacro, sensor",
        "<joint name=\"elbow\"> moves without limits: the lower limit 1 is above the upper limit -1; swap them",
        "the <mimic> of <joint name=\"wrist\"> is ignored: <joint name=\"flange\"> is fixed",
        "a <visual> of <link name=\"upper_arm\"> is left out: <sphere> needs radius=\"...\" above 0",
    ];
    assert_eq!(scene.assets.warnings, expected);
    let names: Vec<&str> = scene.skeleton.joints().iter().map(|joint| joint.name.as_str()).collect();
    assert_eq!(names, ["base", "shoulder", "elbow", "wrist", "flange"]);
    let placed = frame(&scene, &[("shoulder", 0.4), ("elbow", 2.0), ("wrist", -1.0)], "flange");
    let mut expected = dvec3(0.0, 0.0, 0.2);
    for (angle, length) in [(0.4_f64, 0.3), (2.4, 0.2), (1.4, 0.1)] {
        expected += length * dvec3(angle.sin(), 0.0, angle.cos());
    }
    assert!(placed.position.distance(expected) < 1e-12, "{} {expected}", placed.position);
}

/// COLLADA files with y up stay as they are, as in ROS, unless the option asks for more.
#[test]
fn the_up_axis_of_collada_is_a_choice() {
    let folder = tempfolder();
    let dae = "<COLLADA><asset><up_axis>Y_UP</up_axis></asset><library_geometries><geometry id=\"g\"><mesh>
        <source id=\"p\"><float_array id=\"pa\" count=\"9\">0 0 0 1 0 0 0 2 0</float_array><technique_common>
        <accessor source=\"#pa\" count=\"3\" stride=\"3\"/></technique_common></source>
        <vertices id=\"v\"><input semantic=\"POSITION\" source=\"#p\"/></vertices>
        <triangles count=\"1\"><input semantic=\"VERTEX\" source=\"#v\" offset=\"0\"/><p>0 1 2</p></triangles>
        </mesh></geometry></library_geometries></COLLADA>";
    std::fs::write(folder.join("a.dae"), dae).unwrap();
    let text = "<robot name=\"r\"><link name=\"a\"><visual><geometry><mesh filename=\"a.dae\"/></geometry></visual>
        </link></robot>";
    let path = folder.join("robot.urdf");
    std::fs::write(&path, text).unwrap();
    let highest = |dae_up| {
        let scene = Scene::open_with(&path, &OpenOptions { dae_up, ..OpenOptions::default() }).unwrap();
        (scene.assets.meshes[0].bounds().unwrap().1.as_dvec3(), scene.assets.warnings.clone())
    };
    let (ignored, warnings) = highest(DaeUp::Ignore);
    assert!(ignored.distance(dvec3(1.0, 2.0, 0.0)) < 1e-6, "{ignored}");
    assert_eq!(warnings, ["meshes have y up, which is ignored as in ROS; --dae-up file turns them: a.dae"]);
    let (turned, warnings) = highest(DaeUp::File);
    assert!(turned.distance(dvec3(1.0, 0.0, 2.0)) < 1e-6, "{turned}");
    assert_eq!(warnings, [""; 0]);
    std::fs::remove_dir_all(folder).unwrap();
}

#[test]
fn entity_expansion_is_refused() {
    let bomb = "<!DOCTYPE x [<!ENTITY a \"aaaaaaaa\"><!ENTITY b \"&a;&a;&a;&a;\">]><robot name=\"&b;\"/>";
    let path = tempfolder().join("bomb.urdf");
    std::fs::write(&path, bomb).unwrap();
    assert!(Scene::open(&path).unwrap_err().message.contains("DTD"), "{}", Scene::open(&path).unwrap_err());
    std::fs::remove_dir_all(path.parent().unwrap()).unwrap();
}

#[test]
fn a_missing_mesh_is_a_warning() {
    let scene = robot(
        "<link name=\"a\"><visual><geometry><mesh filename=\"package://nowhere/a.stl\"/></geometry></visual></link>",
    );
    let warnings = &scene.unwrap().assets.warnings;
    assert_eq!(warnings.len(), 1);
    assert!(warnings[0].contains("--package-path nowhere=FOLDER"), "{warnings:?}");
}

#[test]
fn given_package_folders_are_used() {
    let folder = tempfolder();
    let stl = "solid s\nfacet normal 0 0 1\nouter loop\nvertex 0 0 0\nvertex 1 0 0\nvertex 0 1 0\nendloop\nendfacet\nendsolid\n";
    std::fs::create_dir_all(folder.join("elsewhere/meshes")).unwrap();
    std::fs::write(folder.join("elsewhere/meshes/a.stl"), stl).unwrap();
    let text = "<robot name=\"r\"><link name=\"a\"><visual><geometry>
        <mesh filename=\"package://pack/meshes/a.stl\" scale=\"1 1 -2\"/></geometry></visual></link></robot>";
    let path = folder.join("robot.urdf");
    std::fs::write(&path, text).unwrap();
    let packages = vec![("pack".to_owned(), folder.join("elsewhere"))];
    let scene = Scene::open_with(&path, &OpenOptions { packages, ..OpenOptions::default() }).unwrap();
    assert_eq!(scene.assets.warnings, [""; 0]);
    // Mirrored, so the triangle is flipped to face outward again.
    assert_eq!(scene.assets.meshes[0].triangles, [[0, 2, 1]]);
    std::fs::remove_dir_all(folder).unwrap();
}

#[test]
fn chains_of_mimic_joints_follow_the_first_leader() {
    let scene = robot(
        "<link name=\"a\"/><link name=\"b\"/><link name=\"c\"/><link name=\"d\"/>
         <joint name=\"j\" type=\"continuous\"><parent link=\"a\"/><child link=\"b\"/></joint>
         <joint name=\"k\" type=\"continuous\"><parent link=\"b\"/><child link=\"c\"/>
           <mimic joint=\"j\" multiplier=\"2\" offset=\"0.1\"/></joint>
         <joint name=\"l\" type=\"revolute\"><parent link=\"c\"/><child link=\"d\"/><limit lower=\"-1\" upper=\"1\"/>
           <mimic joint=\"k\" multiplier=\"-3\" offset=\"0.5\"/></joint>",
    )
    .unwrap();
    let mut pose = scene.skeleton.rest_pose();
    let [j, k, l] = ["j", "k", "l"].map(|name| scene.skeleton.find(name).unwrap());
    for value in [-3.0, -0.2, 0.0, 0.1, 3.0] {
        pose[j] = Coordinates::scalar(value);
        scene.skeleton.project(&mut pose);
        let value = pose[j].value();
        assert!((pose[k].value() - (2.0 * value + 0.1)).abs() < 1e-12);
        assert!((pose[l].value() - (-3.0 * (2.0 * value + 0.1) + 0.5)).abs() < 1e-12);
    }
}

/// As in ROS, Pinocchio and PyBullet: a follower goes where its leader sends it, whatever its own `<limit>`.
#[test]
fn followers_do_not_lock_their_leaders() {
    let scene = open(&model("gripper.urdf"));
    let [knuckle, finger, pad, slide] =
        ["knuckle", "finger", "pad", "slide"].map(|name| scene.skeleton.find(name).unwrap());
    let mut pose = scene.skeleton.rest_pose();
    for value in [0.0, 0.3, 0.8] {
        pose[knuckle] = Coordinates::scalar(value);
        scene.skeleton.project(&mut pose);
        let values = [knuckle, finger, pad, slide].map(|joint| pose[joint].value());
        assert_eq!(values, [value, value, -value, 0.05 * value + 0.01]);
    }
    // Its own range still limits the leader.
    pose[knuckle] = Coordinates::scalar(1.0);
    scene.skeleton.project(&mut pose);
    assert_eq!(pose[knuckle].value(), 0.8);
    let expected = "followers can leave their own limits, which do not count: pad, slide";
    assert_eq!(scene.assets.warnings, [expected]);
}

/// Arms open bent, inside their limits and above the ground, and small motions of the target cause no jump.
#[test]
fn arms_open_bent_and_follow_small_motions_without_jumps() {
    use fabrik3d_viewer::session::{Command, Session};
    for name in ["robots/ur_description/urdf/ur5_robot.urdf", "robots/panda_description/urdf/panda.urdf"] {
        let Some(path) = gathered(name) else { continue };
        let scene = open(&path);
        assert_eq!(open(&path).start, scene.start, "opening is deterministic");
        let hand = &scene.effectors[0];
        let frames = scene.skeleton.frames(&scene.start);
        assert_eq!(hand.target.position, Some(frames[hand.effector.joint].position), "{name}");
        for (joint, at) in scene.skeleton.joints().iter().zip(&scene.start) {
            if let Kind::Hinge { range: Some(range), .. } = joint.kind {
                let share = (at.value() - range.low()).min(range.high() - at.value()) / (range.high() - range.low());
                assert!(share > 0.05, "{name}, {}: {} in {range:?}", joint.name, at.value());
            }
        }
        assert!(frames.iter().all(|frame| frame.position.z > -1e-9), "{name}: a joint is below the ground");
        // One degree or two millimetres per frame.
        let turns = ["turn 1 0 0", "turn 0 1 0", "turn 0 0 1", "turn -1 0 0", "turn 0 -1 0", "turn 0 0 -1"];
        let moves = ["move 0 0 0.002", "move 0.002 0 0", "move 0 0.002 0", "move 0 0 -0.002", "move -0.002 0 0"];
        for words in turns.iter().chain(&moves) {
            let mut session = Session::new(scene.clone());
            let Command::Session(command) = format!("target.{words}").parse().unwrap() else { panic!("{words}") };
            let mut last: Option<Vec<DVec3>> = None;
            for frame in 0..30 {
                session.apply(&command).unwrap();
                session.tick(1.0 / 60.0);
                let frames = scene.skeleton.frames(session.displayed());
                let now: Vec<DVec3> = frames.iter().map(|frame| frame.position).collect();
                let step = last.map_or(0.0, |last| {
                    now.iter().zip(&last).map(|(a, b): (&DVec3, &DVec3)| a.distance(*b)).fold(0.0, f64::max)
                });
                assert!(step < 0.03, "{name}, {words}, frame {frame}: {step} metres");
                assert!(now.iter().all(|place| place.z > 0.0 - 1e-9), "{name}, {words}: through the floor");
                last = Some(now);
            }
        }
    }
}

/// A scene that was converted from a robot lists the joints in the robot's order, so that `--joints` means the same.
#[test]
fn converted_robots_keep_the_order_of_their_joints() {
    let links = ["base", "a", "b", "c"].map(|name| format!("<link name=\"{name}\"/>")).concat();
    let joint = |name: &str, parent: &str, child: &str| {
        format!(
            "<joint name=\"{name}\" type=\"continuous\"><parent link=\"{parent}\"/><child link=\"{child}\"/>\
             <origin xyz=\"0 0 1\"/></joint>"
        )
    };
    // The last joint of the arm comes first.
    let joints = [joint("third", "b", "c"), joint("first", "base", "a"), joint("second", "a", "b")].concat();
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("robot.urdf");
    std::fs::write(&path, format!("<robot name=\"r\">{links}{joints}</robot>")).unwrap();
    let names = |scene: &Scene| -> Vec<String> {
        scene.settable_joints().map(|at| scene.skeleton.joints()[at].name.clone()).collect()
    };
    let scene = Scene::open(&path).unwrap();
    assert_eq!(names(&scene), ["third", "first", "second"]);
    let converted = Scene::parse(&scene.to_toml(), Syntax::Toml, "robot.toml").unwrap();
    assert_eq!(names(&converted), names(&scene));
    assert_eq!(converted.skeleton, scene.skeleton);
    // An order that does not name each joint once is an error with its place.
    let line = scene.to_toml().lines().find(|line| line.starts_with("joint_order")).unwrap().to_owned();
    for (order, part) in [
        ("joint_order = [\"first\"]", "is missing"),
        ("joint_order = [\"first\", \"frist\"]", "did you mean"),
        (&*line.replace(']', ", \"first\"]"), "twice"),
    ] {
        let text = scene.to_toml().replace(&line, order);
        let error = Scene::parse(&text, Syntax::Toml, "robot.toml").unwrap_err().to_string();
        assert!(error.contains("robot.toml:") && error.contains(part), "{order}: {error}");
    }
}

/// Packages are found where ROS has them.
#[test]
fn packages_of_ros_are_found() {
    let folder = tempfile::tempdir().unwrap();
    let meshes = folder.path().join("ros/arm_description/meshes");
    std::fs::create_dir_all(&meshes).unwrap();
    std::fs::write(meshes.join("a.obj"), "v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n").unwrap();
    let elsewhere = folder.path().join("robot");
    std::fs::create_dir(&elsewhere).unwrap();
    let path = elsewhere.join("robot.urdf");
    let mesh = "<mesh filename=\"package://arm_description/meshes/a.obj\"/>";
    std::fs::write(
        &path,
        format!("<robot name=\"r\"><link name=\"a\"><visual><geometry>{mesh}</geometry></visual></link></robot>"),
    )
    .unwrap();
    let meshes_with = |package_folders: &[&str]| {
        let package_folders = package_folders.iter().map(|name| folder.path().join(name)).collect();
        let scene = Scene::open_with(&path, &OpenOptions { package_folders, ..OpenOptions::default() }).unwrap();
        (scene.assets.meshes.len(), scene.warnings().len())
    };
    assert_eq!(meshes_with(&[]), (0, 1));
    assert_eq!(meshes_with(&["none", "ros"]), (1, 0));
    // A folder that was copied out of its package.
    let copied = folder.path().join("copied/arm");
    std::fs::create_dir_all(copied.join("meshes")).unwrap();
    std::fs::copy(meshes.join("a.obj"), copied.join("meshes/a.obj")).unwrap();
    let mesh = "<mesh filename=\"package://collection/robots/arm/meshes/a.obj\"/>";
    let text =
        format!("<robot name=\"r\"><link name=\"a\"><visual><geometry>{mesh}</geometry></visual></link></robot>");
    std::fs::write(copied.join("robot.urdf"), text).unwrap();
    let scene = Scene::open(copied.join("robot.urdf")).unwrap();
    assert_eq!((scene.assets.meshes.len(), scene.warnings().len()), (1, 0), "{:?}", scene.warnings());
}
