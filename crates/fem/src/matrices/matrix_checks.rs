//! Checks of a stiffness K and a mass M with the rigid motions R: K·R = 0, and RᵀM R is the inertia of a rigid body.
//!
//! Each file may be well formed by itself. A supported structure, a map of other degrees of freedom, coordinates of
//! another mesh or wrong units violate one of these checks. The measures depend neither on units nor on the size of
//! translations relative to rotations: with the scale sᵢ = √Kᵢᵢ, |(K R)ᵢ| ≤ sᵢ Σ sⱼ |Rⱼ| holds for every positive
//! semidefinite K.

use super::covariance;
use super::reduced;
use crate::model::{DIRECTIONS, Dimension, FiniteElementModel, MODAL};
use ballesta::math::{Mat3, Vec3};

/// Largest stiffness against rigid motion, relative. Above it, the structure is supported or its data are inconsistent.
/// Matrices written with 10 digits reach 1e-10.
pub const RIGID_STIFFNESS: f64 = 1e-6;

/// Largest relative difference of the masses in x, y and z.
pub const MASS_DIFFERENCE: f64 = 1e-6;

/// Plausible wave speeds, m/s: rubber foam has some 10, diamond 18 000. A wrong unit of length changes them a
/// thousandfold.
const WAVE_SPEEDS: [f64; 2] = [1e-1, 1e6];

/// Plausible mass per volume of the bounding box, kg/m³; lattices are light, osmium has 22 600.
const DENSITIES: [f64; 2] = [1e-6, 1e7];

/// Densities of solids, kg/m³: rigid foam, osmium. Mass per node over the cube of the distance to its nearest neighbour
/// is inaccurate by a small factor.
const MATERIALS: [f64; 2] = [20.0, 1e5];

/// Densities that no solid has, kg/m³, even if the estimate is wrong by a factor of about 3: aerogel has 1 or more,
/// osmium has 22 600. In wrong units a mass differs by a factor of 1000 or more.
const SOLIDS: [f64; 2] = [0.1, 1e6];

/// Wave speeds of structural materials, m/s, including the effect of coarse meshes and slender beams.
const MATERIAL_SPEEDS: [f64; 2] = [8.0, 1e5];

/// Mass over the cube of the diagonal of the bounding box, kg/m³: a tether, osmium.
const FILLINGS: [f64; 2] = [1e-8, 2.5e4];

/// Densities of beams by their rotary inertia, kg/m³: for thin tubes, flat strips and I-sections the estimate is too
/// low, by a factor of 100 at most.
const BEAMS: [f64; 2] = [10.0, 1e5];

/// Largest median of the number of nodes to which a node of a frame is coupled.
const FRAME_NEIGHBOURS: usize = 4;

/// Smallest median of the number of nodes to which a node of a solid is coupled: 11 in a row of single hexahedra, about
/// 6 in lattices of bars.
const NEIGHBOURS: usize = 9;

/// Largest distance of the centre of mass outside the bounding box, relative to the box's diagonal (masses with an
/// offset).
const BOX_MARGIN: f64 = 0.01;

/// Measured quantities.
#[derive(Clone, Debug, PartialEq)]
pub struct MatrixChecks {
    /// For each rigid motion: largest |(K R)ᵢ|/√Kᵢᵢ over the largest √Kⱼⱼ |Rⱼ|.
    pub rigid_stiffness: [f64; 6],
    /// Mass in x, y, z from RᵀM R, kg; 0 in directions that a plane structure does not have.
    pub masses: [f64; 3],
    /// Centre of mass in C, m.
    pub centre: Vec3,
    /// Smallest and largest coordinates of the nodes that move, m.
    pub bounding_box: [Vec3; 2],
    /// Median over the translations of h·√(K/M), m/s, where h is the distance to the nearest coupled node.
    pub wave_speed: Option<f64>,
    /// Mass over volume of the bounding box, kg/m³; `None` if the box is flat.
    pub density: Option<f64>,
    /// Mass over the cube of the diagonal of the bounding box, kg/m³; `None` for bodies that are already reduced.
    pub filling: Option<f64>,
    /// Median over the nodes of mass over the cube of the distance to the nearest coupled node, kg/m³; `None` for
    /// structures that are not solid.
    pub material: Option<f64>,
    /// Density of the beams of a frame by their rotary inertia, kg/m³; `None` for other structures and without rotary
    /// inertia.
    pub beams: Option<f64>,
    /// Largest entry of M G − G M over the largest of M, where G turns all nodes ([`covariance::residual`]).
    pub covariance: f64,
}

