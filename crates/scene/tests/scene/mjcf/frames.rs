//! Where bodies, joints, shapes and sites are, against the formulas of MuJoCo's documentation in matrices.
#![allow(clippy::unwrap_used)]

use super::{body, open, world};
use fabrik3d_ik::random::Random;
use fabrik3d_ik::{Coordinates, Kind, Pose};
use fabrik3d_scene::Scene;
use glam::{DMat3, DMat4, DVec3, dquat, dvec3};
use std::collections::BTreeMap;
use std::f64::consts::PI;
use std::fmt::Write;

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
