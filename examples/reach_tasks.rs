//! Twelve things that an animator does with a body, on any number of bodies: a contact sheet to look at, and how far the
//! back turns, elbows and knees bend, and feet slip.
//!
//! `cargo run --release --example reach_tasks -- [--size WxH] [--no-body-limits] SHEET.png BODY...`
//!
//! `--size` is that of one picture, 300x320 unless given; each body has two rows of six.

use fabrik3d::examples;
use fabrik3d::record::{Options, run};
use fabrik3d_ik::{Isometry, Pose, Solver, Target};
use fabrik3d_scene::{BodyLimits, EffectorMode, OpenOptions, Scene};
use fabrik3d_viewer::session::command::Show;
use fabrik3d_viewer::session::script::Script;
use fabrik3d_viewer::view::{Display, Theme};
use glam::DVec3;
use image::codecs::png::{CompressionType, FilterType, PngEncoder};
use image::{DynamicImage, RgbaImage, imageops};
use std::error::Error;
use std::fs::File;
use std::path::{Path, PathBuf};

/// Width and height of one picture, pixels, unless given.
const SIZE: (u32, u32) = (300, 320);
/// Pictures in a row.
const COLUMNS: u32 = 6;
/// Steps per part of a path.
const STEPS: u32 = 60;

/// A body at rest: its directions, its height and its joints by their parts.
struct Body {
    scene: Scene,
    rest: Vec<Isometry>,
    left: DVec3,
    up: DVec3,
    forward: DVec3,
    height: f64,
    ground: f64,
}

/// A task: its name, and the way of each effector as points, given the body.
type Task = (&'static str, fn(&Body) -> Vec<(&'static str, Vec<DVec3>)>);

const TASKS: [Task; 12] = [
    ("hand to the ground", |body| {
        let foot = body.at("left foot");
        vec![("left hand", vec![body.on_ground(foot + body.away(0.03, 0.0, 0.2), 0.03)])]
    }),
    ("hand to the head", |body| vec![("left hand", vec![body.at("head") + body.away(0.07, 0.05, 0.03)])]),
    ("hand across", |body| vec![("left hand", vec![body.at("right arm") + body.away(0.0, 0.0, 0.1)])]),
    ("hand behind the back", |body| vec![("left hand", vec![body.hips() + body.away(0.0, 0.05, -0.12)])]),
    ("hand out and pushed back", |body| {
        let shoulder = body.at("left arm");
        let out = shoulder + body.away(0.02, -0.05, 0.25);
        vec![("left hand", vec![out, shoulder + body.away(0.02, -0.08, 0.1)])]
    }),
    ("hand up", |body| vec![("left hand", vec![body.at("left arm") + body.away(0.03, 0.28, 0.03)])]),
    ("hand to the belly", |body| vec![("left hand", vec![body.hips() + body.away(0.03, 0.08, 0.13)])]),
    ("both hands forward", |body| {
        let to = |shoulder: &str| vec![body.at(shoulder) + body.away(0.0, -0.05, 0.25)];
        vec![("left hand", to("left arm")), ("right hand", to("right arm"))]
    }),
    ("foot to a step", |body| body.foot(body.away(0.0, 0.12, 0.15))),
    ("foot straight up", |body| body.foot(body.away(0.0, 0.15, 0.0))),
    ("look up", |body| vec![("head", vec![body.at("head") + body.away(0.0, -0.015, -0.05)])]),
    ("hand to the other foot", |body| vec![("left hand", vec![body.at("right foot") + body.away(0.0, 0.03, 0.08)])]),
];

impl Body {
    fn open(path: &str, body_limits: BodyLimits) -> Result<Self, Box<dyn Error>> {
        let mut scene = examples::open(path, &OpenOptions { body_limits, ..OpenOptions::default() })?;
        // The targets of a scene may ask for another pose than its start.
        let _ = Solver::new(scene.skeleton.clone())
            .problem(scene.problem())
            .settings(scene.settings)
            .solve(&mut scene.start);
        let rest = scene.skeleton.frames(&scene.start);
        let up = scene.up.axis();
        let heights = rest.iter().map(|frame| frame.position.dot(up));
        let (ground, top) = heights.fold((f64::MAX, f64::MIN), |(low, high), at| (low.min(at), high.max(at)));
        let mut body =
            Body { scene, rest, left: DVec3::ZERO, up, forward: DVec3::ZERO, height: 1.1 * (top - ground), ground };
        body.left = (body.at("left arm") - body.at("right arm")).reject_from_normalized(up).normalize();
        body.forward = body.left.cross(up);
        Ok(body)
    }

