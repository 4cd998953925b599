//! Why a command was not carried out, as those hear it who pressed a key: with the keys that help, where the error itself
//! names commands for those who wrote a script.

use crate::session::CommandError;
use crate::view::Bindings;

/// The sentence for the window; `label` tells what is printed on a key.
#[must_use]
pub fn complaint(error: &CommandError, bindings: &Bindings, label: impl Fn(&str) -> Option<String>) -> String {
    let key = |words: &str| bindings.key_for(&words.parse().ok()?, &label);
    match error {
        CommandError::NoJoint => match key("joint.next") {
            Some(key) => format!("No joint is selected: click on one, or press {key}."),
            None => "No joint is selected: click on one.".to_owned(),
        },
        CommandError::NoMotion => match key("motion.open") {
            Some(key) => format!("There is no recorded motion here: {key} opens some."),
            None => "There is no recorded motion here: drop some on the window.".to_owned(),
        },
        CommandError::NothingToShow => {
            "No joint of the recording is named like one here, so it cannot be shown: under \
                                        Motion in the side panel an effector can be told to follow it."
                .to_owned()
        }
        other => other.to_string(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn who_presses_a_key_is_told_of_keys_and_not_of_commands() {
        let bindings = Bindings::default();
        for (error, key) in [(CommandError::NoJoint, "]"), (CommandError::NoMotion, "Ctrl+M")] {
            let text = complaint(&error, &bindings, |_| None);
            assert!(text.contains(key) && !text.contains('`'), "{text}");
            assert!(error.to_string().contains('`'), "a script is told of a command: {error}");
        }
        assert!(!complaint(&CommandError::NothingToShow, &bindings, |_| None).contains('`'));
        let setting = CommandError::NotFinite;
        assert_eq!(complaint(&setting, &bindings, |_| None), setting.to_string());
    }
}
