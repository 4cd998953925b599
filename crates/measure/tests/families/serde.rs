//! The `serde` feature: the solver's data types survive a round trip unchanged, and invalid values are refused by the
//! same rules as in their constructors.
#![allow(clippy::unwrap_used)]

use fabrik3d_ik::Isometry;
use fabrik3d_ik::collision::Obstacle;
use fabrik3d_ik::queries::{AtLimit, LimitSide, at_limits, goal_errors};
use fabrik3d_ik::random::Random;
use fabrik3d_ik::settings::Method;
use fabrik3d_ik::{
    Coordinates, Effector, Goal, Interval, Joint, Kind, Pose, Problem, Report, Settings, Skeleton, Solver, Stop, Swing,
    Target,
};
use fabrik3d_measure::families::FAMILIES;
use glam::{DQuat, DVec3};
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::{from_str, from_value, json, to_value};
use std::fmt::Debug;

/// A round trip without text, which must be exact, and one through text, which must be readable.
fn round_trip<T: Serialize + DeserializeOwned + PartialEq + Debug>(value: &T) {
    let there = to_value(value).unwrap();
    assert_eq!(&from_value::<T>(there.clone()).unwrap(), value);
    from_str::<T>(&there.to_string()).unwrap();
}

#[test]
fn every_family_round_trips() {
    let mut random = Random::new(12);
    for family in FAMILIES {
        for _ in 0..5 {
            let case = family.case(&mut random);
            let mut pose = case.start.clone();
            let report = Solver::new(&case.skeleton).problem(case.problem.clone()).solve(&mut pose);
            round_trip(&case.skeleton);
            round_trip(&case.problem);
            round_trip(&pose);
            round_trip(&report);
            round_trip(&case.skeleton.frames(&pose));
            round_trip(&case.skeleton.islands([]));
            round_trip(&goal_errors(&case.skeleton, &case.problem, &pose));
            round_trip(&at_limits(&case.skeleton, &pose, 0.1));
            // The copies give the same bits as the originals.
            let (skeleton, problem, mut again): (Skeleton, Problem, Pose) =
                from_value(to_value((&case.skeleton, &case.problem, &case.start)).unwrap()).unwrap();
            assert_eq!(Solver::new(&skeleton).problem(problem).solve(&mut again), report, "{}", family.name);
            assert_eq!(again, pose, "{}", family.name);
        }
    }
}

#[test]
fn other_values_round_trip() {
    for method in Method::ALL {
        round_trip(&Settings { method, seed: u64::MAX, ..Settings::default() });
    }
    round_trip(&Obstacle::Sphere { center: DVec3::X, radius: 0.5 });
    round_trip(&Obstacle::HalfSpace { normal: DVec3::Y, offset: -1.0 });
    round_trip(&Isometry::new(DVec3::X, DQuat::from_rotation_z(1.0)));
    round_trip(&AtLimit { joint: 3, side: LimitSide::TwistHigh });
    round_trip(&[Kind::Fixed, Kind::Free, Kind::UNLIMITED_BALL, Kind::Slide { axis: DVec3::X, range: None }]);
    // A refused problem has an infinite error, which JSON cannot represent as a number.
    let skeleton = Skeleton::new(vec![Joint::new("a", None, DVec3::ZERO, Kind::Fixed)]).unwrap();
    let lost = Goal::new(Effector::new(7, DVec3::ZERO), DQuat::IDENTITY);
    let problem = Problem { goals: vec![lost], ..Problem::default() };
    let report: Report = Solver::new(&skeleton).problem(problem).solve(&mut skeleton.rest_pose());
    assert_eq!(report.stop, Stop::Refused);
    round_trip(&report);
}

