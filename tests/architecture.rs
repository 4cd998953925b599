//! What Cargo cannot hold: the order of the program's layers, which layers may name which crates, that no imports go in
//! circles inside a crate, and what packages and dependencies hold. ARCHITECTURE.md explains why.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

/// The folders of sources.
const SOURCES: [&str; 7] = [
    "src",
    "crates/ik/src",
    "crates/scene/src",
    "crates/viewer/src",
    "crates/measure/src",
    "crates/python/src",
    "crates/web/src",
];

/// Where layers lie, in their order, and for each the others that it may use.
fn layers() -> [(&'static str, BTreeMap<&'static str, Vec<&'static str>>); 2] {
    let line = |names: &[&'static str]| -> BTreeMap<_, Vec<_>> {
        names.iter().enumerate().map(|(at, layer)| (*layer, names[..at].to_vec())).collect()
    };
    [
        ("crates/viewer/src", line(&["session", "view", "raster", "hud"])),
        ("src", line(&["solve", "render", "record", "app", "cli"])),
    ]
}

/// Crates that only some layers may name.
const RESERVED: [(&str, &[&str]); 6] = [
    ("glium", &["render", "app"]),
    ("glutin", &["render", "app"]),
    ("winit", &["app"]),
    ("egui_winit", &["app"]),
    ("cgmath", &["view"]),
    ("clap", &["cli"]),
];

/// What the viewer has of the program around it, and does not name: files, threads and a clock.
const OF_THE_HOST: [&str; 5] = ["std::fs", "std::thread", "Instant::now", "SystemTime", "rayon"];

/// Types of the solver that the crate of scenes may not name: it describes problems and solves none.
const SOLVERS: [&str; 4] = ["Solver", "Figures", "Chain", "simd"];

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

fn sources(folder: &Path, out: &mut Vec<PathBuf>) {
    for entry in std::fs::read_dir(folder).expect("readable").flatten() {
        let path = entry.path();
        if path.is_dir() {
            sources(&path, out);
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            out.push(path);
        }
    }
}

/// The files below a folder and their code: without comments and without tests.
fn code_below(folder: &Path) -> Vec<(PathBuf, String)> {
    let mut files = Vec::new();
    sources(folder, &mut files);
    assert!(!files.is_empty(), "no sources below {}", folder.display());
    let code = |path: &PathBuf| {
        let text = std::fs::read_to_string(path).expect("readable");
        let text = text.split("\nmod tests {").next().unwrap_or_default().to_owned();
        text.lines().map(|line| line.split("//").next().unwrap_or_default()).collect::<Vec<_>>().join("\n")
    };
    files.iter().map(|path| (path.clone(), code(path))).collect()
}

/// The first identifier at the start of a text.
fn word(text: &str) -> &str {
    let end = text.find(|c: char| !(c.is_alphanumeric() || c == '_')).unwrap_or(text.len());
    &text[..end]
}

/// Paths, segment by segment, that a `use` tree such as `a::{b, c::d}` names.
fn expand(prefix: &[String], tree: &str, out: &mut Vec<Vec<String>>) {
    let tree = tree.trim();
    let Some((head, body)) = tree.split_once('{') else {
        let name = tree.split(" as ").next().unwrap_or(tree);
        let segments = name.split("::").map(|segment| segment.trim().to_owned());
        out.push(prefix.iter().cloned().chain(segments.filter(|segment| segment != "self")).collect());
        return;
    };
    let head: Vec<String> =
        head.split("::").map(str::trim).filter(|part| !part.is_empty()).map(str::to_owned).collect();
    let prefix: Vec<String> = prefix.iter().cloned().chain(head).collect();
    let body = body.trim_end().strip_suffix('}').unwrap_or(body);
    let (mut depth, mut start) = (0, 0);
    for (at, letter) in body.char_indices() {
        match letter {
            '{' => depth += 1,
            '}' => depth -= 1,
            ',' if depth == 0 => {
                expand(&prefix, &body[start..at], out);
                start = at + 1;
            }
            _ => {}
        }
    }
    if !body[start..].trim().is_empty() {
        expand(&prefix, &body[start..], out);
    }
}

/// One crate's modules, and what each imports from its own crate.
struct Imports {
    /// Module path of each file, segments below the crate's root.
    modules: BTreeSet<Vec<String>>,
    /// Names that a module re-exports, with the path that they come from.
    reexports: BTreeMap<(Vec<String>, String), Vec<String>>,
    edges: BTreeMap<Vec<String>, BTreeSet<Vec<String>>>,
}

impl Imports {
    fn of(src: &Path) -> Self {
        let files = code_below(src);
        let module = |path: &Path| {
            let path = path.strip_prefix(src).expect("below").with_extension("");
            let mut segments: Vec<String> =
                path.components().map(|part| part.as_os_str().to_string_lossy().into_owned()).collect();
            if matches!(segments.last().map(String::as_str), Some("mod" | "lib")) {
                segments.pop();
            }
            segments
        };
        let modules = files.iter().map(|(path, _)| module(path)).collect();
        let mut imports = Imports { modules, reexports: BTreeMap::new(), edges: BTreeMap::new() };
        for pass in 0..2 {
            for (path, code) in &files {
                imports.read(&module(path), code, pass == 0);
            }
        }
        imports
    }

    /// Notes the re-exports of a module, or what it imports.
    fn read(&mut self, module: &[String], code: &str, reexports: bool) {
        for (at, _) in code.match_indices("use ") {
            let line_start = code[..at].rfind('\n').map_or(0, |at| at + 1);
            let visibility = code[line_start..at].trim();
            if !visibility.is_empty() && !visibility.starts_with("pub") {
                continue;
            }
            let Some(end) = code[at..].find(';') else { continue };
            let mut paths = Vec::new();
            expand(&[], &code[at + 4..at + end], &mut paths);
            for path in paths {
                let Some(absolute) = self.absolute(module, &path) else { continue };
                let name = path.last().cloned().unwrap_or_default();
                if reexports && !visibility.is_empty() {
                    self.reexports.insert((module.to_vec(), name), absolute);
                } else if !reexports {
                    let target = self.resolve(absolute);
                    let is_reexport_of_child = !visibility.is_empty() && target.starts_with(module);
                    if target != module && !is_reexport_of_child {
                        self.edges.entry(module.to_vec()).or_default().insert(target);
                    }
                }
            }
        }
    }

    /// The path below the crate's root, if it leads into this crate.
    fn absolute(&self, module: &[String], path: &[String]) -> Option<Vec<String>> {
        match path.first()?.as_str() {
            "crate" => Some(path[1..].to_vec()),
            "super" => {
                let up = path.iter().take_while(|segment| *segment == "super").count();
                let base = &module[..module.len().checked_sub(up)?];
                Some(base.iter().chain(&path[up..]).cloned().collect())
            }
            "self" => Some(module.iter().chain(&path[1..]).cloned().collect()),
            first => {
                let child: Vec<String> = module.iter().cloned().chain([first.to_owned()]).collect();
                self.modules.contains(&child).then(|| module.iter().chain(path).cloned().collect())
            }
        }
    }

    /// The module that defines what a path names, through re-exports.
    fn resolve(&self, mut path: Vec<String>) -> Vec<String> {
        for _ in 0..8 {
            let depth = (0..=path.len()).rev().find(|&depth| self.modules.contains(&path[..depth]));
            let depth = depth.unwrap_or(0);
            let (module, rest) = (path[..depth].to_vec(), path[depth..].to_vec());
            let Some(from) = rest.first().and_then(|name| self.reexports.get(&(module.clone(), name.clone()))) else {
                return module;
            };
            path = from.iter().chain(&rest[1..]).cloned().collect();
        }
        path
    }

    /// Modules that import each other, directly or through others; `depth` segments of a path make a module.
    fn circles(&self, depth: usize) -> Vec<String> {
        let cut = |path: &Vec<String>| path[..path.len().min(depth)].to_vec();
        let mut edges: BTreeMap<Vec<String>, BTreeSet<Vec<String>>> = BTreeMap::new();
        for (from, to) in &self.edges {
            let to = to.iter().map(cut).filter(|to| *to != cut(from));
            edges.entry(cut(from)).or_default().extend(to);
        }
        let reached = |start: &Vec<String>| {
            let (mut seen, mut open) = (BTreeSet::new(), vec![start.clone()]);
            while let Some(at) = open.pop() {
                for next in edges.get(&at).into_iter().flatten() {
                    if seen.insert(next.clone()) {
                        open.push(next.clone());
                    }
                }
            }
            seen
        };
        let circular = edges.keys().filter(|module| reached(module).contains(*module));
        circular.map(|module| module.join("::")).collect()
    }
}

#[test]
fn layers_use_only_what_lies_below_them() {
    let (mut faults, mut uses) = (Vec::new(), 0);
    for (src, layers) in layers() {
        for (layer, below) in &layers {
            for (file, code) in code_below(&root().join(src).join(layer)) {
                for (at, _) in code.match_indices("crate::") {
                    let used = word(&code[at + "crate::".len()..]);
                    uses += 1;
                    if layers.contains_key(used) && used != *layer && !below.contains(&used) {
                        faults.push(format!("{} uses crate::{used}", file.display()));
                    }
                }
                for (name, at_home) in RESERVED {
                    if code.contains(&format!("{name}::")) && !at_home.contains(layer) {
                        faults.push(format!("{} names {name}", file.display()));
                    }
                }
            }
        }
    }
    assert!(uses > 50, "found hardly any `crate::`: the test reads the wrong files");
    assert!(faults.is_empty(), "{}", faults.join("\n"));
}

#[test]
fn the_viewer_has_no_files_threads_or_clock_of_its_own() {
    for (file, code) in code_below(&root().join("crates/viewer/src")) {
        let code = code.split("#[cfg(test)]").next().unwrap_or_default();
        let named = OF_THE_HOST.iter().find(|name| code.contains(*name));
        assert!(named.is_none(), "{} names {}", file.display(), named.unwrap_or(&""));
    }
}

#[test]
fn scenes_name_no_solver() {
    for (file, code) in code_below(&root().join("crates/scene/src")) {
        for statement in code.split(';').filter(|statement| statement.contains("use fabrik3d_ik")) {
            let named =
                SOLVERS.iter().find(|solver| statement.split(|c: char| !c.is_alphanumeric()).any(|w| w == **solver));
            assert!(named.is_none(), "{} names {named:?}", file.display());
        }
    }
}

#[test]
fn no_imports_go_in_circles() {
    for src in SOURCES {
        let imports = Imports::of(&root().join(src));
        let edges: usize = imports.edges.values().map(BTreeSet::len).sum();
        assert!(edges > 15, "{src}: found hardly any imports: the test reads the wrong files");
        assert_eq!(imports.circles(usize::MAX), Vec::<String>::new(), "files of {src} that import each other");
        assert_eq!(imports.circles(1), Vec::<String>::new(), "folders of {src} that import each other");
    }
}

/// The functions of a file in the form of rustfmt: the line and the text of each signature's first line, and the number of lines.
fn functions(code: &str) -> Vec<(usize, &str, usize)> {
    let lines: Vec<&str> = code.lines().collect();
    let begins = |line: &str| {
        let code = line.trim_start();
        let is_public = ["pub ", "pub(", "const ", "unsafe ", "async "].iter().any(|word| code.starts_with(word));
        code.starts_with("fn ") || (is_public && code.contains(" fn "))
    };
    let starts = lines.iter().enumerate().filter(|(_, line)| begins(line) && !line.trim_start().starts_with("//"));
    let lengths = starts.filter_map(|(at, line)| {
        let indent = &line[..line.len() - line.trim_start().len()];
        let is_end = |end: &&str| end.strip_prefix(indent).is_some_and(|end| end == "}" || end.starts_with("} "));
        // Declarations and functions in one line end where they begin.
        let is_short = line.ends_with(';') || line.ends_with('}');
        let more = lines[at..].iter().position(is_end).filter(|_| !is_short)?;
        Some((at + 1, line.trim(), more + 1))
    });
    lengths.collect()
}

#[test]
fn functions_are_short() {
    let (mut count, mut long) = (0, Vec::new());
    for src in SOURCES {
        let mut files = Vec::new();
        sources(&root().join(src), &mut files);
        for file in files {
            let code = std::fs::read_to_string(&file).expect("readable");
            for (line, name, lines) in functions(&code) {
                count += 1;
                if lines > 60 {
                    long.push(format!("{}:{line} {name}: {lines} lines", file.display()));
                }
            }
        }
    }
    assert!(count > 3_000, "found hardly any functions: the test reads the wrong files");
    assert!(long.is_empty(), "more than 60 lines:\n{}", long.join("\n"));
}

/// The packages, and their folders.
const PACKAGES: [(&str, &str); 5] = [
    ("fabrik3d-ik", "crates/ik"),
    ("fabrik3d-scene", "crates/scene"),
    ("fabrik3d-viewer", "crates/viewer"),
    ("fabrik3d-measure", "crates/measure"),
    ("fabrik3d", ""),
];
/// Largest size of a package before compression, bytes.
const PACKAGE_SIZE: u64 = 2_000_000;

/// The files that `cargo package` packs, relative to the package.
fn packed(package: &str) -> BTreeSet<PathBuf> {
    let cargo = std::env::var("CARGO").unwrap_or_else(|_| "cargo".to_owned());
    let listed = std::process::Command::new(cargo)
        .args(["package", "--list", "--offline", "--allow-dirty", "--package", package])
        .current_dir(root())
        .output()
        .expect("cargo runs");
    assert!(listed.status.success(), "{package}: {}", String::from_utf8_lossy(&listed.stderr));
    String::from_utf8_lossy(&listed.stdout).lines().map(PathBuf::from).collect()
}

/// The files of a page's relative links, from the folder of the page. Pictures are too large for packages.
fn linked(page: &str) -> Vec<&str> {
    let links = page.split("](").skip(1).filter_map(|rest| rest.split([')', '#']).next());
    let is_picture = |link: &str| [".png", ".gif"].iter().any(|extension| link.ends_with(extension));
    links.filter(|link| !link.is_empty() && !link.contains("://") && !is_picture(link)).collect()
}

#[test]
fn packages_are_complete_and_small() {
    for (package, folder) in PACKAGES {
        let folder = root().join(folder).canonicalize().expect("a folder");
        let files = packed(package);
        for page in files.iter().filter(|file| file.extension().is_some_and(|extension| extension == "md")) {
            let page = folder.join(page);
            let text = std::fs::read_to_string(&page).expect("a page");
            for link in linked(&text) {
                let file = page.with_file_name(link).canonicalize();
                let file = file.unwrap_or_else(|_| panic!("{}: {link} does not exist", page.display()));
                let own = file.strip_prefix(&folder).expect("inside the package");
                let is_packed = files.iter().any(|file| file.starts_with(own));
                // What is a package of its own goes into no other one.
                let mut above = file.ancestors().take_while(|above| **above != *folder);
                let is_apart = above.any(|above| above.join("Cargo.toml").exists());
                assert!(is_packed || is_apart, "{package} does not pack {link}, which {} links to", page.display());
            }
        }
        for licence in ["LICENSE-MIT", "LICENSE-APACHE"] {
            assert!(files.contains(Path::new(licence)), "{package} lacks {licence}");
        }
        // Cargo makes some of the files while it packs.
        let size = |file: &PathBuf| std::fs::metadata(folder.join(file)).map_or(0, |file| file.len());
        let total: u64 = files.iter().map(size).sum();
        assert!(total < PACKAGE_SIZE, "{package} has {total} bytes");
        for (source, code) in code_below(&folder.join("src")) {
            for macro_name in ["include_str!(\"", "include_bytes!(\""] {
                for (at, _) in code.match_indices(macro_name) {
                    let name = code[at + macro_name.len()..].split('"').next().unwrap_or_default();
                    let included = source.with_file_name(name).canonicalize().expect("an included file exists");
                    let inside = included.strip_prefix(&folder).is_ok_and(|file| files.contains(file));
                    assert!(inside, "{package} does not pack {name}, which {} includes", source.display());
                }
            }
        }
    }
}

/// Crates of which newer releases double others or compile much that nothing here uses, and what `cargo update` must be told.
const HELD_BACK: [(&str, &str); 3] = [
    ("smithay-client-toolkit", "cargo update -p smithay-clipboard --precise 0.7.2"),
    ("calloop", "cargo update -p smithay-clipboard --precise 0.7.2"),
    ("miniz_oxide", "cargo update -p flate2 --precise 1.1.8; cargo update -p backtrace --precise 0.3.76"),
];

#[test]
fn heavy_dependencies_are_compiled_once() {
    let lock = std::fs::read_to_string(root().join("Cargo.lock")).expect("Cargo.lock is readable");
    let versions = |name: &str| lock.matches(&format!("[[package]]\nname = \"{name}\"\n")).count();
    for (name, remedy) in HELD_BACK {
        assert_eq!(versions(name), 1, "versions of {name} in Cargo.lock; to have one: {remedy}");
    }
    assert_eq!(versions("moxcms"), 0, "`image` must stay below 0.25.7");
}

/// Most names on the front page of the solver's documentation.
const MOST_FRONT_NAMES: usize = 45;

/// Adds the public names of a module, whose code is in `file`, by their paths.
fn public_names(file: &Path, module: &str, names: &mut BTreeSet<String>) {
    let text = std::fs::read_to_string(file).expect("readable");
    let text = text.split("\n#[cfg(test)]").next().unwrap_or_default();
    let mut modules = vec![module.to_owned()];
    let mut lines = text.lines();
    while let Some(line) = lines.next() {
        let indent = "    ".repeat(modules.len() - 1);
        if modules.len() > 1 && line == format!("{}}}", &indent[4..]) {
            modules.pop();
        }
        let inside = modules[modules.len() - 1].clone();
        let Some(item) = line.strip_prefix(&indent).and_then(|line| line.strip_prefix("pub ")) else { continue };
        let mut add = |name: &str| names.insert(format!("{inside}{name}"));
        if let Some(tree) = item.strip_prefix("use ") {
            let mut tree = tree.to_owned();
            while !tree.contains(';') {
                tree += lines.next().expect("the end of an import");
            }
            let mut paths = Vec::new();
            expand(&[], tree.trim_end().trim_end_matches(';'), &mut paths);
            paths.iter().filter_map(|path| path.last()).for_each(|name| {
                add(name);
            });
        } else if let Some(name) = item.strip_prefix("mod ") {
            let name = word(name);
            add(name);
            let path = format!("{inside}{name}::");
            if item.ends_with('{') {
                modules.push(path);
            } else {
                let folder = file.parent().expect("a folder");
                let own = [format!("{name}.rs"), format!("{name}/mod.rs")].map(|own| folder.join(own));
                public_names(own.iter().find(|own| own.exists()).expect("a module has a file"), &path, names);
            }
        } else {
            let kinds = ["fn ", "const fn ", "struct ", "enum ", "trait ", "type ", "const "];
            if let Some(name) = kinds.iter().find_map(|kind| item.strip_prefix(kind)) {
                add(word(name));
            }
        }
    }
}

#[test]
fn the_public_names_of_the_solver_are_those_of_the_list() {
    let mut names = BTreeSet::new();
    public_names(&root().join("crates/ik/src/lib.rs"), "", &mut names);
    let front = names.iter().filter(|name| !name.contains("::")).count();
    assert!(front <= MOST_FRONT_NAMES, "{front} names on the front page");
    let list: String = names.iter().map(|name| format!("{name}\n")).collect();
    let file = root().join("crates/ik/public-names.txt");
    if std::env::var_os("UPDATE_GOLDEN").is_some() {
        std::fs::write(&file, &list).expect("writable");
    }
    let golden = std::fs::read_to_string(&file).unwrap_or_default();
    let golden: BTreeSet<String> = golden.lines().map(str::to_owned).collect();
    let (new, gone): (Vec<_>, Vec<_>) = (names.difference(&golden).collect(), golden.difference(&names).collect());
    assert!(
        new.is_empty() && gone.is_empty(),
        "crates/ik/public-names.txt lists what users may rely on. New: {new:?}; gone: {gone:?}. UPDATE_GOLDEN=1 renews it."
    );
}
