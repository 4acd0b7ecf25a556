//! Results that the documentation shows in pictures.

#[allow(dead_code)]
#[path = "../../../../crates/solver/src/check/numbers.rs"]
mod check;
mod flexible_spinup;
mod roads;
#[path = "../../../../tests/shared/root.rs"]
mod root;

use ballesta::math::larger;
