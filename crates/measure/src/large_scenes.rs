//! Scenes of every kind in any size, and tables of what they cost.

use crate::large_characters::Character;
use crate::table::{Row, Table};
use fabrik3d_ik::random::Random;
use std::fmt::Write;

/// What a large scene has many of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LargeScene {
    /// Joints in one chain without limits.
    Chain,
    /// Joints in a binary tree of hinges, with four effectors.
    Tree,
    /// Effectors, each on an arm of its own; all arms stand on one immovable base.
    Effectors,
    /// Effectors on the same arm.
    SharedArm,
    /// Closed linkages on one immovable base.
    Loops,
    /// Spheres around one chain.
    Obstacles,
    /// Chains of three links.
    Chains,
    /// Arms of three limited hinges, each with a root of its own.
    Arms,
    /// The same arms with stiff joints: they return to a home.
    StiffArms,
    /// The same arms, each with an obstacle beside it.
    ArmsAmongObstacles,
    /// Frames of a recorded motion.
    Frames,
    /// Triangles of a robot's mesh.
    Triangles,
    /// Vertices of a character's skin.
    Vertices,
    /// Texels of a character's texture, in thousands.
    Texels,
    /// Recorded clips of a character.
    Clips,
}

impl LargeScene {
    /// All kinds.
    pub const ALL: [LargeScene; 15] = [
        LargeScene::Chain,
        LargeScene::Tree,
        LargeScene::Effectors,
        LargeScene::SharedArm,
        LargeScene::Loops,
        LargeScene::Obstacles,
        LargeScene::Chains,
        LargeScene::Arms,
        LargeScene::StiffArms,
        LargeScene::ArmsAmongObstacles,
        LargeScene::Frames,
        LargeScene::Triangles,
        LargeScene::Vertices,
        LargeScene::Texels,
        LargeScene::Clips,
    ];

    /// The name in tables.
    pub fn name(self) -> &'static str {
        match self {
            LargeScene::Chain => "joints in a chain",
            LargeScene::Tree => "joints in a tree",
            LargeScene::Effectors => "arms on one base",
            LargeScene::SharedArm => "effectors on one arm",
            LargeScene::Loops => "loops on one base",
            LargeScene::Obstacles => "obstacles",
            LargeScene::Chains => "chains",
            LargeScene::Arms => "limited arms",
            LargeScene::StiffArms => "stiff arms",
            LargeScene::ArmsAmongObstacles => "arms and obstacles",
            LargeScene::Frames => "recorded frames",
            LargeScene::Triangles => "triangles",
            LargeScene::Vertices => "skinned vertices",
            LargeScene::Texels => "thousand texels",
            LargeScene::Clips => "clips",
        }
    }

    /// The files of a scene with `count` of these things, as names and contents. The first one is the scene.
    pub fn files(self, count: usize) -> Vec<(&'static str, Vec<u8>)> {
        let small = Character { vertices: 10, texels: 0, clips: 0 };
        match self {
            LargeScene::Vertices => return Character { vertices: count.max(3), ..small }.files(),
            LargeScene::Texels => return Character { texels: 1000 * count, ..small }.files(),
            LargeScene::Clips => return Character { clips: count, ..small }.files(),
            _ => {}
        }
        let mut text = String::new();
        // Writing to a string cannot fail.
        let _ = match self {
            LargeScene::Chain => chain(&mut text, count),
            LargeScene::Tree => tree(&mut text, count),
            LargeScene::Effectors => {
                let base = writeln!(text, "[[joint]]\nname = \"base\"\nkind = \"fixed\"");
                base.and_then(|()| arms(&mut text, count, "parent = \"base\""))
            }
            LargeScene::SharedArm => shared_arm(&mut text, count),
            LargeScene::Loops => loops(&mut text, count),
            LargeScene::Obstacles => obstacles(&mut text, count),
            LargeScene::Chains => chains(&mut text, count),
            LargeScene::Arms => arms(&mut text, count, ""),
            LargeScene::StiffArms => arms(&mut text, count, "stiffness = 0.5"),
            LargeScene::ArmsAmongObstacles => arms(&mut text, count, "").and_then(|()| posts(&mut text, count)),
            LargeScene::Frames => frames(&mut text, count),
            LargeScene::Triangles => triangles(&mut text, count),
            LargeScene::Vertices | LargeScene::Texels | LargeScene::Clips => Ok(()),
        };
        let text = text.into_bytes();
        match self {
            LargeScene::Frames => vec![("scene.bvh", text)],
            LargeScene::Triangles => vec![("scene.urdf", ROBOT.into()), ("mesh.obj", text)],
            _ => vec![("scene.toml", text)],
        }
    }
}

