//! MJCF: where bodies are, against the formulas of MuJoCo's documentation in matrices; what ties them; what is told.
#![allow(clippy::unwrap_used)]

use fabrik3d_ik::random::Random;
use fabrik3d_ik::{Coordinates, Kind, Pose};
use fabrik3d_scene::{FileFormat, Files, HeldFiles, OpenOptions, RobotBase, Scene};
use glam::{DMat3, DMat4, DQuat, DVec3, dquat, dvec3};
use std::collections::BTreeMap;
use std::f64::consts::PI;
use std::fmt::Write;
use std::sync::Arc;

fn try_open(text: &str) -> Result<Scene, String> {
    Scene::from_bytes(text.as_bytes().to_vec(), "robot.xml", &OpenOptions::default()).map_err(|error| error.to_string())
}

fn open(text: &str) -> Scene {
    try_open(text).unwrap_or_else(|error| panic!("{error}\n{text}"))
}

/// A model of bodies in the world.
fn world(bodies: &str) -> String {
    format!("<mujoco>\n<worldbody>\n{bodies}\n</worldbody>\n</mujoco>")
}

/// Attributes by their names.
type Attributes = BTreeMap<&'static str, String>;

fn words(numbers: &[f64]) -> String {
    numbers.iter().map(|number| format!("{number:?}")).collect::<Vec<_>>().join(" ")
}

fn numbers(text: &str) -> Vec<f64> {
    text.split_whitespace().map(|word| word.parse().unwrap()).collect()
}

fn vector(random: &mut Random) -> DVec3 {
    random.direction() * random.range(0.2, 2.0)
}

fn point(attributes: &Attributes, name: &str) -> Option<DVec3> {
    attributes.get(name).map(|text| DVec3::from_slice(&numbers(text)))
}

/// The rotation matrix about an axis (Rodrigues).
fn turn(axis: DVec3, angle: f64) -> DMat3 {
    let DVec3 { x, y, z } = axis.normalize();
    let cross = DMat3::from_cols(dvec3(0.0, z, -y), dvec3(-z, 0.0, x), dvec3(y, -x, 0.0));
    DMat3::IDENTITY + cross * angle.sin() + cross * cross * (1.0 - angle.cos())
}

fn matrix(turn: DMat3, place: DVec3) -> DMat4 {
    DMat4::from_translation(place) * DMat4::from_mat3(turn)
}

/// How a random model writes angles.
struct Compiler {
    unit: f64,
    sequence: String,
}

/// A random orientation in a random notation, and its matrix.
fn orientation(random: &mut Random, compiler: &Compiler) -> (&'static str, String, DMat3) {
    let angle = random.range(-3.0, 3.0);
    match random.index(5) {
        0 => {
            let q = random.rotation() * random.range(0.5, 3.0);
            ("quat", words(&[q.w, q.x, q.y, q.z]), DMat3::from_quat(q.normalize()))
        }
        1 => {
            let axis = vector(random);
            ("axisangle", words(&[axis.x, axis.y, axis.z, angle / compiler.unit]), turn(axis, angle))
        }
        2 => {
            let wanted = DMat3::from_quat(random.rotation());
            let x = wanted.x_axis * random.range(0.1, 3.0);
            let y = wanted.y_axis * random.range(0.1, 3.0) + x * random.range(-1.0, 1.0);
            ("xyaxes", words(&[x.x, x.y, x.z, y.x, y.y, y.z]), wanted)
        }
        3 => {
            let axis = vector(random);
            let to = axis.normalize();
            ("zaxis", words(&axis.to_array()), turn(DVec3::Z.cross(to), to.z.acos()))
        }
        _ => {
            let angles = [0; 3].map(|_| random.range(-3.0, 3.0));
            let turns = compiler.sequence.chars().zip(angles).fold(DMat3::IDENTITY, |all, (axis, angle)| {
                let about = DVec3::AXES["xyz".find(axis.to_ascii_lowercase()).unwrap()];
                let next = turn(about, angle);
                if axis.is_uppercase() { next * all } else { all * next }
            });
            ("euler", words(&angles.map(|angle| angle / compiler.unit)), turns)
        }
    }
}

/// Random attributes of a joint: some of them.
fn joint_attributes(random: &mut Random, likely: f64) -> Attributes {
    let mut attributes = Attributes::new();
    let mut put = |name, value: String, random: &mut Random| {
        if random.unit() < likely {
            attributes.insert(name, value);
        }
    };
    let kind = ["hinge", "slide", "ball"][random.index(3)];
    put("type", kind.to_owned(), random);
    let (place, axis, reference) = (vector(random), vector(random), random.range(-1.0, 1.0));
    put("pos", words(&place.to_array()), random);
    put("axis", words(&axis.to_array()), random);
    put("ref", words(&[reference]), random);
    attributes
}

