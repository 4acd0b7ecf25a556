//! A discretised, unsupported structure: common to elements and matrices of other programs.
//!
//! Frame: the one common frame C of the structure, in which nodes, displacements and the reduced model are expressed.
//! Units: SI. Directions of a node are numbered 0..6: translations x, y, z in m, rotations about x, y, z in rad. A
//! plane structure is in the xy plane and has only the directions 0, 1 and 5.

use super::element::{Element, MassPoint};
use super::internal_force_rows::RecoverySection;
use super::sparse::{SparseRows, SparseSymmetric};
use ballesta::math::Vec3;
use ballesta::rom::rom_schema::MassModel;

/// Names of the six directions of a node.
pub const DIRECTIONS: [&str; 6] = ["x", "y", "z", "rx", "ry", "rz"];

/// Direction of a modal coordinate, which belongs to no node; it is the amplitude of a shape in a reduction by another
/// program.
pub const MODAL: usize = 6;

/// The six products of angular velocities, as pairs of axes.
pub const PRODUCTS: [(usize, usize); 6] = [(0, 0), (1, 1), (2, 2), (0, 1), (1, 2), (0, 2)];

/// Plane structures have three rigid motions, others six.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Dimension {
    /// In the plane xy.
    Plane,
    /// In space.
    Space,
}

impl Dimension {
    /// The directions in which nodes can move.
    pub fn directions(self) -> &'static [usize] {
        match self {
            Dimension::Plane => &[0, 1, 5],
            Dimension::Space => &[0, 1, 2, 3, 4, 5],
        }
    }
}

/// A node of the structure.
#[derive(Clone, Debug, PartialEq)]
pub struct Node {
    /// Name or number, as the user gave it.
    pub name: String,
    /// Position in C, m.
    pub position: Vec3,
}

/// Degree of freedom of a row of the matrices.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Dof {
    /// Index of the node; for a modal coordinate, the number of nodes plus its index among the modal coordinates.
    pub node: usize,
    /// 0..6, or [`MODAL`].
    pub direction: usize,
}

/// Coupling of an interface to the structure.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Coupling {
    /// The interface is a node of the structure.
    Node,
    /// A set of nodes follows the interface rigidly (RBE2).
    Rigid,
    /// The interface is the weighted average of a set of nodes (RBE3); it adds no stiffness.
    Average,
}

/// A node through which the structure is connected to the rest of a mechanism.
#[derive(Clone, Debug, PartialEq)]
pub struct Interface {
    /// Name.
    pub name: String,
    /// Its node.
    pub node: usize,
    /// Coupling to the structure.
    pub coupling: Coupling,
    /// Rows of the matrices for its six directions; `None` if the structure has no stiffness there (rotations of
    /// trusses, out-of-plane motion).
    pub dofs: [Option<usize>; 6],
    /// Orientation of its frame in C, unit quaternion w, x, y, z; for exports only.
    pub quaternion: [f64; 4],
}

/// A set of forces for which the reduction is statically exact.
#[derive(Clone, Debug, PartialEq)]
pub struct LoadCase {
    /// Name.
    pub name: String,
    /// (degree of freedom, force in N or moment in N·m).
    pub forces: Vec<(usize, f64)>,
}

/// A load, with the structure held at one interface, and its contribution to the stiffness.
#[derive(Clone, Debug, PartialEq)]
pub struct Stressed {
    /// Geometric stiffness, n × n.
    pub geometric: SparseSymmetric,
    /// Whether it is the difference of two stiffnesses, which also contains the rotation of bent elements.
    pub difference: bool,
    /// Accelerations of the origin of C along x, y, z (m/s²), angular accelerations about them (rad/s²), products of
    /// angular velocities xx, yy, zz, xy, yz, xz (rad²/s²): the load is the inertia force of these accelerations.
    pub motion: [f64; 12],
    /// Index of an interface, force (N) and moment (N·m) at it.
    pub interface: Option<(usize, [f64; 6])>,
}

