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

    /// The displayed camera on the way to `camera`.
    pub fn camera(&self, camera: Camera) -> Camera {
        let later = self.0.iter().skip(1).map(|it| it.camera).chain([camera]);
        self.0.iter().zip(later).fold(camera, |sum, (it, later)| sum.plus(later, it.camera, 1.0 - it.clock.weight()))
    }

    /// The displayed lens on the way to `lens`.
    pub fn lens(&self, lens: Lens) -> Lens {
        let later = self.0.iter().skip(1).map(|it| it.lens).chain([lens]);
        self.0.iter().zip(later).fold(lens, |sum, (it, later)| sum.plus(later, it.lens, 1.0 - it.clock.weight()))
    }
}
