//! skelly: bones as isometries. Its FABRIK solver, stepped until it reports success.

use super::Rival;
use crate::{MAX_ITERATIONS, TOLERANCE};
use glam::DVec3;
use skelly::{
    Posture, Skelly,
    ik::{StepResult, fabrik::FabrikSolver},
};
use skelly_nalgebra::{Isometry3, Point3, UnitQuaternion, Vector3};

pub struct Skeleton {
    skelly: Skelly<f32>,
    posture: Posture<f32>,
    solver: FabrikSolver<f32>,
    tip: usize,
}

impl Skeleton {
    pub fn new(links: usize) -> Self {
        let mut skelly = Skelly::new();
        let root = skelly.add_root(Point3::origin());
        let tip = (0..links).fold(root, |parent, _| skelly.attach(Vector3::y(), parent));
        Skeleton { posture: Posture::new(&skelly), skelly, solver: FabrikSolver::new(TOLERANCE as f32), tip }
    }
}

impl Rival for Skeleton {
    fn reset(&mut self) {
        (0..=self.tip).for_each(|bone| self.posture.set_orientation(bone, UnitQuaternion::identity()));
    }

    fn solve(&mut self, target: DVec3) -> Option<u32> {
        let goal = Point3::new(target.x as f32, target.y as f32, target.z as f32);
        self.solver.set_position_goal(self.tip, goal);
        let done = |step: &StepResult| *step != StepResult::Unsolved;
        let steps = (0..=MAX_ITERATIONS).map(|_| self.solver.solve_step(&self.skelly, &mut self.posture));
        Some(steps.take_while(|step| !done(step)).count().min(MAX_ITERATIONS as usize) as u32)
    }

    fn points(&mut self) -> Vec<DVec3> {
        let mut globals = vec![Isometry3::identity(); self.skelly.len()];
        self.posture.write_globals(&self.skelly, &Isometry3::identity(), &mut globals);
        let place = |global: &Isometry3<f32>| global.translation.vector.map(f64::from);
        globals.iter().map(place).map(|place| DVec3::new(place.x, place.y, place.z)).collect()
    }
}
