//! Curves of cost against size, as tables and as SVG drawings.

use std::collections::BTreeSet;
use std::fmt::{self, Display, Formatter};

use serde::Serialize;

/// Costs of a dimension at several sizes.
#[derive(Debug, Serialize)]
pub struct Curve {
    /// Name of the dimension, as in the file name.
    pub dimension: &'static str,
    /// Description of the costs.
    pub title: &'static str,
    /// Description of the sizes.
    pub sizes: &'static str,
    /// Costs. Those with the same unit share a panel of the drawing.
    pub series: Vec<Series>,
}

/// A cost at several sizes.
#[derive(Debug, Serialize)]
pub struct Series {
    pub label: &'static str,
    pub unit: &'static str,
    /// Points, the smallest size first.
    pub points: Vec<Point>,
}

/// A cost at a size.
#[derive(Debug, Clone, Copy, Serialize)]
pub struct Point {
    pub size: u64,
    pub value: f64,
}

impl Series {
    /// Creates a series without points.
    pub fn new(label: &'static str, unit: &'static str) -> Self {
        Self { label, unit, points: vec![] }
    }

    /// Adds a point whose size is larger than those of the earlier points.
    pub fn push(&mut self, size: u64, value: f64) {
        self.points.push(Point { size, value });
    }
}

impl Curve {
    /// Returns the drawing.
    pub fn svg(&self) -> String {
        Drawing(self).to_string()
    }

    /// Returns the sizes of all series in ascending order.
    fn all_sizes(&self) -> Vec<u64> {
        let points = self.series.iter().flat_map(|series| &series.points);
        points.map(|point| point.size).collect::<BTreeSet<u64>>().into_iter().collect()
    }
}

/// A table with one row per size and aligned columns.
impl Display for Curve {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        write!(f, "{}, by {}\n  {:>14}", self.title, self.sizes, "size")?;
        for Series { label, unit, .. } in &self.series {
            write!(f, "  {:>32}", format!("{label}, {unit}"))?;
        }
        for size in self.all_sizes() {
            write!(f, "\n  {:>14}", thousands(size))?;
            for series in &self.series {
                let point = series.points.iter().find(|point| point.size == size);
                let value = point.map_or_else(|| "-".to_owned(), |point| number(point.value));
                write!(f, "  {value:>32}")?;
            }
        }
        Ok(())
    }
}

const WIDTH: f64 = 640.0;
const HEIGHT: f64 = 320.0;

/// Margins around the panels, for ticks, titles and the labels at the ends of the lines.
const LEFT: f64 = 64.0;
const RIGHT: f64 = 136.0;
const TOP: f64 = 62.0;
const BOTTOM: f64 = 54.0;

/// Space between two panels, for the unit of the lower one.
const GAP: f64 = 34.0;

/// Space between the axis and the first point, so that its mark is not on the axis.
const INSET: f64 = 14.0;

/// Height of a label of two lines.
const LABEL: f64 = 34.0;

/// Style sheet. Colors have a contrast ratio of at least 4.5 against the background. The series also differ in their
/// marks.
const STYLE: &str = "text{font:12px system-ui,-apple-system,'Segoe UI',Roboto,sans-serif;fill:#59636e}\
    .title{font-size:15px;font-weight:600}.title,.label{fill:#1f2328}.label{font-weight:600}\
    .back{fill:#fff}.grid{stroke:#e1e6eb}.axis{stroke:#8c959f}.line{fill:none;stroke-width:2;stroke-linejoin:round}\
    .mark{stroke:#fff;stroke-width:1.5}.line.a{stroke:#0969da}.mark.a{fill:#0969da}.line.b{stroke:#bc4c00}\
    .mark.b{fill:#bc4c00}\
    @media(prefers-color-scheme:dark){text{fill:#9198a1}.title,.label{fill:#f0f6fc}\
    .back{fill:#0d1117}.grid{stroke:#262c36}.axis{stroke:#656c76}.mark{stroke:#0d1117}\
    .line.a{stroke:#4493f8}.mark.a{fill:#4493f8}.line.b{stroke:#f0883e}.mark.b{fill:#f0883e}}";