/// A fault of the matrices as a whole.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Finding {
    /// The fault.
    pub found: String,
    /// The correction.
    pub expected: String,
}

impl MatrixChecks {
    /// Warnings.
    pub fn notes(&self) -> Vec<String> {
        let beams = |density: f64| format!("the beam mass implies a material of about {density:.0e} kg/m³");
        let filling = |density: f64| format!("the mass divided by the cube of the size is {density:.0e} kg/m³");
        let speed = |speed: f64| format!("the wave speed would be about {speed:.0e} m/s");
        let found = [
            beyond(self.material, MATERIALS).map(solid_of),
            beyond(self.beams, BEAMS).map(beams),
            beyond(self.filling, FILLINGS).map(filling),
            beyond(self.wave_speed, MATERIAL_SPEEDS).map(speed),
        ];
        let note = |found: String| {
            format!(
                "{found}, implausible for known materials: check that `matrices.units` are the units of the files \
                 (mm-kg-s instead of mm-t-s changes masses by 1000, but no frequency)"
            )
        };
        found.into_iter().flatten().take(1).map(note).collect()
    }

    /// Largest stiffness against any rigid motion, relative.
    pub fn largest_rigid_stiffness(&self) -> f64 {
        self.rigid_stiffness.iter().fold(0.0, |most, value| most.max(*value))
    }
}

