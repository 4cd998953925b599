//! Full disks, signals, files that change while they are read, and two runs that write the same file. A file with the name
//! of an output is always complete: as without the fault, or as before.
#![allow(clippy::unwrap_used)]
#![cfg(unix)]

use crate::support;

use fabrik3d_ik::random::Random;
use std::fmt::Write as _;
use std::path::Path;
use std::process::{Command, Output, Stdio};
use std::time::{Duration, Instant};
use support::{program, run};

const ARM: &str = "assets/scenes/robot-arm.toml";

/// A command that writes one kind of file.
struct Writer {
    output: &'static str,
    arguments: Vec<String>,
}

/// All kinds of output, from inputs in `folder`. Without ffmpeg there is no MP4.
fn writers(folder: &Path) -> Vec<Writer> {
    let [targets, motion] = ["targets.csv", "motion.bvh"].map(|name| folder.join(name).display().to_string());
    std::fs::write(&targets, table(600, 1)).unwrap();
    std::fs::write(&motion, recording(3000)).unwrap();
    let writer = |output: &'static str, before: &[&str], after: &[&str]| {
        let out = folder.join("out").join(output).display().to_string();
        let arguments = [before, &["-o", &out], after].concat();
        Writer { output, arguments: arguments.into_iter().map(str::to_owned).collect() }
    };
    let small = ["--size", "64x48", "--seconds", "1"];
    let mut all = vec![
        writer("scene.toml", &["convert", "assets/scenes/crowd.toml"], &[]),
        writer("scene.json", &["convert", "assets/scenes/crowd.toml"], &[]),
        writer("motion.bvh", &["convert", &motion], &[]),
        writer("motion.glb", &["convert", &motion], &[]),
        writer("answers.csv", &["solve", ARM, "--targets", &targets], &[]),
        writer("answers.jsonl", &["solve", ARM, "--targets", &targets], &[]),
        writer("answers.npy", &["solve", ARM, "--targets", &targets], &[]),
        writer("answers.npz", &["solve", ARM, "--targets", &targets], &[]),
        writer("picture.png", &["render", ARM], &["--size", "320x240"]),
        writer("film.gif", &["render", ARM, "--theme", "light"], &small),
    ];
    match Command::new("ffmpeg").arg("-version").stdout(Stdio::null()).stderr(Stdio::null()).status() {
        Ok(_) => all.push(writer("film.mp4", &["render", ARM], &small)),
        Err(_) => eprintln!("film.mp4 is not tested: ffmpeg is not installed"),
    }
    all
}

/// A table of targets.
fn table(rows: usize, seed: u64) -> String {
    let mut random = Random::new(seed);
    (0..rows).fold("x,y,z\n".to_owned(), |mut text, _| {
        let place = random.ball();
        writeln!(text, "{},{},{}", place.x, place.y, place.z).unwrap();
        text
    })
}

/// A recording of two joints.
fn recording(frames: usize) -> String {
    let mut text = "HIERARCHY\nROOT a\n{\nOFFSET 0 0 0\nCHANNELS 3 Zrotation Xrotation Yrotation\nJOINT b\n{\n\
                    OFFSET 0 1 0\nCHANNELS 3 Zrotation Xrotation Yrotation\nEnd Site\n{\nOFFSET 0 1 0\n}\n}\n}\n\
                    MOTION\n"
        .to_owned();
    writeln!(text, "Frames: {frames}\nFrame Time: 0.01").unwrap();
    (0..frames).for_each(|at| writeln!(text, "{at} 1.5 2.25 3.125 {at} -4.0625").unwrap());
    text
}

/// Makes the folder of outputs empty.
fn clear(folder: &Path) {
    let out = folder.join("out");
    let _ = std::fs::remove_dir_all(&out);
    std::fs::create_dir(&out).unwrap();
}

/// Names of the files in the folder of outputs.
fn outputs(folder: &Path) -> Vec<String> {
    let entries = std::fs::read_dir(folder.join("out")).unwrap();
    entries.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect()
}

fn command(writer: &Writer) -> Command {
    program(&writer.arguments.iter().map(String::as_str).collect::<Vec<_>>())
}

