//! A scene of ten times the size takes about ten times the time and memory to read and to solve. Each kind of scene here
//! grew faster once.
#![allow(clippy::unwrap_used)]

use crate::counting::BYTES;
use fabrik3d_ik::Solver;
use fabrik3d_measure::Clock;
use fabrik3d_scene::{Scene, Syntax};
use std::cell::Cell;
use std::hint::black_box;

/// Things in the smaller scene.
const COUNT: usize = 200;
/// Largest ratios of the processor times and of the allocated bytes for ten times as many. In proportion they are 10; with
/// the square of the size, 100.
const MOST: [f64; 2] = [40.0, 20.0];

/// A kind of scene: its name, and its file with a number of things.
type LargeScene = (&'static str, fn(usize) -> String);

const SCENES: [LargeScene; 10] = [
    ("joints in a chain", chain),
    ("joints in a tree", tree),
    ("arms on one base", |count| {
        format!("[[joint]]\nname = \"base\"\nkind = \"fixed\"\n{}", arms(count, "parent = \"base\""))
    }),
    ("effectors on one arm", shared_arm),
    ("loops on one base", loops),
    ("obstacles", |count| {
        let chain = "[[chain]]\npoints = [[0, 0, 0], [0, 1, 0], [0, 2, 0], [0, 3, 0]]\ntarget = [1, 1.5, 1]\n";
        format!("{chain}{}", obstacles(count))
    }),
    ("chains", chains),
    ("limited arms", |count| arms(count, "")),
    ("stiff arms", |count| arms(count, "stiffness = 0.5")),
    ("arms among obstacles", |count| arms(count, "") + &obstacles(count)),
];

#[test]
fn time_and_memory_grow_with_the_size_of_a_scene() {
    for (name, file) in SCENES {
        let [small, large] = [COUNT, 10 * COUNT].map(|count| cost(&file(count)));
        for (what, ((small, large), most)) in ["time", "memory"].into_iter().zip(small.into_iter().zip(large).zip(MOST))
        {
            assert!(large < most * small, "{name}: ten times as many take {:.1} times the {what}", large / small);
        }
    }
}

/// Seconds and bytes to read and solve a scene. Of three times the least counts: the machine may be busy.
fn cost(text: &str) -> [f64; 2] {
    let mut seconds = f64::INFINITY;
    let mut bytes = 0.0;
    for _ in 0..3 {
        let before = BYTES.with(Cell::get);
        let time = Clock::Thread.time(|| {
            let scene = Scene::parse(text, Syntax::Toml, "large").unwrap();
            let mut solver = Solver::new(scene.skeleton.clone()).problem(scene.problem()).settings(scene.settings);
            let mut pose = scene.start.clone();
            let _ = black_box(solver.solve(&mut pose));
        });
        seconds = time.as_secs_f64().min(seconds);
        bytes = (BYTES.with(Cell::get) - before) as f64;
    }
    [seconds, bytes]
}

/// The text of `count` things.
fn each(count: usize, text: impl Fn(usize) -> String) -> String {
    (0..count).map(text).collect()
}

/// Place number `at` of a square grid for `count`.
fn grid(at: usize, count: usize) -> (usize, usize) {
    let side = (count as f64).sqrt().ceil() as usize;
    (at % side, at / side)
}

/// A spiral staircase.
fn chain(count: usize) -> String {
    let point = |at: usize| {
        let angle = 0.1 * at as f64;
        format!("[{:.6}, {:.6}, {:.6}], ", 9.0 * angle.cos(), 0.02 * at as f64, 9.0 * angle.sin())
    };
    format!("[[chain]]\npoints = [{}]\ntarget = [3, {:.3}, 4]\n", each(count, point), 0.01 * count as f64)
}

/// A binary tree of hinges with four effectors.
fn tree(count: usize) -> String {
    let joint = |at: usize| {
        let parent = at.checked_sub(1).map_or(String::new(), |above| format!("parent = \"j{}\"\n", above / 2));
        let offset = format!("[{:.3}, {:.3}, 0.1]", (at as f64).sin(), 0.5 + (at % 3) as f64);
        format!("[[joint]]\nname = \"j{at}\"\n{parent}kind = \"hinge\"\noffset = {offset}\naxis = [0, 0, 1]\n")
    };
    let effector = |at: usize| {
        let joint = count - 1 - at * count / 8;
        format!("[[effector]]\nname = \"e{at}\"\njoint = \"j{joint}\"\ntarget = [1, 2, {at}]\n")
    };
    each(count, joint) + &each(4, effector)
}

fn shared_arm(count: usize) -> String {
    let joints = [("base", ""), ("arm", "parent = \"base\"\n"), ("end", "parent = \"arm\"\n")]
        .map(|(name, parent)| format!("[[joint]]\nname = \"{name}\"\n{parent}kind = \"ball\"\noffset = [0, 1, 0]\n"));
    let effector = |at: usize| {
        let target = format!("[{}, {}, 1]", 0.1 * (at % 7) as f64, 0.2 * (at % 5) as f64);
        format!("[[effector]]\nname = \"e{at}\"\njoint = \"end\"\ntip = [0.2, 0, 0]\ntarget = {target}\n")
    };
    joints.concat() + &each(count, effector)
}

/// Linkages of four bars.
fn loops(count: usize) -> String {
    let hinge = |name: &str, parent: &str, offset: [usize; 3]| {
        format!(
            "[[joint]]\nname = \"{name}\"\nparent = \"{parent}\"\nkind = \"hinge\"\naxis = [0, 0, 1]\noffset = {offset:?}\n"
        )
    };
    let linkage = |at: usize| {
        let (x, z) = grid(at, count);
        let [a, b] = ["a", "b"].map(|side| format!("{side}{at}"));
        hinge(&a, "base", [3 * x, 0, 2 * z])
            + &hinge(&format!("{a}t"), &a, [0, 1, 0])
            + &hinge(&b, "base", [3 * x + 1, 0, 2 * z])
            + &hinge(&format!("{b}t"), &b, [0, 1, 0])
            + &format!("[[loop]]\na = {{ joint = \"{a}t\", point = [1, 0, 0] }}\nb = {{ joint = \"{b}t\" }}\n")
            + &format!("[[effector]]\nname = \"e{at}\"\njoint = \"{a}t\"\ntarget = [{}.4, 0.9, {}]\n", 3 * x, 2 * z)
    };
    "[[joint]]\nname = \"base\"\nkind = \"fixed\"\n".to_owned() + &each(count, linkage)
}

fn chains(count: usize) -> String {
    each(count, |at| {
        let (x, z) = grid(at, count);
        let points = each(4, |y| format!("[{x}, {y}, {z}], "));
        format!("[[chain]]\nname = \"c{at}\"\npoints = [{points}]\ntarget = [{x}.5, 2, {z}.3]\n")
    })
}

/// Arms of three limited hinges, whose first joints have `key` besides.
fn arms(count: usize, key: &str) -> String {
    each(count, |at| {
        let (x, z) = grid(at, count);
        let hinge = |part: usize, axis: &str, rest: String| {
            format!(
                "[[joint]]\nname = \"a{at}.{part}\"\nkind = \"hinge\"\naxis = {axis}\nrange = [-120, 120]\n{rest}\n"
            )
        };
        let next =
            |part: usize| hinge(part, "[0, 0, 1]", format!("offset = [0.2, 0.5, 0]\nparent = \"a{at}.{}\"", part - 1));
        hinge(0, "[0, 1, 0]", format!("offset = [{x}, 0, {z}]\n{key}"))
            + &next(1)
            + &next(2)
            + &format!(
                "[[effector]]\nname = \"e{at}\"\njoint = \"a{at}.2\"\ntip = [0.5, 0, 0]\ntarget = [{x}.4, 0.8, {z}.2]\n"
            )
    })
}

/// Spheres between the places of a grid.
fn obstacles(count: usize) -> String {
    each(count, |at| {
        let (x, z) = grid(at, count);
        format!("[[obstacle]]\nsphere = {{ center = [{x}.6, 0.4, {z}.6], radius = 0.1 }}\n")
    })
}