/// The structure. All matrices refer to the independent degrees of freedom: ties and averages are eliminated.
#[derive(Clone, Debug)]
pub struct FiniteElementModel {
    /// Name of the structure.
    pub name: String,
    /// Plane or space.
    pub dimension: Dimension,
    /// Nodes.
    pub nodes: Vec<Node>,
    /// Number of elements, 0 if unknown.
    pub element_count: usize,
    /// Meaning of each row of the matrices (n entries).
    pub dofs: Vec<Dof>,
    /// Motion of every direction of every node: row `6·node + direction` over the n degrees of freedom. A direction
    /// that does not move has an empty row.
    pub motion: SparseRows,
    /// Stiffness, n × n, N/m, N, N·m.
    pub stiffness: SparseSymmetric,
    /// Mass, n × n, kg, kg·m, kg·m².
    pub mass: SparseSymmetric,
    /// Damping, n × n, N s/m, N s, N m s, if given as a matrix.
    pub damping: Option<SparseSymmetric>,
    /// Translational mass between nodes (nodes × nodes, kg), equal in x, y and z. Its total mass and centre of mass
    /// equal the values in `mass`. With `mass_points` it is the mass for the terms of second order in the deformation.
    pub covariant_mass: SparseSymmetric,
    /// Rotary inertia of nodes as offsets, for structures from matrices; elements have their own offsets.
    pub mass_points: Vec<MassPoint>,
    /// Whether [`FiniteElementModel::points`] are all of the mass, instead of the covariant mass: structures with
    /// beams, whose shape functions depend on the direction.
    pub points_only: bool,
    /// The mass model of the integrals over the mass.
    pub mass_model: MassModel,
    /// Anisotropy of `mass`, relative to its largest entry ([`super::matrices::covariance`]).
    pub covariance: f64,
    /// Nodes through which forces enter; the first is the support of the static load cases unless only another
    /// interface can hold it.
    pub interfaces: Vec<Interface>,
    /// Degrees of freedom that `modes` fixes with supports.
    pub supports: Vec<usize>,
    /// Load cases for residual vectors.
    pub loads: Vec<LoadCase>,
    /// Nodes whose displacement the reduced model has as outputs: name of the output, node.
    pub output_nodes: Vec<(String, usize)>,
    /// Loads, each with the geometric stiffness that it causes, for structures from matrices.
    pub stressed: Vec<Stressed>,
    /// Warnings about the source data.
    pub notes: Vec<String>,
    /// The elements, if known, for geometric stiffness and internal forces.
    pub elements: Vec<Element>,
    /// Sections whose internal forces the reduced model has as outputs.
    pub sections: Vec<RecoverySection>,
}

impl FiniteElementModel {
    /// Number of degrees of freedom n.
    pub fn size(&self) -> usize {
        self.dofs.len()
    }

    /// Number of degrees of freedom that do not belong to interfaces.
    pub fn interior(&self) -> usize {
        self.size() - self.interfaces.iter().map(|interface| interface.dofs.iter().flatten().count()).sum::<usize>()
    }

    /// Rigid motion of the structure, n × 6: unit translations along x, y, z and unit rotations about x, y, z through
    /// the point `about` (in C, m). In plane structures the columns 2, 3 and 4 are zero.
    pub fn rigid_motions(&self, about: Vec3) -> faer::Mat<f64> {
        let directions = self.dimension.directions();
        faer::Mat::from_fn(self.size(), 6, |row, column| {
            let Dof { node, direction } = self.dofs[row];
            if direction == MODAL || !directions.contains(&column) {
                return 0.0;
            }
            rigid_motion(self.nodes[node].position - about, direction, column)
        })
    }

    /// The mass that is not in the covariant mass, element by element: all mass with `points_only`, otherwise the
    /// elements with rotary inertia.
    pub fn points(&self) -> impl Iterator<Item = Vec<MassPoint>> {
        let plane = self.dimension == Dimension::Plane;
        let of_element = move |element: &Element| {
            let mut points = element.mass_points(|node| self.nodes[node].position, plane);
            points.retain(|point| point.weight != 0.0 && (self.points_only || point.is_offset()));
            points
        };
        let given = self.mass_points.chunk_by(|a, b| a.nodes == b.nodes).map(<[MassPoint]>::to_vec);
        self.elements.iter().map(of_element).chain(given).filter(|points| !points.is_empty())
    }

    /// Whether another program has already reduced the body of the matrices.
    pub fn is_reduced(&self) -> bool {
        self.dofs.last().is_some_and(|dof| dof.direction == MODAL)
    }

    /// Name of a degree of freedom for messages: `node "tip", direction ry`.
    pub fn dof_name(&self, dof: usize) -> String {
        let Dof { node, direction } = self.dofs[dof];
        if direction == MODAL {
            return format!("modal coordinate {}", node - self.nodes.len() + 1);
        }
        format!("node \"{}\", direction {}", self.nodes[node].name, DIRECTIONS[direction])
    }
}

/// Motion in `direction` of a point at `r` (m, from the centre) in the unit rigid motion `column`.
pub fn rigid_motion(r: Vec3, direction: usize, column: usize) -> f64 {
    match (direction, column) {
        (_, 0..3) => f64::from(u8::from(direction == column)),
        (0..3, _) => Vec3::ith(column - 3, 1.0).cross(&r)[direction],
        _ => f64::from(u8::from(direction == column)),
    }
}

/// Rows of `motion` for the 12 directions of two nodes.
pub fn directions(nodes: [usize; 2]) -> [usize; 12] {
    std::array::from_fn(|i| 6 * nodes[i / 6] + i % 6)
}