/// Runs a writer to its end, and returns what it wrote and how long it took.
fn undisturbed(writer: &Writer, folder: &Path) -> (Vec<u8>, Duration) {
    clear(folder);
    let start = Instant::now();
    let ran: support::ProgramResult = command(writer).stdin(Stdio::null()).output().unwrap().into();
    assert!(ran.code == Some(0) || ran.code == Some(1), "{}: {}", writer.output, ran.err);
    (std::fs::read(folder.join("out").join(writer.output)).unwrap(), start.elapsed())
}

/// The content of a file without the times that solves took.
fn content(bytes: &[u8]) -> Vec<u8> {
    match text(bytes) {
        // Tables: the number of lines tells whether they are complete.
        table if table.starts_with("id,") => table.lines().count().to_string().into_bytes(),
        json if json.starts_with("{\"id\"") => without_times(&json).into_bytes(),
        _ => bytes.to_vec(),
    }
}

fn without_times(answers: &str) -> String {
    let cut = |line: &str| match (line.find("\"micros\":"), line.find("\"pose\":")) {
        (Some(from), Some(to)) => format!("{}{}\n", &line[..from], &line[to..]),
        _ => format!("{line}\n"),
    };
    answers.lines().map(cut).collect()
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

#[test]
fn a_full_disk_is_an_error_and_leaves_the_old_file() {
    let folder = tempfile::tempdir().unwrap();
    for writer in writers(folder.path()) {
        let path = folder.path().join("out").join(writer.output);
        clear(folder.path());
        std::fs::write(&path, "old").unwrap();
        // No file may be longer than one block. The shell ignores the signal that would end the program.
        let limited = Command::new("sh")
            .args(["-c", "trap '' XFSZ; ulimit -f 1; exec \"$@\"", "sh"])
            .arg(env!("CARGO_BIN_EXE_fabrik3d"))
            .args(&writer.arguments)
            .current_dir(env!("CARGO_MANIFEST_DIR"))
            .stdin(Stdio::null())
            .output()
            .unwrap();
        let message = text(&limited.stderr);
        assert_eq!(limited.status.code(), Some(2), "{}: {message}", writer.output);
        assert!(message.contains(writer.output) && message.contains("too large"), "{message}");
        assert_eq!(outputs(folder.path()), [writer.output]);
        assert_eq!(std::fs::read_to_string(&path).unwrap(), "old", "{}", writer.output);
    }
}

/// What is printed is lost, so that no command may succeed.
#[cfg(target_os = "linux")]
#[test]
fn a_full_standard_output_is_an_error() {
    for line in [
        "--help",
        "--version",
        "help",
        "help solve",
        "render --help",
        "bench -h",
        "solve example:demo",
        "solve example:demo --json",
        "solve example:demo --csv",
        "solve example:demo -v --joint arm.1=10,20,30",
        "solve example:four-bar --all",
        "convert example:demo -o - --to toml",
        "convert example:demo -o - --to csv",
        "check example:demo",
        "bench paper --count 2",
        "bench paper --count 2 --json",
        "completions bash",
        "man",
        "man render",
    ] {
        let arguments: Vec<&str> = line.split_whitespace().collect();
        let full = std::fs::OpenOptions::new().write(true).open("/dev/full").unwrap();
        let ended = program(&arguments).stdin(Stdio::null()).stdout(full).stderr(Stdio::piped()).output().unwrap();
        let message = text(&ended.stderr);
        assert!(message.contains("No space left"), "{line}: {message}");
        assert_eq!(ended.status.code(), Some(2), "{line}: {message}");
    }
}

/// Ends a run with a signal after a part of the time that it takes.
fn interrupted(writer: &Writer, signal: &str, delay: Duration) -> Output {
    let child = command(writer).stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::piped()).spawn().unwrap();
    std::thread::sleep(delay);
    // It may have ended already.
    let _ = Command::new("sh").args(["-c", &format!("kill -{signal} {}", child.id())]).stderr(Stdio::null()).status();
    child.wait_with_output().unwrap()
}

