//! The two themes: every colour of the picture in one place.
//!
//! Data colours come from Okabe and Ito's set ("Color Universal Design", 2008), which can be told apart with any colour
//! vision.

use super::frame::{Color, Environment, Material};
use crate::session::command::Theme;
use fabrik3d_scene::Up;

// Okabe and Ito's colours, without black and orange.
const SKY_BLUE: Color = [0x56, 0xb4, 0xe9, 255];
const GREEN: Color = [0x00, 0x9e, 0x73, 255];
const YELLOW: Color = [0xf0, 0xe4, 0x42, 255];
const BLUE: Color = [0x00, 0x72, 0xb2, 255];
const VERMILLION: Color = [0xd5, 0x5e, 0x00, 255];
const PURPLE: Color = [0xcc, 0x79, 0xa7, 255];

impl Theme {
    /// Light, background and floor of scenes with this up axis.
    pub fn environment(self, up: Up) -> Environment {
        let [x, y, z] = self.palette().axes;
        let axes = match up {
            Up::Y => [x, z],
            Up::Z => [x, y],
        };
        match self {
            Theme::Dark => Environment {
                sky: [0.42, 0.48, 0.58],
                ground: [0.115, 0.105, 0.11],
                key: [1.45, 1.34, 1.18],
                light: LIGHT,
                background_top: linear(0x39414c),
                background_bottom: linear(0x252a32),
                floor: linear(0x353c47),
                shadow_floor: 0.34,
                grid: [0x78, 0x84, 0x96, 120],
                axes: axes.map(|color| faded(color, 200)),
                vignette: 0.22,
                glowing: true,
                transparent: false,
            },
            Theme::Light => Environment {
                sky: [0.74, 0.80, 0.92],
                ground: [0.36, 0.34, 0.33],
                key: [0.95, 0.90, 0.82],
                light: LIGHT,
                // Dark enough for the outline of a white robot.
                background_top: linear(0xe4e8ee),
                background_bottom: linear(0xd6dce4),
                floor: linear(0xd2d9e1),
                shadow_floor: 0.52,
                grid: [0x8c, 0x99, 0xaa, 150],
                axes: axes.map(|color| faded(color, 210)),
                vignette: 0.06,
                glowing: false,
                transparent: false,
            },
        }
    }

    /// Colours of everything in the scene.
    pub fn palette(self) -> Palette {
        match self {
            Theme::Dark => Palette {
                chains: [AMBER, SKY_BLUE, GREEN, PURPLE, VERMILLION, YELLOW, BLUE],
                joint: [0x4a, 0x53, 0x61, 255],
                joint_at_limit: [0xff, 0x3f, 0x3f, 255],
                base: [0x3f, 0x47, 0x54, 255],
                targets: DARK_TARGETS,
                halo_alpha: 150,
                drop_alpha: 150,
                trail: SKY_BLUE,
                limit: [0x5a, 0xc8, 0xfa, 105],
                ghost: [0xb8, 0xc4, 0xd4, 90],
                construction: YELLOW,
                forward: [0x3f, 0xd0, 0xa0, 255],
                obstacle: [0x8d, 0x99, 0xae, 150],
                glass: [255, 255, 255, 105],
                unreached: VERMILLION,
                text: [0xe6, 0xea, 0xf0, 255],
                text_faint: [0x9a, 0xa5, 0xb4, 255],
                axes: [[0xe5, 0x5b, 0x55, 255], [0x6c, 0xbf, 0x62, 255], [0x5b, 0x9c, 0xf2, 255]],
            },
            Theme::Light => Palette {
                chains: [AMBER, BLUE, GREEN, PURPLE, VERMILLION, [0xc9, 0xa2, 0x00, 255], SKY_BLUE],
                joint: [0x37, 0x3e, 0x4a, 255],
                joint_at_limit: [0xd0, 0x2f, 0x2f, 255],
                base: [0x45, 0x4d, 0x59, 255],
                targets: LIGHT_TARGETS,
                halo_alpha: 150,
                drop_alpha: 235,
                trail: BLUE,
                limit: [0x2f, 0x7f, 0xd8, 130],
                ghost: [0x5b, 0x66, 0x75, 150],
                construction: [0x8f, 0x62, 0x00, 255],
                forward: GREEN,
                obstacle: [0x8d, 0x99, 0xae, 140],
                // A white body would be invisible on a white floor.
                glass: [0x88, 0x90, 0x9e, 165],
                unreached: [0xd0, 0x2f, 0x2f, 255],
                text: [0x22, 0x28, 0x31, 255],
                text_faint: [0x59, 0x64, 0x73, 255],
                axes: [[0xd6, 0x45, 0x45, 255], [0x3f, 0x9b, 0x46, 255], [0x2f, 0x6f, 0xd6, 255]],
            },
        }
    }
}

