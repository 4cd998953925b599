//! The joints at rest.

use glam::{DMat3, DQuat, DVec3};

/// Joints in the order of the file: name, parent, position. The right side mirrors the left.
pub const JOINTS: [(&str, usize, [f64; 3]); 21] = [
    ("Hips", 0, [0.0, 0.955, -0.004]),
    ("Spine", 0, [0.0, 1.06, -0.004]),
    ("Chest", 1, [0.0, 1.2, -0.004]),
    ("Neck", 2, [0.0, 1.485, -0.012]),
    ("Head", 3, [0.0, 1.575, 0.0]),
    ("LeftShoulder", 2, [0.035, 1.43, -0.012]),
    ("LeftArm", 5, [0.18, 1.408, -0.014]),
    ("LeftForeArm", 6, [0.3665, 1.193, -0.022]),
    ("LeftHand", 7, [0.519, 1.0, 0.026]),
    ("LeftUpLeg", 0, [0.084, 0.915, -0.004]),
    ("LeftLeg", 9, [0.09, 0.492, 0.008]),
    ("LeftFoot", 10, [0.094, 0.082, -0.02]),
    ("LeftToeBase", 11, [0.102, 0.022, 0.1]),
    ("RightShoulder", 2, [-0.035, 1.43, -0.012]),
    ("RightArm", 13, [-0.18, 1.408, -0.014]),
    ("RightForeArm", 14, [-0.3665, 1.193, -0.022]),
    ("RightHand", 15, [-0.519, 1.0, 0.026]),
    ("RightUpLeg", 0, [-0.084, 0.915, -0.004]),
    ("RightLeg", 17, [-0.09, 0.492, 0.008]),
    ("RightFoot", 18, [-0.094, 0.082, -0.02]),
    ("RightToeBase", 19, [-0.102, 0.022, 0.1]),
];
pub const HIPS: usize = 0;
pub const SPINE: usize = 1;
pub const CHEST: usize = 2;
pub const NECK: usize = 3;
pub const HEAD: usize = 4;
/// First joints of the left and right limbs; the others follow in the order of the table.
pub const CLAVICLES: [usize; 2] = [5, 13];
pub const THIGHS: [usize; 2] = [9, 17];

pub struct Skeleton {
    /// Rest positions of the joints.
    pub at: Vec<DVec3>,
    /// Rest orientations: z along the link, x along the elbow or knee axis or, for other joints, to the left.
    pub axes: Vec<DQuat>,
}

impl Skeleton {
    pub fn new() -> Self {
        let at: Vec<DVec3> = JOINTS.iter().map(|joint| DVec3::from_array(joint.2)).collect();
        let links = |joint: usize| -> DVec3 {
            let children = (1..JOINTS.len()).filter(|&child| JOINTS[child].1 == joint);
            children.map(|child| at[child] - at[joint]).sum()
        };
        let mut axes = Vec::new();
        for (joint, &(_, parent, _)) in JOINTS.iter().enumerate() {
            let link = links(joint).try_normalize().unwrap_or_else(|| links(parent).normalize());
            // Thigh and shin share the normal of their plane as hinge axis; so do upper arm and forearm.
            let side = usize::from(joint >= CLAVICLES[1]);
            let (arm, thigh) = (CLAVICLES[side] + 1, THIGHS[side]);
            let normal = |first: usize, order: f64| order * links(first).cross(links(first + 1)).normalize();
            let x = match joint {
                _ if (arm..arm + 3).contains(&joint) => normal(arm, -1.0),
                _ if (thigh..thigh + 4).contains(&joint) => normal(thigh, 1.0),
                _ if CLAVICLES.contains(&joint) => DVec3::Z.cross(link),
                _ => DVec3::X,
            };
            let x = x.reject_from_normalized(link).normalize();
            axes.push(DQuat::from_mat3(&DMat3::from_cols(x, link.cross(x), link)));
        }
        Skeleton { at, axes }
    }

    /// The local rotation of a joint for a `turn` relative to rest, given in world axes.
    pub fn local(&self, joint: usize, turn: DQuat) -> DQuat {
        let parent = if joint == HIPS { DQuat::IDENTITY } else { self.axes[JOINTS[joint].1] };
        parent.conjugate() * turn * self.axes[joint]
    }
}
