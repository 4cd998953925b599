//! Laws of lessons: they show what the solver does, to the bit; every step is what its words say.

use crate::session_support;

use fabrik3d::session::command::SessionCommand;
use fabrik3d::session::lesson::{ActKind, Beginning, GapPlace, LONG, Lesson, Recording, StepCommand, Unit};
use fabrik3d::session::{Command, PlainChain, Session};
use fabrik3d::solve::examples;
use fabrik3d_ik::SolveEvent as Move;
use fabrik3d_ik::fabrik::passes;
use fabrik3d_ik::random::Random;
use fabrik3d_ik::{Chain, Method, Settings, Stop};
use fabrik3d_scene::{OpenOptions, Scene};
use glam::DVec3;
use session_support::{attempt, give, open, wait};

fn settings(method: Method) -> Settings {
    Settings { method, ..Settings::default() }
}

/// A chain of 1 to 10 links somewhere, and a target within its reach.
fn problem(random: &mut Random) -> PlainChain {
    let links = 1 + random.index(10);
    let mut points = vec![random.ball() * 5.0];
    let mut direction = random.direction();
    for i in 0..links {
        direction = (direction + random.direction() * 0.8).normalize_or(direction);
        points.push(points[i] + direction * random.range(0.3, 2.0));
    }
    let reach: f64 = points.windows(2).map(|pair| pair[0].distance(pair[1])).sum();
    let target = points[0] + random.ball() * reach;
    PlainChain { points, target, pole: None, free_base: false }
}

fn lesson(session: &Session) -> &Lesson {
    session.lesson().expect("a lesson is open")
}

#[test]
fn the_passes_of_a_textbook_lesson_are_fabrik_to_the_bit() {
    let mut random = Random::new(11);
    let mut passes = 0;
    for case in 0..400 {
        let plain = problem(&mut random);
        let settings = settings(Method::Textbook);
        let recording = Recording::of_chain(&plain, &settings).expect("a chain");
        let mut chain = Chain::new(&plain.points).expect("a chain");
        let lengths = chain.lengths().to_vec();
        let mut points = plain.points.clone();
        for act in &recording.acts[1..] {
            match act.kind {
                ActKind::Move(Move::Backward { target: aim }) => {
                    assert_eq!(aim, plain.target);
                    passes::backward(&mut points, &lengths, plain.target);
                }
                ActKind::Move(Move::Forward) => passes::forward(&mut points, &lengths, plain.points[0]),
                _ => points.clone_from(&act.points),
            }
            passes += 1;
            assert_eq!(act.points, points, "case {case}: {:?}", act.kind);
        }
        let report = chain.solve(plain.target, &settings);
        assert_eq!(recording.report, report, "case {case}");
        assert_eq!(recording.acts.last().expect("the start at least").points, chain.points(), "case {case}");
    }
    assert!(passes > 1000, "{passes} passes say little");
}

#[test]
fn every_lesson_ends_where_the_solver_ends_with_all_lengths() {
    let mut random = Random::new(12);
    for case in 0..800 {
        let plain = problem(&mut random);
        let settings = settings(Method::ALL[case % Method::ALL.len()]);
        let recording = Recording::of_chain(&plain, &settings).expect("a chain");
        let mut chain = Chain::new(&plain.points).expect("a chain");
        let report = chain.solve(plain.target, &settings);
        assert_eq!(recording.report, report, "case {case}");
        let reach = chain.reach();
        let is_best_kept = !matches!(settings.method, Method::Accelerated | Method::Textbook);
        if !is_best_kept {
            let last = &recording.acts.last().expect("the start at least").points;
            let off = last.iter().zip(chain.points()).map(|(a, b)| a.distance(*b)).fold(0.0, f64::max);
            assert!(off <= 1e-12 * reach, "case {case} {}: {off:e}", settings.method.key());
        }
        for act in &recording.acts {
            for (node, &length) in recording.figure.lengths.iter().enumerate().skip(1) {
                let now = act.points[node].distance(act.points[node - 1]);
                assert!((now - length).abs() <= 1e-12 * reach, "case {case} {:?}: {now} for {length}", act.kind);
            }
            match act.kind {
                ActKind::Move(Move::Backward { target: aim }) => {
                    assert!(act.points[chain.lengths().len()].distance(aim) <= 1e-12 * reach);
                }
                _ => assert!(act.points[0].distance(plain.points[0]) <= 1e-12 * reach, "the base has moved"),
            }
        }
    }
}

