//! Where drags and jumps end: with the turning that the targets need, whatever the way was.

use crate::balance::{has_part, joint_of};
use crate::held::{HELD, QUICK, TALL, free, ground, opened, pinned, slip};
use crate::pins::{bodies, height};
use fabrik3d_ik::random::Random;
use fabrik3d_scene::Scene;
use fabrik3d_viewer::session::{Session, SessionCommand};
use glam::DVec3;

/// Drags the target of an effector along a way at the speed of a quick drag, and lets it rest. Returns how far pinned effectors
/// are from their places meanwhile.
fn drag_and_rest(session: &mut Session, at: usize, way: DVec3) -> f64 {
    const FPS: f64 = 60.0;
    let places = pinned(session);
    let name = session.scene().effectors[at].name.clone();
    let start = session.target(at).position.unwrap_or(session.tip(at));
    let frames = (way.length() * TALL / height(session.scene()) / QUICK * FPS).ceil();
    let mut away: f64 = 0.0;
    for frame in 0..frames as u32 + 60 {
        if f64::from(frame) < frames {
            let place = start + way * (f64::from(frame + 1) / frames);
            session.apply(&SessionCommand::TargetGlide(name.clone(), place, None)).expect("finite");
        }
        session.tick(1.0 / FPS);
        away = away.max(slip(session, &places));
    }
    away
}

/// How far the farthest joint of the solved pose is from where it is in another one, metres of a person.
fn farthest(session: &Session, frames: &[fabrik3d_ik::Isometry]) -> f64 {
    let now = session.scene().skeleton.frames(session.solved());
    let moves = now.iter().zip(frames).map(|(now, then)| now.position.distance(then.position));
    moves.fold(0.0, f64::max) * TALL / height(session.scene())
}

/// Of the bodies, those with stiff joints.
fn stiff() -> impl Iterator<Item = (String, Scene)> {
    bodies().into_iter().filter(|(_, scene)| scene.skeleton.joints().iter().any(|joint| joint.stiffness > 0.0))
}

/// However far a hand or the head is dragged, and however low: once it is back and rests, so does the body.
#[test]
fn a_drag_out_and_back_ends_where_it_began() {
    for (name, scene) in stiff() {
        let mut random = Random::new(7);
        let up = scene.up.axis() * height(&scene);
        for &at in free(&scene).iter().take(3) {
            let mut any = || random.direction() * (height(&scene) * random.range(0.2, 1.0));
            for way in [up * -0.9, any(), any(), any(), any(), any()] {
                let mut session = opened(&scene);
                let before = scene.skeleton.frames(session.solved());
                let slips = drag_and_rest(&mut session, at, way).max(drag_and_rest(&mut session, at, -way));
                let (what, worst) = (&scene.effectors[at].name, farthest(&session, &before));
                assert!(worst < 0.02, "{name}, {what}, {way}: a joint ends {worst} m from where it was");
                assert!(slips < HELD, "{name}, {what}, {way}: a pinned effector is {slips} away");
            }
        }
    }
}

/// So does a foot that is lifted and put down: the body no longer stands on the other one alone.
#[test]
fn a_foot_that_is_put_down_carries_again() {
    let (mut stand, mut all) = (0, 0);
    for (name, scene) in stiff() {
        let [low, high] = [[0.12, 0.1], [0.25, 0.2]]
            .map(|[up, ahead]| (scene.up.axis() * up + scene.front().expect("a front") * ahead) * height(&scene));
        for ((at, _), lift) in pinned(&opened(&scene)).into_iter().flat_map(|it| [(it, low), (it, high)]) {
            let mut session = opened(&scene);
            let places = pinned(&session);
            let before = scene.skeleton.frames(session.solved());
            let _ = drag_and_rest(&mut session, at, lift).max(drag_and_rest(&mut session, at, -lift));
            all += 1;
            // A foot whose ankle was let go on the way may end a little turned.
            let after = scene.skeleton.frames(session.solved());
            let turned = |&(at, _): &(usize, DVec3)| {
                let joint = scene.effectors[at].effector.joint;
                before[joint].rotation.angle_between(after[joint].rotation) > 0.01
            };
            if slip(&session, &places) > HELD || places.iter().any(turned) {
                continue;
            }
            stand += 1;
            let (what, worst) = (&scene.effectors[at].name, farthest(&session, &before));
            assert!(worst < 0.02, "{name}, {what}: a joint ends {worst} m from where it was");
        }
    }
    assert!(stand * 4 >= all * 3, "{stand} of {all} stand as before");
}

