//! The vehicles of the gallery.

mod automatic;
mod driver;
mod linear;
mod paper;
mod truck;
mod van;
mod verification;
