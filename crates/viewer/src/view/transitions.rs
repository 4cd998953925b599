//! Smooth camera moves. Several may run at once: they are superposed, so that a new one never changes the present speed.

use super::{Camera, Lens};
use fabrik3d_ik::display::Blend;

/// Most camera moves at once. A wheel that turns faster drops the oldest, of which hardly anything is left.
const MAX_TRANSITIONS: usize = 64;

/// The camera moves in progress, oldest first.
#[derive(Clone, Debug, Default)]
pub(super) struct Transitions(Vec<Transition>);

/// One camera move: the camera and the lens that were replaced.
#[derive(Clone, Copy, Debug)]
struct Transition {
    camera: Camera,
    lens: Lens,
    clock: Blend,
}

impl Transitions {
    /// Whether the camera stands.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Starts a move away from a camera and a lens, of at least `seconds`: longer if an older one takes longer.
    pub fn begin(&mut self, camera: Camera, lens: Lens, seconds: f64) {
        let seconds = self.0.iter().map(|it| it.clock.remaining()).fold(seconds, f64::max);
        self.0.push(Transition { camera, lens, clock: Blend::new(seconds) });
        if self.0.len() > MAX_TRANSITIONS {
            self.0.remove(0);
        }
    }

    /// Ends all moves.
    pub fn clear(&mut self) {
        self.0.clear();
    }

    /// Lets `dt` seconds pass.
    pub fn advance(&mut self, dt: f64) {
        self.0 = self.0.iter().filter_map(|it| Some(Transition { clock: it.clock.after(dt)?, ..*it })).collect();
    }

    /// Moves all replaced cameras along with the present one: a move by hand shows at once.
    pub fn carry(&mut self, by_hand: impl Fn(Camera) -> Camera) {
        self.0.iter_mut().for_each(|it| it.camera = by_hand(it.camera));
    }

    /// The displayed camera and lens on the way to these.
    pub fn shown(&self, camera: Camera, lens: Lens) -> (Camera, Lens) {
        let later = self.0.iter().skip(1).map(|it| (it.camera, it.lens)).chain([(camera, lens)]);
        self.0.iter().zip(later).fold((camera, lens), |sum, (it, later)| {
            let left = 1.0 - it.clock.weight();
            (sum.0.plus(later.0, it.camera, left), sum.1.plus(later.1, it.lens, left))
        })
    }
}
