//! Arms with six hinges at random whose axes lie as a closed form needs them, in skeletons with crooked frames, fixed
//! joints and zero offsets.

use fabrik3d_ik::arms::ArmFamily;
use fabrik3d_ik::maths::pow;
use fabrik3d_ik::random::Random;
use fabrik3d_ik::{Effector, Interval, Isometry, Joint, Kind, Skeleton};
use glam::{DQuat, DVec3};
use std::f64::consts::PI;

/// How the axes of an arm lie, and which closed form that gives.
pub struct Layout {
    pub name: &'static str,
    /// `None` if the random lines belong to several families.
    pub family: Option<ArmFamily>,
    lines: fn(&mut Random) -> [(DVec3, DVec3); 6],
}

pub const LAYOUTS: [Layout; 17] = [
    Layout { name: "wrist on any three axes", family: Some(ArmFamily::SphericalWrist), lines: wrist_on_any },
    Layout {
        name: "wrist, shoulder axes meet, elbow parallel",
        family: Some(ArmFamily::SphericalWrist),
        lines: industrial,
    },
    Layout { name: "wrist, shoulder offset", family: Some(ArmFamily::SphericalWrist), lines: offset_shoulder },
    Layout { name: "wrist, all in a plane", family: Some(ArmFamily::SphericalWrist), lines: planar_shoulder },
    Layout { name: "wrist, first axes parallel", family: Some(ArmFamily::SphericalWrist), lines: parallel_first },
    Layout { name: "shoulder below any three axes", family: Some(ArmFamily::SphericalShoulder), lines: shoulder },
    Layout { name: "three parallel axes", family: Some(ArmFamily::ParallelAxes), lines: parallel },
    Layout {
        name: "three parallel axes, wrist axes meet",
        family: Some(ArmFamily::ParallelAxes),
        lines: parallel_meeting,
    },
    Layout { name: "three parallel axes as on real arms", family: Some(ArmFamily::ParallelAxes), lines: universal },
    Layout {
        name: "three parallel axes near the effector",
        family: Some(ArmFamily::ParallelAxes),
        lines: parallel_last,
    },
    Layout { name: "any axes", family: Some(ArmFamily::General), lines: all_any },
    Layout { name: "any right angles", family: Some(ArmFamily::General), lines: right_angles },
    Layout { name: "parallel neighbors", family: Some(ArmFamily::General), lines: parallel_pairs },
    Layout { name: "meeting neighbors", family: Some(ArmFamily::General), lines: meeting_pairs },
    Layout { name: "offset wrist", family: Some(ArmFamily::General), lines: offset_wrist },
    Layout { name: "inner axes meet", family: Some(ArmFamily::SphericalElbow), lines: inner_meet },
    Layout { name: "outer three axes parallel", family: Some(ArmFamily::ParallelAxes), lines: outer_parallel },
];

/// Arms of any family, some of which have free joints in every pose.
pub const SPECIAL: Layout = Layout { name: "any special neighbors", family: None, lines: special_neighbors };

fn point(random: &mut Random) -> DVec3 {
    random.direction() * random.range(0.2, 1.0)
}

fn any(random: &mut Random) -> (DVec3, DVec3) {
    (point(random), random.direction())
}

fn wrist_on_any(random: &mut Random) -> [(DVec3, DVec3); 6] {
    let center = point(random);
    let mut wrist = || (center, random.direction());
    let [a, b, c] = [wrist(), wrist(), wrist()];
    [any(random), any(random), any(random), a, b, c]
}

fn industrial(random: &mut Random) -> [(DVec3, DVec3); 6] {
    let [upper, lower, side] = [0.3, 0.4, 0.2].map(|length| length * random.range(0.5, 1.5));
    let elbow = DVec3::Z * (0.3 + upper);
    let wrist = elbow + DVec3::new(lower, side * random.range(-1.0, 1.0), 0.1);
    let lift = DVec3::Z * 0.3;
    [
        (DVec3::ZERO, DVec3::Z),
        (lift, DVec3::Y),
        (elbow, -DVec3::Y),
        (wrist, DVec3::X),
        (wrist, DVec3::Y),
        (wrist, DVec3::X),
    ]
}

fn offset_shoulder(random: &mut Random) -> [(DVec3, DVec3); 6] {
    let mut lines = industrial(random);
    let offset = DVec3::X * random.range(0.05, 0.3);
    lines[1..].iter_mut().for_each(|line| line.0 += offset);
    lines
}

/// The wrist center can lie on the first axis.
fn planar_shoulder(random: &mut Random) -> [(DVec3, DVec3); 6] {
    let mut lines = offset_shoulder(random);
    lines[3..].iter_mut().for_each(|line| line.0.y = 0.0);
    lines
}

fn parallel_first(random: &mut Random) -> [(DVec3, DVec3); 6] {
    let mut lines = wrist_on_any(random);
    lines[1].1 = -lines[0].1;
    lines
}

fn shoulder(random: &mut Random) -> [(DVec3, DVec3); 6] {
    let [a, b, c, d, e, f] = wrist_on_any(random);
    [f, e, d, c, b, a]
}

fn parallel(random: &mut Random) -> [(DVec3, DVec3); 6] {
    let direction = random.direction();
    let mut line = |sign: f64| (point(random), direction * sign);
    let [b, c, d] = [line(1.0), line(-1.0), line(1.0)];
    [any(random), b, c, d, any(random), any(random)]
}

fn parallel_meeting(random: &mut Random) -> [(DVec3, DVec3); 6] {
    let mut lines = parallel(random);
    lines[5].0 = lines[4].0;
    lines
}