/// Random default classes, each inside the one before: `main`, `c1`, `c2`. Returns their text and what each says with those around it.
fn classes(random: &mut Random) -> (String, Vec<Attributes>) {
    let own: Vec<Attributes> = (0..3).map(|_| joint_attributes(random, 0.4)).collect();
    let mut text = String::new();
    for (at, attributes) in own.iter().enumerate() {
        let class = if at == 0 { String::new() } else { format!(" class=\"c{at}\"") };
        writeln!(text, "<default{class}><joint{}/>", shown(attributes)).unwrap();
    }
    let merged = (0..3).map(|last| own[..=last].iter().flat_map(|one| one.clone()).collect());
    (text + &"</default>".repeat(3), merged.collect())
}

fn shown(attributes: &Attributes) -> String {
    attributes.iter().map(|(name, value)| format!(" {name}=\"{value}\"")).collect()
}

/// A random model under construction: its text, the frames of its bodies by the formulas, and the values of its joints.
struct Sample {
    compiler: Compiler,
    classes: Vec<Attributes>,
    text: String,
    frames: Vec<DMat4>,
    values: Vec<Vec<f64>>,
}

impl Sample {
    fn new(random: &mut Random) -> Sample {
        let is_degree = random.index(2) == 0;
        let sequence: String = (0..3).map(|_| char::from(b"xyzXYZ"[random.index(6)])).collect();
        let (defaults, classes) = classes(random);
        let angle = if is_degree { "" } else { " angle=\"radian\"" };
        let text = format!("<mujoco>\n<compiler eulerseq=\"{sequence}\"{angle}/>\n{defaults}\n<worldbody>\n");
        let unit = if is_degree { PI / 180.0 } else { 1.0 };
        Sample { compiler: Compiler { unit, sequence }, classes, text, frames: Vec::new(), values: Vec::new() }
    }

    /// Opens an element with a random frame.
    fn place(&mut self, random: &mut Random, tag: &str, name: &str, class: Option<usize>) -> DMat4 {
        let place = vector(random);
        let (notation, value, turn) = orientation(random, &self.compiler);
        let class = class.map_or(String::new(), |class| format!(" childclass=\"c{class}\""));
        let name = if name.is_empty() { String::new() } else { format!(" name=\"{name}\"") };
        let place_text = words(&place.to_array());
        writeln!(self.text, "<{tag}{name} pos=\"{place_text}\" {notation}=\"{value}\"{class}>").unwrap();
        matrix(turn, place)
    }

    /// Adds a body with what it carries.
    fn body(&mut self, random: &mut Random, around: DMat4, mut class: usize, depth: usize) {
        let in_frame = random.index(3) == 0;
        let mut before = around;
        if in_frame {
            before *= self.place(random, "frame", "", None);
        }
        let own = (random.index(2) == 0).then(|| 1 + random.index(2));
        class = own.unwrap_or(class);
        let name = format!("b{}", self.frames.len());
        let mut frame = before * self.place(random, "body", &name, own);
        if depth == 0 && random.index(2) == 0 {
            let (place, q) = (vector(random), random.rotation());
            writeln!(self.text, "<freejoint/>").unwrap();
            self.values.push([place.to_array().as_slice(), &[q.w, q.x, q.y, q.z]].concat());
            frame = matrix(DMat3::from_quat(q), place);
        } else {
            for _ in 0..random.index(4) {
                frame *= self.joint(random, class);
            }
        }
        self.frames.push(frame);
        for _ in 0..(if depth < 3 { random.index(3) } else { 0 }) {
            self.body(random, frame, class, depth + 1);
        }
        self.text += if in_frame { "</body>\n</frame>\n" } else { "</body>\n" };
    }

    /// Adds a joint and returns how it moves its body.
    fn joint(&mut self, random: &mut Random, mut class: usize) -> DMat4 {
        let own = joint_attributes(random, 0.5);
        let mut written = own.clone();
        if random.index(3) == 0 {
            class = random.index(3);
            written.insert("class", if class == 0 { "main".to_owned() } else { format!("c{class}") });
        }
        writeln!(self.text, "<joint{}/>", shown(&written)).unwrap();
        let mut all = self.classes[class].clone();
        all.extend(own);
        let anchor = point(&all, "pos").unwrap_or_default();
        let axis = point(&all, "axis").unwrap_or(DVec3::Z).normalize();
        let reference = all.get("ref").map_or(0.0, |text| numbers(text)[0]);
        let value = random.range(-2.0, 2.0);
        let moved = match all.get("type").map_or("hinge", String::as_str) {
            "slide" => {
                self.values.push(vec![value]);
                return DMat4::from_translation(axis * (value - reference));
            }
            "ball" => {
                let q = random.rotation();
                self.values.push(vec![q.w, q.x, q.y, q.z]);
                DMat3::from_quat(q)
            }
            _ => {
                self.values.push(vec![value]);
                turn(axis, value - reference * self.compiler.unit)
            }
        };
        matrix(moved, anchor) * DMat4::from_translation(-anchor)
    }
}

