//! What the parts of a target mean together.

use fabrik3d_ik::goals::{Freedom, Orientation};
use fabrik3d_ik::{Effector, Target};
use fabrik3d_scene::{Part, TargetError, TargetSpec};
use glam::{DQuat, DVec3};

fn applied(spec: TargetSpec, mut target: Target) -> Result<(Target, Freedom), TargetError> {
    let mut freedom = Freedom::default();
    spec.apply(Effector::new(0, DVec3::X), &mut target, &mut freedom).map(|()| (target, freedom))
}

#[test]
fn one_part_turns_the_effector() {
    let point = DVec3::new(1.0, 2.0, 3.0);
    let looking = Target::from(Orientation::LookAt(point));
    let turned = Target::from(DQuat::IDENTITY);
    let rotation = TargetSpec { rotation: Part::Given(DQuat::IDENTITY), ..TargetSpec::default() };
    let look_at = TargetSpec { look_at: Part::Given(point), ..TargetSpec::default() };
    let direction = TargetSpec { direction: Some(DVec3::NEG_Z), ..TargetSpec::default() };
    assert_eq!(applied(rotation, looking), Ok((turned, Freedom::default())));
    assert_eq!(applied(look_at, turned), Ok((looking, Freedom::default())));
    assert!(applied(direction, looking).is_ok_and(|(target, freedom)| {
        let axis = target.rotation().expect("a rotation") * DVec3::Z;
        freedom == Freedom::spin(DVec3::Z) && axis.distance(DVec3::NEG_Z) < 1e-12
    }));
    for (one, other) in [(rotation, look_at), (look_at, direction), (direction, rotation)] {
        let both = TargetSpec {
            rotation: if one.rotation == Part::Kept { other.rotation } else { one.rotation },
            look_at: if one.look_at == Part::Kept { other.look_at } else { one.look_at },
            direction: one.direction.or(other.direction),
            ..TargetSpec::default()
        };
        assert!(matches!(applied(both, turned), Err(TargetError::TurnedTwice(..))), "{both:?}");
    }
    let nowhere = TargetSpec { direction: Some(DVec3::ZERO), ..TargetSpec::default() };
    assert_eq!(applied(nowhere, turned), Err(TargetError::NoDirection));
}

#[test]
fn open_parts_ask_for_nothing_and_kept_ones_stay() {
    let before = Target::from((DVec3::X, DQuat::IDENTITY));
    assert_eq!(applied(TargetSpec::default(), before), Ok((before, Freedom::default())));
    let open = TargetSpec { position: Part::Open, rotation: Part::Open, look_at: Part::Open, ..TargetSpec::default() };
    assert_eq!(applied(open, before), Ok((Target::default(), Freedom::default())));
    let looking = Target::from(Orientation::LookAt(DVec3::Y));
    let unturned = TargetSpec { rotation: Part::Open, ..TargetSpec::default() };
    assert_eq!(applied(unturned, looking), Ok((looking, Freedom::default())));
}
