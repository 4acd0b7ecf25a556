//! Choices of a `[[flexible_body]]`.

pub use crate::system::StiffeningModel;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// How internal forces stiffen a flexible body.
#[derive(Deserialize, Serialize, JsonSchema)]
#[serde(rename = "StiffeningModel", rename_all = "snake_case")]
pub(super) enum StiffeningModelName {
    /// Not at all: linear elasticity.
    None,
    /// By the axial force of the linear axial mode (Gutiérrez et al., model 1).
    AxialMode,
    /// By the axial forces of all axial modes of the reduced-order model (their model 2).
    AxialModes,
    /// By the foreshortening of the deflection line (their model 3).
    Foreshortening,
    /// By the internal forces of unit accelerations, angular velocities and interface loads.
    General,
}

named!(StiffeningModelName => StiffeningModel: None, AxialMode, AxialModes, Foreshortening, General);

/// Elastic deformation at the start.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Deformation {
    /// Undeformed.
    #[default]
    None,
    /// In equilibrium with loads and inertia forces of the start, elastic speeds and accelerations zero.
    Static,
}

/// What the internal forces at sections of a flexible body are computed from.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum SectionForces {
    /// From the displacements of the modes and from what the modes left out answer statically to loads and inertia
    /// forces.
    #[default]
    ModeAcceleration,
    /// From the displacements of the modes alone (Gutiérrez et al., equations 20 to 24).
    Displacement,
}
