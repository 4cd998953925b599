//! Lessons show what the solver does, bit by bit, and every step does what its text says.

use crate::example_scenes::example_scenes;
use crate::session_support;

use fabrik3d_ik::fabrik::observer::SolveEvent;
use fabrik3d_ik::fabrik::passes;
use fabrik3d_ik::figures::split;
use fabrik3d_ik::goals::Pole;
use fabrik3d_ik::random::Random;
use fabrik3d_ik::settings::Method;
use fabrik3d_ik::{Chain, Effector, Goal, Joint, Kind, Problem, Settings, Skeleton, Stop};
use fabrik3d_scene::Scene;
use fabrik3d_viewer::session::command::SessionCommand;
use fabrik3d_viewer::session::lesson::{
    GapPlace, Lesson, LessonCommand, LessonRecording, LessonStart, MAX_JOINT_STEPS, StepUnit, Subject,
};
use fabrik3d_viewer::session::{Command, Session};
use glam::DVec3;
use session_support::{apply, open, try_apply, wait};
use std::collections::HashSet;
use std::path::Path;
use std::sync::Arc;

fn settings(method: Method) -> Settings {
    Settings { method, ..Settings::default() }
}

/// A random chain of 1 to 10 links with a target within reach, and at times a pole, as what a lesson solves.
struct PlainChain {
    skeleton: Arc<Skeleton>,
    subject: Subject,
    points: Vec<DVec3>,
    target: DVec3,
    pole: Option<Pole>,
}

impl PlainChain {
    fn random(random: &mut Random, has_pole: bool) -> Self {
        let links = 1 + random.index(10);
        let mut offsets = vec![random.ball() * 5.0];
        let mut direction = random.direction();
        for _ in 0..links {
            direction = (direction + random.direction() * 0.8).normalize_or(direction);
            offsets.push(direction * random.range(0.3, 2.0));
        }
        let joint = |at: usize| Joint::new(at.to_string(), at.checked_sub(1), offsets[at], Kind::UNLIMITED_BALL);
        let skeleton = Arc::new(Skeleton::new((0..links).map(joint).collect()).expect("a skeleton"));
        let reach: f64 = offsets[1..].iter().map(|link| link.length()).sum();
        let target = offsets[0] + random.ball() * reach;
        let mut pole = || Pole { joint: 1 + random.index(links), toward: random.direction() * 9.0 };
        // The last point of the chain is no joint.
        let pole = has_pole.then(&mut pole).filter(|pole| pole.joint < links);
        let goals = vec![Goal::new(Effector::new(links - 1, offsets[links]), target)];
        let whole = Problem { goals, poles: pole.into_iter().collect(), ..Problem::default() };
        let (figure, start) = (split(&skeleton, &whole).next().expect("a figure"), skeleton.rest_pose());
        let points = figure.chain_points(&whole, &start).expect("a chain");
        let (problem, names) = (figure.problem(&whole), vec!["tip".to_owned()]);
        let subject = Subject { figure, start, origin: LessonStart::default(), problem, names, is_chain: true };
        PlainChain { skeleton, subject, points, target, pole }
    }

    fn record(&self, settings: &Settings) -> LessonRecording {
        self.subject.record(&self.skeleton, settings).expect("has a target")
    }
}

fn lesson(session: &Session) -> &Lesson {
    session.lesson().expect("a lesson is open")
}

#[test]
fn the_passes_of_a_textbook_lesson_are_fabrik_bit_by_bit() {
    let mut random = Random::new(11);
    let mut passes = 0;
    for case in 0..400 {
        let plain = PlainChain::random(&mut random, false);
        let settings = settings(Method::Textbook);
        let recording = plain.record(&settings);
        let mut chain = Chain::new(&plain.points).expect("a chain");
        let lengths = chain.lengths().to_vec();
        let mut points = plain.points.clone();
        let tip = lengths.len();
        let rounding = 1e-14 * (chain.reach() + plain.points[0].length());
        let is_same = |shown: &[DVec3], points: &[DVec3]| {
            shown[..tip] == points[..tip] && shown[tip].distance(points[tip]) <= rounding
        };
        for phase in &recording.phases[1..] {
            match phase.event {
                Some(SolveEvent::Backward { target }) => {
                    assert_eq!(target, plain.target);
                    passes::backward(&mut points, &lengths, plain.target);
                }
                Some(SolveEvent::Forward) => passes::forward(&mut points, &lengths, plain.points[0]),
                _ => points.clone_from(&phase.points),
            }
            passes += 1;
            // A joint carries the tip, so its place is rounded once more.
            assert!(is_same(&phase.points, &points), "case {case}: {:?}", phase.event);
        }
        let report = chain.solve(plain.target, &settings);
        assert_eq!(recording.report, report, "case {case}");
        let last = &recording.phases.last().expect("the start at least").points;
        assert!(is_same(last, chain.points()), "case {case}");
    }
    assert!(passes > 1000, "only {passes} passes");
}

