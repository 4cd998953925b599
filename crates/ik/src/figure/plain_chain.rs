//! Figures that are a line of unlimited balls: converted to a [`Chain`], solved on the fast path for chains or in SIMD
//! lanes, and converted back to rotations.

use crate::chain::Chain;
use crate::fabrik::observer::{ObservedPoints, Observer, SolveEvent};
use crate::fabrik::passes;
use crate::figure::Figure;
use crate::model::{Coordinates, Isometry, Kind, Method, Pole, Problem, Report, Settings, Stop, smallest_rotation};
use crate::search::policy::Verb;
use crate::search::workspace::Given;
use glam::{DQuat, DVec3};
use std::num::NonZeroU32;

/// A figure that is a line of unlimited balls with one position goal at its end. Its turning joints are the first ones of
/// the figure's skeleton.
#[derive(Clone, Debug)]
pub(crate) struct PlainChain {
    /// For each turning joint, the vector from its origin to that of the next one (to the tip for the last), in its own
    /// frame.
    links: Vec<DVec3>,
    /// Index of its goal in the whole problem.
    goal: usize,
    /// Its pole: the index in the whole problem, and the joint in the figure.
    pole: Option<(usize, usize)>,
    free_base: bool,
}

/// The chain of a figure, with the frame of its base.
#[derive(Clone, Copy, Debug)]
pub(crate) struct PlacedChain<'a> {
    pub chain: &'a PlainChain,
    pub figure: &'a Figure,
    pub base: Isometry,
}

impl PlainChain {
    /// The chain that a figure is. `None` unless it is a line of unlimited balls whose only goal is a position for its
    /// end, with at most one joint that bends toward a pole, without loops, without a center of mass and without
    /// anything to keep clear of.
    pub fn of(figure: &Figure, problem: &Problem) -> Option<Self> {
        let Figure { skeleton, share, joints: own, numbers, .. } = figure;
        let goals = share.goals.iter().map(|&at| (at, &problem.goals[at]));
        let mut goals = goals.filter(|(_, goal)| goal.is_active());
        let (goal_index, goal) = goals.next()?;
        let alone = goals.next().is_none() && !goal.requests_orientation() && goal.effector.chain_length.is_none();
        let alone = alone && goal.freedom.is_none();
        let joints: Vec<usize> = (0..skeleton.len()).collect();
        if !alone
            || own.last() != Some(&goal.effector.joint)
            || !problem.obstacles.is_empty()
            || !share.capsules.is_empty()
            || share.needs_search()
            || share.has_preferences(problem, own)
            || own != numbers
            || !skeleton.is_simple_chain(&joints)
        {
            return None;
        }
        let turning = joints.iter().take_while(|&&i| skeleton.joints()[i].kind != Kind::Fixed).count();
        // The first joint is on the line about which the chain turns.
        let poles = share.poles.iter().map(|&at| (at, problem.poles[at].joint));
        let poles = poles.filter_map(|(at, joint)| Some((at, own.binary_search(&joint).ok()?)));
        let mut poles = poles.filter(|&(_, joint)| joint > 0);
        let pole = poles.next();
        if pole.is_some_and(|(_, joint)| joint >= turning) || poles.next().is_some() {
            return None;
        }
        let mut links: Vec<DVec3> = Vec::with_capacity(turning);
        links.extend(joints[1..turning].iter().map(|&i| skeleton.joints()[i].offset));
        let mut end = Isometry::IDENTITY;
        for &i in &joints[turning..] {
            end = skeleton.rest_frame(i, end);
        }
        links.push(end.point(goal.effector.tip));
        let free_base = skeleton.joints()[0].kind == Kind::Free;
        // A chain refuses links that are shorter; the search does not.
        links.iter().all(|link| link.length_squared() >= f64::MIN_POSITIVE).then_some(PlainChain {
            links,
            goal: goal_index,
            pole,
            free_base,
        })
    }

