//! The structure file as plain data: one Rust type per table of `structure.toml`.
//!
//! Positions, directions and displacements are given in one common frame C. Units are SI. The JSON schema that editors
//! use, and that [`super::load()`] checks files against, is derived from these types.

use crate::matrices::matrices_schema::MatricesTable;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// Three numbers in the frame C.
pub type Vector = [f64; 3];

/// A whole structure file.
#[derive(Clone, Debug, PartialEq, Deserialize, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct StructureFile {
    /// Name and dimension.
    #[serde(rename = "structure")]
    pub general: General,
    /// Matrices of another program instead of elements. Nodes then have the numbers of that program as names.
    pub matrices: Option<MatricesTable>,
    /// Nodes: name to coordinates in m, in the frame C. Planar structures may use two numbers.
    #[serde(default)]
    pub nodes: BTreeMap<String, Vec<f64>>,
    /// Materials.
    #[serde(default, rename = "material")]
    pub materials: Vec<Material>,
    /// Cross sections.
    #[serde(default, rename = "section")]
    pub sections: Vec<Section>,
    /// Beams.
    #[serde(default, rename = "beam")]
    pub beams: Vec<Beam>,
    /// Bars with axial force only.
    #[serde(default, rename = "truss")]
    pub trusses: Vec<Truss>,
    /// Lumped masses.
    #[serde(default, rename = "mass")]
    pub masses: Vec<Mass>,
    /// Springs between two nodes.
    #[serde(default, rename = "spring")]
    pub springs: Vec<Spring>,
    /// Nodes that follow another one rigidly (RBE2).
    #[serde(default, rename = "rigid")]
    pub rigids: Vec<Rigid>,
    /// Nodes that move as the weighted average of others (RBE3).
    #[serde(default, rename = "average")]
    pub averages: Vec<Average>,
    /// Nodes that connect the structure to the rest of a mechanism.
    #[serde(default, rename = "interface")]
    pub interfaces: Vec<Interface>,
    /// Supports: fixed directions. `ballesta modes` applies supports; a reduction ignores them.
    #[serde(default, rename = "support")]
    pub supports: Vec<Support>,
    /// Load cases that residual vectors can make statically exact.
    #[serde(default, rename = "load")]
    pub loads: Vec<Load>,
    /// Displacements and internal forces as outputs of the reduced model.
    #[serde(default, rename = "output")]
    pub outputs: Vec<Output>,
    /// Reduction settings.
    pub reduction: Option<Reduction>,
    /// Damping of the reduced model. Default: none.
    #[serde(default)]
    pub damping: Damping,
}

impl ballesta::document::FileSchema for StructureFile {
    fn reading_schema() -> serde_json::Value {
        ballesta::document::embedded(include_str!("compact.json"))
    }
}

/// `[structure]`
#[derive(Clone, Debug, PartialEq, Deserialize, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct General {
    /// Name of the structure.
    pub name: String,
    /// Short description, one paragraph.
    #[serde(default)]
    pub description: String,
    /// 3: in space. 2: in the plane xy, with translations along x and y and rotation about z. Default 3.
    #[serde(default = "three")]
    pub dimension: u32,
}

fn three() -> u32 {
    3
}

/// `[[material]]`: linear elastic, isotropic.
#[derive(Clone, Debug, PartialEq, Deserialize, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct Material {
    /// Unique name.
    pub name: String,
    /// Young's modulus E in Pa.
    pub youngs_modulus: f64,
    /// Shear modulus G in Pa. Default: E / (2 (1 + Poisson's ratio)).
    pub shear_modulus: Option<f64>,
    /// Poisson's ratio, −1 to 0.5. Default: from the shear modulus if given, otherwise 0.3.
    pub poisson_ratio: Option<f64>,
    /// Density in kg/m³.
    pub density: f64,
}

