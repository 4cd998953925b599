//! Input of any size and any characters: what it may cost is bounded, and every message has a place and says what to do.
#![allow(clippy::unwrap_used)]

use crate::support;

use fabrik3d_scene::Scene;
use std::fmt::Write as _;
use std::path::Path;
use support::{program, run, run_on};

const ROBOT: &str = "assets/models/parallel-axes.urdf";
const ARM: &str = "assets/scenes/robot-arm.toml";
const CHAIN: &str = "[[chain]]\nname = \"a\"\npoints = [[0, 0, 0], [0, 1, 0], [0, 2, 0]]\ntarget = [1, 1, 0]\n";

/// A table of positions on a circle.
fn circle(rows: usize) -> String {
    (0..rows).fold("x,y,z\n".to_owned(), |mut text, row| {
        let (sin, cos) = (row as f64 * 0.02).sin_cos();
        writeln!(text, "{},{},0.4", 0.4 + 0.05 * cos, 0.05 * sin).unwrap();
        text
    })
}

#[test]
fn rows_of_targets_count_as_frames() {
    let table = circle(30);
    let convert = |flags: &[&str]| {
        run_on(&[&["convert", ROBOT, "--targets", "-", "-o", "-", "--to", "csv"], flags].concat(), table.as_bytes())
    };
    for flags in [&[][..], &["--no-plan"]] {
        let fits = convert(&[&["--max-frames", "30"], flags].concat());
        assert_eq!((fits.code, fits.out.lines().count()), (Some(0), 31), "{}", fits.err);
        let refused = convert(&[&["--max-frames", "29"], flags].concat());
        let message = "<stdin>: the table has more than 29 rows\n  --max-frames allows more";
        assert!(refused.code == Some(2) && refused.err.contains(message), "{}", refused.err);
        assert_eq!(refused.out, "");
        // The rows that velocities add count too.
        let slow = convert(&[&["--max-frames", "30", "--max-velocity", "0.1"], flags].concat());
        assert!(slow.code == Some(2) && slow.err.contains("more than 30 rows"), "{}", slow.err);
        assert!(slow.err.contains("--max-frames allows more rows"), "{}", slow.err);
    }
}

#[test]
fn the_number_of_threads_has_a_range() {
    for threads in ["0", "-1", "1025", "5000", "1e3"] {
        let ran = run(&["solve", ARM, "--threads", threads]);
        assert_eq!(ran.code, Some(2), "{threads}");
        assert!(ran.err.contains("--threads") && !ran.err.contains("-- "), "{}", ran.err);
    }
    assert!(run(&["solve", ARM, "--threads", "5000"]).err.contains("1..=1024"));
    let one = run_on(&["solve", ARM, "--targets", "-", "--csv", "--threads", "1"], circle(9).as_bytes());
    let many = run_on(&["solve", ARM, "--targets", "-", "--csv", "--threads", "64"], circle(9).as_bytes());
    let joints = |text: &str| -> Vec<String> { text.lines().map(|line| line.chars().take(9).collect()).collect() };
    assert_eq!(joints(&one.out), joints(&many.out));
}

#[test]
fn wrong_numbers_of_flags_are_told_their_range() {
    for (command, flag) in
        [("convert", "--max-frames"), ("convert", "--fps"), ("render", "--seconds"), ("solve", "--time-limit")]
    {
        let ran = run(&[command, ARM, "-o", "out.csv", flag, "-1"]);
        assert_eq!(ran.code, Some(2), "{flag}");
        assert!(ran.err.contains(flag) && !ran.err.contains("unexpected argument"), "{}", ran.err);
    }
}

