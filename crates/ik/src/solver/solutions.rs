//! The different poses that meet the same goals.

use super::Solver;
use super::figures::Figures;
use crate::model::{Coordinates, Pose};

impl Solver {
    /// Up to `most` different poses that meet all goals, inside the limits: the solutions of an arm. An arm of six joints
    /// usually has up to eight. They are ordered by their [`pose_distance`](crate::display::pose_distance) from `start`.
    ///
    /// If one effector with position and orientation is the only goal, and its arm has six hinges
    /// ([`SixAxisArm`](crate::SixAxisArm)), these are the nearest of all solutions, exact to rounding; among obstacles and
    /// links that keep clear, of those that are clear. In singular poses, where joints can turn against each other, one of
    /// infinitely many poses stands for all. Otherwise they are clearly different poses: some joint differs by more than 0.2
    /// radians (a slide by 0.2 of the reach). Of the infinitely many of an arm with seven hinges, these are poses for evenly spread
    /// values of the hinge whose values leave most poses; of all others, those that a search finds first. Poses that differ by
    /// whole turns of a hinge count as one; the turn nearest to `start` is returned. What [`Solver::solve`] reaches has a solution.
    /// [`Solver::all_solutions`] says which case it is.
    ///
    /// The search starts from `start` and from random poses, `most` times
    /// [`Settings::max_attempts`](crate::Settings::max_attempts) in total. The same input gives the same poses. The list is
    /// empty if none is found or the input is refused.
    ///
    /// ```
    /// # use fabrik3d_ik::{Effector, Joint, Kind, Skeleton, Solver};
    /// # use glam::DVec3;
    /// // Two hinges in a plane: elbow up or elbow down.
    /// let hinge = Kind::Hinge { axis: DVec3::Z, range: None };
    /// let arm = Skeleton::new(vec![
    ///     Joint::new("shoulder", None, DVec3::ZERO, hinge),
    ///     Joint::new("elbow", Some(0), DVec3::X, hinge),
    /// ])?;
    /// let rest = arm.rest_pose();
    /// let mut solver = Solver::new(arm).goal(Effector::new(1, DVec3::X), DVec3::new(1.0, 1.0, 0.0));
    /// assert_eq!(solver.solutions(&rest, 8).len(), 2);
    /// # Ok::<(), fabrik3d_ik::errors::SkeletonError>(())
    /// ```
    pub fn solutions(&mut self, start: &[Coordinates], most: usize) -> Vec<Pose> {
        self.list(start, most).poses
    }

    /// Those of a closed form, or those that a search finds.
    pub(super) fn found(&mut self, start: &[Coordinates], most: usize) -> Vec<Pose> {
        let Some(Figures { given, figures, buffers, .. }) = self.ready(start).filter(|_| most > 0) else {
            return Vec::new();
        };
        let mut start = start.to_vec();
        given.skeleton.project(&mut start);
        let mut found = vec![(0.0, start.clone())];
        for figure in figures {
            let own = figure.solutions(&given, most, buffers, &start);
            let with_each = |(distance, pose): &(f64, Pose)| {
                let with = |(own_distance, own): &(f64, Pose)| {
                    let mut pose = pose.clone();
                    figure.figure.write(own, &mut pose);
                    (own_distance.max(*distance), pose)
                };
                own.iter().map(with).collect::<Vec<_>>()
            };
            found = found.iter().flat_map(with_each).collect();
            found.sort_by(|a, b| a.0.total_cmp(&b.0));
            found.truncate(most);
        }
        found.into_iter().map(|(_, pose)| pose).collect()
    }
}