const ROBOT: &str = r#"<robot name="robot">
<link name="base"/>
<link name="arm"><visual><geometry><mesh filename="mesh.obj"/></geometry></visual></link>
<joint name="turn" type="continuous"><parent link="base"/><child link="arm"/><axis xyz="0 0 1"/></joint>
<link name="tip"/>
<joint name="end" type="fixed"><parent link="arm"/><child link="tip"/><origin xyz="1 0 0"/></joint>
</robot>
"#;

/// Place number `at` of a square grid for `count`.
fn grid(at: usize, count: usize) -> (usize, usize) {
    let side = (count as f64).sqrt().ceil().max(1.0) as usize;
    (at % side, at / side)
}

fn chain(text: &mut String, count: usize) -> std::fmt::Result {
    write!(text, "[[chain]]\nname = \"chain\"\npoints = [")?;
    for at in 0..count {
        // A spiral staircase.
        let angle = 0.1 * at as f64;
        write!(text, "[{:.6}, {:.6}, {:.6}], ", 9.0 * angle.cos(), 0.02 * at as f64, 9.0 * angle.sin())?;
    }
    writeln!(text, "]\ntarget = [3, {:.3}, 4]", 0.01 * count as f64)
}

fn tree(text: &mut String, count: usize) -> std::fmt::Result {
    let mut random = Random::new(1);
    writeln!(text, "[[joint]]\nname = \"j0\"\nkind = \"fixed\"")?;
    for at in 1..count.max(2) {
        let offset = random.direction();
        writeln!(text, "[[joint]]\nname = \"j{at}\"\nparent = \"j{}\"\nkind = \"hinge\"", (at - 1) / 2)?;
        writeln!(text, "offset = [{:.4}, {:.4}, {:.4}]", offset.x, offset.y.abs(), offset.z)?;
        writeln!(text, "axis = [0, 0, 1]")?;
    }
    for at in 0..4 {
        let joint = (count.max(2) - 1 - at * count / 8).max(1);
        writeln!(text, "[[effector]]\nname = \"e{at}\"\njoint = \"j{joint}\"\ntarget = [1, 2, {at}]")?;
    }
    Ok(())
}

fn shared_arm(text: &mut String, count: usize) -> std::fmt::Result {
    for (joint, parent) in [("base", ""), ("arm", "parent = \"base\"\n"), ("end", "parent = \"arm\"\n")] {
        writeln!(text, "[[joint]]\nname = \"{joint}\"\n{parent}kind = \"ball\"\noffset = [0, 1, 0]")?;
    }
    for at in 0..count {
        let (x, y) = (0.1 * (at % 7) as f64, 0.2 * (at % 5) as f64);
        writeln!(text, "[[effector]]\nname = \"e{at}\"\njoint = \"end\"\ntip = [0.2, 0, 0]\ntarget = [{x}, {y}, 1]")?;
    }
    Ok(())
}

fn loops(text: &mut String, count: usize) -> std::fmt::Result {
    writeln!(text, "[[joint]]\nname = \"base\"\nkind = \"fixed\"")?;
    for at in 0..count {
        let (x, z) = grid(at, count);
        for (side, shift) in [("a", 0), ("b", 1)] {
            writeln!(text, "[[joint]]\nname = \"{side}{at}\"\nparent = \"base\"\nkind = \"hinge\"\naxis = [0, 0, 1]")?;
            writeln!(text, "offset = [{}, 0, {}]", 3 * x + shift, 2 * z)?;
            writeln!(text, "[[joint]]\nname = \"{side}{at}t\"\nparent = \"{side}{at}\"\nkind = \"hinge\"")?;
            writeln!(text, "axis = [0, 0, 1]\noffset = [0, 1, 0]")?;
        }
        writeln!(text, "[[loop]]\na = {{ joint = \"a{at}t\", point = [1, 0, 0] }}\nb = {{ joint = \"b{at}t\" }}")?;
        writeln!(text, "[[effector]]\nname = \"e{at}\"\njoint = \"a{at}t\"")?;
        writeln!(text, "target = [{}, 0.9, {}]", 3.0 * x as f64 + 0.4, 2 * z)?;
    }
    Ok(())
}