    /// The target that a problem of the whole skeleton has for the chain.
    pub fn target(&self, whole: &Problem) -> Option<DVec3> {
        whole.goals.get(self.goal)?.target.canonical().position
    }

    /// Whether the SIMD batch can solve the chain: its base is fixed and it has no pole.
    pub fn fits_lanes(&self) -> bool {
        !self.free_base && self.pole.is_none()
    }

    /// Number of links.
    pub fn len(&self) -> usize {
        self.links.len()
    }

    /// Link lengths, base first.
    pub fn lengths(&self) -> impl Iterator<Item = f64> {
        self.links.iter().map(|link| link.length())
    }

    /// The pole that a problem of the whole skeleton has for the chain, if any.
    pub fn pole(&self, whole: &Problem) -> Option<Pole> {
        self.pole.map(|(at, joint)| Pole { joint, ..whole.poles[at] })
    }
}

impl PlacedChain<'_> {
    /// Solves the chain for the target and the pole that a problem has for it. `observer` gets the events of the chain.
    pub fn solve(
        &self,
        given: &Given,
        verb: Verb,
        buffers: &mut PlainChainBuffers,
        pose: &mut [Coordinates],
        mut observer: impl Observer,
    ) -> Report {
        let Given { problem, settings, .. } = *given;
        let Some(target) = self.chain.target(problem) else { return Report::REFUSED };
        let PlainChainBuffers { points, rotations, chain } = buffers;
        points.clear();
        rotations.clear();
        self.append_points(pose, points, rotations);
        let Ok(chain) = Chain::new_in(chain, points) else { return Report::REFUSED };
        chain.set_pole(self.chain.pole(problem));
        let report = if self.chain.free_base {
            chain.reach_backward(target);
            observer(SolveEvent::Backward { target }, ObservedPoints::world(chain.points()));
            if chain.turn_to_pole() {
                observer(SolveEvent::TurnToPole, ObservedPoints::world(chain.points()));
            }
            Report { iterations: 1, ..Report::AT_REST }
        } else if verb == Verb::Track {
            follow(chain, target, settings)
        } else {
            chain.solve_observed(target, settings, observer)
        };
        self.write_rotations(chain.points(), rotations, pose);
        report
    }

    /// As [`PlacedChain::solve`] for one solve alone, with the frames of the joints and the pose after each event. After a
    /// backward pass the base is where the pass pulls it, also where the solver leaves it in place.
    pub fn solve_observed(
        &self,
        given: &Given,
        buffers: &mut PlainChainBuffers,
        pose: &mut [Coordinates],
        observer: &mut impl FnMut(SolveEvent, &[Isometry], &[Coordinates]),
    ) -> Report {
        let mut shown = pose.to_vec();
        let mut events: Vec<(SolveEvent, Vec<DVec3>)> = Vec::new();
        let keep = |event, points: ObservedPoints<'_>| events.push((event, points.points().collect()));
        let report = self.solve(given, Verb::Solve, buffers, pose, keep);
        let Given { skeleton, problem, .. } = *given;
        let rotations = &buffers.rotations;
        let mut before = Vec::new();
        self.append_points(&shown, &mut before, &mut Vec::new());
        let length = before[0].distance(before[1]);
        for (event, mut points) in events {
            if matches!(event, SolveEvent::Backward { .. }) {
                points[0] = passes::place(points[1], before[0], length, before[0] - before[1]);
            }
            self.write_rotations(&points, rotations, &mut shown);
            let mut frames = skeleton.frames_at(problem.base, &shown);
            self.write_frames(&points, rotations, &mut frames);
            observer(event, &frames, &shown);
            before = points;
        }
        report
    }

    /// Appends the points of the chain in the world, base first, to `points`, and the world rotations of its turning
    /// joints to `rotations`.
    pub fn append_points(&self, pose: &[Coordinates], points: &mut Vec<DVec3>, rotations: &mut Vec<DQuat>) {
        let PlacedChain { chain, figure, base } = *self;
        let skeleton = figure.skeleton();
        let mut parent = base;
        for (i, &link) in chain.links.iter().enumerate() {
            parent = skeleton.joints()[i].kind.frame(skeleton.rest_frame(i, parent), &pose[figure.number(i)]);
            if i == 0 {
                points.push(parent.position);
            }
            rotations.push(parent.rotation);
            points.push(parent.point(link));
        }
    }

    /// Writes points back to `pose` as rotations, each turned as little as possible from the one in `rotations`.
    pub fn write_rotations(&self, points: &[DVec3], rotations: &[DQuat], pose: &mut [Coordinates]) {
        let PlacedChain { chain, figure, base } = *self;
        let skeleton = figure.skeleton();
        let mut parent = base;
        for (i, &link) in chain.links.iter().enumerate() {
            let rest = skeleton.rest_frame(i, parent);
            let world = turned(rotations[i], link, points[i + 1] - points[i]);
            let turn = (rest.rotation.conjugate() * world).normalize();
            let coordinates = if i == 0 && chain.free_base {
                Coordinates::free(rest.local(points[0]), turn)
            } else {
                Coordinates::rotation(turn)
            };
            parent = skeleton.joints()[i].kind.frame(rest, &coordinates);
            pose[figure.number(i)] = coordinates;
        }
    }

    /// Writes the frames that the joints have at these points, also where those are apart: each turned as little as
    /// possible from the rotation in `rotations`.
    fn write_frames(&self, points: &[DVec3], rotations: &[DQuat], frames: &mut [Isometry]) {
        let PlacedChain { chain, figure, .. } = *self;
        let mut parent = self.base;
        for own in 0..figure.skeleton().len() {
            parent = match chain.links.get(own) {
                Some(&link) => Isometry::new(points[own], turned(rotations[own], link, points[own + 1] - points[own])),
                None => figure.skeleton().rest_frame(own, parent),
            };
            frames[figure.number(own)] = parent;
        }
    }
}