/// Shape of a cross section.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum Shape {
    /// Solid rectangle: `width` along y, `height` along z.
    Rectangle,
    /// Circular tube: `outer_diameter`, `thickness`. A thickness of half the diameter gives a solid bar.
    Tube,
    /// I section, symmetric: `height` along z, `width` along y, thickness of `web` and `flange`.
    I,
    /// Explicit properties: `area`, and for beams `inertia_y`, `inertia_z`, `torsion`, `shear_y`, `shear_z`.
    Given,
}

/// `[[section]]`: a cross section in the axes y, z of the element.
#[derive(Clone, Debug, PartialEq, Deserialize, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct Section {
    /// Unique name.
    pub name: String,
    /// Shape. It determines the required keys.
    pub shape: Shape,
    /// Extent along y in m.
    pub width: Option<f64>,
    /// Extent along z in m.
    pub height: Option<f64>,
    /// Thickness of the web in m.
    pub web: Option<f64>,
    /// Thickness of each flange in m.
    pub flange: Option<f64>,
    /// Outer diameter in m.
    pub outer_diameter: Option<f64>,
    /// Thickness of the wall in m.
    pub thickness: Option<f64>,
    /// Area A in m².
    pub area: Option<f64>,
    /// Second moment ∫z² dA in m⁴, for bending about y.
    pub inertia_y: Option<f64>,
    /// Second moment ∫y² dA in m⁴, for bending about z.
    pub inertia_z: Option<f64>,
    /// Torsion constant in m⁴.
    pub torsion: Option<f64>,
    /// Shear area for forces along y in m², for Timoshenko beams.
    pub shear_y: Option<f64>,
    /// Shear area for forces along z in m², for Timoshenko beams.
    pub shear_z: Option<f64>,
    /// Points for normal stresses, in all outputs of internal forces of members with this section. Default: none.
    #[serde(default, rename = "point")]
    pub points: Vec<Point>,
}

/// `[[section.point]]`: a point of a cross section.
#[derive(Clone, Debug, PartialEq, Deserialize, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct Point {
    /// Name, unique in the section.
    pub name: String,
    /// Coordinate along y of the element from the centroid, in m.
    pub y: f64,
    /// Coordinate along z of the element from the centroid, in m.
    pub z: f64,
}

/// Theory of a beam.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum Theory {
    /// Sections remain normal to the axis.
    #[default]
    EulerBernoulli,
    /// With shear deformation. Exact for loads at the nodes.
    Timoshenko,
}

/// Mass matrix of an element.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum MassMatrix {
    /// From the shape functions of the stiffness.
    #[default]
    Consistent,
    /// Half of the mass at each end.
    Lumped,
}

/// A direction of an element's end, in the axes of the element.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum Direction {
    /// Translation along x.
    X,
    /// Translation along y.
    Y,
    /// Translation along z.
    Z,
    /// Rotation about x.
    Rx,
    /// Rotation about y.
    Ry,
    /// Rotation about z.
    Rz,
}

impl Direction {
    /// Number from 0 to 5.
    pub fn index(self) -> usize {
        self as usize
    }
}

/// `[[beam]]`: a straight beam, uniform or tapered. Its x axis points from the first end to the second.
#[derive(Clone, Debug, PartialEq, Deserialize, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct Beam {
    /// Unique name.
    pub name: String,
    /// The two nodes.
    pub nodes: [String; 2],
    /// Name of the material.
    pub material: String,
    /// Name of the cross section.
    pub section: String,
    /// Name of the cross section at the second end of a tapered beam. Section dimensions vary linearly, and each
    /// element has the section of its midpoint. Default: `section`, a uniform beam.
    pub end_section: Option<String>,
    /// Theory. Default `euler_bernoulli`.
    #[serde(default)]
    pub theory: Theory,
    /// Direction whose component normal to the beam is the element's z axis. Default: in space, z of C, or x of C for
    /// beams parallel to z; in the plane, 90° to the left of the beam.
    pub up: Option<Vector>,
    /// Number of elements along the beam. The inner nodes have the names `beam:1`, `beam:2`, …. Default 1.
    #[serde(default = "one")]
    pub divisions: usize,
    /// Rigid arms from the nodes to the ends of the beam, in m, axes of C. Default: none.
    pub offsets: Option<[Vector; 2]>,
    /// Directions in which the ends are not connected to their nodes, in the axes of the element. Default: none.
    pub releases: Option<[Vec<Direction>; 2]>,
    /// Mass matrix. Default `consistent`.
    #[serde(default)]
    pub mass: MassMatrix,
    /// Whether cross sections have rotary inertia in bending; the inertia about the beam's axis is always included.
    /// Default: `true` for Timoshenko, `false` for Euler-Bernoulli beams.
    pub rotary_inertia: Option<bool>,
}

