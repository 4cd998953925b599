//! An arm of Bevy entities that reaches for another entity. `Reach` and `reach` are all that a game needs: each frame, the
//! solver's local rotations become those of the bones. Bevy 0.20 and the solver share glam 0.33.
//!
//! `cargo run` prints where the hand and the target are; `cargo test` checks them.

use bevy_app::{App, PostUpdate};
use bevy_ecs::prelude::*;
use bevy_transform::TransformPlugin;
use bevy_transform::prelude::*;
use fabrik3d_ik::errors::SkeletonError;
use fabrik3d_ik::glam::{DVec3, Vec3};
use fabrik3d_ik::{Effector, Interval, Joint, Kind, Pose, Settings, Skeleton, Solver};

/// Bones that reach for a target: one entity per joint of the skeleton.
#[derive(Component)]
struct Reach {
    solver: Solver,
    pose: Pose,
    bones: Vec<Entity>,
    target: Entity,
}

fn reach(
    mut figures: Query<&mut Reach>,
    targets: Query<&Transform, Without<Bone>>,
    mut bones: Query<&mut Transform, With<Bone>>,
) {
    for mut figure in &mut figures {
        let is_first = figure.is_added();
        let Reach { solver, pose, bones: entities, target } = &mut *figure;
        let Ok(target) = targets.get(*target) else { continue };
        solver.set_target(0, target.translation.as_dvec3());
        // The first target may be far from the first pose; from then on, each call follows it with little work.
        let _ = if is_first { solver.solve(pose) } else { solver.track(pose) };
        for (joint, &entity) in entities.iter().enumerate() {
            if let Ok(mut bone) = bones.get_mut(entity) {
                bone.rotation = solver.skeleton().local_rotation(pose, joint).as_quat();
            }
        }
    }
}

/// A joint of a figure.
#[derive(Component)]
struct Bone;

/// A shoulder that turns in every direction, an elbow and a wrist.
fn arm() -> Result<Skeleton, SkeletonError> {
    let hinge = |low, high| Kind::Hinge { axis: DVec3::X, range: Interval::new(low, high).ok() };
    Skeleton::new(vec![
        Joint::new("shoulder", None, DVec3::Y, Kind::UNLIMITED_BALL),
        Joint::new("elbow", Some(0), 0.5 * DVec3::Z, hinge(0.0, 2.6)),
        Joint::new("wrist", Some(1), 0.4 * DVec3::Z, hinge(-1.0, 1.0)),
    ])
}

const HAND: Vec3 = Vec3::new(0.0, 0.0, 0.2);

/// An app with an arm and its target. Returns the wrist and the target.
fn app(settings: Settings) -> Result<(App, Entity, Entity), SkeletonError> {
    let mut app = App::new();
    app.add_plugins(TransformPlugin);
    app.add_systems(PostUpdate, reach.before(bevy_transform::TransformSystems::Propagate));
    let world = app.world_mut();
    let target = world.spawn(Transform::from_xyz(0.3, 1.2, 0.6)).id();
    let skeleton = arm()?;
    let mut bones: Vec<Entity> = Vec::new();
    for joint in skeleton.joints() {
        let bone = world.spawn((Bone, Transform::from_translation(joint.offset.as_vec3()))).id();
        if let Some(parent) = joint.parent {
            world.entity_mut(bones[parent]).add_child(bone);
        }
        bones.push(bone);
    }
    let (wrist, pose) = (bones[2], skeleton.rest_pose());
    let solver = Solver::new(skeleton).goal(Effector::new(2, HAND.as_dvec3()), DVec3::ZERO).settings(settings);
    world.spawn(Reach { solver, pose, bones, target });
    Ok((app, wrist, target))
}

/// Where the hand is in the world.
fn hand(app: &App, wrist: Entity) -> Option<Vec3> {
    Some(app.world().get::<GlobalTransform>(wrist)?.transform_point(HAND))
}

fn main() -> Result<(), SkeletonError> {
    let (mut app, wrist, target) = app(Settings::realtime())?;
    for frame in 0..10_u8 {
        let place = Vec3::new(0.3, 1.2 - 0.05 * f32::from(frame), 0.6);
        app.world_mut().entity_mut(target).insert(Transform::from_translation(place));
        app.update();
        println!("target {place}, hand {}", hand(&app, wrist).unwrap_or_default());
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_hand_follows_the_target() {
        // Without a time limit, what is tested does not depend on how busy the machine is.
        let settings = Settings::realtime();
        let (mut app, wrist, target) = app(settings).expect("an arm");
        for frame in 0..200_u8 {
            let angle = 0.05 * f32::from(frame);
            let place = Vec3::new(0.3 * angle.cos(), 1.1 + 0.3 * angle.sin(), 0.6);
            app.world_mut().entity_mut(target).insert(Transform::from_translation(place));
            app.update();
            let hand = hand(&app, wrist).expect("a hand");
            assert!(hand.distance(place) < 1e-3, "frame {frame}: {hand}, not {place}");
        }
    }
}
