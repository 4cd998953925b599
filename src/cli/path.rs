//! The motion that follows a table of targets: `convert --targets`.

use super::context::Context;
use super::ending::{Ending, Failure};
use super::progress::Progress;
use super::scene_arguments::open_table;
use super::velocities::{VelocityArgument, slow_down};
use crate::solve::follow::{Follower, plan_path};
use fabrik3d_ik::Stop;
use fabrik3d_scene::{Case, Motion, Scene};
use std::io::{self, IsTerminal};
use std::path::Path;

/// The second line of the warning of jumps.
const PLAN_REMEDY: &str = "\n  --plan chooses the poses of all rows together and avoids jumps";

/// How a table of targets becomes a motion.
pub(super) struct PathRequest<'a> {
    pub table: &'a Path,
    pub frame_time: f64,
    /// Whether the poses of all rows are chosen together.
    pub plan: bool,
    pub max_velocity: &'a [VelocityArgument],
}

/// The motion, and whether all rows were reached. Fails on an invalid row: a motion has no gaps.
pub(super) fn follow_table(
    scene: &Scene,
    request: &PathRequest<'_>,
    context: &Context,
) -> Result<(Motion, Ending), Failure> {
    let origin = request.table.display();
    let failed = |error: String| Failure::Message(format!("{origin}: {error}"));
    let (columns, rows) = open_table(request.table, scene)?;
    let mut follower = Follower::new(scene);
    let mut planned: Vec<Case> = Vec::new();
    // The number of each row, and how its solve ended.
    let mut stops: Vec<(u64, Stop)> = Vec::new();
    let mut progress = Progress::new(io::stderr().is_terminal());
    for row in rows {
        let (number, row) = row.map_err(|error| failed(error.to_string()))?;
        let in_row = |error: String| failed(format!("row {number}: {error}"));
        let case = columns.case(scene, &row.map_err(in_row)?).map_err(in_row)?;
        if request.plan {
            planned.push(case);
            stops.push((number, Stop::Refused));
        } else {
            stops.push((number, follower.follow(case).report.stop));
        }
        progress.show(number, "rows");
    }
    progress.clear();
    if stops.is_empty() {
        return Err(failed("the table has no rows".to_owned()));
    }
    let motion = match request.plan {
        true => {
            let (poses, reports): (Vec<_>, Vec<_>) = plan_path(scene, &planned).into_iter().unzip();
            stops.iter_mut().zip(reports).for_each(|((_, stop), report)| *stop = report.stop);
            Motion::new("targets", request.frame_time, poses)
        }
        false => follower.motion("targets", request.frame_time),
    };
    columns.notes(scene).iter().for_each(|note| context.note(note));
    let unmet: Vec<&(u64, Stop)> = stops.iter().filter(|(_, stop)| !stop.is_reached()).collect();
    // An unreached row may be why the joints jump.
    let remedy = if request.plan || !unmet.is_empty() { "" } else { PLAN_REMEDY };
    warn_of_jumps(scene, &motion, remedy, context);
    let mut ending = Ending::Done;
    if let Some((row, why)) = unmet.first() {
        let (count, all) = (unmet.len(), motion.len());
        context.note(&format!("{count} of {all} rows were not reached; the first is row {row} ({why})"));
        ending = Ending::Unmet;
    }
    if request.max_velocity.is_empty() {
        return Ok((motion, ending));
    }
    let slow = slow_down(scene, &motion, request.max_velocity)?;
    if slow.len() > motion.len() {
        let added = slow.len() - motion.len();
        context.note(&format!("{added} rows were added, so that no joint exceeds its velocity limit"));
    }
    Ok((slow, ending))
}

/// Warns of rows in which a robot that executes the motion would jump.
fn warn_of_jumps(scene: &Scene, motion: &Motion, remedy: &str, context: &Context) {
    let jumps = motion.jumps(&scene.skeleton);
    if let Some(first) = jumps.first() {
        let (name, angle) = (&scene.skeleton.joints()[first.joint].name, first.angle.to_degrees());
        let others = match jumps.len() {
            1 => String::new(),
            2 => "; another row has a jump, too".to_owned(),
            count => format!("; {} other rows have jumps, too", count - 1),
        };
        context.note(&format!(
            "row {}: `{name}` jumps by {angle:.1} degrees from the previous row{others}{remedy}",
            first.frame + 1
        ));
    }
}