fn one() -> usize {
    1
}

/// `[[truss]]`: a bar hinged at both ends.
#[derive(Clone, Debug, PartialEq, Deserialize, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct Truss {
    /// Unique name.
    pub name: String,
    /// The two nodes.
    pub nodes: [String; 2],
    /// Name of the material.
    pub material: String,
    /// Name of the cross section, instead of `area`.
    pub section: Option<String>,
    /// Area of the cross section in m², instead of `section`.
    pub area: Option<f64>,
    /// Mass matrix. Default `consistent`.
    #[serde(default)]
    pub mass: MassMatrix,
}

/// `[[mass]]`: a rigid mass at a node.
#[derive(Clone, Debug, PartialEq, Deserialize, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct Mass {
    /// Name of the node.
    pub node: String,
    /// Mass in kg.
    pub mass: f64,
    /// Inertia about the centre of mass in kg m², axes of C: xx, yy, zz, xy, yz, xz, where xy is the matrix entry (−∫xy
    /// dm). Default: none.
    pub inertia: Option<[f64; 6]>,
    /// Centre of mass relative to the node in m, axes of C. Default: at the node.
    pub offset: Option<Vector>,
}

/// `[[spring]]`: a massless spring between two nodes.
#[derive(Clone, Debug, PartialEq, Deserialize, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct Spring {
    /// The two nodes.
    pub nodes: [String; 2],
    /// One number in N/m: along the line between two separate nodes. Three (x, y, z in N/m) or six (also about x, y, z
    /// in N m/rad), axes of C: between two coincident nodes.
    pub stiffness: Vec<f64>,
}

/// `[[rigid]]`: the followers are rigidly attached to the node (RBE2).
#[derive(Clone, Debug, PartialEq, Deserialize, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct Rigid {
    /// Name of the leading node.
    pub node: String,
    /// Names of the following nodes.
    pub followers: Vec<String>,
}

/// `[[average]]`: the node follows the rigid motion that best fits the translations of the followers (RBE3). It adds no
/// stiffness; forces at the node are distributed over the followers.
#[derive(Clone, Debug, PartialEq, Deserialize, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct Average {
    /// Name of the node.
    pub node: String,
    /// Names of the nodes whose motion is averaged.
    pub followers: Vec<String>,
    /// Weight of each follower. Default: all equal.
    pub weights: Option<Vec<f64>>,
}

/// `[[interface]]`: a node of the structure (`node`), or a new node at `position` that leads a set of nodes (`rigid`)
/// or is their average (`average`).
#[derive(Clone, Debug, PartialEq, Deserialize, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct Interface {
    /// Unique name, also of a new node.
    pub name: String,
    /// Name of a node.
    pub node: Option<String>,
    /// Position of a new node in C in m. Planar structures may use two numbers.
    pub position: Option<Vec<f64>>,
    /// Names of the nodes rigidly attached to the new node.
    pub rigid: Option<Vec<String>>,
    /// Names of the nodes whose average motion defines the new node.
    pub average: Option<Vec<String>>,
    /// Directions of the interface, axes of C. In all other directions the node moves like an inner node. Default: all
    /// directions of the node.
    pub directions: Option<Vec<Direction>>,
    /// Orientation of the interface frame in C as a quaternion w, x, y, z, for exports that need it. Default: the axes
    /// of C.
    pub quaternion: Option<[f64; 4]>,
}

