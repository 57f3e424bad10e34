//! The loss curve: one description of the picture, drawn as SVG and as PNG.

mod axis;
mod chart;
mod font;
mod png;
mod svg;

use std::path::Path;

use rlx_models::files::{FileError, write_atomically};

pub use chart::Series;
use chart::Chart;
use font::Font;

/// Why there is no picture.
#[derive(Debug, thiserror::Error)]
pub enum CurveError {
    #[error(transparent)]
    File(#[from] FileError),
    #[error("the loss curve cannot be drawn: {0}")]
    Draw(String),
}

/// Draws `loss.svg` and `loss.png` in a folder; nothing if there is no finite loss.
pub fn draw(dir: &Path, title: &str, training: &Series, validation: &Series) -> Result<(), CurveError> {
    let font = Font::new().map_err(CurveError::Draw)?;
    let Some(chart) = Chart::new(title, training, validation, &font) else { return Ok(()) };
    let svg = svg::write(&chart);
    write_atomically(&dir.join("loss.svg"), |file| file.write_all(svg.as_bytes()))?;
    let png = png::write(&chart, &font).map_err(CurveError::Draw)?;
    write_atomically(&dir.join("loss.png"), |file| file.write_all(&png))?;
    Ok(())
}
