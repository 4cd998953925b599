//! `fabrik3d bench limits`: how time and memory grow with the size of a scene.

use super::ending::Failure;
use fabrik3d_measure::Table;
use fabrik3d_measure::large_scenes::{Cost, LargeScene, Run, table};
use std::io;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

/// Commands end after this time. Larger scenes are then left out.
const LIMIT: Duration = Duration::from_secs(300);
/// Time between two looks at a command.
const INTERVAL: Duration = Duration::from_millis(2);

/// The system counts processor time in steps of this length, seconds.
const RESOLUTION: f64 = 0.01;

/// The commands with their other arguments.
const COMMANDS: [(&str, &[&str]); 3] =
    [("check", &[]), ("solve", &[]), ("render", &["--size", "640x360", "-o", "picture.png"])];

/// Runs every command on scenes of every kind, with 10, 100, 1,000 ... up to `most` things.
pub(super) fn measure(most: usize, progress: &mut dyn FnMut(&str)) -> Result<Table, Failure> {
    let failed = |error: io::Error| Failure::Message(format!("bench limits: {error}"));
    let folder = tempfile::tempdir().map_err(failed)?;
    let program = std::env::current_exe().map_err(failed)?;
    let mut runs: Vec<Run> = Vec::new();
    for scene in LargeScene::ALL {
        let mut too_slow = [false; COMMANDS.len()];
        for count in std::iter::successors(Some(10), |count| Some(count * 10)).take_while(|&count| count <= most) {
            progress(&format!("{count} {}", scene.name()));
            let files = scene.files(count);
            for (name, content) in &files {
                std::fs::write(folder.path().join(name), content).map_err(failed)?;
            }
            let file_megabytes = files.iter().map(|(_, content)| content.len()).sum::<usize>() as f64 / 1e6;
            let mut costs = Vec::new();
            for ((name, others), too_slow) in COMMANDS.iter().zip(&mut too_slow) {
                let cost = match *too_slow {
                    true => None,
                    false => run(Command::new(&program).arg(name).arg(files[0].0).args(*others), folder.path())
                        .map_err(failed)?,
                };
                *too_slow = cost.is_none();
                costs.push((*name, cost.unwrap_or(Cost { seconds: f64::NAN, megabytes: f64::NAN })));
            }
            runs.push(Run { scene, count, file_megabytes, costs });
        }
    }
    Ok(table(&runs))
}

/// Runs a command; none if it takes too long.
fn run(command: &mut Command, folder: &Path) -> io::Result<Option<Cost>> {
    let quiet = command.current_dir(folder).stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
    let started = Instant::now();
    let mut child = quiet.spawn()?;
    let mut cost = Cost { seconds: f64::NAN, megabytes: f64::NAN };
    while child.try_wait()?.is_none() {
        if started.elapsed() > LIMIT {
            child.kill()?;
            child.wait()?;
            return Ok(None);
        }
        cost = observed(&child).unwrap_or(cost);
        std::thread::sleep(INTERVAL);
    }
    if cost.seconds < RESOLUTION {
        // The command had hardly begun when it was last seen.
        cost.megabytes = f64::NAN;
    }
    if cost.seconds.is_nan() {
        // Where the system does not say, the time on the clock is the best that there is.
        cost.seconds = started.elapsed().as_secs_f64();
    }
    Ok(Some(cost))
}

/// What a running command has taken so far, from the files of Linux below `/proc`.
fn observed(child: &Child) -> Option<Cost> {
    let status = std::fs::read_to_string(format!("/proc/{}/status", child.id())).ok()?;
    let peak = status.lines().find_map(|line| line.strip_prefix("VmHWM:"))?;
    let kilobytes: f64 = peak.trim().trim_end_matches("kB").trim().parse().ok()?;
    let stat = std::fs::read_to_string(format!("/proc/{}/stat", child.id())).ok()?;
    // After the name in parentheses: the 12th and 13th field are steps of processor time in user and system mode.
    let fields: Vec<&str> = stat.rsplit_once(')')?.1.split_whitespace().collect();
    let ticks: f64 = fields.get(11..13)?.iter().map(|field| field.parse().unwrap_or(0.0)).sum();
    Some(Cost { seconds: RESOLUTION * ticks, megabytes: kilobytes / 1024.0 })
}