/// A knee that is dragged farther away from its foot than the shin is long draws the foot after it. Back at its place, the foot
/// stands where it stood. A knee that is lowered leaves it there.
#[test]
fn a_knee_draws_its_foot_after_it() {
    for (name, mut scene) in stiff().filter(|(_, scene)| scene.center_of_mass().is_some()) {
        let (tall, up) = (height(&scene), scene.up.axis());
        let front = scene.front().expect("a front");
        let knee_name = scene.skeleton.joints()[joint_of(&scene, "left shin")].name.clone();
        let at = scene.add_effector(&knee_name, None).expect("an effector");
        let foot = scene.feet()[0];
        for (way, is_lifted) in [(up * 0.15 + front * 0.15, true), (up * -0.05 + front * 0.05, false)] {
            let mut session = opened(&scene);
            let stood = pinned(&session);
            let _ = drag_and_rest(&mut session, at, way * tall);
            let miss = session.tip(at).distance(session.target(at).position.expect("a position")) / tall;
            assert!(!is_lifted || miss < HELD, "{name}, {way}: the knee is {miss} from its target");
            let stood_at = stood.iter().find(|(end, _)| *end == foot.ankle).expect("a pinned ankle").1;
            let rises = (session.tip(foot.ankle) - stood_at).dot(up) / tall;
            assert!(if is_lifted { rises > 0.05 } else { rises.abs() < HELD }, "{name}, {way}: it rises by {rises}");
            let _ = drag_and_rest(&mut session, at, way * -tall);
            for (end, place) in stood.into_iter().filter(|(end, _)| *end != at) {
                let off = session.tip(end).distance(place) / tall;
                let what = &scene.effectors[end].name;
                assert!(off < HELD, "{name}, {way}: {what} ends {off} away");
            }
        }
    }
}

/// The bodies with a mass that have a part.
fn people_with(part: &str) -> impl Iterator<Item = (String, Scene)> {
    stiff().filter(move |(_, scene)| scene.center_of_mass().is_some() && has_part(scene, part))
}

/// The hip, the knee, the ankle and the toes of a leg in the solved pose.
fn leg(session: &Session, side: &str) -> [DVec3; 4] {
    let frames = session.scene().skeleton.frames(session.solved());
    ["thigh", "shin", "foot", "toe"].map(|part| frames[joint_of(session.scene(), &format!("{side} {part}"))].position)
}

/// The shin of a foot that is lifted ahead hangs: the thigh goes out as far as the foot needs.
#[test]
fn a_lifted_foot_hangs_below_its_knee() {
    for (name, scene) in people_with("left toe") {
        let (up, front) = (scene.up.axis(), scene.front().expect("a front"));
        let mut session = opened(&scene);
        let _ = drag_and_rest(&mut session, scene.feet()[0].ankle, (up * 0.25 + front * 0.2) * height(&scene));
        let [_, knee, ankle, _] = leg(&session, "left");
        let aside = (ankle - knee).normalize().dot(up.cross(front)).asin().to_degrees();
        assert!(aside.abs() < 12.0, "{name}: the shin leans aside by {aside} degrees");
    }
}

