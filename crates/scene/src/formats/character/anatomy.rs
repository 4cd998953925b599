//! Limits and stiffness of characters whose body parts are known by their names.

use super::align::{RestJoint, aligned, links};
use crate::assets::HumanLimits;
use crate::options::BodyLimits;
use crate::retarget::human_limits::human_limits;
use crate::retarget::known_body::KnownBody;
use fabrik3d_ik::{Joint, Kind};
use glam::{DQuat, DVec3};

/// The body that the names of the joints tell, if they do.
pub(crate) fn known_body(joints: &[RestJoint]) -> Option<KnownBody> {
    let named: Vec<_> = joints.iter().map(|joint| (joint.name.clone(), joint.parent)).collect();
    KnownBody::of(&named)
}

/// The joints of a skeleton.
pub(crate) struct Anatomy {
    pub joints: Vec<Joint>,
    /// World rotations of their rest frames.
    pub frames: Vec<DQuat>,
    pub human_limits: HumanLimits,
}

/// Which joints get human limits.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Limited<'a> {
    /// Those of known parts, except for these names: a limits file says how they move.
    Except(&'a [String]),
    /// These and no others.
    These(&'a [usize]),
}

impl<'a> Limited<'a> {
    /// As the option says. `listed` are the joints whose kind a limits file gives.
    pub fn of(body_limits: BodyLimits, listed: &'a [String]) -> Self {
        match body_limits {
            BodyLimits::Human => Limited::Except(listed),
            BodyLimits::Off => Limited::These(&[]),
        }
    }
}

/// The joints with the limits and the stiffness of the body, if there is one. `bend` says where recorded motion takes the link of a
/// joint with this direction, relative to rest; zero without motion.
pub(crate) fn joints_of(
    drafts: &[RestJoint],
    body: Option<&KnownBody>,
    limited: Limited<'_>,
    bend: impl Fn(usize, DVec3) -> DVec3,
) -> Anatomy {
    let links = links(drafts);
    let mut limits = match body {
        Some(body) => {
            let names: Vec<&str> = drafts.iter().map(|draft| draft.name.as_str()).collect();
            let positions: Vec<DVec3> = drafts.iter().map(|draft| draft.position).collect();
            let bends = links.iter().enumerate().map(|(at, link)| link.map_or(DVec3::ZERO, |link| bend(at, link)));
            human_limits(body, &names, &positions, &links, &bends.collect::<Vec<_>>())
        }
        None => vec![None; drafts.len()],
    };
    let mut human = HumanLimits::default();
    for (at, draft) in drafts.iter().enumerate() {
        if limits[at].is_none() || draft.kind == Kind::Free {
            limits[at] = None;
            continue;
        }
        match limited {
            Limited::Except(names) if names.contains(&draft.name) => human.overruled.push(at),
            Limited::These(joints) if !joints.contains(&at) => {}
            _ => {
                human.joints.push(at);
                continue;
            }
        }
        limits[at] = None;
    }
    let (mut joints, frames) = aligned(drafts, &links, &limits);
    for (joint, &stiffness) in joints.iter_mut().zip(body.iter().flat_map(|body| &body.stiffness)) {
        joint.stiffness = stiffness;
    }
    Anatomy { joints, frames, human_limits: human }
}
