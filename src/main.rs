//! The program. Everything it does is in the library, `fabrik3d::cli`.

fn main() -> std::process::ExitCode {
    fabrik3d::cli::main()
}