/// Knees point where the feet do when the hips go down, also those of a file whose legs are spread at rest.
#[test]
fn knees_of_a_body_that_crouches_are_above_its_feet() {
    for (name, mut scene) in people_with("left toe") {
        let up = scene.up.axis();
        let hips = joint_of(&scene, "pelvis");
        let found = scene.effectors.iter().position(|own| own.effector.joint == hips);
        let at = found.unwrap_or_else(|| {
            let name = scene.skeleton.joints()[hips].name.clone();
            scene.add_effector(&name, None).expect("an effector")
        });
        let mut session = opened(&scene);
        let _ = drag_and_rest(&mut session, at, up * (-0.25 * height(&scene)));
        for side in ["left", "right"] {
            let [hip, knee, ankle, toes] = leg(&session, side);
            let way = (knee - hip).reject_from(ankle - hip);
            let [way, foot] = [way, toes - ankle].map(|link| link.reject_from_normalized(up));
            let aside = way.angle_between(foot).to_degrees();
            assert!(aside < 6.0, "{name}: the {side} knee points {aside} degrees beside the foot");
        }
    }
}

/// What was posed with other effectors before stays, if the body does not fall there: it goes back no farther than to where the
/// drag began.
#[test]
fn a_drag_leaves_what_others_have_posed() {
    for (name, scene) in stiff().take(2) {
        let [hand, other, head] = free(&scene)[..3] else { panic!("{name}: hands and head") };
        let (up, front) = (scene.up.axis() * height(&scene), scene.front().expect("a front") * height(&scene));
        let mut session = opened(&scene);
        let _ = drag_and_rest(&mut session, head, up * -0.2 + front * 0.15);
        let _ = drag_and_rest(&mut session, other, up * 0.3 + front * 0.2);
        let before = scene.skeleton.frames(session.solved());
        let _ = drag_and_rest(&mut session, hand, up * -0.15 + front * 0.2);
        let _ = drag_and_rest(&mut session, hand, up * 0.15 - front * 0.2);
        let now = scene.skeleton.frames(session.solved());
        let arm: Vec<usize> = scene.skeleton.ancestors(scene.effectors[hand].effector.joint).take(4).collect();
        let is_of_arm = |at: usize| scene.skeleton.ancestors(at).any(|above| arm.contains(&above));
        for at in (0..scene.skeleton.len()).filter(|&at| !is_of_arm(at)) {
            let turned = before[at].rotation.angle_between(now[at].rotation);
            let joint = &scene.skeleton.joints()[at].name;
            assert!(turned < 0.1, "{name}: {joint} ends {turned} from how it was posed");
        }
        let bowed = session.tip(head).distance(opened(&scene).tip(head)) / height(&scene);
        assert!(bowed > 0.2, "{name}: the head is {bowed} of the height from where it was at first");
    }
}

