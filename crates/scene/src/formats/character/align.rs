//! Rest frames with z along the link, whatever the axes of the file.

use fabrik3d_ik::{Joint, Kind};
use glam::{DQuat, DVec3};

/// A joint of a file at rest.
#[derive(Clone, Debug)]
pub(crate) struct RestJoint {
    /// Name, unique.
    pub name: String,
    /// Index of its parent, below its own.
    pub parent: Option<usize>,
    /// Position, world space.
    pub position: DVec3,
    /// Rotation, world space.
    pub rotation: DQuat,
    /// Tips of effectors on it: ends of links besides its children, world space.
    pub tips: Vec<DVec3>,
    /// Kind of joint.
    pub kind: Kind,
}

/// The joints of a skeleton whose rest frames have z along the link: toward the mean of children and tips, or along the
/// parent's link without any. The axes of the file are rotated as little as possible. The second list holds the world
/// rotations of the rest frames.
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
