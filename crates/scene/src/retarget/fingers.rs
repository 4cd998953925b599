//! Fingers by where they are, whatever their names and number: the chains below a hand, in order across the palm.

use fabrik3d_ik::maths;
use glam::{DMat3, DQuat, DVec3};

/// Links of a finger beyond those of the palm.
const PHALANGES: usize = 3;

/// A finger of a hand.
#[derive(Clone, Debug)]
pub(crate) struct Finger {
    /// Its joints, from the hand on.
    pub joints: Vec<usize>,
    /// How many of them are bones of the palm.
    pub inside: usize,
}

/// The fingers of a hand at rest.
#[derive(Clone, Debug)]
pub(crate) struct Fingers {
    /// The thumb is the first one; then come its neighbor and the others.
    pub all: Vec<Finger>,
    /// Unit direction across the palm, to the side of the thumb.
    pub across: DVec3,
    /// Direction from the hand to the knuckles.
    pub along: DVec3,
}

impl Fingers {
    /// The fingers below a hand, of joints with these parents and places. `tip` is the end of the link of a joint without children, if
    /// it is known. None unless there are three: two do not tell how the palm lies.
    pub fn of(
        hand: usize,
        (parents, places): (&[Option<usize>], &[DVec3]),
        tip: impl Fn(usize) -> Option<DVec3>,
    ) -> Option<Self> {
        let from = places[hand];
        // Each finger with its knuckle and its end.
        let finger = |joints: Vec<usize>| {
            let last = *joints.last()?;
            let inside = match (joints.len().saturating_sub(PHALANGES), tip(last)) {
                (more, Some(_)) => more,
                // The last joint may be the tip. A bone of the palm begins nearer to the hand than to its other end.
                (more, None) => joints
                    .windows(2)
                    .take(more)
                    .take_while(|link| places[link[0]].distance(from) < places[link[0]].distance(places[link[1]]))
                    .count(),
            };
            let (knuckle, end) = (places[joints[inside]], tip(last).unwrap_or(places[last]));
            (knuckle != end).then_some((Finger { joints, inside }, knuckle, end))
        };
        let mut all: Vec<(Finger, DVec3, DVec3)> = chains(hand, parents).into_iter().filter_map(finger).collect();
        if all.len() < 3 {
            return None;
        }
        let middle = |(_, knuckle, end): &(Finger, DVec3, DVec3)| 0.5 * (*knuckle + *end) - from;
        let along: DVec3 = all.iter().map(middle).sum();
        let beside = |finger: &(Finger, DVec3, DVec3)| middle(finger).reject_from(along);
        let pairs = all.iter().flat_map(|a| all.iter().map(move |b| beside(a) - beside(b)));
        let widest = pairs.max_by(|a, b| a.length_squared().total_cmp(&b.length_squared()))?;
        all.sort_by(|a, b| beside(a).dot(widest).total_cmp(&beside(b).dot(widest)));
        // Of the two outer ones, the thumb points farther away from the others.
        let way = |at: usize| (all[at].2 - all[at].1).normalize();
        let apart = |at: usize| maths::angle(way(at), (0..all.len()).filter(|&other| other != at).map(way).sum());
        if apart(all.len() - 1) > apart(0) {
            all.reverse();
        }
        let (near, far) = (all[1].1, all[all.len() - 1].1);
        let (across, along) = ((near - far).try_normalize()?, 0.5 * (near + far) - from);
        Some(Fingers { across, along, all: all.into_iter().map(|(finger, ..)| finger).collect() })
    }

    /// The direction in which the palm of the left (0) or the right (1) hand looks.
    pub fn palm(&self, side: usize) -> Option<DVec3> {
        let palm = self.along.cross(self.across).try_normalize()?;
        Some(if side == 0 { palm } else { -palm })
    }

    /// The rotation of the palm: of the axes to its thumb and away from it.
    fn turn(&self) -> Option<DQuat> {
        let along = self.along.reject_from_normalized(self.across).try_normalize()?;
        Some(DQuat::from_mat3(&DMat3::from_cols(self.across, along, self.across.cross(along))))
    }

    /// The rotation from the frame of a hand to that of another one that has its palm and its thumb alike, where the hands have these
    /// rotations.
    pub fn turn_to(&self, other: &Fingers, [own, others]: [DQuat; 2]) -> Option<DQuat> {
        let [here, there] = [own.conjugate() * self.turn()?, others.conjugate() * other.turn()?];
        Some((there * here.conjugate()).normalize())
    }

    /// The finger of a hand with so many that a finger is like: thumbs are alike, and so are the outer ones beside them.
    pub fn like(&self, finger: usize, of: usize) -> usize {
        match finger {
            0 => 0,
            _ => 1 + ((finger - 1) as f64 / (self.all.len() - 2) as f64 * (of - 2) as f64).round() as usize,
        }
    }
}

/// The joints from where each end below a joint has its way alone.
fn chains(top: usize, parents: &[Option<usize>]) -> Vec<Vec<usize>> {
    let up = |at: usize| std::iter::successors(Some(at), |&at| parents[at]);
    let mut is_end = vec![true; parents.len()];
    parents.iter().flatten().for_each(|&parent| is_end[parent] = false);
    let ends = (0..parents.len()).filter(|&at| is_end[at] && at != top && up(at).any(|above| above == top));
    let ends: Vec<usize> = ends.collect();
    let mut passing = vec![0; parents.len()];
    ends.iter().for_each(|&end| up(end).take_while(|&at| at != top).for_each(|at| passing[at] += 1));
    let chain = |&end: &usize| -> Vec<usize> {
        let mut chain: Vec<usize> = up(end).take_while(|&at| at != top && passing[at] == 1).collect();
        chain.reverse();
        chain
    };
    ends.iter().map(chain).collect()
}
