//! The README's table of keys is the one that binds them.
#![cfg(feature = "viewer")]

use fabrik3d::view::Bindings;

const OPEN: &str = "<!-- keys: written by `UPDATE_GOLDEN=1 cargo test --test readme` -->\n";
const CLOSE: &str = "<!-- /keys -->";

fn table() -> String {
    let mut text = String::from("\n| | | |\n|---|---|---|\n");
    let mut group = "";
    for line in Bindings::default().help(|_| None) {
        let head = if line.group == group { "" } else { line.group };
        group = line.group;
        let keys = line.keys.replace('|', "\\|");
        text.push_str(&format!(
            "| {} | {} | {keys} |\n",
            if head.is_empty() { String::new() } else { format!("**{head}**") },
            line.what
        ));
    }
    text.push('\n');
    text
}

#[test]
fn the_readme_lists_the_keys_as_they_are_bound() {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/README.md");
    let readme = std::fs::read_to_string(path).expect("README.md");
    let start = readme.find(OPEN).expect("the opening mark") + OPEN.len();
    let end = readme.find(CLOSE).expect("the closing mark");
    if std::env::var_os("UPDATE_GOLDEN").is_some() {
        let fresh = format!("{}{}{}", &readme[..start], table(), &readme[end..]);
        return std::fs::write(path, fresh).expect("writable");
    }
    assert_eq!(&readme[start..end], table(), "README.md is out of date: UPDATE_GOLDEN=1 cargo test --test readme");
}