/// Behind a foot or a hand that follows the pointer, the body moves smoothly: it shifts its weight before an eye can see it leap.
#[test]
fn a_body_does_not_leap_behind_the_pointer() {
    for (name, scene) in stiff() {
        let (tall, up) = (height(&scene), scene.up.axis());
        let (front, ends) = (scene.front().expect("a front"), free(&scene));
        let [hand, other, ..] = ends[..] else { continue };
        let [left, right] = [hand, other].map(|at| opened(&scene).tip(at));
        let aside = (left - right).reject_from(up).reject_from(front).normalize();
        let foot = (scene.feet()[0].ankle, up * 0.25 + front * 0.2, 24);
        // At full stretch, what is left of a turn is the root of what is left of the way.
        let ways = [foot, (hand, aside * 0.3, 30), (hand, aside * -0.3, 30), (hand, up * 0.7, 60)];
        for (at, way, frames) in ways {
            let most = if way.dot(up) > 0.5 { 0.08 } else { 0.03 };
            let mut session = opened(&scene);
            let (start, mut shown) = (session.tip(at), scene.skeleton.frames(session.displayed()));
            let moved: Vec<usize> = scene.skeleton.ancestors(scene.effectors[at].effector.joint).take(3).collect();
            let is_of_limb = |joint: usize| scene.skeleton.ancestors(joint).any(|above| moved.contains(&above));
            let (mut fastest, mut what) = (0.0, 0);
            for frame in 1..=frames {
                let place = start + way * (tall * f64::from(frame) / f64::from(frames));
                let glide = SessionCommand::TargetGlide(scene.effectors[at].name.clone(), place, None);
                session.apply(&glide).expect("finite");
                session.tick(1.0 / 60.0);
                let now = scene.skeleton.frames(session.displayed());
                for joint in (0..now.len()).filter(|&joint| !is_of_limb(joint)) {
                    let step = now[joint].position.distance(shown[joint].position) / tall;
                    if step > fastest {
                        (fastest, what) = (step, joint);
                    }
                }
                shown = now;
            }
            let (effector, joint) = (&scene.effectors[at].name, &scene.skeleton.joints()[what].name);
            println!("{name}, {effector} by {way}: {joint} moves by {fastest:.4}");
            assert!(fastest < most, "{name}, {effector} by {way}: {joint} moves by {fastest} of the height in a frame");
        }
    }
}

/// Hips stay behind a hand that reaches forward, as its counterweight.
#[test]
fn hips_stay_behind_a_hand_that_reaches_forward() {
    let (mut sum, mut bodies) = (0.0, 0);
    for (_, scene) in people_with("left arm") {
        let (tall, front) = (height(&scene), scene.front().expect("a front"));
        let hips = joint_of(&scene, "left thigh");
        let mut session = opened(&scene);
        let place = |session: &Session| scene.skeleton.frames(session.solved())[hips].position.dot(front) / tall;
        let before = place(&session);
        let hand = free(&scene)[0];
        let shoulder = scene.skeleton.frames(session.solved())[joint_of(&scene, "left arm")].position;
        let way = shoulder + front * (0.5 * tall) - session.tip(hand);
        let _ = drag_and_rest(&mut session, hand, way);
        sum += place(&session) - before;
        bodies += 1;
    }
    let mean = sum / f64::from(bodies);
    assert!(mean < 0.055, "hips move forward by {mean} of the height");
}

/// Where a drag ends does not depend on its way: with a detour down, up or forward out of reach, the body ends as without.
#[test]
fn a_detour_ends_where_the_direct_way_ends() {
    for (name, scene) in stiff() {
        let (up, front) = (scene.up.axis() * height(&scene), scene.front().expect("a front") * height(&scene));
        let detours =
            [(up * -0.9, up * 0.6), (up * -0.8 + front * 0.2, up * 0.5 - front * 0.2), (front * 0.9, front * -0.7)];
        for &at in free(&scene).iter().take(3) {
            for (out, back) in detours {
                let [mut direct, mut detour] = [opened(&scene), opened(&scene)];
                let _ = drag_and_rest(&mut direct, at, out + back);
                let _ = drag_and_rest(&mut detour, at, out);
                let _ = drag_and_rest(&mut detour, at, back);
                let (what, worst) =
                    (&scene.effectors[at].name, farthest(&detour, &scene.skeleton.frames(direct.solved())));
                assert!(
                    worst < 0.05,
                    "{name}, {what}, {out}: a joint ends {worst} m from where it is without a detour"
                );
            }
        }
    }
}

/// How the target of an effector comes to a place.
#[derive(Clone, Copy, Debug)]
enum Coming {
    /// At once.
    Jump,
    /// In half a second or so, at this many frames a second.
    Straight(f64),
    /// By a place beside the way.
    Detour,
}

