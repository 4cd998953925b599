//! Heels that may rise: what a flat foot would keep the body from is reached on the toes.

use crate::balance::{has_part, joint_of};
use crate::held::{HELD, opened};
use crate::pins::{bodies, height};
use crate::session_support::{apply, wait};
use fabrik3d_ik::Isometry;
use fabrik3d_ik::random::Random;
use fabrik3d_scene::{Foot, Scene};
use fabrik3d_viewer::session::{Session, SessionCommand};
use glam::DVec3;
use std::sync::Arc;

/// Bodies of other proportions that are tried of each body.
const BUILDS: u64 = 3;
/// Largest angle between a foot that stands and the ground that it stood on, radians.
const FLAT: f64 = 0.01;
/// Lowest place of hips above toes to which people crouch, as a fraction of their height.
const LOWEST: f64 = 0.3;

/// A person whose feet have toes and whose hips have an effector, with legs and feet of other lengths for each seed but 0.
struct Person {
    name: String,
    seed: u64,
    scene: Scene,
    hips: usize,
    feet: Vec<Foot>,
}

impl Person {
    /// The people among the bodies.
    fn all() -> impl Iterator<Item = Person> {
        let is_person = |(_, scene): &(String, Scene)| scene.center_of_mass().is_some() && has_part(scene, "left toe");
        let people = bodies().into_iter().filter(is_person);
        people.flat_map(|(name, scene)| (0..BUILDS).map(move |seed| Person::new(&name, scene.clone(), seed)))
    }

    fn new(name: &str, mut scene: Scene, seed: u64) -> Self {
        let mut random = Random::new(seed);
        for part in ["shin", "foot", "toe"] {
            let factor = if seed == 0 { 1.0 } else { random.range(0.85, 1.15) };
            for side in ["left", "right"] {
                let joint = joint_of(&scene, &format!("{side} {part}"));
                let offset = scene.skeleton.joints()[joint].offset * factor;
                Arc::make_mut(&mut scene.skeleton).set_offset(joint, offset).expect("finite");
            }
        }
        let joint = scene.skeleton.joints()[joint_of(&scene, "left thigh")].parent.expect("hips");
        let hips = scene.effectors.iter().position(|own| own.effector.joint == joint).unwrap_or_else(|| {
            let name = scene.skeleton.joints()[joint].name.clone();
            scene.add_effector(&name, None).expect("an effector")
        });
        let frames = scene.skeleton.frames(&scene.start);
        for effector in &mut scene.effectors {
            effector.target = effector.at_tip(effector.target, frames[effector.effector.joint]);
        }
        let feet = scene.feet();
        Person { name: format!("{name}, {seed}"), seed, scene, hips, feet }
    }

    /// A session in which the heels may rise, or not.
    fn session(&self, heels_may_rise: bool) -> Session {
        let mut session = opened(&self.scene);
        for foot in self.feet.iter().filter(|_| heels_may_rise) {
            apply(&mut session, &format!("effector.rank {} preferred", self.scene.effectors[foot.ankle].name));
        }
        session
    }

    /// How far above the toes the hips stand, as a fraction of the height.
    fn stands_at(&self, session: &Session) -> f64 {
        let [hips, toes] = [self.hips, self.feet[0].toes.expect("toes")].map(|at| session.tip(at));
        (hips - toes).dot(self.scene.up.axis()) / height(&self.scene)
    }

    /// Moves the target of the hips up in a second and holds it for half of one. Returns the farthest step of a displayed joint in a frame,
    /// and how far toes are from `places` at most.
    fn move_hips(&self, session: &mut Session, rise: f64, places: &[DVec3]) -> [f64; 2] {
        let tall = height(&self.scene);
        let start = session.target(self.hips).position.unwrap_or(session.tip(self.hips));
        let name = &self.scene.effectors[self.hips].name;
        let mut most = [0.0_f64; 2];
        let mut before = self.frames(session);
        for frame in 1..=90 {
            let place = start + self.scene.up.axis() * (rise * tall * (f64::from(frame) / 60.0).min(1.0));
            session.apply(&SessionCommand::TargetGlide(name.clone(), place, None)).expect("finite");
            session.tick(1.0 / 60.0);
            let now = self.frames(session);
            let steps = before.iter().zip(&now).map(|(a, b)| a.position.distance(b.position) / tall);
            let toes = self.feet.iter().map(|foot| session.displayed_tip(foot.toes.expect("toes")));
            let slips = toes.zip(places).map(|(now, place)| now.distance(*place) / tall);
            most = [steps.fold(most[0], f64::max), slips.fold(most[1], f64::max)];
            before = now;
        }
        most
    }

