//! Draws the error by iteration of textbook and accelerated FABRIK, with the program's own measurements and renderer:
//! `cargo run --release --example convergence -- assets/pictures/convergence.png`.

use egui::{Align2, Color32, Context, RichText};
use egui_plot::{Corner, GridMark, HLine, Legend, Line, LineStyle, Plot, PlotPoint, PlotPoints, Text};
use fabrik3d::render::{GuiPainter, Headless, Samples, Targets};
use fabrik3d_ik::settings::Method;
use fabrik3d_measure::convergence::{Curve, FRACTIONS, LINKS, curves};
use std::error::Error;

/// Size in points, and pixels per point.
const SIZE: [f32; 2] = [900.0, 560.0];
const SCALE: f32 = 2.0;
/// Number of cases per curve, which shows their median, and number of iterations.
const CASES: usize = 300;
const ITERATIONS: usize = 1000;
/// Smallest error shown. Smaller ones are rounding errors.
const MIN_ERROR: f64 = 1e-14;
/// The solver's tolerance.
const TOLERANCE: f64 = 1e-4;
/// A colour per fraction, distinguishable with colour blindness (Okabe and Ito).
const COLORS: [Color32; 3] =
    [Color32::from_rgb(0, 114, 178), Color32::from_rgb(0, 158, 115), Color32::from_rgb(213, 94, 0)];

fn main() -> Result<(), Box<dyn Error>> {
    let path = std::env::args().nth(1).unwrap_or_else(|| "convergence.png".to_owned());
    let curves = curves(CASES, ITERATIONS, 1);
    let headless = Headless::new()?;
    let targets = Targets::new(headless.context(), ((SIZE[0] * SCALE) as u32, (SIZE[1] * SCALE) as u32), Samples::One)?;
    let mut painter = GuiPainter::new(headless.context())?;
    let context = Context::default();
    context.set_visuals(egui::Visuals::light());
    context.set_pixels_per_point(SCALE);
    let input = || egui::RawInput {
        screen_rect: Some(egui::Rect::from_min_size(egui::Pos2::ZERO, SIZE.into())),
        max_texture_side: Some(painter.max_texture_side()),
        ..egui::RawInput::default()
    };
    // The first pass measures the text, the second one lays it out.
    let mut output = context.run(input(), |context| figure(context, &curves));
    output.append(context.run(input(), |context| figure(context, &curves)));
    let shapes = context.tessellate(output.shapes, output.pixels_per_point);
    painter.paint(&targets, output.pixels_per_point, &shapes, &output.textures_delta)?;
    image::DynamicImage::ImageRgba8(targets.read()?).into_rgb8().save(&path)?;
    println!("{path}");
    Ok(())
}

fn figure(context: &Context, curves: &[Curve]) {
    let frame = egui::Frame::new().fill(Color32::WHITE).inner_margin(16);
    egui::CentralPanel::default().frame(frame).show(context, |ui| {
        ui.label(RichText::new("Error per iteration, textbook FABRIK and accelerated").size(20.0).strong());
        let what = format!(
            "{LINKS} links, targets at 0.9, 0.99 and 0.999 of the reach; median of {CASES} cases; iterations alone, no \
             closed-form closure"
        );
        ui.label(RichText::new(what).size(13.0));
        ui.add_space(8.0);
        plot(ui, curves);
    });
}

/// The plot with two logarithmic axes: it receives logarithms and formats the numbers.
fn plot(ui: &mut egui::Ui, curves: &[Curve]) {
    // The step size determines the strength of grid lines. A smaller step for the longer axis makes both look alike.
    let decades = |step_size: f64| {
        move |input: egui_plot::GridInput| {
            let (first, last) = (input.bounds.0.ceil() as i32, input.bounds.1.floor() as i32);
            (first..=last).map(|decade| GridMark { value: f64::from(decade), step_size }).collect()
        }
    };
    let count = |mark: GridMark, _: &std::ops::RangeInclusive<f64>| format!("{:.0}", 10_f64.powf(mark.value));
    let error = |mark: GridMark, _: &std::ops::RangeInclusive<f64>| format!("{:.0e}", 10_f64.powf(mark.value));
    let plot = Plot::new("convergence")
        .x_axis_label("iterations (a backward and a forward reaching pass each)")
        .y_axis_label("distance from tip to target / reach")
        .x_grid_spacer(decades(0.35))
        .y_grid_spacer(decades(1.0))
        .x_axis_formatter(count)
        .y_axis_formatter(error)
        .legend(Legend::default().position(Corner::LeftBottom).background_alpha(1.0))
        .set_margin_fraction(egui::vec2(0.02, 0.03));
    plot.show(ui, |ui| {
        let ink = Color32::from_gray(110);
        let tolerance = TOLERANCE.log10();
        ui.hline(HLine::new("", tolerance).color(ink).style(LineStyle::dotted_dense()).width(1.0).allow_hover(false));
        let label = RichText::new("default tolerance").size(12.0).color(ink);
        ui.text(Text::new("", PlotPoint::new(0.02, tolerance), label).anchor(Align2::LEFT_BOTTOM));
        for curve in curves {
            let at = FRACTIONS.iter().position(|&fraction| fraction == curve.fraction).unwrap_or(0);
            let (style, width) = match curve.method {
                Method::Accelerated => (LineStyle::Solid, 2.5),
                _ => (LineStyle::dashed_dense(), 1.8),
            };
            let points: PlotPoints = (1..)
                .zip(&curve.errors[1..])
                .take_while(|(_, error)| **error >= MIN_ERROR)
                .map(|(after, &error)| [f64::from(after).log10(), error.log10()])
                .collect();
            let name = match curve.method {
                Method::Accelerated => format!("accelerated, {} of the reach", curve.fraction),
                _ => format!("textbook (dashed), {} of the reach", curve.fraction),
            };
            ui.line(Line::new(name, points).color(COLORS[at]).style(style).width(width));
        }
    });
}