#[test]
fn tables_may_have_65536_columns() {
    for (columns, fits) in [(40_000, true), (65_536, true), (65_537, false), (400_000, false)] {
        let mut names = String::from("x,y,z");
        let mut cells = String::from("0.4,0.1,0.4");
        for column in 3..columns {
            write!(names, ",c{column}").unwrap();
            cells.push_str(",1");
        }
        let ran = run_on(&["solve", ROBOT, "--targets", "-", "--json"], format!("{names}\n{cells}\n").as_bytes());
        match fits {
            true => assert!(ran.code != Some(2) && ran.out.lines().count() == 1, "{columns}: {}", ran.err),
            false => assert!(ran.err.contains("<stdin>: the first line has more than 65536 columns"), "{}", ran.err),
        }
    }
    // The same column twice, far apart.
    let twice: String = (0..30_000).map(|at| format!("c{at},")).collect::<String>() + "x,y,z,c7\n";
    let ran = run_on(&["solve", ROBOT, "--targets", "-"], twice.as_bytes());
    assert!(ran.err.contains("the column `c7` appears twice"), "{}", ran.err);
}

#[test]
fn messages_name_what_cannot_be_read_or_written() {
    for flag in ["--cases", "--targets"] {
        let ran = run(&["solve", ARM, flag, "/"]);
        assert!(ran.code == Some(2) && ran.err.starts_with("error: /: cannot be read: "), "{flag}: {}", ran.err);
    }
    let ran = run_on(&["convert", ROBOT, "--targets", "-", "-o", "-", "--to", "csv"], b"x,y,z\n1,2\n");
    assert!(ran.err.starts_with("error: <stdin>: row 1"), "{}", ran.err);
    if Path::new("/dev/full").exists() {
        let table = circle(2000);
        for arguments in [
            &["solve", ARM][..],
            &["solve", ROBOT, "--targets", "/dev/stdin", "--csv"],
            &["check", ARM],
            &["convert", ARM, "-o", "-", "--to", "toml"],
            &["man"],
        ] {
            let full = std::fs::OpenOptions::new().write(true).open("/dev/full").unwrap();
            let folder = tempfile::tempdir().unwrap();
            let path = folder.path().join("table.csv");
            std::fs::write(&path, &table).unwrap();
            let input = std::fs::File::open(&path).unwrap();
            let ended = program(arguments).stdin(input).stdout(full).output().unwrap();
            let err = String::from_utf8(ended.stderr).unwrap();
            assert_eq!(ended.status.code(), Some(2), "{arguments:?}");
            assert!(err.starts_with("error: standard output: cannot be written: "), "{arguments:?}: {err}");
        }
    }
    let folder = tempfile::tempdir().unwrap();
    let text = "<robot name=\"r\"><link name=\"a\"><visual><geometry><mesh filename=\"none.stl\"/></geometry></visual></link>\
                </robot>";
    std::fs::write(folder.path().join("r.urdf"), text).unwrap();
    let ended = program(&["check", "r.urdf"]).current_dir(folder.path()).output().unwrap();
    let shown = String::from_utf8_lossy(&[ended.stdout, ended.stderr].concat()).into_owned();
    assert!(shown.contains("not found in the current folder"), "{shown}");
}

#[test]
fn answers_hold_no_control_characters() {
    let lines = "\u{1b}[31mred\n{\"\u{9b}31m\": 1}\n{\"a\u{7f}\u{202e}\": 1}\n";
    for flag in ["--json", "--csv"] {
        let ran = run_on(&["solve", ARM, "--cases", "-", flag], lines.as_bytes());
        let is_shown = |c: char| c == '\n' || !(c.is_control() || c == '\u{202e}');
        assert!(ran.out.contains("31m") && ran.out.chars().all(is_shown), "{flag}: {:?}", ran.out);
    }
}

#[test]
fn a_byte_order_mark_is_no_content() {
    let case = "{\"id\": 1, \"targets\": {}}\n";
    let marked = |text: &str| format!("\u{feff}{text}");
    let answers = run_on(&["solve", ARM, "--cases", "-"], marked(case).as_bytes());
    assert!(answers.out.starts_with("{\"id\":1,\"stop\""), "{}", answers.out);
    let toml = run_on(&["convert", "-", "-o", "-", "--to", "json"], CHAIN.as_bytes());
    let json = run_on(&["convert", "-", "-o", "-", "--to", "toml"], marked(&toml.out).as_bytes());
    let plain = run_on(&["convert", "-", "-o", "-", "--to", "toml"], marked(CHAIN).as_bytes());
    assert!(json.code == Some(0) && json.out == plain.out, "{}{}", json.err, json.out);
}

