//! The vehicles of the gallery.

#[path = "vehicles/van.rs"]
mod van;
#[path = "vehicles/truck.rs"]
mod truck;