/// Measures a structure without supports and reports its faults.
pub fn check(model: &FiniteElementModel) -> (MatrixChecks, Vec<Finding>) {
    let mut findings = Vec::new();
    let mut report = |found: String, expected: &str| findings.push(Finding { found, expected: expected.to_string() });
    let floors = reduced::floors(model);
    for (matrix, what, least) in [(&model.stiffness, "stiffness", f64::MIN_POSITIVE), (&model.mass, "mass", 0.0)] {
        let diagonal = matrix.diagonal();
        // A single interface has no stiffness, only round-off.
        let rounding = |i: usize| if what == "stiffness" { RIGID_STIFFNESS * floors[i] } else { 0.0 };
        let wrong = |i: &usize| !(diagonal[*i] + rounding(*i) >= least);
        let count = (0..model.size()).filter(wrong).count();
        if let Some(first) = (0..model.size()).find(wrong) {
            let wrong = if diagonal[first] < 0.0 { "negative" } else { "no" };
            let found = format!("{} has {wrong} {what} ({count} such rows)", model.dof_name(first));
            report(found, "remove degrees of freedom without stiffness; the matrices must be positive semidefinite");
        }
    }
    let bounding_box = bounding_box(model);
    let middle = (bounding_box[0] + bounding_box[1]) / 2.0;
    let (rigid_stiffness, rows) = rigid_stiffness(model, middle, &floors);
    let worst = (0..6).max_by(|a, b| rigid_stiffness[*a].total_cmp(&rigid_stiffness[*b])).unwrap_or(0);
    if !(rigid_stiffness[worst] <= RIGID_STIFFNESS) {
        let held: Vec<&str> =
            (0..6).filter(|i| !(rigid_stiffness[*i] <= RIGID_STIFFNESS)).map(|i| DIRECTIONS[i]).collect();
        let found = format!(
            "rigid motion is resisted in {}: {:.1e} relative to the largest stiffness (limit {RIGID_STIFFNESS:e}), \
             largest in {} at {}",
            held.join(", "),
            rigid_stiffness[worst],
            DIRECTIONS[worst],
            model.dof_name(rows[worst])
        );
        let expected = if rigid_stiffness[..3].iter().any(|value| !(*value <= RIGID_STIFFNESS)) {
            "export the structure without supports and springs to ground; if it has none, the DoF map belongs to \
             other matrices"
        } else {
            "translations are free, so the coordinates are wrong: another mesh, another length unit, or nodes \
             exchanged in the DoF map"
        };
        report(found, expected);
    }
    let inertia = model.rigid_motions(middle);
    let inertia = inertia.transpose() * model.mass.multiply(inertia.as_ref());
    let masses = [inertia[(0, 0)], inertia[(1, 1)], inertia[(2, 2)]];
    let known: Vec<usize> = model.dimension.directions().iter().copied().filter(|d| *d < 3).collect();
    let mass = masses[0];
    let list =
        known.iter().map(|d| format!("{} {:.4e}", DIRECTIONS[*d], masses[*d] + 0.0)).collect::<Vec<_>>().join(", ");
    if known.iter().any(|d| !(masses[*d] > 0.0)) {
        let found = format!("the masses in kg are {list}");
        report(found, "give the mass matrix; a density may be missing in the other program's materials");
    } else if known.iter().any(|d| !((masses[*d] - mass).abs() <= MASS_DIFFERENCE * mass)) {
        let found = format!("the masses in kg are {list}");
        report(
            found,
            "the mass must be equal in all directions: the DoF map exchanges directions, or degrees of freedom with \
             mass are missing",
        );
    }
    let (_, centre) = covariance::mass_and_centre(model);
    let diagonal = (bounding_box[1] - bounding_box[0]).norm();
    let outside = |d: &usize| {
        let margin = BOX_MARGIN * diagonal;
        !(bounding_box[0][*d] - margin <= centre[*d] && centre[*d] <= bounding_box[1][*d] + margin)
    };
    // The interfaces of a reduced body may all be on one side.
    let whole = !model.is_reduced();
    if mass > 0.0 && whole && known.iter().any(outside) {
        let found = format!("the centre of mass {:.6?} m lies outside the structure", centre.as_slice());
        report(found, "give mass and nodes of the same mesh in the same units");
    }
    let (wave_speed, density) = (wave_speed(model), density(mass, bounding_box).filter(|_| whole));
    let filling = Some(mass / diagonal.powi(3)).filter(|_| whole && diagonal > 0.0);
    let (material, beams) = (material(model), beams(model));
    // Units are checked only if there is no other fault.
    if findings.is_empty() {
        let speed =
            beyond(wave_speed, WAVE_SPEEDS).map(|speed| format!("the wave speed would be about {speed:.1e} m/s"));
        // A flat box has no volume; the volume of a cube around it is larger.
        let dense = density.or(filling.filter(|filling| *filling > DENSITIES[1]));
        let mass = || beyond(dense, DENSITIES).map(|d| format!("the mass in the bounding box is {d:.1e} kg/m³"));
        let solid = || beyond(material, SOLIDS).map(solid_of);
        if let Some(found) = speed.or_else(mass).or_else(solid) {
            let expected =
                "set the key `units` to the units of the files: \"mm-t-s\" for mm, t, N; \"SI\" for m, kg, N";
            findings.push(Finding { found, expected: expected.to_string() });
        }
    }
    let covariance = if whole { covariance::residual(model) } else { 0.0 };
    let checks = MatrixChecks {
        rigid_stiffness,
        masses,
        centre,
        bounding_box,
        wave_speed,
        density,
        filling,
        material,
        beams,
        covariance,
    };
    (checks, findings)
}

/// A density of a solid for messages.
fn solid_of(density: f64) -> String {
    format!("the nodal mass implies a solid of about {density:.0e} kg/m³")
}

/// A value outside a range.
fn beyond(value: Option<f64>, [low, high]: [f64; 2]) -> Option<f64> {
    value.filter(|value| !(low <= *value && *value <= high))
}

/// Smallest and largest coordinates of the nodes that have degrees of freedom.
fn bounding_box(model: &FiniteElementModel) -> [Vec3; 2] {
    let nodal = || model.dofs.iter().filter(|dof| dof.direction != MODAL);
    let positions = || nodal().map(|dof| model.nodes[dof.node].position);
    let first = positions().next().unwrap_or_default();
    [positions().fold(first, |a, b| a.inf(&b)), positions().fold(first, |a, b| a.sup(&b))]
}