/// The joints once the target of an effector rests at a place, and how far pinned effectors were from theirs while it was dragged.
fn rest_at(scene: &Scene, at: usize, to: DVec3, coming: Coming) -> (Vec<DVec3>, f64) {
    let mut session = opened(scene);
    let (start, places, name) = (session.tip(at), pinned(&session), &scene.effectors[at].name);
    let beside = start.lerp(to, 0.5) + (to - start).any_orthonormal_vector() * (0.3 * height(scene));
    let (fps, stops) = match coming {
        Coming::Jump => (60.0, vec![]),
        Coming::Straight(fps) => (fps, vec![to]),
        Coming::Detour => (60.0, vec![beside, to]),
    };
    let (mut from, mut away): (DVec3, f64) = (start, 0.0);
    for stop in stops {
        let frames = (fps * 0.5) as u32;
        for frame in 1..=frames {
            let place = from.lerp(stop, f64::from(frame) / f64::from(frames));
            session.apply(&SessionCommand::TargetGlide(name.clone(), place, None)).expect("finite");
            session.tick(1.0 / fps);
            away = away.max(slip(&session, &places));
        }
        from = stop;
    }
    if matches!(coming, Coming::Jump) {
        session.apply(&SessionCommand::TargetSet(Some(name.clone()), to)).expect("finite");
    }
    (0..90).for_each(|_| session.tick(1.0 / 60.0));
    (scene.skeleton.frames(session.solved()).iter().map(|frame| frame.position).collect(), away)
}

/// At rest, a pose is a function of the targets: whether they jumped there, were dragged, in few frames or in many, or came by a
/// detour.
#[test]
fn a_pose_at_rest_depends_on_its_targets_alone() {
    for (name, scene) in stiff() {
        let mut random = Random::new(5);
        for &at in free(&scene).iter().take(4) {
            for _ in 0..5 {
                let way = random.direction() * (height(&scene) * random.range(0.1, 0.5));
                let to = opened(&scene).tip(at) + way;
                let (jumped, _) = rest_at(&scene, at, to, Coming::Jump);
                for coming in [30.0, 60.0, 144.0].map(Coming::Straight).into_iter().chain([Coming::Detour]) {
                    let (rests, slips) = rest_at(&scene, at, to, coming);
                    let apart =
                        rests.iter().zip(&jumped).map(|(here, there)| here.distance(*there)).fold(0.0, f64::max);
                    let what = format!("{name}, {} by {way}, {coming:?}", scene.effectors[at].name);
                    assert!(
                        apart < 1e-3 * height(&scene),
                        "{what}: a joint ends {apart} from where it does after a jump"
                    );
                    assert!(slips < HELD, "{what}: a pinned effector is {slips} away");
                }
            }
        }
    }
}

/// Where a jump ends does not depend on what was dragged before.
#[test]
fn a_jump_forgets_drags() {
    for (name, scene) in stiff().take(2) {
        let [hand, other, head] = free(&scene)[..3] else { panic!("{name}: hands and head") };
        let (up, front) = (scene.up.axis() * height(&scene), scene.front().expect("a front") * height(&scene));
        let [mut fresh, mut used] = [opened(&scene), opened(&scene)];
        let place = fresh.tip(hand) + up * 0.1 + front * 0.2;
        let _ = drag_and_rest(&mut used, head, up * -0.2 + front * 0.25);
        let _ = drag_and_rest(&mut used, other, up * 0.3 + front * 0.2);
        for session in [&mut fresh, &mut used] {
            let jump = SessionCommand::TargetSet(Some(scene.effectors[hand].name.clone()), place);
            session.apply(&jump).expect("finite");
            (0..60).for_each(|_| session.tick(1.0 / 60.0));
        }
        let worst = farthest(&used, &scene.skeleton.frames(fresh.solved()));
        assert!(worst < 0.001, "{name}: a joint ends {worst} m from where it is without drags");
    }
}