#[test]
fn every_lesson_ends_where_the_solver_ends_with_all_lengths() {
    let mut random = Random::new(12);
    for case in 0..800 {
        let plain = PlainChain::random(&mut random, case % 3 == 0);
        let settings = settings(Method::ALL[case % Method::ALL.len()]);
        let recording = plain.record(&settings);
        let mut chain = Chain::new(&plain.points).expect("a chain");
        chain.set_pole(plain.pole);
        let report = chain.solve(plain.target, &settings);
        assert_eq!(recording.report, report, "case {case}");
        let reach = chain.reach();
        let is_best_kept = !matches!(settings.method, Method::Accelerated | Method::Textbook);
        if !is_best_kept {
            let last = &recording.phases.last().expect("the start at least").points;
            let off = last.iter().zip(chain.points()).map(|(a, b)| a.distance(*b)).fold(0.0, f64::max);
            assert!(off <= 1e-12 * reach, "case {case} {}: {off:e}", settings.method.key());
        }
        for phase in &recording.phases {
            for (node, &length) in recording.figure.lengths.iter().enumerate().skip(1) {
                let now = phase.points[node].distance(phase.points[node - 1]);
                assert!((now - length).abs() <= 1e-12 * reach, "case {case} {:?}: {now} for {length}", phase.event);
            }
            match phase.event {
                Some(SolveEvent::Backward { target }) => {
                    assert!(phase.points[chain.lengths().len()].distance(target) <= 1e-12 * reach);
                }
                _ => assert!(phase.points[0].distance(plain.points[0]) <= 1e-12 * reach, "the base has moved"),
            }
        }
    }
}

#[test]
fn a_step_moves_one_joint_along_its_line() {
    let mut random = Random::new(13);
    let mut slides = 0;
    for case in 0..200 {
        let plain = PlainChain::random(&mut random, false);
        let method = if case % 2 == 0 { Method::Textbook } else { Method::Accelerated };
        let lesson = Lesson::new(plain.record(&settings(method)), plain.subject.clone(), Some(StepUnit::Joint));
        for number in 1..lesson.len() {
            let (last, step) = (lesson.step_at(number - 1).points(), lesson.step_at(number));
            let now = step.points();
            if let Some(node) = step.node() {
                let others = (0..now.len()).filter(|&other| other != node);
                assert!(others.into_iter().all(|other| now[other] == last[other]), "case {case} step {number}");
            }
            if let Some(slide) = step.slide() {
                slides += 1;
                assert_eq!((slide.from, slide.to), (last[slide.node], now[slide.node]));
                let reach = step.figure().reach;
                assert!(slide.to.distance(slide.ideal) <= 1e-9 * reach, "case {case} step {number}");
                assert!((slide.to.distance(slide.anchor_place) - slide.length).abs() <= 1e-12 * reach);
            }
            assert!(!step.title().is_empty() && step.sentence().len() > 20, "case {case} step {number}");
        }
    }
    assert!(slides > 1000, "only {slides} slides");
}

#[test]
fn stages_and_names_are_those_of_the_papers_figure() {
    let mut session = open("seed-arm");
    apply(&mut session, "method textbook");
    apply(&mut session, "step.next");
    let lesson = lesson(&session);
    let stages: String = (0..9).filter_map(|number| lesson.step_at(number).letter()).collect();
    assert_eq!(stages, "abcddefff");
    let moved: Vec<String> = (1..9)
        .map(|number| {
            let step = lesson.step_at(number);
            step.label(step.node().expect("one joint a step"))
        })
        .collect();
    assert_eq!(moved, ["P4'", "P3'", "P2'", "P1'", "P1''", "P2''", "P3''", "P4''"]);
    assert_eq!(lesson.step().title(), "(a) The start");
    assert!(lesson.step_at(1).title().starts_with("(b) The tip is put on its target"));
}

#[test]
fn commands_walk_through_the_steps() {
    let mut session = open("demo");
    apply(&mut session, "method textbook");
    let nodes = 8;
    let at = |session: &Session| lesson(session).cursor();
    apply(&mut session, "step.next");
    assert_eq!(at(&session), 0, "the first press shows the start");
    assert!(session.paused());
    apply(&mut session, "step.next");
    assert_eq!(at(&session), 1);
    apply(&mut session, "step.backward");
    assert_eq!(at(&session), nodes);
    apply(&mut session, "step.forward");
    assert_eq!(at(&session), 2 * nodes);
    apply(&mut session, "step.unit pass");
    assert_eq!(session.step_unit(), StepUnit::Pass);
    apply(&mut session, "step.next");
    assert_eq!(at(&session), 3 * nodes);
    apply(&mut session, "step.back");
    assert_eq!(at(&session), 2 * nodes);
    apply(&mut session, "step.unit");
    apply(&mut session, "step.back");
    assert_eq!(at(&session), 2 * nodes - 1);
    apply(&mut session, "step.to 3");
    assert_eq!(at(&session), 3);
    apply(&mut session, "step.to 100000");
    assert!(lesson(&session).step().is_last());
    apply(&mut session, "step.next");
    assert!(lesson(&session).step().is_last(), "there is nothing after the end");
    apply(&mut session, "lesson.close");
    assert!(session.lesson().is_none() && !session.paused());
    apply(&mut session, "step.back");
    assert!(lesson(&session).step().is_last(), "the first press back shows the end");
}