/// For each rigid motion about `middle`, the relative stiffness against it and the row with the largest value.
/// `floors`: lower bounds of K_ii.
fn rigid_stiffness(model: &FiniteElementModel, middle: Vec3, floors: &[f64]) -> ([f64; 6], [usize; 6]) {
    let motions = model.rigid_motions(middle);
    let forces = model.stiffness.multiply(motions.as_ref());
    let diagonal = model.stiffness.diagonal();
    let scales: Vec<f64> = diagonal.iter().zip(floors).map(|(value, floor)| value.max(*floor).sqrt()).collect();
    let (mut worst, mut rows) = ([0.0_f64; 6], [0; 6]);
    for column in 0..6 {
        let motion = (0..model.size()).map(|row| scales[row] * motions[(row, column)].abs()).fold(0.0, f64::max);
        for row in (0..model.size()).filter(|row| scales[*row] > 0.0 && motion > 0.0) {
            let value = forces[(row, column)].abs() / (scales[row] * motion);
            if !(value <= worst[column]) {
                (worst[column], rows[column]) = (value, row);
            }
        }
    }
    (worst, rows)
}

/// Median over the translations with mass of h·√(K/M).
fn wave_speed(model: &FiniteElementModel) -> Option<f64> {
    let (stiffness, mass) = (model.stiffness.diagonal(), model.mass.diagonal());
    let place = |dof: usize| model.nodes[model.dofs[dof].node].position;
    let mut speeds = Vec::new();
    for dof in (0..model.size()).filter(|dof| model.dofs[*dof].direction < 3 && mass[*dof] > 0.0) {
        let nodal = model.stiffness.column(dof).filter(|(other, _)| model.dofs[*other].direction != MODAL);
        let distances = nodal.map(|(other, _)| (place(other) - place(dof)).norm());
        let nearest = distances.filter(|distance| *distance > 0.0).fold(f64::INFINITY, f64::min);
        if nearest.is_finite() {
            speeds.push(nearest * (stiffness[dof].max(0.0) / mass[dof]).sqrt());
        }
    }
    speeds.sort_by(f64::total_cmp);
    speeds.get(speeds.len() / 2).copied()
}

/// Median over the nodes of mass over the cube of the distance to the nearest coupled node, for structures without
/// nodal rotations whose nodes have as many neighbours as in solids.
fn material(model: &FiniteElementModel) -> Option<f64> {
    if model.dimension == Dimension::Plane || model.dofs.iter().any(|dof| dof.direction >= 3) {
        return None;
    }
    let place = |dof: usize| model.nodes[model.dofs[dof].node].position;
    let in_x = |dof: &usize| model.dofs[*dof].direction == 0;
    let density = |dof: usize| {
        let same = model.mass.column(dof).filter(|entry| in_x(&entry.0));
        let mass: f64 = same.map(|(_, value)| value).sum();
        let distances = model.stiffness.column(dof).map(|(other, _)| (place(other) - place(dof)).norm());
        mass / distances.filter(|distance| *distance > 0.0).fold(f64::INFINITY, f64::min).powi(3)
    };
    let neighbours =
        (0..model.size()).filter(in_x).map(|dof| model.stiffness.column(dof).filter(|entry| in_x(&entry.0)).count());
    if median(neighbours.map(|count| count as f64 - 1.0).collect()).is_none_or(|median| median < NEIGHBOURS as f64) {
        return None;
    }
    median((0..model.size()).filter(in_x).map(density).collect())
}

/// Median of some values.
fn median(mut values: Vec<f64>) -> Option<f64> {
    values.sort_by(f64::total_cmp);
    values.get(values.len() / 2).copied()
}