#[test]
fn signals_leave_complete_files_or_none() {
    let folder = tempfile::tempdir().unwrap();
    for writer in writers(folder.path()) {
        let (complete, time) = undisturbed(&writer, folder.path());
        for (signal, part) in [("INT", 0.5), ("TERM", 0.9), ("KILL", 0.8)] {
            clear(folder.path());
            let ended = interrupted(&writer, signal, time.mul_f64(part));
            let what = format!("{} after {part} and {signal}: {}", writer.output, text(&ended.stderr));
            assert!(!what.contains("panicked"), "{what}");
            for name in outputs(folder.path()) {
                match name == writer.output {
                    true => {
                        let written = std::fs::read(folder.path().join("out").join(name)).unwrap();
                        assert!(content(&written) == content(&complete), "{what}");
                    }
                    // What nobody could remove is hidden, and the next run removes it.
                    false => assert!(signal == "KILL" && name.starts_with(".fabrik3d-"), "{what}: {name} is left"),
                }
            }
        }
    }
}

/// A command that records a film with this script as ffmpeg. The film is `out/film.mp4`.
fn film_by(ffmpeg: &str, folder: &Path) -> Command {
    use std::os::unix::fs::PermissionsExt;

    clear(folder);
    let file = folder.join("ffmpeg");
    std::fs::write(&file, format!("#!/bin/sh\n{ffmpeg}")).unwrap();
    std::fs::set_permissions(&file, std::fs::Permissions::from_mode(0o755)).unwrap();
    let path = format!("{}:{}", folder.display(), std::env::var("PATH").unwrap());
    let film = folder.join("out/film.mp4").display().to_string();
    let mut command = program(&["render", ARM, "-o", &film, "--size", "64x48", "--seconds", "0.5"]);
    command.env("PATH", path).stdin(Stdio::null());
    command
}

/// What ffmpeg says first is the cause, whenever it ends and whatever else it says.
#[test]
fn the_first_message_of_ffmpeg_is_the_error() {
    let folder = tempfile::tempdir().unwrap();
    let cause = "echo 'the encoder has no more room' >&2\n";
    let flood = "yes 'a consequence' | head -c 300000 >&2\n";
    for script in [
        format!("{cause}exit 1"),
        format!("echo >&2\n{cause}echo 'a consequence' >&2\nexit 1"),
        format!("head -c 20000 > /dev/null\n{cause}exit 1"),
        format!("cat > /dev/null\n{cause}exit 1"),
        // As ffmpeg ends where the disk is full.
        format!("cat > /dev/null\n{cause}exit 0"),
        // More than a pipe holds.
        format!("{cause}{flood}cat > /dev/null\nexit 1"),
    ] {
        let ran: support::ProgramResult = film_by(&script, folder.path()).output().unwrap().into();
        assert_eq!(ran.err, "error: ffmpeg could not write the film: the encoder has no more room\n", "{script}");
        assert_eq!(ran.code, Some(2), "{script}");
        assert_eq!(outputs(folder.path()), Vec::<String>::new(), "{script}");
    }
    // The temporary file has the name of the film in the message.
    let script = "cat > /dev/null\nfor file; do :; done\necho \"$file: no more room\" >&2\nexit 1";
    let ran: support::ProgramResult = film_by(script, folder.path()).output().unwrap().into();
    let film = folder.path().join("out/film.mp4").display().to_string();
    assert_eq!(ran.err, format!("error: ffmpeg could not write the film: {film}: no more room\n"));
}

/// ffmpeg creates its file again if the program has removed it first.
#[test]
fn an_ffmpeg_that_starts_late_leaves_nothing_behind() {
    let folder = tempfile::tempdir().unwrap();
    let [started, late] = ["started", "late"].map(|name| folder.path().join(name));
    let script = format!(
        "touch {}\nsleep 1\nfor file; do :; done\necho late > \"$file\"\ntouch {}\n",
        started.display(),
        late.display()
    );
    let mut child = film_by(&script, folder.path()).stderr(Stdio::null()).spawn().unwrap();
    while !started.exists() {
        assert_eq!(child.try_wait().unwrap(), None, "it records");
        std::thread::sleep(Duration::from_millis(5));
    }
    Command::new("sh").args(["-c", &format!("kill -INT {}", child.id())]).status().unwrap();
    assert_eq!(child.wait().unwrap().code(), Some(2));
    std::thread::sleep(Duration::from_millis(1500));
    assert!(!late.exists(), "ffmpeg has ended too");
    assert_eq!(outputs(folder.path()), Vec::<String>::new());
}

