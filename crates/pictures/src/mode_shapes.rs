//! Mode shapes of a structure as SVG: one panel per mode, the undeformed structure in grey, with the shape over it.
//!
//! Structures in space are seen along (−1, 1.6, −0.9) in parallel projection, z up; a shape that moves towards the
//! viewer is drawn from another direction, with a note in its panel. Shapes are drawn with the largest displacement an
//! eighth of the structure's size. Interfaces are circles and supports are triangles, in the undeformed position. Every
//! panel has the axes of its view; the first panel has a scale.

use crate::sheet::Sheet;
use ballesta::math::Vec3;
use ballesta_fem::drawing::Drawing;
use ballesta_fem::model::{Dimension, FiniteElementModel};
use faer::Mat;
use std::fmt::Write;

const COLUMNS: usize = 3;
const PANEL_WIDTH: f64 = 286.0;
const PANEL_HEIGHT: f64 = 200.0;
const MARGIN: f64 = 16.0;
const TOP: f64 = 56.0;
const LABEL: f64 = 22.0;

/// Largest number of lines; more lines are thinned, because they would not be distinguishable.
const MAX_LINES: usize = 4000;

/// Draws the shapes (n × k) with their frequencies in Hz.
pub fn draw(title: &str, note: &str, model: &FiniteElementModel, shapes: &Mat<f64>, frequencies_hz: &[f64]) -> String {
    let views = View::of(model);
    let panels = shapes.ncols().min(frequencies_hz.len());
    let rows = panels.div_ceil(COLUMNS).max(1);
    let width = MARGIN * 2.0 + COLUMNS as f64 * PANEL_WIDTH;
    let height = TOP + rows as f64 * (PANEL_HEIGHT + LABEL) + MARGIN;
    let mut body = String::new();
    let drawing = Drawing::new(model);
    let still = drawing.lines(faer::Mat::zeros(model.size(), 1).as_ref(), 0.0);
    let signs = signs(model);
    for panel in 0..panels {
        let left = MARGIN + (panel % COLUMNS) as f64 * PANEL_WIDTH;
        let top = TOP + (panel / COLUMNS) as f64 * (PANEL_HEIGHT + LABEL);
        let shape = shapes.subcols(panel, 1);
        let moved = drawing.displacements(shape);
        let view = View::best(&views, &moved);
        let largest = moved.iter().map(Vec3::norm).fold(0.0, f64::max);
        let scale = if largest > 0.0 { 0.25 * view.extent / largest } else { 0.0 };
        let turned = if std::ptr::eq(view, &views[0]) { "" } else { ", seen from another side" };
        let label = format!("{}: {} Hz{turned}", panel + 1, ballesta_files::words::short(frequencies_hz[panel], 6));
        // Writing to a String cannot fail.
        let _ = write!(
            body,
            "<g transform=\"translate({left:.1} {top:.1})\"><title>mode {label}</title>\n<path class=\"rest\" \
             d=\"{}\"/>\n\
             <path class=\"shape\" d=\"{}\"/>\n{}{}<text x=\"{:.1}\" y=\"{:.1}\" class=\"label\">{label}</text></g>\n",
            view.path(&still),
            view.path(&drawing.lines(shape, scale)),
            view.signs(&signs),
            view.axes(model.dimension, panel == 0),
            0.5 * PANEL_WIDTH,
            PANEL_HEIGHT + 12.0,
        );
    }
    Sheet { width, height, left: MARGIN, title, note, rules: RULES, dark: DARK, body: &body }.svg()
}

/// Positions of interfaces and supports, m.
fn signs(model: &FiniteElementModel) -> [Vec<Vec3>; 2] {
    let place = |node: usize| model.nodes[node].position;
    let mut supports: Vec<usize> = model.supports.iter().map(|dof| model.dofs[*dof].node).collect();
    supports.sort_unstable();
    supports.dedup();
    [
        model.interfaces.iter().map(|interface| place(interface.node)).collect(),
        supports.into_iter().map(place).collect(),
    ]
}

const RULES: &str = ".label{text-anchor:middle} path{fill:none;stroke-linejoin:round;stroke-linecap:round}\n\
.rest{stroke:#b9b9b9;stroke-width:1} .shape{stroke:#0072b2;stroke-width:1.6} .sign{stroke:#b3541e;stroke-width:1.3}\n\
.axis{stroke:#555;stroke-width:1.1} .small{font-size:10px;fill:#555}";
const DARK: &str = ".rest{stroke:#565c64} .shape{stroke:#56b4e9}\n\
.sign{stroke:#f0a35e} .axis{stroke:#aaa} .small{fill:#aaa}";

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

/// Fraction of the motion in the picture plane from which a view is suitable for a shape.
const MIN_VISIBLE_FRACTION: f64 = 0.5;

