//! Limbs of two links in closed form.

use fabrik3d_ik::random::Random;
use fabrik3d_ik::two_bone;
use fabrik3d_measure::{Clock, Row, Table, paired};
use glam::DVec3;
use rebirth_ik::Vec3;

/// Timed rounds, and limbs in each.
const ROUNDS: usize = 15;
const COUNT: usize = 20_000;

fn single(point: DVec3) -> Vec3 {
    Vec3::new(point.x as f32, point.y as f32, point.z as f32)
}

/// The time of one limb: links of length 1, targets in reach and out of it, and a pole.
pub fn table() -> Table {
    let mut random = Random::new(7);
    let limbs: Vec<[DVec3; 5]> = (0..COUNT)
        .map(|_| {
            let (base, mid) = (random.ball(), random.direction());
            let (mid, target, pole) = (base + mid, base + 2.2 * random.ball(), base + 5.0 * random.direction());
            [base, mid, mid + random.direction(), target, pole]
        })
        .collect();
    let singles: Vec<[Vec3; 5]> = limbs.iter().map(|limb| limb.map(single)).collect();
    let mut ours = || {
        for &[base, mid, tip, target, pole] in &limbs {
            std::hint::black_box(two_bone(base, mid, tip, target, pole));
        }
    };
    let mut theirs = || {
        for &[base, mid, tip, target, pole] in &singles {
            std::hint::black_box(rebirth_ik::two_bone(base, mid, tip, target, Some(pole)));
        }
    };
    let mut turns: [(&str, &mut dyn FnMut()); 2] = [("rebirth-ik 0.1", &mut theirs), ("fabrik3d", &mut ours)];
    let timings = paired(Clock::Thread, ROUNDS, &mut turns);
    let mut table = Table::new("peers, two links in closed form").note(format!(
        "{COUNT} limbs with poles; a tenth of the targets are out of reach or more. rebirth-ik computes in f32."
    ));
    for timing in &timings {
        let time = Row::new(&timing.name, timing.median() * 1e9 / COUNT as f64, "ns").quantity("time");
        table.push(time.ratio_to(&timings[0].name, timing.ratio_to(&timings[0])));
    }
    table
}
