//! Commands from standard input, and the trace on standard output.

use crate::support::{ProgramResult, run_on};

use fabrik3d_viewer::view::trace::TraceLine;

/// Renders a picture of the robot arm with these options and this script on standard input.
fn render(options: &[&str], script: &str) -> ProgramResult {
    let folder = tempfile::tempdir().expect("a folder");
    let picture = folder.path().join("arm.png").display().to_string();
    let arguments = ["render", "example:robot-arm", "-o", &picture, "--size", "32x32", "--play", "-"];
    run_on(&[&arguments, options].concat(), script.as_bytes())
}

fn lines(text: &str) -> Vec<TraceLine> {
    text.lines().map(|line| serde_json::from_str(line).expect("a trace line")).collect()
}

#[test]
fn a_script_from_standard_input_shows_a_given_pose() {
    let script = "# seven joints\n0 pose.glide 10 -20 30 -40 5 -15 25\n";
    let result = render(&["--trace", "-", "--seconds", "0.1"], script);
    assert_eq!(result.code, Some(0), "{}", result.err);
    let lines = lines(&result.out);
    assert_eq!(lines.len(), 6, "one line per sixtieth of a second");
    let scene = fabrik3d::examples::open("example:robot-arm", &Default::default()).expect("an example");
    let pose = &lines.last().expect("lines").pose;
    for (joint, degrees) in scene.settable_joints().zip([10.0, -20.0, 30.0, -40.0, 5.0, -15.0, 25.0_f64]) {
        assert!((pose[joint][0] - degrees.to_radians()).abs() < 1e-9, "{pose:?}");
    }
}

#[test]
fn a_trace_of_changes_has_no_line_without_one() {
    let script = "0 pose.glide 10 -20 30 -40 5 -15 25\n0.25 pose.glide 20 -20 30 -40 5 -15 25\n";
    let result = render(&["--trace", "-", "--trace-on", "change", "--seconds", "0.5"], script);
    assert_eq!(result.code, Some(0), "{}", result.err);
    assert_eq!(lines(&result.out).len(), 2);
}

#[test]
fn wrong_lines_and_uses_are_errors() {
    let result = render(&[], "0 pose.glide\n");
    assert_eq!(result.code, Some(2));
    assert!(result.err.contains("<stdin>: line 1: `pose.glide` takes"), "{}", result.err);
    let result = run_on(&["view", "-", "--play", "-"], b"");
    assert_eq!(result.code, Some(2));
    assert!(result.err.contains("cannot both come from standard input"), "{}", result.err);
    let result = run_on(&["view", "--trace-on", "change"], b"");
    assert_eq!(result.code, Some(2));
    assert!(result.err.contains("--trace"), "{}", result.err);
}
