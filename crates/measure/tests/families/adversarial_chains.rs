//! Difficult cases: a part of the 300,000 cases of `fabrik3d bench adversarial`.

use fabrik3d_ik::Settings;
use fabrik3d_ik::settings::Method;
use fabrik3d_measure::adversarial::{AdversarialResult, Regime, run};

fn assert_all_resolved(result: &AdversarialResult) {
    let total = result.total();
    assert_eq!(total.unresolved, 0, "{:?}", result.failures);
    assert!(total.link_error <= 1e-12, "{:?}", result.regimes);
}

#[test]
fn every_adversarial_case_is_resolved() {
    let result = run(20_000, 7, &Settings::default());
    assert_all_resolved(&result);
    assert!(result.total().cases > 19_990, "nearly every case is a valid chain");
    assert!(result.p99_iterations <= 4, "{}", result.p99_iterations);
    assert!(result.regimes.iter().all(|(_, count)| count.cases > 100), "{:?}", result.regimes);
}

#[test]
fn adversarial_cases_are_resolved_at_tight_tolerances() {
    for tolerance in [1e-3, 1e-6, 1e-9, 1e-12] {
        assert_all_resolved(&run(4000, 8, &Settings { tolerance, ..Settings::default() }));
    }
}

#[test]
fn one_iteration_and_the_closed_form_closure_suffice() {
    let max_iterations = std::num::NonZeroU32::MIN;
    assert_all_resolved(&run(4000, 9, &Settings { max_iterations, ..Settings::default() }));
}

#[test]
fn textbook_keeps_lengths_and_detects_unreachable_targets() {
    let result = run(2000, 10, &Settings { method: Method::Textbook, ..Settings::default() });
    assert!(result.total().link_error <= 1e-12, "{:?}", result.regimes);
    for (regime, count) in result.regimes {
        if matches!(regime, Regime::BeyondReach | Regime::InDeadZone) {
            assert_eq!(count.unresolved, 0, "{regime:?}");
            assert_eq!(count.iterations, 0, "{regime:?}");
        }
    }
}
