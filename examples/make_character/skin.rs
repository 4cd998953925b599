//! How much each joint moves each vertex.

use crate::mesh::*;
use crate::shape::*;
use crate::skeleton::*;
use glam::{DVec3, dvec3};
use std::collections::BTreeSet;

/// The weight of each joint for each vertex.
pub fn weights(mesh: &Mesh, body: &Body, skeleton: &Skeleton) -> Vec<[f64; JOINTS.len()]> {
    let mut weights: Vec<_> = mesh.positions.iter().map(|&at| weights_at(at, body, skeleton)).collect();
    let mut around = vec![BTreeSet::new(); weights.len()];
    for triangle in &mesh.triangles {
        for &a in triangle {
            around[a as usize].extend(triangle.iter().copied().filter(|&b| b != a));
        }
    }
    for _ in 0..2 {
        let before = weights.clone();
        for (at, neighbours) in around.iter().enumerate() {
            for joint in 0..JOINTS.len() {
                let sum: f64 = neighbours.iter().map(|&other| before[other as usize][joint]).sum();
                weights[at][joint] = 0.6 * before[at][joint] + 0.4 * sum / neighbours.len() as f64;
            }
        }
    }
    weights
}

/// Distributes the weight of a point over the parts of the body by distance, then over the joints along each part.
pub fn weights_at(at: DVec3, body: &Body, skeleton: &Skeleton) -> [f64; JOINTS.len()] {
    pub const SOFTNESS: f64 = 0.014;
    let mut weights = [0.0; JOINTS.len()];
    let nearness = |distance: f64| (-distance.max(-0.03) / SOFTNESS).exp();
    let trunk = nearness(body.trunk(at).min(0.3));
    let arms = body.arms.each_ref().map(|arm| nearness(arm.distance(at)));
    let legs = body.legs.each_ref().map(|leg| nearness(leg.distance(at)));
    let total = trunk + arms[0] + arms[1] + legs[0] + legs[1];
    // Along a part, each joint takes the given fraction of the weight of the previous joint.
    let mut distribute = |amount: f64, chain: &[(usize, f64)]| {
        let mut rest = amount / total;
        for (step, &(joint, taken)) in chain.iter().enumerate() {
            rest *= taken;
            let next = chain.get(step + 1).map_or(0.0, |next| next.1);
            weights[joint] += rest * (1.0 - next);
        }
    };
    let collar = 0.85 * ramp(0.03, 0.15, at.x.abs()) * ramp(1.3, 1.41, at.y);
    let clavicle = CLAVICLES[usize::from(at.x < 0.0)];
    let neck = ramp(1.465, 1.515, at.y);
    let chest = ramp(1.12, 1.26, at.y);
    let spine = ramp(0.985, 1.115, at.y);
    distribute(
        trunk * (1.0 - collar),
        &[(HIPS, 1.0), (SPINE, spine), (CHEST, chest), (NECK, neck), (HEAD, ramp(1.535, 1.58, at.y + 0.35 * at.z))],
    );
    distribute(trunk * collar, &[(clavicle, 1.0)]);
    let place = |joint: usize| skeleton.at[joint];
    let along = |joint: usize| skeleton.axes[joint] * DVec3::Z;
    let bend = |joint: usize, half: f64| {
        let axis = (along(joint - 1) + along(joint)).normalize();
        ramp(-half, half, (at - place(joint)).dot(axis))
    };
    for side in 0..2 {
        let arm = CLAVICLES[side] + 1;
        let root = ramp(-0.045, 0.05, (at - place(arm)).dot((along(arm) + along(arm - 1)).normalize()));
        distribute(
            arms[side],
            &[(arm - 1, 1.0), (arm, root), (arm + 1, bend(arm + 1, 0.036)), (arm + 2, bend(arm + 2, 0.026))],
        );
        let leg = THIGHS[side];
        // The hip crease runs from the groin upward and outward.
        let outward = if side == 0 { 1.0 } else { -1.0 };
        let crease = dvec3(0.35 * outward, -1.0, 0.1).normalize();
        let root = ramp(-0.06, 0.055, (at - place(leg)).dot(crease));
        let sole = dvec3(0.0, -0.8, 0.6);
        distribute(
            legs[side],
            &[
                (HIPS, 1.0),
                (leg, root),
                (leg + 1, bend(leg + 1, 0.05)),
                (leg + 2, ramp(-0.035, 0.02, (at - place(leg + 2)).dot(sole))),
                (leg + 3, ramp(-0.025, 0.02, at.z - place(leg + 3).z)),
            ],
        );
    }
    weights
}
