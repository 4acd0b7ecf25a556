//! The vehicles of the gallery.

mod linear;
mod paper;
mod truck;
mod van;
mod verification;
