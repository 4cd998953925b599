//! The examples that a user of the library reads first also run.

#[path = "../examples/batch.rs"]
#[allow(dead_code, reason = "its main is not called")]
mod batch;
#[path = "../examples/constraints.rs"]
#[allow(dead_code, reason = "its main is not called")]
mod constraints;
#[path = "../examples/game_loop.rs"]
#[allow(dead_code, reason = "its main is not called")]
mod game_loop;
#[path = "../examples/robot.rs"]
#[allow(dead_code, reason = "its main is not called")]
mod robot;

use std::error::Error;
use std::path::Path;

#[test]
fn a_robot_follows_its_path() -> Result<(), Box<dyn Error>> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR"));
    robot::run(&folder.join("assets/models/arm.urdf").to_string_lossy())?;
    for name in ["ur_description/urdf/ur5_robot.urdf", "panda_description/urdf/panda.urdf"] {
        let path = folder.join("../shared/data/robots").join(name);
        if path.exists() {
            robot::run(&path.to_string_lossy())?;
        } else {
            eprintln!("skipped: there is no {}", path.display());
        }
    }
    Ok(())
}

#[test]
fn the_others_run() -> Result<(), Box<dyn Error>> {
    game_loop::run()?;
    batch::run(2_000)?;
    constraints::run()
}