#[test]
fn a_step_moves_one_joint_along_its_line() {
    let mut random = Random::new(13);
    let mut slides = 0;
    for case in 0..200 {
        let plain = problem(&mut random);
        let method = if case % 2 == 0 { Method::Textbook } else { Method::Accelerated };
        let mut session = open("seed-arm");
        give(&mut session, "step.next");
        let subject = lesson(&session).subject().clone();
        let recording = Recording::of_chain(&plain, &settings(method)).expect("a chain");
        let lesson = Lesson::new(recording, subject, Unit::Joint);
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
    assert!(slides > 1000, "{slides} slides say little");
}

#[test]
fn stages_and_names_are_those_of_the_figure() {
    let mut session = open("seed-arm");
    give(&mut session, "method textbook");
    give(&mut session, "step.next");
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
    assert!(lesson.step_at(1).title().starts_with("(b) The effector is put on the target"));
}

#[test]
fn commands_walk_through_the_steps() {
    let mut session = open("demo");
    give(&mut session, "method textbook");
    let nodes = 8;
    let at = |session: &Session| lesson(session).cursor();
    give(&mut session, "step.next");
    assert_eq!(at(&session), 0, "the first press shows the start");
    assert!(session.paused());
    give(&mut session, "step.next");
    assert_eq!(at(&session), 1);
    give(&mut session, "step.backward");
    assert_eq!(at(&session), nodes);
    give(&mut session, "step.forward");
    assert_eq!(at(&session), 2 * nodes);
    give(&mut session, "step.unit pass");
    assert_eq!(session.step_unit(), Unit::Pass);
    give(&mut session, "step.next");
    assert_eq!(at(&session), 3 * nodes);
    give(&mut session, "step.back");
    assert_eq!(at(&session), 2 * nodes);
    give(&mut session, "step.unit");
    give(&mut session, "step.back");
    assert_eq!(at(&session), 2 * nodes - 1);
    give(&mut session, "step.to 3");
    assert_eq!(at(&session), 3);
    give(&mut session, "step.to 100000");
    assert!(lesson(&session).step().is_last());
    give(&mut session, "step.next");
    assert!(lesson(&session).step().is_last(), "there is nothing after the end");
    give(&mut session, "lesson.close");
    assert!(session.lesson().is_none() && !session.paused());
    give(&mut session, "step.back");
    assert!(lesson(&session).step().is_last(), "the first press back shows the end");
}

#[test]
fn a_lesson_plays_to_its_end_and_then_rests() {
    for unit in ["joint", "pass"] {
        let mut session = open("demo");
        give(&mut session, &format!("step.unit {unit}"));
        give(&mut session, "step.play");
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
fn another_target_is_another_solve_from_the_same_start() {
    let mut session = open("demo");
    give(&mut session, "method textbook");
    give(&mut session, "step.to 5");
    let start = lesson(&session).recording().acts[0].points.clone();
    let before = lesson(&session).step().points();
    give(&mut session, "target.move 0.1 0.2 0");
    assert_eq!(lesson(&session).recording().acts[0].points, start);
    assert_eq!(lesson(&session).cursor(), 5);
    assert_ne!(lesson(&session).step().points(), before);
    give(&mut session, "method accelerated");
    assert_eq!(lesson(&session).recording().acts[0].points, start);
    give(&mut session, "lesson.close");
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
            give(&mut session, &format!("method {method}"));
            give(&mut session, "step.next");
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
            // After a forward pass the pose is real: what does not slide keeps its distance from its parent.
            for act in recording.acts.iter().filter(|act| act.kind == ActKind::Move(Move::Forward) || act.is_polish()) {
                for (node, &parent) in figure.parents.iter().enumerate() {
                    let Some(parent) = parent else { continue };
                    let slides = figure.sliding.contains(&node);
                    let now = act.points[node].distance(act.points[parent]);
                    assert!(slides || (now - figure.lengths[node]).abs() <= 1e-9 * figure.reach, "{name} node {node}");
                }
            }
            if let Some(last) = recording.acts.last().filter(|act| act.is_polish()) {
                let reached = recording.report.stop == Stop::Reached;
                assert!(!reached || last.error <= recording.tolerance * 1.001, "{name}: {}", last.error);
            }
        }
    }
    assert!(lessons > 20, "{lessons}");
}

#[test]
fn a_sub_base_lies_between_the_wishes_of_its_limbs() {
    let mut session = open("tree");
    give(&mut session, "step.next");
    let lesson = lesson(&session);
    let mut seen = 0;
    for number in 0..lesson.len() {
        let step = lesson.step_at(number);
        let (wishes, Some(node)) = (step.wishes(), step.node()) else { continue };
        let wishes: Vec<DVec3> = wishes.into_iter().map(|(_, place)| place).collect();
        if wishes.is_empty() {
            continue;
        }
        seen += 1;
        assert!(wishes.len() > 1);
        let middle = wishes.iter().sum::<DVec3>() / wishes.len() as f64;
        let spread = wishes.iter().map(|wish| wish.distance(middle)).fold(0.0, f64::max);
        let off = step.act().points[node].distance(middle);
        let moved = step.before()[node].distance(middle);
        assert!(off <= spread + moved, "{}: {off} {spread} {moved}", step.label(node));
    }
    assert!(seen > 0, "no sub-base in the tree");
}

#[test]
fn the_gap_wanders_from_the_effector_to_the_base_and_back() {
    let mut session = open("demo");
    give(&mut session, "method textbook");
    give(&mut session, "step.next");
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
        // Measured anew: link by link, base and effector.
        let links = (1..points.len()).map(|k| (points[k].distance(points[k - 1]) - figure.lengths[k]).abs());
        let ends = [points[0].distance(lesson.step_at(0).points()[0]), points[7].distance(figure.goals[0].1)];
        let widest = links.chain(ends).fold(0.0, f64::max) / figure.reach;
        assert!((step.gap().size - widest).abs() <= 1e-12, "step {number}: {} {widest}", step.gap().size);
    }
}

