//! The contents of the loss curve (axes, curves and text), laid out in units of a 900 × 520 picture.

use super::axis::Axis;
use super::font::Font;

pub const WIDTH: f32 = 900.0;
pub const HEIGHT: f32 = 520.0;

/// Losses by step. Losses that are not finite are gaps.
pub type Series = Vec<(u64, f64)>;

/// Red, green, blue, and opacity.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Color(pub [u8; 4]);

/// Which point of a text is at its position.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Anchor {
    Start,
    Middle,
    End,
}

/// A position; y increases downward.
type Place = (f32, f32);

/// A shape to draw.
#[derive(Clone, PartialEq, Debug)]
pub enum Mark {
    Line { points: Vec<Place>, width: f32, color: Color },
    Dot { at: Place, radius: f32, color: Color },
    Text { at: Place, text: String, size: f32, anchor: Anchor, upward: bool, color: Color },
}

/// The picture.
pub struct Chart {
    pub marks: Vec<Mark>,
}

const INK: Color = Color([0x26, 0x2b, 0x33, 255]);
const PALE: Color = Color([0x5c, 0x65, 0x70, 255]);
const GRID: Color = Color([0xe4, 0xe7, 0xeb, 255]);
const FRAME: Color = Color([0x9a, 0xa2, 0xac, 255]);
const TRAINING: Color = Color([0x1f, 0x6f, 0xb5, 255]);
const EACH_STEP: Color = Color([0x1f, 0x6f, 0xb5, 80]);
const VALIDATION: Color = Color([0xd9, 0x5f, 0x02, 255]);

const TITLE_SIZE: f32 = 17.0;
const TEXT_SIZE: f32 = 13.0;
const MARGIN: f32 = 18.0;
/// Top and bottom of the plot.
const TOP: f32 = 78.0;
const BOTTOM: f32 = HEIGHT - 58.0;
const RIGHT: f32 = WIDTH - MARGIN - 8.0;

/// Training losses are smoothed if there are at least this many steps.
const SMOOTHED_FROM: usize = 40;
/// The axis is logarithmic if the largest smoothed loss is at least this many times the smallest.
const LOG_FROM: f64 = 30.0;
/// Evaluations are marked with dots if there are at most this many.
const DOTS: usize = 60;

impl Chart {
    /// The chart of the losses; `None` if none is finite.
    pub fn new(title: &str, training: &Series, validation: &Series, font: &Font) -> Option<Chart> {
        let is_smoothed = training.len() >= SMOOTHED_FROM;
        let smooth = if is_smoothed { smoothed(training) } else { training.clone() };
        let y_axis = loss_axis(training, &smooth, validation)?;
        let steps = training.iter().chain(validation).map(|p| p.0);
        let x_axis = Axis { low: 0.0, high: steps.max().unwrap_or(0).max(1) as f64, log: false };
        let mut chart = Chart { marks: Vec::new() };

        let y_ticks = y_axis.ticks(7);
        let widest = y_ticks.iter().map(|t| font.width(&t.label, TEXT_SIZE)).fold(0.0, f32::max);
        let left = MARGIN + TEXT_SIZE + 14.0 + widest + 8.0;
        let x_at = |step: f64| left + (RIGHT - left) * x_axis.place(step) as f32;
        let y_at = |loss: f64| BOTTOM - (BOTTOM - TOP) * y_axis.place(loss) as f32;
        for tick in &y_ticks {
            let y = y_at(tick.value);
            chart.line(vec![(left, y), (RIGHT, y)], 1.0, GRID);
            chart.text((left - 8.0, y + TEXT_SIZE * 0.36), &tick.label, Anchor::End, PALE);
        }
        // As many step labels as fit next to each other.
        let fits = |count: &usize| {
            let ticks = x_axis.whole_ticks(*count);
            let widest = ticks.iter().map(|t| font.width(&t.label, TEXT_SIZE)).fold(0.0, f32::max);
            (RIGHT - left) / ticks.len().max(1) as f32 >= widest + 28.0
        };
        for tick in x_axis.whole_ticks((2..=10).rev().find(fits).unwrap_or(1)) {
            let x = x_at(tick.value);
            chart.line(vec![(x, TOP), (x, BOTTOM)], 1.0, GRID);
            chart.text((x, BOTTOM + TEXT_SIZE + 7.0), &tick.label, Anchor::Middle, PALE);
        }
        chart.line(vec![(left, TOP), (left, BOTTOM), (RIGHT, BOTTOM)], 1.0, FRAME);
        chart.text(((left + RIGHT) / 2.0, HEIGHT - MARGIN), "step", Anchor::Middle, INK);
        chart.marks.push(Mark::Text {
            at: (MARGIN + TEXT_SIZE, (TOP + BOTTOM) / 2.0),
            text: if y_axis.log { "loss (logarithmic)" } else { "loss" }.to_string(),
            size: TEXT_SIZE,
            anchor: Anchor::Middle,
            upward: true,
            color: INK,
        });
        chart.marks.push(Mark::Text {
            at: (left, MARGIN + TITLE_SIZE),
            text: font.fitted(title, TITLE_SIZE, RIGHT - left),
            size: TITLE_SIZE,
            anchor: Anchor::Start,
            upward: false,
            color: INK,
        });

        let place = |&(step, loss): &(u64, f64)| (x_at(step as f64), y_at(loss));
        let mut legend = Legend { x: left, font };
        if is_smoothed {
            chart.curve(training, place, 1.0, EACH_STEP, 0);
            legend.entry(&mut chart, "training, each step", 1.0, EACH_STEP, false);
            chart.curve(&smooth, place, 2.0, TRAINING, 0);
            legend.entry(&mut chart, "training, running mean", 2.0, TRAINING, false);
        } else if !training.is_empty() {
            chart.curve(training, place, 2.0, TRAINING, 1);
            legend.entry(&mut chart, "training", 2.0, TRAINING, false);
        }
        if !validation.is_empty() {
            let dots = if validation.len() <= DOTS { usize::MAX } else { 1 };
            chart.curve(validation, place, 2.0, VALIDATION, dots);
            legend.entry(&mut chart, "validation", 2.0, VALIDATION, dots > 1);
        }
        let gaps = training.iter().chain(validation).filter(|p| !p.1.is_finite()).count();
        if gaps > 0 {
            let said = if gaps == 1 {
                "1 loss is not finite".into()
            } else {
                format!("{gaps} losses are not finite")
            };
            chart.text((RIGHT, TOP - 14.0), &said, Anchor::End, PALE);
        }
        Some(chart)
    }

