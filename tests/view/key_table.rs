//! The table of keys in `docs/viewer.md` matches the bindings.

use fabrik3d_viewer::view::Bindings;

const OPEN: &str = "<!-- keys: written by `UPDATE_GOLDEN=1 cargo test --test view key_table` -->\n";
const CLOSE: &str = "<!-- /keys -->";

fn table() -> String {
    let mut text = String::from("\n| | | |\n|---|---|---|\n");
    let mut group = "";
    for line in Bindings::default().help(|_| None, true) {
        let head = if line.group == group { "" } else { line.group };
        group = line.group;
        let keys = line.keys().replace('|', "\\|");
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
fn the_page_lists_the_bound_keys() {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/docs/viewer.md");
    let page = std::fs::read_to_string(path).expect("docs/viewer.md");
    let start = page.find(OPEN).expect("the opening marker") + OPEN.len();
    let end = page.find(CLOSE).expect("the closing marker");
    if std::env::var_os("UPDATE_GOLDEN").is_some() {
        let fresh = format!("{}{}{}", &page[..start], table(), &page[end..]);
        return std::fs::write(path, fresh).expect("writable");
    }
    assert_eq!(
        &page[start..end],
        table(),
        "docs/viewer.md is out of date: UPDATE_GOLDEN=1 cargo test --test view key_table"
    );
}
