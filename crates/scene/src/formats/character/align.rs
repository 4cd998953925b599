//! Rest frames with z along the link, whatever the axes of the file.

use crate::retarget::human_limits::HumanLimit;
use fabrik3d_ik::{Joint, Kind};
use glam::{DMat3, DQuat, DVec3};

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

/// The unit directions of the links at rest, world space: toward the mean of children and tips, or along the parent's link
/// without any. None if that has no direction either.
pub(crate) fn links(drafts: &[RestJoint]) -> Vec<Option<DVec3>> {
    let mut ends = vec![DVec3::ZERO; drafts.len()];
    for (at, draft) in drafts.iter().enumerate() {
        let own = draft.tips.iter().copied().map(|tip| (at, tip));
        for (owner, end) in own.chain(draft.parent.map(|parent| (parent, draft.position))) {
            ends[owner] += end - drafts[owner].position;
        }
    }
    let direction = |(at, draft): (usize, &RestJoint)| {
        let along_parent = || (draft.position - drafts[draft.parent?].position).try_normalize();
        ends[at].try_normalize().or_else(along_parent)
    };
    drafts.iter().enumerate().map(direction).collect()
}

/// The joints of a skeleton whose rest frames have z along the `links`. The axes of the file are rotated as little as
/// possible, except on joints with human limits, whose x axis is that of the limits. The second list holds the world
/// rotations of the rest frames.
pub(crate) fn aligned(
    drafts: &[RestJoint],
    links: &[Option<DVec3>],
    limits: &[Option<HumanLimit>],
) -> (Vec<Joint>, Vec<DQuat>) {
    let rotation = |(at, draft): (usize, &RestJoint)| match (links[at], limits[at]) {
        (Some(link), Some(limit)) => {
            DQuat::from_mat3(&DMat3::from_cols(limit.x, link.cross(limit.x), link)).normalize()
        }
        (Some(link), None) => (DQuat::from_rotation_arc(draft.rotation * DVec3::Z, link) * draft.rotation).normalize(),
        (None, _) => draft.rotation,
    };
    let rotations: Vec<DQuat> = drafts.iter().enumerate().map(rotation).collect();
    let joint = |(at, draft): (usize, &RestJoint)| {
        let (place, turn) = match draft.parent {
            Some(parent) => (drafts[parent].position, rotations[parent].conjugate()),
            None => (DVec3::ZERO, DQuat::IDENTITY),
        };
        let kind = limits[at].and_then(|limit| limit.kind()).unwrap_or(draft.kind);
        let mut joint = Joint::new(draft.name.clone(), draft.parent, turn * (draft.position - place), kind);
        joint.rest = (turn * rotations[at]).normalize();
        joint
    };
    (drafts.iter().enumerate().map(joint).collect(), rotations)
}
