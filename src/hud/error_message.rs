//! Error messages for the window. They name keys, while the errors themselves name commands for authors of scripts.

use crate::session::CommandError;
use crate::view::Bindings;

/// The message for the window. `label` names a key of the user's keyboard.
#[must_use]
pub fn error_message(error: &CommandError, bindings: &Bindings, label: impl Fn(&str) -> Option<String>) -> String {
    let key = |words: &str| bindings.key_for(&words.parse().ok()?, &label);
    match error {
        CommandError::NoJoint => match key("joint.next") {
            Some(key) => format!("No joint is selected: click one, or press {key}."),
            None => "No joint is selected: click one.".to_owned(),
        },
        CommandError::NoMotion => match key("motion.open") {
            Some(key) => format!("No recorded motion is open: press {key} to open one."),
            None => "No recorded motion is open: drop a file on the window.".to_owned(),
        },
        CommandError::NothingToShow => {
            "No recorded joint has the same name as a joint of the scene, so the recording cannot be \
                                        shown. Under Motion in the side panel, effectors can follow it."
                .to_owned()
        }
        other => other.to_string(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn window_messages_name_keys_and_script_errors_name_commands() {
        let bindings = Bindings::default();
        for (error, key) in [(CommandError::NoJoint, "]"), (CommandError::NoMotion, "Ctrl+M")] {
            let text = error_message(&error, &bindings, |_| None);
            assert!(text.contains(key) && !text.contains('`'), "{text}");
            assert!(error.to_string().contains('`'), "script errors name a command: {error}");
        }
        assert!(!error_message(&CommandError::NothingToShow, &bindings, |_| None).contains('`'));
        let setting = CommandError::NotFinite;
        assert_eq!(error_message(&setting, &bindings, |_| None), setting.to_string());
    }
}
