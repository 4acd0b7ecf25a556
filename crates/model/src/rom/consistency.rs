//! Checks that the tables of a reduced-order model describe one body: redundant data, and data that follow from other
//! tables.
//!
//! With R the rigid motions in q, column c the field u = a + B x, and Φ the basis (see [`super::rom_schema::Inertia`]):
//!
//! ```text
//!     translation_a R = m a_a + (B s)_a             s = ∫ x dm
//!     position_ab R   = s_a a_b + (B S)_ba          S = ∫ x xᵀ dm
//!     ∫ Φ_aᵀ Φ_b dm R = a_b translation_a + Σ_d B_bd position_da      (N numbers: square for a = b, product)
//! ```
//!
//! Geometric stiffness: a rigid rotation of a body under load turns its internal forces, and the trace of Rᵀ K_G R over
//! the rotations is k Σ x·f over all loads f (k = 1 in the plane, 2 in space): the sum of N L over the members. Springs
//! and rigid links carry load without stiffening. So only known factors are detected, and only where one support holds
//! the body, so that its reaction is known.

use super::elastic_modes::{MAX_CONDITION_NUMBER, inverse_frequencies, scaled_condition, unpack};
use super::rom_schema::{Interface, MassModel, Packed, Rom, StiffeningLoad};
use super::validate::DIRECTIONS;
use ballesta_solver::math::{Mat3, Vec3, larger, largest};
use nalgebra::{DMatrix, RowDVector};
use std::f64::consts::TAU;

/// Largest deviation of a number from the number that follows from other data, relative to its scale.
const TOLERANCE: f64 = 1e-9;

/// Tolerance for numbers computed by a decomposition or a factorisation.
const SOLUTION_TOLERANCE: f64 = 1e-6;

/// Factors that identify a wrong geometric stiffness: sign, twice the load, m and mm.
const FACTORS: [f64; 4] = [-1.0, 2.0, 1e3, 1e-3];

/// One contradiction: key, error, correction.
pub(super) type Finding = (String, String, String);

/// All contradictions of a model with correct sizes whose K, M, C and rigid motions describe a free body.
pub(super) fn findings(rom: &Rom) -> Vec<Finding> {
    let mut check = Check::new(rom);
    check.places();
    check.internal_modes();
    check.inertia();
    check.outputs();
    check.stiffening();
    check.measured();
    check.found
}

struct Check<'r> {
    rom: &'r Rom,
    /// R, N × 6.
    motions: DMatrix<f64>,
    /// Rigid motions of the body.
    known: &'static [usize],
    /// ∫ x dm, ∫ x xᵀ dm.
    first: Vec3,
    second: Mat3,
    /// Size of the body, m.
    length: f64,
    found: Vec<Finding>,
}

