//! How far the joints of a person move, for bodies whose parts are known by their names.
//!
//! Degrees are those of the American Academy of Orthopaedic Surgeons, "Joint Motion: Method of Measuring and Recording"
//! (1965), except for the ankle of a foot that stands (Baggett, Young, "Ankle joint dorsiflexion", J. Am. Podiatr. Med.
//! Assoc. 83, 1993) and the collar bone (Neumann, "Kinesiology of the Musculoskeletal System", 2017), which rises by the
//! third of 180 degrees that the shoulder girdle adds when an arm is raised (Inman, Saunders, Abbott, "Observations on the
//! function of the shoulder joint", J. Bone Joint Surg. 26, 1944).
//! They count from the anatomical position: upright, arms beside the body. The rest pose of a file may be another: the
//! directions of its links tell how far its arms are raised and its elbows and knees are bent.

use super::fingers::Finger;
use super::known_body::KnownBody;
use fabrik3d_ik::maths;
use fabrik3d_ik::{Coordinates, Interval, Kind, Swing};
use glam::DVec3;

/// The limits of one joint around the rest direction of its link.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct HumanLimit {
    /// Direction of the x axis of the rest frame, world space, perpendicular to the link.
    pub x: DVec3,
    pub kind: Kind,
}

/// A direction in which a link tilts, and how far it tilts there and away from there, degrees.
type Tilt = (DVec3, f64, f64);

/// A ball with an extent of half a turn has no bound.
const MAX_TILT: f64 = 170.0;
/// Smallest bend of an elbow or a knee at rest, degrees, from which the plane counts in which it bends.
const BENT: f64 = 8.0;
/// Length of a mean recorded way, relative to the link, from which it is a motion.
const RECORDED: f64 = 0.05;
/// A rest direction with a larger part than this toward the front is that of an arm stretched forward.
const FORWARD: f64 = 0.6;

struct RestBody<'a> {
    body: &'a KnownBody,
    positions: &'a [DVec3],
    /// Directions of the links, world space.
    links: &'a [Option<DVec3>],
    /// Where the links go in recorded motion, relative to rest.
    bends: &'a [DVec3],
    /// The tips of joints that have one.
    tips: &'a [Option<DVec3>],
    left: DVec3,
    up: DVec3,
    forward: DVec3,
    limits: Vec<Option<HumanLimit>>,
}

/// Whether the legs point away from the trunk: those of animals with the names of human parts point aside.
pub(crate) fn stands_upright(body: &KnownBody, positions: &[DVec3]) -> bool {
    let [legs, trunk] = legs_and_trunk(body, positions);
    points_along(legs, -trunk)
}

/// Whether the legs point along the trunk, as in no pose of a body.
pub(crate) fn is_folded(body: &KnownBody, positions: &[DVec3]) -> bool {
    let [legs, trunk] = legs_and_trunk(body, positions);
    points_along(legs, trunk)
}

/// Whether two vectors are less than 45 degrees apart.
fn points_along(a: DVec3, b: DVec3) -> bool {
    a.dot(b) > std::f64::consts::FRAC_1_SQRT_2 * a.length() * b.length()
}

fn legs_and_trunk(body: &KnownBody, positions: &[DVec3]) -> [DVec3; 2] {
    let legs = body.feet.iter().map(|&foot| positions[foot] - positions[body.hips]).sum();
    [legs, positions[body.head] - positions[body.hips]]
}

/// The limits of each joint; none for joints that are no known part. `positions` and the unit `links` are those at rest,
/// world space, and so are the `tips` of joints that have one. `bends` says where recorded motion takes the links, relative to rest; zero
/// without motion.
pub(crate) fn human_limits(
    body: &KnownBody,
    (positions, tips): (&[DVec3], &[Option<DVec3>]),
    links: &[Option<DVec3>],
    bends: &[DVec3],
) -> Vec<Option<HumanLimit>> {
    let limits = vec![None; positions.len()];
    if !stands_upright(body, positions) {
        return limits;
    }
    let Some([left, up, forward]) = body.directions(positions) else { return limits };
    let mut rest = RestBody { body, positions, links, bends, tips, left, up, forward, limits };
    rest.trunk();
    for (side, out) in [left, -left].into_iter().enumerate() {
        rest.arm(side, out);
        rest.leg(side, out);
    }
    rest.limits
}

