//! The file of a reduced-order model as plain data: one Rust type per table.
//!
//! Symmetric matrices are packed: the lower half row by row, N(N+1)/2 numbers. Rectangular blocks are arrays of rows.

use crate::document;
use serde::{Deserialize, Serialize};

/// Value of the key `format`.
pub const FORMAT: &str = "ballesta-rom";

/// Version that this program writes and reads.
pub const VERSION: u32 = 1;

/// A symmetric N × N matrix: the lower half row by row.
pub type Packed = Vec<f64>;

/// A whole file.
#[derive(Clone, Debug, PartialEq, Deserialize, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct Rom {
    /// `ballesta-rom`.
    pub format: String,
    /// Version of the format: 1.
    pub version: u32,
    /// Name of the flexible body.
    pub name: String,
    /// Origin of the model.
    pub source: Source,
    /// Nodes that connect the body.
    #[serde(rename = "interface")]
    pub interfaces: Vec<Interface>,
    /// The internal modes.
    pub modes: Modes,
    /// Stiffness, mass and damping.
    pub matrices: Matrices,
    /// Mass properties and rigid motions.
    pub rigid: Rigid,
    /// Integrals of the mass distribution for terms of higher order in q.
    pub inertia: Inertia,
    /// Geometric stiffness by internal forces. Omitted if the elements are unknown.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub stiffening: Option<Stiffening>,
    /// Nodes with displacement outputs.
    #[serde(default, rename = "node", skip_serializing_if = "Vec::is_empty")]
    pub nodes: Vec<Node>,
    /// Sections with internal force outputs.
    #[serde(default, rename = "section", skip_serializing_if = "Vec::is_empty")]
    pub sections: Vec<Section>,
    /// Quality figures of the reduction.
    pub checks: Checks,
}

impl Rom {
    /// The schema compacted by [`document::compact()`]; `compact.json` is generated from the types.
    pub fn compact_schema() -> serde_json::Value {
        document::embedded(include_str!("compact.json"))
    }
}

impl document::FileSchema for Rom {
    fn reading_schema() -> serde_json::Value {
        Rom::compact_schema()
    }
}

/// `[source]`
#[derive(Clone, Debug, PartialEq, Deserialize, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct Source {
    /// Program and version that wrote the file.
    pub program: String,
    /// Name of the structure file, without folder.
    pub file: String,
    /// SHA-256 over the structure file and the files it names, as 64 hexadecimal digits.
    pub sha256: String,
    /// 2 for a planar structure (in xy), 3 for a spatial structure.
    pub dimension: u32,
    /// Number of nodes of the structure.
    pub nodes: usize,
    /// Number of elements of the structure; 0 for matrices.
    pub elements: usize,
    /// Number of degrees of freedom of the structure.
    pub dofs: usize,
}

/// Connection of an interface to the structure.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "lowercase")]
pub enum Coupling {
    /// The interface is a node of the structure.
    Node,
    /// A set of nodes follows the interface rigidly (RBE2).
    Rigid,
    /// The interface is the weighted average of a set of nodes (RBE3).
    Average,
}

/// `[[interface]]`
#[derive(Clone, Debug, PartialEq, Deserialize, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct Interface {
    /// Name.
    pub name: String,
    /// Name of the interface's node in the structure.
    pub node: String,
    /// Position in C in m.
    pub position: [f64; 3],
    /// Orientation of the interface frame in C: unit quaternion w, x, y, z. The interface's columns are always in C.
    pub quaternion: [f64; 4],
    /// Connection to the structure.
    pub coupling: Coupling,
    /// Directions of the interface among x, y, z, rx, ry, rz.
    pub active: [bool; 6],
    /// Coordinate of the first active direction; the others follow.
    pub first_column: usize,
}

