//! Every reason that a lesson gives is true, by a check that knows only the scene and the pictures of the step.

use crate::session_support::{apply, open, wait};
use fabrik3d_ik::collision::Obstacle;
use fabrik3d_ik::{Kind, Problem};
use fabrik3d_scene::Scene;
use fabrik3d_viewer::session::Session;
use fabrik3d_viewer::session::lesson::{Lesson, LessonStep};
use glam::DVec3;

/// Calls `check` with the lessons of all example scenes after a jump to each preset, with both FABRIK methods.
fn each_lesson(mut check: impl FnMut(&str, &Session, &Lesson)) {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/assets/scenes");
    for entry in std::fs::read_dir(folder).expect("scenes") {
        let path = entry.expect("an entry").path();
        let scene = Scene::open(&path).expect("the scene reads");
        for method in ["textbook", "accelerated"] {
            for preset in 1..=scene.effectors[0].presets.len() {
                let mut session = Session::new(scene.clone());
                apply(&mut session, &format!("method {method}"));
                wait(&mut session, 1.0);
                apply(&mut session, &format!("target.preset {preset}"));
                for unit in ["joint", "pass"] {
                    apply(&mut session, &format!("step.unit {unit}"));
                    apply(&mut session, "step.to 0");
                    let name = format!("{} {method}, preset {preset}, by {unit}", path.display());
                    check(&name, &session, session.lesson().expect("a lesson is open"));
                    apply(&mut session, "lesson.close");
                }
            }
        }
    }
}

/// Distance of a point from an obstacle, negative inside, and the direction away from it.
fn distance(obstacle: &Obstacle, point: DVec3) -> (f64, DVec3) {
    let from = |nearest: DVec3, radius: f64| (point.distance(nearest) - radius, (point - nearest).normalize_or_zero());
    match *obstacle {
        Obstacle::Sphere { center, radius } => from(center, radius),
        Obstacle::HalfSpace { normal, offset } => (normal.dot(point) - offset, normal),
        Obstacle::Capsule { ends: [a, b], radius } => {
            let along = (point - a).dot(b - a) / (b - a).length_squared();
            from(a.lerp(b, along.clamp(0.0, 1.0)), radius)
        }
        Obstacle::Box { center, rotation, half } => {
            let local = rotation.conjugate() * (point - center);
            let outside = local.abs() - half;
            let distance = outside.max(DVec3::ZERO).length() + outside.max_element().min(0.0);
            let way = match outside.max_element() > 0.0 {
                true => local - local.clamp(-half, half),
                false => DVec3::AXES.into_iter().fold(DVec3::ZERO, |best, axis| {
                    if axis.dot(outside) == outside.max_element() { axis * axis.dot(local).signum() } else { best }
                }),
            };
            (distance, rotation * way.normalize())
        }
    }
}

/// Whether a point is as far from an obstacle as links keep from it.
fn touches(problem: &Problem, point: DVec3) -> bool {
    problem.obstacles.iter().any(|obstacle| (distance(obstacle, point).0 - problem.link_radius).abs() < 1e-8)
}

/// The number of a distance, at the end of `before`: `.. 0.4 arm lengths`.
fn number(before: &str) -> f64 {
    let number = before.strip_suffix(" arm lengths").or(before.strip_suffix(" of the reach"));
    number.expect("a distance").rsplit(' ').next().expect("a word").parse().expect("a number")
}

/// Joints of the skeleton at a node.
fn joints_at<'a>(step: &LessonStep<'a>, node: usize) -> impl Iterator<Item = usize> + 'a {
    step.figure().joints.iter().filter(move |(_, at)| *at == node).map(|(joint, _)| *joint)
}

#[test]
fn every_reason_for_a_joint_off_its_line_is_true() {
    let mut seen = [0; 5];
    each_lesson(|name, session, lesson| {
        let (skeleton, problem) = (&session.scene().skeleton, &lesson.subject().problem);
        for number_of_step in 0..lesson.len() {
            let step = lesson.step_at(number_of_step);
            let Some(slide) = step.slide().filter(|slide| step.is_off_line(slide)) else { continue };
            if !step.branch_positions().is_empty() {
                continue;
            }
            let (figure, reason) = (step.figure(), step.reason().to_string());
            let what = format!("{name} step {number_of_step}: {} {reason}", step.action());
            let is_held =
                [" from that point.", " away as well.", "is a hinge", "within its limits", "is stiff", "rigid piece"];
            assert!(is_held.iter().any(|cause| reason.contains(cause)), "no reason in {what}");
            // Pushed from its line, and by nothing else.
            if reason.contains("pushes") && reason.contains(" from that point.") {
                let pushed = problem.obstacles.iter().fold(slide.ideal, |point, obstacle| {
                    let (distance, away) = distance(obstacle, point);
                    point + away * (problem.link_radius - distance).max(0.0)
                });
                assert!(pushed.distance(slide.to) <= 1e-8 * figure.reach, "{what}");
                let off = slide.to.distance(slide.ideal) / figure.reach;
                let action = step.action().to_string();
                let (stated, _) = action.split_once(" from that place.").expect("says how far");
                assert!((number(stated) - off).abs() <= 0.06 * off, "{what}");
                assert!(step.blocking_joints().is_none(), "{what}");
                seen[0] += 1;
            }
            if reason.contains(" away as well.") {
                assert!(touches(problem, slide.to), "{what}");
                seen[1] += 1;
            }
            if reason.contains("is a hinge") {
                let is_hinge = |joint| matches!(skeleton.kind(joint), Kind::Hinge { .. });
                assert!(joints_at(&step, slide.anchor).any(is_hinge), "{what}");
                seen[2] += 1;
            }
            if reason.contains("within its limits") {
                let mut joints = joints_at(&step, slide.anchor);
                assert!(
                    joints.any(|joint| skeleton.kind(joint).can_move() && !skeleton.kind(joint).is_unlimited_ball())
                );
                seen[3] += 1;
            }
            if reason.contains("is stiff") {
                let mut joints = joints_at(&step, slide.anchor);
                assert!(joints.any(|joint| skeleton.joints()[joint].stiffness > 0.0), "{what}");
            }
            // The piece has more to suit than this joint.
            if reason.contains("rigid piece") {
                let is_rigid = |node| {
                    joints_at(&step, node).all(|joint| matches!(skeleton.kind(joint), Kind::Fixed | Kind::Slide { .. }))
                };
                let has_several = figure.children(slide.anchor).count() > 1;
                let has_orientation = problem.goals.iter().any(|goal| goal.requests_orientation());
                assert!(is_rigid(slide.anchor) || is_rigid(slide.node) || has_several || has_orientation, "{what}");
                seen[4] += 1;
            }
        }
    });
    assert!(seen.iter().all(|count| *count > 10), "{seen:?}");
}