/// Density of the beams of a frame in space. A node has the mass m = ρ A h, with the distance h to the nearest coupled
/// node. Its rotary inertia about the axis to that node is j = ρ I_p h. A full section has A² = 6 I_p, so ρ =
/// m²/(6 h j). Both m and j are sums over a row of the mass matrix: the diagonal of a consistent mass has only two
/// thirds of j. The rotary inertia about other axes depends on h, by the bending of the beam.
fn beams(model: &FiniteElementModel) -> Option<f64> {
    // Only spatial structures with nodes have rotational inertias to compare.
    if model.dimension == Dimension::Plane || model.is_reduced() {
        return None;
    }
    // Rows of the six directions of each node.
    let mut rows = vec![[None; 6]; model.nodes.len()];
    for (row, dof) in model.dofs.iter().enumerate().filter(|(_, dof)| dof.direction != MODAL) {
        rows[dof.node][dof.direction] = Some(row);
    }
    let (mut densities, mut counts) = (Vec::new(), Vec::new());
    for (node, own) in rows.iter().enumerate() {
        let [Some(x), .., Some(rx), Some(ry), Some(rz)] = *own else { continue };
        // Neighbours are the nodes that the stiffness couples.
        let coupled = own.iter().flatten().flat_map(|row| model.stiffness.column(*row));
        let mut others: Vec<usize> =
            coupled.map(|(row, _)| model.dofs[row].node).filter(|other| *other != node).collect();
        others.sort_unstable();
        others.dedup();
        counts.push(others.len() as f64);
        let place = |node: usize| model.nodes[node].position;
        // The nearest neighbour gives the length of the element and its axis.
        let ways = others.iter().map(|other| place(*other) - place(node)).filter(|way| way.norm() > 0.0);
        let Some(way) = ways.min_by(|a, b| a.norm().total_cmp(&b.norm())) else { continue };
        let (nearest, axis) = (way.norm(), way.normalize());
        // Row sums are translational mass and rotary inertia about the axis.
        let along_x = model.mass.column(x).filter(|(row, _)| model.dofs[*row].direction == 0);
        let mass: f64 = along_x.map(|(_, value)| value).sum();
        let turning = [rx, ry, rz];
        let entry = |i: usize, j: usize| -> f64 {
            let same = model.mass.column(turning[j]).filter(|(row, _)| model.dofs[*row].direction == 3 + i);
            same.map(|(_, value)| value).sum()
        };
        let rotary = axis.dot(&(Mat3::from_fn(entry) * axis));
        densities.push(mass * mass / (6.0 * nearest * rotary));
    }
    // Beams have few neighbours; solid elements have many. The median ignores joints and point masses.
    let frame = median(counts).is_some_and(|count| count <= FRAME_NEIGHBOURS as f64);
    median(densities).filter(|density| frame && density.is_finite() && *density > 0.0)
}

