//! Help, exit codes, colours, completions and manual pages.

use crate::support;

use support::run;

#[test]
fn help_and_version_go_to_standard_output() {
    for arguments in [&["--help"][..], &["-h"], &["help"], &["--version"], &["solve", "--help"], &["help", "render"]] {
        let ran = run(arguments);
        assert_eq!((ran.code, ran.err.as_str()), (Some(0), ""), "{arguments:?}");
        assert!(ran.out.contains("fabrik3d"), "{arguments:?}: {}", ran.out);
    }
    let help = run(&["--help"]).out;
    for subcommand in ["view", "solve", "render", "convert", "check", "bench", "completions", "man"] {
        assert!(help.contains(&format!("\n  {subcommand} ")), "{subcommand} is missing\n{help}");
    }
}

#[test]
fn subcommands_have_the_shared_flags() {
    let scene = ["--target", "--set", "--up", "--package-path", "--verbose", "--color"];
    let look = [
        "--theme",
        "--size",
        "--play",
        "--trace",
        "--exit-after",
        "--seconds",
        "--fps",
        "--no-hud",
        "--font-scale",
        "--watch",
    ];
    for subcommand in ["view", "render", "solve", "convert"] {
        let help = run(&[subcommand, "--help"]).out;
        let shown = scene.iter().chain(look.iter().filter(|_| ["view", "render"].contains(&subcommand)));
        for flag in shown {
            assert!(help.contains(flag), "{subcommand} lacks {flag}\n{help}");
        }
    }
}

#[test]
fn wrong_usage_exits_with_2_and_gives_advice() {
    let demo = "assets/scenes/demo.toml";
    for (arguments, what) in [
        (&["slove", demo][..], "a similar subcommand exists: 'solve'"),
        (&["solve"], "<FILE>"),
        (&["solve", demo, "--target", "1,2"], "expected three numbers, found 2"),
        (
            &["solve", demo, "--target", "arms=1,2,3"],
            "there is no effector, joint or link `arms`\n  help: did you mean `arm`?",
        ),
        (&["solve", demo, "--set", "solver.tolerence=1"], "did you mean `tolerance`?"),
        (&["solve", demo, "--set", "tolerance"], "expected KEY=VALUE"),
        (&["solve", demo, "--up", "x"], "'x'"),
        (&["solve", demo, "--json", "--csv"], "cannot be used with"),
        (&["solve", "-", "--cases", "-"], "cannot both come from standard input"),
        (&["solve", demo, "places.csv"], "tip: to solve a table of targets, use '--targets places.csv'"),
        (&[demo, "walk.bvh"], "tip: to open a motion or a table of targets in the scene, use '--motion walk.bvh'"),
        (&["view", demo, "places.csv"], "use '--motion places.csv'"),
        (&["solve", demo, "--method", "ccd"], "tip: to choose a method, use '--set solver.method=NAME'"),
        // Joints only, although links can be named as well.
        (
            &["solve", "assets/models/arm.urdf", "--joint", "nothing=1"],
            "there is no joint `nothing`: known: base, turn, shoulder, elbow, reach, left, right",
        ),
        (&["solve", "missing.toml"], "missing.toml: there is no such file"),
        (&["solve", "assets"], "assets: "),
        (&["solve", demo, "--cases", "missing.jsonl"], "missing.jsonl: cannot be read"),
        (&["render", demo, "-o", "picture.bmp"], "picture.bmp: render writes .png, .gif and .mp4"),
        (&["render", demo], "--output"),
        (&["render", demo, "-o", "a.png", "--size", "1280"], "expected WIDTHxHEIGHT"),
        (&["render", demo, "-o", "a.png", "--fps", "0"], "expected a number from 1"),
        (&["convert", demo, "-o", "scene.usd"], "convert writes .toml, .json, .csv"),
        (&["convert", demo, "-o", "pose.toml", "--pose"], "TOML files contain scenes, not poses or motion"),
        (
            &["convert", demo, "-o", "no/such/folder/scene.json"],
            "no/such/folder/scene.json: cannot be written: the folder no/such/folder does not exist",
        ),
        (&["bench", "mocap", "--scale", "0"], "expected a length in metres above 0"),
        (&["bench", "mocap", "--scale", "nan"], "expected a length in metres above 0"),
        (&["check"], "<FILES>"),
        (&["man", "slove"], "there is no subcommand `slove`"),
    ] {
        let ran = run(arguments);
        assert_eq!((ran.code, ran.out.as_str()), (Some(2), ""), "{arguments:?}\n{}", ran.err);
        assert!(ran.err.contains(what), "{arguments:?}: expected {what}\n{}", ran.err);
        assert!(!ran.err.contains("panicked"), "{arguments:?}: {}", ran.err);
    }
}

