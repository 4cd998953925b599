//! Pictures and videos that `render` writes: sizes, times, and equal results from flags and commands.
#![cfg(target_os = "linux")]

use crate::support;

use image::codecs::gif::GifDecoder;
use image::{AnimationDecoder, RgbImage};
use std::fs::File;
use std::io::BufReader;
use std::path::{Path, PathBuf};
use std::process::Command;
use support::run;
use tempfile::TempDir;

/// Renders the seven-link arm into a file of this name, with a script and more arguments.
fn rendered(folder: &TempDir, name: &str, script: &str, more: &[&str]) -> PathBuf {
    let (path, play) = (folder.path().join(name), folder.path().join("script.txt"));
    std::fs::write(&play, script).expect("can be written");
    let text = |path: &Path| path.to_str().expect("is text").to_owned();
    let (out, play) = (text(&path), text(&play));
    let mut arguments = vec!["render", "example:seed-arm", "-o", &out, "--play", &play, "--size", "160x90"];
    arguments.extend(more);
    let ran = run(&arguments);
    assert_eq!((ran.code, ran.out.as_str()), (Some(0), ""), "{ran:?}");
    path
}

fn pixels(path: &Path) -> RgbImage {
    image::open(path).expect("a picture").into_rgb8()
}

/// Mean difference of two pictures, of 255.
fn difference(a: &RgbImage, b: &RgbImage) -> f64 {
    let sum: u64 = a.as_raw().iter().zip(b.as_raw()).map(|(a, b)| u64::from(a.abs_diff(*b))).sum();
    sum as f64 / a.as_raw().len() as f64
}

#[test]
fn flags_and_commands_give_the_same_pixels_and_so_do_repeated_runs() {
    let folder = tempfile::tempdir().expect("a folder");
    let plain = pixels(&rendered(&folder, "a.png", "", &[]));
    assert_eq!(plain.dimensions(), (160, 90));
    assert_eq!(plain, pixels(&rendered(&folder, "b.png", "", &[])));
    for (flags, command) in [
        (&["--theme", "light"][..], "theme light"),
        (&["--no-hud"], "show hud off"),
        (&["--font-scale", "1.5"], "font.scale 1.5"),
    ] {
        let by_flag = pixels(&rendered(&folder, "flag.png", "", flags));
        let by_command = pixels(&rendered(&folder, "command.png", &format!("0 {command}\n"), &[]));
        assert!(difference(&plain, &by_flag) > 0.1, "{command}: nothing to be seen of it");
        assert!(by_flag == by_command, "{command}: {} apart", difference(&by_flag, &by_command));
    }
}

#[test]
fn a_gif_shows_every_frame_for_its_time_and_ends_like_a_picture() {
    let folder = tempfile::tempdir().expect("a folder");
    let script = "0.2 target.preset 2\n";
    let film = rendered(&folder, "film.gif", script, &["--seconds", "1.5", "--fps", "20", "--no-hud"]);
    let decoder = GifDecoder::new(BufReader::new(File::open(film).expect("is there"))).expect("a GIF");
    let frames = decoder.into_frames().collect_frames().expect("frames");
    let seconds = |frame: &image::Frame| {
        let (above, below) = frame.delay().numer_denom_ms();
        f64::from(above) / f64::from(below) / 1000.0
    };
    let total: f64 = frames.iter().map(seconds).sum();
    assert!((total - 1.5).abs() < 0.051, "{total} s");
    assert!(frames.iter().all(|frame| frame.buffer().dimensions() == (160, 90)));
    let shown = |at: usize| image::DynamicImage::ImageRgba8(frames[at].buffer().clone()).into_rgb8();
    let (first, last) = (shown(0), shown(frames.len() - 1));
    let end = pixels(&rendered(&folder, "end.png", script, &["--seconds", "1.5", "--no-hud"]));
    assert!(difference(&last, &end) < 2.5, "{} of 255", difference(&last, &end));
    assert!(difference(&first, &last) > 2.0 * difference(&last, &end), "the arm moved");
}

