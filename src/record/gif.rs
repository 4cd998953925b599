//! GIF films. Each frame contains only the changed pixels; all others stay from the previous frame.

use color_quant::NeuQuant;
use gif::{DisposalMethod, Encoder, EncodingError, Frame, Repeat};
use image::RgbaImage;
use std::collections::HashMap;
use std::fs::File;
use std::io::{BufWriter, Write};

/// A GIF that is being written, with one frame in memory.
pub(super) struct GifFilm {
    encoder: Encoder<BufWriter<File>>,
    fps: f64,
    count: u64,
    last: Option<RgbaImage>,
}

/// A rectangle of a picture: left, top, width, height.
type Part = (u32, u32, u32, u32);

/// Number of colours per frame, not counting the transparent one.
const COLORS: usize = 255;

impl GifFilm {
    /// Starts a film that repeats forever.
    pub fn new(file: File, (width, height): (u32, u32), fps: f64) -> Result<Self, EncodingError> {
        // GIF sizes are at most 65535; pixels beyond are omitted.
        let side = |pixels: u32| u16::try_from(pixels).unwrap_or(u16::MAX);
        let mut encoder = Encoder::new(BufWriter::new(file), side(width), side(height), &[])?;
        encoder.set_repeat(Repeat::Infinite)?;
        Ok(GifFilm { encoder, fps, count: 0, last: None })
    }

    /// Adds a frame.
    pub fn add(&mut self, image: RgbaImage) -> Result<(), EncodingError> {
        let (part, mut pixels) = match &self.last {
            None => ((0, 0, image.width(), image.height()), image.as_raw().clone()),
            Some(last) => {
                let part = changed_part(last, &image);
                (part, changed_pixels(last, &image, part))
            }
        };
        let side = |pixels: u32| u16::try_from(pixels).unwrap_or(u16::MAX);
        let mut frame = quantized((side(part.2), side(part.3)), &mut pixels);
        (frame.left, frame.top) = (side(part.0), side(part.1));
        frame.dispose = DisposalMethod::Keep;
        frame.delay = self.delay();
        self.count += 1;
        self.last = Some(image);
        self.encoder.write_frame(&frame)
    }

    /// The delay of the next frame. Delays are in hundredths of a second, so each frame ends at the hundredth nearest
    /// to its exact end.
    fn delay(&self) -> u16 {
        let end = |frame: u64| (frame as f64 * 100.0 / self.fps).round() as u64;
        u16::try_from(end(self.count + 1) - end(self.count)).unwrap_or(u16::MAX)
    }

    /// Writes the end of the file.
    pub fn finish(self) -> Result<(), EncodingError> {
        Ok(self.encoder.into_inner()?.flush()?)
    }
}

/// A frame with these pixels and a suitable palette.
fn quantized((width, height): (u16, u16), pixels: &mut [u8]) -> Frame<'static> {
    let mut counts: HashMap<[u8; 3], u32> = HashMap::new();
    for pixel in pixels.chunks_exact(4).filter(|pixel| pixel[3] > 0) {
        *counts.entry([pixel[0], pixel[1], pixel[2]]).or_default() += 1;
    }
    if counts.len() <= COLORS {
        // All colours fit into the palette.
        return Frame::from_rgba(width, height, pixels);
    }
    // Weight the colours by the square root of their frequency, so that thin curves keep their colours beside a wide
    // floor. Sort them, so that the same film gives the same bytes.
    let mut weighted: Vec<([u8; 3], u32)> =
        counts.iter().map(|(color, count)| (*color, count.isqrt().max(1))).collect();
    weighted.sort_unstable();
    let sample: Vec<u8> = weighted
        .iter()
        .flat_map(|([r, g, b], weight)| std::iter::repeat_n([*r, *g, *b, 255], *weight as usize))
        .flatten()
        .collect();
    let palette = NeuQuant::new(1, COLORS, &sample);
    let color_indices: HashMap<[u8; 3], u8> =
        weighted.iter().map(|&([r, g, b], _)| ([r, g, b], palette.index_of(&[r, g, b, 255]) as u8)).collect();
    let color_index = |pixel: &[u8]| match pixel[3] {
        0 => COLORS as u8,
        _ => color_indices.get(&[pixel[0], pixel[1], pixel[2]]).copied().unwrap_or_default(),
    };
    let indices: Vec<u8> = pixels.chunks_exact(4).map(color_index).collect();
    let mut colors = palette.color_map_rgb();
    colors.resize(3 * (COLORS + 1), 0);
    Frame::from_palette_pixels(width, height, indices, colors, Some(COLORS as u8))
}

