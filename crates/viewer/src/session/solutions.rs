//! All poses that meet the targets of the selected figure: what is known of them.

use super::frame_budget::FrameShare;
use fabrik3d_ik::Problem;
use fabrik3d_ik::arms::AllSolutions;
use fabrik3d_ik::figures::Figure;

/// The poses that meet the targets of the selected figure.
#[derive(Clone, Debug, Default)]
pub(super) struct Solutions {
    /// Whether somebody sees them. Otherwise they cost nothing.
    pub is_watched: bool,
    pub found: Option<Found>,
    pub share: FrameShare,
}

#[derive(Clone, Debug)]
pub(super) struct Found {
    /// What the poses meet.
    pub problem: Problem,
    /// The number of the figure.
    pub island: usize,
    pub solutions: AllSolutions,
}

/// All poses of a figure that meet its targets, in the numbers of its joints.
#[derive(Clone, Copy, Debug)]
pub struct ShownSolutions<'a> {
    /// The figure.
    pub figure: &'a Figure,
    /// What they meet.
    pub problem: &'a Problem,
    /// The poses.
    pub solutions: &'a AllSolutions,
}
