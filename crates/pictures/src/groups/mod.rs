//! Structural groups of mechanisms: tables, results, and diagrams of the order in which they are solved.

pub mod diagram;
pub mod drawing;
pub mod drivers;
pub mod plane;
pub mod solution;
pub mod spatial_page;
pub mod structural_graph;
pub mod synthesis_text;

pub use spatial_page::table;