/// A fault of the program itself leaves the files as they were, too.
#[cfg(debug_assertions)]
#[test]
fn a_panic_leaves_no_file() {
    let folder = tempfile::tempdir().unwrap();
    let fault = folder.path().join("fault");
    std::fs::write(&fault, "").unwrap();
    for writer in writers(folder.path()).iter().filter(|writer| writer.arguments[0] == "render") {
        clear(folder.path());
        let ran: support::ProgramResult = command(writer).env("FABRIK3D_PANIC", &fault).output().unwrap().into();
        assert_eq!(ran.code, Some(2), "{}: {}", writer.output, ran.err);
        assert!(ran.err.starts_with("error: internal error, please report it: "), "{}", ran.err);
        assert_eq!(outputs(folder.path()), Vec::<String>::new(), "{}", writer.output);
    }
}

#[test]
fn two_runs_that_write_the_same_file_leave_one_of_both() {
    let folder = tempfile::tempdir().unwrap();
    let [targets, out] = ["targets.csv", "answers.npy"].map(|name| folder.path().join(name));
    let tables = [table(400, 1), table(400, 2)];
    let arguments = |targets: &Path| {
        let [targets, out] = [targets, &out].map(|path| path.display().to_string());
        ["solve", ARM, "--targets", &targets, "-o", &out].map(str::to_owned)
    };
    let expected = tables.each_ref().map(|table| {
        std::fs::write(&targets, table).unwrap();
        run(&arguments(&targets).each_ref().map(String::as_str));
        std::fs::read(&out).unwrap()
    });
    assert_ne!(expected[0], expected[1]);
    for _ in 0..5 {
        let both = [0, 1].map(|at| {
            let targets = folder.path().join(format!("targets{at}.csv"));
            std::fs::write(&targets, &tables[at]).unwrap();
            let mut run = program(&arguments(&targets).each_ref().map(String::as_str));
            run.stdin(Stdio::null()).stderr(Stdio::null()).spawn().unwrap()
        });
        both.into_iter().for_each(|mut child| assert_ne!(child.wait().unwrap().code(), Some(2)));
        assert!(expected.contains(&std::fs::read(&out).unwrap()));
    }
    assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 4, "nothing else is left");
}

/// A file that another program replaces is read as it was or as it is. One that is overwritten in place may be neither;
/// then there is an answer or a message for every row.
#[test]
fn files_may_change_while_they_are_read() {
    let folder = tempfile::tempdir().unwrap();
    let [targets, next] = ["targets.csv", "next.csv"].map(|name| folder.path().join(name));
    let tables = [table(800, 1), table(600, 2)];
    let arguments = ["solve", ARM, "--targets", targets.to_str().unwrap(), "--json"];
    let expected = tables.each_ref().map(|table| {
        std::fs::write(&targets, table).unwrap();
        without_times(&run(&arguments).out)
    });
    for in_place in [false, true] {
        for round in 0..4 {
            std::fs::write(&targets, &tables[0]).unwrap();
            let child = program(&arguments).stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn();
            let child = child.unwrap();
            std::thread::sleep(Duration::from_millis(10 * round));
            match in_place {
                true => std::fs::write(&targets, &tables[1]).unwrap(),
                false => {
                    std::fs::write(&next, &tables[1]).unwrap();
                    std::fs::rename(&next, &targets).unwrap();
                }
            }
            let ended = child.wait_with_output().unwrap();
            let (out, err) = (text(&ended.stdout), text(&ended.stderr));
            assert!(matches!(ended.status.code(), Some(0..=2)) && !err.contains("panicked"), "{err}");
            if !in_place {
                assert!(expected.contains(&without_times(&out)), "{} lines: {err}", out.lines().count());
            }
            assert!(out.lines().all(|line| serde_json::from_str::<serde_json::Value>(line).is_ok()), "{out}");
        }
    }
}

