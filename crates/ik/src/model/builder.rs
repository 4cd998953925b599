//! Skeletons and effectors by the names of their joints.

use super::{Coordinates, Effector, Joint, Kind, Pose, Skeleton};
use crate::model::skeleton::SkeletonError;
use glam::{DQuat, DVec3};
use std::collections::HashMap;

/// No joint has a name.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("there is no joint `{name}`{}", .nearest.as_ref().map(|near| format!("; did you mean `{near}`?")).unwrap_or_default())]
pub struct UnknownJoint {
    /// The name that was asked for.
    pub name: String,
    /// The name of a joint of which it may be a misspelling.
    pub nearest: Option<String>,
}

impl UnknownJoint {
    fn among<'a>(name: &str, known: impl Iterator<Item = &'a str>) -> Self {
        UnknownJoint { name: name.to_owned(), nearest: nearest_name(name, known).map(str::to_owned) }
    }
}

/// Why a [`SkeletonBuilder`] has no skeleton.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum BuildError {
    /// A parent is not among the joints added before its child.
    #[error("the parent of joint `{child}` comes first: {parent}")]
    Parent {
        /// The joint whose parent is unknown.
        child: String,
        /// Its parent.
        parent: UnknownJoint,
    },
    /// The joints make no skeleton.
    #[error(transparent)]
    Skeleton(#[from] SkeletonError),
}

/// Builds a skeleton from joints that name their parents: [`Skeleton::builder`].
#[derive(Clone, Debug, Default)]
pub struct SkeletonBuilder {
    joints: Vec<Joint>,
    numbers: HashMap<String, usize>,
    error: Option<BuildError>,
}

impl SkeletonBuilder {
    /// Adds a root at the origin.
    #[must_use]
    pub fn root(self, name: impl Into<String>, kind: Kind) -> Self {
        self.add(Joint::new(name, None, DVec3::ZERO, kind))
    }

    /// Adds a joint at `offset` in the frame of its parent, which comes before it.
    #[must_use]
    pub fn child(self, name: impl Into<String>, parent: &str, offset: DVec3, kind: Kind) -> Self {
        self.add_below(parent, Joint::new(name, None, offset, kind))
    }

    /// Adds a joint with all that it has, below a parent that comes before it.
    #[must_use]
    pub fn add_below(mut self, parent: &str, joint: Joint) -> Self {
        let number = self.numbers.get(parent).copied();
        if number.is_none() && self.error.is_none() {
            let parent = UnknownJoint::among(parent, self.joints.iter().map(|joint| joint.name.as_str()));
            self.error = Some(BuildError::Parent { child: joint.name.clone(), parent });
        }
        self.add(Joint { parent: number, ..joint })
    }

    /// The skeleton.
    ///
    /// # Errors
    /// A parent does not come before its child, or the joints make no skeleton.
    pub fn build(self) -> Result<Skeleton, BuildError> {
        match self.error {
            Some(error) => Err(error),
            None => Ok(Skeleton::new(self.joints)?),
        }
    }

    fn add(mut self, joint: Joint) -> Self {
        self.numbers.entry(joint.name.clone()).or_insert(self.joints.len());
        self.joints.push(joint);
        self
    }
}

impl Skeleton {
    /// Builds a skeleton from joints that name their parents.
    ///
    /// ```
    /// use fabrik3d_ik::{Kind, Skeleton, Solver};
    /// use fabrik3d_ik::glam::DVec3;
    ///
    /// let arm = Skeleton::builder()
    ///     .root("shoulder", Kind::UNLIMITED_BALL)
    ///     .child("elbow", "shoulder", DVec3::X * 0.3, Kind::limited_hinge(DVec3::Y, 0.0, 2.5)?)
    ///     .child("wrist", "elbow", DVec3::X * 0.25, Kind::hinge(DVec3::Z))
    ///     .build()?;
    /// let mut solver = Solver::new(arm.clone()).goal(arm.effector("wrist")?.at(DVec3::X * 0.1), DVec3::new(0.2, 0.3, 0.1));
    /// let mut pose = arm.rest_pose();
    /// assert!(solver.solve(&mut pose).stop.is_reached());
    /// assert_eq!(arm.effector("wirst").unwrap_err().to_string(), "there is no joint `wirst`; did you mean `wrist`?");
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn builder() -> SkeletonBuilder {
        SkeletonBuilder::default()
    }