/// `[modes]`
#[derive(Clone, Debug, PartialEq, Deserialize, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct Modes {
    /// Natural frequencies in Hz of the internal modes with all interfaces fixed, ascending, then of the residual
    /// vectors.
    pub frequencies_hz: Vec<f64>,
    /// Number of residual vectors, at the end of the list.
    pub residual: usize,
    /// Effective interface mass of each mode in x, y, z (kg) and rx, ry, rz (kg·m²) about the centre of mass.
    pub effective_mass: Vec<[f64; 6]>,
    /// Load cases that the residual vectors make statically exact.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub load_cases: Vec<String>,
}

/// `[matrices]`
#[derive(Clone, Debug, PartialEq, Deserialize, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct Matrices {
    /// Number of coordinates N.
    pub size: usize,
    /// Stiffness K, packed.
    pub stiffness: Packed,
    /// Mass M, packed.
    pub mass: Packed,
    /// Damping C, packed.
    pub damping: Packed,
}

/// `[rigid]`
#[derive(Clone, Debug, PartialEq, Deserialize, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct Rigid {
    /// Mass in kg.
    pub mass: f64,
    /// Centre of mass in C in m.
    pub centre: [f64; 3],
    /// Inertia about the centre of mass, C: xx, yy, zz, xy, yz, xz in kg·m² (xy = −∫xy dm).
    pub inertia: [f64; 6],
    /// The rigid motions in q: N rows of 6 (unit translations, unit rotations about the origin of C).
    pub motions: Vec<[f64; 6]>,
}

/// Mass distribution of the integrals.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "lowercase")]
pub enum MassModel {
    /// Mass matrix itself: own elements with their shape functions, or an isotropic matrix.
    Consistent,
    /// Consistent mass of linear shape functions of the own elements: trusses, and beams in older files.
    Linear,
    /// Row sums at the nodes, with the same total mass and centre of mass.
    Lumped,
    /// Rigid body with the same momentum and angular momentum, for matrices reduced by another program without the mass
    /// distribution.
    Rigid,
}

/// `[inertia]`: with the covariant mass density dm, the displacement field Φ(x) and the position x in C.
#[derive(Clone, Debug, PartialEq, Deserialize, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct Inertia {
    /// Mass distribution of the integrals.
    pub mass_model: MassModel,
    /// Deviation of the mass matrix from isotropy, as a fraction of its largest entry.
    pub covariance: f64,
    /// ∫ xₐ dm, kg·m.
    pub first: [f64; 3],
    /// ∫ xₐ x_b dm: xx, yy, zz, xy, yz, xz in kg·m².
    pub second: [f64; 6],
    /// ∫ Φₐ dm for a = x, y, z: 3 rows of N.
    pub translation: Vec<Vec<f64>>,
    /// ∫ xₐ Φ_b dm: 9 rows of N, (a, b) = xx, xy, xz, yx, …, zz.
    pub position: Vec<Vec<f64>>,
    /// ∫ Φₐᵀ Φₐ dm for a = x, y, z, each packed.
    pub square: Vec<Packed>,
    /// ∫ Φₐᵀ Φ_b dm for (a, b) = xy, yz, zx: each N rows of N, one after the other.
    pub product: Vec<Vec<f64>>,
    /// Second-order displacement of rotary inertia. Omitted without rotary inertia, and in older files.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rotary: Option<Rotary>,
}

/// `[inertia.rotary]`: finite rotations of sections and rigid masses. Blocks with places, units and signs as in
/// `[stiffening]`, each packed. They apply to every kind of stiffening.
#[derive(Clone, Debug, PartialEq, Deserialize, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct Rotary {
    /// Per rad/s² of angular acceleration about x, y, z.
    pub rotation: Vec<Packed>,
    /// Per rad²/s² of ωₓ², ω_y², ω_z², ωₓω_y, ω_yω_z, ωₓω_z.
    pub angular_velocity: Vec<Packed>,
}

