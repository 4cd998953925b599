//! People keep their balance: their center of mass stays above their feet, as far as that costs no target.

use crate::pins::{bodies, height};
use crate::session_support::{apply, wait};
use fabrik3d_ik::Pose;
use fabrik3d_ik::goals::CenterOfMass;
use fabrik3d_ik::random::Random;
use fabrik3d_scene::{BodyLimits, EffectorMode, Foot, OpenOptions, Scene, SceneEffector};
use fabrik3d_viewer::session::{Session, SessionCommand};
use glam::DVec3;
use std::path::Path;

/// Drags of each body.
const DRAGS: u64 = 16;
/// Largest distance of a pinned effector from its place, as a fraction of the body's height.
const PINNED: f64 = 1e-3;

/// Largest turn of hips that are dragged up or down, radians.
const UPRIGHT: f64 = 0.25;

/// Where a drag ends.
struct Dragged {
    /// How far the center of mass is beside the feet at the end, and beside what people use of them at most; the dragged effector
    /// from its target; and pinned effectors from their places; as fractions of the height.
    beside: f64,
    worst: f64,
    miss: f64,
    slip: f64,
    pose: Pose,
}

/// The bodies of people, with their masses.
fn people() -> impl Iterator<Item = (String, Scene, CenterOfMass)> {
    bodies().into_iter().filter_map(|(name, scene)| {
        let masses = scene.center_of_mass()?;
        Some((name, scene, masses))
    })
}

/// The effector on a part of the body.
fn effector_of(scene: &Scene, part: &str) -> usize {
    let on_part = |end: &SceneEffector| scene.body_part(end.effector.joint) == part;
    scene.effectors.iter().position(on_part).expect("an effector")
}

/// Whether a joint is known as this part: recordings may lack toes or collar bones.
pub(crate) fn has_part(scene: &Scene, part: &str) -> bool {
    (0..scene.skeleton.len()).any(|at| scene.body_part(at) == part)
}

/// The joint of a part of the body.
pub(crate) fn joint_of(scene: &Scene, part: &str) -> usize {
    (0..scene.skeleton.len()).find(|&at| scene.body_part(at) == part).expect("the part")
}

/// What feet stand on as a whole: people use four fifths of it.
fn whole_feet(masses: &CenterOfMass) -> CenterOfMass {
    let middle = masses.support.iter().sum::<DVec3>() / masses.support.len() as f64;
    let support = masses.support.iter().map(|place| middle + (*place - middle) / 0.8).collect();
    CenterOfMass { support, ..masses.clone() }
}

/// Drags an effector by a way in a second and a half, and holds it still.
fn dragged(scene: &Scene, masses: &CenterOfMass, at: usize, way: DVec3, balance: bool) -> Dragged {
    let mut session = Session::new(scene.clone());
    apply(&mut session, &format!("set balance {balance}"));
    let height = height(scene);
    let whole = whole_feet(masses);
    let center = |session: &Session| masses.place(&scene.skeleton.frames(session.solved()));
    let beside = |session: &Session| masses.beside_support(center(session)).length() / height;
    let mut worst: f64 = 0.0;
    for _ in 0..90 {
        session.tick(1.0 / 60.0);
        worst = worst.max(beside(&session));
    }
    let pinned: Vec<(usize, DVec3)> = (0..scene.effectors.len())
        .filter(|&other| scene.effectors[other].hold == EffectorMode::Pinned)
        .map(|other| (other, session.tip(other)))
        .collect();
    let (start, name) = (session.tip(at), &scene.effectors[at].name);
    for frame in 1..=120 {
        let place = start + way * (f64::from(frame) / 90.0).min(1.0);
        session.apply(&SessionCommand::TargetGlide(name.clone(), place, None)).expect("finite");
        session.tick(1.0 / 60.0);
        worst = worst.max(beside(&session));
    }
    let slip = pinned.iter().map(|&(other, place)| session.tip(other).distance(place)).fold(0.0, f64::max);
    Dragged {
        beside: whole.beside_support(center(&session)).length() / height,
        worst,
        miss: session.tip(at).distance(start + way) / height,
        slip: slip / height,
        pose: session.solved().clone(),
    }
}

