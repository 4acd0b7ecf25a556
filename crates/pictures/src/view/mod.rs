//! A model as a drawing: the visible parts ([`scene`]), and the sheet with its three views ([`sheet`]).

mod labels;
mod outline;
pub mod scene;
pub mod sheet;
mod symbols;