/// `[stiffening]`: geometric stiffness by the internal forces of unit loads, each packed N × N; tension stiffens.
#[derive(Clone, Debug, PartialEq, Deserialize, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct Stiffening {
    /// Interface that supports the body under the unit loads.
    pub support: String,
    /// Loads whose geometric stiffness is written as 0 because the matrices of another program did not contain it, such
    /// as `translation.x`, `rotation.y`, `angular_velocity.xx`.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub missing: Vec<String>,
    /// Per m/s² of acceleration along x, y, z: load −M R.
    pub translation: Vec<Packed>,
    /// Per rad/s² of angular acceleration about x, y, z through the origin of C.
    pub rotation: Vec<Packed>,
    /// Per rad²/s² of ωₓ², ω_y², ω_z², ωₓω_y, ω_yω_z, ωₓω_z: centrifugal load −∫ ω×(ω×x) dm.
    pub angular_velocity: Vec<Packed>,
    /// Per N or N·m at an interface.
    #[serde(default, rename = "load", skip_serializing_if = "Vec::is_empty")]
    pub loads: Vec<StiffeningLoad>,
    /// Stiffness by the axial forces of axial modes of beams (Gutiérrez et al., models 1 and 2), the linear axial mode
    /// first.
    #[serde(default, rename = "axial", skip_serializing_if = "Vec::is_empty")]
    pub axial: Vec<AxialStiffening>,
    /// Blocks as above from the foreshortening of straight beams (Gutiérrez et al., model 3).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub foreshortening: Option<Foreshortening>,
}

impl Stiffening {
    /// Names of the motions that load a body, in the order of the blocks.
    pub fn motions() -> impl Iterator<Item = String> {
        let named =
            |table: &'static str, axes: &'static [&'static str]| axes.iter().map(move |axis| format!("{table}.{axis}"));
        let products = named("angular_velocity", &["xx", "yy", "zz", "xy", "yz", "xz"]);
        named("translation", &["x", "y", "z"]).chain(named("rotation", &["x", "y", "z"])).chain(products)
    }
}

/// `[[stiffening.axial]]`: the geometric stiffness is (force · q) times `stiffness`.
#[derive(Clone, Debug, PartialEq, Deserialize, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct AxialStiffening {
    /// Amplitude of the axial mode as a linear form of q (N numbers); zero for rigid motions.
    pub force: Vec<f64>,
    /// Geometric stiffness per unit of this amplitude, packed.
    pub stiffness: Packed,
}

/// `[stiffening.foreshortening]`: blocks as in `[stiffening]`, from the axial displacement −½ ∫ v'² dx of the nodes.
#[derive(Clone, Debug, PartialEq, Deserialize, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct Foreshortening {
    /// Per m/s² of acceleration along x, y, z.
    pub translation: Vec<Packed>,
    /// Per rad/s² of angular acceleration about x, y, z through the origin of C.
    pub rotation: Vec<Packed>,
    /// Per rad²/s² of ωₓ², ω_y², ω_z², ωₓω_y, ω_yω_z, ωₓω_z.
    pub angular_velocity: Vec<Packed>,
    /// Per N or N·m at an interface.
    #[serde(default, rename = "load", skip_serializing_if = "Vec::is_empty")]
    pub loads: Vec<StiffeningLoad>,
}

/// `[[stiffening.load]]`
#[derive(Clone, Debug, PartialEq, Deserialize, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct StiffeningLoad {
    /// Name of the interface.
    pub interface: String,
    /// x, y, z, rx, ry or rz.
    pub direction: String,
    /// Geometric stiffness, packed.
    pub stiffness: Packed,
}

/// `[[node]]`
#[derive(Clone, Debug, PartialEq, Deserialize, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct Node {
    /// Name.
    pub name: String,
    /// Position in C in m.
    pub position: [f64; 3],
    /// Φ at the node: 6 rows of N (x, y, z in m, rx, ry, rz in rad).
    pub displacement: Vec<Vec<f64>>,
    /// Whether the node comes from a recovery file; the bending check skips such nodes.
    #[serde(skip)]
    pub recovered: bool,
}