#[test]
fn balance_costs_no_target_and_changes_only_what_would_fall() {
    for (name, scene, masses) in people() {
        let ends: Vec<usize> =
            (0..scene.effectors.len()).filter(|&at| scene.effectors[at].hold == EffectorMode::Free).collect();
        let (mut met, mut missed) = ([0.0; 2], [0.0; 2]);
        for seed in 0..DRAGS {
            let mut random = Random::new(seed);
            let at = ends[random.index(ends.len())];
            let way = random.direction() * height(&scene) * random.range(0.1, 0.5);
            let [off, on] = [false, true].map(|balance| dragged(&scene, &masses, at, way, balance));
            let what = format!("{name}, seed {seed}, {}", scene.effectors[at].name);
            println!(
                "{what}: beside {:.4} -> {:.4}, miss {:.4} -> {:.4}, slip {:.5} -> {:.5}",
                off.beside, on.beside, off.miss, on.miss, off.slip, on.slip
            );
            assert!(on.slip < PINNED, "{what}: a foot leaves its place by {}", on.slip);
            assert!(on.miss < off.miss + 0.01, "{what}: {} from its target, {} without balance", on.miss, off.miss);
            if off.worst == 0.0 {
                assert!(on.pose == off.pose, "{what}: a body in balance moves otherwise");
            }
            // Targets out of reach come first, and leave less to balance with.
            let sums = if off.miss < 1e-3 { &mut met } else { &mut missed };
            sums[0] += off.beside;
            sums[1] += on.beside;
        }
        println!("{name}: {met:.3?}, out of reach {missed:.3?}");
        assert!(met[1] < 0.25 * met[0], "{name}: {met:?}");
        assert!(missed[1] < missed[0], "{name}, out of reach: {missed:?}");
    }
}

/// Hips that are moved back would take the body along, unless the trunk leans forward. No target moves the trunk.
#[test]
fn the_trunk_is_a_counterweight() {
    for (name, scene, masses) in people() {
        let hips = effector_of(&scene, "pelvis");
        let is_of_trunk = |at: &usize| ["spine", "chest"].iter().any(|part| scene.body_part(*at).contains(part));
        let chest = (0..scene.skeleton.len()).find(is_of_trunk).expect("a spine");
        let (up, front) = (scene.up.axis(), scene.front().expect("a front"));
        let way = (up * -0.15 - front * 0.14) * height(&scene);
        let [off, on] = [false, true].map(|balance| dragged(&scene, &masses, hips, way, balance));
        assert!(off.beside > 0.01 && off.pose[chest] == scene.start[chest], "{name}: {}", off.beside);
        assert!(on.beside < 0.2 * off.beside, "{name}: {} instead of {}", on.beside, off.beside);
        assert!(on.pose[chest] != scene.start[chest], "{name}: the spine is as at rest");
        // On legs that are straight, which bend in no time to first order.
        let way = front * (-0.15 * height(&scene));
        let [off, on] = [false, true].map(|balance| dragged(&scene, &masses, hips, way, balance));
        assert!(on.beside <= 0.4 * off.beside, "{name}, straight legs: {} instead of {}", on.beside, off.beside);
    }
}

/// Hips that are dragged up or down, also farther than legs and ankles allow, leave the trunk upright. To come a little nearer
/// to their target, they would tip it over. Its back bows as far as it needs to stay above its feet.
#[test]
fn a_body_crouches_and_stands_up_with_an_upright_trunk() {
    for (name, scene, masses) in people() {
        let (hips, tall) = (effector_of(&scene, "pelvis"), height(&scene));
        let joint = scene.effectors[hips].effector.joint;
        let rest = scene.skeleton.frames(&scene.start)[joint].rotation;
        for share in [-0.3, -0.2, -0.1, -0.05, 0.1] {
            let end = dragged(&scene, &masses, hips, scene.up.axis() * share * tall, true);
            let angle = scene.skeleton.frames(&end.pose)[joint].rotation.angle_between(rest);
            assert!(angle < UPRIGHT, "{name}, {share}: the hips turn by {angle} radians");
            assert!(end.slip < PINNED, "{name}, {share}: a foot leaves its place by {}", end.slip);
            assert!(end.beside < 1e-3, "{name}, {share}: the center of mass is {} beside the feet", end.beside);
        }
    }
}

/// Height of a lift and its way forward, as fractions of the body's height.
const LIFTS: [[f64; 2]; 4] = [[0.15, 0.0], [0.3, 0.2], [0.3, -0.2], [0.1, -0.3]];