/// Colours of targets on a dark floor. Okabe and Ito's set has too few; the others fill the gaps between its hues.
const DARK_TARGETS: [Color; 12] = [
    [0xff, 0x6b, 0x4a, 255],
    SKY_BLUE,
    GREEN,
    PURPLE,
    YELLOW,
    [0x9d, 0x86, 0xff, 255],
    [0xa8, 0xe0, 0x5f, 255],
    [0xd2, 0xa6, 0x79, 255],
    [0x3d, 0x7b, 0xff, 255],
    [0xe0, 0x4f, 0xd0, 255],
    [0x5f, 0xe8, 0xe0, 255],
    [0xe6, 0xe9, 0xef, 255],
];
/// Colours of targets on a light floor.
const LIGHT_TARGETS: [Color; 12] = [
    [0xd6, 0x33, 0x6c, 255],
    BLUE,
    GREEN,
    PURPLE,
    VERMILLION,
    [0x6a, 0x4f, 0xd8, 255],
    [0x7d, 0x8f, 0x00, 255],
    [0x8a, 0x5a, 0x2b, 255],
    [0x1f, 0x3b, 0x8c, 255],
    [0xa8, 0x00, 0xa0, 255],
    [0x00, 0xa5, 0xb5, 255],
    [0x4a, 0x4f, 0x57, 255],
];
/// Okabe and Ito's orange with less green: under the lamp the original looks like mustard.
const AMBER: Color = [0xf2, 0x8a, 0x1a, 255];

/// Colours of everything in the scene, sRGB.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Palette {
    /// Links, one colour per chain; repeats from the start.
    pub chains: [Color; 7],
    /// Joints.
    pub joint: Color,
    /// A joint at a limit.
    pub joint_at_limit: Color,
    /// The base of a chain.
    pub base: Color,
    /// Targets, one colour per effector; repeats from the start.
    pub targets: [Color; 12],
    /// Opacity of a target's halo.
    pub halo_alpha: u8,
    /// Opacity of the line from a target to the floor.
    pub drop_alpha: u8,
    /// Trail of an effector.
    pub trail: Color,
    /// Joint limits.
    pub limit: Color,
    /// Earlier poses.
    pub ghost: Color,
    /// Construction lines of a lesson, and what a backward pass makes of a figure.
    pub construction: Color,
    /// What a forward pass makes of it.
    pub forward: Color,
    /// Obstacles.
    pub obstacle: Color,
    /// Factor on a mesh's colour when it is shown as glass, with its opacity.
    pub glass: Color,
    /// Marks what cannot be reached.
    pub unreached: Color,
    /// Text.
    pub text: Color,
    /// Less important text.
    pub text_faint: Color,
    /// X, y and z.
    pub axes: [Color; 3],
}

impl Palette {
    /// Colour of the links of chain number `chain`.
    pub fn chain(&self, chain: usize) -> Color {
        self.chains[chain % self.chains.len()]
    }

