//! Plots of curves over time, and of paths, as SVG.
//!
//! A model file may say what the panels are ([`chosen()`]). Otherwise curves of one unit share a panel, panels are
//! stacked over one time axis. A curve that would lie flat in a panel, because others move further or lie far off, gets
//! another one, so that its motion is seen. What tells about the computation (gaps, counts) comes last, in low panels.
//! Colours are those of Okabe and Ito, which colour-blind people can tell apart, with a brighter set for dark pages
//! (`prefers-color-scheme`), and broken lines from the fourth curve on. Text keeps its own background, so that the file
//! is readable on any page. Why no plotting library: those at hand write colours into every element, which cannot
//! follow the page, and thin no data.

mod axis;
mod chosen;
mod panels;
mod path;
pub mod svg;
mod thin;

pub use axis::Axis;
pub use chosen::chosen;
pub use panels::{Along, Marks, Panel, panels};
pub use svg::{draw, draw_over, draw_pairs, draw_panels};
pub use thin::kept;

/// One curve over the times of the plot.
#[derive(Clone, Copy, Debug)]
pub struct Curve<'a> {
    /// Name, for the legend.
    pub name: &'a str,
    /// Unit symbol.
    pub unit: &'a str,
    /// One line, shown when the pointer rests on the curve.
    pub description: &'a str,
    /// Keeps its value until the next point (numbers that count or switch).
    pub stepped: bool,
    /// Tells about the computation and not about the motion: drawn last and small.
    pub diagnostic: bool,
    /// One value per time.
    pub values: &'a [f64],
}