#[test]
fn fields_with_defaults_are_optional() {
    let joints = json!([
        { "name": "shoulder", "offset": [0, 0, 0], "kind": { "ball": { "swing": [1.0, 0.5, 1.0, 0.5] } } },
        { "name": "elbow", "parent": 0, "offset": [0, 0, 0.3], "kind": { "hinge": { "axis": [0, 2, 0], "range": [0, 2.5] } } },
        { "name": "hand", "parent": 1, "offset": [0, 0, 0.2], "kind": "fixed" },
    ]);
    let skeleton: Skeleton = from_value(joints).unwrap();
    let swing = Swing::new([1.0, 0.5, 1.0, 0.5]).ok();
    let range = Interval::new(0.0, 2.5).ok();
    assert_eq!(
        skeleton,
        Skeleton::new(vec![
            Joint::new("shoulder", None, DVec3::ZERO, Kind::Ball { swing, twist: None }),
            Joint::new("elbow", Some(0), DVec3::Z * 0.3, Kind::Hinge { axis: DVec3::Y, range }),
            Joint::new("hand", Some(1), DVec3::Z * 0.2, Kind::Fixed),
        ])
        .unwrap()
    );
    let problem =
        json!({ "goals": [{ "effector": { "joint": 2, "tip": [0, 0, 0.1] }, "target": { "position": [0, 0, 0.4] } }] });
    let goal = Goal::new(Effector::new(2, DVec3::Z * 0.1), DVec3::Z * 0.4);
    assert_eq!(from_value::<Problem>(problem).unwrap(), Problem { goals: vec![goal], ..Problem::default() });
    assert_eq!(from_value::<Target>(json!({})).unwrap(), Target::default());
    let report = json!({ "stop": "reached", "error": 0.0, "iterations": 3, "polish_steps": 2, "attempts": 1 });
    assert_eq!(from_value::<Report>(report.clone()).unwrap().refine_steps, 2, "the former name");
    let settings: Settings = from_value(json!({ "tolerance": 1e-6, "method": "svd-dls" })).unwrap();
    assert_eq!(settings, Settings { tolerance: 1e-6, method: Method::SvdDls, ..Settings::default() });
}

#[test]
fn invalid_values_are_refused() {
    fn refusal<T: DeserializeOwned + Debug>(value: serde_json::Value) -> String {
        from_value::<T>(value).unwrap_err().to_string()
    }
    let joint = |name: &str, parent: Option<usize>| json!({ "name": name, "parent": parent, "offset": [0, 1, 0], "kind": { "hinge": { "axis": [1, 0, 0] } } });
    assert!(refusal::<Interval>(json!([1.0, -1.0])).contains("the lower limit 1 is above the upper limit -1"));
    assert!(refusal::<Interval>(json!([null, 1.0])).contains("null"));
    assert!(refusal::<Swing>(json!([0.1, 0.1, 3.2, 0.1])).contains("not 3.2 rad"));
    assert!(refusal::<Swing>(json!([0.1, 0.1, -0.1, 0.1])).contains("not -0.1 rad"));
    assert!(refusal::<Skeleton>(json!([])).contains("at least one joint"));
    assert!(refusal::<Skeleton>(json!([joint("a", None), joint("a", Some(0))])).contains("two joints are named `a`"));
    assert!(refusal::<Skeleton>(json!([joint("a", Some(1)), joint("b", None)])).contains("must come after its parent"));
    let mut still = joint("a", None);
    still["kind"]["hinge"]["axis"] = json!([0, 0, 0]);
    assert!(refusal::<Skeleton>(json!([still])).contains("the axis must be"));
    assert!(refusal::<Coordinates>(json!([0, 0, 0, 1])).contains("length 4"));
    assert!(refusal::<Settings>(json!({ "tolerence": 1 })).contains("unknown field `tolerence`"));
    assert!(refusal::<Problem>(json!({ "goal": [] })).contains("unknown field `goal`"));
    // Formats other than JSON can contain NaN.
    use serde::Deserialize;
    use serde::de::value::{Error, SeqDeserializer};
    let from_numbers = |values: [f64; 7]| {
        Coordinates::deserialize(SeqDeserializer::<_, Error>::new(values.into_iter()))
            .map_err(|error| error.to_string())
    };
    assert!(from_numbers([0.0; 7]).is_ok());
    assert_eq!(from_numbers([f64::NAN; 7]), Err("a coordinate of a joint is not a finite number".to_owned()));
    let bounds = SeqDeserializer::<_, Error>::new([0.0, f64::NAN].into_iter());
    assert_eq!(
        Interval::deserialize(bounds).unwrap_err().to_string(),
        "a limit is not a finite number, or larger than 1e75"
    );
}
