//! Which effector of a robot comes first, and which have a target: the kinematics decide, whatever the names.

use fabrik3d_ik::random::Random;
use fabrik3d_scene::{EffectorMode, OpenOptions, Scene};

/// A robot under construction, as URDF.
struct Robot {
    text: String,
    links: usize,
}

impl Robot {
    fn new() -> Self {
        Robot { text: r#"<robot name="robot"><link name="l0"/>"#.into(), links: 1 }
    }

    /// Adds a link below another one; returns its number. Names say nothing.
    fn link(&mut self, parent: usize, offset: [f64; 3], kind: &str) -> usize {
        let (at, [x, y, z]) = (self.links, offset);
        self.links += 1;
        self.text += &format!(
            r#"<link name="l{at}"/><joint name="j{at}" type="{kind}"><parent link="l{parent}"/><child link="l{at}"/>
            <origin xyz="{x} {y} {z}"/><axis xyz="0 {} 1"/><limit lower="-1" upper="1" effort="1" velocity="1"/></joint>"#,
            at % 2
        );
        at
    }

    /// A limb of this number of hinges; returns its last link.
    fn limb(&mut self, mut parent: usize, count: usize, offset: [f64; 3]) -> usize {
        for _ in 0..count {
            parent = self.link(parent, offset, "revolute");
        }
        parent
    }

    fn opened(&self) -> Scene {
        let text = format!("{}</robot>", self.text);
        Scene::from_bytes(text.into_bytes(), "robot.urdf", &OpenOptions::default()).expect("a robot")
    }
}

fn fingers(robot: &mut Robot, random: &mut Random, palm: usize, arm: usize) -> Vec<String> {
    let count = 2 + random.index(4);
    let joints = 1 + random.index(3.min(arm - 1));
    (0..count).map(|at| format!("l{}", robot.limb(palm, joints, [0.02, 0.01 * at as f64, 0.05]))).collect()
}

#[test]
fn palms_come_first_and_fingers_last() {
    let mut random = Random::new(4);
    for _ in 0..200 {
        let mut robot = Robot::new();
        let torso = robot.limb(0, random.index(3), [0.0, 0.0, 0.3]);
        let arms = 1 + random.index(2);
        let (mut palms, mut tips) = (Vec::new(), Vec::new());
        for side in 0..arms {
            // An arm is longer than the torso that it shares.
            let hinges = 4 + random.index(4);
            let wrist = robot.limb(torso, hinges, [0.1 * side as f64, 0.0, 0.2]);
            let palm = if random.index(2) == 0 { robot.link(wrist, [0.0, 0.0, 0.05], "fixed") } else { wrist };
            palms.push(format!("l{palm}"));
            tips.extend(fingers(&mut robot, &mut random, palm, hinges));
        }
        let scene = robot.opened();
        let names: Vec<&str> = scene.effectors.iter().map(|own| own.name.as_str()).collect();
        assert!(palms.iter().all(|palm| names[..arms].contains(&palm.as_str())), "{palms:?} {names:?}");
        let is_free = |own: &&fabrik3d_scene::SceneEffector| own.hold == EffectorMode::Free;
        let free: Vec<&str> = scene.effectors.iter().filter(is_free).map(|own| own.name.as_str()).collect();
        assert!(tips.iter().all(|tip| free.contains(&tip.as_str())), "{tips:?} {free:?}");
    }
}

/// Humanoids: the legs are longer than the arms, and hands come first all the same.
#[test]
fn hands_come_before_feet() {
    let mut random = Random::new(5);
    for _ in 0..100 {
        let mut robot = Robot::new();
        let (legs, arms) = (4 + random.index(4), 3 + random.index(3));
        let feet = [-0.1, 0.1].map(|y| robot.limb(0, legs, [0.0, y / legs as f64, -0.9 / legs as f64]));
        let chest = robot.link(0, [0.0, 0.0, 0.3], "fixed");
        // Arms hang down beside the trunk, or are held out.
        let down = random.range(-0.35, 0.2);
        let hands = [-0.2, 0.2].map(|y| robot.limb(chest, arms, [0.05, y / arms as f64, down / arms as f64]));
        let scene = robot.opened();
        let names: Vec<String> = scene.effectors.iter().map(|own| own.name.clone()).collect();
        let of = |links: [usize; 2]| links.map(|at| names.iter().position(|name| *name == format!("l{at}")).unwrap());
        let (hands, feet) = (of(hands), of(feet));
        assert!(hands.iter().max() < feet.iter().min(), "{names:?} {hands:?} {feet:?}");
    }
}