/// A world rotation, turned as little as possible so that a link with this rotation points along `way`.
fn turned(rotation: DQuat, link: DVec3, way: DVec3) -> DQuat {
    smallest_rotation((rotation * link).normalize(), way.normalize()) * rotation
}

impl Figure {
    /// The points of the figure in a pose of the whole skeleton, base first, if it is a plain chain: a line of unlimited
    /// joints with one position goal, solved on the fast path. Methods for chains apply to no other figure.
    pub fn chain_points(&self, whole: &Problem, pose: &[Coordinates]) -> Option<Vec<DVec3>> {
        let chain = PlainChain::of(self, whole)?;
        let (mut points, mut rotations) = (Vec::new(), Vec::new());
        let placed = PlacedChain { chain: &chain, figure: self, base: whole.base };
        placed.append_points(pose, &mut points, &mut rotations);
        Some(points)
    }
}

/// Buffers for solving chains, one after the other.
#[derive(Clone, Debug, Default)]
pub(crate) struct PlainChainBuffers {
    points: Vec<DVec3>,
    rotations: Vec<DQuat>,
    chain: Option<Chain>,
}

/// As [`Chain::solve`], but a target that is met to within the tolerance only is followed too. It would otherwise leave the
/// points where they are until the error exceeds the tolerance, and then pull them along at once.
fn follow(chain: &mut Chain, target: DVec3, settings: &Settings) -> Report {
    let is_met = chain.tip().distance(target) <= settings.tolerance * chain.reach();
    if !is_met || settings.method != Method::Accelerated {
        return chain.solve(target, settings);
    }
    let exact = Settings { tolerance: 0.0, max_iterations: NonZeroU32::MIN, ..*settings };
    let report = chain.solve(target, &exact);
    Report { stop: if report.error <= settings.tolerance { Stop::Reached } else { report.stop }, ..report }
}