/// Mass over volume of a box that is not flat.
fn density(mass: f64, [low, high]: [Vec3; 2]) -> Option<f64> {
    let size = high - low;
    (size.min() > 1e-3 * size.max()).then(|| mass / (size.x * size.y * size.z))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::matrices::covariance::covariant_mass;
    use crate::model::{Dimension, Dof, Node};
    use crate::sparse::{SparseRows, SparseSymmetric};
    use ballesta::rom::rom_schema::MassModel;
    use nalgebra::{DMatrix, Rotation3};

    /// A tetrahedron of four nodes, turned by `turn`: bars on its edges, and their consistent mass.
    fn tetrahedron(turn: Rotation3<f64>) -> FiniteElementModel {
        let places = [[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [0.2, 0.9, 0.0], [0.3, 0.3, 0.8]];
        let nodes: Vec<Node> =
            places.iter().map(|p| Node { name: "n".into(), position: turn * Vec3::from(*p) }).collect();
        let (mut stiffness, mut mass) = (Vec::new(), Vec::new());
        for (a, b) in [(0, 1), (0, 2), (0, 3), (1, 2), (1, 3), (2, 3)] {
            let along = nodes[b].position - nodes[a].position;
            let (length, axis) = (along.norm(), along.normalize());
            let mut ends = DMatrix::<f64>::zeros(6, 1);
            ends.rows_mut(0, 3).copy_from(&-axis);
            ends.rows_mut(3, 3).copy_from(&axis);
            let bar = &ends * ends.transpose() * (2e7 / length);
            let row = |i: usize| if i < 3 { 3 * a + i } else { 3 * b + i - 3 };
            for i in 0..6 {
                (0..=i).for_each(|j| stiffness.push((row(i), row(j), bar[(i, j)])));
                mass.push((row(i), row(i), 0.785 * length / 3.0));
            }
            (0..3).for_each(|i| mass.push((row(i), row(i + 3), 0.785 * length / 6.0)));
        }
        let half = |entries: Vec<(usize, usize, f64)>| SparseSymmetric::from_half(12, &entries);
        FiniteElementModel {
            name: "tetrahedron".into(),
            dimension: Dimension::Space,
            nodes,
            element_count: 6,
            dofs: (0..12).map(|i| Dof { node: i / 3, direction: i % 3 }).collect(),
            motion: SparseRows::default(),
            stiffness: half(stiffness),
            mass: half(mass),
            damping: None,
            covariant_mass: SparseSymmetric::from_half(4, &[]),
            mass_points: Vec::new(),
            points_only: false,
            mass_model: ballesta::rom::rom_schema::MassModel::Consistent,
            covariance: 0.0,
            elements: Vec::new(),
            sections: Vec::new(),
            interfaces: Vec::new(),
            supports: Vec::new(),
            loads: Vec::new(),
            output_nodes: Vec::new(),
            stressed: Vec::new(),
            notes: Vec::new(),
        }
    }

    /// The structure with a spring to ground, N/m.
    fn held(mut model: FiniteElementModel, dof: usize, spring: f64) -> FiniteElementModel {
        model.stiffness = model.stiffness.plus(1.0, &SparseSymmetric::from_half(12, &[(dof, dof, spring)]));
        model
    }

    #[test]
    fn what_is_measured_turns_with_the_structure() {
        let (plain, findings) = check(&tetrahedron(Rotation3::identity()));
        assert_eq!(findings, []);
        assert!(plain.largest_rigid_stiffness() < 1e-15 && plain.covariance == 0.0, "{plain:?}");
        let turn = Rotation3::from_euler_angles(0.4, -0.7, 1.1);
        let (turned, findings) = check(&tetrahedron(turn));
        assert_eq!(findings, []);
        assert!(turned.largest_rigid_stiffness() < 1e-14, "{turned:?}");
        assert!((turned.centre - turn * plain.centre).norm() < 1e-15);
        assert!(turned.masses.iter().all(|mass| (mass / plain.masses[0] - 1.0).abs() < 1e-14));
    }

    #[test]
    fn a_soft_spring_to_ground_is_found_at_its_place() {
        for dof in 0..12 {
            let model = held(tetrahedron(Rotation3::from_euler_angles(0.1, 0.2, 0.3)), dof, 1e3);
            let (checks, findings) = check(&model);
            assert!(checks.rigid_stiffness[dof % 3] > 1e-6, "{checks:?}");
            assert_eq!(findings.len(), 1);
            assert!(findings[0].expected.contains("supports"), "{findings:?}");
        }
        assert_eq!(check(&held(tetrahedron(Rotation3::identity()), 4, 1.0)).1, [], "below the digits of files");
    }

    #[test]
    fn a_mass_that_knows_directions_is_not_covariant() {
        let mut model = tetrahedron(Rotation3::identity());
        let (mass, kind) = covariant_mass(&model);
        assert_eq!(kind, MassModel::Consistent);
        assert_eq!((mass.size(), mass.diagonal()[0]), (4, model.mass.diagonal()[0]));
        // An additional kg at node 1 along x only, which G rotates to y and z.
        model.mass = model.mass.plus(1.0, &SparseSymmetric::from_half(12, &[(3, 3, 1.0)]));
        let residual = crate::matrices::covariance::residual(&model);
        assert!((residual * model.mass.largest() - 1.0).abs() < 1e-14, "{residual}");
        assert_eq!(covariant_mass(&model).1, MassModel::Lumped);
    }

    #[test]
    fn values_that_are_not_numbers_are_refused() {
        let (_, findings) = check(&held(tetrahedron(Rotation3::identity()), 5, f64::NAN));
        assert!(!findings.is_empty());
    }
}
