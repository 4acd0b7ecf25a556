//! Plots of curves over time, and of paths, as SVG.
//!
//! A model file may define the panels ([`chosen()`]). Otherwise curves of one unit share a panel, and panels are
//! stacked over one time axis. A curve that would be flat in a panel, because others have larger or distant values,
//! gets another panel. Diagnostics of the computation (gaps, counts) are last, in low panels. The palette of Okabe and
//! Ito is suitable for colour-blind readers; dark pages (`prefers-color-scheme`) have a brighter set. Lines are dashed
//! from the fourth curve on. Text has a background, so that the file is readable on any page. No plotting library is
//! used, because available libraries write colours into every element, which cannot adapt to the page, and do not thin
//! data.

mod axis;
mod chosen;
mod panels;
mod path;
pub mod plot_drawing;
mod thin;

pub use axis::Axis;
pub use chosen::chosen;
pub use panels::{Along, Marks, Panel, panels};
pub use plot_drawing::{draw, draw_over, draw_pairs, draw_panels};
pub use thin::kept;

/// One curve over the times of the plot.
#[derive(Clone, Copy, Debug)]
pub struct Curve<'a> {
    /// Name, for the legend.
    pub name: &'a str,
    /// Unit symbol.
    pub unit: &'a str,
    /// One-line tooltip of the curve.
    pub description: &'a str,
    /// Whether the value is constant until the next point (counts and switches).
    pub stepped: bool,
    /// Whether it describes the computation, not the motion; such curves are drawn last and small.
    pub diagnostic: bool,
    /// One value per time.
    pub values: &'a [f64],
}