/// Drawing of a curve: a logarithmic axis of sizes, and one panel with a linear axis from 0 per unit.
struct Drawing<'a>(&'a Curve);

impl Display for Drawing<'_> {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        let Curve { dimension, title, sizes, series } = self.0;
        writeln!(
            f,
            r#"<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {HEIGHT}" width="{WIDTH}" height="{HEIGHT}" role="img" aria-labelledby="{dimension}-title {dimension}-desc">"#
        )?;
        writeln!(f, r#"<title id="{dimension}-title">{title}, by {sizes}</title>"#)?;
        write!(f, r#"<desc id="{dimension}-desc">"#)?;
        for Series { label, unit, points } in series {
            let values: Vec<String> = points.iter().map(|at| format!("{} at {}", number(at.value), at.size)).collect();
            write!(f, "{label}, {unit}: {}. ", values.join(", "))?;
        }
        writeln!(f, "The axis of sizes is logarithmic.</desc>\n<style>{STYLE}</style>")?;
        writeln!(f, r#"<rect class="back" width="{WIDTH}" height="{HEIGHT}"/>"#)?;
        writeln!(f, r#"<text class="title" x="16" y="26">{title}</text>"#)?;
        let axis = SizeAxis(self.0.all_sizes());
        axis.draw(f, sizes)?;
        let panels: Vec<&[Series]> = series.chunk_by(|one, next| one.unit == next.unit).collect();
        let height = (HEIGHT - TOP - BOTTOM + GAP) / panels.len().max(1) as f64 - GAP;
        for (index, series) in panels.iter().enumerate() {
            Panel::new(series, TOP + (height + GAP) * index as f64, height).draw(f, &axis)?;
        }
        writeln!(f, "</svg>")
    }
}

/// Logarithmic axis with these sizes.
struct SizeAxis(Vec<u64>);

impl SizeAxis {
    fn x(&self, size: u64) -> f64 {
        let (begin, end) = (LEFT + INSET, WIDTH - RIGHT);
        match (self.0.first(), self.0.last()) {
            (Some(min), Some(max)) if min < max => {
                let part = (size as f64 / *min as f64).ln() / (*max as f64 / *min as f64).ln();
                begin + (end - begin) * part
            }
            _ => f64::midpoint(begin, end),
        }
    }

    fn draw(&self, f: &mut Formatter<'_>, sizes: &str) -> fmt::Result {
        let y = HEIGHT - BOTTOM;
        let mut free = f64::INFINITY;
        for size in self.0.iter().rev() {
            let (x, text) = (self.x(*size), thousands(*size));
            writeln!(f, r#"<path class="axis" d="M{x:.1} {y}v5"/>"#)?;
            // Omit labels that would overlap the one to their right.
            let half = text.len() as f64 * 3.5 + 3.0;
            if x + half < free {
                free = x - half;
                writeln!(f, r#"<text x="{x:.1}" y="{:.1}" text-anchor="middle">{text}</text>"#, y + 19.0)?;
            }
        }
        let (x, y) = (f64::midpoint(LEFT, WIDTH - RIGHT), y + 40.0);
        writeln!(f, r#"<text x="{x:.1}" y="{y:.1}" text-anchor="middle">{sizes} (log scale)</text>"#)
    }
}

/// Series with the same unit.
struct Panel<'a> {
    series: &'a [Series],
    top: f64,
    height: f64,
    /// Distance between two ticks.
    step: f64,
    max: f64,
}

impl<'a> Panel<'a> {
    fn new(series: &'a [Series], top: f64, height: f64) -> Self {
        let values = series.iter().flat_map(|series| series.points.iter().map(|point| point.value));
        let highest = values.fold(f64::MIN_POSITIVE, f64::max);
        let min_step = highest / (height / 40.0).floor().max(1.0);
        let power = 10_f64.powf(min_step.log10().floor());
        let step = [1.0, 2.0, 2.5, 5.0, 10.0].map(|factor| factor * power).into_iter().find(|step| *step >= min_step);
        let step = step.unwrap_or(power * 10.0);
        Self { series, top, height, step, max: (highest / step).ceil() * step }
    }

    fn y(&self, value: f64) -> f64 {
        // Values can be slightly negative, because memory can be a little lower than before.
        self.top + self.height * (1.0 - value.max(0.0) / self.max)
    }

    fn draw(&self, f: &mut Formatter<'_>, axis: &SizeAxis) -> fmt::Result {
        let (right, unit) = (WIDTH - RIGHT, self.series.first().map_or("", |series| series.unit));
        writeln!(f, r#"<text x="16" y="{:.1}">{unit}</text>"#, self.top - 12.0)?;
        for tick in 0..=(self.max / self.step).round() as u32 {
            let value = f64::from(tick) * self.step;
            let (y, class) = (self.y(value), if tick == 0 { "axis" } else { "grid" });
            writeln!(f, r#"<path class="{class}" d="M{LEFT} {y:.1}H{right}"/>"#)?;
            let text = number(value);
            let text = if text.contains('.') { text.trim_end_matches('0').trim_end_matches('.') } else { &text };
            writeln!(f, r#"<text x="{:.1}" y="{:.1}" text-anchor="end">{text}</text>"#, LEFT - 8.0, y + 4.0)?;
        }
        for (series, class) in self.series.iter().zip(["a", "b"]) {
            let points: Vec<(f64, f64)> =
                series.points.iter().map(|point| (axis.x(point.size), self.y(point.value))).collect();
            let line: Vec<String> = points.iter().map(|(x, y)| format!("{x:.1},{y:.1}")).collect();
            writeln!(f, r#"<polyline class="line {class}" points="{}"/>"#, line.join(" "))?;
            for ((x, y), point) in points.iter().zip(&series.points) {
                let title = format!("{} {} at {}", number(point.value), series.unit, thousands(point.size));
                match class {
                    "a" => write!(f, r#"<circle class="mark a" cx="{x:.1}" cy="{y:.1}" r="4.5">"#)?,
                    _ => write!(
                        f,
                        r#"<rect class="mark b" x="{:.1}" y="{:.1}" width="8" height="8">"#,
                        x - 4.0,
                        y - 4.0
                    )?,
                }
                writeln!(f, "<title>{title}</title></{}>", if class == "a" { "circle" } else { "rect" })?;
            }
        }
        self.label(f)
    }

    /// Writes the label and the last value of each line at its end, without overlaps.
    fn label(&self, f: &mut Formatter<'_>) -> fmt::Result {
        let mut labels: Vec<(f64, &Series, f64)> = self
            .series
            .iter()
            .filter_map(|series| series.points.last().map(|point| (self.y(point.value), series, point.value)))
            .collect();
        labels.sort_by(|one, other| one.0.total_cmp(&other.0));
        let mut free = 0.0;
        let mut remaining = labels.len() as f64;
        for (y, series, value) in labels {
            // Keep the label above the ticks of the sizes and the labels that follow, and below the previous label.
            let y = y.min(self.top + self.height - LABEL * (remaining - 1.0) - 13.0).max(free);
            (free, remaining) = (y + LABEL, remaining - 1.0);
            let (x, short) = (WIDTH - RIGHT + 14.0, series.unit.split(' ').next().unwrap_or_default());
            writeln!(f, r#"<text class="label" x="{x:.1}" y="{:.1}">{}</text>"#, y - 2.0, series.label)?;
            writeln!(f, r#"<text x="{x:.1}" y="{:.1}">{} {short}</text>"#, y + 13.0, number(value))?;
        }
        Ok(())
    }
}

/// Returns a number with three significant digits, at most three of them after the decimal point.
fn number(value: f64) -> String {
    match value.abs() {
        0.0 => "0".to_owned(),
        ..1.0 => format!("{value:.3}"),
        ..10.0 => format!("{value:.2}"),
        ..100.0 => format!("{value:.1}"),
        _ => thousands(value.round() as u64),
    }
}

/// Returns an integer with commas as thousands separators.
fn thousands(value: u64) -> String {
    match value {
        0..1_000 => value.to_string(),
        _ => format!("{},{:03}", thousands(value / 1_000), value % 1_000),
    }
}
