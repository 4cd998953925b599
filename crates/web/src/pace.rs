//! How many pixels a picture has while something moves: fewer where pictures would come slowly.

/// Pixels per pixel of the canvas and direction, from the finest on. The edges of ray-cast shapes have no smoothing but this on a graphics
/// card, as its samples are not open to shaders in browsers. The coarsest is that of the window.
const LEVELS: [f64; 3] = [2.0, 1.0, 0.6];
/// Longest time between two pictures of a fluent motion, seconds.
const SLOW: f64 = 1.0 / 30.0;
/// So many slow pictures in a row are no hiccup.
const MANY: u32 = 8;

/// The resolution of pictures that move.
#[derive(Clone, Copy, Debug)]
pub struct Pace {
    /// Index into [`LEVELS`] of pictures at rest.
    finest: usize,
    /// The same of pictures that move.
    moving: usize,
    slow: u32,
}

impl Pace {
    /// For a renderer that draws finely, or not, on a screen with this number of pixels for a pixel of the page.
    pub fn new(is_fine: bool, pixels_per_point: f64) -> Self {
        // Where the screen itself has finer pixels, more than those are not seen.
        let finest = usize::from(!is_fine || pixels_per_point >= LEVELS[0]);
        Pace { finest, moving: finest, slow: 0 }
    }

    /// Notes the time since the picture before, while something moves.
    pub fn note(&mut self, seconds: f64) {
        self.slow = if seconds > SLOW { self.slow + 1 } else { 0 };
        if self.slow == MANY {
            self.slow = 0;
            self.moving = (self.moving + 1).min(LEVELS.len() - 1);
        }
    }

    /// Pixels of the next picture per pixel of the canvas.
    pub fn scale(&self, is_moving: bool) -> f64 {
        LEVELS[if is_moving { self.moving } else { self.finest }]
    }
}