    /// The effector at the origin of a joint. [`Effector::at`] moves it to a point of that joint.
    ///
    /// # Errors
    /// No joint has this name.
    pub fn effector(&self, joint: &str) -> Result<Effector, UnknownJoint> {
        let names = || self.joints().iter().map(|joint| joint.name.as_str());
        let found = self.find(joint).ok_or_else(|| UnknownJoint::among(joint, names()))?;
        Ok(Effector::new(found, DVec3::ZERO))
    }

    /// The angles of hinges and the distances of slides in a pose, in the order of the joints, but for those that follow others.
    pub fn values(&self, pose: &[Coordinates]) -> Vec<f64> {
        self.scalars().map(|joint| pose[joint].value()).collect()
    }

    /// The pose with these values, as [`Skeleton::values`] returns them, inside the limits. All other joints are at rest. `None`
    /// unless there is one number for each.
    ///
    /// ```
    /// # use fabrik3d_ik::{Kind, Skeleton};
    /// # use glam::DVec3;
    /// let arm = Skeleton::builder()
    ///     .root("base", Kind::hinge(DVec3::Z))
    ///     .child("lift", "base", DVec3::Z, Kind::limited_slide(DVec3::Z, 0.0, 0.4)?)
    ///     .build()?;
    /// let pose = arm.pose_of_values(&[1.2, 0.3]).expect("one value for each joint");
    /// assert_eq!(arm.values(&pose), [1.2, 0.3]);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn pose_of_values(&self, values: &[f64]) -> Option<Pose> {
        let mut pose = self.rest_pose();
        let mut left = values.iter();
        for joint in self.scalars() {
            pose[joint] = Coordinates::scalar(*left.next()?);
        }
        self.project(&mut pose);
        left.next().is_none().then_some(pose)
    }

    /// The pose inside the limits whose joints turn as nearly as they can by these rotations from their rest frames, such as those
    /// of the bones of an engine: the inverse of [`Kind::rotation`] for each joint. Slides are at rest. `None` unless there is one
    /// rotation for each joint.
    pub fn pose_of_rotations(&self, rotations: &[DQuat]) -> Option<Pose> {
        if rotations.len() != self.len() {
            return None;
        }
        let kinds = (0..self.len()).map(|joint| self.kind(joint));
        let turned = |(kind, rotation): (&Kind, &DQuat)| kind.coordinates_of(*rotation);
        let mut pose: Pose = kinds.zip(rotations).map(turned).collect();
        self.follow(&mut pose);
        Some(pose)
    }

    fn scalars(&self) -> impl Iterator<Item = usize> {
        (0..self.len()).filter(|&joint| self.kind(joint).is_scalar() && self.joints()[joint].mimic.is_none())
    }
}

impl Kind {
    /// A ball without limits.
    pub const fn ball() -> Kind {
        Kind::UNLIMITED_BALL
    }

    /// A hinge without limits.
    pub const fn hinge(axis: DVec3) -> Kind {
        Kind::Hinge { axis, range: None }
    }

    /// A slide without limits.
    pub const fn slide(axis: DVec3) -> Kind {
        Kind::Slide { axis, range: None }
    }
}

impl Effector {
    /// The same effector at another point of its joint.
    #[must_use]
    pub fn at(self, tip: DVec3) -> Self {
        Effector { tip, ..self }
    }
}

/// The known name of which `name` may be a misspelling: the one with the fewest wrong letters, if those are few for its length. Case,
/// spaces and hyphens do not count. For hints in messages.
pub fn nearest_name<'a>(name: &str, known: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    // Longer names are no typing errors.
    let plain = |text: &str| text.to_lowercase().replace(['-', ' '], "_").chars().take(64).collect::<String>();
    let name = plain(name);
    let changes = known.into_iter().map(|candidate| (changes(&name, &plain(candidate)), candidate));
    let near = changes.filter(|(count, candidate)| *count <= 1 + candidate.len() / 4 && *count < candidate.len());
    near.min_by_key(|(count, _)| *count).map(|(_, candidate)| candidate)
}