/// A pose of the joints that move, in the order of the file, from the numbers that MuJoCo has for them.
fn pose_of(scene: &Scene, values: &[Vec<f64>]) -> Pose {
    let mut values = values.iter();
    let turn = |q: &[f64]| dquat(q[1], q[2], q[3], q[0]);
    let coordinates = scene.skeleton.joints().iter().map(|joint| match joint.kind {
        Kind::Fixed => Coordinates::default(),
        Kind::Ball { .. } => Coordinates::rotation(turn(values.next().unwrap())),
        Kind::Free => {
            let own = values.next().unwrap();
            Coordinates::free(DVec3::from_slice(own), turn(&own[3..]))
        }
        _ => Coordinates::scalar(values.next().unwrap()[0]),
    });
    let pose = coordinates.collect();
    assert!(values.next().is_none());
    pose
}

fn body(scene: &Scene, name: &str) -> usize {
    scene.assets.links.iter().find(|(link, _)| link == name).unwrap_or_else(|| panic!("{name}")).1
}

/// All bodies of random trees are where the formulas put them, for the joint values of MuJoCo: frames in every notation, several
/// joints in a body, nested default classes, frames around elements.
#[test]
fn bodies_are_where_the_documentation_says() {
    let mut random = Random::new(21);
    for seed in 0..300 {
        let mut sample = Sample::new(&mut random);
        for _ in 0..1 + random.index(3) {
            sample.body(&mut random, DMat4::IDENTITY, 0, 0);
        }
        let text = sample.text + "</worldbody>\n</mujoco>";
        let scene = open(&text);
        let frames = scene.skeleton.frames(&pose_of(&scene, &sample.values));
        for (at, expected) in sample.frames.iter().enumerate() {
            let frame = frames[body(&scene, &format!("b{at}"))];
            let found = DMat4::from_rotation_translation(frame.rotation, frame.position);
            assert!(found.abs_diff_eq(*expected, 1e-11), "seed {seed}, b{at}:\n{found}\n{expected}\n{text}");
        }
    }
}

/// Ranges are those of the file, in its unit; they limit as `limited` and `autolimits` say.
#[test]
fn limits_are_those_of_the_file() {
    let range = |compiler: &str, joint: &str| {
        let bodies = format!("<body><joint {joint}/><body pos=\"1 0 0\"/></body>");
        let text = format!("<mujoco><compiler {compiler}/><worldbody>{bodies}</worldbody></mujoco>");
        match &open(&text).skeleton.joints()[1].kind {
            Kind::Hinge { range, .. } | Kind::Slide { range, .. } => range.map(|range| [range.low(), range.high()]),
            other => panic!("{other:?}"),
        }
    };
    let quarter = Some([-0.5 * PI, 0.5 * PI]);
    assert_eq!(range("", "range=\"-90 90\""), quarter);
    assert_eq!(range("angle=\"radian\"", "range=\"-1 2\""), Some([-1.0, 2.0]));
    assert_eq!(range("", "type=\"slide\" range=\"-90 90\""), Some([-90.0, 90.0]));
    assert_eq!(range("", "range=\"-90 90\" limited=\"false\""), None);
    assert_eq!(range("", "range=\"90 90\""), None);
    assert_eq!(range("autolimits=\"false\"", "range=\"-90 90\" limited=\"true\""), quarter);
    assert_eq!(range("autolimits=\"false\"", "range=\"3 3\""), None);
}

/// The limits of a ball keep its whole turn in the range, whatever swing and twist there are.
#[test]
fn balls_keep_their_range() {
    let mut random = Random::new(22);
    for _ in 0..200 {
        let largest = random.range(1.0, 175.0);
        let ball = format!("<body><joint type=\"ball\" range=\"0 {largest}\"/><body pos=\"1 0 0\"/></body>");
        let scene = open(&world(&ball));
        assert!(scene.assets.warnings.iter().any(|warning| warning.starts_with("line 3:")));
        let kind = scene.skeleton.joints()[1].kind;
        let mut most = 0.0_f64;
        for _ in 0..200 {
            let rotation = kind.rotation(&kind.coordinates_of(random.rotation()));
            most = most.max(rotation.to_axis_angle().1.min(2.0 * PI - rotation.to_axis_angle().1).to_degrees());
        }
        assert!(most <= largest + 1e-6 && most > 0.6 * largest, "{most} of {largest}");
    }
    let free = open(&world("<body><joint type=\"ball\" range=\"0 180\"/><body pos=\"1 0 0\"/></body>"));
    assert!(free.skeleton.joints()[1].kind.is_unlimited_ball());
}