#[test]
fn a_lesson_plays_to_its_end_and_stops() {
    for unit in ["joint", "pass"] {
        let mut session = open("demo");
        apply(&mut session, &format!("step.unit {unit}"));
        apply(&mut session, "step.play");
        let mut ticks = 0;
        while session.is_moving() {
            session.tick(0.1);
            ticks += 1;
            assert!(ticks < 10_000, "it never ends");
        }
        assert!(ticks > 20, "it was over at once");
        assert!(lesson(&session).step().is_last());
        assert_eq!(lesson(&session).shown(), lesson(&session).step().points(), "all joints have arrived");
    }
}

#[test]
fn a_new_target_is_solved_from_the_same_start() {
    let mut session = open("demo");
    apply(&mut session, "method textbook");
    apply(&mut session, "step.to 5");
    let start = lesson(&session).recording().phases[0].points.clone();
    let before = lesson(&session).step().points();
    apply(&mut session, "target.move 0.1 0.2 0");
    assert_eq!(lesson(&session).recording().phases[0].points, start);
    assert_eq!(lesson(&session).cursor(), 5);
    assert_ne!(lesson(&session).step().points(), before);
    // Who looks at the end goes on looking at it, however many steps there are.
    apply(&mut session, "step.to 1000");
    let mut lengths = HashSet::new();
    for way in ["0.5 -0.4 0", "-1.5 0.2 0.3", "0.3 0.9 -0.2", "0 -0.7 0.4"] {
        apply(&mut session, &format!("target.move {way}"));
        lengths.insert(lesson(&session).len());
        assert_eq!(lesson(&session).cursor(), lesson(&session).len() - 1, "{way}");
    }
    assert!(lengths.len() > 1, "{lengths:?}");
    apply(&mut session, "step.to 5");
    apply(&mut session, "method accelerated");
    assert_eq!(lesson(&session).recording().phases[0].points, start);
    apply(&mut session, "lesson.close");
    for _ in 0..300 {
        session.tick(1.0 / 60.0);
    }
    assert_eq!(session.report(0).expect("solved").stop, Stop::Reached, "the session goes on as before");
}

#[test]
fn skeletons_of_all_scenes_can_be_stepped_through() {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/assets/scenes");
    let mut lessons = 0;
    for entry in std::fs::read_dir(folder).expect("scenes") {
        let path = entry.expect("an entry").path();
        if path.extension().is_none_or(|extension| extension != "toml") {
            continue;
        }
        let scene = Scene::open(&path).expect("the scene reads");
        let name = path.display();
        for method in ["accelerated", "textbook"] {
            let mut session = Session::new(scene.clone());
            apply(&mut session, &format!("method {method}"));
            apply(&mut session, "step.next");
            let lesson = lesson(&session);
            lessons += 1;
            let recording = lesson.recording();
            let figure = &recording.figure;
            for number in 0..lesson.len() {
                let step = lesson.step_at(number);
                assert!(step.points().iter().all(|point| point.is_finite()), "{name} step {number}");
                assert!(step.sentence().len() > 20, "{name} step {number}: {}", step.title());
                assert!(step.letter().is_some() || step.node().is_none());
            }
            // After a forward pass the pose is valid: all nodes but slides keep their distances from their parents.
            for phase in recording
                .phases
                .iter()
                .filter(|phase| phase.event == Some(SolveEvent::Forward) || phase.event == Some(SolveEvent::Refine))
            {
                for (node, &parent) in figure.parents.iter().enumerate() {
                    let Some(parent) = parent else { continue };
                    let slides = figure.sliding.contains(&node);
                    let now = phase.points[node].distance(phase.points[parent]);
                    assert!(slides || (now - figure.lengths[node]).abs() <= 1e-9 * figure.reach, "{name} node {node}");
                }
            }
            if let Some(last) = recording.phases.last().filter(|phase| phase.event == Some(SolveEvent::Refine)) {
                let reached = recording.report.stop == Stop::Reached;
                assert!(!reached || last.error <= recording.tolerance * 1.001, "{name}: {}", last.error);
            }
        }
    }
    assert!(lessons > 20, "{lessons}");
}

#[test]
fn a_sub_base_lies_between_the_positions_of_its_branches() {
    let mut session = open("tree");
    apply(&mut session, "step.next");
    let lesson = lesson(&session);
    let mut seen = 0;
    for number in 0..lesson.len() {
        let step = lesson.step_at(number);
        let (positions, Some(node)) = (step.branch_positions(), step.node()) else { continue };
        let positions: Vec<DVec3> = positions.into_iter().map(|(_, place)| place).collect();
        if positions.is_empty() {
            continue;
        }
        seen += 1;
        assert!(positions.len() > 1);
        let middle = positions.iter().sum::<DVec3>() / positions.len() as f64;
        let spread = positions.iter().map(|position| position.distance(middle)).fold(0.0, f64::max);
        let off = step.phase().points[node].distance(middle);
        let moved = step.before()[node].distance(middle);
        assert!(off <= spread + moved, "{}: {off} {spread} {moved}", step.label(node));
    }
    assert!(seen > 0, "no sub-base in the tree");
}

