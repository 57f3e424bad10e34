//! Draws a chart as PNG.

use tiny_skia::{FillRule, LineCap, LineJoin, Paint, PathBuilder, Pixmap, Stroke, Transform};

use super::chart::{Anchor, Chart, Color, HEIGHT, Mark, WIDTH};
use super::font::Font;

/// Pixels per unit of the chart, so that text is sharp on high-resolution screens.
const SCALE: f32 = 2.0;

/// The picture as a PNG file.
pub fn write(chart: &Chart, font: &Font) -> Result<Vec<u8>, String> {
    let (width, height) = ((WIDTH * SCALE) as u32, (HEIGHT * SCALE) as u32);
    let mut picture = Pixmap::new(width, height).ok_or("it has no size")?;
    picture.fill(tiny_skia::Color::WHITE);
    for mark in &chart.marks {
        draw(&mut picture, mark, font);
    }
    encoded(&picture).map_err(|e| e.to_string())
}

fn draw(picture: &mut Pixmap, mark: &Mark, font: &Font) {
    let scaled = Transform::from_scale(SCALE, SCALE);
    let mut path = PathBuilder::new();
    match mark {
        Mark::Line { points, width, color } => {
            for (i, &(x, y)) in points.iter().enumerate() {
                if i == 0 { path.move_to(x, y) } else { path.line_to(x, y) }
            }
            let stroke = Stroke {
                width: *width,
                line_cap: LineCap::Round,
                line_join: LineJoin::Round,
                ..Stroke::default()
            };
            if let Some(path) = path.finish() {
                picture.stroke_path(&path, &paint(*color), &stroke, scaled, None);
            }
        }
        Mark::Dot { at: (x, y), radius, color } => {
            path.push_circle(*x, *y, *radius);
            if let Some(path) = path.finish() {
                picture.fill_path(&path, &paint(*color), FillRule::Winding, scaled, None);
            }
        }
        Mark::Text { at: (x, y), text, size, anchor, upward, color } => {
            font.outline(text, *size, &mut path);
            let shift = match anchor {
                Anchor::Start => 0.0,
                Anchor::Middle => -font.width(text, *size) / 2.0,
                Anchor::End => -font.width(text, *size),
            };
            let turned = if *upward { Transform::from_rotate(-90.0) } else { Transform::identity() };
            let placed = scaled.pre_translate(*x, *y).pre_concat(turned).pre_translate(shift, 0.0);
            if let Some(path) = path.finish() {
                picture.fill_path(&path, &paint(*color), FillRule::Winding, placed, None);
            }
        }
    }
}

fn paint(Color([r, g, b, alpha]): Color) -> Paint<'static> {
    let mut paint = Paint::default();
    paint.set_color_rgba8(r, g, b, alpha);
    paint
}

fn encoded(picture: &Pixmap) -> Result<Vec<u8>, png::EncodingError> {
    // The background is opaque, so every pixel is.
    let pixels: Vec<u8> = picture.pixels().iter().flat_map(|p| [p.red(), p.green(), p.blue()]).collect();
    let mut bytes = Vec::new();
    let mut encoder = png::Encoder::new(&mut bytes, picture.width(), picture.height());
    encoder.set_color(png::ColorType::Rgb);
    encoder.write_header()?.write_image_data(&pixels)?;
    Ok(bytes)
}