/// Names that are missing are given: joints get those of their bodies, bodies are numbered. Joints, bodies and sites may share names.
#[test]
fn everything_has_a_name() {
    let scene = open(&world(
        "<body><joint/><joint/><body name=\"arm\" pos=\"1 0 0\"><joint/><site name=\"arm\" pos=\"0 1 0\"/>\
         <body name=\"tip\" pos=\"1 0 0\"/></body></body><body name=\"body.2\"><freejoint name=\"arm\"/></body>",
    ));
    let names: Vec<&str> = scene.skeleton.joints().iter().map(|joint| joint.name.as_str()).collect();
    assert_eq!(names, ["world", "body", "body.2", "arm.2", "arm.3", "tip", "arm"]);
    let links: Vec<(&str, usize)> = scene.assets.links.iter().map(|(name, joint)| (name.as_str(), *joint)).collect();
    assert_eq!(links, [("world", 0), ("body", 2), ("arm", 3), ("tip", 5), ("body.2", 6), ("arm", 4)]);
}

/// A model with two slides and a hinge, for ties between them.
fn tied(ties: &str) -> String {
    format!(
        "<mujoco><compiler angle=\"radian\"/><worldbody>\
         <body name=\"a\" pos=\"0.1 0.2 0.3\" euler=\"0.4 0.5 0.6\"><joint name=\"x\" type=\"slide\" ref=\"0.3\" range=\"-1 1\"/>\
         <joint name=\"y\" axis=\"0 1 0\" ref=\"0.2\" pos=\"0.1 0 0\"/><site name=\"s\" pos=\"0.5 0.6 0.7\" zaxis=\"1 1 0\"/></body>\
         <body name=\"b\" pos=\"1 2 3\" euler=\"0.1 0.2 0.3\"><joint name=\"z\" type=\"slide\" axis=\"1 0 0\"/>\
         <joint name=\"w\" axis=\"1 0 0\"/><site name=\"t\" pos=\"0.1 0.2 0.3\"/></body>\
         </worldbody>{ties}</mujoco>"
    )
}

/// Joints follow others by the formula of the documentation, also through others, in whatever order the file has them.
#[test]
fn joints_follow_others() {
    let first = "<joint joint1=\"y\" joint2=\"x\" polycoef=\"0.5 2\"/>";
    let second = "<joint joint1=\"z\" joint2=\"y\" polycoef=\"0.1 -3 0 0 0\"/>";
    for ties in [[first, second], [second, first]] {
        let scene = open(&tied(&format!("<equality>{}</equality>", ties.concat())));
        let find = |name: &str| scene.skeleton.find(name).unwrap();
        for value in [-0.7, 0.0, 0.9] {
            let mut pose = scene.skeleton.rest_pose();
            pose[find("x")] = Coordinates::scalar(value);
            scene.skeleton.follow(&mut pose);
            let y = 0.2 + 0.5 + 2.0 * (value - 0.3);
            let z = 0.1 - 3.0 * (y - 0.2);
            assert!((pose[find("y")].value() - y).abs() < 1e-12);
            assert!((pose[find("z")].value() - z).abs() < 1e-12);
        }
    }
    let held = open(&tied("<equality><joint joint1=\"x\" polycoef=\"0.4\"/></equality>"));
    let joint = held.skeleton.find("x").unwrap();
    assert!(!held.skeleton.kind(joint).can_move() && (held.start[joint].value() - 0.7).abs() < 1e-12);
}

/// Loops that say no more are met by the first pose of MuJoCo, where the file has its bodies.
#[test]
fn loops_are_closed_in_the_first_pose() {
    let apart = |scene: &Scene| {
        let mut pose = scene.skeleton.rest_pose();
        for (name, value) in [("x", 0.3), ("y", 0.2)] {
            pose[scene.skeleton.find(name).unwrap()] = Coordinates::scalar(value);
        }
        let frames = scene.skeleton.frames(&pose);
        let point = |end: fabrik3d_ik::goals::Attachment| frames[end.joint].point(end.point);
        scene.loops.iter().map(|(a, b)| point(*a).distance(point(*b))).fold(0.0, f64::max)
    };
    for (tie, count) in [
        ("<connect body1=\"a\" body2=\"b\" anchor=\"0.3 0.2 0.1\"/>", 1),
        ("<connect body1=\"a\" anchor=\"0.3 0.2 0.1\"/>", 1),
        ("<weld body1=\"a\" body2=\"b\" anchor=\"0.3 0.2 0.1\"/>", 3),
        ("<weld body1=\"b\" relpose=\"1 2 3 0 0 0 0\"/>", 3),
    ] {
        let scene = open(&tied(&format!("<equality>{tie}</equality>")));
        assert_eq!(scene.loops.len(), count, "{tie}");
        assert!(apart(&scene) < 1e-9, "{tie}: {}", apart(&scene));
    }
    let sites = open(&tied("<equality><connect site1=\"s\" site2=\"t\"/></equality>"));
    let frames = sites.skeleton.frames(&sites.start);
    let (a, b) = sites.loops[0];
    assert_eq!([a.joint, b.joint], [body(&sites, "s"), body(&sites, "t")]);
    assert!(frames[a.joint].point(a.point).distance(frames[body(&sites, "s")].position) < 1e-12);
    let inactive =
        "<default><equality active=\"false\"/></default><equality><connect body1=\"a\" anchor=\"0 0 0\"/></equality>";
    assert!(open(&tied(inactive)).loops.is_empty());
}

