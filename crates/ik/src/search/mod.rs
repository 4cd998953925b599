//! The search: attempts from one start after the other. [`policy`] is its table: what each verb tries and when it gives up.
//!
//! [`verbs`] holds what a verb does before and after its attempts, [`attempts`] the loop and one attempt of it: reaching
//! cycles, then refinement. `starts` writes the start poses. `walk` and `approach` move stiff figures to far targets in small
//! steps, and `bend` bends their straight limbs. `layout::shell` and `blocked` recognize targets that no pose can meet.
//! `scout` is a search that is divided among calls. `closed_form` lists the solutions of arms with six hinges. `candidates`
//! follows whole paths from several starts, and `sequence` chooses one pose per row, by the `moves` of the joints.
//! `workspace` has the buffers of the thread that solves.

mod approach;
mod attempts;
pub mod bend;
mod blocked;
pub mod candidates;
mod closed_form;
mod moves;
pub mod policy;
mod scout;
mod sequence;
pub mod starts;
mod verbs;
pub mod walk;
pub mod workspace;

pub(crate) use policy::Verb;