#[test]
fn the_gap_moves_from_the_effector_to_the_base_and_back() {
    let mut session = open("demo");
    apply(&mut session, "method textbook");
    apply(&mut session, "step.next");
    let lesson = lesson(&session);
    let nodes = 8;
    let places: Vec<GapPlace> = (0..=2 * nodes).map(|number| lesson.step_at(number).gap().place).collect();
    let backward = (1..nodes).rev().map(GapPlace::Link);
    let forward = (1..nodes).map(GapPlace::Link);
    let effector = GapPlace::Effector(nodes - 1);
    let expected: Vec<GapPlace> =
        [effector].into_iter().chain(backward).chain([GapPlace::Base(0)]).chain(forward).chain([effector]).collect();
    assert_eq!(places, expected);
    for number in 0..lesson.len() {
        let (step, points) = (lesson.step_at(number), lesson.step_at(number).points());
        let figure = step.figure();
        // An independent measurement: every link, base and effector.
        let links = (1..points.len()).map(|k| (points[k].distance(points[k - 1]) - figure.lengths[k]).abs());
        let ends = [points[0].distance(lesson.step_at(0).points()[0]), points[7].distance(figure.goals[0].1)];
        let widest = links.chain(ends).fold(0.0, f64::max) / figure.reach;
        assert!((step.gap().size - widest).abs() <= 1e-12, "step {number}: {} {widest}", step.gap().size);
    }
}

#[test]
fn a_lesson_starts_in_a_pose_that_leaves_work_and_says_which() {
    let starts = |session: &Session| lesson(session).recording().start;
    let first = |session: &Session| lesson(session).recording().phases[0].points.clone();
    // The scene was just opened.
    let mut session = open("demo");
    apply(&mut session, "step.next");
    assert_eq!(starts(&session), LessonStart::Shown);
    let rest = first(&session);
    // It is solved.
    apply(&mut session, "lesson.close");
    wait(&mut session, 2.0);
    apply(&mut session, "step.next");
    assert_eq!((starts(&session), first(&session)), (LessonStart::SceneStart, rest.clone()));
    assert!(lesson(&session).step().action().to_string().contains("the opening pose"));
    apply(&mut session, "lesson.close");
    // The target has jumped; the display is on its way or has arrived.
    let shown: Vec<DVec3> = session.scene().skeleton.frames(session.displayed()).iter().map(|f| f.position).collect();
    for seconds in [0.0, 0.4, 2.0] {
        apply(&mut session, "target.preset 2");
        wait(&mut session, seconds);
        apply(&mut session, "step.next");
        let expected = if seconds == 0.0 { LessonStart::Shown } else { LessonStart::BeforeJump };
        assert_eq!(starts(&session), expected);
        assert!(first(&session)[..7].iter().zip(&shown).all(|(a, b)| a.distance(*b) < 1e-9));
        apply(&mut session, "lesson.close");
        wait(&mut session, 2.0);
        apply(&mut session, "undo");
        wait(&mut session, 2.0);
        // Not from the pose that was undone.
        apply(&mut session, "step.next");
        assert_eq!((starts(&session), first(&session)), (LessonStart::SceneStart, rest.clone()));
        apply(&mut session, "lesson.close");
        wait(&mut session, 2.0);
    }
    // The pose has followed the target along a path or by keys.
    for command in ["target.path figure8", "target.move 0.01 0 0"] {
        apply(&mut session, "target.preset 3");
        wait(&mut session, 2.0);
        apply(&mut session, command);
        wait(&mut session, 3.0);
        apply(&mut session, "step.next");
        assert_eq!((starts(&session), first(&session)), (LessonStart::SceneStart, rest.clone()), "{command}");
        assert!(lesson(&session).recording().phases[0].error > 0.01, "there is something to do");
        apply(&mut session, "lesson.close");
    }
    // The target moved while the clock was paused, so the displayed pose has not followed.
    apply(&mut session, "pause");
    apply(&mut session, "target.move 0.3 0 0");
    apply(&mut session, "step.next");
    assert_eq!(starts(&session), LessonStart::Shown);
}

#[test]
fn the_picture_eases_to_the_start() {
    let mut session = open("demo");
    wait(&mut session, 2.0);
    let shown = session.displayed_tip(0);
    apply(&mut session, "step.next");
    let tip = |session: &Session| lesson(session).shown()[7];
    assert!(tip(&session).distance(shown) < 1e-9, "it begins with what was shown");
    let mut last = tip(&session);
    let mut frames = 0;
    while session.is_moving() {
        session.tick(1.0 / 60.0);
        assert!(tip(&session).distance(last) < 0.05 * session.step_size(), "it jumps");
        last = tip(&session);
        frames += 1;
    }
    assert!(frames > 30);
    assert!(last.distance(lesson(&session).recording().phases[0].points[7]) < 1e-12);
}

#[test]
fn selecting_within_the_figure_keeps_the_position_in_the_lesson() {
    let mut session = open("tree");
    apply(&mut session, "step.to 11");
    let before = lesson(&session).step().points();
    for command in ["effector.next", "effector.next", "joint.next", "joint.none", "target.grab", "speed 2", "step.unit"]
    {
        apply(&mut session, command);
        assert_eq!(lesson(&session).cursor(), 11, "{command}");
        assert_eq!(lesson(&session).step().points(), before, "{command}");
    }
    apply(&mut session, "target.move 0 0.05 0");
    assert_eq!(lesson(&session).cursor(), 11, "another target, the same position");
    apply(&mut session, "undo");
    assert_eq!(lesson(&session).cursor(), 11);
    assert_eq!(lesson(&session).step().points(), before);
}

