//! The loss curve as a picture: SVG with text, PNG without (a bitmap's text would need a font file).

use std::path::Path;

use plotters::coord::Shift;
use plotters::prelude::*;
use rlx_models::files::write_atomically;

use super::metrics::Point;

type Drawn = Result<(), String>;
/// A step and its loss.
type CurvePoint = (f64, f64);

/// Width and height in pixels.
const SIZE: (u32, u32) = (900, 520);

/// Draws `loss.svg` and `loss.png` in a folder.
pub fn draw(dir: &Path, losses: &[Point], title: &str) -> Drawn {
    let finite: Vec<CurvePoint> =
        losses.iter().filter(|p| p.1.is_finite()).map(|p| (p.0 as f64, p.1)).collect();
    if finite.is_empty() {
        return Ok(());
    }
    let mut svg = String::new();
    curve(&SVGBackend::with_string(&mut svg, SIZE).into_drawing_area(), &finite, Some(title))?;
    write(&dir.join("loss.svg"), svg.as_bytes())?;
    let mut pixels = vec![0; SIZE.0 as usize * SIZE.1 as usize * 3];
    curve(&BitMapBackend::with_buffer(&mut pixels, SIZE).into_drawing_area(), &finite, None)?;
    write(&dir.join("loss.png"), &png(&pixels)?)
}

fn write(path: &Path, bytes: &[u8]) -> Drawn {
    write_atomically(path, |file| file.write_all(bytes)).map_err(|e| e.to_string())
}

fn png(pixels: &[u8]) -> Result<Vec<u8>, String> {
    let failed = |e: png::EncodingError| format!("the loss curve: {e}");
    let mut bytes = Vec::new();
    let mut encoder = png::Encoder::new(&mut bytes, SIZE.0, SIZE.1);
    encoder.set_color(png::ColorType::Rgb);
    encoder.write_header().map_err(failed)?.write_image_data(pixels).map_err(failed)?;
    Ok(bytes)
}

fn curve<B: DrawingBackend>(
    area: &DrawingArea<B, Shift>,
    finite: &[CurvePoint],
    title: Option<&str>,
) -> Drawn {
    let failed = |e: DrawingAreaErrorKind<B::ErrorType>| format!("the loss curve: {e}");
    let last = finite.iter().fold(1.0f64, |last, p| last.max(p.0));
    let (low, high) = finite.iter().fold((f64::MAX, f64::MIN), |(l, h), p| (l.min(p.1), h.max(p.1)));
    let margin = ((high - low) * 0.05).max(1e-6);
    area.fill(&WHITE).map_err(failed)?;
    let mut builder = ChartBuilder::on(area);
    builder.margin(16);
    if let Some(title) = title {
        builder.caption(title, ("sans-serif", 18)).x_label_area_size(40).y_label_area_size(64);
    }
    let mut chart = builder.build_cartesian_2d(0.0..last, low - margin..high + margin).map_err(failed)?;
    let mut mesh = chart.configure_mesh();
    if title.is_some() {
        mesh.x_desc("step").y_desc("loss");
    }
    mesh.draw().map_err(failed)?;
    chart.draw_series(LineSeries::new(finite.iter().copied(), BLUE.mix(0.3))).map_err(failed)?;
    chart.draw_series(LineSeries::new(smoothed(finite), BLUE.stroke_width(2))).map_err(failed)?;
    area.present().map_err(failed)
}

/// A running mean that forgets over a fiftieth of the curve.
fn smoothed(points: &[CurvePoint]) -> Vec<CurvePoint> {
    let keep = 1.0 - 50.0 / points.len().max(100) as f64;
    let (mut mean, mut weight) = (0.0, 0.0);
    let next = |&(step, loss): &CurvePoint| {
        mean = keep * mean + (1.0 - keep) * loss;
        weight = keep * weight + (1.0 - keep);
        (step, mean / weight)
    };
    points.iter().map(next).collect()
}
