//! Clips are found by what users call them.

use fabrik3d_scene::find_clip;

#[test]
fn clips_are_found_by_name_by_number_and_by_name_in_other_letters_if_that_is_unique() {
    let names = ["Survey", "Walk", "Run", "run", "2", "Élan"];
    for (wanted, expected) in [
        ("Survey", Some(0)),
        ("survey", Some(0)),
        ("WALK", Some(1)),
        ("Run", Some(2)),
        ("run", Some(3)),
        ("RUN", None),
        ("2", Some(4)),
        ("1", Some(0)),
        ("6", Some(5)),
        ("7", None),
        ("0", None),
        ("élan", Some(5)),
        ("", None),
    ] {
        assert_eq!(find_clip(&names, wanted), expected, "{wanted}");
    }
}
