//! k: robot joints. Each ball joint is three hinges; the goal is a position without an orientation.

use super::Rival;
use crate::{MAX_ITERATIONS, TOLERANCE};
use glam::DVec3;
use k::{
    Constraints, Isometry3, JacobianIkSolver, JointType, Node, NodeBuilder, SerialChain, Translation3, UnitQuaternion,
    Vector3, prelude::*,
};

pub struct Robot {
    arm: SerialChain<f64>,
    /// The first hinge of each joint, base first, and the fixed end.
    joints: Vec<Node<f64>>,
    solver: JacobianIkSolver<f64>,
    constraints: Constraints,
    rest: Vec<f64>,
}

impl Robot {
    pub fn new(links: usize) -> Self {
        let mut joints: Vec<Node<f64>> = Vec::new();
        let mut parent: Option<Node<f64>> = None;
        let mut attach = |name: String, joint_type: JointType<f64>, height: f64| {
            let place = Translation3::new(0.0, height, 0.0);
            let node = NodeBuilder::new().name(&name).joint_type(joint_type).translation(place).into_node();
            if let Some(parent) = &parent {
                node.set_parent(parent);
            }
            parent = Some(node.clone());
            node
        };
        for i in 0..links {
            for (axis, name) in [(Vector3::x_axis(), "x"), (Vector3::z_axis(), "z"), (Vector3::y_axis(), "y")] {
                let height = if name == "x" && i > 0 { 1.0 } else { 0.0 };
                let node = attach(format!("{name}{i}"), JointType::Rotational { axis }, height);
                if name == "x" {
                    joints.push(node);
                }
            }
        }
        joints.push(attach("tip".to_owned(), JointType::Fixed, 1.0));
        let arm = SerialChain::from_end(&joints[links]);
        let solver = JacobianIkSolver::new(TOLERANCE, 1.0, 0.5, MAX_ITERATIONS as usize);
        let constraints =
            Constraints { rotation_x: false, rotation_y: false, rotation_z: false, ..Constraints::default() };
        let rest = vec![0.0; arm.dof()];
        Robot { arm, joints, solver, constraints, rest }
    }
}

impl Rival for Robot {
    fn reset(&mut self) {
        self.arm.set_joint_positions_unchecked(&self.rest);
    }

    fn solve(&mut self, target: DVec3) -> Option<u32> {
        let place = Translation3::new(target.x, target.y, target.z);
        let pose = Isometry3::from_parts(place, UnitQuaternion::identity());
        // It returns an error if it does not converge; the position of the tip is checked instead.
        let _ = self.solver.solve_with_constraints(&self.arm, &pose, &self.constraints);
        None
    }

    fn points(&mut self) -> Vec<DVec3> {
        self.arm.update_transforms();
        let place = |node: &Node<f64>| {
            node.world_transform()
                .map_or(DVec3::NAN, |frame| DVec3::new(frame.translation.x, frame.translation.y, frame.translation.z))
        };
        self.joints.iter().map(place).collect()
    }
}
