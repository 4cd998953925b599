//! What the names of the joints tell about a character.

use crate::Scene;
use crate::coordinates::zero_frames;
use crate::retarget::known_body::KnownBody;
use fabrik3d_ik::Isometry;
use glam::DVec3;

impl Scene {
    /// A name of a joint or effector for people: without the prefix up to a colon, such as `mixamorig:`, that most joints
    /// share.
    pub fn shown_name<'a>(&self, name: &'a str) -> &'a str {
        let prefix = |name: &'a str| name.rfind(':').map(|end| &name[..=end]);
        let Some(own) = prefix(name).filter(|own| own.len() < name.len()) else { return name };
        let joints = self.skeleton.joints();
        let sharing = joints.iter().filter(|joint| joint.name.starts_with(own)).count();
        if 2 * sharing > joints.len() && sharing > 1 { &name[own.len()..] } else { name }
    }

    /// The direction in which a character faces at rest, if the names of its joints tell.
    pub fn front(&self) -> Option<DVec3> {
        let joints = self.skeleton.joints();
        let named: Vec<_> = joints.iter().map(|joint| (joint.name.clone(), joint.parent)).collect();
        let rest = zero_frames(&self.skeleton, Isometry::IDENTITY);
        let positions: Vec<DVec3> = rest.iter().map(|frame| frame.position).collect();
        KnownBody::of(&named)?.directions(&positions).map(|[_, _, forward]| forward)
    }
}

#[cfg(test)]
mod tests {
    use crate::SceneBuilder;
    use fabrik3d_ik::{Joint, Kind};
    use glam::DVec3;

    #[test]
    fn names_lose_the_prefix_that_most_joints_share() {
        let names = ["Armature", "mixamorig:Hips", "mixamorig:Spine", "prop:Sword", "plain"];
        let joint = |(at, name): (usize, &&str)| Joint::new(*name, at.checked_sub(1), DVec3::Z, Kind::Fixed);
        let shown = |names: &[&str], name: &'static str| {
            let joints = names.iter().enumerate().map(joint).collect();
            SceneBuilder { joints, effectors: Vec::new() }.build("").expect("a scene").shown_name(name)
        };
        assert_eq!(shown(&names[..3], "mixamorig:Hips"), "Hips");
        assert_eq!(shown(&names[..4], "prop:Sword"), "prop:Sword");
        assert_eq!(shown(&names[..3], "mixamorig:"), "mixamorig:");
        assert_eq!(shown(&names[..3], "plain"), "plain");
        assert_eq!(shown(&names, "mixamorig:Hips"), "mixamorig:Hips", "two of five");
    }
}
