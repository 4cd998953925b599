//! The residuals of a pose, their sum, and their Jacobian: the derivative of each residual by each coordinate of the active
//! joints. The refiner and the gradient methods use them.

use crate::layout::elbow::Elbow;
use crate::layout::make_room;
use crate::maths;
use crate::model::{Coordinates, Isometry, Rate, write_rates};
use crate::step::Columns;
use crate::tasks::posture::PostureTask;
use crate::tasks::{Ahead, Found, Objective, Residuals, Rows, Score};

/// Computes Jacobians.
#[derive(Clone, Debug, Default)]
pub(crate) struct Derivatives {
    /// Six rates per joint of the skeleton.
    rates: Vec<[Rate; 6]>,
    /// The turns of the elbows that are bent ahead.
    ahead: Vec<Ahead>,
}

impl Derivatives {
    /// Makes room for this number of joints and elbows.
    pub fn reserve(&mut self, joints: usize, elbows: usize) {
        make_room(&mut self.rates, joints);
        make_room(&mut self.ahead, elbows);
    }

    /// Computes the Jacobian for `pose`, whose frames and residuals are in `evaluation`. The columns of some elbows are
    /// [chords](crate::layout::elbow).
    pub fn fill(
        &mut self,
        objective: &Objective,
        pose: &[Coordinates],
        evaluation: &Evaluation,
        elbows: &[Elbow],
        into: &mut Columns,
    ) {
        let Objective { skeleton, problem, layout, .. } = *objective;
        let frames = &evaluation.frames[..];
        self.rates.resize(skeleton.len(), Default::default());
        for &i in layout.order.iter().filter(|&&i| layout.joint_columns[i].is_some()) {
            let rest = || skeleton.rest_frame_in(i, problem.base, frames).rotation;
            write_rates(skeleton.kind(i), frames[i].rotation, rest, &pose[i], &mut self.rates[i]);
        }
        self.ahead.clear();
        for elbow in elbows {
            let axis = self.rates[elbow.joint][elbow.axis].angular.normalize_or_zero();
            let turn = maths::turn(axis, elbow.turn_ahead(skeleton, pose));
            self.ahead.push(Ahead { joint: elbow.joint, axis: elbow.axis, turn });
        }
        into.reset(evaluation.residuals.len(), layout.columns);
        let mut rows = Rows { objective, frames, rates: &self.rates, ahead: &self.ahead, matrix: into, row: 0 };
        objective.for_each_task(&evaluation.found, &mut rows);
    }
}

/// The frames and residuals of a pose.
#[derive(Clone, Debug, Default)]
pub(crate) struct Evaluation {
    pub frames: Vec<Isometry>,
    /// The rows of all tasks.
    pub residuals: Vec<f64>,
    pub found: Found,
    pub posture: PostureTask,
}

impl Evaluation {
    /// Makes room for the residuals of an objective. Returns the largest number of them.
    pub fn reserve(&mut self, objective: &Objective) -> usize {
        make_room(&mut self.frames, objective.skeleton.len());
        let rows = objective.most_rows() + self.found.reserve(objective);
        make_room(&mut self.residuals, rows);
        if objective.prefers {
            self.posture.reserve(objective.layout.columns);
        }
        rows
    }

    /// Computes the frames of `pose`, its residuals and its score.
    pub fn evaluate(&mut self, objective: &Objective, pose: &[Coordinates]) -> Score {
        objective.update_frames(pose, &mut self.frames);
        let score = self.score(objective);
        Score { cost: score.cost + self.find_posture(objective, pose), ..score }
    }

    /// Adds the posture of the present frames, which are those of `pose`. Returns its part of the cost.
    pub fn find_posture(&mut self, objective: &Objective, pose: &[Coordinates]) -> f64 {
        self.posture.find(objective, &self.frames, pose)
    }