#[test]
fn a_lesson_starts_where_something_is_to_be_done_and_says_where() {
    let starts = |session: &Session| lesson(session).recording().beginning;
    let first = |session: &Session| lesson(session).recording().acts[0].points.clone();
    // The scene has just been opened.
    let mut session = open("demo");
    give(&mut session, "step.next");
    assert_eq!(starts(&session), Beginning::Shown);
    let rest = first(&session);
    // It has been solved.
    give(&mut session, "lesson.close");
    wait(&mut session, 2.0);
    give(&mut session, "step.next");
    assert_eq!((starts(&session), first(&session)), (Beginning::SceneStart, rest.clone()));
    assert!(lesson(&session).step().deed().to_string().contains("scene's first pose"));
    give(&mut session, "lesson.close");
    // The target has jumped: whether the picture is on its way or has arrived.
    let shown: Vec<DVec3> = session.scene().skeleton.frames(session.displayed()).iter().map(|f| f.position).collect();
    for seconds in [0.0, 0.4, 2.0] {
        give(&mut session, "target.preset 2");
        wait(&mut session, seconds);
        give(&mut session, "step.next");
        let expected = if seconds == 0.0 { Beginning::Shown } else { Beginning::BeforeJump };
        assert_eq!(starts(&session), expected);
        assert!(first(&session)[..7].iter().zip(&shown).all(|(a, b)| a.distance(*b) < 1e-9));
        give(&mut session, "lesson.close");
        wait(&mut session, 2.0);
        give(&mut session, "undo");
        wait(&mut session, 2.0);
    }
    // The target has been followed, along a path or by keys.
    for command in ["target.path figure8", "target.move 0.01 0 0"] {
        give(&mut session, "target.preset 3");
        wait(&mut session, 2.0);
        give(&mut session, command);
        wait(&mut session, 3.0);
        give(&mut session, "step.next");
        assert_eq!((starts(&session), first(&session)), (Beginning::SceneStart, rest.clone()), "{command}");
        assert!(lesson(&session).recording().acts[0].error > 0.01, "there is something to do");
        give(&mut session, "lesson.close");
    }
    // Moved while time stood still: the pose on the screen has not followed.
    give(&mut session, "pause");
    give(&mut session, "target.move 0.3 0 0");
    give(&mut session, "step.next");
    assert_eq!(starts(&session), Beginning::Shown);
}