/// A foot is lifted by its ankle or its toes: the knee bends, the trunk stays upright above the other foot, and the sole comes
/// back to the ground as it stood. A foot that stayed level all the way would tip the body over.
#[test]
fn a_lifted_foot_bends_its_knee_and_stands_again_as_it_stood() {
    let mut lifted = 0;
    for (name, scene, masses) in people() {
        let up = scene.up.axis();
        let leg = ["left thigh", "left shin", "left foot"].map(|part| joint_of(&scene, part));
        let trunk = ["pelvis", "head"].map(|part| joint_of(&scene, part));
        let is_left = |foot: &Foot| scene.effectors[foot.ankle].effector.joint == leg[2];
        let Some(Foot { ankle, toes: Some(toes) }) = scene.feet().into_iter().find(is_left) else { continue };
        for ([at, other], [high, forward]) in
            [[ankle, toes], [toes, ankle]].into_iter().flat_map(|at| LIFTS.map(|way| (at, way)))
        {
            let mut session = Session::new(scene.clone());
            wait(&mut session, 1.5);
            let standing = [ankle, toes].map(|end| session.tip(end));
            let ahead = (standing[1] - standing[0]).reject_from(up).normalize();
            let way = (high * up + forward * ahead) * height(&scene);
            let link = |session: &Session, [from, to]: [usize; 2]| {
                let frames = scene.skeleton.frames(session.solved());
                frames[to].position - frames[from].position
            };
            let (start, effector) = (session.tip(at), &scene.effectors[at].name);
            let (upright, what) =
                (link(&session, trunk).angle_between(up), format!("{name}, {effector} by {high}, {forward}"));
            let glide = |session: &mut Session, share: f64| {
                let before = session.displayed_tip(other);
                let command = SessionCommand::TargetGlide(effector.clone(), start + way * share, None);
                session.apply(&command).expect("finite");
                session.tick(1.0 / 60.0);
                let lean = link(session, trunk).angle_between(up) - upright;
                assert!(lean.abs() < 0.15, "{what}, {share}: the trunk leans by {lean} radians");
                let center = masses.place(&scene.skeleton.frames(session.solved()));
                assert!(whole_feet(&masses).beside_support(center) == DVec3::ZERO, "{what}, {share}: the body falls");
                let speed = 60.0 * session.displayed_tip(other).distance(before) / way.length();
                assert!(speed < 2.5, "{what}, {share}: the other end is {speed} times as fast");
            };
            (1..=60).for_each(|step| glide(&mut session, f64::from(step) / 60.0));
            let knee = link(&session, [leg[0], leg[1]]).angle_between(link(&session, [leg[1], leg[2]]));
            // A leg that goes far back stays straight.
            assert!(forward < -0.2 || knee > 1.2, "{what}: the knee bends by {knee} radians");
            let miss = session.tip(at).distance(start + way) / height(&scene);
            assert!(miss < 1e-3, "{what}: {miss} from its target");
            (0..60).rev().for_each(|step| glide(&mut session, f64::from(step) / 60.0));
            wait(&mut session, 0.5);
            for (end, place) in [ankle, toes].into_iter().zip(standing) {
                let off = session.tip(end).distance(place) / height(&scene);
                assert!(off < 0.02, "{what}: {} is {off} from where it stood", scene.effectors[end].name);
            }
            lifted += 1;
        }
    }
    assert!(lifted > 0, "no body has toes");
}

/// As it does when its target jumps: where a foot that stays level has gone as far as it can, it tilts from there.
#[test]
fn a_jump_lifts_a_foot_beside_an_upright_trunk() {
    let mut random = Random::new(11);
    for (name, scene, masses) in people() {
        let up = scene.up.axis();
        let trunk = ["pelvis", "head"].map(|part| joint_of(&scene, part));
        let lean = |session: &Session| {
            let frames = scene.skeleton.frames(session.solved());
            (frames[trunk[1]].position - frames[trunk[0]].position).angle_between(up)
        };
        for end in scene.feet().into_iter().flat_map(|foot| [Some(foot.ankle), foot.toes]).flatten() {
            for _ in 0..4 {
                let mut session = Session::new(scene.clone());
                wait(&mut session, 1.5);
                let (upright, rise) = (lean(&session), random.range(0.02, 0.13) * height(&scene));
                let to = session.tip(end) + up * rise;
                let what = &scene.effectors[end].name;
                session.apply(&SessionCommand::TargetSet(Some(what.clone()), to)).expect("finite");
                wait(&mut session, 1.5);
                let (leans, miss) = ((lean(&session) - upright).abs(), session.tip(end).distance(to) / height(&scene));
                assert!(leans < 0.15, "{name}, {what} by {rise}: the trunk leans by {leans} radians");
                assert!(miss < 1e-3, "{name}, {what} by {rise}: {miss} from its target");
                let center = masses.place(&scene.skeleton.frames(session.solved()));
                assert!(
                    whole_feet(&masses).beside_support(center) == DVec3::ZERO,
                    "{name}, {what} by {rise}: the body falls"
                );
            }
        }
    }
}

