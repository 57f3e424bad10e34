//! The loss curve: one description of the picture, drawn as SVG and as PNG.

mod axis;
mod chart;
mod font;
mod png;
mod svg;

use std::path::Path;

use rlx_models::files::{FileError, write_atomically};

use chart::Chart;
pub use chart::Series;
use font::Font;

/// Why the curve cannot be drawn.
#[derive(Debug, thiserror::Error)]
pub enum CurveError {
    #[error(transparent)]
    File(#[from] FileError),
    #[error("the loss curve cannot be drawn: {0}")]
    Draw(String),
}

/// Draws `loss.svg` and `loss.png` in a folder, or nothing if no loss is finite.
pub fn draw(dir: &Path, title: &str, training: &Series, validation: &Series) -> Result<(), CurveError> {
    let font = Font::new().map_err(CurveError::Draw)?;
    let Some(chart) = Chart::new(title, training, validation, &font) else { return Ok(()) };
    let svg = svg::write(&chart);
    write_atomically(&dir.join("loss.svg"), |file| file.write_all(svg.as_bytes()))?;
    let png = png::write(&chart, &font).map_err(CurveError::Draw)?;
    write_atomically(&dir.join("loss.png"), |file| file.write_all(&png))?;
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::chart::Mark;
    use super::*;

    fn texts(chart: &Chart) -> Vec<&str> {
        let texts = chart.marks.iter().filter_map(|mark| match mark {
            Mark::Text { text, .. } => Some(text.as_str()),
            _ => None,
        });
        texts.collect()
    }

    /// Two falling curves with the given number of steps.
    fn falling(steps: u64) -> [Series; 2] {
        let loss =
            |i: u64| 2.5 * (-(i as f64) / steps as f64 * 5.0).exp() * (1.0 + 0.2 * (i as f64 * 1.7).sin());
        [
            (1..=steps).map(|i| (i, loss(i))).collect(),
            (0..=steps).step_by(50).map(|i| (i, loss(i) * 1.1)).collect(),
        ]
    }

    #[test]
    fn both_pictures_have_title_axes_numbers_and_legend() {
        let dir = tempfile::tempdir().expect("a folder");
        let [training, validation] = falling(400);
        draw(dir.path(), "a < b & c.toml", &training, &validation).expect("drawn");
        let svg = std::fs::read_to_string(dir.path().join("loss.svg")).expect("a picture");
        for text in [
            "a &lt; b &amp; c.toml",
            "step",
            "loss (logarithmic)",
            "training, each step",
            "validation",
            "0.1",
            "400",
        ] {
            assert!(svg.contains(&format!(">{text}</text>")), "{text}");
        }
        let file = std::fs::File::open(dir.path().join("loss.png")).expect("a picture");
        let mut png = ::png::Decoder::new(std::io::BufReader::new(file)).read_info().expect("a picture");
        let mut pixels = vec![0; png.output_buffer_size().expect("a size")];
        let frame = png.next_frame(&mut pixels).expect("pixels");
        assert_eq!((frame.width, frame.height), (1800, 1040));
        let dark = |x: std::ops::Range<usize>, y: std::ops::Range<usize>| {
            let at = |x: usize, y: usize| pixels[(y * 1800 + x) * 3..][..3].iter().all(|c| *c < 120);
            y.flat_map(|y| x.clone().map(move |x| (x, y))).filter(|(x, y)| at(*x, *y)).count()
        };
        // Letters and digits: the title, the legend, the names of the axes, the numbers at their ticks.
        assert!(dark(100..800, 30..80) > 200 && dark(100..1200, 110..140) > 200);
        assert!(dark(30..70, 300..800) > 100 && dark(800..1000, 990..1030) > 50);
        assert!(dark(70..140, 160..900) > 50 && dark(140..1800, 930..965) > 50);
        // The background is white.
        assert_eq!(dark(0..30, 0..1040), 0);
    }

    #[test]
    fn what_is_unusual_is_drawn_as_well() {
        let font = Font::new().expect("a font");
        let chart = |training: &Series, validation: &Series| Chart::new("t", training, validation, &font);
        // Nothing to draw.
        assert!(chart(&vec![], &vec![]).is_none() && chart(&vec![(1, f64::NAN)], &vec![]).is_none());
        // A single point, and points between gaps, are dots.
        let dots = |chart: &Chart| chart.marks.iter().filter(|m| matches!(m, Mark::Dot { .. })).count();
        assert_eq!(dots(&chart(&vec![(1, 0.5)], &vec![]).expect("a chart")), 1);
        let gaps = vec![(1, 0.5), (2, f64::NAN), (3, 0.4), (4, f64::INFINITY), (5, 0.3), (6, 0.3)];
        let drawn = chart(&gaps, &vec![]).expect("a chart");
        assert!(dots(&drawn) == 2 && texts(&drawn).contains(&"2 losses are not finite"));
        // Equal, negative, tiny and huge losses have ticks, and all positions are inside the picture.
        for values in [[0.5, 0.5], [-3.0, 2.0], [1e-12, 2e-12], [1e-3, 1e30], [0.0, 0.0], [-1e300, 1e300]] {
            let drawn = chart(&vec![(1, values[0]), (1_000_000, values[1])], &vec![]).expect("a chart");
            assert!(texts(&drawn).len() >= 6, "{values:?}: {:?}", texts(&drawn));
            let points = drawn.marks.iter().flat_map(|mark| match mark {
                Mark::Line { points, .. } => points.clone(),
                Mark::Dot { at, .. } | Mark::Text { at, .. } => vec![*at],
            });
            assert!(
                points.into_iter().all(|(x, y)| (0.0..=900.0).contains(&x) && (0.0..=520.0).contains(&y))
            );
        }
        // Thousands of steps are thinned to the points that fit; a spike remains.
        let [mut training, validation] = falling(100_000);
        training[77_777].1 = 9.0;
        let drawn = chart(&training, &validation).expect("a chart");
        let most = drawn
            .marks
            .iter()
            .map(|m| if let Mark::Line { points, .. } = m { points.len() } else { 0 })
            .max();
        assert!(most <= Some(8000), "{most:?}");
        let highest = drawn.marks.iter().filter_map(|m| match m {
            Mark::Line { points, .. } if points.len() > 1000 => {
                points.iter().map(|p| p.1).min_by(f32::total_cmp)
            }
            _ => None,
        });
        assert!(highest.into_iter().any(|y| y < 90.0));
    }

    #[test]
    fn a_long_title_keeps_its_ends() {
        let font = Font::new().expect("a font");
        let title = format!("/home/{}/digits.toml", "folder/".repeat(60));
        let fitted = font.fitted(&title, 17.0, 800.0);
        assert!(font.width(&fitted, 17.0) <= 800.0 && fitted.chars().count() > 60, "{fitted}");
        assert!(fitted.starts_with("/home/") && fitted.contains('…') && fitted.ends_with("digits.toml"));
        assert_eq!(font.fitted("a\tb", 17.0, 800.0), "a b");
    }
}
