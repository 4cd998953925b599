//! A walk cycle, with feet that stay planted.

use crate::shape::ramp;
use crate::skeleton::*;
use glam::{DMat3, DQuat, DVec3, dvec3};
use std::f64::consts::TAU;

/// Duration of one cycle in seconds, its number of frames, and its length in metres.
pub const CYCLE: f64 = 1.12;
pub const FRAMES: usize = 28;
pub const STRIDE: f64 = 1.1;
/// Fraction of the cycle in which a foot is on the ground.
pub const STANCE: f64 = 0.6;

/// A frame of the walk: position of the hips, and rotations of all joints relative to their parents, in world axes.
pub struct Frame {
    pub hips: DVec3,
    pub turns: Vec<DQuat>,
}

/// Position of an ankle, and pitch of its foot and toes; positive pitch points down.
#[derive(Clone, Copy)]
pub struct Step {
    pub ankle: DVec3,
    pub foot: f64,
    pub toes: f64,
}

/// One walk cycle in place; the ground moves backward at constant speed. The first and the last frame are equal.
pub fn walk(skeleton: &Skeleton) -> Vec<Frame> {
    (0..=FRAMES).map(|frame| walk_at(skeleton, frame as f64 / FRAMES as f64)).collect()
}

/// A smooth curve through keys (time, value), at a time between the first and the last key.
pub fn keyed(keys: &[(f64, f64)], time: f64) -> f64 {
    let next = keys.iter().position(|key| key.0 > time).unwrap_or(keys.len() - 1).max(1);
    let key = |at: usize| keys[at.min(keys.len() - 1)];
    let (before, from, to, after) = (key(next.saturating_sub(2)), key(next - 1), key(next), key(next + 1));
    let span = to.0 - from.0;
    let slope = |a: (f64, f64), b: (f64, f64)| span * (b.1 - a.1) / (b.0 - a.0);
    hermite([from.1, slope(before, to), to.1, slope(from, after)], (time - from.0) / span)
}

/// The cubic with given values and slopes at 0 and 1.
pub fn hermite([from, out, to, into]: [f64; 4], t: f64) -> f64 {
    let (t2, t3) = (t * t, t * t * t);
    from * (2.0 * t3 - 3.0 * t2 + 1.0) + out * (t3 - 2.0 * t2 + t) + to * (3.0 * t2 - 2.0 * t3) + into * (t3 - t2)
}

/// The foot of a leg whose heel strikes the ground at phase 0.
pub fn step(ankle: DVec3, toe: DVec3, phase: f64) -> Step {
    pub const STRIKE: f64 = -0.33;
    pub const PUSH: f64 = 0.95;
    let x = 0.86 * ankle.x;
    // Position of the ankle while the foot is flat on the ground.
    let flat = |phase: f64| dvec3(x, ankle.y, ankle.z + 0.02 + STRIDE * (STANCE / 2.0 - phase));
    let on_ground = |phase: f64| {
        let pitch =
            STRIKE * (1.0 - ramp(0.0, 0.11, phase)) + PUSH * ((phase - 0.33).max(0.0) / (STANCE - 0.33)).powf(1.7);
        // The foot rolls over the heel first, later over the toe joint.
        let pivot =
            if pitch < 0.0 { dvec3(0.0, -ankle.y, -0.035) } else { dvec3(0.0, toe.y - ankle.y, toe.z - ankle.z) };
        let at = flat(phase) + pivot + DQuat::from_rotation_x(pitch) * -pivot;
        Step { ankle: at, foot: pitch, toes: -pitch.max(0.0) }
    };
    if phase < STANCE {
        return on_ground(phase);
    }
    let t = (phase - STANCE) / (1.0 - STANCE);
    let (leave, strike) = (on_ground(STANCE), on_ground(0.0));
    // Velocities of the ankle at the start and the end of the swing, in metres per swing.
    let (out, into) = (dvec3(0.0, 0.256, 0.4), dvec3(0.0, -0.096, -0.24));
    let swing = |axis: usize| hermite([leave.ankle[axis], out[axis], strike.ankle[axis], into[axis]], t);
    let ankle = dvec3(x, swing(1), swing(2));
    let foot = keyed(&[(0.0, PUSH), (0.2, 0.7), (0.5, 0.05), (0.82, STRIKE), (1.0, STRIKE)], t);
    let toes = -PUSH * (1.0 - ramp(0.0, 0.35, t));
    Step { ankle, foot, toes }
}

