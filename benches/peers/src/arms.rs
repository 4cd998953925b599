//! All solutions of arms with six hinges in closed form.

use fabrik3d_ik::random::Random;
use fabrik3d_ik::{Effector, Isometry, Joint, Kind, SixAxisArm, Skeleton};
use fabrik3d_measure::{Clock, Row, Table, paired};
use glam::{DQuat, DVec3};
use rs_opw_kinematics::kinematic_traits::Kinematics;
use rs_opw_kinematics::kinematics_impl::OPWKinematics;
use rs_opw_kinematics::parameters::opw_kinematics::Parameters;
use rs_opw_kinematics::pose::Pose;

/// Timed rounds, and poses in each.
const ROUNDS: usize = 15;
const COUNT: usize = 2000;
/// Solutions whose angles differ by less are the same, radians.
const SAME: f64 = 1e-4;

/// The same arm for both: its axes are read from the other's forward kinematics.
struct Arm {
    theirs: OPWKinematics,
    ours: SixAxisArm,
    /// The tool at rest.
    rest: Isometry,
}

fn isometry(pose: &Pose) -> Isometry {
    let (place, turn) = (pose.translation.to_array(), pose.rotation.to_array());
    Isometry::new(DVec3::from_array(place), DQuat::from_array(turn))
}

impl Arm {
    fn new(parameters: Parameters) -> Self {
        let theirs = OPWKinematics::new(parameters);
        let rest = isometry(&theirs.forward(&[0.0; 6]));
        let mut before = DVec3::ZERO;
        let joints = (0..6).map(|joint| {
            let mut angles = [0.0; 6];
            angles[joint] = 1.0;
            let moved = isometry(&theirs.forward(&angles));
            // The motion from rest to a radian of this joint is a rotation about its axis.
            let turn = moved.rotation * rest.rotation.conjugate();
            let axis = turn.to_scaled_axis().normalize();
            let shift = moved.position - turn * rest.position;
            let across = shift - axis * axis.dot(shift);
            let place = 0.5 * (across + axis.cross(across) / 0.5_f64.tan());
            let joint_above = Joint::new(format!("{joint}"), joint.checked_sub(1), place - before, Kind::hinge(axis));
            before = place;
            joint_above
        });
        let skeleton = Skeleton::new(joints.collect()).unwrap_or_else(|error| panic!("an arm: {error}"));
        let ours = SixAxisArm::new(&skeleton, &Effector::new(5, rest.position - before));
        Arm { theirs, ours: ours.unwrap_or_else(|error| panic!("a closed form: {error}")), rest }
    }

    fn ours(&self, target: &Pose) -> Vec<[f64; 6]> {
        let Isometry { position, rotation } = isometry(target);
        self.ours.solutions(position, rotation * self.rest.rotation.conjugate(), &[0.0; 6])
    }
}

/// Whether a list of solutions has one, whole turns aside.
fn has(list: &[[f64; 6]], one: &[f64; 6]) -> bool {
    let same = |other: &[f64; 6]| one.iter().zip(other).all(|(a, b)| (0.5 * (a - b)).sin().abs() < 0.5 * SAME);
    list.iter().any(same)
}

/// The time of one pose, and how many of the solutions of both each of them finds.
pub fn tables() -> Vec<Table> {
    let arms = [
        ("IRB 2400/10", Parameters::irb2400_10()),
        ("KR 6 R700", Parameters::kuka_kr6_r700_sixx()),
        ("TX2-140", Parameters::staubli_tx2_140()),
    ];
    arms.map(|(name, parameters)| table(name, &Arm::new(parameters))).into()
}

fn table(name: &str, arm: &Arm) -> Table {
    let mut random = Random::new(11);
    let targets: Vec<Pose> =
        (0..COUNT).map(|_| arm.theirs.forward(&[(); 6].map(|()| random.range(-2.8, 2.8)))).collect();
    let mut found = [0_usize; 3];
    for target in &targets {
        let (ours, theirs) = (arm.ours(target), arm.theirs.inverse(target));
        let more = theirs.iter().filter(|one| !has(&ours, one)).count();
        found = [found[0] + ours.len() + more, found[1] + theirs.len(), found[2] + ours.len()];
    }
    let mut ours = || {
        for target in &targets {
            std::hint::black_box(arm.ours(target));
        }
    };
    let mut theirs = || {
        for target in &targets {
            std::hint::black_box(arm.theirs.inverse(target));
        }
    };
    let mut turns: [(&str, &mut dyn FnMut()); 2] = [("rs-opw-kinematics 3", &mut theirs), ("fabrik3d", &mut ours)];
    let timings = paired(Clock::Thread, ROUNDS, &mut turns);
    let mut table = Table::new(format!("peers, all solutions of the {name}"))
        .note(format!("{COUNT} poses of random angles, no limits. found: share of the solutions that either finds."));
    for (timing, own) in timings.iter().zip(&found[1..]) {
        let time = Row::new(&timing.name, timing.median() * 1e6 / COUNT as f64, "us").quantity("time");
        table.push(time.ratio_to(&timings[0].name, timing.ratio_to(&timings[0])));
        table.push(Row::new(&timing.name, 100.0 * *own as f64 / found[0] as f64, "%").quantity("found"));
    }
    table
}