#[test]
fn an_mp4_has_the_asked_for_frames() {
    let there = |program: &str| Command::new(program).arg("-version").output().is_ok();
    if !there("ffmpeg") || !there("ffprobe") {
        eprintln!("LEFT OUT: this test needs ffmpeg and ffprobe");
        return;
    }
    let folder = tempfile::tempdir().expect("a folder");
    let film = rendered(&folder, "film.mp4", "0.2 target.preset 2\n", &["--seconds", "1", "--fps", "25"]);
    let asked = ["-v", "error", "-count_frames", "-select_streams", "v", "-of", "csv=p=0", "-show_entries"];
    let entries = "stream=width,height,r_frame_rate,nb_read_frames";
    let output = Command::new("ffprobe").args(asked).arg(entries).arg(film).output().expect("ffprobe runs");
    assert_eq!(String::from_utf8_lossy(&output.stdout).trim(), "160,90,25/1,25");
}

#[test]
fn what_cannot_be_written_says_why_and_leaves_no_file() {
    let folder = tempfile::tempdir().expect("a folder");
    let is_file = folder.path().join("file");
    std::fs::write(&is_file, "mine").expect("can be written");
    for out in ["file/film.gif", "file/picture.png", "missing/picture.png"] {
        let path = folder.path().join(out);
        let ran = run(&["render", "example:seed-arm", "-o", path.to_str().expect("text"), "--size", "160x90"]);
        assert_eq!(ran.code, Some(2), "{out}: {ran:?}");
        assert!(ran.err.contains(out), "{out}: {}", ran.err);
    }
    assert_eq!(std::fs::read(&is_file).expect("is there"), b"mine");
    assert_eq!(std::fs::read_dir(folder.path()).expect("a folder").count(), 1);
}

#[test]
fn a_scaled_picture_is_the_same_with_more_pixels() {
    let folder = tempfile::tempdir().expect("a folder");
    let plain = pixels(&rendered(&folder, "plain.png", "", &[]));
    for scale in [2_u32, 3] {
        let large = pixels(&rendered(&folder, "large.png", "", &["--scale", &scale.to_string()]));
        assert_eq!(large.dimensions(), (160 * scale, 90 * scale));
        let small = image::imageops::resize(&large, 160, 90, image::imageops::FilterType::Triangle);
        assert!(difference(&plain, &small) < 2.5, "{scale}: {}", difference(&plain, &small));
    }
    let ran = run(&["render", "example:demo", "-o", "x.png", "--size", "9000x9000", "--scale", "4"]);
    assert!(ran.code == Some(2) && ran.err.contains("16384"), "{ran:?}");
}

#[test]
fn a_transparent_picture_has_the_figure_alone_in_its_colours() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = rendered(&folder, "cut.png", "", &["--transparent", "--theme", "light"]);
    let cut = image::open(path).expect("a picture").into_rgba8();
    let solid = pixels(&rendered(&folder, "solid.png", "", &["--no-hud", "--theme", "light"]));
    assert!([(0, 0), (159, 0), (0, 89), (159, 89)].iter().all(|&(x, y)| cut.get_pixel(x, y).0[3] == 0));
    let (mut opaque, mut sum) = (0.0, 0.0);
    for (x, y, pixel) in cut.enumerate_pixels().filter(|(.., pixel)| pixel.0[3] == 255) {
        let other = solid.get_pixel(x, y);
        sum += (0..3).map(|k| f64::from(pixel.0[k].abs_diff(other.0[k]))).sum::<f64>() / 3.0;
        opaque += 1.0;
    }
    assert!(opaque > 100.0 && sum / opaque < 8.0, "{opaque} pixels, {} apart", sum / opaque);
    // Edges are neither opaque nor nothing.
    assert!(cut.pixels().filter(|pixel| (20..235).contains(&pixel.0[3])).count() > 50);
    let out = folder.path().join("film.gif");
    let ran = run(&["render", "example:demo", "-o", out.to_str().expect("text"), "--transparent"]);
    assert!(ran.code == Some(2) && ran.err.contains(".png"), "{ran:?}");
}

#[test]
fn pictures_of_scripts_have_panels_only_where_they_ask_for_them() {
    let folder = tempfile::tempdir().expect("a folder");
    let [scene, window] = ["scene.png", "window.png"].map(|name| folder.path().join(name));
    let script = format!("1 screenshot \"{}\"\n1 screenshot.window \"{}\"\n", scene.display(), window.display());
    let panels = pixels(&rendered(&folder, "panels.png", &script, &["--seconds", "1.05"]));
    let bare = pixels(&rendered(&folder, "bare.png", "", &["--seconds", "1.05", "--no-hud"]));
    let [scene, window] = [scene, window].map(|path| pixels(&path));
    assert!(difference(&scene, &bare) < 2.5 && difference(&window, &panels) < 2.5);
    assert!(difference(&scene, &window) > 2.0 * difference(&scene, &bare));
}