/// A foot that is dragged out of reach comes to rest, with and without the limits of a person: its other end does not come along
/// and go free in turns. Back at its place, the moved end stands where it stood.
#[test]
fn a_foot_that_is_dragged_out_of_reach_comes_to_rest() {
    for (name, file) in [("mannequin.glb", "assets/models/mannequin.glb"), ("puppet.gltf", "assets/models/puppet.gltf")]
    {
        for limits in [BodyLimits::Human, BodyLimits::Off] {
            let file = Path::new(env!("CARGO_MANIFEST_DIR")).join(file);
            let options = OpenOptions { body_limits: limits, ..OpenOptions::default() };
            let scene = Scene::open_with(&file, &options).expect("opens");
            let up = scene.up.axis() * height(&scene);
            for foot in scene.feet() {
                let Foot { ankle, toes: Some(toes) } = foot else { continue };
                for (at, high) in [(ankle, 0.9), (toes, 0.9), (toes, 0.45)] {
                    let mut session = Session::new(scene.clone());
                    wait(&mut session, 1.5);
                    let start = session.tip(at);
                    let glide = |session: &mut Session, share: f64| {
                        let name = scene.effectors[at].name.clone();
                        session
                            .apply(&SessionCommand::TargetGlide(name, start + up * high * share, None))
                            .expect("finite");
                        session.tick(1.0 / 60.0);
                    };
                    (1..=30).for_each(|step| glide(&mut session, f64::from(step) / 30.0));
                    wait(&mut session, 8.0);
                    assert!(!session.is_moving(), "{name}, {limits:?}, {}, {high}", scene.effectors[at].name);
                    (0..30).rev().for_each(|step| glide(&mut session, f64::from(step) / 30.0));
                    wait(&mut session, 1.0);
                    let off = session.tip(at).distance(start) / height(&scene);
                    assert!(off < 1e-3, "{name}, {limits:?}: {off} from its place");
                }
            }
        }
    }
}

/// What hangs on a dragged effector is no counterweight: a forearm does not fold where its elbow is pulled.
#[test]
fn a_forearm_does_not_balance_the_elbow_that_is_dragged() {
    for (name, mut scene, masses) in people() {
        let [forearm, hand] = ["left forearm", "left hand"].map(|part| joint_of(&scene, part));
        let arm = scene.skeleton.joints()[forearm].parent.expect("an upper arm");
        let at = scene.add_effector(&scene.skeleton.joints()[forearm].name.clone(), Some("elbow")).expect("a joint");
        let frames = scene.skeleton.frames(&scene.start);
        let outward = (frames[forearm].position - frames[arm].position).reject_from(scene.up.axis()).normalize();
        let end = dragged(&scene, &masses, at, 0.2 * height(&scene) * outward, true);
        let bend = |pose: &Pose| {
            let place = scene.skeleton.frames(pose);
            let [arm, forearm, hand] = [arm, forearm, hand].map(|at| place[at].position);
            (forearm - arm).angle_between(hand - forearm)
        };
        let folds = bend(&end.pose) - bend(&scene.start);
        assert!(folds.abs() < 0.1, "{name}: the elbow bends by {folds} radians");
    }
}

/// Without anything that is pinned, there is nothing to stand on: the body moves as without balance.
#[test]
fn a_body_that_nothing_holds_has_no_balance_to_keep() {
    for (name, mut scene, _) in people() {
        scene.effectors.iter_mut().for_each(|effector| effector.hold = EffectorMode::Free);
        let masses = scene.center_of_mass().expect("masses");
        assert!(masses.support.is_empty(), "{name}");
        let at = effector_of(&scene, "left hand");
        let way = DVec3::new(0.3, -0.4, 0.5) * height(&scene);
        let [off, on] = [false, true].map(|balance| dragged(&scene, &masses, at, way, balance));
        assert!(on.pose == off.pose && on.miss < 1e-3, "{name}: {}", on.miss);
    }
}