/// The smallest rectangle that contains all differences between two pictures; one pixel if they are equal.
fn changed_part(before: &RgbaImage, after: &RgbaImage) -> Part {
    let (mut left, mut top, mut right, mut bottom) = (u32::MAX, u32::MAX, 0, 0);
    for ((x, y, pixel), old) in after.enumerate_pixels().zip(before.pixels()) {
        if pixel != old {
            (left, top) = (left.min(x), top.min(y));
            (right, bottom) = (right.max(x), bottom.max(y));
        }
    }
    if left == u32::MAX { (0, 0, 1, 1) } else { (left, top, right - left + 1, bottom - top + 1) }
}

/// The pixels of a rectangle; unchanged ones are transparent.
fn changed_pixels(before: &RgbaImage, after: &RgbaImage, (left, top, width, height): Part) -> Vec<u8> {
    let mut pixels = Vec::with_capacity(width as usize * height as usize * 4);
    for y in top..top + height {
        for x in left..left + width {
            let pixel = after.get_pixel(x, y);
            pixels.extend(if pixel == before.get_pixel(x, y) { [0; 4] } else { pixel.0 });
        }
    }
    pixels
}

#[cfg(test)]
mod tests {
    use super::*;
    use gif::{ColorOutput, DecodeOptions};
    use image::Rgba;

    /// A moving square before static tiles, with few enough colours for an exact palette.
    fn sample(frame: u32) -> RgbaImage {
        RgbaImage::from_fn(64, 48, |x, y| {
            let square = (x.abs_diff(10 + 4 * frame) < 6) && y.abs_diff(20) < 6;
            if square { Rgba([230, 120, 20, 255]) } else { Rgba([(x / 8 * 16) as u8, (y / 8 * 24) as u8, 60, 255]) }
        })
    }

    #[test]
    fn a_player_shows_every_frame_completely_and_for_the_right_time() {
        let file = tempfile::tempfile().expect("temporary file");
        let mut film = GifFilm::new(file.try_clone().expect("clone"), (64, 48), 30.0).expect("header");
        (0..9).for_each(|frame| film.add(sample(frame)).expect("frame"));
        film.finish().expect("flushed");
        let mut file = file;
        std::io::Seek::rewind(&mut file).expect("rewound");
        let mut options = DecodeOptions::new();
        options.set_color_output(ColorOutput::RGBA);
        let mut reader = options.read_info(file).expect("a GIF");
        let (mut screen, mut hundredths, mut frames) = (RgbaImage::new(64, 48), 0, 0);
        while let Some(frame) = reader.read_next_frame().expect("a frame") {
            assert_eq!(frame.dispose, DisposalMethod::Keep);
            for (at, pixel) in frame.buffer.chunks_exact(4).enumerate() {
                let (x, y) = (at as u32 % u32::from(frame.width), at as u32 / u32::from(frame.width));
                if pixel[3] > 0 {
                    let new = Rgba([pixel[0], pixel[1], pixel[2], 255]);
                    screen.put_pixel(u32::from(frame.left) + x, u32::from(frame.top) + y, new);
                }
            }
            let expected = sample(frames);
            for (seen, expected) in screen.pixels().zip(expected.pixels()) {
                let off = (0..3).map(|k| seen[k].abs_diff(expected[k])).max();
                assert!(off <= Some(8), "frame {frames}: {seen:?} instead of {expected:?}");
            }
            hundredths += u32::from(frame.delay);
            frames += 1;
        }
        assert_eq!((frames, hundredths), (9, 30));
    }

    #[test]
    fn small_areas_keep_their_colours_beside_wide_gradients() {
        let lines = [[230, 159, 0], [86, 180, 233], [0, 158, 115], [204, 121, 167]];
        let picture = RgbaImage::from_fn(320, 200, |x, y| {
            let line = (y / 4).checked_sub(20).filter(|line| x < 24 && y % 4 == 0 && *line < 4);
            let floor = |low: u32, by: u32| (low + (x * 7 + y * 13) / by) as u8;
            line.map_or(Rgba([floor(30, 90), floor(36, 80), floor(46, 60), 255]), |line| {
                let [r, g, b] = lines[line as usize];
                Rgba([r, g, b, 255])
            })
        });
        let mut pixels = picture.as_raw().clone();
        let frame = quantized((320, 200), &mut pixels);
        let palette = frame.palette.as_ref().expect("a palette");
        for (pixel, index) in picture.pixels().zip(frame.buffer.iter()) {
            let shown = &palette[3 * usize::from(*index)..][..3];
            let off = shown.iter().zip(&pixel.0).map(|(a, b)| a.abs_diff(*b)).max().unwrap_or(0);
            assert!(off <= 12, "{pixel:?} is shown as {shown:?}");
        }
    }
}
