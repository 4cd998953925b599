//! The aspect ratio of the picture, and the area that no panel covers.

/// A rectangle of the picture (x right, y up, -1..1).
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Area {
    /// Lower left corner.
    pub low: [f64; 2],
    /// Upper right corner.
    pub high: [f64; 2],
}

impl Area {
    /// The whole picture.
    pub const WHOLE: Area = Area { low: [-1.0; 2], high: [1.0; 2] };

    /// The area of a picture of this size between panels at its edges, in the same unit. A direction in which the panels
    /// leave too little counts as uncovered.
    pub fn between(size: [f64; 2], insets: Insets) -> Self {
        // Each direction by itself: a panel at the bottom of a narrow picture still leaves the area above it.
        let free = |length: f64, before: f64, after: f64| {
            let [low, high] = [before, length - after].map(|edge| 2.0 * edge / length.max(1.0) - 1.0);
            if high - low >= 2.0 * MIN_SHARE { (low, high) } else { (-1.0, 1.0) }
        };
        let (left, right) = free(size[0], insets.left, insets.right);
        let (bottom, top) = free(size[1], insets.bottom, insets.top);
        Area { low: [left, bottom], high: [right, top] }
    }
}

/// Widths of the covered strips at the edges of a picture.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Insets {
    /// Left.
    pub left: f64,
    /// Right.
    pub right: f64,
    /// Top.
    pub top: f64,
    /// Bottom.
    pub bottom: f64,
}

/// Least share of the picture's width or height that a figure is squeezed into.
const MIN_SHARE: f64 = 0.25;

/// The frame of the camera's picture. The camera looks through the middle of the free area, like a view camera with a
/// shifted lens: nothing is distorted, and the picture continues under the panels.
#[must_use]
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Lens {
    /// Aspect ratio of the picture: width over height.
    pub aspect: f64,
    /// The area that no panel covers.
    pub area: Area,
}

impl Lens {
    /// A lens for a picture of this aspect ratio without panels.
    pub fn new(aspect: f64) -> Self {
        Lens { aspect, area: Area::WHOLE }
    }

    /// Middle of the free area.
    pub fn middle(self) -> [f64; 2] {
        [0, 1].map(|axis| 0.5 * (self.area.low[axis] + self.area.high[axis]))
    }

    /// Half of the free area's width and height, in units of half the picture's.
    pub fn half(self) -> [f64; 2] {
        [0, 1].map(|axis| 0.5 * (self.area.high[axis] - self.area.low[axis]))
    }

    /// With a share of the change from `from` to `to`, lenses for the same picture.
    pub fn plus(self, from: Lens, to: Lens, share: f64) -> Self {
        let sum = |corner: fn(Lens) -> [f64; 2]| {
            let [own, from, to] = [self, from, to].map(corner);
            [0, 1].map(|axis| own[axis] + (to[axis] - from[axis]) * share)
        };
        Lens { area: Area { low: sum(|lens| lens.area.low), high: sum(|lens| lens.area.high) }, ..self }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn panels_leave_the_area_between_them() {
        let insets = Insets { left: 320.0, right: 160.0, top: 0.0, bottom: 180.0 };
        let area = Area::between([1280.0, 720.0], insets);
        assert_eq!(area, Area { low: [-0.5, -0.5], high: [0.75, 1.0] });
        let lens = Lens { aspect: 16.0 / 9.0, area };
        assert_eq!((lens.middle(), lens.half()), ([0.125, 0.25], [0.625, 0.75]));
    }

    #[test]
    fn panels_that_leave_too_little_are_ignored() {
        let insets = Insets { left: 300.0, right: 300.0, top: 0.0, bottom: 100.0 };
        let area = Area::between([640.0, 480.0], insets);
        assert_eq!([area.low[0], area.high[0]], [-1.0, 1.0]);
        assert!(area.low[1] > -0.6 && area.high[1] == 1.0);
    }
}
