//! The models of the gallery through the program.

#[allow(dead_code)]
#[path = "../../../../crates/solver/src/check/numbers.rs"]
mod check;
mod flexible_gallery;
mod miguez;
#[path = "../../../../tests/shared/rom_difference.rs"]
mod rom_difference;
#[path = "../../../../tests/shared/root.rs"]
mod root;
mod verify;

use ballesta::math::larger;