/// `[[section]]`: internal forces N, Vy, Vz, T, My, Mz of an element at a section, in its axes: `displacement`·q +
/// `acceleration`·q̈ + `centrifugal`·(products of ω), where q̈ includes the rigid part minus gravity.
#[derive(Clone, Debug, PartialEq, Deserialize, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct Section {
    /// Name.
    pub name: String,
    /// Name of the element.
    pub element: String,
    /// Position in C in m.
    pub position: [f64; 3],
    /// Element axes x (along it), y, z in C: three rows of unit vectors.
    pub axes: [[f64; 3]; 3],
    /// 6 rows of N.
    pub displacement: Vec<Vec<f64>>,
    /// Contribution of the element's geometric stiffness per newton of its axial force N: 6 rows of N. Omitted if
    /// unknown.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub geometric: Vec<Vec<f64>>,
    /// 6 rows of N.
    pub acceleration: Vec<Vec<f64>>,
    /// Per rad²/s² of ωₓ², ω_y², ω_z², ωₓω_y, ω_yω_z, ωₓω_z, from the inertia of the element's own mass under ω×(ω×x):
    /// 6 rows of 6. Omitted if zero.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub centrifugal: Vec<[f64; 6]>,
    /// Points of the section with normal stress outputs.
    #[serde(default, rename = "point", skip_serializing_if = "Vec::is_empty")]
    pub points: Vec<StressPoint>,
}

/// `[[section.point]]`
#[derive(Clone, Debug, PartialEq, Deserialize, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct StressPoint {
    /// Name, unique in the section.
    pub name: String,
    /// Normal stress in Pa (positive in tension) per N, Vy, Vz, T, My, Mz of the section.
    pub normal: [f64; 6],
    /// Shear stresses xy and xz in Pa on the face towards x, per N, Vy, Vz, T, My, Mz: 2 rows of 6. Omitted if unknown.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub shear: Option<[[f64; 6]; 2]>,
    /// Stress that follows from the others and is in no file.
    #[serde(skip)]
    pub derived: DerivedStress,
}

/// Stresses that are nonlinear functions of the internal forces or of the components of a tensor.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum DerivedStress {
    /// The normal stress itself.
    #[default]
    None,
    /// Magnitude of the shear stress.
    Shear,
    /// Von Mises stress of the normal and the shear stress.
    VonMises,
    /// Von Mises stress of the six quantities as components of a tensor xx, yy, zz, xy, yz, xz.
    TensorVonMises,
    /// Largest shear stress of the tensor.
    TensorMaxShear,
    /// Principal stress of the tensor: 0 the largest, 1 the middle, 2 the smallest.
    TensorPrincipal(usize),
}

impl StressPoint {
    /// A point with a normal stress.
    pub fn normal(name: impl Into<String>, normal: [f64; 6]) -> Self {
        StressPoint { name: name.into(), normal, shear: None, derived: DerivedStress::None }
    }
}

/// `[checks]`
#[derive(Clone, Debug, PartialEq, Deserialize, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct Checks {
    /// Largest entry of K·R of the full structure, as a fraction of the largest entry of K.
    pub full_rigid_stiffness: f64,
    /// Largest entry of K·R of the reduced model, as a fraction of the largest entry of K.
    pub rigid_stiffness: f64,
    /// Number of rigid motions of the reduced model: 6, or 3 in the plane.
    pub rigid_modes: usize,
    /// Number of modes below the highest kept frequency, from Sylvester's law of inertia.
    pub modes_counted: usize,
    /// Number of modes found below that frequency.
    pub modes_found: usize,
    /// Natural frequencies in Hz of the free reduced model, without the rigid motions.
    pub free_frequencies_hz: Vec<f64>,
    /// Condition number of M, scaled to a unit diagonal.
    pub mass_condition: f64,
}
