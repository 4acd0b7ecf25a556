//! Results that the documentation shows in pictures.

#[allow(dead_code)]
#[path = "../../../../src/math/check.rs"]
mod check;
mod flexible_spinup;
mod roads;
#[path = "../../../../tests/shared/root.rs"]
mod root;

use ballesta::math::larger;