fn universal(random: &mut Random) -> [(DVec3, DVec3); 6] {
    let [upper, lower] = [0.5, 0.4].map(|length| length * random.range(0.7, 1.3));
    let height = |z: f64, y: f64| DVec3::new(0.0, y, z);
    let wrist = height(0.1 + upper + lower, 0.1);
    [
        (DVec3::ZERO, DVec3::Z),
        (height(0.1, 0.1), DVec3::Y),
        (height(0.1 + upper, 0.0), DVec3::Y),
        (wrist, DVec3::Y),
        (wrist, DVec3::Z),
        (wrist + DVec3::Z * 0.1, DVec3::Y),
    ]
}

fn parallel_last(random: &mut Random) -> [(DVec3, DVec3); 6] {
    let [a, b, c, d, e, f] = parallel(random);
    [f, e, d, c, b, a]
}

fn all_any(random: &mut Random) -> [(DVec3, DVec3); 6] {
    std::array::from_fn(|_| any(random))
}

/// Each axis at a right angle to the one before, with distances along both: the usual parameters of real arms.
fn right_angles(random: &mut Random) -> [(DVec3, DVec3); 6] {
    let mut lines = all_any(random);
    for at in 1..6 {
        let before = lines[at - 1].1;
        lines[at].1 = before.cross(random.direction()).normalize();
    }
    lines
}

fn parallel_pairs(random: &mut Random) -> [(DVec3, DVec3); 6] {
    let mut lines = all_any(random);
    lines[2].1 = -lines[1].1;
    lines[4].1 = lines[3].1;
    lines
}

fn meeting_pairs(random: &mut Random) -> [(DVec3, DVec3); 6] {
    let mut lines = all_any(random);
    for at in [1, 3, 5] {
        lines[at].0 = lines[at - 1].0;
    }
    lines
}

/// An elbow arm whose last three axes do not meet in a point: a cobot.
fn offset_wrist(random: &mut Random) -> [(DVec3, DVec3); 6] {
    let mut lines = industrial(random);
    lines[4].0 += DVec3::Z * random.range(0.02, 0.1);
    lines[5].0 = lines[4].0 + DVec3::Z * random.range(0.02, 0.1);
    lines
}

/// The second, third and fourth, or the third, fourth and fifth.
fn inner_meet(random: &mut Random) -> [(DVec3, DVec3); 6] {
    let mut lines = wrist_on_any(random);
    let by = 1 + random.index(2);
    lines.rotate_left(by);
    lines
}

/// The first three or the last three.
fn outer_parallel(random: &mut Random) -> [(DVec3, DVec3); 6] {
    let mut lines = parallel(random);
    lines.rotate_left(1);
    if random.index(2) == 0 {
        lines.reverse();
    }
    lines
}

/// Neighbors that are parallel, meet, or meet at right angles.
fn special_neighbors(random: &mut Random) -> [(DVec3, DVec3); 6] {
    let mut lines = all_any(random);
    for at in 1..6 {
        let (point, direction) = lines[at - 1];
        match random.index(5) {
            0 => lines[at].1 = direction,
            1 => lines[at].0 = point,
            2 => lines[at].1 = direction.cross(random.direction()).normalize(),
            3 => lines[at] = (point, direction.cross(random.direction()).normalize()),
            _ => {}
        }
    }
    lines
}

/// Which limits the hinges have.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Ranges {
    None,
    /// Some have ranges of less than a turn, some of up to two turns.
    Mixed,
}

impl Layout {
    /// A skeleton with such an arm on a base. Its size differs from arm to arm by orders of magnitude.
    pub fn arm(&self, ranges: Ranges, random: &mut Random) -> (Skeleton, Effector) {
        let size = pow(10.0, random.range(-2.0, 2.0));
        let placed = Isometry::new(random.direction() * size, random.rotation());
        let mut joints = vec![Joint::new("base", None, random.direction() * size, Kind::Fixed)];
        let mut before = Isometry::new(joints[0].offset, joints[0].rest);
        for (at, (through, direction)) in (self.lines)(random).into_iter().enumerate() {
            let through = placed.point(size * (through + direction * random.range(-0.2, 0.2)));
            let direction = placed.rotation * direction;
            if random.index(3) == 0 {
                let fixed = Isometry::new(placed.point(size * point(random)), random.rotation());
                add(&mut joints, &mut before, format!("fixed {at}"), fixed, Kind::Fixed);
            }
            let rotation = if random.index(3) == 0 { DQuat::IDENTITY } else { random.rotation() };
            let axis = rotation.conjugate() * direction;
            let range = match ranges {
                Ranges::None => None,
                Ranges::Mixed => {
                    let (middle, half) = (random.range(-1.0, 1.0), random.range(1.0, 2.0 * PI));
                    Interval::new(middle - half, middle + half).ok()
                }
            };
            add(
                &mut joints,
                &mut before,
                format!("hinge {at}"),
                Isometry::new(through, rotation),
                Kind::Hinge { axis, range },
            );
        }
        let hinge = joints.len() - 1;
        joints.push(Joint::new("tool", Some(hinge), point(random) * size, Kind::Fixed));
        joints.push(Joint::new("other", Some(0), point(random) * size, Kind::Hinge { axis: DVec3::X, range: None }));
        let skeleton = Skeleton::new(joints).expect("a skeleton");
        (skeleton, Effector::new(hinge + 1, random.direction() * (0.1 * size)))
    }
}

/// Adds a joint whose rest frame in the world is `frame` while all others are at rest.
fn add(joints: &mut Vec<Joint>, before: &mut Isometry, name: String, frame: Isometry, kind: Kind) {
    let (offset, rest) = (before.local(frame.position), before.rotation.conjugate() * frame.rotation);
    joints.push(Joint { rest, ..Joint::new(name, Some(joints.len() - 1), offset, kind) });
    *before = frame;
}
