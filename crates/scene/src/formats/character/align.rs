//! Rest frames whose z axis is the link axis, whatever axes a file's joints have.

use fabrik3d_ik::{Joint, Kind};
use glam::{DQuat, DVec3};

/// A joint as a file describes it, at rest.
#[derive(Clone, Debug)]
pub(crate) struct RestJoint {
    /// Name, unique.
    pub name: String,
    /// Index of its parent, smaller than its own.
    pub parent: Option<usize>,
    /// Its place; world.
    pub position: DVec3,
    /// Its axes; world.
    pub rotation: DQuat,
    /// Points fixed to it that links end at besides its children: the tips of effectors; world.
    pub tips: Vec<DVec3>,
    /// How it moves.
    pub kind: Kind,
}

/// The joints of a skeleton whose rest frames have their z axis along the link: toward the middle of the children and
/// tips, or on along the parent's link where there are none. The other two axes are the file's own, turned as little as
/// possible. The second list is the rest frames' rotations in the world.
pub(crate) fn aligned(drafts: &[RestJoint]) -> (Vec<Joint>, Vec<DQuat>) {
    let mut ends = vec![(DVec3::ZERO, 0_usize); drafts.len()];
    for (at, draft) in drafts.iter().enumerate() {
        let own = draft.tips.iter().copied().map(|tip| (at, tip));
        for (owner, end) in own.chain(draft.parent.map(|parent| (parent, draft.position))) {
            ends[owner].0 += end - drafts[owner].position;
            ends[owner].1 += 1;
        }
    }
    let direction = |at: usize| {
        let draft = &drafts[at];
        let toward = ends[at].0.try_normalize();
        toward.or_else(|| draft.parent.and_then(|parent| (draft.position - drafts[parent].position).try_normalize()))
    };
    let rotations: Vec<DQuat> = drafts
        .iter()
        .enumerate()
        .map(|(at, draft)| match direction(at) {
            Some(link) => (DQuat::from_rotation_arc(draft.rotation * DVec3::Z, link) * draft.rotation).normalize(),
            None => draft.rotation,
        })
        .collect();
    let joint = |(at, draft): (usize, &RestJoint)| {
        let (place, turn) = match draft.parent {
            Some(parent) => (drafts[parent].position, rotations[parent].conjugate()),
            None => (DVec3::ZERO, DQuat::IDENTITY),
        };
        let mut joint = Joint::new(draft.name.clone(), draft.parent, turn * (draft.position - place), draft.kind);
        joint.rest = (turn * rotations[at]).normalize();
        joint
    };
    (drafts.iter().enumerate().map(joint).collect(), rotations)
}
