//! `convert -o page.html`: what a page holds is the scene, whatever it is read from. That browsers show it is tested with a browser
//! (`tools/test-web.sh`).
#![allow(clippy::unwrap_used)]

use crate::support;

use fabrik3d::examples;
use fabrik3d_scene::{Files, HeldFiles, OpenOptions, Scene};
use fabrik3d_viewer::page::Page;
use std::fs;
use std::path::PathBuf;
use std::sync::Arc;
use support::{ProgramResult, program};
use tempfile::TempDir;

/// A folder with a page without a scene and without the viewer.
fn folder() -> TempDir {
    let folder = TempDir::new().unwrap();
    fs::write(folder.path().join("bundle.html"), "<html><!--SCENE--></html>").unwrap();
    folder
}

fn convert(folder: &TempDir, arguments: &[&str]) -> ProgramResult {
    let page = folder.path().join("page.html");
    let all = [&["convert", "-o", page.to_str().unwrap()], arguments].concat();
    program(&all).env("FABRIK3D_WEB", folder.path().join("bundle.html")).output().unwrap().into()
}

/// The page that a conversion writes, and its scene as a browser opens it, from the files in the page alone.
fn converted(arguments: &[&str]) -> (String, Page, Scene) {
    let folder = folder();
    let result = convert(&folder, arguments);
    assert_eq!(result.code, Some(0), "{arguments:?}: {}", result.err);
    let text = fs::read_to_string(folder.path().join("page.html")).unwrap();
    let start = text.find("id=\"scene\">").unwrap() + "id=\"scene\">".len();
    let json = &text[start..text[start..].find("</script>").unwrap() + start];
    let mut all: serde_json::Value = serde_json::from_str(json).unwrap();
    let held: HeldFiles = all["files"]
        .as_object()
        .unwrap()
        .iter()
        .map(|(path, bytes)| (PathBuf::from(path), base64(bytes.as_str().unwrap())))
        .collect();
    let mut page: Page = serde_json::from_value(all["page"].take()).unwrap();
    page.options = OpenOptions { files: Files::Held(Arc::new(held)), ..page.options };
    let scene = page.open(|path, options| examples::open(path, options)).unwrap();
    (text, page, scene)
}

fn base64(text: &str) -> Vec<u8> {
    let letters = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let value = |letter: char| letters.find(letter).unwrap() as u32;
    let letters: Vec<u32> = text.trim_end_matches('=').chars().map(value).collect();
    let bytes = letters.chunks(4).flat_map(|four| {
        let bits = four.iter().enumerate().fold(0, |bits, (at, value)| bits | value << (18 - 6 * at));
        (0..four.len() - 1).map(move |at| (bits >> (16 - 8 * at)) as u8)
    });
    bytes.collect()
}

/// All scenes of the project.
fn scenes() -> Vec<String> {
    let examples = examples::EXAMPLES.iter().map(|(name, _)| format!("example:{name}"));
    let models = fs::read_dir("assets/models").unwrap().map(|entry| entry.unwrap().path());
    let scenes = models.filter(|path| !path.to_string_lossy().ends_with(".limits.toml"));
    examples.chain(scenes.map(|path| path.to_str().unwrap().to_owned())).collect()
}

#[test]
fn a_page_holds_its_scene_with_meshes_and_clips() {
    for file in scenes() {
        let (_, page, scene) = converted(&[&file]);
        let own = examples::open(&file, &OpenOptions::default()).unwrap();
        assert_eq!(scene.to_toml(), own.to_toml(), "{file}");
        assert_eq!(scene.assets, own.assets, "{file}");
        assert_eq!(page.text, None, "{file}: the file is enough");
    }
}

#[test]
fn flags_change_the_scene_of_a_page() {
    for flags in [
        &["--target", "1,1.5,0.5"][..],
        &["--set", "solver.tolerance=1e-7"],
        &["--joint", "joint2=20,10,0", "--up", "y"],
        &["--tolerance", "1e-6", "--keep-clear"],
    ] {
        for file in ["example:demo", "assets/models/robot-arm.urdf", "assets/models/mannequin.glb"] {
            let folder = folder();
            let out = folder.path().join("scene.toml");
            let text = support::run(&[&["convert", file, "-o", out.to_str().unwrap()], flags].concat());
            if text.code != Some(0) {
                // A joint that this figure does not have.
                assert_eq!(convert(&folder, &[&[file], flags].concat()).code, Some(2), "{file} {flags:?}");
                continue;
            }
            let (_, _, scene) = converted(&[&[file], flags].concat());
            let (page, file_scene) = (scene.skeleton, Scene::open(&out).unwrap().skeleton);
            assert_eq!(page, file_scene, "{file} {flags:?}");
            assert_eq!(scene.settings, Scene::open(&out).unwrap().settings, "{file} {flags:?}");
        }
    }
}