impl<'r> Check<'r> {
    fn new(rom: &'r Rom) -> Check<'r> {
        let [xx, yy, zz, xy, yz, xz] = rom.inertia.second;
        let places = rom.interfaces.iter().flat_map(|interface| interface.position);
        let gyration = (largest([xx, yy, zz]) / rom.rigid.mass).sqrt();
        Check {
            rom,
            motions: rom.rigid_motions(),
            known: if rom.source.dimension == 2 { &[0, 1, 5] } else { &[0, 1, 2, 3, 4, 5] },
            first: rom.inertia.first.into(),
            second: Mat3::new(xx, xy, xz, xy, yy, yz, xz, yz, zz),
            length: larger(largest(places), gyration),
            found: Vec::new(),
        }
    }

    fn report(&mut self, key: impl Into<String>, found: String, expected: &str) {
        self.found.push((key.into(), found, expected.into()));
    }

    /// Scale of the entries of a rigid motion: 1, or the size of the body for its rotations.
    fn scale(&self, motion: usize) -> f64 {
        if motion < 3 { 1.0 } else { self.length }
    }

    /// Interface positions and columns compared with the rigid motions.
    fn places(&mut self) {
        let rom = self.rom;
        for (i, interface) in rom.interfaces.iter().enumerate() {
            let wrong = (0..6).find_map(|direction| {
                let column = interface.column(direction)?;
                let row = &rom.rigid.motions[column];
                let motion = self.known.iter().find(|motion| {
                    let expected = rigid(interface.position, direction, **motion);
                    !((row[**motion] - expected).abs() <= TOLERANCE * larger(1.0, self.scale(**motion)))
                })?;
                Some((direction, column, *motion, row[*motion], rigid(interface.position, direction, *motion)))
            });
            if let Some((direction, column, motion, of_motions, of_place)) = wrong {
                let found = format!(
                    "in `rigid.motions[{column}]` \"{}\" moves by {of_motions} along {} in the unit motion {}, but \
                     its position requires {of_place}",
                    interface.name, DIRECTIONS[direction], DIRECTIONS[motion]
                );
                let expected =
                    "`position` (in m, frame of the structure), `first_column` and `rigid.motions` must agree";
                self.report(format!("interface[{i}].position"), found, expected);
            }
        }
        for row in rom.boundary()..rom.size() {
            if let Some(motion) = (0..6).find(|motion| rom.rigid.motions[row][*motion] != 0.0) {
                let found = format!("an internal mode moves by {} in a rigid motion", rom.rigid.motions[row][motion]);
                self.report(format!("rigid.motions[{row}]"), found, "write 0 in the rows of internal modes");
            }
        }
    }

    /// Frequencies, normalisation and effective masses of the internal modes compared with K and M.
    fn internal_modes(&mut self) {
        let rom = self.rom;
        let (k, m, b) = (rom.stiffness(), rom.mass(), rom.boundary());
        let held = largest((0..b).map(|i| k[(i, i)]));
        for (mode, hz) in rom.modes.frequencies_hz.iter().enumerate() {
            let i = b + mode;
            let of_matrices = (k[(i, i)] / m[(i, i)]).sqrt() / TAU;
            if !((hz / of_matrices - 1.0).abs() <= TOLERANCE) {
                let found = format!("found {hz} Hz, but stiffness and mass give {of_matrices} Hz");
                let expected = "write the square roots of `matrices.stiffness` over `matrices.mass`, divided by 2π";
                return self.report(format!("modes.frequencies_hz[{mode}]"), found, expected);
            }
            let beside =
                |j: usize| k[(i, j)].abs() > TOLERANCE * (k[(i, i)] * if j < b { held } else { k[(j, j)] }).sqrt();
            if let Some(j) = (0..i).find(|j| beside(*j)) {
                let found = format!("entry {i}, {j} is {:e}, so mode {mode} is coupled by stiffness", k[(i, j)]);
                return self.report(
                    "matrices.stiffness",
                    found,
                    "only the diagonal entries of internal modes may be \
                                                                 nonzero",
                );
            }
            let unit = |j: usize| if i == j { 1.0 } else { 0.0 };
            if let Some(j) = (b..=i).find(|j| !((m[(i, *j)] - unit(*j)).abs() <= TOLERANCE)) {
                let found = format!("entry {i}, {j} is {}", m[(i, j)]);
                return self.report("matrices.mass", found, "normalise the internal modes to a unit mass matrix");
            }
        }
        // Unit motions about the centre of mass.
        let mut motions = self.motions.clone();
        for rotation in 0..3 {
            let shift = Vec3::ith(rotation, 1.0).cross(&Vec3::from(rom.rigid.centre));
            let moved = self.motions.columns(0, 3) * shift;
            motions.set_column(3 + rotation, &(self.motions.column(3 + rotation) - moved));
        }
        let momentum = &m * &motions;
        let whole = motions.tr_mul(&momentum);
        for (mode, masses) in rom.modes.effective_mass.iter().enumerate() {
            let of_matrices = |c: usize| if self.known.contains(&c) { momentum[(b + mode, c)].powi(2) } else { 0.0 };
            let largest_of = |c: usize| largest((c / 3 * 3..c / 3 * 3 + 3).map(|c| whole[(c, c)]));
            let wrong = (0..6).find(|c| !((masses[*c] - of_matrices(*c)).abs() <= TOLERANCE * largest_of(*c)));
            if let Some(c) = wrong {
                let found = format!("found {}, but the mass matrix gives {}", masses[c], of_matrices(c));
                let key = format!("modes.effective_mass[{mode}][{c}]");
                return self.report(key, found, "write the square of the mode's row of M R about the centre of mass");
            }
        }
    }

    /// The integrals compared with mass, centre, rigid motions and each other.
    fn inertia(&mut self) {
        let (rom, length) = (self.rom, self.length);
        let (mass, inertia, n) = (rom.rigid.mass, &rom.inertia, rom.size());
        let off = largest((self.first - mass * Vec3::from(rom.rigid.centre)).iter());
        // The centre of masses at nodes of a plane or a line is in that plane or line.
        if !(off <= TOLERANCE * mass * length) && inertia.mass_model != MassModel::Lumped {
            let centre = rom.rigid.centre.map(|at| at * mass);
            let found = format!("found {:?} kg m, but mass and centre give {centre:?}", inertia.first);
            return self.report("inertia.first", found, "write the mass times the position of the centre of mass");
        }
        let translation: Vec<RowDVector<f64>> =
            inertia.translation.iter().map(|row| RowDVector::from_row_slice(row)).collect();
        let position: Vec<RowDVector<f64>> =
            inertia.position.iter().map(|row| RowDVector::from_row_slice(row)).collect();
        let field: [[DMatrix<f64>; 3]; 3] = std::array::from_fn(|a| {
            std::array::from_fn(|b| match (a, b) {
                _ if a == b => unpack(&inertia.square[a], n),
                (0, 1) | (1, 2) | (2, 0) => DMatrix::from_row_slice(n, n, &inertia.product[a]),
                _ => DMatrix::from_column_slice(n, n, &inertia.product[b]),
            })
        });
        for &c in self.known {
            let motion = self.motions.column(c);
            let (unit, turn) = unit_motion(c);
            let size = self.scale(c);
            let moved = mass * unit + turn * self.first;
            for a in 0..3 {
                let (found, expected) = ((&translation[a] * motion)[0], moved[a]);
                if !((found - expected).abs() <= TOLERANCE * mass * size) {
                    return self.integral(&format!("inertia.translation[{a}]"), c, found, expected);
                }
                for b in 0..3 {
                    let (found, expected) = (
                        (&position[3 * a + b] * motion)[0],
                        self.first[a] * unit[b] + (turn * self.second.column(a))[b],
                    );
                    if !((found - expected).abs() <= TOLERANCE * mass * length * size) {
                        return self.integral(&format!("inertia.position[{}]", 3 * a + b), c, found, expected);
                    }
                }
            }
            for a in 0..3 {
                let weights = field[a][a].diagonal().map(|square| (square.abs() * mass).sqrt() * size);
                let floor = 1e-3 * largest(weights.iter());
                for b in 0..3 {
                    let product = &field[a][b] * motion;
                    let follows =
                        (0..3).fold(unit[b] * &translation[a], |sum, d| sum + turn[(b, d)] * &position[3 * d + a]);
                    let wrong =
                        (0..n).find(|i| !((product[*i] - follows[*i]).abs() <= TOLERANCE * larger(weights[*i], floor)));
                    if let Some(i) = wrong {
                        let key = if a == b {
                            format!("inertia.square[{a}]")
                        } else {
                            format!("inertia.product[{}]", if (a + 1) % 3 == b { a } else { b })
                        };
                        let found = format!(
                            "its row {i} gives {} in the unit motion {}, but `translation` and `position` give {}",
                            product[i], DIRECTIONS[c], follows[i]
                        );
                        let expected = "compute all integrals from the same mass and the same basis";
                        return self.report(key, found, expected);
                    }
                }
            }
        }
        if inertia.mass_model == MassModel::Consistent {
            let m = rom.mass();
            let sum = &field[0][0] + &field[1][1] + &field[2][2];
            let off = |i: usize, j: usize| (sum[(i, j)] - m[(i, j)]).abs() / (m[(i, i)] * m[(j, j)]).sqrt();
            if let Some((i, j)) =
                (0..n).flat_map(|i| (0..=i).map(move |j| (i, j))).find(|(i, j)| !(off(*i, *j) <= SOLUTION_TOLERANCE))
            {
                let found = format!(
                    "the sum of the three is {} at entry {i}, {j}, but the mass matrix has {}",
                    sum[(i, j)],
                    m[(i, j)]
                );
                self.report("inertia.square", found, "with a consistent mass the sum must be `matrices.mass`");
            }
        }
    }

    fn integral(&mut self, key: &str, motion: usize, found: f64, expected: f64) {
        let found =
            format!("the integral gives {found} in the unit motion {} but must give {expected}", DIRECTIONS[motion]);
        self.report(key, found, "the integrals must agree with `rigid.mass`, `inertia.first`, `inertia.second`");
    }

    /// Output nodes and sections in rigid motions.
    fn outputs(&mut self) {
        let rom = self.rom;
        for (i, node) in rom.nodes.iter().enumerate() {
            // Rows of directions that the node does not have are zero.
            let there = (0..6).filter(|direction| largest(&node.displacement[*direction]) > 0.0);
            let mut entries = there.flat_map(|direction| self.known.iter().map(move |motion| (direction, *motion)));
            let wrong = entries.find_map(|(direction, motion)| {
                let row = RowDVector::from_row_slice(&node.displacement[direction]);
                let (found, expected) =
                    ((row * self.motions.column(motion))[0], rigid(node.position, direction, motion));
                let right = (found - expected).abs() <= SOLUTION_TOLERANCE * larger(1.0, self.scale(motion));
                (!right).then_some((direction, motion, found, expected))
            });
            if let Some((direction, motion, found, expected)) = wrong {
                let found = format!(
                    "row {} gives {found} in the unit motion {}, but its position requires {expected}",
                    DIRECTIONS[direction], DIRECTIONS[motion]
                );
                let expected = "`position` (in m) and `displacement` must belong to the same point";
                self.report(format!("node[{i}].displacement[{direction}]"), found, expected);
            }
        }
        let sizes = self.force_sizes();
        for (i, section) in rom.sections.iter().enumerate() {
            let wrong = (0..6).find(|&row| {
                let forces = RowDVector::from_row_slice(&section.displacement[row]) * &self.motions;
                let most = sizes[row / 3];
                (0..6).any(|c| !(forces[c].abs() <= SOLUTION_TOLERANCE * most * largest(self.motions.column(c).iter())))
            });
            if let Some(row) = wrong {
                let found = "a rigid motion causes internal forces".to_string();
                self.report(
                    format!("section[{i}].displacement[{row}]"),
                    found,
                    "a rigid motion must not strain the \
                                                                                 body",
                );
            }
        }
    }

    /// Sizes of the forces and of the moments that a unit of displacement causes in the structure: values far below
    /// them are rounding, also at a section without load.
    fn force_sizes(&self) -> [f64; 2] {
        let (rom, k) = (self.rom, self.rom.stiffness());
        let all = |rows: std::ops::Range<usize>| {
            largest(rom.sections.iter().flat_map(|section| section.displacement[rows.clone()].iter().flatten()))
        };
        let translations = rom.interfaces.iter().flat_map(|interface| {
            let count = interface.active[..3].iter().filter(|active| **active).count();
            interface.first_column..interface.first_column + count
        });
        let held = translations.map(|column| k[(column, column)]).fold(0.0, larger);
        let (forces, moments) = (larger(all(0..3), held), all(3..6));
        [larger(forces, moments / self.length), larger(moments, forces * self.length)]
    }

    /// Geometric stiffness compared with its loads.
    fn stiffening(&mut self) {
        let rom = self.rom;
        let Some(stiffening) = &rom.stiffening else { return };
        let Some(support) = rom.interfaces.iter().find(|interface| interface.name == stiffening.support) else {
            return;
        };
        if !self.known.iter().all(|direction| support.active[*direction]) {
            return;
        }
        let from = Vec3::from(support.position);
        let inertial = [&stiffening.translation, &stiffening.rotation, &stiffening.angular_velocity];
        self.blocks("stiffening", inertial, &stiffening.loads, from);
        if let Some(other) = &stiffening.foreshortening {
            let inertial = [&other.translation, &other.rotation, &other.angular_velocity];
            self.blocks("stiffening.foreshortening", inertial, &other.loads, from);
        }
    }

    fn blocks(&mut self, table: &str, inertial: [&Vec<Packed>; 3], loads: &[StiffeningLoad], support: Vec3) {
        let rom = self.rom;
        let mass = rom.rigid.mass;
        let arm = self.first - mass * support;
        let plane = rom.source.dimension == 2;
        // Σ (x − support)·f, and the scale of such a sum.
        let mut all: Vec<(String, &Packed, f64, f64)> = Vec::new();
        for a in 0..3 {
            let size = mass * self.length;
            all.push((format!("{table}.translation[{a}]"), &inertial[0][a], -arm[a], size));
            let turned = support.dot(&Vec3::ith(a, 1.0).cross(&self.first));
            all.push((format!("{table}.rotation[{a}]"), &inertial[1][a], turned, size * self.length));
        }
        for (q, (a, b)) in [(0, 0), (1, 1), (2, 2), (0, 1), (1, 2), (0, 2)].into_iter().enumerate() {
            // ω×(ω×x) = W x.
            let mut w = Mat3::zeros();
            w[(a, b)] = 1.0;
            w[(b, a)] = 1.0;
            if a == b {
                w -= Mat3::identity();
            }
            let virial = support.dot(&(w * self.first)) - w.component_mul(&self.second).sum();
            all.push((format!("{table}.angular_velocity[{q}]"), &inertial[2][q], virial, mass * self.length.powi(2)));
        }
        for (i, load) in loads.iter().enumerate() {
            let at = rom.interfaces.iter().find(|interface: &&Interface| interface.name == load.interface);
            let direction = DIRECTIONS.iter().position(|direction| *direction == load.direction);
            if let (Some(at), Some(direction @ 0..3)) = (at, direction) {
                let arm = at.position[direction] - support[direction];
                all.push((format!("{table}.load[{i}].stiffness"), &load.stiffness, arm, self.length));
            }
        }
        let rotations: &[usize] = if plane { &[5] } else { &[3, 4, 5] };
        let share = if plane { 1.0 } else { 2.0 };
        for (key, block, virial, size) in all {
            let matrix = unpack(block, rom.size());
            let trace = rotations.iter().map(|c| self.motions.column(*c).dot(&(&matrix * self.motions.column(*c))));
            let (trace, virial) = (trace.sum::<f64>(), share * virial);
            if virial.abs() <= SOLUTION_TOLERANCE * size {
                continue;
            }
            let wrong = FACTORS.iter().find(|factor| (trace / virial / **factor - 1.0).abs() <= TOLERANCE);
            if let Some(factor) = wrong {
                let found = format!(
                    "the matrix is {factor} times the stiffness that its load causes: {trace} instead of {virial} \
                             over the rotations"
                );
                self.report(
                    key,
                    found,
                    "tension increases stiffness: write the stiffness per unit of the load, in SI \
                                         units",
                );
                return;
            }
        }
    }

    /// Data measured by the reduction, computed again.
    fn measured(&mut self) {
        let (rom, free) = (self.rom, &self.rom.checks.free_frequencies_hz);
        let (k, m, r) = (rom.stiffness(), rom.mass(), rom.independent_rigid_motions());
        if let Ok(condition) = scaled_condition(&m) {
            let of_file = rom.checks.mass_condition;
            if condition > MAX_CONDITION_NUMBER || !((of_file / condition - 1.0).abs() <= 0.01) {
                let found = format!("found {of_file:.3e}, but the mass matrix has {condition:.3e}");
                let expected = format!("write the condition number of M; the limit is {MAX_CONDITION_NUMBER:.0e}");
                self.report("checks.mass_condition", found, &expected);
            }
        }
        let elastic = rom.size() - r.ncols();
        if free.len() != elastic {
            let found = format!("found {} frequencies", free.len());
            let expected = format!("write {elastic}: {} coordinates minus {} rigid motions", rom.size(), r.ncols());
            return self.report("checks.free_frequencies_hz", found, &expected);
        }
        let Ok(of_matrices) = inverse_frequencies(&k, &m, &r) else { return };
        let of_file: f64 = free.iter().map(|hz| (TAU * hz).powi(-2)).sum();
        if !((of_file / of_matrices - 1.0).abs() <= SOLUTION_TOLERANCE) && elastic > 0 {
            let found = format!("the sum of 1/ω² is {of_file:e} s², but K and M give {of_matrices:e} s²");
            self.report("checks.free_frequencies_hz", found, "write the elastic frequencies of the free body");
        }
    }
}

/// Displacement in `direction` of a point at `place` in the unit rigid motion `motion`.
fn rigid(place: [f64; 3], direction: usize, motion: usize) -> f64 {
    let (unit, turn) = unit_motion(motion);
    if direction < 3 { (unit + turn * Vec3::from(place))[direction] } else { f64::from(u8::from(direction == motion)) }
}

/// a and B of the field u = a + B x of a unit rigid motion.
fn unit_motion(motion: usize) -> (Vec3, Mat3) {
    if motion < 3 {
        (Vec3::ith(motion, 1.0), Mat3::zeros())
    } else {
        (Vec3::zeros(), Vec3::ith(motion - 3, 1.0).cross_matrix())
    }
}