pub fn walk_at(skeleton: &Skeleton, phase: f64) -> Frame {
    let wave = |amount: f64, shift: f64, cycles: f64| amount * (TAU * (cycles * phase - shift)).cos();
    let rest = &skeleton.at;
    // The left heel strikes at phase 0: the left hip is forward, and the body is lowest soon after.
    let hips = rest[HIPS] + dvec3(wave(0.016, 0.3, 1.0), -0.025 - wave(0.014, 0.1, 2.0), wave(0.006, 0.2, 2.0));
    let mut turns = vec![DQuat::IDENTITY; JOINTS.len()];
    let turn = |yaw: f64, pitch: f64, roll: f64| {
        DQuat::from_rotation_y(yaw) * DQuat::from_rotation_x(pitch) * DQuat::from_rotation_z(roll)
    };
    turns[HIPS] = turn(-wave(0.09, 0.0, 1.0), 0.03, wave(0.045, 0.3, 1.0));
    turns[SPINE] = turn(wave(0.07, 0.0, 1.0), 0.01, -wave(0.04, 0.3, 1.0));
    turns[CHEST] = turn(wave(0.12, 0.02, 1.0), 0.02, -wave(0.015, 0.3, 1.0));
    turns[NECK] = turn(-wave(0.05, 0.02, 1.0), -0.02, 0.0);
    turns[HEAD] = turn(-wave(0.05, 0.02, 1.0), -0.035 + wave(0.012, 0.2, 2.0), wave(0.01, 0.3, 1.0));
    for side in 0..2 {
        let sign = if side == 0 { 1.0 } else { -1.0 };
        // Each arm swings opposite to the leg on its side.
        let swing = -sign * wave(1.0, 0.03, 1.0);
        let arm = CLAVICLES[side] + 1;
        turns[arm - 1] = turn(-sign * 0.03 * swing, 0.0, -sign * 0.03);
        let lower = DQuat::from_rotation_z(-sign * 0.66);
        turns[arm] = DQuat::from_rotation_x(-0.38 * swing + 0.05) * DQuat::from_rotation_y(-sign * 0.2) * lower;
        let hinge = skeleton.axes[arm] * DVec3::NEG_X;
        turns[arm + 1] = DQuat::from_axis_angle(hinge, 0.22 + 0.2 * (swing + 0.5).max(-0.2));
        turns[arm + 2] = DQuat::from_axis_angle(skeleton.axes[arm + 2] * DVec3::NEG_X, 0.08 + 0.06 * swing);

        let leg = THIGHS[side];
        let foot_phase = (phase + 0.5 * side as f64).fract();
        let step = step(rest[leg + 2], rest[leg + 3], foot_phase);
        let hip = hips + turns[HIPS] * (rest[leg] - rest[HIPS]);
        let (upper, lower) = (rest[leg].distance(rest[leg + 1]), rest[leg + 1].distance(rest[leg + 2]));
        let ahead = (turns[HIPS] * DVec3::Z + DVec3::Z * 2.0 + DVec3::X * sign * 0.16).normalize();
        let reach = step.ankle - hip;
        let length = reach.length().min(0.9995 * (upper + lower));
        let link = reach.normalize();
        let bend = ((upper * upper + length * length - lower * lower) / (2.0 * upper * length)).acos();
        let normal = link.cross(ahead).normalize() * -1.0;
        let thigh = DQuat::from_axis_angle(normal, -bend) * link;
        let shin = (hip + link * length - (hip + thigh * upper)).normalize();
        let pose = |z: DVec3| DQuat::from_mat3(&DMat3::from_cols(normal, z.cross(normal), z));
        let world = [
            turns[HIPS],
            pose(thigh) * skeleton.axes[leg].conjugate(),
            pose(shin) * skeleton.axes[leg + 1].conjugate(),
        ];
        let foot = DQuat::from_rotation_y(sign * 0.05) * DQuat::from_rotation_x(step.foot);
        turns[leg] = world[0].conjugate() * world[1];
        turns[leg + 1] = world[1].conjugate() * world[2];
        turns[leg + 2] = world[2].conjugate() * foot;
        turns[leg + 3] = DQuat::from_rotation_x(step.toes);
    }
    Frame { hips, turns }
}