#[test]
fn scripts_accept_the_numbers_that_files_accept() {
    let folder = tempfile::tempdir().unwrap();
    let script = folder.path().join("script.txt");
    let script_name = script.to_str().unwrap();
    for (command, part) in [
        ("target.rotation 1e200 0 0 0", "a quaternion X Y Z W of length 1"),
        ("target.rotation 2 0 0 0", "a quaternion X Y Z W of length 1"),
        ("target.rotation 0 0 0 0", "a quaternion X Y Z W of length 1"),
        ("target.set 1e308 0 0", "takes"),
        ("target.move -1e101 0 0", "takes"),
        ("camera.orbit 1e300 0", "takes"),
    ] {
        std::fs::write(&script, format!("0 target.next\n0 {command}\n").replace("target.next", "effector.next"))
            .unwrap();
        let out = folder.path().join("out.png");
        let ran = run(&["render", ARM, "--play", script_name, "-o", out.to_str().unwrap()]);
        assert_eq!(ran.code, Some(2), "{command}");
        assert!(ran.err.contains("line 2") && ran.err.contains(part), "{command}: {}", ran.err);
    }
}

#[test]
fn small_scenes_are_solved_or_too_short() {
    for exponent in (10..=330).step_by(4) {
        let e = |number: f64| format!("{number}e-{exponent}");
        let [one, two, x, y] = [1.0, 2.0, 1.2, 0.9].map(e);
        let chain = format!(
            "[[chain]]\nname = \"a\"\npoints = [[0, 0, 0], [0, {one}, 0], [0, {two}, 0]]\ntarget = [{x}, {y}, 0]\n"
        );
        let ran = run_on(&["solve", "-", "--json"], chain.as_bytes());
        match exponent {
            ..=100 => assert!(
                ran.code == Some(0) && ran.out.contains("\"reached\":true"),
                "1e-{exponent}: {}{}",
                ran.out,
                ran.err
            ),
            101..=320 => {
                assert!(ran.err.contains("is too short: a link has at least the length 1e-100"), "{}", ran.err)
            }
            _ => assert_eq!(ran.code, Some(2), "{}", ran.err),
        }
        // The same chain joint by joint.
        let joints = format!(
            "[[joint]]\nname = \"a\"\nkind = \"ball\"\n[[joint]]\nname = \"b\"\nparent = \"a\"\noffset = [0, {one}, 0]\n\
             kind = \"ball\"\n[[effector]]\nname = \"t\"\njoint = \"b\"\ntip = [0, {one}, 0]\ntarget = [{x}, {y}, 0]\n"
        );
        let ran = run_on(&["solve", "-", "--json"], joints.as_bytes());
        assert!(!ran.out.contains("refused"), "1e-{exponent}: {}", ran.out);
    }
}

/// A recording of two joints.
fn recording(frames: usize, rate: f64) -> String {
    let mut text =
        "HIERARCHY\nROOT a\n{\nOFFSET 0 0 0\nCHANNELS 3 Zrotation Xrotation Yrotation\nJOINT b\n{\nOFFSET 0 1 0\n\
        CHANNELS 3 Zrotation Xrotation Yrotation\nEnd Site\n{\nOFFSET 0 1 0\n}\n}\n}\nMOTION\n"
            .to_owned();
    writeln!(text, "Frames: {frames}\nFrame Time: {}", 1.0 / rate).unwrap();
    for frame in 0..frames {
        let angle = 40.0 * (frame as f64 * 2.0 / rate).sin();
        writeln!(text, "{angle} {} 0 {} 5 0", 0.5 * angle, -0.7 * angle).unwrap();
    }
    text
}

