//! fabrik3d in double precision, called as a user calls it.

use super::{Rival, straight};
use crate::{MAX_ITERATIONS, TOLERANCE};
use fabrik3d_ik::settings::Method;
use fabrik3d_ik::{Chain, Settings};
use glam::DVec3;
use std::num::NonZeroU32;

pub struct Ours {
    start: Chain,
    chain: Chain,
    settings: Settings,
}

impl Ours {
    pub fn new(links: usize, method: Method) -> Self {
        let start = Chain::new(&straight(links)).expect("neighbours are at distance 1");
        let settings = Settings {
            method,
            tolerance: TOLERANCE / links as f64,
            max_iterations: NonZeroU32::new(MAX_ITERATIONS).unwrap_or(NonZeroU32::MIN),
            ..Settings::default()
        };
        Ours { chain: start.clone(), start, settings }
    }
}

impl Rival for Ours {
    fn reset(&mut self) {
        self.chain.clone_from(&self.start);
    }

    fn solve(&mut self, target: DVec3) -> Option<u32> {
        Some(self.chain.solve(target, &self.settings).iterations)
    }

    fn points(&mut self) -> Vec<DVec3> {
        self.chain.points().to_vec()
    }
}
