//! Motion capture put together again from its ends: `mocap FILE [METRES PER UNIT]`, a BVH file or a character with clips.

use fabrik3d::Settings;
use fabrik3d::measure::mocap::{Experiment, Start, reconstruct};
use fabrik3d::scene::Scene;
use std::process::ExitCode;

fn main() -> ExitCode {
    let mut arguments = std::env::args().skip(1);
    let Some(file) = arguments.next() else {
        eprintln!("usage: mocap FILE [METRES PER UNIT]");
        return ExitCode::from(2);
    };
    let unit = arguments.next().and_then(|text| text.parse().ok());
    let scene = match Scene::open(&file) {
        Ok(scene) => scene,
        Err(error) => {
            eprintln!("{error}");
            return ExitCode::from(2);
        }
    };
    for motion in &scene.assets.motions {
        let step = (motion.len() / 250).max(1);
        for start in [Start::Rest, Start::Previous] {
            let experiment = Experiment { step, start, unit, settings: Settings::default() };
            println!("{}, {start:?}", motion.name);
            println!("{}", reconstruct(&scene, motion, &experiment).text());
        }
    }
    ExitCode::SUCCESS
}