/// Whatever its name says, a file that is read is never replaced by the answers.
#[test]
fn an_output_that_is_read_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    let at = |name: &str| folder.path().join(name).display().to_string();
    let scene = std::fs::read(Path::new(env!("CARGO_MANIFEST_DIR")).join(ARM)).unwrap();
    std::fs::write(at("arm.toml"), &scene).unwrap();
    std::fs::write(at("t.csv"), table(3, 1)).unwrap();
    std::fs::write(at("cases.json"), "{}\n").unwrap();
    std::fs::write(at("motion.bvh"), recording(3)).unwrap();
    std::fs::write(at("script"), "0 pause\n").unwrap();
    std::os::unix::fs::symlink("t.csv", folder.path().join("link.csv")).unwrap();
    std::fs::hard_link(at("t.csv"), at("same.csv")).unwrap();
    let before = |name: &str| std::fs::read(at(name)).unwrap();
    let files = ["arm.toml", "t.csv", "cases.json", "motion.bvh", "script"].map(|name| (name, before(name)));
    let small = ["--size", "64x48", "--seconds", "0.1"];
    let commands: [Vec<String>; 9] = [
        vec!["solve".into(), ARM.into(), "--targets".into(), at("t.csv"), "-o".into(), at("t.csv")],
        vec!["solve".into(), ARM.into(), "--targets".into(), at("t.csv"), "-o".into(), at("link.csv")],
        vec!["solve".into(), ARM.into(), "--targets".into(), at("link.csv"), "-o".into(), at("same.csv")],
        vec!["solve".into(), ARM.into(), "--cases".into(), at("cases.json"), "-o".into(), at("cases.json")],
        vec!["convert".into(), at("arm.toml"), "-o".into(), at("arm.toml")],
        vec!["convert".into(), at("motion.bvh"), "-o".into(), at("motion.bvh")],
        vec!["convert".into(), ARM.into(), "--targets".into(), at("t.csv"), "-o".into(), at("link.csv")],
        vec!["render".into(), at("arm.toml"), "-o".into(), at("p.gif"), "--trace".into(), at("arm.toml")],
        vec![
            "render".into(),
            ARM.into(),
            "-o".into(),
            at("p.gif"),
            "--play".into(),
            at("script"),
            "--trace".into(),
            at("script"),
        ],
    ];
    for command in commands {
        let mut words: Vec<&str> = command.iter().map(String::as_str).collect();
        if words[0] == "render" {
            words.extend(small);
        }
        let ran = run(&words);
        assert_eq!(ran.code, Some(2), "{words:?}: {}", ran.err);
        assert!(ran.err.contains("this file is read too") && ran.err.contains("write to another file"), "{}", ran.err);
        assert!(files.iter().all(|(name, bytes)| before(name) == *bytes), "{words:?}");
    }
    let redirected = program(&["solve", ARM, "--targets", "-", "-o", &at("t.csv")])
        .stdin(std::fs::File::open(at("t.csv")).unwrap())
        .output()
        .unwrap();
    assert!(redirected.status.code() == Some(2) && text(&redirected.stderr).contains("as <stdin>"));
    assert_eq!(before("t.csv"), files[1].1);
}

/// On a terminal the line that counts the rows goes before an error appears.
#[test]
fn an_error_has_a_line_of_its_own() {
    let folder = tempfile::tempdir().unwrap();
    let at = |name: &str| folder.path().join(name).display().to_string();
    std::fs::write(at("t.csv"), table(20_000, 1) + "1,2,broken\n").unwrap();
    let words = program(&["convert", ARM, "--targets", &at("t.csv"), "--no-plan", "-o", &at("out.csv")]);
    let quoted = |word: &std::ffi::OsStr| format!("'{}'", word.to_string_lossy());
    let line: Vec<String> = std::iter::once(words.get_program()).chain(words.get_args()).map(quoted).collect();
    let terminal = Command::new("script")
        .args(["-qefc", &line.join(" "), "/dev/null"])
        .current_dir(env!("CARGO_MANIFEST_DIR"))
        .stdin(Stdio::null())
        .output();
    let Ok(terminal) = terminal else { return eprintln!("not tested: `script` is not installed") };
    let shown = text(&terminal.stdout);
    assert!(shown.contains(" rows, ") && shown.contains("broken"), "{shown}");
    let before = &shown[..shown.find("error:").unwrap()];
    let last = before.rsplit("\r\u{1b}[K").next().unwrap();
    assert!(!last.contains("rows"), "{last:?}");
}