#[test]
fn joints_that_keep_a_node_off_its_line_allow_its_position() {
    let mut session = open("human-arm");
    wait(&mut session, 2.0);
    apply(&mut session, "target.preset 2");
    apply(&mut session, "step.next");
    let lesson = lesson(&session);
    let skeleton = &session.scene().skeleton;
    let mut held = 0;
    for number in 0..lesson.len() {
        let step = lesson.step_at(number);
        let Some(hold) = step.blocking_joints() else { continue };
        let slide = step.slide().expect("a slide");
        assert!(slide.to.distance(slide.ideal) > 1e-6 * step.figure().reach);
        let frame = |joint: usize| hold.frames.iter().find(|(other, _)| *other == joint).map(|(_, frame)| *frame);
        for &joint in &hold.joints {
            held += 1;
            let place = frame(joint).expect("its frame").position;
            assert!(place.distance(slide.anchor_place) < 1e-9, "step {number}");
            assert!(!step.is_backward() || skeleton.joints()[joint].parent.is_some());
        }
    }
    assert!(held > 3, "{held}");
}

#[test]
fn a_lesson_calls_joints_what_the_panels_call_them() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("assets/models/puppet.gltf");
    let mut session = Session::new(Scene::open(path).expect("opens"));
    apply(&mut session, "target.move 0.1 0.1 0");
    apply(&mut session, "step.next");
    let names = &lesson(&session).recording().figure.names;
    assert!(names.contains(&"LeftHand".to_owned()), "{names:?}");
    assert!(names.iter().all(|name| !name.starts_with("puppet:")), "{names:?}");
}

#[test]
fn lesson_commands_read_back() {
    let words = [
        "step.next",
        "step.back",
        "step.backward",
        "step.forward",
        "step.to 12",
        "step.unit",
        "step.unit joint",
        "step.unit pass",
        "step.play",
        "lesson.close",
        "race textbook ccd",
        "race accelerated textbook ccd dls",
        "race off",
    ];
    for word in words {
        word.parse::<Command>().expect(word);
    }
    for wrong in ["step.to", "step.to x", "step.unit knee", "step.next 3", "race", "race ccd", "race ccd nothing"] {
        assert!(wrong.parse::<Command>().is_err(), "{wrong}");
    }
    let next = SessionCommand::Lesson(LessonCommand::Next);
    assert_eq!("step.next".parse::<Command>(), Ok(Command::Session(next)));
}

#[test]
fn the_last_point_of_a_curve_is_the_error_of_the_report_with_fixed_and_with_free_bases() {
    let (mut curves, mut free) = (0, 0);
    for file in example_scenes() {
        for frees in [false, true] {
            let mut session = Session::new(Scene::open(&file).expect("opens"));
            if frees && session.apply(&SessionCommand::ToggleBase).is_err() {
                continue;
            }
            session.apply(&SessionCommand::Method(Method::Accelerated)).expect("any method");
            for command in [SessionCommand::TargetRandom, SessionCommand::Lesson(LessonCommand::Next)] {
                let _ = session.apply(&command);
            }
            let Some(lesson) = session.lesson() else { continue };
            let (recording, what) = (lesson.recording(), format!("{}, {frees}", file.display()));
            let (_, curve) = session.convergence().expect("there is a solve");
            let (last, end) = (curve.last().expect("the start"), recording.phases.last().expect("the start"));
            assert_eq!(last.error, end.error, "{what}");
            let iterations = curve.iter().filter(|round| round.is_iteration).count();
            assert_eq!(iterations, end.iteration as usize, "{what}: each iteration has its point");
            // The report counts open loops, orientations and overlaps too; a phase is about positions.
            let scene = session.scene();
            let is_plain = scene.loops.is_empty() && scene.obstacles.is_empty() && scene.keep_clear.is_none();
            if is_plain && recording.figure.oriented.is_empty() {
                let error = recording.report.error;
                assert!((last.error - error).abs() <= recording.tolerance, "{what}: {}, not {error}", last.error);
                curves += 1;
                free += usize::from(frees);
            }
        }
    }
    assert!(curves > 10 && free > 3, "{curves}, {free} of free bases");
}

#[test]
fn the_curve_of_a_solve_ends_where_the_solver_ends() {
    for name in ["demo", "tree", "human-arm", "two-arms"] {
        let mut session = open(name);
        for _ in 0..600 {
            session.tick(1.0 / 60.0);
        }
        // Otherwise the lesson starts with the published method.
        session.apply(&SessionCommand::Method(Method::Accelerated)).expect("any method");
        let (_, curve) = session.convergence().expect("there is a solve");
        session.apply(&SessionCommand::Lesson(LessonCommand::Next)).expect("opens a lesson");
        let recording = session.lesson().expect("is open").recording().clone();
        assert_eq!(
            session.convergence(),
            Some((recording.start, curve.clone())),
            "{name}: the lesson is on the same solve"
        );
        let (first, last) = (recording.phases.first().expect("a start"), recording.phases.last().expect("an end"));
        let (start, end) = (curve[0], curve[curve.len() - 1]);
        assert_eq!((start.error, end.error), (first.error, last.error), "{name}");
        assert_eq!((start.effort.steps(), end.effort), (0, recording.report.into()), "{name}");
        assert!(curve.is_sorted_by_key(|round| round.effort.steps()), "{name}: {curve:?}");
        assert_eq!(curve.iter().filter(|round| round.is_iteration).count(), last.iteration as usize, "{name}");
    }
}

