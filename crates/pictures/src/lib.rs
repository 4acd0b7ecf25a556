//! Visual output: plots, drawings, topology, 3-D pages and scenes. All are texts; only [`picture`] reads and writes
//! files.

pub mod chart;
pub mod curves;
pub mod diagram;
pub mod glb;
pub mod groups;
mod layered;
pub mod page;
pub mod picture;
pub mod plot;
#[cfg(feature = "png")]
pub mod raster;
#[cfg(feature = "fem")]
pub mod shapes;
pub mod sheet;
pub mod template;
pub mod view;
