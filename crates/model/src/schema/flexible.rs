//! Choices of a `[[flexible_body]]`.

pub use ballesta_solver::system::StiffeningModel;
use serde::{Deserialize, Serialize};

/// How internal forces stiffen a flexible body.
#[derive(Deserialize, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename = "StiffeningModel", rename_all = "snake_case")]
pub(super) enum StiffeningModelName {
    /// No stiffening: linear elasticity.
    None,
    /// Axial force of the linear axial mode (Gutiérrez et al., model 1).
    AxialMode,
    /// Axial forces of all axial modes of the reduced-order model (Gutiérrez et al., model 2).
    AxialModes,
    /// Foreshortening of the deflection line (Gutiérrez et al., model 3).
    Foreshortening,
    /// Internal forces due to unit accelerations, angular velocities and interface loads.
    General,
}

super::named::named!(StiffeningModelName => StiffeningModel: None, AxialMode, AxialModes, Foreshortening, General);

/// Elastic deformation at the start.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum Deformation {
    /// Undeformed.
    #[default]
    None,
    /// Equilibrium with the initial loads and inertia forces, with zero elastic speeds and accelerations.
    Static,
}

/// Method for the internal forces at sections of a flexible body.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum SectionForces {
    /// From modal displacements and the static response of the omitted modes to loads and inertia forces.
    #[default]
    ModeAcceleration,
    /// From modal displacements only (Gutiérrez et al., equations 20 to 24).
    Displacement,
}
