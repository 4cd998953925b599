//! Cases that are hard on purpose: a slice of what `fabrik3d bench` runs 300,000 of.

use fabrik3d_ik::{Method, Settings};
use fabrik3d_measure::adversarial::{Regime, Tally, run, run_with};

fn assert_all_resolved(tally: &Tally) {
    let total = tally.total();
    assert_eq!(total.unresolved, 0, "{:?}", tally.failures);
    assert!(total.link_error <= 1e-12, "{:?}", tally.regimes);
}

#[test]
fn every_adversarial_case_is_resolved() {
    let tally = run(20_000, 7, Method::Accelerated);
    assert_all_resolved(&tally);
    assert!(tally.total().cases > 19_990, "nearly every case makes a chain");
    assert!(tally.p99_iterations <= 4, "{}", tally.p99_iterations);
    assert!(tally.regimes.iter().all(|(_, count)| count.cases > 100), "{:?}", tally.regimes);
}

#[test]
fn fine_tolerances_are_met_too() {
    for tolerance in [1e-3, 1e-6, 1e-9, 1e-12] {
        assert_all_resolved(&run_with(4000, 8, &Settings { tolerance, ..Settings::default() }));
    }
}

#[test]
fn one_iteration_and_the_closures_are_enough() {
    let max_iterations = std::num::NonZeroU32::MIN;
    assert_all_resolved(&run_with(4000, 9, &Settings { max_iterations, ..Settings::default() }));
}

#[test]
fn textbook_keeps_lengths_and_decides_what_is_out_of_reach() {
    let tally = run_with(2000, 10, &Settings { method: Method::Textbook, ..Settings::default() });
    assert!(tally.total().link_error <= 1e-12, "{:?}", tally.regimes);
    for (regime, count) in tally.regimes {
        if matches!(regime, Regime::BeyondReach | Regime::InDeadZone) {
            assert_eq!(count.unresolved, 0, "{regime:?}");
            assert_eq!(count.iterations, 0, "{regime:?}");
        }
    }
}