#[test]
fn recordings_keep_their_frames_through_gltf() {
    let folder = tempfile::tempdir().unwrap();
    let at = |name: &str| folder.path().join(name).to_str().unwrap().to_owned();
    let [bvh, glb, back] = ["in.bvh", "clip.glb", "back.bvh"].map(at);
    for rate in [24.0, 25.0, 29.97, 30.0, 60.0, 120.0, 240.0] {
        for frames in [2, 31, 500, 7000] {
            std::fs::write(&bvh, recording(frames, rate)).unwrap();
            for (from, to) in [(&bvh, &glb), (&glb, &back)] {
                let ran = run(&["convert", from, "-o", to]);
                assert_eq!(ran.code, Some(0), "{}", ran.err);
            }
            let [before, after] = [&bvh, &back].map(|file| Scene::open(file).unwrap());
            let [old, new] = [&before, &after].map(|scene| &scene.assets.motions[0]);
            assert_eq!(new.len(), frames, "{rate} frames per second");
            assert!((new.frame_time * rate - 1.0).abs() < 1e-4, "{rate}: {}", new.frame_time);
            for frame in [0, frames / 2, frames - 1] {
                let [was, is] =
                    [(&before, old), (&after, new)].map(|(scene, motion)| motion.frames(&scene.skeleton, frame));
                assert!(was[1].position.distance(is[1].position) < 1e-3, "{rate}, frame {frame} of {frames}");
            }
        }
    }
}

#[test]
fn files_beside_a_file_are_files_of_its_folder() {
    let folder = tempfile::tempdir().unwrap();
    let bvh = folder.path().join("a.bvh");
    std::fs::write(&bvh, recording(3, 30.0)).unwrap();
    let limits = folder.path().join("a.limits.toml");
    let check = |path: &Path| run(&["check", path.to_str().unwrap()]);
    std::fs::create_dir(&limits).unwrap();
    assert!(check(&bvh).out.contains("a.limits.toml: this is a folder, not a file"), "{}", check(&bvh).out);
    std::fs::remove_dir(&limits).unwrap();
    #[cfg(unix)]
    {
        std::os::unix::fs::symlink("a.limits.toml", &limits).unwrap();
        assert!(check(&bvh).out.contains("a.limits.toml: cannot be read"), "{}", check(&bvh).out);
        std::fs::remove_file(&limits).unwrap();
    }
    assert!(check(&bvh).out.contains("ok"));

    std::fs::write(folder.path().join("b.bin"), [0; 16]).unwrap();
    let absolute = folder.path().join("b.bin").to_str().unwrap().to_owned();
    let encoded = absolute.replace('/', "%2f");
    let gltf = folder.path().join("a.gltf");
    for (uri, is_read) in [
        ("b.bin".to_owned(), true),
        (format!("../{}/b.bin", folder.path().file_name().unwrap().to_str().unwrap()), true),
        (absolute.clone(), false),
        (encoded, false),
        (format!("file://{absolute}"), false),
        (format!("FILE:{absolute}"), false),
        ("https://example.org/b.bin".to_owned(), false),
    ] {
        let text = format!(
            "{{\"asset\": {{\"version\": \"2.0\"}}, \"buffers\": [{{\"uri\": \"{uri}\", \"byteLength\": 16}}], \
             \"nodes\": [{{\"name\": \"a\", \"children\": [1]}}, {{\"name\": \"b\", \"translation\": [0, 1, 0]}}], \
             \"scenes\": [{{\"nodes\": [0]}}]}}"
        );
        std::fs::write(&gltf, text).unwrap();
        let ran = check(&gltf);
        let message = "a `uri` is relative to the folder of the file";
        assert_eq!(ran.out.contains(message), !is_read, "{uri}: {}{}", ran.out, ran.err);
    }
}

#[test]
fn numbers_beyond_the_bound_are_told_it_in_few_characters() {
    let long = format!("1{}", "0".repeat(308));
    let scene = CHAIN.replace("[1, 1, 0]", &format!("[{long}.0, 1, 0]"));
    for (arguments, input) in [
        (&["solve", "-"][..], scene.as_str()),
        (&["solve", ROBOT, "--targets", "-", "--json"], &format!("x,y,z\n{long},0,0\n")),
        (&["solve", ROBOT, "--cases", "-"], &format!("{{\"targets\": {{\"tool\": [1e200, 0, {long}]}}}}\n")),
    ] {
        let ran = run_on(arguments, input.as_bytes());
        let shown = [ran.out.as_str(), ran.err.as_str()].concat();
        assert!(shown.contains("a number up to 1e100"), "{arguments:?}: {shown}");
        assert!(!shown.contains(&"0".repeat(60)), "{arguments:?}: {shown}");
    }
}
