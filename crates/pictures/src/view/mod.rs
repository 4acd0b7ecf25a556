//! A model as a drawing: the visible parts ([`scene`]), and the sheet with its three views ([`views_page`]).

mod labels;
mod outline;
pub mod scene;
mod symbols;
pub mod views_page;