    /// The joint of a part. Some programs call an upper arm shoulder, which is the lower one of two joints that may be meant.
    fn joint(&self, part: &str) -> usize {
        let mut joints = 0..self.scene.skeleton.len();
        let is = |joint: usize, part: &str| self.scene.body_part(joint) == part;
        let clavicle = part.replace(" arm", " clavicle");
        let found =
            joints.clone().find(|&joint| is(joint, part)).or_else(|| joints.rfind(|&joint| is(joint, &clavicle)));
        found.unwrap_or_else(|| panic!("no {part}"))
    }

    fn at(&self, part: &str) -> DVec3 {
        self.rest[self.joint(part)].position
    }

    /// The middle between the hip joints: those above the shins, since a thigh may have another joint inside of the pelvis.
    fn hips(&self) -> DVec3 {
        let joints = ["left shin", "right shin"].map(|shin| self.scene.skeleton.joints()[self.joint(shin)].parent);
        joints.into_iter().flatten().map(|joint| self.rest[joint].position).sum::<DVec3>() * 0.5
    }

    /// A way left, up and forward, in heights of the body.
    fn away(&self, left: f64, up: f64, forward: f64) -> DVec3 {
        (self.left * left + self.up * up + self.forward * forward) * self.height
    }

    /// The point at a height above the ground, in heights of the body.
    fn on_ground(&self, point: DVec3, height: f64) -> DVec3 {
        point.reject_from_normalized(self.up) + self.up * (self.ground + height * self.height)
    }

    /// The left foot and its toes, moved together.
    fn foot(&self, way: DVec3) -> Vec<(&'static str, Vec<DVec3>)> {
        let parts = ["left foot", "left toe"].into_iter();
        let has = |part: &&str| (0..self.scene.skeleton.len()).any(|joint| self.scene.body_part(joint) == *part);
        let own = parts.filter(|part| *part == "left foot" || has(part));
        own.map(|part| (part, vec![self.at(part) + way])).collect()
    }

    /// The effector on a part; added if there is none.
    fn effector(&mut self, part: &str) -> usize {
        let joint = self.joint(part);
        let below = |at: usize| self.scene.skeleton.ancestors(at).take(3).any(|above| above == joint);
        let own = |effector: &fabrik3d_scene::SceneEffector| effector.effector.joint == joint;
        let found = self.scene.effectors.iter().position(own);
        let found = found.or_else(|| self.scene.effectors.iter().position(|effector| below(effector.effector.joint)));
        found.unwrap_or_else(|| {
            let name = self.scene.skeleton.joints()[joint].name.clone();
            self.scene.add_effector(&name, None).expect("an effector")
        })
    }

    /// The scene after a task, and whether the effectors arrived.
    fn after(&mut self, task: &Task) -> (Scene, bool) {
        let ways = (task.1)(self);
        let ways: Vec<(usize, Vec<DVec3>)> = ways.into_iter().map(|(part, way)| (self.effector(part), way)).collect();
        let mut scene = self.scene.clone();
        for (at, _) in &ways {
            scene.effectors[*at].hold = EffectorMode::Pinned;
        }
        let mut pose = scene.start.clone();
        let tip = |scene: &Scene, pose: &Pose, at: usize| {
            let effector = scene.effectors[at].effector;
            scene.skeleton.frames(pose)[effector.joint].point(effector.tip)
        };
        let skeleton = scene.skeleton.clone();
        let mut solver = Solver::new(skeleton.clone()).problem(scene.problem()).settings(scene.settings);
        let mut from: Vec<DVec3> = ways.iter().map(|(at, _)| tip(&scene, &pose, *at)).collect();
        for part in 0..ways[0].1.len() {
            for step in 1..=STEPS {
                for ((at, way), from) in ways.iter().zip(&from) {
                    let place = from.lerp(way[part], f64::from(step) / f64::from(STEPS));
                    solver.set_target(*at, Target::from(place));
                }
                let _ = solver.track(&mut pose);
            }
            from = ways.iter().map(|(_, way)| way[part]).collect();
        }
        let reached =
            ways.iter().zip(&from).all(|((at, _), to)| tip(&scene, &pose, *at).distance(*to) < 0.02 * self.height);
        for ((at, _), to) in ways.iter().zip(&from) {
            scene.effectors[*at].target = Target::from(*to);
        }
        scene.start = pose;
        (scene, reached)
    }

