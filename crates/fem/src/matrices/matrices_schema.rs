//! The table `[matrices]` of a structure file as plain data.

use serde::{Deserialize, Serialize};

/// Stiffness and mass matrix of another finite-element program without supports, with their nodes.
#[derive(Clone, Debug, PartialEq, Deserialize, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct MatricesTable {
    /// Dialect of the matrix files.
    pub format: MatrixFormat,
    /// File of the stiffness matrix, relative to the folder of this file.
    pub stiffness: String,
    /// File of the mass matrix, relative to the folder of this file. A punch file may contain both matrices.
    pub mass: String,
    /// File of the damping matrix, relative to the folder of this file. Default: the damping of the table `damping`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub damping: Option<String>,
    /// File of the map of degrees of freedom, with one line per matrix row: `row node direction` in any order, or
    /// `node.direction` in row order. Directions are 1 to 6 or x, y, z, rx, ry, rz. A modal coordinate is
    /// `row modal number`. Omit the map for Abaqus MATRIX INPUT and Nastran, which name nodes.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub dof_map: Option<String>,
    /// File of the nodes: `.csv` with node, x, y, z and optionally the names of sets; `.inp` (Abaqus, CalculiX) with
    /// *NODE and *NSET; `.bdf`, `.dat`, `.nas` or `.fem` (Nastran) with GRID cards.
    pub nodes: String,
    /// For an already reduced body: displacement shapes and masses of its other nodes.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub shapes: Option<ShapesTable>,
    /// Units of all these files. Default: SI.
    #[serde(default)]
    pub units: MatrixUnits,
    /// States of the structure under load, each with its stiffness, for stiffening by motion and by loads.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub stressed: Vec<StressedTable>,
}

/// Displacements of nodes per coordinate of a reduced body, and their lumped masses.
#[derive(Clone, Debug, PartialEq, Deserialize, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct ShapesTable {
    /// Matrix Market file: a row per displacement, a column per row of the matrices, in the same order.
    pub file: String,
    /// File of the map of the rows: lines `row node direction` or `node.direction`.
    pub dof_map: String,
    /// File of the masses: lines `node, mass`.
    pub masses: String,
}

/// The structure under a load, supported at one interface, with its stiffness in this state. Loads are in SI,
/// independent of the units of the files.
#[derive(Clone, Debug, Default, PartialEq, Deserialize, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct StressedTable {
    /// File of the stiffness matrix under load, in the format, units and degrees of freedom of the unstressed matrix.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub stiffness: Option<String>,
    /// File of the geometric stiffness alone, the change of stiffness by the load, instead of `stiffness`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub geometric: Option<String>,
    /// File of the map of the rows. Default: the map of the other matrices.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub dof_map: Option<String>,
    /// Gravity on the mass in m/s². A body with the acceleration a has the inertia load of the gravity −a.
    #[serde(default)]
    pub gravity: [f64; 3],
    /// Angular velocity in rad/s of a steady rotation, for centrifugal forces.
    #[serde(default)]
    pub angular_velocity: [f64; 3],
    /// Angular acceleration in rad/s².
    #[serde(default)]
    pub angular_acceleration: [f64; 3],
    /// A point on the axis of rotation, in m. Default: the origin.
    #[serde(default)]
    pub centre: [f64; 3],
    /// Name of the interface on which `force` and `moment` act.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub interface: Option<String>,
    /// Force at the interface in N.
    #[serde(default)]
    pub force: [f64; 3],
    /// Moment at the interface in N·m.
    #[serde(default)]
    pub moment: [f64; 3],
}

/// Dialect of the matrix files.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum MatrixFormat {
    /// Matrix Market: coordinate or array; real or integer; general or symmetric.
    MatrixMarket,
    /// Abaqus *MATRIX OUTPUT, as MATRIX INPUT, LABELS or COORDINATE; substructures of Abaqus and CalculiX.
    Abaqus,
    /// CalculiX *FREQUENCY, SOLVER=MATRIXSTORAGE: `.sti`, `.mas` and `.dof`.
    Calculix,
    /// Nastran or OptiStruct punch file with DMIG cards.
    Nastran,
}

/// Consistent sets of units.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub enum MatrixUnits {
    /// m, kg, s: forces in N.
    #[default]
    SI,
    /// mm, t, s: forces in N.
    #[serde(rename = "mm-t-s")]
    MmTonneS,
    /// mm, kg, s: forces in mN.
    #[serde(rename = "mm-kg-s")]
    MmKgS,
    /// mm, kg, ms: forces in kN.
    #[serde(rename = "mm-kg-ms")]
    MmKgMs,
    /// in, lbf·s²/in, s: forces in lbf.
    #[serde(rename = "in-lbf-s")]
    InLbfS,
}

/// Factors from a set of units to SI.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct UnitFactors {
    /// m.
    pub length: f64,
    /// Factor to J, of displacementᵀ·stiffness·displacement.
    pub stiffness: f64,
    /// Factor to kg·m², of displacementᵀ·mass·displacement.
    pub mass: f64,
}

impl MatrixUnits {
    /// Factors from the set to SI.
    pub fn factors(self) -> UnitFactors {
        let (length, stiffness, mass) = match self {
            MatrixUnits::SI => (1.0, 1.0, 1.0),
            MatrixUnits::MmTonneS => (1e-3, 1e-3, 1e-3),
            MatrixUnits::MmKgS => (1e-3, 1e-6, 1e-6),
            MatrixUnits::MmKgMs => (1e-3, 1.0, 1e-6),
            // 1 lbf = 0.45359237 kg · 9.80665 m/s², 1 in = 0.0254 m; a mass of 1 lbf·s²/in times in² is 1 lbf·in·s².
            MatrixUnits::InLbfS => {
                let energy = 0.45359237 * 9.80665 * 0.0254;
                (0.0254, energy, energy)
            }
        };
        UnitFactors { length, stiffness, mass }
    }
}
