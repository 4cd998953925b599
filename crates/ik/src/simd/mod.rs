//! Many unlimited chains at once, in SIMD lanes: for crowds, streams of targets and workspace studies. Robot arms run in
//! lanes too, through [`Solver::solve_many`](crate::Solver::solve_many) and
//! [`Solver::solve_rows`](crate::Solver::solve_rows).
//!
//! All chains of a batch have the same number of links. Their joints are plain `f32` points, chain after chain.
//! [`Batch::solve`] moves every chain's tip to its own target with the algorithm of
//! [`Chain::solve`](crate::chain::Chain::solve), 4, 8 or 16 chains side by side ([`Level`]).
//!
//! ```
//! use fabrik3d_ik::simd::{Batch, BatchError, Lengths, Outcome};
//! use fabrik3d_ik::{Settings, Stop};
//!
//! // Two arms of three links, each with its own target.
//! let mut points = [[0.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 2.0, 0.0], [0.0, 3.0, 0.0]].repeat(2);
//! let targets = [[1.0, 1.5, 0.5], [0.0, 9.0, 0.0]];
//! let mut outcomes = [Outcome::default(); 2];
//! let mut batch = Batch::new(3)?;
//! batch.solve(Lengths::Shared(&[1.0; 3]), &mut points, &targets, &Settings::default(), &mut outcomes)?;
//! assert_eq!(outcomes[0].stop, Stop::Reached);
//! assert_eq!(outcomes[1].stop, Stop::TooFar);
//! # Ok::<(), BatchError>(())
//! ```
//!
//! # Guarantees
//!
//! - Every chain gets the answer of [`Chain::solve`](crate::chain::Chain::solve) to 1e-5 of its reach, with the same
//!   [`Stop`](crate::model::report::Stop), unless rounding decides. Rounding decides if the error passes the tolerance by
//!   about 1e-7 of the reach, so that one step more or less is made; if the ends of a link nearly coincide, so that its
//!   direction is noise; and, the nearer a chain is to straight, the more its bend depends on the last digits of its tip.
//!   Of 400,000 chains of 3 to 300 links with easy and hard targets, 99.8 % agreed to 1e-5 and the others to 1e-3, and the
//!   number of iterations differed for 8. All of them keep the other guarantees.
//! - Link lengths are exact to 2e-5 of each link, as far as `f32` points allow: the coordinates of a chain of 1,000 links,
//!   or of one whose base is 1,000 reaches from the origin, are coarser than that. The base keeps its bits.
//! - A chain's answer depends on that chain alone: not on its neighbours, its index in the batch, or the number of
//!   threads. The same input at the same level gives the same bits; [`Level::Avx2`] and [`Level::Avx512`]
//!   agree in every bit, on every processor.
//! - Start poses need not have exact link lengths; they are corrected first. So poses may be fed back frame after frame
//!   without drift.
//! - A chain with exact lengths that is already at its target does not move.
//! - A solve allocates nothing: a [`Batch`] keeps its buffers, one set per thread.
//!
//! Some chains need more than the lanes can do: one or two links, a target near the edge of the reach or inside the dead
//! zone, a straight chain with its target on its line, tolerances too fine for `f32`, methods other than
//! [`Method::Accelerated`](crate::model::settings::Method::Accelerated), and the rare chain whose closure fails. These are
//! solved one by one, in `f64`, by `Chain::solve`. Chains in a batch have no poles.
//!
//! Joints are computed relative to each chain's base and in units of its reach, so neither position nor size affects the
//! accuracy.

pub(crate) mod arms;
mod block;
mod chains;
mod closing;
mod level;
mod point;
mod reaching;
mod real;
mod scalar;
mod solve;
mod tile;
mod transpose;
mod vector;

pub use crate::model::serial_arm::{UnsupportedArm, UnsupportedReason};
pub use block::Outcome;
pub use chains::Lengths;
pub(crate) use level::Engine;
pub use level::Level;
pub use point::Point;
pub use solve::{Batch, BatchError, Threads};