    /// How far the chest has turned, the angles of the left elbow and knee, degrees, and the farther way of an ankle, per
    /// cent of the height.
    fn numbers(&self, scene: &Scene) -> [f64; 4] {
        let now = scene.skeleton.frames(&scene.start);
        let [left, right] = ["left arm", "right arm"].map(|part| self.joint(part));
        let chest = scene.skeleton.ancestors(left).find(|at| scene.skeleton.ancestors(right).any(|other| other == *at));
        let chest = chest.unwrap_or(0);
        let turn = self.rest[chest].rotation.angle_between(now[chest].rotation).to_degrees();
        let bend = |lower: &str| {
            let at = self.joint(lower);
            let below = scene.skeleton.children(at).first().map_or(at, |child| *child);
            let above = scene.skeleton.joints()[at].parent.unwrap_or(at);
            let [a, b, c] = [above, at, below].map(|joint| now[joint].position);
            (b - a).angle_between(c - b).to_degrees()
        };
        let limb = |one: &str, other: &str| {
            let known = (0..scene.skeleton.len()).any(|joint| scene.body_part(joint) == one);
            bend(if known { one } else { other })
        };
        let slip = ["left foot", "right foot"].map(|part| {
            let at = self.joint(part);
            100.0 * now[at].position.distance(self.rest[at].position) / self.height
        });
        [turn, limb("left forearm", "left elbow"), limb("left shin", "left knee"), slip[0].max(slip[1])]
    }
}

fn picture(scene: Scene, size: (u32, u32), out: &Path) -> Result<RgbaImage, Box<dyn Error>> {
    let mut display = Display::default().with(Show::Hud, false);
    display.theme = Theme::Light;
    let options = Options {
        scene,
        display,
        size,
        scale: 1.0,
        transparent: false,
        opening: Vec::new(),
        script: Script::default(),
        trace: None,
        out: out.to_owned(),
        seconds: Some(0.0),
        fps: None,
    };
    run(options, &mut |_, _| {})?;
    Ok(image::open(out)?.into_rgba8())
}

/// A size such as `300x320`.
fn size_of(text: &str) -> Option<(u32, u32)> {
    let (width, height) = text.split_once('x')?;
    Some((width.parse().ok()?, height.parse().ok()?))
}

fn main() -> Result<(), Box<dyn Error>> {
    let mut arguments = std::env::args().skip(1).peekable();
    let (mut size, mut body_limits) = (SIZE, BodyLimits::Human);
    while let Some(flag) = arguments.next_if(|argument| argument.starts_with("--")) {
        match &*flag {
            "--size" => size = arguments.next().and_then(|text| size_of(&text)).ok_or("--size takes WxH: 300x320")?,
            "--no-body-limits" => body_limits = BodyLimits::Off,
            _ => return Err(format!("{flag} is not known: give --size or --no-body-limits").into()),
        }
    }
    let usage = "usage: reach_tasks [--size WxH] [--no-body-limits] SHEET.png BODY...";
    let out = PathBuf::from(arguments.next().ok_or(usage)?);
    let bodies: Vec<String> = arguments.collect();
    let rows = (TASKS.len() as u32).div_ceil(COLUMNS);
    let mut sheet = RgbaImage::new(size.0 * COLUMNS, size.1 * rows * bodies.len() as u32);
    for (body, path) in (0..).zip(&bodies) {
        println!("{path}: back turn, elbow, knee, degrees; slip of the feet, % of the height");
        let mut figure = Body::open(path, body_limits)?;
        for (at, task) in (0..).zip(&TASKS) {
            let (scene, reached) = figure.after(task);
            let [back, elbow, knee, slip] = figure.numbers(&scene);
            let missed = if reached { "" } else { "  NOT REACHED" };
            println!("  {:26} {back:6.1} {elbow:6.1} {knee:6.1} {slip:6.1}{missed}", task.0);
            let shown = picture(scene, size, &out)?;
            let (column, row) = (at % COLUMNS, body * rows + at / COLUMNS);
            imageops::replace(&mut sheet, &shown, i64::from(size.0 * column), i64::from(size.1 * row));
        }
    }
    let encoder = PngEncoder::new_with_quality(File::create(&out)?, CompressionType::Best, FilterType::Adaptive);
    DynamicImage::from(sheet).into_rgb8().write_with_encoder(encoder)?;
    println!("{}", out.display());
    Ok(())
}
