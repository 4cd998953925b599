//! The Jacobian of the residuals: how each coordinate of the moving joints changes each row of a [`Evaluation`].

use super::layout::Path;
use super::objective::{Evaluation, POLE_WEIGHT_ROOT, RADIAN, Task};
use crate::model::jacobian::{Rate, column_count, lever, rates};
use crate::model::joint::Kind;
use crate::model::pose::Coordinates;
use crate::model::queries::LinkEnd;
use crate::model::transform::Isometry;
use glam::DVec3;

/// The matrix, column after column, and the rates that it is made of.
#[derive(Clone, Debug, Default)]
pub(crate) struct Jacobian {
    /// Number of rows of each column.
    pub rows: usize,
    /// `columns * rows` numbers.
    pub values: Vec<f64>,
    /// Six slots a joint of the skeleton.
    rates: Vec<[Rate; 6]>,
}

impl Jacobian {
    /// Column `k`.
    pub fn column(&self, k: usize) -> &[f64] {
        &self.values[k * self.rows..(k + 1) * self.rows]
    }

    /// Columns `k` and `k + 1`.
    pub fn two_columns(&mut self, k: usize) -> (&mut [f64], &mut [f64]) {
        self.values[k * self.rows..(k + 2) * self.rows].split_at_mut(self.rows)
    }

    /// The matrix for `pose`, whose frames and residuals are in `evaluation`.
    pub fn fill(&mut self, task: &Task, pose: &[Coordinates], evaluation: &Evaluation) {
        let Task { skeleton, problem, layout, .. } = *task;
        let frames = &evaluation.frames[..];
        self.rates.resize(skeleton.len(), Default::default());
        for &i in layout.order.iter().filter(|&&i| layout.shares[i].is_some()) {
            let parent = skeleton.joints()[i].parent.map_or(problem.base, |parent| frames[parent]);
            self.rates[i] = rates(skeleton.kind(i), skeleton.rest_frame(i, parent), &pose[i]);
        }
        self.rows = evaluation.rows.len();
        self.values.clear();
        self.values.resize(self.rows * layout.columns, 0.0);
        let mut row = 0;
        for goal in &layout.goals {
            let asked = &problem.goals[goal.index];
            let tip = frames[goal.path.end.joint].point(goal.path.end.point);
            if asked.asked_position().is_some() {
                let scale = asked.weight.sqrt() / goal.reach;
                self.add_point(task, frames, &goal.path, tip, row, scale);
                row += 3;
            }
            if asked.asked_rotation().is_some() {
                self.add_rotation(task, &goal.path, row, RADIAN * asked.rotation_weight.sqrt());
                row += 3;
            }
        }
        for closure in &layout.loops {
            for (path, sign) in closure.ends.iter().zip([1.0, -1.0]) {
                let point = frames[path.end.joint].point(path.end.point);
                self.add_point(task, frames, path, point, row, task.closure * sign / layout.length);
            }
            row += 3;
        }
        for pole in task.pole_pulls {
            let path = &layout.poles[pole.pole].path;
            let origin = frames[path.end.joint].position;
            self.add_point(task, frames, path, origin, row, POLE_WEIGHT_ROOT / layout.length);
            row += 3;
        }
        for touch in &evaluation.touches {
            let segment = &layout.segments[touch.segment];
            let outward = touch.normal / -layout.length;
            self.add_depth(task, frames, &segment.path, touch.point, outward, row);
            // A child on a slide moves its end of the link by itself.
            if let LinkEnd::Joint(child) = segment.end
                && let (Kind::Slide { .. }, Some(share)) = (skeleton.kind(child), layout.shares[child])
            {
                let velocity = self.rates[child][0].shift * (share.factor * touch.along);
                self.values[share.column * self.rows + row] += outward.dot(velocity);
            }
            row += 1;
        }
    }

