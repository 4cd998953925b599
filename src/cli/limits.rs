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

/// The memory of commands that are shorter was not seen at its largest.
const SHORT: Duration = Duration::from_millis(20);

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

/// Runs a command; none if it takes too long or fails.
fn run(command: &mut Command, folder: &Path) -> io::Result<Option<Cost>> {
    let quiet = command.current_dir(folder).stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
    let (started, earlier) = (Instant::now(), seconds_of_children());
    let mut child = quiet.spawn()?;
    let mut megabytes = f64::NAN;
    let status = loop {
        if let Some(status) = child.try_wait()? {
            break status;
        }
        if started.elapsed() > LIMIT {
            child.kill()?;
            child.wait()?;
            return Ok(None);
        }
        megabytes = largest_memory(&child).unwrap_or(megabytes);
        std::thread::sleep(INTERVAL);
    };
    // Whether all targets were reached does not matter here.
    if !matches!(status.code(), Some(0 | 1)) {
        return Ok(None);
    }
    let elapsed = started.elapsed();
    if elapsed < SHORT {
        megabytes = f64::NAN;
    }
    // Where the system does not say, the time on the clock is the best that there is.
    let own = seconds_of_children().zip(earlier).map(|(now, earlier)| now - earlier);
    Ok(Some(Cost { seconds: own.unwrap_or(elapsed.as_secs_f64()), megabytes }))
}

/// The processor time of all commands that have ended.
#[cfg(unix)]
fn seconds_of_children() -> Option<f64> {
    use nix::sys::resource::{UsageWho, getrusage};
    use nix::sys::time::TimeValLike;
    let usage = getrusage(UsageWho::RUSAGE_CHILDREN).ok()?;
    Some((usage.user_time() + usage.system_time()).num_microseconds() as f64 * 1e-6)
}

#[cfg(not(unix))]
fn seconds_of_children() -> Option<f64> {
    None
}

/// The largest memory of a running command so far, megabytes, from the files of Linux below `/proc`.
fn largest_memory(child: &Child) -> Option<f64> {
    let status = std::fs::read_to_string(format!("/proc/{}/status", child.id())).ok()?;
    let peak = status.lines().find_map(|line| line.strip_prefix("VmHWM:"))?;
    let kilobytes: f64 = peak.trim().trim_end_matches("kB").trim().parse().ok()?;
    Some(kilobytes / 1024.0)
}