/// A weld holds the pose that it gives.
#[test]
fn welds_hold_their_pose() {
    let scene = open(&tied(
        "<equality><weld body1=\"a\" body2=\"b\" relpose=\"0.1 0.2 0.3 0 2 0 0\" anchor=\"0 0 1\"/></equality>",
    ));
    let (a, turn) = (dvec3(0.1, 0.2, 0.3), DQuat::from_rotation_x(PI));
    for (on_a, on_b) in &scene.loops {
        assert!(on_a.point.distance(a + turn * (on_b.point - DVec3::Z)) < 1e-12);
    }
}

/// The start pose is that of the keyframe `home`, else of the first one, else that of the file.
#[test]
fn keyframes_give_the_start_pose() {
    let bodies = "<body name=\"a\" pos=\"0 0 2\"><freejoint/><body name=\"b\" pos=\"1 0 0\"><joint ref=\"30\"/>\
                  <body name=\"c\" pos=\"1 0 0\"><joint type=\"ball\"/></body></body></body>";
    let model =
        |keys: &str| open(&format!("<mujoco><worldbody>{bodies}</worldbody><keyframe>{keys}</keyframe></mujoco>"));
    let free = |scene: &Scene| scene.start[1].free_position();
    let own = model("<key name=\"home\"/>");
    assert_eq!(free(&own), dvec3(0.0, 0.0, 2.0));
    assert!((own.start[2].value() - PI / 6.0).abs() < 1e-12);
    let first = "<key qpos=\"1 2 3 0 0 0 1  0.5  0 1 0 0\"/>";
    let scene = model(first);
    assert_eq!(free(&scene), dvec3(1.0, 2.0, 3.0));
    assert!((scene.start[1].free_rotation() * DVec3::X).distance(DVec3::NEG_X) < 1e-12);
    assert_eq!(scene.start[2].value(), 0.5);
    assert!((scene.start[3].ball_rotation() * DVec3::Y).distance(DVec3::NEG_Y) < 1e-12);
    let home = "<key name=\"home\" qpos=\"4 5 6 1 0 0 0  0.5  1 0 0 0\"/>";
    assert_eq!(free(&model(&(first.to_owned() + home))), dvec3(4.0, 5.0, 6.0));
}

/// Shapes are where MuJoCo has them: the corners of their meshes fill their boxes.
#[test]
fn shapes_are_where_the_file_has_them() {
    let bounds = |geom: &str| {
        let text = format!(
            "<mujoco><compiler angle=\"radian\"/><default><geom size=\"0.5 0.25 0.125\"/></default><worldbody>\
             <frame pos=\"1 0 0\" euler=\"0 0 {}\"><geom {geom}/></frame><body/></worldbody></mujoco>",
            0.5 * PI
        );
        let scene = open(&text);
        let [surface] = scene.assets.surfaces[..] else { panic!("{geom}: {:?}", scene.assets.warnings) };
        let corners = scene.assets.meshes[surface.mesh].positions.iter();
        let places = corners.map(|corner| surface.transform.transform_point3(corner.as_dvec3()));
        let bounds = places.fold([DVec3::INFINITY, DVec3::NEG_INFINITY], |[low, high], at| [low.min(at), high.max(at)]);
        [bounds[0].midpoint(bounds[1]), 0.5 * (bounds[1] - bounds[0])]
    };
    for (geom, middle, half) in [
        ("", dvec3(1.0, 0.0, 0.0), DVec3::splat(0.5)),
        ("pos=\"1 2 3\"", dvec3(-1.0, 1.0, 3.0), DVec3::splat(0.5)),
        ("type=\"box\"", dvec3(1.0, 0.0, 0.0), dvec3(0.25, 0.5, 0.125)),
        ("type=\"ellipsoid\" size=\"1\"", dvec3(1.0, 0.0, 0.0), dvec3(0.25, 1.0, 0.125)),
        ("type=\"cylinder\" size=\"0.1 0.3\"", dvec3(1.0, 0.0, 0.0), dvec3(0.1, 0.1, 0.3)),
        ("type=\"capsule\" size=\"0.1\" fromto=\"0 0 0 2 0 0\"", dvec3(1.0, 1.0, 0.0), dvec3(0.1, 1.1, 0.1)),
        ("type=\"box\" size=\"0.1 0.2\" fromto=\"0 0 0 0 0 3\"", dvec3(1.0, 0.0, 1.5), dvec3(0.1, 0.1, 1.5)),
    ] {
        let [found, size] = bounds(geom);
        assert!(found.distance(middle) < 1e-3 && size.distance(half) < 1e-2, "{geom}: {found} {size}");
    }
}