#[test]
fn absolute_paths_and_packages_leave_no_folders_of_this_machine_in_a_page() {
    let place = TempDir::new().unwrap();
    let robot = place.path().join("catkin/arm_description");
    for folder in ["urdf", "meshes"] {
        fs::create_dir_all(robot.join(folder)).unwrap();
    }
    let stl = "solid x\nfacet normal 0 0 1\nouter loop\nvertex 0 0 0\nvertex 1 0 0\nvertex 0 1 0\nendloop\nendfacet\nendsolid x\n";
    fs::write(robot.join("meshes/link.stl"), stl).unwrap();
    for reference in ["package://arm_description/meshes/link.stl", "../meshes/link.stl", "LINK"] {
        let reference = reference.replace("LINK", &format!("file://{}", robot.join("meshes/link.stl").display()));
        let urdf = format!(
            "<robot name='arm'><link name='a'><visual><geometry><mesh filename='{reference}'/></geometry></visual></link>\
             <link name='b'/><joint name='j' type='revolute'><parent link='a'/><child link='b'/><axis xyz='0 0 1'/>\
             <limit lower='-1' upper='1' effort='1' velocity='1'/></joint></robot>"
        );
        let file = robot.join("urdf/arm.urdf");
        fs::write(&file, urdf).unwrap();
        let (text, page, scene) = converted(&[file.to_str().unwrap()]);
        assert_eq!(scene.assets.meshes.len(), 1, "{reference}: {:?}", scene.warnings());
        assert!(!page.file.has_root(), "{}", page.file.display());
        let above = place.path().file_name().unwrap().to_str().unwrap();
        assert!(!text.contains(above), "{reference}: the page names {above}");
    }
}

#[test]
fn recordings_and_scripts_are_in_the_page() {
    let place = TempDir::new().unwrap();
    let script = place.path().join("script.txt");
    fs::write(&script, "0.5 target.preset 2\n").unwrap();
    let flags =
        ["--motion", "assets/models/walk.bvh", "--follow", "--theme", "light", "--play", script.to_str().unwrap()];
    let (text, page, _) = converted(&[&["assets/models/mannequin.glb"], &flags[..]].concat());
    let recording = page.recording.file.clone().unwrap();
    let clip = examples::open(&recording, &page.options).unwrap();
    assert_eq!(clip.assets.motions, Scene::open("assets/models/walk.bvh").unwrap().assets.motions);
    assert!(page.recording.follows && page.is_light && page.script.contains("target.preset 2"));
    assert!(text.contains("walk.bvh"));
}

#[test]
fn names_do_not_end_the_element_that_holds_the_scene() {
    let place = TempDir::new().unwrap();
    let file = place.path().join("scene.toml");
    let name = "</script><script>alert(1)</script><!--";
    fs::write(&file, Scene::open("assets/scenes/demo.toml").unwrap().to_toml().replace("Seven-link arm", name))
        .unwrap();
    for arguments in [&[file.to_str().unwrap()][..], &[file.to_str().unwrap(), "--tolerance", "1e-7"]] {
        let (text, _, scene) = converted(arguments);
        assert_eq!(scene.name, name);
        assert_eq!(text.matches("</script>").count(), 1, "{text}");
    }
}

#[test]
fn what_pages_cannot_do_is_an_error_with_a_remedy() {
    let folder = folder();
    for (arguments, words) in [
        (&["example:demo", "--pose"][..], "--pose"),
        (&["missing.toml"], "no such file"),
        (&["assets/models/mannequin.glb", "--motion", "missing.bvh"], "no such file"),
        (&["example:demo", "--play", "missing.txt"], "missing.txt"),
    ] {
        let result = convert(&folder, arguments);
        assert_eq!(result.code, Some(2), "{arguments:?}: {}", result.err);
        assert!(result.err.contains(words), "{arguments:?}: {}", result.err);
        assert!(!folder.path().join("page.html").exists(), "{arguments:?} leaves a page");
    }
    let page = folder.path().join("page.html");
    let without = program(&["convert", "example:demo", "-o", page.to_str().unwrap()])
        .env("FABRIK3D_WEB", folder.path().join("none.html"))
        .output()
        .unwrap();
    let without = ProgramResult::from(without);
    assert_eq!(without.code, Some(2));
    assert!(without.err.contains("make web") && without.err.contains("none.html"), "{}", without.err);
    let scene = folder.path().join("scene.toml");
    let other = support::run(&["convert", "example:demo", "-o", scene.to_str().unwrap(), "--theme", "light"]);
    assert!(other.code == Some(0) && other.err.contains("pages"), "{}", other.err);
}