#[test]
fn a_backward_pass_says_how_far_it_leaves_the_base_from_its_place() {
    let mut seen = 0;
    each_lesson(|name, _, lesson| {
        for step in (0..lesson.len()).map(|number| lesson.step_at(number)) {
            let reason = step.reason().to_string();
            let Some((before, _)) = reason.split_once(" from its place. The forward pass") else {
                continue;
            };
            let (figure, now, start) = (step.figure(), step.points(), lesson.step_at(0).points());
            let off =
                figure.fixed_bases().map(|node| now[node].distance(start[node]) / figure.reach).fold(0.0, f64::max);
            assert!((number(before) - off).abs() <= 0.06 * off, "{name}, {}: {reason}", step.title());
            seen += 1;
        }
    });
    assert!(seen > 20, "{seen}");
}

#[test]
fn a_whole_forward_pass_puts_only_fixed_bases_back() {
    let mut seen = [0; 2];
    each_lesson(|name, _, lesson| {
        for step in (0..lesson.len()).map(|number| lesson.step_at(number)) {
            let (figure, action) = (step.figure(), step.action().to_string());
            let (now, start) = (step.points(), lesson.step_at(0).points());
            let is_back = |base: usize| now[base].distance(start[base]) < 1e-6 * figure.reach;
            if action.starts_with("The base returned to its place. Then") {
                assert!(figure.fixed_bases().count() > 0 && figure.fixed_bases().all(is_back), "{name}: {action}");
                seen[0] += 1;
            }
            if action.starts_with("The base floats: it stayed") {
                assert!(figure.fixed_bases().count() == 0 && !figure.floating.is_empty(), "{name}: {action}");
                seen[1] += 1;
            }
        }
    });
    assert!(seen.iter().all(|count| *count > 10), "{seen:?}");
}

#[test]
fn where_the_passes_run_out_of_iterations_the_method_that_the_text_names_needs_fewer() {
    let mut seen = 0;
    for scene in ["humanoid", "obstacles", "keep-clear", "tree", "spider"] {
        let mut session = open(scene);
        apply(&mut session, "method textbook");
        apply(&mut session, "step.to 100000");
        let lesson = session.lesson().expect("a lesson is open");
        let (text, published) = (lesson.step().reason().to_string(), lesson.recording().report);
        if !text.contains("The method “FABRIK (this program)” usually") {
            continue;
        }
        apply(&mut session, "method accelerated");
        let own = session.lesson().expect("a lesson is open").recording().report;
        let is_better = own.stop.is_reached() || own.error < published.error;
        assert!(is_better && own.iterations < published.iterations, "{scene}: {own} {published}");
        // On its target within the tolerance, and yet not done: a link is in an obstacle.
        assert_eq!(
            text.contains("links still overlap"),
            published.error <= session.scene().settings.tolerance,
            "{text}"
        );
        seen += 1;
    }
    assert!(seen > 1, "{seen}");
}

#[test]
fn the_end_of_a_lesson_says_when_the_solve_was_nearer() {
    let mut seen = [0; 2];
    for scene in ["hand", "human-arm", "tree", "hexapod"] {
        for jumps in 1..10 {
            let mut session = open(scene);
            apply(&mut session, "method textbook");
            (0..jumps).for_each(|_| apply(&mut session, "target.random"));
            apply(&mut session, "step.to 100000");
            let lesson = session.lesson().expect("a lesson is open");
            let (text, rounds) = (lesson.step().reason().to_string(), lesson.recording().rounds());
            let end = rounds.last().expect("a start");
            let nearest = rounds.iter().min_by(|a, b| a.error.total_cmp(&b.error)).expect("a start");
            let Some((_, said)) = text.split_once(". After iteration ") else {
                assert!(text.contains("At the start") || end.error - nearest.error <= 0.01, "{scene}: {text}");
                seen[0] += 1;
                continue;
            };
            let (iteration, said) = said.split_once(" it was ").expect("an iteration");
            assert_eq!(iteration, nearest.effort.iterations.to_string(), "{scene}: {text}");
            let error: f64 =
                said.split([':', ' ']).next().expect("a word").trim_end_matches('.').parse().expect("a number");
            assert!((error - nearest.error).abs() <= 0.06 * nearest.error && error < end.error, "{scene}: {text}");
            seen[1] += 1;
        }
    }
    assert!(seen.iter().all(|count| *count > 5), "{seen:?}");
}
