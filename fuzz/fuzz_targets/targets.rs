//! Tables of targets, CSV and NPY; the reader detects which. The numbers of rows ascend, and what they ask for is finite.
#![no_main]

use fabrik3d_fuzz::CASES;
use fabrik3d_ik::Goal;
use fabrik3d_scene::read_targets;
use libfuzzer_sys::fuzz_target;

fuzz_target!(|data: &[u8]| {
    let Ok((columns, rows)) = read_targets(data, std::path::Path::new(""), &CASES) else { return };
    let mut before = 0;
    for row in rows.rows() {
        // A file that ends too early cannot be read further.
        let Ok((number, row)) = row else { return };
        assert!(number > before);
        before = number;
        let Ok(row) = row else { continue };
        assert!(columns.id(&row).is_none_or(|id| !id.contains('\n')));
        if let Ok(case) = columns.case(&CASES, &row) {
            let finite = |goal: &Goal| goal.target.position.is_none_or(|position| position.is_finite());
            assert!(case.problem.goals.iter().all(finite));
        }
    }
});
