//! Draws a chart as SVG.

use std::fmt::Write;

use super::chart::{Anchor, Chart, Color, HEIGHT, Mark, WIDTH};

/// The picture as an SVG document.
pub fn write(chart: &Chart) -> String {
    let mut out = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{WIDTH}\" height=\"{HEIGHT}\" viewBox=\"0 0 {WIDTH} {HEIGHT}\" \
         font-family=\"DejaVu Sans, Verdana, sans-serif\">\n<rect width=\"100%\" height=\"100%\" fill=\"#ffffff\"/>\n"
    );
    for mark in &chart.marks {
        // Writing to a string cannot fail.
        let _ = match mark {
            Mark::Line { points, width, color } => {
                let points: Vec<String> = points.iter().map(|(x, y)| format!("{x:.2},{y:.2}")).collect();
                writeln!(
                    out,
                    "<polyline points=\"{}\" fill=\"none\" stroke-width=\"{width}\" stroke-linejoin=\"round\" \
                     stroke-linecap=\"round\" {}/>",
                    points.join(" "),
                    paint("stroke", *color)
                )
            }
            Mark::Dot { at: (x, y), radius, color } => {
                writeln!(
                    out,
                    "<circle cx=\"{x:.2}\" cy=\"{y:.2}\" r=\"{radius}\" {}/>",
                    paint("fill", *color)
                )
            }
            Mark::Text { at: (x, y), text, size, anchor, upward, color } => {
                let anchor = match anchor {
                    Anchor::Start => "start",
                    Anchor::Middle => "middle",
                    Anchor::End => "end",
                };
                let turned =
                    if *upward { format!(" transform=\"rotate(-90 {x:.2} {y:.2})\"") } else { String::new() };
                writeln!(
                    out,
                    "<text x=\"{x:.2}\" y=\"{y:.2}\" font-size=\"{size}\" text-anchor=\"{anchor}\"{turned} {}>{}</text>",
                    paint("fill", *color),
                    rlx_escape::xml(text)
                )
            }
        };
    }
    out.push_str("</svg>\n");
    out
}

fn paint(what: &str, Color([r, g, b, alpha]): Color) -> String {
    let opacity = if alpha == 255 {
        String::new()
    } else {
        format!(" {what}-opacity=\"{:.2}\"", f32::from(alpha) / 255.0)
    };
    format!("{what}=\"#{r:02x}{g:02x}{b:02x}\"{opacity}")
}