/// A trunk without length has its mass all the same, so that the body can be dragged.
#[test]
fn a_body_with_all_joints_of_its_trunk_in_one_place_has_masses() {
    let joint = |name: &str, offset: &str, below: &str| {
        format!("JOINT {name} {{ OFFSET {offset} CHANNELS 3 Zrotation Xrotation Yrotation {below} }}")
    };
    let end = "End Site { OFFSET 0 0.1 0 }";
    let limb = |side: &str, x: &str| {
        let hand = joint(&format!("{side}Hand"), &format!("{x}0.3 0 0"), end);
        let forearm = joint(&format!("{side}ForeArm"), &format!("{x}0.3 0 0"), &hand);
        joint(&format!("{side}Arm"), &format!("{x}0.2 0 0"), &forearm)
    };
    let leg = |side: &str, x: &str| {
        let foot = joint(&format!("{side}Foot"), "0 -0.4 0", "End Site { OFFSET 0 0 0.2 }");
        let shin = joint(&format!("{side}Leg"), "0 -0.4 0", &foot);
        joint(&format!("{side}UpLeg"), &format!("{x}0.1 0 0"), &shin)
    };
    let head = joint("Head", "0 0 0", end);
    let spine = joint("Spine", "0 0 0", &[head, limb("Left", ""), limb("Right", "-")].join(" "));
    let text = format!(
        "HIERARCHY ROOT Hips {{ OFFSET 0 0.9 0 CHANNELS 6 Xposition Yposition Zposition Zrotation Xrotation Yrotation {spine} \
         {} {} }} MOTION Frames: 1 Frame Time: 0.04\n0 0.9 0 {}\n",
        leg("Left", ""),
        leg("Right", "-"),
        "0 ".repeat(3 * 15)
    );
    let lines = ["{", "}", "ROOT", "JOINT", "End Site", "CHANNELS", "MOTION", "Frame"];
    let text = lines.iter().fold(text, |text, word| text.replace(word, &format!("\n{word}")));
    let text = text.replace('{', "{\n");
    let scene = Scene::from_bytes(text.into_bytes(), "flat.bvh", &OpenOptions::default()).expect("opens");
    let masses = scene.center_of_mass().expect("masses");
    let mass: f64 = masses.masses.iter().map(|own| own.mass).sum();
    assert!((mass - 1.0).abs() < 1e-3, "{mass}");
    let at = scene.effectors.iter().position(|end| end.name == "LeftHand").expect("a hand");
    let moved = dragged(&scene, &masses, at, DVec3::new(-0.2, -0.2, 0.2), true);
    assert!(moved.miss < 1e-3, "{}", moved.miss);
}

/// The masses are those of a whole body. The center of a standing person is a little above the joints of its hips: at 57 %
/// of the stature, those at 53 %, and arms that are held out lift it.
#[test]
fn the_center_of_a_standing_person_is_a_little_above_its_hips() {
    for (name, scene, masses) in people() {
        let mass: f64 = masses.masses.iter().map(|own| own.mass).sum();
        assert!((mass - 1.0).abs() < 1e-3, "{name}: {mass}");
        let frames = scene.skeleton.frames(&scene.start);
        let thighs = (0..scene.skeleton.len()).filter(|&at| scene.body_part(at).ends_with("thigh"));
        let thighs: Vec<DVec3> = thighs.map(|at| frames[at].position).collect();
        let hips = thighs.iter().sum::<DVec3>() / thighs.len() as f64;
        let above = (masses.place(&frames) - hips).dot(scene.up.axis()) / height(&scene);
        println!("{name}: {above:.3} above the hips");
        assert!((0.0..0.1).contains(&above), "{name}: {above}");
    }
}

/// A body that comes into balance late, because a foot is lifted or a hand far beside it is let go, does so in steps that an eye
/// can follow.
#[test]
fn balance_throws_no_body_about() {
    for (name, scene, _) in people() {
        let [up, front] = [scene.up.axis(), scene.front().expect("a front")].map(|axis| axis * height(&scene));
        let hand = effector_of(&scene, "left hand");
        let drags = [
            [
                (hand, up.cross(front) / height(&scene) * 0.25 + up * 0.1, 60),
                (effector_of(&scene, "pelvis"), up * -0.03, 20),
            ],
            [(hand, up * 0.05, 10), (effector_of(&scene, "left foot"), up * 0.05, 20)],
        ];
        for drag in drags {
            let mut session = Session::new(scene.clone());
            (0..90).for_each(|_| session.tick(1.0 / 60.0));
            for (number, (at, way, frames)) in drag.into_iter().enumerate() {
                let (start, what) = (session.tip(at), &scene.effectors[at].name);
                for frame in 1..=frames {
                    let before = scene.skeleton.frames(session.displayed());
                    let place = start + way * (f64::from(frame) / f64::from(frames));
                    session.apply(&SessionCommand::TargetGlide(what.clone(), place, None)).expect("finite");
                    session.tick(1.0 / 60.0);
                    let now = scene.skeleton.frames(session.displayed());
                    let moves = now.iter().zip(&before).map(|(now, before)| now.position.distance(before.position));
                    let step = moves.fold(0.0, f64::max) / height(&scene);
                    assert!(number == 0 || step < 0.04, "{name}, {what}: a joint moves by {step} in frame {frame}");
                }
            }
        }
    }
}