#[test]
fn lessons_start_with_the_published_method_and_leave_that_of_the_scene() {
    let mut session = open("demo");
    wait(&mut session, 0.5);
    apply(&mut session, "target.preset 2");
    wait(&mut session, 2.0);
    apply(&mut session, "step.to 0");
    assert_eq!(session.method(), Method::Textbook);
    assert!(lesson(&session).recording().phases.iter().all(|phase| phase.event != Some(SolveEvent::Refine)));
    assert_eq!(session.scene().settings.method, Method::Accelerated, "the scene is solved as before");
    // A choice in a lesson holds for all lessons.
    apply(&mut session, "method accelerated");
    assert_eq!(session.method(), Method::Accelerated);
    apply(&mut session, "method ccd");
    apply(&mut session, "lesson.close");
    assert_eq!(session.method(), Method::Accelerated);
    apply(&mut session, "step.to 0");
    assert_eq!(session.method(), Method::Ccd);
    apply(&mut session, "lesson.close");
    // An earlier choice for the scene holds too.
    for method in [Method::Accelerated, Method::Dls] {
        let mut session = open("demo");
        session.apply(&SessionCommand::Method(method)).expect("any method");
        apply(&mut session, "step.to 0");
        assert_eq!((session.method(), session.scene().settings.method), (method, method));
    }
}

#[test]
fn pass_by_pass_the_progress_of_a_lesson_counts_passes() {
    let mut session = open("demo");
    apply(&mut session, "method textbook");
    for unit in ["joint", "pass"] {
        apply(&mut session, &format!("step.unit {unit}"));
        apply(&mut session, "step.to 0");
        let [first, last] = lesson(&session).progress();
        assert_eq!(first, 0);
        for place in 0..=last {
            assert_eq!(lesson(&session).progress(), [place, last], "by {unit} each step is one unit");
            assert_eq!(lesson(&session).step_of(place), lesson(&session).cursor());
            apply(&mut session, "step.next");
        }
        assert!(lesson(&session).step().is_last());
        let expected = if unit == "pass" { phase_count(lesson(&session)) } else { lesson(&session).len() };
        assert_eq!(last + 1, expected);
    }
}

#[test]
fn a_long_lesson_opens_pass_by_pass_unless_joints_were_chosen() {
    let mut long = 0;
    for scene in ["humanoid", "demo", "two-arms", "seed-arm"] {
        for asked in [None, Some("joint"), Some("pass")] {
            let mut session = open(scene);
            if let Some(unit) = asked {
                apply(&mut session, &format!("step.unit {unit}"));
            }
            apply(&mut session, "target.random");
            apply(&mut session, "step.to 0");
            let is_long = lesson(&session).len() > MAX_JOINT_STEPS;
            long += usize::from(is_long);
            let expected = match asked {
                Some("joint") => StepUnit::Joint,
                Some(_) => StepUnit::Pass,
                None if is_long => StepUnit::Pass,
                None => StepUnit::Joint,
            };
            assert_eq!((lesson(&session).unit(), session.step_unit()), (expected, expected), "{scene} {asked:?}");
        }
    }
    assert!(long > 0, "no lesson was long");
}

#[test]
fn the_lesson_of_another_method_is_at_the_same_step_or_the_same_iteration_or_still_at_its_end() {
    let (mut kept, mut near) = (0, 0);
    for scene in ["demo", "tree", "human-arm", "robot-arm"] {
        for from in Method::ALL {
            let mut session = open(scene);
            if try_apply(&mut session, &format!("method {}", from.key())).is_err() {
                continue;
            }
            wait(&mut session, 1.0);
            apply(&mut session, "target.random");
            apply(&mut session, "step.unit joint");
            apply(&mut session, "step.to 0");
            let count = lesson(&session).len();
            for number in [0, 1, 5, 17, count - 1].into_iter().filter(|number| *number < count) {
                let told = lesson(&session).recording().method;
                apply(&mut session, &format!("step.to {number}"));
                let (place, label) = {
                    let step = lesson(&session).step();
                    (step.position(), step.node().map(|node| step.label(node)))
                };
                apply(&mut session, "method.next");
                let now = lesson(&session);
                assert_ne!(now.recording().method, told);
                let step = now.step();
                if (0..now.len()).any(|other| now.step_at(other).position() == place) {
                    kept += usize::from(number > 0);
                    assert_eq!((step.phase().iteration, step.position()), (place.iteration, place), "{scene} {number}");
                    assert_eq!(step.node().map(|node| step.label(node)), label, "{scene} {number}");
                } else if now.cursor() + 1 < now.len() {
                    near += 1;
                    let first = step.since().map_or(step.phase().iteration, |before| before.iteration + 1);
                    let told = first..=step.phase().iteration;
                    assert!(
                        number < count - 1 && told.contains(&place.iteration),
                        "{scene} {number}: {told:?} {place:?}"
                    );
                } else if number < count - 1 {
                    let before = now.step_at(now.cursor() - 1).phase().iteration;
                    assert!(before < place.iteration, "{scene} {number}: not the end, {place:?}");
                }
                apply(&mut session, &format!("method {}", told.key()));
            }
        }
    }
    assert!(kept > 20 && near > 10, "{kept} {near}");
}