fn obstacles(text: &mut String, count: usize) -> std::fmt::Result {
    writeln!(text, "[[chain]]\npoints = [[0, 0, 0], [0, 1, 0], [0, 2, 0], [0, 3, 0]]\ntarget = [1, 1.5, 1]")?;
    for at in 0..count {
        let (x, y) = grid(at, count);
        let [x, y] = [x, y].map(|part| 0.3 * part as f64 - 2.0);
        writeln!(text, "[[obstacle]]\nsphere = {{ center = [{x:.3}, {y:.3}, -1], radius = 0.1 }}")?;
    }
    Ok(())
}

fn chains(text: &mut String, count: usize) -> std::fmt::Result {
    for at in 0..count {
        let (x, z) = grid(at, count);
        write!(text, "[[chain]]\nname = \"c{at}\"\npoints = [")?;
        (0..4).try_for_each(|y| write!(text, "[{x}, {y}, {z}], "))?;
        writeln!(text, "]\ntarget = [{x}.5, 2, {z}.3]")?;
    }
    Ok(())
}

/// Arms whose first joints have `key` besides.
fn arms(text: &mut String, count: usize, key: &str) -> std::fmt::Result {
    for at in 0..count {
        let (x, z) = grid(at, count);
        for (part, axis) in ["[0, 1, 0]", "[0, 0, 1]", "[0, 0, 1]"].iter().enumerate() {
            writeln!(text, "[[joint]]\nname = \"a{at}.{part}\"\nkind = \"hinge\"\naxis = {axis}\nrange = [-120, 120]")?;
            match part {
                0 => writeln!(text, "offset = [{x}, 0, {z}]\n{key}")?,
                _ => writeln!(text, "offset = [0.2, 0.5, 0]\nparent = \"a{at}.{}\"", part - 1)?,
            }
        }
        writeln!(text, "[[effector]]\nname = \"e{at}\"\njoint = \"a{at}.2\"\ntip = [0.5, 0, 0]")?;
        writeln!(text, "target = [{x}.4, 0.8, {z}.2]")?;
    }
    Ok(())
}

/// An obstacle between each two of `count` arms.
fn posts(text: &mut String, count: usize) -> std::fmt::Result {
    (0..count).try_for_each(|at| {
        let (x, z) = grid(at, count);
        writeln!(text, "[[obstacle]]\nsphere = {{ center = [{x}.6, 0.4, {z}.6], radius = 0.1 }}")
    })
}

fn frames(text: &mut String, count: usize) -> std::fmt::Result {
    let joint = |name: &str, depth: usize| {
        let kind = if depth == 0 { "ROOT" } else { "JOINT" };
        format!("{kind} {name}\n{{\nOFFSET 0 {depth} 0\nCHANNELS 3 Zrotation Xrotation Yrotation\n")
    };
    writeln!(text, "HIERARCHY\n{}{}{}End Site", joint("hips", 0), joint("spine", 1), joint("head", 1))?;
    writeln!(text, "{{\nOFFSET 0 1 0\n}}\n}}\n}}\n}}\nMOTION\nFrames: {count}\nFrame Time: 0.008333")?;
    for at in 0..count {
        let angle = 40.0 * (0.02 * at as f64).sin();
        writeln!(text, "{angle:.4} 0 0 0 {angle:.4} 0 0 0 {angle:.4}")?;
    }
    Ok(())
}

fn triangles(text: &mut String, count: usize) -> std::fmt::Result {
    // A wavy strip.
    for at in 0..count + 2 {
        let x = at as f64 / count as f64;
        writeln!(text, "v {x:.6} {:.6} {:.6}", 0.1 * (20.0 * x).sin(), 0.1 * (at % 2) as f64)?;
    }
    for at in 1..=count {
        let (second, third) = if at % 2 == 0 { (at + 2, at + 1) } else { (at + 1, at + 2) };
        writeln!(text, "f {at} {second} {third}")?;
    }
    Ok(())
}

/// What a command took; NaN if it was not measured.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Cost {
    /// Processor time, seconds.
    pub seconds: f64,
    /// Largest memory, megabytes.
    pub megabytes: f64,
}