    /// Computes the residuals and the score of the present frames. A posture does not count, which frames do not tell.
    pub fn score(&mut self, objective: &Objective) -> Score {
        let Evaluation { frames, residuals, found, posture } = self;
        posture.clear();
        found.find(objective, frames);
        residuals.clear();
        let mut all = Residuals { objective, frames, rows: residuals, score: Score::PERFECT };
        objective.for_each_task(found, &mut all);
        let cost = all.rows.iter().map(|row| row * row).sum();
        Score { cost, ..all.score }
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;
    use crate::layout::Layout;
    use crate::model::{
        Attachment, Axes, CenterOfMass, CustomGoal, Effector, Freedom, Goal, Hull, Interval, Joint, KeepClear, Kind,
        LinkCapsule, Mimic, Obstacle, Orientation, PointMass, Problem, Settings, Skeleton, Swing, Target,
    };
    use crate::random::Random;
    use crate::tasks::{Rank, Ranks};
    use glam::DVec3;

    /// A line with one joint of every kind, of which one keeps the world's axes, and a branch that is a mimic joint.
    fn every_kind(random: &mut Random) -> Skeleton {
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
            freedom: Freedom {
                spin_axis: (random.unit() < 0.5).then(|| random.direction()),
                slack: if random.unit() < 0.5 { random.direction().abs() } else { DVec3::ZERO },
            },
            ..Goal::new(
                Effector::new(joint, random.direction()),
                if random.unit() < 0.5 {
                    Target::from((random.direction(), random.rotation()))
                } else {
                    let orientation = Some(Orientation::LookAt(random.direction() * 3.0));
                    Target { orientation, ..Target::from(random.direction()) }
                },
            )
        };
        let end = |joint, random: &mut Random| Attachment { joint, point: random.direction() };
        let mass = |joint, random: &mut Random| PointMass { joint, point: random.direction(), mass: random.unit() };
        // Every other capsule has a hull, the middle of the segment between its ends and a point beside it.
        let capsule = |joint, random: &mut Random| {
            let (ends, radius) = ([random.direction(), random.direction()], 0.3 * random.unit());
            let [a, b] = ends;
            let points = [a.lerp(b, 0.2), a.lerp(b, 0.8), a.midpoint(b) + random.direction() * radius];
            let hull = Hull::new(&points, 0.0).ok().filter(|_| joint % 2 == 0);
            LinkCapsule { hull, ..LinkCapsule::new(joint, ends, radius) }
        };
        // Half of the problems have capsules, so that their segments do not count.
        let has_capsules = random.unit() < 0.5;
        let capsules: Vec<LinkCapsule> = (0..9).filter(|_| has_capsules).map(|joint| capsule(joint, random)).collect();
        let pairs = capsules.iter().skip(2).map(|capsule| [capsule.joint - 2, capsule.joint]).collect();
        let center = random.direction();
        Problem {
            goals: vec![goal(7, random), goal(8, random)],
            loops: vec![(end(7, random), end(8, random))],
            obstacles: vec![
                Obstacle::HalfSpace { normal: DVec3::Z, offset: 0.0 },
                Obstacle::Box { center, rotation: random.rotation(), half: DVec3::new(0.5, 0.2, 0.7) },
                Obstacle::Capsule { ends: [random.direction(), center], radius: 0.2 },
            ],
            keep_clear: KeepClear { capsules, pairs, margin: 0.0 },
            centers_of_mass: vec![CenterOfMass {
                masses: (0..9).map(|joint| mass(joint, random)).collect(),
                support: (0..3).map(|_| random.direction() * 0.3).collect(),
                up: random.direction(),
            }],
            custom_goals: vec![CustomGoal {
                weight: 2.0,
                ..CustomGoal::new(
                    (5..9).map(|joint| end(joint, random)).collect::<Vec<_>>(),
                    Product(random.direction()),
                )
            }],
            ..Problem::default()
        }
    }

    /// The product of the distances of all points from a plane.
    #[derive(Debug)]
    struct Product(DVec3);

    impl crate::goals::Residual for Product {
        fn at(&self, points: &[DVec3], gradient: &mut [DVec3]) -> f64 {
            for (at, gradient) in gradient.iter_mut().enumerate() {
                let others = points.iter().enumerate().filter(|(other, _)| *other != at);
                *gradient = self.0 * others.map(|(_, point)| self.0.dot(*point)).product::<f64>();
            }
            points.iter().map(|point| self.0.dot(*point)).product()
        }
    }

    /// `pose` with column `column` of the layout increased by `by`. All joints move, so that the columns are those of
    /// [`Skeleton::jacobian`], but for the unit of distances.
    fn moved(skeleton: &Skeleton, layout: &Layout, pose: &[Coordinates], column: usize, by: f64) -> Vec<Coordinates> {
        let active = layout.active_joints.iter().rev().find(|active| active.column <= column).unwrap();
        let is_distance = match skeleton.kind(active.joint) {
            Kind::Free => column - active.column < 3,
            kind => matches!(kind, Kind::Slide { .. }),
        };
        let mut rates = vec![0.0; layout.columns];
        rates[column] = if is_distance { by * layout.length } else { by };
        skeleton.integrate(pose, &rates).unwrap()
    }

    #[test]
    fn gradient_and_rows_agree_with_finite_differences() {
        let mut random = Random::new(11);
        for _ in 0..40 {
            let skeleton = every_kind(&mut random);
            let problem = problem(&mut random);
            let layout = Layout::new(&skeleton, &problem, &[0, 1], |_| true);
            let settings = Settings::default();
            let objective = Objective {
                clearance: 0.5,
                clearance_rank: Rank::Nice,
                is_firm: true,
                ranks: Ranks::Both,
                balances: true,
                ..Objective::new(&skeleton, &problem, &layout, &settings)
            };
            let pose = skeleton.random_pose(&mut random);
            let frames = skeleton.frames(&pose);
            let mut evaluation = Evaluation { frames: frames.clone(), ..Evaluation::default() };
            evaluation.evaluate(&objective, &pose);
            let mut jacobian = Columns::default();
            Derivatives::default().fill(&objective, &pose, &evaluation, &[], &mut jacobian);
            let mut nearby = Evaluation { frames, ..Evaluation::default() };
            for column in 0..layout.columns {
                const STEP: f64 = 1e-6;
                let mut cost = |by: f64| {
                    let cost = nearby.evaluate(&objective, &moved(&skeleton, &layout, &pose, column, by)).cost;
                    (cost, nearby.residuals.clone())
                };
                let ((above, rows_above), (below, rows_below)) = (cost(STEP), cost(-STEP));
                let values = jacobian.column(column);
                let slope: f64 = values.iter().zip(&evaluation.residuals).map(|(value, row)| 2.0 * value * row).sum();
                let measured = (above - below) / (2.0 * STEP);
                assert!((slope - measured).abs() < 1e-5 * (1.0 + slope.abs()), "column {column}: {slope} {measured}");
                // The rows of an orientation are exact only in their sum, because their Jacobian assumes small angles.
                // The rows of points, and of centers of mass, are exact one by one.
                let points = [0, 1, 2, 6, 7, 8, 12, 13, 14, 15];
                for row in points {
                    let measured = (rows_above[row] - rows_below[row]) / (2.0 * STEP);
                    assert!((values[row] - measured).abs() < 1e-6, "row {row}, column {column}");
                }
            }
        }
    }
}
