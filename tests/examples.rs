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
#[path = "../examples/grasp.rs"]
#[allow(dead_code, reason = "its main is not called")]
mod grasp;
#[path = "../examples/planar.rs"]
#[allow(dead_code, reason = "its main is not called")]
mod planar;
#[path = "../examples/robot.rs"]
#[allow(dead_code, reason = "its main is not called")]
mod robot;
#[path = "../examples/spider.rs"]
#[allow(dead_code, reason = "its main is not called")]
mod spider;

#[path = "support/sample_files.rs"]
mod gathered;

use std::error::Error;
use std::path::Path;

#[test]
fn a_robot_follows_its_path() -> Result<(), Box<dyn Error>> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR"));
    robot::run(&folder.join("assets/models/arm.urdf").to_string_lossy())?;
    let others = ["robots/ur_description/urdf/ur5_robot.urdf", "robots/panda_description/urdf/panda.urdf"];
    for path in others.into_iter().filter_map(gathered::gathered) {
        robot::run(&path.to_string_lossy())?;
    }
    Ok(())
}

#[test]
fn the_others_run() -> Result<(), Box<dyn Error>> {
    game_loop::run()?;
    grasp::run()?;
    planar::run()?;
    spider::run()?;
    batch::run(2_000)?;
    constraints::run()
}