    /// Colour of the figure after a backward pass, or after a forward pass.
    pub fn pass(&self, is_backward: bool) -> Color {
        if is_backward { self.construction } else { self.forward }
    }

    /// Colour of target number `target`.
    pub fn target(&self, target: usize) -> Color {
        self.targets[target % self.targets.len()]
    }
}

/// The same colour with this opacity.
pub fn faded(color: Color, alpha: u8) -> Color {
    [color[0], color[1], color[2], alpha]
}

/// A colour under the pointer: lighter in a dark theme, darker in a light one.
pub fn highlighted(color: Color, theme: Theme) -> Color {
    match theme {
        Theme::Dark => mixed(color, [255; 4], 0.5),
        Theme::Light => mixed(color, [0; 4], 0.4),
    }
}

/// A mixture of two colours with this share of the second; the opacity is the first's.
pub fn mixed(from: Color, to: Color, share: f32) -> Color {
    let mix = |at: usize| (f32::from(from[at]) * (1.0 - share) + f32::from(to[at]) * share).round() as u8;
    [mix(0), mix(1), mix(2), from[3]]
}

/// Painted metal: links, bases.
pub const SATIN: Material = Material { roughness: 0.42, glow: 0.0 };
/// Joints.
pub const POLISHED: Material = Material { roughness: 0.26, glow: 0.0 };
/// Targets, which glow.
pub const SHINING: Material = Material { roughness: 0.5, glow: 0.85 };

/// Direction toward the lamp: high, from the right.
const LIGHT: [f32; 3] = [0.62, 1.0, 0.34];

/// Linear light of an sRGB colour written as 0xRRGGBB.
fn linear(rgb: u32) -> [f32; 3] {
    [rgb >> 16, rgb >> 8, rgb].map(|byte| {
        let c = (byte & 0xff) as f32 / 255.0;
        if c <= 0.04045 { c / 12.92 } else { ((c + 0.055) / 1.055).powf(2.4) }
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Lightness and the two colour axes of Oklab (B. Ottosson, "A perceptual color space for image processing", 2020).
    fn oklab(linear: [f32; 3]) -> [f32; 3] {
        let mix =
            |weights: [f32; 3], of: [f32; 3]| weights.iter().zip(of).map(|(weight, part)| weight * part).sum::<f32>();
        let cones = [
            [0.412_221_5, 0.536_332_5, 0.051_446],
            [0.211_903_5, 0.680_699_5, 0.107_397],
            [0.088_302_5, 0.281_718_8, 0.629_978_7],
        ]
        .map(|weights| mix(weights, linear).cbrt());
        [
            [0.210_454_3, 0.793_617_8, -0.004_072],
            [1.977_998_5, -2.428_592_2, 0.450_593_7],
            [0.025_904, 0.782_771_8, -0.808_675_8],
        ]
        .map(|weights| mix(weights, cones))
    }

    fn of(color: Color) -> [f32; 3] {
        oklab(linear(u32::from_be_bytes([0, color[0], color[1], color[2]])))
    }

    #[test]
    fn targets_differ_from_each_other_and_from_the_floor_in_both_themes() {
        for theme in [Theme::Dark, Theme::Light] {
            let (palette, environment) = (theme.palette(), theme.environment(Up::Y));
            for (at, color) in palette.targets.into_iter().enumerate() {
                let [lightness, ..] = of(color);
                for ground in [environment.floor, environment.background_top, environment.background_bottom] {
                    assert!((lightness - oklab(ground)[0]).abs() > 0.2, "{theme:?} {at}");
                }
                for (before, other) in palette.targets[..at].iter().enumerate() {
                    let apart = of(color).iter().zip(of(*other)).map(|(a, b)| (a - b).powi(2)).sum::<f32>().sqrt();
                    assert!(apart > 0.09, "{theme:?}: {before} and {at} are only {apart} apart");
                }
            }
        }
    }
}