impl RestBody<'_> {
    fn part(&self, side: usize, part: &str) -> Option<usize> {
        self.body.joint_of(&format!("{} {part}", ["left", "right"][side]))
    }

    fn is_below(&self, joint: usize, upper: usize) -> bool {
        joint != upper && self.body.above(joint).any(|at| at == upper)
    }

    /// Limits a joint whose link tilts in two directions, and turns about itself by `twist` degrees to either side.
    fn limit(&mut self, joint: usize, (toward, to, away): Tilt, (across, near, far): Tilt, twist: f64) {
        let Some(link) = self.links[joint] else { return };
        let Some(x) = toward.reject_from_normalized(link).try_normalize() else { return };
        let [near, far] = if link.cross(x).dot(across) < 0.0 { [far, near] } else { [near, far] };
        let swing = Swing::new([to, near, away, far].map(|tilt: f64| tilt.clamp(0.0, MAX_TILT).to_radians()));
        let twist = Interval::new(-twist.to_radians(), twist.to_radians());
        let kind = Kind::Ball { swing: swing.ok(), twist: twist.ok() };
        self.limits[joint] = Some(HumanLimit { x, kind });
    }

    /// The same tilt in all directions.
    fn cone(&mut self, joint: usize, tilt: f64, twist: f64) {
        let Some(link) = self.links[joint] else { return };
        self.limit(joint, (link.any_orthonormal_vector(), tilt, tilt), (DVec3::ZERO, tilt, tilt), twist);
    }

    /// Back and neck: the joints of each share its motion.
    fn trunk(&mut self) {
        let back = self.body.back.clone();
        let chest = back.first().copied().unwrap_or(self.body.hips);
        let neck: Vec<usize> = self.body.above(self.body.head).take_while(|&at| at != chest).collect();
        for (joints, forward, backward, aside, twist) in
            [(back, 80.0, 25.0, 35.0, 45.0), (neck, 45.0, 45.0, 45.0, 60.0)]
        {
            let share = 1.0 / joints.len().max(1) as f64;
            for joint in joints {
                let bow = (self.forward, forward * share, backward * share);
                self.limit(joint, bow, (self.left, aside * share, aside * share), twist * share);
            }
        }
    }

    fn arm(&mut self, side: usize, out: DVec3) {
        let hand = self.body.hands[side];
        let forearm = self.part(side, "forearm").filter(|&forearm| self.is_below(hand, forearm));
        let named = self.part(side, "arm");
        let arm = named.or_else(|| forearm.and_then(|forearm| self.body.above(forearm).nth(1)));
        let arm = arm.filter(|&arm| forearm.is_some_and(|forearm| self.is_below(forearm, arm)));
        let clavicle = self.part(side, "clavicle").filter(|&at| arm.is_some_and(|arm| self.is_below(arm, at)));
        if let Some(clavicle) = clavicle {
            // The bone stands for the whole shoulder girdle.
            self.limit(clavicle, (self.up, 60.0, 10.0), (self.forward, 30.0, 30.0), 10.0);
        }
        if let (Some(arm), Some(forearm)) = (arm, forearm) {
            self.shoulder(arm, out);
            // Rigs share the turn of the forearm, 80 degrees to either side, between elbow and wrist.
            self.hinge([arm, forearm, hand], self.forward, 150.0, 40.0);
            self.share_turn(arm, forearm);
            self.share_turn(forearm, hand);
        }
        let Some(fingers) = self.body.fingers(side, self.positions, |joint| self.tips[joint]) else {
            return self.cone(hand, 70.0, 40.0);
        };
        let Some(palm) = fingers.palm(side) else { return };
        self.limit(hand, (palm, 80.0, 70.0), (fingers.across, 20.0, 30.0), 40.0);
        fingers.all[1..].iter().for_each(|finger| self.finger(finger, (palm, fingers.across)));
    }

    fn shoulder(&mut self, arm: usize, out: DVec3) {
        let Some(link) = self.links[arm] else { return };
        if link.dot(self.forward).abs() > FORWARD {
            return self.cone(arm, 110.0, 90.0);
        }
        // Height of the arm above the horizontal, and the direction in which it rises.
        let (height, aside) = (link.dot(self.up), link.dot(out));
        let elevation = maths::atan2(height, aside).to_degrees();
        let rise = self.up * aside - out * height;
        // A hanging arm swings forward by 180 degrees and back by 60, a raised one by 135 and 45.
        let hanging = (-elevation / 90.0).clamp(0.0, 1.0);
        let swing = (self.forward, 135.0 + 45.0 * hanging, 45.0 + 15.0 * hanging);
        self.limit(arm, swing, (rise, 90.0 - elevation, 90.0 + elevation + 30.0), 90.0);
    }

    /// An elbow or a knee: `joint` is between the other two, and bends toward `side` by up to `most` degrees.
    fn hinge(&mut self, [upper, joint, lower]: [usize; 3], side: DVec3, most: f64, twist: f64) {
        let [a, b, c] = [upper, joint, lower].map(|at| self.positions[at]);
        let (Some(above), Some(below)) = ((b - a).try_normalize(), (c - b).try_normalize()) else { return };
        let bend = maths::angle(above, below).to_degrees();
        // Bending more turns the lower link against the upper one.
        let plane = (-above).reject_from_normalized(below);
        let is_bent = plane.dot(side) > 0.0;
        let recorded = self.bends[joint].reject_from_normalized(below);
        // The axis of a recorded hinge tells more than the directions of the body.
        let toward = match (is_bent && bend > BENT, recorded.length() > RECORDED && recorded.dot(side) > 0.0) {
            (true, _) => plane,
            (false, true) => recorded,
            (false, false) => side,
        };
        let bend = if is_bent { bend } else { 0.0 };
        self.limit(joint, (toward, most - bend, bend), (DVec3::ZERO, 0.0, 0.0), twist);
    }

    /// Joints in the middle of a straight part of a limb, as rigs have them for the skin, do not bend it, and share its turn with the
    /// joint above.
    fn share_turn(&mut self, upper: usize, lower: usize) {
        let middle: Vec<usize> = self.body.above(lower).skip(1).take_while(|&at| at != upper).collect();
        let [from, to] = [upper, lower].map(|at| self.positions[at]);
        let bend = |&at: &usize| maths::angle(self.positions[at] - from, to - self.positions[at]).to_degrees();
        let is_straight = middle.iter().all(|at| bend(at) < BENT);
        let Some(HumanLimit { kind: Kind::Ball { twist: Some(twist), .. }, .. }) = &mut self.limits[upper] else {
            return;
        };
        if middle.is_empty() || !is_straight {
            return;
        }
        let share = twist.high() / (middle.len() + 1) as f64;
        *twist = Interval::new(-share, share).unwrap_or(*twist);
        middle.into_iter().for_each(|joint| self.cone(joint, 0.0, share.to_degrees()));
    }

    /// A finger that is no thumb: its knuckle spreads, too, and its joints bend toward the palm.
    fn finger(&mut self, finger: &Finger, (palm, thumb): (DVec3, DVec3)) {
        let (inside, outside) = finger.joints.split_at(finger.inside);
        inside.iter().for_each(|&joint| self.cone(joint, 10.0, 0.0));
        for (at, &joint) in outside.iter().enumerate() {
            match at {
                0 => self.limit(joint, (palm, 90.0, 45.0), (thumb, 20.0, 20.0), 0.0),
                1 => self.limit(joint, (palm, 100.0, 0.0), (DVec3::ZERO, 0.0, 0.0), 0.0),
                _ => self.limit(joint, (palm, 90.0, 0.0), (DVec3::ZERO, 0.0, 0.0), 0.0),
            }
        }
    }

    fn leg(&mut self, side: usize, out: DVec3) {
        let foot = self.body.feet[side];
        let shin = self.part(side, "shin").filter(|&shin| self.is_below(foot, shin));
        let thigh = self.part(side, "thigh").filter(|&thigh| shin.is_some_and(|shin| self.is_below(shin, thigh)));
        if let (Some(thigh), Some(shin)) = (thigh, shin) {
            if let Some(link) = self.links[thigh].filter(|link| link.dot(self.up) < -0.5) {
                let spread = maths::asin(link.dot(out)).to_degrees();
                self.limit(thigh, (self.forward, 120.0, 30.0), (out, 45.0 - spread, 30.0 + spread), 45.0);
            }
            self.hinge([thigh, shin, foot], -self.forward, 135.0, 0.0);
            self.share_turn(thigh, shin);
            self.share_turn(shin, foot);
            // Some files have a joint on either side of the pelvis, whose bone is rigid.
            let pelvis = self.body.above(thigh).skip(1).take_while(|&at| at != self.body.hips);
            let other = self.body.feet[1 - side];
            let own: Vec<usize> = pelvis.filter(|&at| !self.is_below(other, at)).collect();
            own.into_iter().for_each(|joint| self.cone(joint, 0.0, 0.0));
        }
        // Toes rise as the body's front turns upward, whatever the direction of the link.
        let raised = |rest: &Self, joint: usize| rest.links[joint].map(|link| link.cross(rest.left));
        if let Some(raised) = raised(self, foot) {
            self.limit(foot, (raised, 35.0, 50.0), (out, 20.0, 20.0), 25.0);
        }
        if let Some((toe, raised)) = self.body.toes[side].and_then(|toe| Some((toe, raised(self, toe)?))) {
            self.limit(toe, (raised, 70.0, 45.0), (DVec3::ZERO, 0.0, 0.0), 0.0);
        }
    }
}

