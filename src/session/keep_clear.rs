//! Turns keep clear on and off.

use super::remark::Remark;
use super::session::Session;
use fabrik3d_ik::queries::{Clearance, clearance};
use std::sync::Arc;

impl Session {
    /// Lets links keep clear of each other and of obstacles, or not; without a choice, whichever they do not do now.
    pub(super) fn set_keep_clear(&mut self, on: Option<bool>) {
        let is_on = self.scene.keep_clear.is_some();
        let on = on.unwrap_or(!is_on);
        if on != is_on {
            self.history.push(self.snapshot());
            Arc::make_mut(&mut self.scene).set_keep_clear(on);
            self.renew_keep_clear();
        }
        self.remark = Some(if on { Remark::KeepsClear(self.scene.margin()) } else { Remark::KeepsClearNoMore });
    }

    /// The bodies of the links have changed: solves all islands with the new ones, and eases the display.
    pub(super) fn renew_keep_clear(&mut self) {
        self.rebuild_islands_keeping_eases();
        (0..self.islands.states.len()).for_each(|island| self.start_ease(island));
    }

    /// The smallest distance between links that keep clear, or between a link and an obstacle, as displayed; none unless the
    /// scene keeps clear.
    pub fn clearance(&self) -> Option<Clearance> {
        clearance(&self.scene.skeleton, self.islands.problem(), &self.poses.displayed)
    }
}