#[test]
fn lessons_use_the_method_chosen_last_until_that_is_undone() {
    let opened_with = |session: &mut Session| {
        apply(session, "step.to 0");
        let method = lesson(session).recording().method;
        apply(session, "lesson.close");
        method
    };
    let mut session = open("demo");
    assert_eq!(opened_with(&mut session), Method::Textbook, "no choice, and the scene has the default");
    for chosen in [Method::Accelerated, Method::Dls, Method::Accelerated, Method::Textbook, Method::Ccd] {
        apply(&mut session, &format!("method {}", chosen.key()));
        assert_eq!(opened_with(&mut session), chosen);
        apply(&mut session, "target.random");
        assert_eq!(opened_with(&mut session), chosen, "it stays");
    }
    // Undo restores the earlier choice.
    apply(&mut session, "undo");
    apply(&mut session, "undo");
    assert_eq!((session.scene().settings.method, opened_with(&mut session)), (Method::Textbook, Method::Textbook));
    // A reload of the file keeps the choice.
    apply(&mut session, "method accelerated");
    session.reload(open("demo").scene().clone());
    assert_eq!(opened_with(&mut session), Method::Accelerated);
    // In a lesson, undoing a move does not undo the choice of a method.
    apply(&mut session, "step.to 0");
    apply(&mut session, "target.move 0.1 0 0");
    apply(&mut session, "method svd-dls");
    apply(&mut session, "undo");
    assert_eq!(lesson(&session).recording().method, Method::SvdDls);
}

#[test]
fn only_methods_with_passes_can_be_stepped_joint_by_joint() {
    for method in Method::ALL {
        let mut session = open("demo");
        apply(&mut session, &format!("method {}", method.key()));
        apply(&mut session, "target.random");
        apply(&mut session, "step.to 0");
        let lesson = lesson(&session);
        assert_eq!(lesson.recording().method, method);
        let is_fabrik = matches!(method, Method::Accelerated | Method::Textbook);
        assert_eq!(lesson.has_passes(), is_fabrik, "{}", method.key());
        let has_joints = (0..lesson.len()).any(|number| lesson.step_at(number).node().is_some());
        assert_eq!(has_joints, is_fabrik, "{}", method.key());
    }
}

#[test]
fn the_next_method_of_a_lesson_is_the_other_kind_of_fabrik() {
    let mut session = open("demo");
    apply(&mut session, "target.preset 2");
    apply(&mut session, "step.to 0");
    let scene = session.scene().settings.method;
    let mut seen = Vec::new();
    for _ in 0..4 {
        seen.push(lesson(&session).recording().method);
        apply(&mut session, "method.next");
    }
    assert_eq!(seen, [Method::Textbook, Method::Accelerated, Method::Textbook, Method::Accelerated]);
    apply(&mut session, "method ccd");
    apply(&mut session, "method.next");
    assert_eq!(lesson(&session).recording().method, Method::Accelerated);
    assert_eq!(session.scene().settings.method, scene, "the scene is solved as before");
}

#[test]
fn iterations_add_up_over_the_frames_of_one_target_and_start_again_with_the_next() {
    for preset in [2, 3, 4] {
        let mut session = open("demo");
        apply(&mut session, "method textbook");
        apply(&mut session, "set solver.iterations_per_frame 1");
        wait(&mut session, 3.0);
        apply(&mut session, &format!("target.preset {preset}"));
        assert_eq!(session.effort(0).iterations, 0, "nothing is solved yet");
        let mut counts = Vec::new();
        for _ in 0..300 {
            session.tick(1.0 / 60.0);
            counts.push(session.effort(0).iterations);
        }
        assert!(counts.is_sorted(), "{counts:?}");
        apply(&mut session, "step.next");
        let report = lesson(&session).recording().report;
        assert_eq!(counts.last(), Some(&report.iterations), "preset {preset}");
    }
}

/// The number of phases that a lesson shows.
fn phase_count(lesson: &Lesson) -> usize {
    let mut phases: Vec<usize> = (0..lesson.len()).map(|number| lesson.step_at(number).phase_number()).collect();
    phases.dedup();
    phases.len()
}