/// A share of an extent below which the other extent grows alone.
const INNER: f64 = 0.8;

/// Angles below this, radians, do not widen a limit: they are rounding errors of files with few digits. A knee that tilts
/// aside by a millionth would not be a hinge anymore. Test: `recorded_knees_are_hinges_and_the_pelvis_is_rigid` if smaller.
const RECORDED_ROUNDING: f64 = 1e-4;

/// A ball whose limits contain `coordinates`. Of the two extents of a swing, the one grows that has to.
pub(crate) fn widened_ball(kind: Kind, coordinates: &Coordinates) -> Kind {
    let Kind::Ball { swing: Some(swing), twist: Some(twist) } = kind else { return kind };
    let rounded = |angle: f64| if angle.abs() < RECORDED_ROUNDING { 0.0 } else { angle };
    let turn = rounded(coordinates.twist());
    let [low, high] = [twist.low().min(turn), twist.high().max(turn)];
    let twist = Interval::new(low, high).unwrap_or(twist);
    let tilt = coordinates.tilt().map(rounded);
    if swing.contains(tilt) {
        return Kind::Ball { swing: Some(swing), twist: Some(twist) };
    }
    let side = [0, 1].map(|axis| if tilt[axis] >= 0.0 { axis } else { axis + 2 });
    let mut tilts = swing.tilts();
    let [x, y] = tilt.map(f64::abs);
    let [mut along, mut across] = side.map(|side| tilts[side]);
    if x < INNER * along {
        across = across.max(y / (1.0 - (x / along).powi(2)).sqrt());
    } else if y < INNER * across {
        along = along.max(x / (1.0 - (y / across).powi(2)).sqrt());
    } else {
        (along, across) = (along.max(x), across.max(y));
        let beyond = maths::hypot(x / along.max(f64::MIN_POSITIVE), y / across.max(f64::MIN_POSITIVE)).max(1.0);
        (along, across) = (along * beyond, across * beyond);
    }
    // A little more than needed: rounding must not take the tilt out again.
    let widest = MAX_TILT.to_radians();
    (tilts[side[0]], tilts[side[1]]) =
        ((along * (1.0 + ROUNDING)).min(widest), (across * (1.0 + ROUNDING)).min(widest));
    Kind::Ball { swing: Some(Swing::new(tilts).unwrap_or(swing)), twist: Some(twist) }
}

const ROUNDING: f64 = 1e-9;