/// `[[support]]`
#[derive(Clone, Debug, PartialEq, Deserialize, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct Support {
    /// Name of the node.
    pub node: String,
    /// Fixed directions, axes of C.
    pub fixed: Vec<Direction>,
}

/// `[[load]]`: a force and a moment at a node. Loads with the same name form one load case.
#[derive(Clone, Debug, PartialEq, Deserialize, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct Load {
    /// Name of the load case.
    pub name: String,
    /// Name of the node.
    pub node: String,
    /// Force in N, axes of C. Default: none.
    pub force: Option<Vector>,
    /// Moment in N m, axes of C. Default: none.
    pub moment: Option<Vector>,
}

/// `[[output]]`: the displacement of a node, or the internal forces of a beam or truss at a section.
#[derive(Clone, Debug, PartialEq, Deserialize, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct Output {
    /// Unique name.
    pub name: String,
    /// Name of a node.
    pub node: Option<String>,
    /// Name of a beam.
    pub beam: Option<String>,
    /// Name of a truss.
    pub truss: Option<String>,
    /// Position of the section: 0 at the first end, 1 at the second. Default 0.
    pub at: Option<f64>,
}

/// Load cases that residual vectors make statically exact.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum Residual {
    /// Uniform acceleration along x, y, z.
    Gravity,
    /// Angular accelerations about x, y, z and the six products of angular velocities.
    Rotation,
    /// The load cases of the file.
    Loads,
}

/// `[reduction]`: exactly one of `modes`, `mode_numbers`, `frequency_hz`, `effective_mass` selects the internal modes.
#[derive(Clone, Debug, PartialEq, Deserialize, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct Reduction {
    /// Number of internal modes to keep, from the lowest.
    pub modes: Option<usize>,
    /// Numbers of the internal modes to keep, from 1 in ascending frequency.
    pub mode_numbers: Option<Vec<usize>>,
    /// Highest frequency in Hz of the internal modes to keep.
    pub frequency_hz: Option<f64>,
    /// Fraction of the internal mass, 0 to 1, that the kept modes represent in every direction.
    pub effective_mass: Option<f64>,
    /// Load cases that residual vectors make statically exact. Default: none.
    #[serde(default)]
    pub residual: Vec<Residual>,
    /// Time step in s for the resolved modes in the report. Default 1e-3.
    #[serde(default = "default_step")]
    pub step: f64,
    /// Name of the interface that supports the structure in the static load cases. Default: the first suitable
    /// interface.
    pub support: Option<String>,
}

impl Reduction {
    /// Settings that keep only the lowest `count` modes.
    pub fn lowest(count: usize) -> Reduction {
        Reduction {
            modes: Some(count),
            mode_numbers: None,
            frequency_hz: None,
            effective_mass: None,
            residual: Vec::new(),
            step: default_step(),
            support: None,
        }
    }
}

fn default_step() -> f64 {
    1e-3
}

/// `[damping]`: one of `ratio`, `ratios`, `rayleigh`, or none.
#[derive(Clone, Debug, Default, PartialEq, Deserialize, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields, default)]
pub struct Damping {
    /// Damping ratio of all elastic modes of the free reduced model.
    pub ratio: Option<f64>,
    /// Damping ratios of the elastic modes of the free reduced model in ascending frequency. The last value applies to
    /// all further modes.
    pub ratios: Option<Vec<f64>>,
    /// Rayleigh's α in 1/s and β in s: C = α M + β K, without the rigid motions.
    pub rayleigh: Option<[f64; 2]>,
}

impl Material {
    /// Shear modulus in Pa.
    pub fn shear(&self) -> f64 {
        self.shear_modulus.unwrap_or_else(|| self.youngs_modulus / (2.0 * (1.0 + self.poisson_ratio.unwrap_or(0.3))))
    }

    /// Poisson's ratio.
    pub fn poisson(&self) -> f64 {
        let of_moduli = self.shear_modulus.map(|shear| self.youngs_modulus / (2.0 * shear) - 1.0);
        self.poisson_ratio.or(of_moduli).unwrap_or(0.3)
    }
}
