//! What lessons say is what is seen.

use crate::session_support;

use fabrik3d::session::Session;
use fabrik3d::session::lesson::{Gap, GapPlace, Lesson};
use fabrik3d_scene::Scene;
use session_support::{give, open, wait};

fn lesson(session: &Session) -> &Lesson {
    session.lesson().expect("a lesson is open")
}

/// Every lesson of our own scenes, from a preset away, with both FABRIK methods.
fn each_lesson(mut check: impl FnMut(&str, &Lesson)) {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/assets/scenes");
    for entry in std::fs::read_dir(folder).expect("scenes") {
        let path = entry.expect("an entry").path();
        let scene = Scene::open(&path).expect("the scene reads");
        for method in ["textbook", "accelerated"] {
            let mut session = Session::new(scene.clone());
            give(&mut session, &format!("method {method}"));
            wait(&mut session, 2.0);
            let presets = session.scene().effectors[0].presets.len();
            if presets > 1 {
                give(&mut session, "target.preset 2");
            }
            for unit in ["joint", "pass"] {
                give(&mut session, &format!("step.unit {unit}"));
                give(&mut session, "step.to 0");
                check(&format!("{} {method} by {unit}", path.display()), lesson(&session));
                give(&mut session, "lesson.close");
            }
        }
    }
}

#[test]
fn titles_and_sentences_say_what_is_seen() {
    let mut claims = 0;
    each_lesson(|name, lesson| {
        for number in 0..lesson.len() {
            let step = lesson.step_at(number);
            let (figure, points) = (step.figure(), step.points());
            let (title, deed, reason) = (step.title(), step.action().to_string(), step.reason().to_string());
            let what = format!("{name} step {number} {title}: {deed} {reason}");
            let on_target = |node: usize| {
                figure.target_of(node).is_some_and(|target| points[node].distance(target) <= 1e-9 * figure.reach)
            };
            if title.ends_with("put on the target") || deed.contains("straight onto its target") {
                assert!(on_target(step.node().expect("one node")), "{what}");
                assert!(title.ends_with("put on the target") && deed.contains("straight onto its target"), "{what}");
                claims += 1;
            }
            if title.ends_with("past the target") {
                assert!(!on_target(step.node().expect("one node")) && deed.contains("past the target"), "{what}");
                assert!(reason.contains("beyond the paper"), "{what}");
            }
            if step.node().is_none_or(|node| step.slide().is_some() || !figure.is_effector(node)) {
                assert!(!title.contains("effector is put") && !title.contains("effector is moved"), "{what}");
            }
            // No length or share is said to be another when it reads the same.
            if let Some((now, length)) = reason.split_once(" long instead of ") {
                let now = now.rsplit(' ').next().expect("a number");
                assert!(!length.starts_with(&format!("{now}.")) && length != now, "{what}");
            }
            assert!(!deed.contains("  ") && !reason.contains("  "), "{what}");
            for text in [&deed, &reason].into_iter().filter(|text| !text.is_empty()) {
                assert!(text.ends_with('.'), "{what}");
                assert!(!text.starts_with(char::is_lowercase), "{what}");
            }
            // Names of a scene stand in quotation marks wherever they stand.
            if figure.has_own_names() {
                let bare = [&deed, &reason].map(|text| {
                    text.split('“').map(|part| part.split('”').next_back().unwrap_or("")).collect::<String>()
                });
                for own in figure.names.iter().filter(|own| own.contains(' ')) {
                    assert!(!bare.iter().any(|text| text.contains(own.as_str())), "{own} in {what}");
                }
            }
        }
    });
    assert!(claims > 50, "{claims} claims say little");
}

#[test]
fn sentences_on_a_tree_name_all_targets_and_the_limb_worked_on() {
    let mut session = open("tree");
    give(&mut session, "step.next");
    let lesson = lesson(&session);
    let start = lesson.step();
    let (worst, gap) = start.figure().worst_goal(&start.points()).expect("goals");
    let deed = start.action().to_string();
    assert!(deed.starts_with("4 end effectors") && deed.contains(&start.figure().names[worst]), "{deed}");
    assert_eq!(start.gap(), Gap { place: GapPlace::Effector(worst), size: gap });
    let mut limbs = 0;
    for number in 0..lesson.len() {
        let step = lesson.step_at(number);
        let Some(limb) = step.node().and_then(|node| step.figure().branch_effector(node).filter(|&limb| limb != node))
        else {
            continue;
        };
        limbs += 1;
        let deed = step.action().to_string();
        assert!(deed.contains(&step.figure().names[limb]), "step {number}: {deed}");
    }
    assert!(limbs > 10, "{limbs}");
}

#[test]
fn by_pass_a_step_tells_of_the_whole_pass() {
    let mut session = open("demo");
    give(&mut session, "method textbook");
    give(&mut session, "step.to 5");
    give(&mut session, "step.unit pass");
    assert_eq!(lesson(&session).cursor(), 5, "the place stays");
    assert!(lesson(&session).step().node().is_some(), "amid a pass a step is one joint's");
    give(&mut session, "step.next");
    let step = lesson(&session).step();
    assert!(step.is_pass() && step.node().is_none() && step.slide().is_none());
    assert_eq!((step.letter(), step.title().as_str()), (Some('d'), "(b) to (d) Backward reaching"));
    let text = step.sentence();
    for part in ["P8'", "every joint", "base is 0.0425 arm lengths from its place"] {
        assert!(text.contains(part), "no {part} in {text}");
    }
    give(&mut session, "step.next");
    let text = lesson(&session).step().sentence();
    assert!(text.contains("every joint, up to the effector") && text.contains("fell from 0.38 to"), "{text}");
}