    /// How far the hips are from their target, as a fraction of the height.
    fn miss(&self, session: &Session) -> f64 {
        let place = session.target(self.hips).position.expect("a place");
        session.tip(self.hips).distance(place) / height(&self.scene)
    }

    fn frames(&self, session: &Session) -> Vec<Isometry> {
        self.scene.skeleton.frames(session.displayed())
    }

    fn toes(&self, session: &Session) -> Vec<DVec3> {
        self.feet.iter().map(|foot| session.tip(foot.toes.expect("toes"))).collect()
    }

    /// How far the lowest and the highest ankle are above where they are in `before`, and the largest angle of a foot to how it is there.
    fn heels(&self, session: &Session, before: &[Isometry]) -> [f64; 3] {
        let now = self.scene.skeleton.frames(session.solved());
        let up = self.scene.up.axis() / height(&self.scene);
        let joints = self.feet.iter().map(|foot| self.scene.effectors[foot.ankle].effector.joint);
        let rise = |at: usize| (now[at].position - before[at].position).dot(up);
        let turn = |at: usize| now[at].rotation.angle_between(before[at].rotation);
        joints.fold([f64::MAX, f64::MIN, 0.0], |[low, high, angle], at| {
            [low.min(rise(at)), high.max(rise(at)), angle.max(turn(at))]
        })
    }
}

/// However far a body crouches: where flat feet would stop it, its heels rise and its hips arrive, or come as far as its knees bend.
/// Its toes stay, its knees go ahead, and it moves as smoothly as on flat feet. Up again, its feet are as flat as before.
#[test]
fn hips_go_down_as_heels_rise_and_come_back_to_flat_feet() {
    let mut risen = 0;
    for person in Person::all() {
        let mut random = Random::new(person.seed);
        let (name, up) = (&person.name, person.scene.up.axis());
        for _ in 0..3 {
            let mut session = person.session(true);
            let drop = random.range(0.05, 1.0) * (person.stands_at(&session) - LOWEST);
            let (places, before) = (person.toes(&session), person.frames(&session));
            let [step, slip] = person.move_hips(&mut session, -drop, &places);
            let what = format!("{name}, down by {drop}");
            let mut flat = person.session(false);
            let flat_step = person.move_hips(&mut flat, -drop, &places)[0];
            let [miss, flat_miss] = [&session, &flat].map(|session| person.miss(session));
            let limits = session.joints_at_limits(session.solved());
            let bends = !limits.iter().any(|&at| person.scene.body_part(at).ends_with(" shin"));
            assert!(miss < HELD || !bends, "{what}: the hips are {miss} from their target, on flat feet {flat_miss}");
            assert!(slip < HELD, "{what}: toes leave their place by {slip}");
            assert!(step < 1.5 * flat_step, "{what}: a joint moves by {step} in a frame, on flat feet by {flat_step}");
            let [low, high, _] = person.heels(&session, &before);
            assert!(low > -HELD, "{what}: a heel sinks by {low}");
            if flat_miss > HELD {
                assert!(high > 0.0, "{what}: the heels rise by {high}");
                risen += 1;
            }
            for side in ["left", "right"] {
                let frames = person.frames(&session);
                let [hip, knee, ankle, toes] = ["thigh", "shin", "foot", "toe"]
                    .map(|part| frames[joint_of(&person.scene, &format!("{side} {part}"))].position);
                let ahead = (toes - ankle).reject_from_normalized(up).normalize();
                let beside = (knee - hip.midpoint(ankle)).dot(ahead);
                assert!(beside > 0.0, "{what}: the {side} knee is {beside} ahead");
            }
            let back = person.move_hips(&mut session, drop, &places);
            wait(&mut session, 1.0);
            let [low, high, angle] = person.heels(&session, &before);
            let off = high.max(-low);
            assert!(off < HELD && angle < FLAT, "{what}: a foot ends {off} away from its place and turned by {angle}");
            assert!(back[1] < HELD, "{what}: on the way up, toes leave their place by {}", back[1]);
            assert!(back[0] < 1.5 * flat_step, "{what}: on the way up, a joint moves by {} in a frame", back[0]);
        }
    }
    assert!(risen > 3, "{risen} crouches need the heels");
}