    fn line(&mut self, points: Vec<Place>, width: f32, color: Color) {
        self.marks.push(Mark::Line { points, width, color });
    }

    fn text(&mut self, at: Place, text: &str, anchor: Anchor, color: Color) {
        let (text, size) = (text.to_string(), TEXT_SIZE);
        self.marks.push(Mark::Text { at, text, size, anchor, upward: false, color });
    }

    /// Draws a line between gaps. A piece with at most `dots` points gets a dot at each point.
    fn curve(
        &mut self,
        series: &Series,
        place: impl Fn(&(u64, f64)) -> Place,
        width: f32,
        color: Color,
        dots: usize,
    ) {
        for piece in series.split(|p| !p.1.is_finite()).filter(|piece| !piece.is_empty()) {
            let points = thinned(piece.iter().map(&place).collect());
            if points.len() <= dots.max(1) {
                let radius = width + 1.0;
                self.marks.extend(points.iter().map(|&at| Mark::Dot { at, radius, color }));
            }
            if points.len() > 1 {
                self.line(points, width, color);
            }
        }
    }
}

/// The names of the curves, in a row above the plot.
struct Legend<'a> {
    x: f32,
    font: &'a Font,
}

impl Legend<'_> {
    fn entry(&mut self, chart: &mut Chart, name: &str, width: f32, color: Color, dot: bool) {
        let y = TOP - 14.0;
        let middle = y - TEXT_SIZE * 0.36;
        chart.line(vec![(self.x, middle), (self.x + 24.0, middle)], width, color);
        if dot {
            chart.marks.push(Mark::Dot { at: (self.x + 12.0, middle), radius: width + 1.0, color });
        }
        chart.text((self.x + 32.0, y), name, Anchor::Start, INK);
        self.x += 32.0 + self.font.width(name, TEXT_SIZE) + 24.0;
    }
}

/// The axis of the losses. It is logarithmic if they fall far; single steps with a loss far below the others are then
/// drawn at its lower end.
fn loss_axis(training: &Series, smooth: &Series, validation: &Series) -> Option<Axis> {
    let finite = |series: &Series| series.iter().map(|p| p.1).filter(|y| y.is_finite()).collect::<Vec<f64>>();
    let (mut each, mut calm) = (finite(training), finite(smooth));
    calm.extend(finite(validation));
    each.sort_by(f64::total_cmp);
    let bounds = |values: &[f64]| {
        values.iter().fold((f64::INFINITY, f64::NEG_INFINITY), |(l, h), y| (l.min(*y), h.max(*y)))
    };
    let (calm_low, calm_high) = bounds(&calm);
    let all = bounds(&[calm, each.clone()].concat());
    if !all.0.is_finite() {
        return None;
    }
    if all.0 > 0.0 && calm_high / calm_low >= LOG_FROM {
        let low = each.get(each.len() / 100).map_or(calm_low, |y| y.min(calm_low));
        return Some(Axis { low: low / 1.1, high: all.1 * 1.1, log: true });
    }
    let (low, high) = all;
    // A constant loss is drawn in the middle, with tick labels that differ.
    let margin = ((high - low) * 0.05).max(high.abs().max(low.abs()) * 1e-3).max(1e-9);
    // If losses are far above 0, the axis starts near them; otherwise it starts at 0.
    let low = if low >= 0.0 && low - margin < (high - low) * 0.25 { 0.0 } else { low - margin };
    Some(Axis { low, high: high + margin, log: false })
}

/// A running mean over about a fiftieth of the curve. Gaps stay gaps.
fn smoothed(series: &Series) -> Series {
    let keep = 1.0 - 50.0 / series.len().max(100) as f64;
    let (mut mean, mut weight) = (0.0, 0.0);
    let next = |&(step, loss): &(u64, f64)| {
        if !loss.is_finite() {
            return (step, loss);
        }
        mean = keep * mean + (1.0 - keep) * loss;
        weight = keep * weight + (1.0 - keep);
        (step, mean / weight)
    };
    series.iter().map(next).collect()
}

/// Drops points that cannot be distinguished: of each half unit of the width, it keeps the first, highest, lowest and
/// last point.
fn thinned(points: Vec<Place>) -> Vec<Place> {
    let column = |p: &Place| (p.0 * 2.0) as i32;
    if points.len() < 2 * (WIDTH as usize) {
        return points;
    }
    let mut kept = Vec::new();
    for run in points.chunk_by(|a, b| column(a) == column(b)) {
        let extreme = |pick: fn(f32, f32) -> bool| {
            (1..run.len()).fold(0, |best, i| if pick(run[i].1, run[best].1) { i } else { best })
        };
        let mut places = vec![0, extreme(|a, b| a < b), extreme(|a, b| a > b), run.len() - 1];
        places.sort_unstable();
        places.dedup();
        kept.extend(places.into_iter().map(|i| run[i]));
    }
    kept
}
