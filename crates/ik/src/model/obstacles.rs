//! A list of obstacles with an index of their places, for scenes in which thousands of links meet thousands of obstacles.

use super::{Obstacle, Part, Refusal, check_all};
use glam::{DMat3, DVec3};
use std::ops::{Deref, DerefMut};
use std::sync::OnceLock;

/// Number of obstacles from which an index costs less than asking each of them.
const MANY: usize = 512;
/// Most obstacles in a leaf of the index.
const LEAF: usize = 8;
/// What boxes exceed their obstacles by, as a fraction of the largest number in them: more than all errors of rounding.
const SLACK: f64 = 1e-9;

/// Obstacles: `vec![...].into()` makes them. They are a [`Vec`] in all respects, which keeps an index of the places of many
/// obstacles from one query to the next. Any change of the list drops the index.
#[derive(Debug, Default)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize), serde(transparent))]
pub struct Obstacles {
    list: Vec<Obstacle>,
    #[cfg_attr(feature = "serde", serde(skip))]
    index: OnceLock<Index>,
}

impl Obstacles {
    /// Checks all obstacles: [`Obstacle::check`].
    pub(crate) fn check(&self) -> Result<(), Refusal> {
        self.index().map_or_else(|| check(&self.list), |index| index.checked)
    }

    /// Visits the obstacles, by their numbers in the list and in no particular order. It skips some of those whose boxes are
    /// not needed: asked about a box that holds several obstacles, `is_needed` must not refuse it for any point inside.
    pub(crate) fn visit(&self, is_needed: impl Fn(&Bounds) -> bool, mut visit: impl FnMut(usize)) {
        match self.index() {
            Some(index) => index.visit(&is_needed, &mut visit),
            None => (0..self.list.len()).for_each(visit),
        }
    }

    fn index(&self) -> Option<&Index> {
        (self.list.len() >= MANY).then(|| self.index.get_or_init(|| Index::of(&self.list)))
    }
}

impl Deref for Obstacles {
    type Target = Vec<Obstacle>;

    fn deref(&self) -> &Self::Target {
        &self.list
    }
}

impl DerefMut for Obstacles {
    fn deref_mut(&mut self) -> &mut Self::Target {
        self.index = OnceLock::new();
        &mut self.list
    }
}

impl Clone for Obstacles {
    fn clone(&self) -> Self {
        self.list.clone().into()
    }

    /// Copies the list without allocation if there is room for it.
    fn clone_from(&mut self, other: &Self) {
        self.deref_mut().clone_from(&other.list);
    }
}

impl PartialEq for Obstacles {
    fn eq(&self, other: &Self) -> bool {
        self.list == other.list
    }
}

impl From<Vec<Obstacle>> for Obstacles {
    fn from(list: Vec<Obstacle>) -> Self {
        Obstacles { list, index: OnceLock::new() }
    }
}

/// A box along the axes of the world.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Bounds {
    low: DVec3,
    high: DVec3,
}

impl Bounds {
    const EMPTY: Bounds = Bounds { low: DVec3::INFINITY, high: DVec3::NEG_INFINITY };

    /// The box around an obstacle; none around a half-space and around what is not valid.
    fn around(obstacle: &Obstacle) -> Option<Self> {
        let (center, half) = match *obstacle {
            Obstacle::HalfSpace { .. } => return None,
            Obstacle::Sphere { center, radius } => (center, DVec3::splat(radius)),
            Obstacle::Capsule { ends: [a, b], radius } => (a.midpoint(b), 0.5 * (b - a).abs() + radius),
            Obstacle::Box { center, rotation, half } => {
                let axes = DMat3::from_quat(rotation);
                (center, axes.x_axis.abs() * half.x + axes.y_axis.abs() * half.y + axes.z_axis.abs() * half.z)
            }
        };
        let half = half + SLACK * (center.abs().max_element() + half.max_element());
        (obstacle.check().is_ok() && half.is_finite()).then_some(Bounds { low: center - half, high: center + half })
    }