/// A crouch by a jump ends as one by a drag.
#[test]
fn a_jump_and_a_drag_of_hips_end_alike_on_the_toes() {
    for person in Person::all() {
        let (mut dragged, mut jumped) = (person.session(true), person.session(true));
        let drop = 0.9 * (person.stands_at(&dragged) - LOWEST);
        let tall = height(&person.scene);
        let place = dragged.tip(person.hips) - person.scene.up.axis() * (drop * tall);
        let places = person.toes(&dragged);
        let _ = person.move_hips(&mut dragged, -drop, &places);
        let name = Some(person.scene.effectors[person.hips].name.clone());
        jumped.apply(&SessionCommand::TargetSet(name, place)).expect("finite");
        [&mut dragged, &mut jumped].into_iter().for_each(|session| wait(session, 2.0));
        let [a, b] = [&dragged, &jumped].map(|session| person.frames(session));
        let apart = a.iter().zip(&b).map(|(a, b)| a.position.distance(b.position) / tall).fold(0.0, f64::max);
        assert!(apart < 0.02, "{}: a joint is {apart} from where a drag takes it", person.name);
    }
}

/// A hand that is lifted out of reach takes the body onto its toes, and a foot whose heel may rise can be lifted.
#[test]
fn a_body_reaches_up_on_its_toes_and_lifts_a_foot_by_its_ankle() {
    for person in Person::all() {
        let (up, tall) = (person.scene.up.axis(), height(&person.scene));
        let hand = (0..person.scene.effectors.len())
            .find(|&at| person.scene.body_part(person.scene.effectors[at].effector.joint) == "left hand");
        let hand = hand.expect("a hand");
        let ends = [false, true].map(|rises| {
            let mut session = person.session(rises);
            let places = person.toes(&session);
            let name = Some(person.scene.effectors[hand].name.clone());
            let place = session.tip(hand) + up * tall;
            session.apply(&SessionCommand::TargetSet(name, place)).expect("finite");
            wait(&mut session, 2.0);
            let toes = person.toes(&session);
            let slip = toes.iter().zip(&places).map(|(a, b)| a.distance(*b) / tall);
            assert!(slip.fold(0.0, f64::max) < HELD, "{}: toes leave their place", person.name);
            session.tip(hand).dot(up) / tall
        });
        assert!(
            ends[1] > ends[0] + 0.01,
            "{}: the hand is at {} on the toes, at {} on flat feet",
            person.name,
            ends[1],
            ends[0]
        );
        let ankle = person.feet[0].ankle;
        let mut session = person.session(true);
        let place = session.tip(ankle) + up * (0.1 * tall);
        let name = person.scene.effectors[ankle].name.clone();
        for _ in 0..60 {
            session.apply(&SessionCommand::TargetGlide(name.clone(), place, None)).expect("finite");
            session.tick(1.0 / 60.0);
        }
        let miss = session.tip(ankle).distance(place) / tall;
        assert!(miss < HELD, "{}: the ankle is {miss} from its target", person.name);
    }
}

#[test]
fn a_foot_that_a_file_asks_to_be_lifted_is_lifted_as_by_hand() {
    let mut random = Random::new(12);
    for person in Person::all() {
        let Person { name, scene, feet, .. } = &person;
        let (tall, up) = (height(scene), scene.up.axis());
        for foot in feet {
            for at in [foot.ankle, foot.toes.expect("toes")] {
                let by = tall * (random.range(0.05, 0.2) * up + random.range(0.0, 0.05) * random.direction());
                let mut by_hand = opened(scene);
                let place = by_hand.tip(at) + by;
                let name_of = scene.effectors[at].name.clone();
                by_hand.apply(&SessionCommand::TargetSet(Some(name_of), place)).expect("finite");
                let mut file = scene.clone();
                file.effectors[at].target.position = Some(place);
                let mut by_file = opened(&file);
                let reset = |session: &mut Session| apply(session, "reset");
                for open in [&|_: &mut Session| (), &reset as &dyn Fn(&mut Session)] {
                    open(&mut by_file);
                    [&mut by_hand, &mut by_file].into_iter().for_each(|session| wait(session, 2.0));
                    assert!(!by_file.is_off_target(at), "{name}: {} is not at {place}", scene.effectors[at].name);
                    let ends = [foot.ankle, foot.toes.expect("toes")];
                    let apart = ends.map(|end| by_hand.tip(end).distance(by_file.tip(end)) / tall);
                    assert!(apart.iter().all(|apart| *apart < 0.02), "{name}: {apart:?} for {by}");
                }
            }
        }
    }
}