#[test]
fn the_picture_eases_into_the_start() {
    let mut session = open("demo");
    wait(&mut session, 2.0);
    let shown = session.displayed_tip(0);
    give(&mut session, "step.next");
    let tip = |session: &Session| lesson(session).shown()[7];
    assert!(tip(&session).distance(shown) < 1e-9, "it begins with what was shown");
    let mut last = tip(&session);
    let mut frames = 0;
    while session.is_moving() {
        session.tick(1.0 / 60.0);
        assert!(tip(&session).distance(last) < 0.05 * session.reach_of_selected(), "it jumps");
        last = tip(&session);
        frames += 1;
    }
    assert!(frames > 30);
    assert!(last.distance(lesson(&session).recording().acts[0].points[7]) < 1e-12);
}

#[test]
fn selecting_within_the_figure_keeps_the_place_in_the_lesson() {
    let mut session = open("tree");
    give(&mut session, "step.to 11");
    let before = lesson(&session).step().points();
    for command in ["effector.next", "effector.next", "joint.next", "joint.none", "target.grab", "speed 2", "step.unit"]
    {
        give(&mut session, command);
        assert_eq!(lesson(&session).cursor(), 11, "{command}");
        assert_eq!(lesson(&session).step().points(), before, "{command}");
    }
    give(&mut session, "target.move 0 0.05 0");
    assert_eq!(lesson(&session).cursor(), 11, "another target, the same place");
    give(&mut session, "undo");
    assert_eq!(lesson(&session).cursor(), 11);
    assert_eq!(lesson(&session).step().points(), before);
}