/// The number of letters to insert, remove, replace or swap with the next one that make one word of another (restricted
/// Damerau-Levenshtein distance).
fn changes(from: &str, to: &str) -> usize {
    let [from, to]: [Vec<char>; 2] = [from, to].map(|word| word.chars().collect());
    let mut rows = vec![(0..=to.len()).collect::<Vec<usize>>()];
    for (i, a) in from.iter().enumerate() {
        let mut row = vec![i + 1];
        for (j, b) in to.iter().enumerate() {
            let replaced = rows[i][j] + usize::from(a != b);
            let mut least = replaced.min(rows[i][j + 1] + 1).min(row[j] + 1);
            if i > 0 && j > 0 && *a == to[j - 1] && from[i - 1] == *b {
                least = least.min(rows[i - 1][j - 1] + 1);
            }
            row.push(least);
        }
        rows.push(row);
    }
    rows[from.len()][to.len()]
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;
    use crate::model::angle_between;
    use crate::random::Random;

    #[test]
    fn joints_by_name_make_the_skeleton_that_joints_by_number_make() {
        let mut random = Random::new(8);
        for _ in 0..200 {
            let count = 1 + random.index(8);
            let (mut joints, mut builder) = (Vec::new(), Skeleton::builder());
            for at in 0..count {
                let kind = [Kind::ball(), Kind::hinge(DVec3::X), Kind::slide(DVec3::Y), Kind::Fixed][random.index(4)];
                let (name, offset) = (format!("joint {at}"), random.direction());
                let parent = (at > 0).then(|| random.index(at));
                builder = match parent {
                    None => builder.root(name.clone(), kind),
                    Some(parent) => builder.child(name.clone(), &format!("joint {parent}"), offset, kind),
                };
                let offset = if parent.is_some() { offset } else { DVec3::ZERO };
                joints.push(Joint::new(name, parent, offset, kind));
            }
            let built = builder.build().unwrap();
            assert_eq!(built, Skeleton::new(joints).unwrap());
            let pose = built.random_pose(&mut random);
            let values = built.values(&pose);
            assert_eq!(built.values(&built.pose_of_values(&values).unwrap()), values);
            assert!(built.pose_of_values(&[values, vec![0.0]].concat()).is_none());
            assert!(built.pose_of_rotations(&vec![DQuat::IDENTITY; random.index(count)]).is_none());
            let rotations: Vec<DQuat> = (0..count).map(|at| built.kind(at).rotation(&pose[at])).collect();
            let turned = built.pose_of_rotations(&rotations).unwrap();
            let turns = (0..count).map(|at| angle_between(built.kind(at).rotation(&turned[at]), rotations[at]));
            assert!(turns.fold(0.0, f64::max) < 1e-9);
        }
    }

    #[test]
    fn unknown_names_are_told_with_the_nearest_one() {
        let builder = Skeleton::builder().root("hips", Kind::Free).child("spine", "hips", DVec3::Y, Kind::ball());
        let error = builder.clone().child("head", "spien", DVec3::Y, Kind::ball()).build().unwrap_err().to_string();
        assert_eq!(error, "the parent of joint `head` comes first: there is no joint `spien`; did you mean `spine`?");
        let twice = builder.clone().child("spine", "hips", DVec3::Y, Kind::ball()).build().unwrap_err();
        assert_eq!(twice, BuildError::Skeleton(SkeletonError::DuplicateName("spine".to_owned())));
        // A parent that comes later is none, so that there is no circle.
        let early = Skeleton::builder().child("hand", "arm", DVec3::X, Kind::ball()).build().unwrap_err();
        assert_eq!(early.to_string(), "the parent of joint `hand` comes first: there is no joint `arm`");
        assert!(Skeleton::builder().build().is_err());
    }

    #[test]
    fn changes_are_those_of_one_letter_each() {
        let mut random = Random::new(3);
        for _ in 0..500 {
            let mut letters =
                |count: usize| (0..count).map(|_| ['a', 'b', 'c', 'd'][random.index(4)]).collect::<String>();
            let [a, b, c] = [letters(5), letters(6), letters(4)];
            assert_eq!(changes(&a, &b), changes(&b, &a));
            assert_eq!(changes(&a, &a), 0);
            assert!(changes(&a, &c) <= a.len().max(c.len()));
        }
        for (one, other, count) in [("hand", "hnad", 1), ("hand", "and", 1), ("hand", "hind", 1), ("", "abc", 3)] {
            assert_eq!(changes(one, other), count);
        }
    }
}
