//! The vehicles of the gallery.

#[path = "vehicles/truck.rs"]
mod truck;
#[path = "vehicles/van.rs"]
mod van;
