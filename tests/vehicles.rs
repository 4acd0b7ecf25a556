//! The vehicles of the gallery.

#[path = "vehicles/van.rs"]
mod van;