#[test]
fn messages_never_act_on_the_terminal() {
    let evil = "\u{1b}[31m\u{202e}a\u{9b}1m\r\nerror: b";
    let scene = "assets/scenes/demo.toml";
    let with = |before: &str, after: &str| format!("{before}{evil}{after}");
    for arguments in [
        &[evil.to_owned()][..],
        &["solve".into(), with("", ".toml")],
        &["check".into(), with("", ".toml")],
        &["solve".into(), scene.into(), with("--", "")],
        &["solve".into(), scene.into(), "--joint".into(), with("", "=1")],
        &["solve".into(), scene.into(), "--joint".into(), with("arm.1=", "")],
        &["solve".into(), scene.into(), "--effector".into(), evil.into()],
        &["solve".into(), scene.into(), "--base".into(), evil.into()],
        &["solve".into(), scene.into(), "--target".into(), with("", "=1,2,3")],
        &["solve".into(), scene.into(), "--tolerance".into(), evil.into()],
        &["solve".into(), scene.into(), "--set".into(), with("solver.", "=1")],
        &["solve".into(), scene.into(), "--set".into(), with("solver.seed=", "")],
        &["solve".into(), scene.into(), "--cases".into(), evil.into()],
        &["convert".into(), scene.into(), "-o".into(), with("a.", "")],
        &["convert".into(), scene.into(), "-o".into(), "a.csv".into(), "--clip".into(), evil.into()],
        &["convert".into(), scene.into(), "-o".into(), "a.csv".into(), "--motion".into(), evil.into()],
        &["render".into(), scene.into(), "-o".into(), with("no/folder/", ".png")],
        &["man".into(), evil.into()],
    ] {
        let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
        let ran = run(&arguments);
        assert!(matches!(ran.code, Some(1 | 2)), "{arguments:?}: {ran:?}");
        let said = ran.out.clone() + &ran.err;
        let acts = |c: char| c != '\n' && (c.is_control() || c == '\u{202e}');
        assert!(!said.contains(acts), "{arguments:?}: {said:?}");
        assert!(!said.lines().any(|line| line.starts_with("error: b")), "{arguments:?}: {said:?}");
    }
}

#[test]
fn global_flags_are_accepted_in_any_position() {
    let demo = "assets/scenes/demo.toml";
    for arguments in [&["-v", "solve", demo][..], &["solve", "-v", demo], &["--color=never", "-v", "solve", demo]] {
        let ran = run(arguments);
        assert_eq!(ran.code, Some(0), "{arguments:?}: {}", ran.err);
        assert!(ran.out.contains("\narm.7 "), "{}", ran.out);
    }
}

#[test]
fn colours_are_used_on_request() {
    let demo = "assets/scenes/demo.toml";
    assert!(run(&["check", demo, "--color", "always"]).out.contains("\x1b["));
    assert!(!run(&["check", demo, "--color", "never"]).out.contains('\x1b'));
    assert!(!run(&["check", demo]).out.contains('\x1b'));
    assert!(run(&["solve", "x.toml", "--color", "always"]).err.contains("\x1b["));
    assert!(run(&["solve", "--color=always"]).err.contains("\x1b["));
}

#[test]
fn completions_and_manual_pages_cover_the_subcommands() {
    for shell in ["bash", "zsh", "fish", "powershell", "elvish"] {
        let ran = run(&["completions", shell]);
        assert_eq!((ran.code, ran.err.as_str()), (Some(0), ""), "{shell}");
        assert!(ran.out.contains("package-path"), "{shell}");
    }
    let page = run(&["man"]);
    assert_eq!(page.code, Some(0));
    assert!(page.out.contains(".TH fabrik3d 1") && page.out.contains("completions"), "{}", page.out);
    assert!(run(&["man", "solve"]).out.contains("\\-\\-cases"));
}

#[test]
fn bench_prints_tables_and_json() {
    let text = run(&["bench", "adversarial", "--count", "300"]);
    assert_eq!((text.code, text.err.as_str()), (Some(0), ""));
    assert!(text.out.starts_with("adversarial chains\n") && text.out.contains("unresolved"), "{}", text.out);
    let json = run(&["bench", "paper", "--count", "2", "--json"]);
    let value: serde_json::Value = serde_json::from_str(&json.out).expect("JSON");
    assert!(value["machine"].is_object() && value["rows"].as_array().is_some_and(|rows| rows.len() > 100));
    assert_eq!(run(&["bench", "nothing"]).code, Some(2));
}

#[test]
fn a_clean_picture_is_one_without_panels_and_marks() {
    let folder = tempfile::tempdir().expect("a folder");
    let at = |name: &str| folder.path().join(name).to_string_lossy().into_owned();
    std::fs::write(at("clean.txt"), "0 show hud off\n0 show marks off\n").expect("can be written");
    let pictures = [vec!["--clean"], vec!["--play", &at("clean.txt")], vec!["--no-hud"]].map(|flags| {
        let out = at("picture.png");
        let ran =
            run(&[&["render", "assets/models/mannequin.glb", "-o", &out, "--size", "320x240"], &flags[..]].concat());
        assert_eq!(ran.code, Some(0), "{}", ran.err);
        std::fs::read(&out).expect("a picture")
    });
    assert!(pictures[0] == pictures[1] && pictures[0] != pictures[2]);
}
