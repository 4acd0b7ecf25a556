//! The vehicles of the gallery.

#[path = "vehicles/linear.rs"]
mod linear;
#[path = "vehicles/truck.rs"]
mod truck;
#[path = "vehicles/van.rs"]
mod van;
#[path = "vehicles/verification.rs"]
mod verification;