/// What MuJoCo's viewer hides at first counts where a body shows nothing.
#[test]
fn hidden_shapes_are_for_collisions() {
    let of = |body: &str| open(&world(&format!("<body>{body}<joint/></body>")));
    let (shown, hidden) = ("<geom size=\"1\"/>", "<geom size=\"2\" group=\"3\"/>");
    let both = of(&(shown.to_owned() + hidden));
    assert_eq!((both.assets.surfaces.len(), both.assets.collision_triangles.len()), (1, 0));
    let alone = of(hidden);
    assert_eq!((alone.assets.surfaces.len(), alone.assets.collision_triangles.len()), (0, 1));
}

/// A model in several files.
fn open_files(files: &[(&str, &str)]) -> Result<Scene, String> {
    let held: HeldFiles = files.iter().map(|(name, text)| ((*name).into(), text.as_bytes().to_vec())).collect();
    let options = OpenOptions { files: Files::Held(Arc::new(held)), ..OpenOptions::default() };
    Scene::open_with(files[0].0, &options).map_err(|error| error.to_string())
}

/// Files that are included stand where they are included; messages name them with their own lines.
#[test]
fn files_include_others() {
    let model = |inner| {
        let main = "<mujoco>\n<include file=\"parts/all.xml\"/>\n<worldbody>\n<body name=\"a\">\n\
                    <include file=\"hand.xml\"/>\n</body></worldbody></mujoco>";
        let all = "<mujocoinclude>\n<include file=\"defaults.xml\"/><option/></mujocoinclude>";
        let defaults = "<mujocoinclude><default><joint axis=\"1 0 0\"/></default></mujocoinclude>";
        open_files(&[("m.xml", main), ("parts/all.xml", all), ("parts/defaults.xml", defaults), ("hand.xml", inner)])
    };
    let scene =
        model("<!-- one -->\n<mujocoinclude>\n<joint name=\"j\"/>\n<body name=\"h\" pos=\"0 0 1\"/></mujocoinclude>")
            .unwrap();
    assert_eq!(scene.skeleton.kind(scene.skeleton.find("j").unwrap()), &Kind::Hinge { axis: DVec3::X, range: None });
    let told = model("<mujocoinclude>\n<joint axes=\"1 0 0\"/></mujocoinclude>").unwrap().assets.warnings.clone();
    assert!(told.iter().any(|warning| warning.starts_with("hand.xml: line 2: unknown attribute `axes`")), "{told:?}");
    for (inner, expected) in [
        (
            "<mujocoinclude>\n\n <joint pos=\"0 0\"/></mujocoinclude>",
            "hand.xml:3:2: <joint>: pos=\"0 0\" must be 3 numbers",
        ),
        ("<mujocoinclude>\n<joint></mujocoinclude>", "hand.xml:2:8: this is not XML"),
        (
            "<mujocoinclude>\n<include file=\"hand.xml\"/></mujocoinclude>",
            "hand.xml:2:1: `hand.xml` is included already",
        ),
        ("<mujocoinclude>\n<include file=\"m.xml\"/></mujocoinclude>", "hand.xml:2:1: `m.xml` is included already"),
        ("<mujocoinclude>\n<include file=\"no.xml\"/></mujocoinclude>", "hand.xml:2:1: there is no file `no.xml`"),
    ] {
        let error = model(inner).unwrap_err();
        assert!(error.starts_with(expected), "{error}");
    }
}