    fn union(self, other: Self) -> Self {
        Bounds { low: self.low.min(other.low), high: self.high.max(other.high) }
    }

    /// Square of the distance of a point; 0 inside.
    pub fn distance_squared(&self, point: DVec3) -> f64 {
        point.clamp(self.low, self.high).distance_squared(point)
    }
}

fn check(list: &[Obstacle]) -> Result<(), Refusal> {
    check_all(list, Part::Obstacle, Obstacle::check)
}

/// A bounding volume hierarchy: a balanced binary tree of boxes.
#[derive(Clone, Debug)]
struct Index {
    checked: Result<(), Refusal>,
    /// Obstacles without a box, in the order of the list.
    unbounded: Vec<usize>,
    /// Obstacles with a box, in the order of the leaves.
    order: Vec<usize>,
    /// The boxes of the nodes. The root is the first one; the children of node `i` are `2i + 1` and `2i + 2`, and each has one
    /// half of the obstacles of its parent.
    nodes: Vec<Bounds>,
}

impl Index {
    fn of(list: &[Obstacle]) -> Self {
        let mut unbounded = Vec::new();
        let mut bounded = Vec::with_capacity(list.len());
        for (at, obstacle) in list.iter().enumerate() {
            match Bounds::around(obstacle) {
                Some(bounds) => bounded.push((at, bounds)),
                None => unbounded.push(at),
            }
        }
        let mut nodes = Vec::new();
        build(&mut bounded, 0, &mut nodes);
        let order = bounded.into_iter().map(|(at, _)| at).collect();
        Index { checked: check(list), unbounded, order, nodes }
    }

    fn visit(&self, is_needed: &impl Fn(&Bounds) -> bool, visit: &mut impl FnMut(usize)) {
        self.unbounded.iter().copied().for_each(&mut *visit);
        if !self.order.is_empty() {
            self.visit_node(0, &self.order, is_needed, visit);
        }
    }

    /// Visits a node that holds the obstacles `own`. It recurses once per level, of which there are few.
    fn visit_node(
        &self,
        node: usize,
        own: &[usize],
        is_needed: &impl Fn(&Bounds) -> bool,
        visit: &mut impl FnMut(usize),
    ) {
        if !is_needed(&self.nodes[node]) {
            return;
        }
        if own.len() <= LEAF {
            return own.iter().copied().for_each(visit);
        }
        let (first, second) = own.split_at(own.len() / 2);
        self.visit_node(2 * node + 1, first, is_needed, visit);
        self.visit_node(2 * node + 2, second, is_needed, visit);
    }
}

