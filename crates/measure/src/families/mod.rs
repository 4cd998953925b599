//! Families of problems on skeletons that have a solution by construction: the targets are the effector frames in a
//! random pose inside the limits, the witness.

mod bodies;
mod loops;
mod parts;
mod robots;
mod serial;
mod trees;

pub use parts::FamilyCase;

use crate::table::{Cell, Table};
use fabrik3d_ik::Kind;
use fabrik3d_ik::random::Random;
use parts::{TargetKind, ball};

/// A family of problems.
#[derive(Clone, Copy, Debug)]
pub struct Family {
    /// The name in tables.
    pub name: &'static str,
    make: fn(&mut Random) -> FamilyCase,
}

impl Family {
    /// A new problem from `random`.
    pub fn case(&self, random: &mut Random) -> FamilyCase {
        (self.make)(random)
    }

    /// The family with this name.
    pub fn named(name: &str) -> Option<Family> {
        FAMILIES.iter().copied().find(|family| family.name == name)
    }
}

/// Adds a line for each family that `measure` fits. Calls `progress` with a line of text before each family.
pub(crate) fn push_lines<const N: usize>(
    table: &mut Table,
    progress: &mut dyn FnMut(&str),
    mut measure: impl FnMut(&Family) -> Option<[Cell<'static>; N]>,
) {
    for (at, family) in FAMILIES.iter().enumerate() {
        progress(&format!("{}, {} of {}: {}", table.title, at + 1, FAMILIES.len(), family.name));
        measure(family).into_iter().for_each(|line| table.push_line(family.name, &line));
    }
}

/// All families.
pub const FAMILIES: &[Family] = &[
    Family { name: "chain of 10, unlimited", make: |r| serial::chain(10, 0.1, Kind::UNLIMITED_BALL).random_case(r) },
    Family { name: "chain of 10, cones 90", make: |r| serial::chain(10, 0.1, ball([90.0; 4], 30.0)).random_case(r) },
    Family { name: "chain of 10, cones 45", make: |r| serial::chain(10, 0.1, ball([45.0; 4], 30.0)).random_case(r) },
    Family { name: "chain of 10, cones 30", make: |r| serial::chain(10, 0.1, ball([30.0; 4], 30.0)).random_case(r) },
    Family {
        name: "chain of 10, ellipses",
        make: |r| serial::chain(10, 0.1, ball([60.0, 20.0, 35.0, 10.0], 20.0)).random_case(r),
    },
    Family {
        name: "chain of 10, wide ellipses",
        make: |r| serial::chain(10, 0.1, ball([120.0, 40.0, 100.0, 20.0], 20.0)).random_case(r),
    },
    Family { name: "chain, upper half only", make: |r| serial::cut_short().random_case(r) },
    Family { name: "rope, both ends", make: |r| serial::rope().random_case(r) },
    Family { name: "iiwa, position", make: |r| robots::iiwa(TargetKind::Position).random_case(r) },
    Family { name: "iiwa, pose", make: |r| robots::iiwa(TargetKind::Both).random_case(r) },
    Family { name: "panda, position", make: |r| robots::panda(TargetKind::Position).random_case(r) },
    Family { name: "panda, pose", make: |r| robots::panda(TargetKind::Both).random_case(r) },
    Family { name: "scara, pose", make: |r| robots::scara().random_case(r) },
    Family { name: "crane", make: |r| robots::crane().random_case(r) },
    Family { name: "global hinge", make: |r| robots::global_hinge().random_case(r) },
    Family { name: "gripper that mimics", make: |r| robots::gripper().random_case(r) },
    Family { name: "human arm, position", make: |r| bodies::arm(TargetKind::Position).random_case(r) },
    Family { name: "human arm, pose", make: |r| bodies::arm(TargetKind::Both).random_case(r) },
    Family { name: "human arm with forearm, pose", make: |r| bodies::arm_with_forearm().random_case(r) },
    Family { name: "body, 5 positions", make: |r| bodies::body(Kind::Free, TargetKind::Position).random_case(r) },
    Family {
        name: "body pinned, 5 positions",
        make: |r| bodies::body(Kind::Fixed, TargetKind::Position).random_case(r),
    },
    Family { name: "body, 5 poses", make: |r| bodies::body(Kind::Free, TargetKind::Both).random_case(r) },
    Family { name: "hand, 5 fingertips", make: |r| bodies::hand().random_case(r) },
    Family { name: "hexapod, free", make: |r| trees::walker(6, Kind::Free, true).random_case(r) },
    Family { name: "hexapod, pinned", make: |r| trees::walker(6, Kind::Fixed, false).random_case(r) },
    Family { name: "spider, free", make: |r| trees::walker(8, Kind::Free, true).random_case(r) },
    Family { name: "tree with nested sub-bases", make: |r| trees::nested().random_case(r) },
    Family { name: "random trees", make: |r| trees::random(r).random_case(r) },
    Family { name: "loop: four-bar", make: loops::four_bar },
    Family { name: "loop: Stewart platform", make: loops::stewart },
    Family { name: "loop: two arms, one bar", make: loops::two_arms },
    Family { name: "obstacles: chain of 10", make: |r| serial::among_obstacles(10, 0.1, 60.0, r) },
    Family { name: "obstacles: chain of 5", make: |r| serial::among_obstacles(5, 0.2, 90.0, r) },
];
