//! Many unlimited chains at once, in SIMD lanes: crowds, streams of targets, workspace studies.
//!
//! All chains of a batch have the same number of links. Their joints come in and go out as plain `f32` points, chain
//! after chain; [`Batch::solve`] moves every chain's tip to its own target with the algorithm of
//! [`Chain::solve`](crate::chain::Chain::solve), 4, 8 or 16 chains side by side ([`Level`]).
//!
//! ```
//! use crate::simd::{Batch, Lengths, Outcome};
//! use fabrik3d_ik::{Settings, Stop};
//!
//! // Two arms of three links, both reaching for something.
//! let mut points = [[0.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 2.0, 0.0], [0.0, 3.0, 0.0]].repeat(2);
//! let targets = [[1.0, 1.5, 0.5], [0.0, 9.0, 0.0]];
//! let mut outcomes = [Outcome::default(); 2];
//! let mut batch = Batch::new(3)?;
//! batch.solve(Lengths::Shared(&[1.0; 3]), &mut points, &targets, &Settings::default(), &mut outcomes)?;
//! assert_eq!(outcomes[0].stop, Stop::Reached);
//! assert_eq!(outcomes[1].stop, Stop::TooFar);
//! # Ok::<(), error::BatchError>(())
//! ```
//!
//! Chains that are solved again and again need not be brought into the lanes and back every time: [`Batch::blocks`] keeps
//! them there, and [`Batch::solve_blocks`] solves them where they are.
//!
//! # What is promised
//!
//! - Every chain gets the answer that [`Chain::solve`](crate::chain::Chain::solve) gives it, to 1e-5 of its reach, with the same
//!   [`Stop`](crate::model::report::Stop) - unless rounding decides: where the error passes the tolerance by about 1e-7 of the reach, one
//!   step more or less is made; where a link's ends come to lie on each other, its direction is noise; and the nearer a
//!   chain is to straight, the more its bend depends on the last digits of its tip. Over 400,000 chains of 3 to 300 links
//!   in easy and hard places 99.8 % agreed to 1e-5, the others to 1e-3, and the iterations differed on 8. All of them
//!   keep the other promises.
//! - Link lengths are those given, to 2e-5 of each link, as far as `f32` points can say so: a chain of 1,000 links, or
//!   one whose base is 1,000 reaches from the origin, is rounded more coarsely than that by its coordinates alone.
//!   The base stays, bit by bit.
//! - A chain's answer depends on that chain alone: not on its neighbours, its place in the batch, or the number of
//!   threads. Same input, same level, same bits out; with exact roots [`Level::Avx2`] and
//!   [`Level::Avx512`] agree in every bit.
//! - Start poses need not keep the link lengths to the last bit; they are drawn onto them first. So poses may be fed
//!   back frame after frame without drifting.
//! - A chain that keeps its lengths and is at its target already is not touched.
//! - Nothing is allocated per solve: a [`Batch`] keeps its workspaces, one for each thread.
//!
//! Chains that need more than the lanes can do - one or two links, a target near the edge of the reach or inside the
//! dead zone, a straight chain with its target on its line, tolerances too fine for `f32`, methods other than
//! [`Method::Accelerated`](crate::model::settings::Method::Accelerated), and the odd chain whose closure fails - are solved one by one, in
//! `f64`, by `Chain::solve` itself. Chains in a batch have no poles.
//!
//! Joints are computed relative to each chain's base and in units of its reach, so neither place nor size matters.

mod block;
mod blocks;
mod chains;
mod closing;
mod error;
mod lanes;
mod level;
mod point;
mod portable;
mod reaching;
mod scalar;
mod solve;
mod tile;
mod transpose;
#[cfg(target_arch = "x86_64")]
mod x86;

pub use blocks::Blocks;
pub use chains::Lengths;
pub use error::BatchError;
pub use level::{Level, Roots};
pub use point::Point;
pub use solve::{BadChains, Batch, Outcome, Threads};
