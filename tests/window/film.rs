//! Films without panels, as `--no-hud` and `show hud off` ask for: recorded without a window, and of a window.
#![cfg(target_os = "linux")]

use crate::desktop;
use crate::golden_support;
use crate::render_support;

use desktop::Desktop;
use fabrik3d::examples;
use fabrik3d::record::{Options, run};
use fabrik3d_viewer::session::command::Show;
use fabrik3d_viewer::session::script::Script;
use fabrik3d_viewer::view::Display;
use golden_support::compare;
use image::AnimationDecoder;
use image::codecs::gif::GifDecoder;
use image::imageops::{FilterType, resize};
use image::{DynamicImage, RgbaImage};
use std::io::BufReader;
use std::path::Path;

/// Without lines on the floor, only panels have sharp edges in the corners of the picture.
const QUIET: &str = "0 show grid off\n0 show axes off\n0 target.preset 1\n";

/// The last frame of a film. Each frame contains only the changes since the previous one.
fn last_frame(film: &Path) -> RgbaImage {
    let file = BufReader::new(std::fs::File::open(film).expect("the film was written"));
    let frames = GifDecoder::new(file).expect("a GIF").into_frames();
    frames.last().expect("a frame").expect("decodes").into_buffer()
}

/// A film of the arm, without a window.
fn film(display: Display, script: &str) -> RgbaImage {
    let folder = tempfile::tempdir().expect("a folder");
    let out = folder.path().join("film.gif");
    let options = Options {
        scene: examples::demo(),
        display,
        size: (640, 360),
        scale: 1.0,
        transparent: false,
        opening: Vec::new(),
        script: script.parse::<Script>().expect("a script"),
        trace: None,
        out: out.clone(),
        seconds: Some(2.5),
        fps: Some(10.0),
    };
    run(options, &mut |_, _| {}).expect("is recorded");
    last_frame(&out)
}

/// The largest difference between neighbouring pixels in the top left corner, the position of the status panel.
fn sharpest(picture: &RgbaImage) -> u8 {
    let places = (1..picture.width() / 3).flat_map(|x| (1..picture.height() / 4).map(move |y| (x, y)));
    let steps = places.flat_map(|(x, y)| {
        let here = picture.get_pixel(x, y).0;
        let others = [picture.get_pixel(x - 1, y).0, picture.get_pixel(x, y - 1).0];
        others.map(|other| (0..3).map(|k| here[k].abs_diff(other[k])).max().unwrap_or(0))
    });
    steps.max().unwrap_or(0)
}

fn small(picture: &RgbaImage) -> RgbaImage {
    resize(&DynamicImage::ImageRgba8(picture.clone()), 320, 180, FilterType::Triangle)
}

#[test]
fn films_without_panels_show_no_panels() {
    if render_support::headless().is_none() {
        return;
    }
    let bare = film(Display::default().with(Show::Hud, false), QUIET);
    let hidden = film(Display::default(), &format!("{QUIET}0 show hud off\n"));
    let full = film(Display::default(), QUIET);
    assert!(sharpest(&bare) < 24 && sharpest(&full) > 60, "{} {}", sharpest(&bare), sharpest(&full));
    assert!(bare == hidden, "`show hud off` and --no-hud record the same film");
    assert_eq!(compare(&small(&bare), "film-without-panels.png"), None);
}

#[test]
fn films_of_a_window_without_panels_show_no_panels_and_no_indicator() {
    let Some(desktop) = Desktop::start() else { return };
    let out = desktop.folder.path().join("window.gif");
    let script = format!("{QUIET}2 record window.gif\n4 record\n7 quit\n");
    std::fs::write(desktop.folder.path().join("script.txt"), script).expect("can be written");
    let arguments = ["--no-hud", "--size", "640x360", "--play", "script.txt"];
    let mut viewer = desktop.view("demo.toml", &arguments);
    assert!(viewer.ended(), "it exits with success");
    let picture = last_frame(&out);
    assert_eq!((picture.width(), picture.height()), (640, 360));
    assert!(sharpest(&picture) < 24, "{}", sharpest(&picture));
    // Recorded at lower quality than a film without a window: edges may be slightly rougher.
    assert_eq!(compare(&small(&picture), "film-of-window-without-panels.png"), None);
}

#[test]
fn pictures_and_films_of_a_window_show_panels_only_if_they_are_asked_for() {
    let Some(desktop) = Desktop::start() else { return };
    let folder = desktop.folder.path();
    for content in ["", ".window"] {
        let script = format!(
            "{QUIET}2 screenshot{content} picture.png\n3 record{content} film.gif\n5 record\n5.5 screenshot.window after.png\n7 quit\n"
        );
        std::fs::write(folder.join("script.txt"), script).expect("can be written");
        let mut viewer = desktop.view("demo.toml", &["--size", "640x360", "--play", "script.txt"]);
        assert!(viewer.ended(), "it exits with success");
        let picture = |name: &str| image::open(folder.join(name)).expect("a picture").into_rgba8();
        let [saved, after] = ["picture.png", "after.png"].map(|name| sharpest(&picture(name)));
        let film = sharpest(&last_frame(&folder.join("film.gif")));
        let has_panels = |sharpest: u8| if content.is_empty() { sharpest < 24 } else { sharpest > 60 };
        assert!(has_panels(saved) && has_panels(film), "`{content}`: {saved} {film}");
        assert!(after > 60, "the panels come back after the film: {after}");
    }
}
