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
