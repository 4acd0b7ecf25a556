//! Tyres: data of `.tir` files and the Magic Formula as pure functions.
//!
//! `ballesta::model::tir::read` returns [`Properties`] (plain data) or `document::Diagnostics`; [`Law::new`]
//! prepares a tyre for one side of the vehicle. [`Law::forces`] gives forces, moments, slip stiffnesses and relaxation
//! lengths; [`Law::vertical`] gives the load from the deflection; [`Law::effective_radius`] gives the radius for the
//! longitudinal slip.
//!
//! # Signs
//!
//! All quantities are in the axes W of ISO 8855, also called TYDEX W: origin in the contact point, x in the wheel plane
//! along the road and forward, y to the left in the road plane, z up along the road's normal. Forces and moments act on
//! the tyre. With the velocity V of the contact point and of its slip Vs = V − (Re Ω, 0):
//!
//! | quantity | definition | effect on the tyre |
//! |---|---|---|
//! | κ | −Vsx/\|Vx\|: positive when driven forward | Fx ≈ +Kx κ |
//! | α | atan(Vsy/\|Vx\|): positive when the contact point moves to the left | Fy ≈ −Ky α, Mz ≈ +t Ky α |
//! | γ | positive by the right hand about x: the top of the wheel leans to the right | Fy < 0 |
//! | Ω | positive when it rolls forward, about +y | My < 0, rolling resistance |
//!
//! The coefficients of `.tir` files belong to these axes (`PKY1` < 0). Adapted SAE axes (Pacejka's book) are these axes
//! rotated by half a turn about x: Fy, My, Mz change sign; κ, α, γ, Fx, Mx do not. SAE J670 has the turned axes too,
//! and the opposite α. The table is in docs/tyres.md.
//!
//! # Sides, reverse, standstill
//!
//! On the side opposite to `TYRESIDE` the formula is evaluated at (−α, −γ) and Fy, Mx, Mz change sign. A tyre that
//! rolls backward is the same tyre rotated by half a turn about z: the formula is evaluated at (−κ, −α, −γ), and Fx,
//! Fy, Mx, My change sign. [`Input::rolling`] from −1 (backward) to 1 (forward) selects this by its sign; its magnitude
//! scales the effects that only a rolling tyre has, see [`Input`]. At 0 both directions agree, so the forces are a
//! continuous function of it.
//!
//! # Sources
//!
//! H. B. Pacejka, *Tire and Vehicle Dynamics*, chapter 4 (2nd edition 2006: PAC2002, 5.2; 3rd edition 2012:
//! 4.E1-4.E78); I. J. M. Besselink, A. J. C. Schmeitz, H. B. Pacejka, *An improved Magic Formula/Swift tyre model that
//! can handle inflation pressure changes*, Vehicle System Dynamics 48 (2010) S1, 337-352 (6.1). Turn slip:
//! Pacejka 2012, section 4.3.3.

pub mod keys;
pub(crate) mod law;
pub mod load_curve;
mod properties;
mod ranges;
mod turn;
pub mod vertical;

pub use keys::Coefficients;
pub use law::{Grip, Input, Law, Output, Prepared, Pure};
pub use properties::{Formula, Mode, Properties, Side, TyreNote, WrittenKey};
pub use ranges::Ranged;
pub use turn::SpinGrip;
pub use vertical::Cams;
pub use vertical::{Vertical, VerticalInput};
