//! GIF films that write only what changed: everything else stays as the frame before left it.

use gif::{DisposalMethod, Encoder, EncodingError, Frame, Repeat};
use image::RgbaImage;
use std::fs::File;
use std::io::{BufWriter, Write};

/// A GIF being written, one frame in memory.
pub(super) struct GifFilm {
    encoder: Encoder<BufWriter<File>>,
    fps: f64,
    count: u64,
    last: Option<RgbaImage>,
}

/// Part of a picture: left, top, width, height.
type Part = (u32, u32, u32, u32);

/// Sampling of the colour search, 1 (best) to 30 (fast): at 10 no banding shows in the floor's gradient.
const SPEED: i32 = 10;

impl GifFilm {
    /// Begins a film that repeats for ever.
    pub fn new(file: File, (width, height): (u32, u32), fps: f64) -> Result<Self, EncodingError> {
        // Sizes beyond 65535 are no GIF's; the pixels that do not fit are left out.
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
        let mut frame = Frame::from_rgba_speed(side(part.2), side(part.3), &mut pixels, SPEED);
        (frame.left, frame.top) = (side(part.0), side(part.1));
        frame.dispose = DisposalMethod::Keep;
        frame.delay = self.delay();
        self.count += 1;
        self.last = Some(image);
        self.encoder.write_frame(&frame)
    }

    /// Delays are whole hundredths of a second: each frame ends at the hundredth nearest to its true end.
    fn delay(&self) -> u16 {
        let end = |frame: u64| (frame as f64 * 100.0 / self.fps).round() as u64;
        u16::try_from(end(self.count + 1) - end(self.count)).unwrap_or(u16::MAX)
    }

    /// Writes what is still to be written.
    pub fn finish(self) -> Result<(), EncodingError> {
        Ok(self.encoder.into_inner()?.flush()?)
    }
}

/// The smallest rectangle outside of which two pictures are alike; one pixel when they are alike everywhere.
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

/// The pixels of a part, those that did not change transparent.
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

    /// A moving square before tiles that stand still, in few enough colours for a palette to hold them all.
    fn sample(frame: u32) -> RgbaImage {
        RgbaImage::from_fn(64, 48, |x, y| {
            let square = (x.abs_diff(10 + 4 * frame) < 6) && y.abs_diff(20) < 6;
            if square { Rgba([230, 120, 20, 255]) } else { Rgba([(x / 8 * 16) as u8, (y / 8 * 24) as u8, 60, 255]) }
        })
    }

    #[test]
    fn a_player_sees_every_frame_whole_and_for_the_right_time() {
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
            let wanted = sample(frames);
            for (seen, wanted) in screen.pixels().zip(wanted.pixels()) {
                let off = (0..3).map(|k| seen[k].abs_diff(wanted[k])).max();
                assert!(off <= Some(8), "frame {frames}: {seen:?} instead of {wanted:?}");
            }
            hundredths += u32::from(frame.delay);
            frames += 1;
        }
        assert_eq!((frames, hundredths), (9, 30));
    }
}
