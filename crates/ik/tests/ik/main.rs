//! The solver: chains, methods, limits, SIMD batches.

mod arm_cases;
mod arm_freedom;
mod arm_laws;
mod chain_laws;
mod chain_paths;
mod chain_regressions;
mod clear_branches;
mod freedom;
mod interrupt;
mod islands;
mod keep_clear;
mod large;
mod limits;
mod look_at;
mod many;
mod method_laws;
mod method_steps;
mod nearest;
mod path;
mod pinned;
mod simd_blocks;
mod simd_cases;
mod simd_conformance;
mod six_axis;
mod six_axis_cases;
mod stiffness;
