//! Visual output: plots, drawings, topology, 3-D pages and scenes. All are texts; only [`picture`] reads and writes
//! files.

pub mod chart;
pub mod diagram;
pub mod glb;
pub mod groups;
mod layered;
#[cfg(feature = "fem")]
pub mod mode_shapes;
pub mod page;
pub mod picture;
pub mod plot;
#[cfg(feature = "png")]
pub mod raster;
pub mod run_curves;
pub mod sheet;
pub mod template;
pub mod view;