/// Wrong models are refused with their place and a remedy.
#[test]
fn what_is_wrong_is_refused_with_its_place() {
    let body = |body: &str| world(&format!("<body name=\"a\">\n{body}\n<body/></body>"));
    let cases = [
        (body("<joint axis=\"0 0 0\"/>"), ":4:1: <joint>: the axis has no direction"),
        (body("<joint axis=\"0 nan 1\"/>"), ":4:1: <joint>: axis=\"0 nan 1\" is not finite"),
        (body("<joint axis=\"0 1\"/>"), ":4:1: <joint>: axis=\"0 1\" must be 3 numbers"),
        (body("<joint type=\"hinges\"/>"), ":4:1: <joint>: type=\"hinges\" is not known\n  did you mean `hinge`?"),
        (body("<joint class=\"x\"/>"), ":4:1: there is no default class `x`"),
        (body("<joint limited=\"true\"/>"), ":4:1: <joint>: it is limited, but its range is empty"),
        (body("<joint type=\"ball\" range=\"-5 5\"/>"), ":4:1: <joint>: the range of a ball begins at 0"),
        (body("<joint name=\"j\"/><joint name=\"j\"/>"), ":4:18: two joints are named `j`"),
        (body("<body name=\"a\"/>"), ":4:1: two bodies are named `a`"),
        (body("<body name=\"world\"/>"), ":4:1: two bodies are named `world`"),
        (body("<body quat=\"0 0 0 0\"/>"), ":4:1: <body>: quat gives no rotation"),
        (body("<body quat=\"1 0 0 0\" euler=\"0 0 0\"/>"), ":4:1: <body>: quat and euler both say how it is turned"),
        (body("<body xyaxes=\"1 0 0 2 0 0\"/>"), ":4:1: <body>: xyaxes gives no rotation"),
        (body("<body childclass=\"x\"/>"), ":4:1: there is no default class `x`"),
        (body("<body><freejoint/></body>"), ":4:7: <freejoint> moves freely"),
        (body("<freejoint/><joint/>"), ":4:13: <joint> is beside a free joint"),
        (world("<joint/>"), ":3:1: the world has no joints"),
        (world(""), ":1:1: the model has no <body>"),
        ("<mujoco>\n<compiler angle=\"degrees\"/></mujoco>".into(), ":2:1: <compiler>: angle=\"degrees\" is not known"),
        ("<mujoco>\n<compiler eulerseq=\"xyw\"/></mujoco>".into(), ":2:1: eulerseq=\"xyw\" must be three"),
        ("<mujoco>\n<compiler coordinate=\"global\"/></mujoco>".into(), ":2:1: global coordinates are not supported"),
        ("<mujoco>\n<default class=\"x\"/></mujoco>".into(), ":2:1: the outermost <default>"),
        ("<mujoco>\n<default><default/></default></mujoco>".into(), ":2:10: a <default> inside another needs"),
        (tied("\n<equality><joint joint1=\"v\"/></equality>"), ":2:11: <joint>: there is no joint `v`"),
        (tied("\n<equality><weld body1=\"c\"/></equality>"), ":2:11: <weld>: there is no body `c`"),
        (tied("\n<equality><connect site1=\"s\" site2=\"u\"/></equality>"), ":2:11: <connect>: there is no site `u`"),
        (tied("\n<keyframe><key qpos=\"1 2\"/></keyframe>"), ":2:11: <key>: qpos must be 4 numbers, not 2"),
        ("<models/>".into(), ":1:1: expected <robot> (URDF) or <mujoco> (MJCF), found <models>"),
        ("<mujocoinclude/>".into(), ":1:1: this is a part of an MJCF model"),
    ];
    for (text, expected) in cases {
        let error = try_open(&text).expect_err(expected);
        assert!(error.starts_with(&format!("robot.xml{expected}")), "{error}\nnot {expected}");
    }
    let options = OpenOptions { robot_base: RobotBase::Free, ..OpenOptions::default() };
    let error = Scene::from_bytes(body("").into_bytes(), "robot.xml", &options).unwrap_err().to_string();
    assert!(error.contains("<freejoint/>"), "{error}");
}

/// What says nothing about where bodies are is listed; what is not known, or cannot be expressed, is told with its line.
#[test]
fn what_is_not_read_is_told() {
    let text = tied(
        "\n<option gravity=\"0 0 -9\"/><option/><actuator><motor joint=\"x\"/></actuator>\n<sensors/>\n<equality>\n\
         <joint joint1=\"x\" joint2=\"y\" polycoef=\"0 1 2\"/>\n<tendon tendon1=\"t\"/>\n</equality>",
    );
    let text = text.replace("type=\"slide\" axis", "type=\"slide\"  axes");
    let told = open(&text).assets.warnings.clone();
    for expected in [
        "not read, since it does not say how bodies move: option, actuator",
        "line 1: unknown attribute `axes` in <joint>; did you mean `axis`?",
        "line 3: unknown element `sensors` in <mujoco>; did you mean `sensor`?",
        "line 5: <joint> is not read: joints follow others in a straight line only",
        "line 6: <tendon> is not read",
    ] {
        assert!(told.iter().any(|warning| warning.starts_with(expected)), "{expected}: {told:#?}");
    }
    assert_eq!(told.len(), 5, "{told:#?}");
    let made = open(&world("<body><joint/></body>\n<replicate count=\"3\"><body/></replicate>"));
    assert!(
        made.assets.warnings.iter().any(|warning| warning.starts_with("line 4: the bodies that <replicate> makes"))
    );
    assert_eq!(open(&world("<body><joint/></body>")).assets.warnings, [] as [String; 0]);
}

/// A mocap body goes where its user moves it, so a weld to it is no loop.
#[test]
fn bodies_that_the_user_moves_hold_nothing() {
    let text = world("<body name=\"m\" mocap=\"true\"/><body name=\"a\"><freejoint/></body>");
    let text = text.replace("</mujoco>", "<equality><weld body1=\"a\" body2=\"m\"/></equality></mujoco>");
    let scene = open(&text);
    assert!(scene.loops.is_empty() && scene.assets.warnings[0].contains("mocap"), "{:?}", scene.assets.warnings);
}

