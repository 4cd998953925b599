//! The masses of a body whose parts are known by their names, and what it stands on.
//!
//! Fractions of the mass, and where along a part its center of mass is, are those for men of P. de Leva, "Adjustments to
//! Zatsiorsky-Seluyanov's segment inertia parameters", Journal of Biomechanics 29(9), 1996, table 4. The trunk's mass is
//! spread evenly along hips and back, because it bends.

use crate::Scene;
use crate::coordinates::zero_frames;
use crate::scene::EffectorMode;
use fabrik3d_ik::goals::{CenterOfMass, PointMass};
use fabrik3d_ik::{Effector, Isometry};
use glam::DVec3;

const HEAD: f64 = 0.0694;
const TRUNK: f64 = 0.4346;
const HAND: f64 = 0.0061;
/// The other parts of limbs: where they begin and end, their fraction of the mass, and how far along their center of mass is.
const LIMBS: [(&str, &str, f64, f64); 5] = [
    ("arm", "forearm", 0.0271, 0.5772),
    ("forearm", "hand", 0.0162, 0.4574),
    ("thigh", "shin", 0.1416, 0.4095),
    ("shin", "foot", 0.0433, 0.4459),
    ("foot", "toe", 0.0137, 0.4415),
];
/// What stands is at most this high above the lowest effector that is held, relative to the height of the figure.
pub(crate) const GROUND_HEIGHT: f64 = 0.15;
/// Half the width of a foot, with a margin, relative to the extent of the figure.
const FOOT: f64 = 0.03;
/// The part of the support that people use: they do not lean to the edges of their feet. M. B. King, J. O. Judge and L. Wolfson,
/// "Functional base of support decreases with age", Journal of Gerontology 49(6), 1994, measured 0.6 of the foot's length, from
/// heel to tip. With 1, `hips_stay_behind_a_hand_that_reaches_forward` fails.
const USED: f64 = 0.8;

impl Scene {
    /// The masses of the links: those of the file, otherwise those of a person all of whose limbs are known. Empty where nothing
    /// says them.
    pub fn body_masses(&self) -> Vec<PointMass> {
        if self.masses.is_empty() { self.masses_of_person().unwrap_or_default() } else { self.masses.clone() }
    }

    /// The center of mass of the person in the scene, with what it stands on when the scene opens. None unless all its
    /// limbs are known and it has stiff joints.
    pub fn center_of_mass(&self) -> Option<CenterOfMass> {
        let masses = if self.is_stiff() { self.masses_of_person()? } else { return None };
        let mut balance = CenterOfMass { masses, support: Vec::new(), up: self.up.axis() };
        let pinned = |at: usize| Some(&self.effectors[at]).filter(|own| own.hold == EffectorMode::Pinned);
        let lean = self.opening_lean(&balance);
        self.set_support(&mut balance, lean, |at| pinned(at)?.target.position);
        Some(balance)
    }

    fn masses_of_person(&self) -> Option<Vec<PointMass>> {
        let body = self.known_body()?;
        let rest = zero_frames(&self.skeleton, Isometry::IDENTITY);
        let between = |from: usize, to: usize, share: f64, mass: f64| {
            let place = rest[from].position.lerp(rest[to].position, share);
            PointMass { joint: from, point: rest[from].local(place), mass }
        };
        let at = |joint: usize, mass: f64| between(joint, joint, 0.0, mass);
        let mut masses = vec![at(body.head, HEAD)];
        masses.extend(body.hands.iter().map(|&hand| at(hand, HAND)));
        for side in ["left", "right"] {
            for (from, to, mass, share) in LIMBS {
                let [from, to] = [from, to].map(|part| body.joint_of(&format!("{side} {part}")));
                let from = from?;
                masses.push(to.map_or(at(from, mass), |to| between(from, to, share, mass)));
            }
        }
        let trunk: Vec<usize> = std::iter::once(body.hips).chain(body.back.iter().rev().copied()).collect();
        let ends = trunk[1..].iter().copied().chain([body.head]);
        let links: Vec<(usize, usize)> = trunk.iter().copied().zip(ends).collect();
        let length = |&(from, to): &(usize, usize)| rest[from].position.distance(rest[to].position);
        let whole: f64 = links.iter().map(length).sum();
        // A file may have all joints of the trunk in one place.
        let share = |link: &_| if whole > 0.0 { length(link) / whole } else { 1.0 / links.len() as f64 };
        masses.extend(links.iter().map(|link| between(link.0, link.1, 0.5, TRUNK * share(link))));
        Some(masses)
    }

    /// How far the center of mass of a body is beside what it stands on when the scene opens.
    pub fn opening_lean(&self, balance: &CenterOfMass) -> DVec3 {
        let frames = self.skeleton.frames(&self.start);
        let opened = |at: usize| {
            let Effector { joint, tip, .. } = self.effectors[at].effector;
            (self.effectors[at].hold == EffectorMode::Pinned).then(|| frames[joint].point(tip))
        };
        let support = self.support(balance.up, opened);
        CenterOfMass { support, ..balance.clone() }.beside_support(balance.place(&frames))
    }

    /// Sets what a body stands on: around these places of effectors that are held, if they are about as low as the lowest one. A
    /// body that leans beyond that when the scene opens may lean as far: what nobody has moved stays as it is.
    pub fn set_support(&self, balance: &mut CenterOfMass, lean: DVec3, held: impl Fn(usize) -> Option<DVec3>) {
        balance.support = self.support(balance.up, held);
        if lean != DVec3::ZERO {
            balance.support.extend_from_within(..);
            let half = balance.support.len() / 2;
            balance.support[half..].iter_mut().for_each(|place| *place += lean);
        }
    }

    fn support(&self, up: DVec3, held: impl Fn(usize) -> Option<DVec3>) -> Vec<DVec3> {
        let mut places: Vec<DVec3> = (0..self.effectors.len()).filter_map(held).collect();
        let lowest = places.iter().map(|place| place.dot(up)).fold(f64::MAX, f64::min);
        places.retain(|place| place.dot(up) <= lowest + GROUND_HEIGHT * self.skeleton.extent());
        let (right, ahead) = up.any_orthonormal_pair();
        let width = FOOT * self.skeleton.extent();
        let corners = [right, -right, ahead, -ahead].map(|way| way * width);
        let middle = places.iter().sum::<DVec3>() / places.len().max(1) as f64;
        let used = |place: DVec3| middle + (place - middle) * USED;
        places.iter().flat_map(|place| corners.map(|corner| used(*place + corner))).collect()
    }
}