/// Writes a node and all below it, and sorts its obstacles by where they are in the tree.
fn build(own: &mut [(usize, Bounds)], node: usize, nodes: &mut Vec<Bounds>) {
    if nodes.len() <= node {
        nodes.resize(node + 1, Bounds::EMPTY);
    }
    let bounds = own.iter().fold(Bounds::EMPTY, |whole, (_, bounds)| whole.union(*bounds));
    nodes[node] = bounds;
    if own.len() <= LEAF {
        return;
    }
    let axis = (bounds.high - bounds.low).max_position();
    let middle = own.len() / 2;
    let place = |(_, bounds): &(usize, Bounds)| bounds.low[axis] + bounds.high[axis];
    own.select_nth_unstable_by(middle, |a, b| place(a).total_cmp(&place(b)));
    let (first, second) = own.split_at_mut(middle);
    build(first, 2 * node + 1, nodes);
    build(second, 2 * node + 2, nodes);
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::random::Random;

    fn obstacles(random: &mut Random, count: usize, spread: f64) -> Obstacles {
        Vec::from_iter((0..count).map(|_| obstacle(random, spread))).into()
    }

    fn obstacle(random: &mut Random, spread: f64) -> Obstacle {
        let (center, size) = (random.ball() * spread, random.range(0.0, 0.1) * spread);
        match random.index(40) {
            0 => Obstacle::HalfSpace { normal: random.direction(), offset: random.normal() * spread },
            1..=13 => Obstacle::Capsule { ends: [center, center + random.ball() * size], radius: 0.3 * size },
            14..=26 => {
                let half = random.ball().abs() * size;
                Obstacle::Box { center, rotation: random.rotation(), half }
            }
            _ => Obstacle::Sphere { center, radius: size },
        }
    }

    /// No obstacle within a distance of a point is missed, at scales from atoms to planets, also if all are in one place.
    #[test]
    fn all_obstacles_within_a_distance_are_visited() {
        let mut skipped = 0;
        for seed in 0..60 {
            let mut random = Random::new(seed);
            let spread = 10_f64.powf(random.range(-9.0, 9.0));
            let shift = if seed % 3 == 0 { DVec3::splat(1e6 * spread) } else { DVec3::ZERO };
            let count = MANY + random.index(3000);
            let mut obstacles = obstacles(&mut random, count, spread);
            for obstacle in obstacles.iter_mut() {
                match obstacle {
                    Obstacle::Sphere { center, .. } | Obstacle::Box { center, .. } => *center += shift,
                    Obstacle::Capsule { ends, .. } => ends.iter_mut().for_each(|end| *end += shift),
                    Obstacle::HalfSpace { .. } => {}
                }
            }
            for _ in 0..20 {
                let (point, distance) = (shift + random.ball() * 1.5 * spread, random.range(0.0, 0.5) * spread);
                let mut visited = vec![0; obstacles.len()];
                obstacles.visit(|bounds| bounds.distance_squared(point) <= distance * distance, |at| visited[at] += 1);
                for (at, obstacle) in obstacles.iter().enumerate() {
                    assert!(visited[at] <= 1, "obstacle {at} is visited {} times", visited[at]);
                    let is_near = obstacle.depth(point) >= -distance * (1.0 - 1e-9);
                    assert!(visited[at] == 1 || !is_near, "seed {seed}: {obstacle:?} is near {point}, {distance}");
                    skipped += usize::from(visited[at] == 0);
                }
            }
        }
        assert!(skipped > 1_000_000, "only {skipped} obstacles were skipped");
    }

    /// A list that changes after a query answers as a new one.
    #[test]
    fn a_change_drops_the_index() {
        let mut random = Random::new(1);
        let mut obstacles = obstacles(&mut random, 2 * MANY, 1.0);
        assert!(obstacles.check().is_ok());
        let far = DVec3::splat(100.0);
        obstacles[7] = Obstacle::Sphere { center: far, radius: 1.0 };
        let mut found = Vec::new();
        obstacles.visit(|bounds| bounds.distance_squared(far) <= 0.0, |at| found.push(at));
        assert!(found.contains(&7), "{found:?}");
        obstacles.push(Obstacle::Sphere { center: far, radius: f64::NAN });
        assert!(obstacles.check().is_err());
        let mut copy = obstacles.clone();
        assert!(copy.check().is_err());
        copy.clone_from(&Obstacles::from(vec![obstacles[7]]));
        assert!(copy.check().is_ok());
    }

    /// What is not valid, or has no box, does not break the tree.
    #[test]
    fn obstacles_without_a_box_are_always_visited() {
        let strange = [
            Obstacle::Sphere { center: DVec3::NAN, radius: 1.0 },
            Obstacle::Sphere { center: DVec3::ZERO, radius: f64::INFINITY },
            Obstacle::HalfSpace { normal: DVec3::Y, offset: 0.0 },
        ];
        for obstacle in strange {
            let obstacles = Obstacles::from(vec![obstacle; MANY]);
            let mut count = 0;
            obstacles.visit(|_| false, |_| count += 1);
            assert_eq!(count, MANY, "{obstacle:?}");
        }
    }
}