/// A body that has gone down with a hand comes up with it, smoothly, and not only when the pointer rests.
#[test]
fn a_body_comes_up_with_the_hand() {
    const FRAMES: u32 = 60;
    for (name, scene) in stiff() {
        let tall = height(&scene);
        for &at in free(&scene).iter().take(2) {
            let mut session = opened(&scene);
            let (places, before) = (pinned(&session), scene.skeleton.frames(session.solved()));
            let start = session.tip(at);
            let _ = drag_and_rest(&mut session, at, scene.up.axis() * -0.6 * tall);
            let low = session.target(at).position.expect("a position");
            let (squat, mut shown) = (farthest(&session, &before), scene.skeleton.frames(session.displayed()));
            let [mut slips, mut fastest]: [f64; 2] = [0.0; 2];
            for frame in 1..=FRAMES {
                let place = low.lerp(start, f64::from(frame) / f64::from(FRAMES));
                let glide = SessionCommand::TargetGlide(scene.effectors[at].name.clone(), place, None);
                session.apply(&glide).expect("finite");
                session.tick(1.0 / 60.0);
                slips = slips.max(slip(&session, &places));
                let now = scene.skeleton.frames(session.displayed());
                let moves = now.iter().zip(&shown).map(|(now, then)| now.position.distance(then.position) / tall);
                fastest = moves.fold(fastest, f64::max);
                shown = now;
            }
            let (what, left) = (&scene.effectors[at].name, farthest(&session, &before));
            assert!(squat > 0.3, "{name}, {what}: it goes down by {squat} m");
            assert!(left < 0.15, "{name}, {what}: a joint is still {left} m from where it was");
            assert!(slips < HELD && fastest < 0.06, "{name}, {what}: pinned {slips} away, a joint moves by {fastest}");
        }
    }
}

/// A body that squats more than its hand needs comes up once the pointer has rested for as long, at any number of frames a second.
#[test]
fn a_pause_is_as_long_at_any_frame_rate() {
    let Some((name, scene)) = stiff().find(|(name, _)| name.ends_with("mannequin.glb")) else { return };
    let (up, front) = (scene.up.axis() * height(&scene), scene.front().expect("a front") * height(&scene));
    let at = free(&scene)[0];
    for fps in [20.0, 60.0, 144.0, 240.0] {
        let mut session = opened(&scene);
        for way in [up * -0.8, up * 0.1 + front * 0.4] {
            for _ in 0..60 {
                session.apply(&SessionCommand::EffectorSelect(scene.effectors[at].name.clone())).expect("known");
                session.apply(&SessionCommand::TargetMove(way / 60.0)).expect("moves");
                session.tick(1.0 / fps);
            }
        }
        let squat = scene.skeleton.frames(session.solved());
        let mut rests = 0.0;
        while farthest(&session, &squat) < 0.1 {
            session.tick(1.0 / fps);
            rests += 1.0 / fps;
            assert!(rests < 1.0, "{name}, {fps} Hz: it does not stand up");
        }
        assert!((0.19..0.21 + 1.5 / fps).contains(&rests), "{name}, {fps} Hz: it stands up after {rests} s");
    }
}

#[test]
fn a_jump_and_the_jump_back_end_where_they_began() {
    for (name, scene) in bodies().into_iter().take(2) {
        let mut session = opened(&scene);
        let at = free(&scene)[0];
        let effector = Some(scene.effectors[at].name.clone());
        let (start, tall) = (session.tip(at), height(&scene));
        let before = scene.skeleton.frames(session.solved());
        let ground = ground(&pinned(&session)).y;
        for place in [DVec3::new(start.x, ground + 0.03 * tall, start.z + 0.1 * tall), start] {
            session.apply(&SessionCommand::TargetSet(effector.clone(), place)).expect("finite");
            (0..60).for_each(|_| session.tick(1.0 / 60.0));
            assert!(session.tip(at).distance(place) < HELD * tall, "{name}: the hand reaches {place}");
        }
        let worst = farthest(&session, &before);
        assert!(worst < 0.02, "{name}: a joint ends {worst} m from where it was");
    }
}