/// A command on a scene.
#[derive(Clone, Debug, PartialEq)]
pub struct Run {
    /// Kind of the scene.
    pub scene: LargeScene,
    /// How many things it has.
    pub count: usize,
    /// Size of its files, megabytes.
    pub file_megabytes: f64,
    /// The commands with their costs.
    pub costs: Vec<(&'static str, Cost)>,
}

/// The costs of these runs, and how they grow: with the exponent 1, a scene of ten times the size takes ten times as much.
pub fn table(runs: &[Run]) -> Table {
    let mut table = Table::new("large scenes").note(
        "Processor time and largest memory of the whole program. growth: the exponent from the last size but one to the last.",
    );
    for scene in LargeScene::ALL {
        let own: Vec<&Run> = runs.iter().filter(|run| run.scene == scene).collect();
        for run in &own {
            let subject = format!("{} {}", run.count, scene.name());
            table.push(Row::new(&subject, run.file_megabytes, "MB").quantity("file"));
            for (command, cost) in &run.costs {
                table.push(Row::new(&subject, cost.seconds, "s").quantity(*command));
                table.push(Row::new(&subject, cost.megabytes, "MB").quantity(format!("{command} memory")));
            }
        }
        let [.., before, last] = own[..] else { continue };
        for ((command, small), (_, large)) in before.costs.iter().zip(&last.costs) {
            let sizes = (last.count as f64 / before.count as f64).ln();
            let subject = format!("growth of {}", scene.name());
            let exponent = |small: f64, large: f64| (large / small).ln() / sizes;
            table.push(Row::new(&subject, exponent(small.seconds, large.seconds), "s").quantity(*command));
            table.push(
                Row::new(&subject, exponent(small.megabytes, large.megabytes), "MB")
                    .quantity(format!("{command} memory")),
            );
        }
    }
    table
}

#[cfg(test)]
mod tests {
    use super::*;
    use fabrik3d_scene::{OpenOptions, Scene};

    #[test]
    fn every_scene_opens_and_has_what_it_is_to_have() {
        let folder = std::env::temp_dir().join(format!("fabrik3d-large-scenes-{}", std::process::id()));
        for scene in LargeScene::ALL {
            for count in [10, 100] {
                let own = folder.join(format!("{scene:?}-{count}"));
                std::fs::create_dir_all(&own).expect("a folder");
                let files = scene.files(count);
                for (name, content) in &files {
                    std::fs::write(own.join(name), content).expect("is written");
                }
                let opened = Scene::open_with(own.join(files[0].0), &OpenOptions::default()).expect("opens");
                let found = match scene {
                    LargeScene::Chain => opened.skeleton.len(),
                    LargeScene::Tree => opened.skeleton.len(),
                    LargeScene::Effectors | LargeScene::SharedArm => opened.effectors.len(),
                    LargeScene::Loops => opened.loops.len(),
                    LargeScene::Obstacles => opened.obstacles.len(),
                    LargeScene::Chains | LargeScene::Arms => opened.skeleton.islands([]).len(),
                    LargeScene::StiffArms => {
                        opened.skeleton.joints().iter().filter(|joint| joint.stiffness > 0.0).count()
                    }
                    LargeScene::ArmsAmongObstacles => opened.effectors.len().min(opened.obstacles.len()),
                    LargeScene::Frames => opened.assets.motions[0].len(),
                    LargeScene::Triangles => opened.assets.meshes[0].triangles.len(),
                    LargeScene::Vertices => opened.assets.meshes[0].triangles.len() + 2,
                    LargeScene::Texels => {
                        let texture = opened.assets.meshes[0].paint.texture.as_ref().expect("a texture");
                        let texels = texture.image.texels.len() / 4;
                        assert!((texels as f64 / (1000 * count) as f64 - 1.0).abs() < 0.05, "{texels}");
                        count
                    }
                    LargeScene::Clips => opened.assets.motions.len(),
                };
                assert_eq!(found, count, "{scene:?}");
                assert!(opened.assets.warnings.is_empty(), "{scene:?}: {:?}", opened.assets.warnings);
            }
        }
        std::fs::remove_dir_all(&folder).expect("is removed");
    }

    #[test]
    fn the_growth_of_a_cost_is_its_exponent() {
        let run = |count: usize| {
            let n = count as f64;
            let cost = Cost { seconds: 1e-3 * n * n, megabytes: 2.0 * n };
            Run { scene: LargeScene::Loops, count, file_megabytes: 0.1, costs: vec![("solve", cost)] }
        };
        let table = table(&[run(10), run(100), run(1000)]);
        let of = |unit: &str| table.rows.iter().find(|row| row.subject.starts_with("growth") && row.unit == unit);
        assert!((of("s").expect("a row").value - 2.0).abs() < 1e-12);
        assert!((of("MB").expect("a row").value - 1.0).abs() < 1e-12);
    }
}