    /// Calls `each` with every column that moves the end of `path`, and the velocity which that gives to `point`.
    fn walk(
        &mut self,
        task: &Task,
        frames: &[Isometry],
        path: &Path,
        point: DVec3,
        mut each: impl FnMut(&mut [f64], DVec3),
    ) {
        let Task { skeleton, layout, .. } = *task;
        for step in &path.steps {
            let Some(share) = layout.shares[step.joint] else { continue };
            let point = step.lever.map_or(point, |joint| lever(skeleton, joint, frames));
            let arm = point - frames[step.joint].position;
            let kind = skeleton.kind(step.joint);
            for (at, rate) in self.rates[step.joint][..column_count(kind)].iter().enumerate() {
                let factor = if matches!(kind, Kind::Free) && at < 3 { layout.length } else { share.factor };
                let start = (share.column + at) * self.rows;
                each(&mut self.values[start..start + self.rows], (rate.shift + rate.turn.cross(arm)) * factor);
            }
        }
    }

    fn add_point(&mut self, task: &Task, frames: &[Isometry], path: &Path, point: DVec3, row: usize, scale: f64) {
        self.walk(task, frames, path, point, |column, velocity| {
            for (value, part) in column[row..row + 3].iter_mut().zip((velocity * scale).to_array()) {
                *value += part;
            }
        });
    }

    fn add_depth(&mut self, task: &Task, frames: &[Isometry], path: &Path, point: DVec3, outward: DVec3, row: usize) {
        self.walk(task, frames, path, point, |column, velocity| column[row] += outward.dot(velocity));
    }

