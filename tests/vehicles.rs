//! The vehicles of the gallery.

#[allow(dead_code)]
#[path = "../src/math/check.rs"]
mod check;
#[path = "vehicles/linear.rs"]
mod linear;
#[path = "vehicles/paper.rs"]
mod paper;
#[path = "vehicles/truck.rs"]
mod truck;
#[path = "vehicles/van.rs"]
mod van;
#[path = "vehicles/verification.rs"]
mod verification;
