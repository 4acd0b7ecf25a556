//! The vehicles of the gallery.

#[path = "vehicles/truck.rs"]
mod truck;
