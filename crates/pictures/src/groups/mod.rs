//! Structural groups of mechanisms: tables, results, and diagrams of the order in which they are solved.

pub mod diagram;
pub mod drawing;
pub mod drivers;
pub mod graph;
pub mod plane;
pub mod solution;
pub mod spatial;
pub mod synthesis;

pub use spatial::table;
