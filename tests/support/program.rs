//! Runs the built program.

use std::io::Write;
use std::process::{Command, Output, Stdio};

/// The output and the exit code of the program.
#[derive(Debug)]
pub struct ProgramResult {
    pub out: String,
    pub err: String,
    pub code: Option<i32>,
}

impl From<Output> for ProgramResult {
    fn from(output: Output) -> Self {
        let text = |bytes| String::from_utf8(bytes).expect("UTF-8");
        ProgramResult { out: text(output.stdout), err: text(output.stderr), code: output.status.code() }
    }
}

/// A command that runs the program in the package's folder, without a display and without colours.
pub fn program(arguments: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_fabrik3d"));
    command.args(arguments).current_dir(env!("CARGO_MANIFEST_DIR")).env_remove("DISPLAY").env_remove("WAYLAND_DISPLAY");
    command
}

/// Runs the program with empty standard input.
pub fn run(arguments: &[&str]) -> ProgramResult {
    program(arguments).stdin(Stdio::null()).output().expect("the program starts").into()
}

/// Runs the program with this standard input.
#[allow(dead_code, reason = "not every test that runs the program feeds it")]
pub fn run_on(arguments: &[&str], input: &[u8]) -> ProgramResult {
    let mut command = program(arguments);
    let mut child = command
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("the program starts");
    let mut stdin = child.stdin.take().expect("piped");
    let input = input.to_vec();
    // The program may end before it has read everything.
    let writer = std::thread::spawn(move || drop(stdin.write_all(&input)));
    let output = child.wait_with_output().expect("the program ends");
    writer.join().expect("no panic");
    output.into()
}
