//! Mode shapes of a structure as SVG: one panel per mode, the structure at rest in grey, the shape above it.
//!
//! Structures in space are seen along (−1, 1.6, −0.9) in parallel projection, z up. Shapes are drawn with the largest displacement an
//! eighth of the structure's size.

use crate::fem::drawing::Drawing;
use crate::fem::model::{Dimension, FiniteElementModel};
use crate::math::Vec3;
use faer::Mat;
use quick_xml::escape::escape;
use std::fmt::Write;

const COLUMNS: usize = 3;
const PANEL_WIDTH: f64 = 286.0;
const PANEL_HEIGHT: f64 = 200.0;
const MARGIN: f64 = 16.0;
const TOP: f64 = 56.0;
const LABEL: f64 = 22.0;

/// More lines than this are thinned out: nobody would see them.
const MOST_LINES: usize = 4000;

/// Draws the shapes (n × k) with their frequencies in Hz.
pub fn draw(title: &str, note: &str, model: &FiniteElementModel, shapes: &Mat<f64>, frequencies_hz: &[f64]) -> String {
    let view = View::new(model);
    let panels = shapes.ncols().min(frequencies_hz.len());
    let rows = panels.div_ceil(COLUMNS).max(1);
    let width = MARGIN * 2.0 + COLUMNS as f64 * PANEL_WIDTH;
    let height = TOP + rows as f64 * (PANEL_HEIGHT + LABEL) + MARGIN;
    let mut svg = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {width} {height}\" width=\"{width}\" height=\"{height}\" \
         role=\"img\">\n<title>{title}</title>\n{STYLE}\n<rect class=\"page\" width=\"100%\" height=\"100%\"/>\n\
         <text class=\"title\" x=\"{MARGIN}\" y=\"24\">{title}</text>\n<text class=\"note\" x=\"{MARGIN}\" y=\"42\">{note}</text>\n",
        title = escape(title),
        note = escape(note),
    );
    let drawing = Drawing::new(model);
    let rest = view.path(&drawing.lines(faer::Mat::zeros(model.size(), 1).as_ref(), 0.0));
    for panel in 0..panels {
        let left = MARGIN + (panel % COLUMNS) as f64 * PANEL_WIDTH;
        let top = TOP + (panel / COLUMNS) as f64 * (PANEL_HEIGHT + LABEL);
        let shape = shapes.subcols(panel, 1);
        let largest = drawing.largest_displacement(shape);
        let scale = if largest > 0.0 { 0.25 * view.extent / largest } else { 0.0 };
        let label = format!("{}: {} Hz", panel + 1, super::text::short(frequencies_hz[panel], 6));
        // Writing to a String cannot fail.
        let _ = write!(
            svg,
            "<g transform=\"translate({left:.1} {top:.1})\"><title>mode {label}</title>\n<path class=\"rest\" d=\"{}\"/>\n\
             <path class=\"shape\" d=\"{}\"/>\n<text x=\"{:.1}\" y=\"{:.1}\" class=\"label\">{label}</text></g>\n",
            rest,
            view.path(&drawing.lines(shape, scale)),
            0.5 * PANEL_WIDTH,
            PANEL_HEIGHT + 12.0,
        );
    }
    svg.push_str("</svg>\n");
    svg
}

const STYLE: &str = "<style>\n\
text{font:12px system-ui,'DejaVu Sans',Arial,sans-serif;fill:#1a1a1a}\n\
.title{font-size:15px;font-weight:bold} .note{fill:#555} .label{text-anchor:middle}\n\
.page{fill:#fff} path{fill:none;stroke-linejoin:round;stroke-linecap:round}\n\
.rest{stroke:#b9b9b9;stroke-width:1} .shape{stroke:#0072b2;stroke-width:1.6}\n\
@media screen and (prefers-color-scheme:dark){\n\
text{fill:#e6e6e6} .note{fill:#aaa} .page{fill:#15181c} .rest{stroke:#565c64} .shape{stroke:#56b4e9}\n}\n</style>";

/// Projection of C on a panel.
struct View {
    right: Vec3,
    up: Vec3,
    middle: (f64, f64),
    /// Pixels per m.
    scale: f64,
    /// Half of the largest extent of the structure, m.
    extent: f64,
}

impl View {
    fn new(model: &FiniteElementModel) -> View {
        let (right, up) = match model.dimension {
            Dimension::Plane => (Vec3::x(), Vec3::y()),
            Dimension::Space => {
                let forward = Vec3::new(-1.0, 1.6, -0.9).normalize();
                let right = forward.cross(&Vec3::z()).normalize();
                (right, right.cross(&forward))
            }
        };
        let bounds = |axis: Vec3| {
            let along = model.nodes.iter().map(|node| node.position.dot(&axis));
            along.fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), at| (low.min(at), high.max(at)))
        };
        let (x, y) = (bounds(right), bounds(up));
        let (width, height) = (x.1 - x.0, y.1 - y.0);
        let extent = 0.5 * width.max(height).max(f64::MIN_POSITIVE);
        // Shapes reach out of the structure by a quarter of its half extent on each side.
        let room = 0.5 * extent;
        let scale = ((PANEL_WIDTH - 12.0) / (width + room)).min((PANEL_HEIGHT - 12.0) / (height + room));
        View { right, up, middle: (0.5 * (x.0 + x.1), 0.5 * (y.0 + y.1)), scale, extent }
    }

    fn point(&self, at: Vec3) -> (f64, f64) {
        let x = 0.5 * PANEL_WIDTH + self.scale * (at.dot(&self.right) - self.middle.0);
        let y = 0.5 * PANEL_HEIGHT - self.scale * (at.dot(&self.up) - self.middle.1);
        (x, y)
    }

    /// Lines as one path; a line of one point is a dot, and lines in a row are one stroke.
    fn path(&self, lines: &[Vec<Vec3>]) -> String {
        let mut path = String::new();
        let every = lines.len().div_ceil(MOST_LINES).max(1);
        let mut end = None;
        for line in lines.iter().step_by(every) {
            for (i, at) in line.iter().enumerate() {
                let (x, y) = self.point(*at);
                let written = match i {
                    0 if end == Some(*at) => Ok(()),
                    0 if line.len() == 1 => write!(path, "M{x:.1} {y:.1}h0"),
                    0 => write!(path, "M{x:.1} {y:.1}"),
                    _ => write!(path, "L{x:.1} {y:.1}"),
                };
                debug_assert!(written.is_ok(), "writing to a String cannot fail");
            }
            end = line.last().copied().filter(|_| line.len() > 1);
        }
        path
    }
}