    fn add_rotation(&mut self, task: &Task, path: &Path, row: usize, scale: f64) {
        let Task { skeleton, layout, .. } = *task;
        // Above a joint that keeps the world's axes nothing turns the end.
        for step in path.steps.iter().take_while(|step| step.lever.is_none()) {
            let Some(share) = layout.shares[step.joint] else { continue };
            let kind = skeleton.kind(step.joint);
            for (at, rate) in self.rates[step.joint][..column_count(kind)].iter().enumerate() {
                let factor = if matches!(kind, Kind::Free) { 1.0 } else { share.factor };
                let start = (share.column + at) * self.rows + row;
                for (value, part) in
                    self.values[start..start + 3].iter_mut().zip((rate.turn * factor * scale).to_array())
                {
                    *value += part;
                }
            }
        }
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;
    use crate::model::joint::{Axes, Joint, Mimic};
    use crate::model::limits::{Interval, Swing};
    use crate::model::obstacle::Obstacle;
    use crate::model::problem::{Attachment, Effector, Goal, Problem, Target};
    use crate::model::settings::Settings;
    use crate::model::skeleton::Skeleton;
    use crate::random::Random;
    use crate::tree::layout::Layout;
    use glam::DQuat;

    /// One joint of every kind in a row, one that keeps the world's axes, one that follows; and a branch.
    fn every_kind() -> Skeleton {
        let range = Interval::new(-2.0, 2.0).ok();
        let limited = Kind::Ball { swing: Swing::new([1.0, 0.5, 1.4, 2.0]).ok(), twist: range };
        let twisting = Kind::Ball { swing: None, twist: range };
        let kinds = [
            (None, Kind::Free),
            (Some(0), limited),
            (Some(1), Kind::Slide { axis: DVec3::new(0.6, 0.0, 0.8), range }),
            (Some(2), Kind::UNLIMITED_BALL),
            (Some(3), Kind::Hinge { axis: DVec3::Y, range: None }),
            (Some(4), Kind::Fixed),
            (Some(5), twisting),
            (Some(6), Kind::Hinge { axis: DVec3::X, range }),
            (Some(3), Kind::Hinge { axis: DVec3::Z, range }),
        ];
        let mut random = Random::new(3);
        let joints = kinds.into_iter().enumerate().map(|(at, (parent, kind))| Joint {
            rest: random.rotation(),
            ..Joint::new(format!("{at}"), parent, random.direction(), kind)
        });
        let mut joints: Vec<Joint> = joints.collect();
        joints[6].axes = Axes::World;
        joints[8].mimic = Some(Mimic { joint: 2, scale: -0.7, offset: 0.1 });
        Skeleton::new(joints).unwrap()
    }

    fn problem(random: &mut Random) -> Problem {
        let goal = |joint, random: &mut Random| Goal {
            weight: 2.0,
            rotation_weight: 0.5,
            ..Goal::new(
                Effector::new(joint, random.direction()),
                Target { position: Some(random.direction()), rotation: Some(random.rotation()) },
            )
        };
        let end = |joint, random: &mut Random| Attachment { joint, point: random.direction() };
        Problem {
            goals: vec![goal(7, random), goal(8, random)],
            loops: vec![(end(7, random), end(8, random))],
            obstacles: vec![Obstacle::HalfSpace { normal: DVec3::Z, offset: 0.0 }],
            ..Problem::default()
        }
    }

    /// `pose` with column `column` of the layout changed by `by`.
    fn moved(skeleton: &Skeleton, layout: &Layout, pose: &[Coordinates], column: usize, by: f64) -> Vec<Coordinates> {
        let mut moved = pose.to_vec();
        let mover = layout.movers.iter().rev().find(|mover| mover.column <= column).unwrap();
        let at = column - mover.column;
        let now = &mut moved[mover.joint];
        let frames = skeleton.frames(pose);
        let parent = skeleton.joints()[mover.joint].parent.map_or(Isometry::IDENTITY, |parent| frames[parent]);
        let inverse = skeleton.rest_frame(mover.joint, parent).rotation.conjugate();
        let turn = |axis: usize| DQuat::from_scaled_axis(inverse * (DVec3::AXES[axis] * by));
        *now = match skeleton.kind(mover.joint) {
            Kind::Ball { swing: None, twist: None } => Coordinates::rotation(turn(at) * now.ball_rotation()),
            Kind::Free if at < 3 => {
                let shift = inverse * (DVec3::AXES[at] * by * layout.length);
                Coordinates::free(now.free_position() + shift, now.free_rotation())
            }
            Kind::Free => Coordinates::free(now.free_position(), turn(at - 3) * now.free_rotation()),
            Kind::Slide { .. } => Coordinates::scalar(now.value() + by * layout.length),
            Kind::Hinge { .. } => Coordinates::scalar(now.value() + by),
            _ => {
                let mut values = [now.tilt()[0], now.tilt()[1], now.twist()];
                values[at] += by;
                Coordinates::ball([values[0], values[1]], values[2])
            }
        };
        skeleton.follow(&mut moved);
        moved
    }

    #[test]
    fn gradient_and_rows_agree_with_finite_differences() {
        let skeleton = every_kind();
        let island = &skeleton.islands([])[0];
        let mut random = Random::new(11);
        for _ in 0..40 {
            let problem = problem(&mut random);
            let layout = Layout::new(&skeleton, &problem, island, &[0, 1]);
            let settings = Settings::default();
            let task = Task {
                skeleton: &skeleton,
                problem: &problem,
                layout: &layout,
                settings: &settings,
                pole_pulls: &[],
                closure: 2.0,
            };
            let pose = skeleton.random_pose(&mut random);
            let frames = skeleton.frames(&pose);
            let mut evaluation = Evaluation { frames: frames.clone(), ..Evaluation::default() };
            evaluation.read(&task, &pose);
            let mut jacobian = Jacobian::default();
            jacobian.fill(&task, &pose, &evaluation);
            let mut nearby = Evaluation { frames, ..Evaluation::default() };
            for column in 0..layout.columns {
                const STEP: f64 = 1e-6;
                let mut cost = |by: f64| {
                    let cost = nearby.read(&task, &moved(&skeleton, &layout, &pose, column, by)).cost;
                    (cost, nearby.rows.clone())
                };
                let ((above, rows_above), (below, rows_below)) = (cost(STEP), cost(-STEP));
                let values = jacobian.column(column);
                let slope: f64 = values.iter().zip(&evaluation.rows).map(|(value, row)| 2.0 * value * row).sum();
                let measured = (above - below) / (2.0 * STEP);
                assert!((slope - measured).abs() < 1e-5 * (1.0 + slope.abs()), "column {column}: {slope} {measured}");
                // Rows of an orientation are exact only together (their Jacobian is taken at small angles); those of
                // points one by one.
                let points = [0, 1, 2, 6, 7, 8, 12, 13, 14];
                for row in points {
                    let measured = (rows_above[row] - rows_below[row]) / (2.0 * STEP);
                    assert!((values[row] - measured).abs() < 1e-6, "row {row}, column {column}");
                }
            }
        }
    }
}