#[test]
fn a_lesson_shows_the_rest_in_one_step_and_what_it_says_of_it_is_true() {
    let mut skipping = 0;
    for (scene, presets) in [("demo", 6), ("seed-arm", 2), ("tree", 2), ("humanoid", 3)] {
        for (method, preset) in
            ["textbook", "ccd"].into_iter().flat_map(|method| (1..=presets).map(move |k| (method, k)))
        {
            let mut session = open(scene);
            apply(&mut session, &format!("method {method}"));
            wait(&mut session, 1.5);
            apply(&mut session, &format!("target.preset {preset}"));
            apply(&mut session, "step.unit joint");
            apply(&mut session, "step.to 0");
            let what = format!("{scene} {method} {preset}");
            let lesson = lesson(&session);
            let (recording, reach) = (lesson.recording(), lesson.recording().figure.reach);
            let moved = |a: &[DVec3], b: &[DVec3]| a.iter().zip(b).map(|(a, b)| a.distance(*b)).fold(0.0, f64::max);
            // Of a joint, in a phase.
            let way = |phase: usize| moved(&recording.phases[phase - 1].points, &recording.phases[phase].points);
            let ends: Vec<usize> = (0..recording.phases.len())
                .filter(|&at| matches!(recording.phases[at].event, Some(SolveEvent::Forward | SolveEvent::Iteration)))
                .collect();
            let steps: Vec<_> = (0..lesson.len()).map(|number| lesson.step_at(number)).collect();
            let skips: Vec<usize> = (0..steps.len()).filter(|&number| steps[number].since().is_some()).collect();
            assert!(skips.len() <= 1, "{what}");
            let Some(&at) = skips.first() else {
                // Then something can be seen in the last iterations, or there are few of them.
                let tail: Vec<_> = ends.iter().rev().take(4).rev().copied().collect();
                let is_still = tail.windows(2).all(|pair| {
                    let is_run = (pair[0] + 1..pair[1]).all(|at| !recording.phases[at].order.is_empty());
                    is_run && (pair[0] + 1..=pair[1]).all(|at| way(at) <= 0.01 * reach)
                });
                assert!(tail.len() < 4 || !is_still, "{what}: nothing is skipped");
                continue;
            };
            skipping += 1;
            let (step, since) = (steps[at], steps[at].since().expect("skips"));
            let from = recording.phases.iter().position(|phase| phase == since).expect("recorded");
            let skipped: Vec<usize> =
                ends.iter().copied().filter(|end| (from..=step.phase_number()).contains(end)).collect();
            let count = skipped.len() - 1;
            assert!(count >= 3, "{what}");
            let shown = ends.iter().filter(|end| **end <= from).count();
            let is_still = (from + 1..=step.phase_number()).all(|phase| way(phase) <= 0.01 * reach);
            assert!(is_still || shown == 20, "{what}: visible moves are skipped after {shown} iterations");
            assert_eq!(step.before(), &recording.phases[from].points, "{what}: nothing jumps");
            assert_eq!(step.points(), recording.phases[step.phase_number()].points, "{what}");
            let text = step.sentence();
            let said = if is_still {
                format!("the last {count} iterations together")
            } else {
                format!("{count} more iterations")
            };
            assert!(text.contains(&said), "{what}: {text}");
            assert_eq!(text.contains("too little to see"), is_still, "{what}: {text}");
            if let Some((before, _)) = text.split_once(" % of the gap") {
                let stated: f64 = before.rsplit(' ').next().expect("a word").parse().expect("a number");
                let rest = (1.0 - stated / 100.0).ln() * count as f64;
                let slack = 0.006 / (1.0 - stated / 100.0) * count as f64;
                assert!((rest - (step.phase().error / since.error).ln()).abs() <= slack, "{what}: {text}");
            }
        }
    }
    assert!(skipping > 6, "{skipping}");
    // No lesson goes on and on: at most 20 iterations of two passes, the rest in one step, a refinement.
    let mut session = open("humanoid");
    apply(&mut session, "method textbook");
    apply(&mut session, "step.unit pass");
    apply(&mut session, "target.preset 2");
    apply(&mut session, "step.to 0");
    assert!(lesson(&session).progress()[1] <= 43, "{:?}", lesson(&session).progress());
    // The second preset of the demo was eighty steps long, of which sixty showed nothing.
    let mut session = open("demo");
    apply(&mut session, "method textbook");
    wait(&mut session, 1.5);
    apply(&mut session, "target.preset 2");
    apply(&mut session, "step.next");
    assert!(lesson(&session).len() < 40, "{}", lesson(&session).len());
}

#[test]
fn a_farther_target_shows_more_iterations_from_the_same_pose_and_can_be_undone() {
    for scene in ["demo", "two-arms"] {
        let mut session = open(scene);
        wait(&mut session, 1.0);
        apply(&mut session, "step.to 3");
        let (start, target) =
            (lesson(&session).subject().start.clone(), session.target(session.selected().expect("has effectors")));
        let few = lesson(&session).recording().visible_iterations();
        apply(&mut session, "step.far");
        let far = lesson(&session);
        assert_eq!((far.cursor(), &far.subject().start), (0, &start), "{scene}");
        let count = far.recording().visible_iterations();
        assert!(far.recording().report.stop.is_reached() && count >= few.min(3), "{scene}: {few} {count}");
        assert!(scene != "demo" || (few < 3 && count >= 5), "{scene}: {few} {count}");
        apply(&mut session, "undo");
        assert_eq!(session.target(session.selected().expect("has effectors")), target, "{scene}");
    }
}

#[test]
fn a_lesson_of_several_limbs_is_about_that_of_the_joint_that_moves() {
    let mut session = open("humanoid");
    let mut limbs = HashSet::new();
    for unit in ["joint", "pass"] {
        apply(&mut session, &format!("step.unit {unit}"));
        for number in 0..60 {
            apply(&mut session, &format!("step.to {number}"));
            let (step, limb) = (lesson(&session).step(), session.lesson_limb());
            // The hips carry all limbs, and a pass moves the whole figure.
            assert_eq!(limb, step.node().and_then(|node| step.figure().branch_effector(node)), "{unit} {number}");
            if let Some(end) = limb {
                assert!(step.figure().limb(end)[step.node().expect("a joint moves")]);
                limbs.insert(end);
            }
        }
    }
    assert!(limbs.len() > 3, "{limbs:?}");
    apply(&mut session, "lesson.close");
    let mut chain = open("demo");
    apply(&mut chain, "step.to 2");
    assert_eq!(chain.lesson_limb(), None);
}