/// The tip of an arm is the site that is a tool by its name, with its orientation; excluded pairs may touch.
#[test]
fn tools_are_sites() {
    let mut arm = String::new();
    (0..6).for_each(|at| write!(arm, "<body name=\"l{at}\" pos=\"0 0 0.2\"><joint axis=\"{} 1 0\"/>", at % 2).unwrap());
    arm += "<site name=\"mark\"/><site name=\"tool\" pos=\"0 0 0.1\" euler=\"90 0 0\"/>";
    let text = world(&(arm + &"</body>".repeat(6)));
    let text = text.replace("</mujoco>", "<contact><exclude body1=\"l0\" body2=\"l3\"/></contact></mujoco>");
    let scene = open(&text);
    let names: Vec<&str> = scene.effectors.iter().map(|effector| effector.name.as_str()).collect();
    assert_eq!(names, ["tool"]);
    let frames = scene.skeleton.frames(&scene.start);
    let place = |name: &str| frames[body(&scene, name)];
    assert!(place("tool").local(place("l5").position).distance(dvec3(0.0, 0.0, 0.1)) > 0.05);
    assert!((place("tool").rotation * DVec3::Z).distance(place("l5").rotation * DVec3::NEG_Y) < 1e-12);
    assert_eq!(scene.disabled_collisions, [[body(&scene, "l0"), body(&scene, "l3")]]);
    assert!(scene.find_place("mark").is_some());
}

/// A site where an arm ends is its tool whatever its name, unless something else uses it; so is one on the palm of a hand.
#[test]
fn a_site_where_an_arm_ends_is_its_tool() {
    let mut random = Random::new(8);
    for _ in 0..200 {
        let (count, fingers) = (4 + random.index(4), random.index(4));
        let mut arm = String::new();
        let hinge = |at: usize| format!("<joint axis=\"{} 1 0\"/>", at % 2);
        (0..count).for_each(|at| write!(arm, "<body name=\"l{at}\" pos=\"0 0 0.2\">{}", hinge(at)).unwrap());
        // Sites on the way are no tools, nor is the nearer one of two at the end.
        let at = arm.rfind("<body").unwrap();
        arm.insert_str(at, "<site name=\"s0\" pos=\"0 0 0.4\"/>");
        let far = random.range(0.05, 0.3);
        let sensed = random.index(3) == 0;
        write!(arm, "<site name=\"s1\" pos=\"0 0 0.04\"/><site name=\"s2\" pos=\"0 0 {far}\"/>").unwrap();
        // One finger is no hand.
        let fingers = if fingers == 1 { 0 } else { fingers };
        for finger in 0..fingers {
            write!(arm, "<body name=\"f{finger}\" pos=\"0.0{finger} 0 0.1\">{}</body>", hinge(finger)).unwrap();
        }
        let sensors = if sensed { "<sensor><force site=\"s2\"/></sensor></mujoco>" } else { "</mujoco>" };
        let scene = open(&world(&(arm + &"</body>".repeat(count))).replace("</mujoco>", sensors));
        let names: Vec<&str> = scene.effectors.iter().map(|effector| effector.name.as_str()).collect();
        assert_eq!(names[0], if sensed { "s1" } else { "s2" }, "{names:?}");
        assert_eq!(names.len(), 1 + fingers, "{names:?}");
    }
}

/// The root element tells the format: a URDF may be named `.xml`, and MJCF `.urdf`.
#[test]
fn the_root_element_tells_the_format() {
    let urdf = "<robot name=\"r\"><link name=\"a\"/><link name=\"b\"/><joint name=\"j\" type=\"continuous\"><parent link=\"a\"/>\
                <child link=\"b\"/><origin xyz=\"0 0 1\"/></joint></robot>";
    for text in [urdf, &world("<body><joint/><body pos=\"1 0 0\"/></body>")] {
        let read = |name: &str| Scene::from_bytes(text.as_bytes().to_vec(), name, &OpenOptions::default()).unwrap();
        assert_eq!(read("r.urdf"), read("r.xml"));
        assert_eq!(read("r.urdf"), read("r.mjcf"));
    }
    assert!(FileFormat::list(FileFormat::opens_as_scene, "and").contains(".xml"));
}

/// A scene file with the robot's values is the same robot.
#[test]
fn a_model_survives_as_a_scene_file() {
    let text = tied("<equality><joint joint1=\"y\" joint2=\"x\"/><weld body1=\"a\" body2=\"b\"/></equality>");
    let scene = open(&text);
    let again = Scene::parse(&scene.to_toml(), fabrik3d_scene::Syntax::Toml, "again.toml").unwrap();
    assert_eq!(again.skeleton, scene.skeleton);
    assert_eq!(again.start, scene.start);
    assert_eq!(again.loops.len(), scene.loops.len());
}

/// Many bodies inside each other neither end the stack nor take long; too many are refused.
#[test]
fn deep_models_are_read_or_refused() {
    let deep = |count: usize| world(&("<body>".repeat(count) + &"</body>".repeat(count)));
    assert_eq!(open(&deep(3000)).skeleton.len(), 3001);
    assert!(try_open(&deep(10_001)).unwrap_err().contains("more than 10000"));
    let frames = world(&("<frame>".repeat(3000) + "<body/>" + &"</frame>".repeat(3000)));
    assert_eq!(open(&frames).skeleton.len(), 2);
}
