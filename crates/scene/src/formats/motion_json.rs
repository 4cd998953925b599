//! Motion as JSON: `{"name", "frame_time", "joints": [names], "poses": [POSE, ..]}`.

use crate::Scene;
use crate::motion::Motion;
use std::io::{self, Write};

/// Writes a motion, one pose per line, so that people can read it too.
pub(crate) fn write(scene: &Scene, motion: &Motion, mut out: &mut dyn Write) -> io::Result<()> {
    let skeleton = &scene.skeleton;
    let names: Vec<&str> = skeleton.joints().iter().map(|joint| joint.name.as_str()).collect();
    let (name, joints) = (serde_json::to_string(&motion.name)?, serde_json::to_string(&names)?);
    let frame_time = motion.frame_time;
    write!(out, "{{\"name\":{name},\"frame_time\":{frame_time:?},\"joints\":{joints},\"poses\":[")?;
    for frame in 0..motion.len() {
        let pose = motion.pose(skeleton, frame);
        let kinds = skeleton.joints().iter().map(|joint| &joint.kind);
        let lists: Vec<&[f64]> = pose.iter().zip(kinds).map(|(coordinates, kind)| coordinates.values(kind)).collect();
        out.write_all(if frame == 0 { b"\n" } else { b",\n" })?;
        serde_json::to_writer(&mut out, &lists)?;
    }
    writeln!(out, "\n]}}")
}
