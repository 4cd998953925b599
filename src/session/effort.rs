//! What a solve has done, in numbers.

use fabrik3d_ik::Report;
use std::fmt;
use std::ops::AddAssign;

/// What a solve has done. Reads `2`, or `2 + 51` if a refinement followed the iterations.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Effort {
    /// Iterations of the method.
    pub iterations: u32,
    /// Steps of the refinement, or of the closed-form closure of a chain.
    pub refine_steps: u32,
}

impl From<Report> for Effort {
    fn from(Report { iterations, refine_steps, .. }: Report) -> Self {
        Effort { iterations, refine_steps }
    }
}

impl AddAssign for Effort {
    fn add_assign(&mut self, other: Effort) {
        self.iterations = self.iterations.saturating_add(other.iterations);
        self.refine_steps = self.refine_steps.saturating_add(other.refine_steps);
    }
}

impl Effort {
    /// `3 iterations, 1 refinement step`
    pub fn in_words(self) -> String {
        let count = |count: u32, one: &str| format!("{count} {one}{}", if count == 1 { "" } else { "s" });
        let iterations = count(self.iterations, "iteration");
        match self.refine_steps {
            0 => iterations,
            steps => format!("{iterations}, {}", count(steps, "refinement step")),
        }
    }
}

impl fmt::Display for Effort {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        match self.refine_steps {
            0 => write!(f, "{}", self.iterations),
            steps => write!(f, "{} + {steps}", self.iterations),
        }
    }
}