#[test]
fn what_holds_a_joint_beside_its_line_allows_where_it_stands() {
    let mut session = open("human-arm");
    wait(&mut session, 2.0);
    give(&mut session, "target.preset 2");
    give(&mut session, "step.next");
    let lesson = lesson(&session);
    let skeleton = &session.scene().skeleton;
    let mut held = 0;
    for number in 0..lesson.len() {
        let step = lesson.step_at(number);
        let Some(hold) = step.hold() else { continue };
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
fn the_words_of_commands_are_the_commands() {
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
        "race.layout overlaid",
        "race.layout beside",
        "race off",
    ];
    for word in words {
        assert_eq!(word.parse::<Command>().expect(word).to_string(), word);
    }
    for wrong in ["step.to", "step.to x", "step.unit knee", "step.next 3", "race", "race ccd", "race ccd nothing"] {
        assert!(wrong.parse::<Command>().is_err(), "{wrong}");
    }
    let next = SessionCommand::Step(StepCommand::Next);
    assert_eq!("step.next".parse::<Command>(), Ok(Command::Session(next)));
}

#[test]
fn the_curve_of_a_solve_ends_where_the_solver_ends() {
    for name in ["demo", "tree", "human-arm", "two-arms"] {
        let mut session =
            Session::new(examples::open(format!("example:{name}"), &OpenOptions::default()).expect("opens"));
        for _ in 0..600 {
            session.tick(1.0 / 60.0);
        }
        // Chosen, so that the lesson does not begin with the published method.
        session.apply(&SessionCommand::Method(Method::Accelerated)).expect("any method");
        let curve = session.convergence().expect("there is a solve");
        session.apply(&SessionCommand::Step(StepCommand::Next)).expect("opens a lesson");
        let recording = session.lesson().expect("is open").recording().clone();
        assert_eq!(session.convergence().as_ref(), Some(&curve), "{name}: the lesson is on the same solve");
        let (first, last) = (recording.acts.first().expect("a start"), recording.acts.last().expect("an end"));
        assert_eq!((curve[0], *curve.last().expect("not empty")), (first.error, last.error), "{name}");
        assert_eq!(curve.len(), last.iteration as usize + 1, "{name}");
    }
}

#[test]
fn lessons_teach_the_published_method_first_and_leave_the_scene_its_own() {
    let mut session = open("demo");
    wait(&mut session, 0.5);
    give(&mut session, "target.preset 2");
    wait(&mut session, 2.0);
    give(&mut session, "step.to 0");
    assert_eq!(session.method(), Method::Textbook);
    assert!(lesson(&session).recording().acts.iter().all(|act| act.kind != ActKind::Polish));
    assert_eq!(session.scene().settings.method, Method::Accelerated, "the scene is solved as before");
    // What is chosen in a lesson stays, for lessons.
    give(&mut session, "method accelerated");
    assert_eq!(session.method(), Method::Accelerated);
    give(&mut session, "method ccd");
    give(&mut session, "lesson.close");
    assert_eq!(session.method(), Method::Accelerated);
    give(&mut session, "step.to 0");
    assert_eq!(session.method(), Method::Ccd);
    give(&mut session, "lesson.close");
    // What was chosen for the scene before counts too.
    for method in [Method::Accelerated, Method::Dls] {
        let mut session = open("demo");
        session.apply(&SessionCommand::Method(method)).expect("any method");
        give(&mut session, "step.to 0");
        assert_eq!((session.method(), session.scene().settings.method), (method, method));
    }
}

#[test]
fn by_pass_the_places_of_a_lesson_are_its_passes() {
    let mut session = open("demo");
    give(&mut session, "method textbook");
    for unit in ["joint", "pass"] {
        give(&mut session, &format!("step.unit {unit}"));
        give(&mut session, "step.to 0");
        let [first, last] = lesson(&session).place();
        assert_eq!(first, 0);
        for place in 0..=last {
            assert_eq!(lesson(&session).place(), [place, last], "by {unit} each step is one place");
            assert_eq!(lesson(&session).step_of(place), lesson(&session).cursor());
            give(&mut session, "step.next");
        }
        assert!(lesson(&session).step().is_last());
        let expected = if unit == "pass" { lesson(&session).recording().acts.len() } else { lesson(&session).len() };
        assert_eq!(last + 1, expected);
    }
}

#[test]
fn a_lesson_of_very_many_steps_opens_by_pass_unless_joints_were_asked_for() {
    let mut long = 0;
    for scene in ["tree", "demo", "two-arms", "seed-arm"] {
        for asked in [None, Some("joint"), Some("pass")] {
            let mut session = open(scene);
            if let Some(unit) = asked {
                give(&mut session, &format!("step.unit {unit}"));
            }
            give(&mut session, "target.random");
            give(&mut session, "step.to 0");
            let is_long = lesson(&session).len() > LONG;
            long += usize::from(is_long);
            let expected = match asked {
                Some("joint") => Unit::Joint,
                Some(_) => Unit::Pass,
                None if is_long => Unit::Pass,
                None => Unit::Joint,
            };
            assert_eq!((lesson(&session).unit(), session.step_unit()), (expected, expected), "{scene} {asked:?}");
        }
    }
    assert!(long > 0, "no lesson was long");
}

#[test]
fn another_methods_lesson_stands_at_the_same_step_or_at_its_start() {
    let (mut kept, mut starts) = (0, 0);
    for scene in ["demo", "tree", "human-arm", "robot-arm"] {
        for from in Method::ALL {
            let mut session = open(scene);
            if attempt(&mut session, &format!("method {}", from.key())).is_err() {
                continue;
            }
            wait(&mut session, 1.0);
            give(&mut session, "target.random");
            give(&mut session, "step.unit joint");
            give(&mut session, "step.to 0");
            let count = lesson(&session).len();
            for number in [0, 1, 5, 17, count - 1].into_iter().filter(|number| *number < count) {
                let told = lesson(&session).recording().method;
                give(&mut session, &format!("step.to {number}"));
                let (place, label) = {
                    let step = lesson(&session).step();
                    (step.place(), step.node().map(|node| step.label(node)))
                };
                give(&mut session, "method.next");
                let now = lesson(&session);
                assert_ne!(now.recording().method, told);
                let step = now.step();
                if now.cursor() > 0 {
                    kept += 1;
                    assert_eq!((step.act().iteration, step.place()), (place.iteration, place), "{scene} {number}");
                    assert_eq!(step.node().map(|node| step.label(node)), label, "{scene} {number}");
                } else {
                    starts += 1;
                    let has_it = (1..now.len()).any(|other| now.step_at(other).place() == place);
                    assert!(!has_it, "{scene} {number}: it has this step as well");
                }
                give(&mut session, &format!("method {}", told.key()));
            }
        }
    }
    assert!(kept > 20 && starts > 20, "{kept} {starts}");
}

#[test]
fn the_method_chosen_last_is_that_of_lessons_until_the_choice_is_taken_back() {
    let opened_with = |session: &mut Session| {
        give(session, "step.to 0");
        let method = lesson(session).recording().method;
        give(session, "lesson.close");
        method
    };
    let mut session = open("demo");
    assert_eq!(opened_with(&mut session), Method::Textbook, "nobody has chosen, the scene has the default");
    for chosen in [Method::Accelerated, Method::Dls, Method::Accelerated, Method::Textbook, Method::Ccd] {
        give(&mut session, &format!("method {}", chosen.key()));
        assert_eq!(opened_with(&mut session), chosen);
        give(&mut session, "target.random");
        assert_eq!(opened_with(&mut session), chosen, "it stays");
    }
    // What undo brings back was chosen before.
    give(&mut session, "undo");
    give(&mut session, "undo");
    assert_eq!((session.scene().settings.method, opened_with(&mut session)), (Method::Textbook, Method::Textbook));
    // A file that was edited and read again is the same session.
    give(&mut session, "method accelerated");
    session.reload(open("demo").scene().clone());
    assert_eq!(opened_with(&mut session), Method::Accelerated);
    // In a lesson, undoing a move takes no choice of a method back.
    give(&mut session, "step.to 0");
    give(&mut session, "target.move 0.1 0 0");
    give(&mut session, "method svd-dls");
    give(&mut session, "undo");
    assert_eq!(lesson(&session).recording().method, Method::SvdDls);
}

#[test]
fn only_methods_with_passes_can_be_stepped_joint_by_joint() {
    for method in Method::ALL {
        let mut session = open("demo");
        give(&mut session, &format!("method {}", method.key()));
        give(&mut session, "target.random");
        give(&mut session, "step.to 0");
        let lesson = lesson(&session);
        assert_eq!(lesson.recording().method, method);
        let is_fabrik = matches!(method, Method::Accelerated | Method::Textbook);
        assert_eq!(lesson.has_passes(), is_fabrik, "{}", method.key());
        let has_joints = (0..lesson.len()).any(|number| lesson.step_at(number).node().is_some());
        assert_eq!(has_joints, is_fabrik, "{}", method.key());
    }
}