impl View {
    /// Default view, and alternative views for shapes that move towards the viewer.
    fn of(model: &FiniteElementModel) -> Vec<View> {
        let directions: &[[f64; 3]] = match model.dimension {
            Dimension::Plane => &[[0.0, 0.0, -1.0]],
            Dimension::Space => &[[-1.0, 1.6, -0.9], [1.6, 1.0, -0.9], [-0.7, 1.0, -2.6]],
        };
        directions.iter().map(|forward| View::new(model, Vec3::from(*forward).normalize())).collect()
    }

    /// The first suitable view, otherwise the view that shows the largest part of the motion.
    fn best<'v>(views: &'v [View], displacements: &[Vec3]) -> &'v View {
        let whole: f64 = displacements.iter().map(Vec3::norm_squared).sum();
        let seen = |view: &View| -> f64 {
            let part = |u: &Vec3| u.dot(&view.right).powi(2) + u.dot(&view.up).powi(2);
            displacements.iter().map(part).sum()
        };
        let good = |view: &&View| seen(view) >= MIN_VISIBLE_FRACTION * whole;
        let most = views.iter().max_by(|a, b| seen(a).total_cmp(&seen(b)));
        views.iter().find(good).or(most).unwrap_or(&views[0])
    }

    fn new(model: &FiniteElementModel, forward: Vec3) -> View {
        let (right, up) = match model.dimension {
            Dimension::Plane => (Vec3::x(), Vec3::y()),
            Dimension::Space => {
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
        // Shapes extend beyond the structure by a quarter of its half extent on each side.
        let room = 0.5 * extent;
        let scale = ((PANEL_WIDTH - 12.0) / (width + room)).min((PANEL_HEIGHT - 12.0) / (height + room));
        View { right, up, middle: (0.5 * (x.0 + x.1), 0.5 * (y.0 + y.1)), scale, extent }
    }

    fn point(&self, at: Vec3) -> (f64, f64) {
        let x = 0.5 * PANEL_WIDTH + self.scale * (at.dot(&self.right) - self.middle.0);
        let y = 0.5 * PANEL_HEIGHT - self.scale * (at.dot(&self.up) - self.middle.1);
        (x, y)
    }

    /// Circles at interfaces, triangles at supports.
    fn signs(&self, [interfaces, supports]: &[Vec<Vec3>; 2]) -> String {
        let mut path = String::new();
        for at in interfaces {
            let (x, y) = self.point(*at);
            path += &format!("M{:.1} {y:.1}a3.5 3.5 0 1 0 7 0a3.5 3.5 0 1 0 -7 0", x - 3.5);
        }
        for at in supports {
            let (x, y) = self.point(*at);
            path += &format!("M{x:.1} {y:.1}l-5 8h10z");
        }
        if path.is_empty() { path } else { format!("<path class=\"sign\" d=\"{path}\"/>\n") }
    }

    /// The axes of C at the lower left, and a scale at the lower right.
    fn axes(&self, dimension: Dimension, with_scale: bool) -> String {
        let mut path = String::new();
        let mut texts = String::new();
        let (x0, y0) = (20.0, PANEL_HEIGHT - 14.0);
        let text = |x: f64, y: f64, anchor: &str, words: &str| {
            format!("<text class=\"small\" text-anchor=\"{anchor}\" x=\"{x:.1}\" y=\"{y:.1}\">{words}</text>\n")
        };
        let axes = [("x", Vec3::x()), ("y", Vec3::y()), ("z", Vec3::z())];
        for (name, axis) in axes.iter().take(if dimension == Dimension::Plane { 2 } else { 3 }) {
            let (dx, dy) = (axis.dot(&self.right), -axis.dot(&self.up));
            path += &format!("M{x0:.1} {y0:.1}l{:.1} {:.1}", 16.0 * dx, 16.0 * dy);
            texts += &text(x0 + 23.0 * dx, y0 + 23.0 * dy + 3.5, "middle", name);
        }
        if with_scale {
            let length = round_below(80.0 / self.scale);
            let (left, y) = (PANEL_WIDTH - 10.0 - length * self.scale, PANEL_HEIGHT - 8.0);
            path += &format!("M{left:.1} {:.1}v4H{:.1}v-4", y - 4.0, PANEL_WIDTH - 10.0);
            let words = if length >= 1.0 {
                format!("{length} m")
            } else {
                format!("{} mm", ballesta_files::words::short(1e3 * length, 3))
            };
            texts += &text(PANEL_WIDTH - 10.0, y - 7.0, "end", &words);
        }
        format!("<path class=\"axis\" d=\"{path}\"/>\n{texts}")
    }

    /// Lines as one path; a line of one point is a dot, and lines in a row are one stroke.
    fn path(&self, lines: &[Vec<Vec3>]) -> String {
        let mut path = String::new();
        let every = lines.len().div_ceil(MAX_LINES).max(1);
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

/// 1, 2 or 5 times a power of ten, the largest that is not above `length`.
fn round_below(length: f64) -> f64 {
    let power = 10_f64.powi(length.log10().floor() as i32);
    let part = length / power;
    power
        * if part >= 5.0 {
            5.0
        } else if part >= 2.0 {
            2.0
        } else {
            1.0
        }
}
