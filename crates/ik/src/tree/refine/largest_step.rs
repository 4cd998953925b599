//! The largest move of a joint from the pose that a solve starts from: [`Settings::max_step`] and [`Problem::max_steps`].
//!
//! [`Settings::max_step`]: crate::Settings::max_step
//! [`Problem::max_steps`]: crate::Problem::max_steps

use crate::layout::make_room;
use crate::model::{Coordinates, Interval, Kind, Skeleton, angle_between, mix_joint};

/// Shortenings of a turn of a ball. Each one leaves it a little longer than it may be, or shorter.
const MOST_SHORTENINGS: usize = 8;

/// The start pose, and how far each joint may go from there.
#[derive(Clone, Debug, Default)]
pub(crate) struct LargestStep {
    start: Vec<Coordinates>,
    /// One entry per joint; none if there is no bound.
    most: Vec<f64>,
}

impl LargestStep {
    /// Makes room for this number of joints.
    pub fn reserve(&mut self, joints: usize) {
        make_room(&mut self.start, joints);
        make_room(&mut self.most, joints);
    }

    /// Bounds the moves from a pose, which is inside the limits: by `most`, and those of each joint by its own bound if there are
    /// any. A joint goes no farther than those that follow it may.
    pub fn begin(&mut self, skeleton: &Skeleton, start: &[Coordinates], (most, of_joints): (f64, &[f64])) {
        self.end();
        self.start.extend_from_slice(start);
        self.most.resize(start.len(), most);
        self.most.iter_mut().zip(of_joints).for_each(|(most, own)| *most = most.min(*own));
        for &follower in &skeleton.followers {
            if let Some(mimic) = skeleton.joints()[follower].mimic {
                self.most[mimic.joint] = self.most[mimic.joint].min(self.most[follower] / mimic.scale.abs());
            }
        }
    }

    /// Moves have no bound any more.
    pub fn end(&mut self) {
        self.start.clear();
        self.most.clear();
    }

    /// Whether moves have a bound.
    pub fn is_set(&self) -> bool {
        !self.most.is_empty()
    }

    /// The part of the range of a hinge or a slide that its joint can get to.
    pub fn range(&self, joint: usize, range: Option<Interval>) -> Option<Interval> {
        let Some(most) = self.most.get(joint) else { return range };
        let now = self.start[joint].value();
        let (low, high) = range.map_or((f64::NEG_INFINITY, f64::INFINITY), |range| (range.low(), range.high()));
        Interval::new(low.max(now - most), high.min(now + most)).ok().or(range)
    }

    /// The coordinates of a joint, no farther from its start than the bound.
    pub fn shorten(&self, skeleton: &Skeleton, joint: usize, moved: Coordinates) -> Coordinates {
        let (Some(&most), kind) = (self.most.get(joint), skeleton.kind(joint)) else { return moved };
        let start = self.start[joint];
        match kind {
            Kind::Fixed => moved,
            Kind::Hinge { range, .. } | Kind::Slide { range, .. } => {
                let range = self.range(joint, *range);
                Coordinates::scalar(range.map_or(moved.value(), |range| range.clamp(moved.value())))
            }
            Kind::Free => {
                let shift = (moved.free_position() - start.free_position()).clamp_length_max(most);
                let turned = shortened_turn(kind, start, moved, most);
                Coordinates::free(start.free_position() + shift, turned.free_rotation())
            }
            Kind::Ball { .. } => shortened_turn(kind, start, moved, most),
        }
    }

    /// Moves the joints of a pose to where they can get. Returns whether one of them was farther away.
    pub fn shorten_all(&self, skeleton: &Skeleton, pose: &mut [Coordinates]) -> bool {
        let mut shortened = false;
        for (joint, own) in pose.iter_mut().enumerate().take(self.most.len()) {
            let moved = self.shorten(skeleton, joint, *own);
            shortened |= moved != *own;
            *own = moved;
        }
        if shortened {
            skeleton.follow(pose);
        }
        shortened
    }
}

/// A turn of a ball or a free joint, on the way that mixed poses take, as far as an angle allows. In coordinates of limited
/// balls, angles grow not quite in proportion.
fn shortened_turn(kind: &Kind, start: Coordinates, moved: Coordinates, most: f64) -> Coordinates {
    let rotation = |coordinates: &Coordinates| match kind {
        Kind::Free => coordinates.free_rotation(),
        _ => kind.rotation(coordinates),
    };
    let (mut turned, mut share) = (moved, 1.0);
    for _ in 0..MOST_SHORTENINGS {
        let angle = angle_between(rotation(&start), rotation(&turned));
        if angle <= most {
            return turned;
        }
        share *= (1.0 - 1e-12) * most / angle;
        turned = mix_joint(kind, &start, &moved, share);
    }
    start
}
