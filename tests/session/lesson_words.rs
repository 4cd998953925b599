//! The texts of lessons describe what the picture shows.

use crate::session_support;

use fabrik3d_scene::Scene;
use fabrik3d_viewer::session::Session;
use fabrik3d_viewer::session::lesson::{Gap, GapPlace, Lesson};
use session_support::{apply, open, wait};

fn lesson(session: &Session) -> &Lesson {
    session.lesson().expect("a lesson is open")
}

/// The lessons of all own scenes after a jump to a preset, with both FABRIK methods.
fn each_lesson(mut check: impl FnMut(&str, &Lesson)) {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/assets/scenes");
    for entry in std::fs::read_dir(folder).expect("scenes") {
        let path = entry.expect("an entry").path();
        let scene = Scene::open(&path).expect("the scene reads");
        for method in ["textbook", "accelerated"] {
            let mut session = Session::new(scene.clone());
            apply(&mut session, &format!("method {method}"));
            wait(&mut session, 2.0);
            let presets = session.scene().effectors[0].presets.len();
            if presets > 1 {
                apply(&mut session, "target.preset 2");
            }
            for unit in ["joint", "pass"] {
                apply(&mut session, &format!("step.unit {unit}"));
                apply(&mut session, "step.to 0");
                check(&format!("{} {method} by {unit}", path.display()), lesson(&session));
                apply(&mut session, "lesson.close");
            }
        }
    }
}

#[test]
fn titles_and_sentences_describe_the_picture() {
    let mut claims = 0;
    each_lesson(|name, lesson| {
        for number in 0..lesson.len() {
            let step = lesson.step_at(number);
            let (figure, points) = (step.figure(), step.points());
            let (title, action, reason) = (step.title(), step.action().to_string(), step.reason().to_string());
            let what = format!("{name} step {number} {title}: {action} {reason}");
            let on_target = |node: usize| {
                figure.target_of(node).is_some_and(|target| points[node].distance(target) <= 1e-9 * figure.reach)
            };
            if title.ends_with("put on its target") || action.contains("straight onto its target") {
                assert!(on_target(step.node().expect("one node")), "{what}");
                assert!(title.ends_with("put on its target") && action.contains("straight onto its target"), "{what}");
                claims += 1;
            }
            if title.ends_with("past the target") {
                assert!(!on_target(step.node().expect("one node")) && action.contains("past the target"), "{what}");
                assert!(reason.contains("beyond the paper"), "{what}");
            }
            if step.node().is_none_or(|node| step.slide().is_some() || !figure.is_effector(node)) {
                assert!(!title.contains("is put on its") && !title.contains("is moved toward its"), "{what}");
            }
            assert!(!action.contains("  ") && !reason.contains("  "), "{what}");
            for text in [&action, &reason].into_iter().filter(|text| !text.is_empty()) {
                assert!(text.ends_with('.'), "{what}");
                assert!(!text.starts_with(char::is_lowercase), "{what}");
            }
            // Names of a scene are always in quotation marks.
            if !figure.is_chain {
                let bare = [&action, &reason].map(|text| {
                    text.split('“').map(|part| part.split('”').next_back().unwrap_or("")).collect::<String>()
                });
                for own in figure.names.iter().filter(|own| own.contains(' ')) {
                    assert!(!bare.iter().any(|text| text.contains(own.as_str())), "{own} in {what}");
                }
            }
        }
    });
    assert!(claims > 50, "only {claims} claims");
}

#[test]
fn sentences_on_a_tree_name_the_targets_and_the_branch() {
    let mut session = open("tree");
    apply(&mut session, "step.next");
    let lesson = lesson(&session);
    let start = lesson.step();
    let (worst, gap) = start.figure().worst_goal(&start.points()).expect("goals");
    let action = start.action().to_string();
    assert!(
        action.contains(" is the effector that is farthest from its target")
            && action.contains(&start.figure().names[worst]),
        "{action}"
    );
    assert_eq!(start.gap(), Gap { place: GapPlace::Effector(worst), size: gap });
    let mut branches = 0;
    for number in 0..lesson.len() {
        let step = lesson.step_at(number);
        let Some(branch) =
            step.node().and_then(|node| step.figure().branch_effector(node).filter(|&effector| effector != node))
        else {
            continue;
        };
        branches += 1;
        let action = step.action().to_string();
        assert!(action.contains(&step.figure().names[branch]), "step {number}: {action}");
    }
    assert!(branches > 10, "{branches}");
}

#[test]
fn pass_by_pass_a_step_describes_the_whole_pass() {
    let mut session = open("demo");
    apply(&mut session, "method textbook");
    apply(&mut session, "step.to 5");
    apply(&mut session, "step.unit pass");
    assert_eq!(lesson(&session).cursor(), 5, "the position stays");
    assert!(lesson(&session).step().node().is_some(), "within a pass a step moves one joint");
    apply(&mut session, "step.next");
    let step = lesson(&session).step();
    assert!(step.is_pass() && step.node().is_none() && step.slide().is_none());
    assert_eq!((step.letter(), step.title().as_str()), (Some('d'), "(b) to (d) Backward reaching"));
    let text = step.sentence();
    for part in ["P8'", "every joint", "base is 0.0425 arm lengths from its place"] {
        assert!(text.contains(part), "no {part} in {text}");
    }
    apply(&mut session, "step.next");
    let text = lesson(&session).step().sentence();
    assert!(text.contains("every joint, up to the tip") && text.contains("fell from 0.38 to"), "{text}");
}
