//! The font of the loss curve: text widths for layout, and outlines for PNG.

use tiny_skia::PathBuilder;
use ttf_parser::{Face, GlyphId, OutlineBuilder};

/// DejaVu Sans, with Latin, Greek and Cyrillic letters.
static BYTES: &[u8] = include_bytes!("../font/DejaVuSans.ttf");

/// The font.
pub struct Font {
    face: Face<'static>,
}

impl Font {
    pub fn new() -> Result<Font, String> {
        Ok(Font { face: Face::parse(BYTES, 0).map_err(|e| e.to_string())? })
    }

    /// The glyph of a character, or that of `?` if the font does not have it.
    fn glyph(&self, c: char) -> GlyphId {
        let found = self.face.glyph_index(c).or_else(|| self.face.glyph_index('?'));
        found.unwrap_or_default()
    }

    fn advance(&self, glyph: GlyphId) -> f32 {
        f32::from(self.face.glyph_hor_advance(glyph).unwrap_or(0)) / f32::from(self.face.units_per_em())
    }

    /// The width of a text.
    pub fn width(&self, text: &str, size: f32) -> f32 {
        text.chars().map(|c| self.advance(self.glyph(c))).sum::<f32>() * size
    }

    /// The text, or its beginning and end with `…` in between if it is wider than `width`.
    pub fn fitted(&self, text: &str, size: f32, width: f32) -> String {
        let chars: Vec<char> = text.chars().map(|c| if c.is_control() { ' ' } else { c }).collect();
        let mut fitted: String = chars.iter().collect();
        let mut kept = chars.len();
        while kept > 0 && self.width(&fitted, size) > width {
            kept -= 1;
            let (begin, end) = (kept / 3, chars.len() - (kept - kept / 3));
            fitted = chars[..begin].iter().chain(['…'].iter()).chain(&chars[end..]).collect();
        }
        fitted
    }

    /// Adds the outline of a text to a path. The baseline starts at (0, 0); y increases downward.
    pub fn outline(&self, text: &str, size: f32, path: &mut PathBuilder) {
        let scale = size / f32::from(self.face.units_per_em());
        let mut x = 0.0;
        for glyph in text.chars().map(|c| self.glyph(c)) {
            self.face.outline_glyph(glyph, &mut Outline { path, scale, x });
            x += self.advance(glyph) * size;
        }
    }
}

/// Converts a glyph's outline to a path.
struct Outline<'a> {
    path: &'a mut PathBuilder,
    scale: f32,
    x: f32,
}

impl Outline<'_> {
    fn at(&self, x: f32, y: f32) -> (f32, f32) {
        (self.x + x * self.scale, -y * self.scale)
    }
}

impl OutlineBuilder for Outline<'_> {
    fn move_to(&mut self, x: f32, y: f32) {
        let (x, y) = self.at(x, y);
        self.path.move_to(x, y);
    }
    fn line_to(&mut self, x: f32, y: f32) {
        let (x, y) = self.at(x, y);
        self.path.line_to(x, y);
    }
    fn quad_to(&mut self, x1: f32, y1: f32, x: f32, y: f32) {
        let ((x1, y1), (x, y)) = (self.at(x1, y1), self.at(x, y));
        self.path.quad_to(x1, y1, x, y);
    }
    fn curve_to(&mut self, x1: f32, y1: f32, x2: f32, y2: f32, x: f32, y: f32) {
        let ((x1, y1), (x2, y2), (x, y)) = (self.at(x1, y1), self.at(x2, y2), self.at(x, y));
        self.path.cubic_to(x1, y1, x2, y2, x, y);
    }
    fn close(&mut self) {
        self.path.close();
    }
}
