//! Linear state space of a reduced body with some of its interfaces held.
//!
//! ```text
//!     ẋ = A x + B u,  y = C x + D u,      x = (η; η̇),   q = Φ η
//!     A = [ 0 , I ; −Ω² , −Γ ],   B = [ 0 ; Φᵤᵀ ],   C = [ Φ_y , 0 ; 0 , Φ_y ; −Φ_y Ω² , −Φ_y Γ ],
//!     D = [ 0 ; 0 ; Φ_y Φᵤᵀ ]
//! ```
//!
//! Φ are the M-orthonormal modes of the model with its held coordinates at zero; rigid motions that the held interfaces
//! leave free come first, with Ω = 0. Inputs are the forces (N) and moments (N·m) at the interfaces that are not held.
//! Outputs are the displacements of these interfaces and of the output nodes (m, rad) with their first and second
//! derivatives, in C.
//!
//! Mounting. An interface may have held translations and rotations on torsional springs (K_ii + k, N·m/rad). It may
//! also have a mass (M_ii + m, kg, at its translations) and a moment of inertia (kg·m², at its rotations). Both
//! together are the spring-mounted, body-loaded beam of Ghidella et al. A factor on K, before the springs are added,
//! represents a body with another Young's modulus or another mesh; C does not change.
//!
//! Damping is the full matrix Γ = Φᵀ C Φ. For a free body with modal damping Γ is diagonal, 2 ξᵢ ωᵢ. Held interfaces
//! change the modes but not C, so that Γ couples the modes; [`StateSpace::damping_coupling`] is the measure. With
//! [`Options::modal_damping`] Γ is diag(2 ξᵢ ωᵢ) of the modes of the mounted body instead, the proportional damping of
//! the paper.
//!
//! The accelerations depend directly on the inputs: D ≠ 0, which closes an algebraic loop in a host that computes the
//! forces from the accelerations. Two filters make D = 0: K/(s+K) on every output, or K³/(s+K)³ on the displacements.
//! The first and second derivatives of the filtered displacements are then the consistent velocity and acceleration
//! outputs.
//!
//! Source: Ghidella et al., eqs 5 and 6 (the text there has η̈ + 2Γη̇, but the matrix has Γ, which is correct and is
//! diag(2ξω) there).

use ballesta::rom::DIRECTIONS;
use ballesta::rom::Rom;
use ballesta::rom::elastic_modes::{ModesError, elastic_modes};
use nalgebra::{DMatrix, DVector};

/// A filter on the outputs.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub enum Filter {
    /// None: D ≠ 0.
    #[default]
    None,
    /// K/(s+K) on every output; K in rad/s.
    First(f64),
    /// K³/(s+K)³ on the displacements, from which velocities and accelerations follow; K in rad/s.
    Third(f64),
}

/// Options of a state space.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Options {
    /// Names of the interfaces that are fixed.
    pub fixed: Vec<String>,
    /// Interfaces whose translations are held and whose rotations are on torsional springs, each with its stiffness in
    /// N·m/rad.
    pub base_springs: Vec<(String, f64)>,
    /// Interfaces that carry a point mass, in kg.
    pub tip_masses: Vec<(String, f64)>,
    /// Interfaces that carry a moment of inertia about every axis, in kg·m².
    pub tip_inertias: Vec<(String, f64)>,
    /// Factor on the stiffness of the body, > 0; `None`: 1.
    pub stiffness_factor: Option<f64>,
    /// Number of kept elastic modes, lowest first; `None`: all.
    pub modes: Option<usize>,
    /// Damping ratios ξ of the elastic modes instead of the damping of the model: Γ = diag(2 ξᵢ ωᵢ). Empty: damping of
    /// the model; one value: all modes; otherwise one per kept mode.
    pub modal_damping: Vec<f64>,
    /// Whether to omit rigid motions, so that the outputs have only the elastic part of the response.
    pub elastic_only: bool,
    /// Filter on the outputs.
    pub filter: Filter,
}

/// Reasons why there is no state space.
#[derive(Clone, Debug, PartialEq)]
pub enum StateSpaceError {
    /// This interface does not exist.
    UnknownInterface(String),
    /// This interface is fixed, so it cannot have a spring or a moving mass.
    Held(String),
    /// This interface with a spring or a moment of inertia has no rotations.
    NoRotation(String),
    /// More modes are requested (first) than the body has (second).
    TooFewModes(usize, usize),
    /// The number of damping ratios (first) is neither 1 nor the number of modes (second).
    DampingRatios(usize, usize),
    /// All interfaces are held and there is no output node: no input or no output.
    NothingFree,
    /// The modes cannot be computed.
    Modes(ModesError),
}

impl std::fmt::Display for StateSpaceError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            StateSpaceError::UnknownInterface(name) => write!(f, "the model has no interface \"{name}\""),
            StateSpaceError::Held(name) => write!(f, "the interface \"{name}\" is already held"),
            StateSpaceError::NoRotation(name) => {
                write!(f, "the interface \"{name}\" has no rotation; remove its torsional spring and moment of inertia")
            }
            StateSpaceError::TooFewModes(wanted, present) => {
                write!(f, "{wanted} elastic modes requested, but with these interfaces held the body has {present}")
            }
            StateSpaceError::DampingRatios(found, modes) => {
                write!(f, "{found} damping ratios for {modes} elastic modes; give 1 or {modes}")
            }
            StateSpaceError::NothingFree => write!(f, "all interfaces are held: no interface is left for a force"),
            StateSpaceError::Modes(error) => error.fmt(f),
        }
    }
}

impl std::error::Error for StateSpaceError {}

/// The system with its names.
#[derive(Clone, Debug, PartialEq)]
pub struct StateSpace {
    /// Name of the body.
    pub name: String,
    /// Held interfaces.
    pub fixed: Vec<String>,
    /// Interfaces on torsional springs, N·m/rad.
    pub base_springs: Vec<(String, f64)>,
    /// Point masses at interfaces, kg.
    pub tip_masses: Vec<(String, f64)>,
    /// Moments of inertia at interfaces, about every axis, kg·m².
    pub tip_inertias: Vec<(String, f64)>,
    /// Factor on the stiffness of the body.
    pub stiffness_factor: f64,
    /// Filter on the outputs.
    pub filter: Filter,
    /// Natural frequencies in Hz, rigid motions (0) first.
    pub frequencies_hz: Vec<f64>,
    /// ξᵢ = Γᵢᵢ / 2ωᵢ of each mode; 0 for rigid motions.
    pub damping_ratios: Vec<f64>,
    /// Largest |Γᵢⱼ| / √(Γᵢᵢ Γⱼⱼ), i ≠ j: how far the damping is from modal.
    pub damping_coupling: f64,
    /// Names of the inputs, like `tip.Fx` (N) and `tip.Tz` (N·m).
    pub inputs: Vec<String>,
    /// Names of the outputs, like `tip.position.x` (m), `tip.velocity.rz` (rad/s).
    pub outputs: Vec<String>,
    /// n × n.
    pub a: DMatrix<f64>,
    /// n × inputs.
    pub b: DMatrix<f64>,
    /// outputs × n.
    pub c: DMatrix<f64>,
    /// outputs × inputs.
    pub d: DMatrix<f64>,
}

const QUANTITIES: [&str; 3] = ["position", "velocity", "acceleration"];

impl StateSpace {
    /// State space of a reduced model.
    ///
    /// # Errors
    /// See [`StateSpaceError`].
    pub fn new(rom: &Rom, options: &Options) -> Result<StateSpace, StateSpaceError> {
        let mounting = Mounting::new(rom, options)?;
        let free: Vec<usize> = (0..rom.size()).filter(|i| !mounting.held.contains(i)).collect();
        let ports = Ports::new(rom, &mounting);
        if ports.inputs.is_empty() {
            return Err(StateSpaceError::NothingFree);
        }
        let mut modes = modal_form(rom, &mounting, &free, options.elastic_only)?;
        modes.keep(options.modes)?;
        modes.damp(&options.modal_damping)?;
        let at = |rows: &DMatrix<f64>| rows.select_columns(&free) * &modes.shapes;
        let (phi_u, phi_y) = (at(&ports.input_rows), at(&ports.output_rows));

        let n = modes.omega.len();
        let mut a = DMatrix::zeros(2 * n, 2 * n);
        for (i, omega) in modes.omega.iter().enumerate() {
            a[(i, n + i)] = 1.0;
            a[(n + i, i)] = -omega * omega;
        }
        a.view_mut((n, n), (n, n)).copy_from(&-&modes.damping);
        let mut b = DMatrix::zeros(2 * n, phi_u.nrows());
        b.rows_mut(n, n).copy_from(&phi_u.transpose());
        let mut position = DMatrix::zeros(phi_y.nrows(), 2 * n);
        position.columns_mut(0, n).copy_from(&phi_y);
        // Derivatives of y = C x are C A x + C B u; C B is zero for displacements.
        let velocity = &position * &a;
        let acceleration = &velocity * &a;
        let direct = &velocity * &b;
        let ratio = |i: usize| if modes.omega[i] > 0.0 { modes.damping[(i, i)] / (2.0 * modes.omega[i]) } else { 0.0 };
        let system = StateSpace {
            name: rom.name.clone(),
            fixed: options.fixed.clone(),
            base_springs: options.base_springs.clone(),
            tip_masses: options.tip_masses.clone(),
            tip_inertias: options.tip_inertias.clone(),
            stiffness_factor: mounting.stiffness_factor,
            filter: options.filter,
            frequencies_hz: modes.omega.iter().map(|omega| omega / (2.0 * std::f64::consts::PI)).collect(),
            damping_ratios: (0..n).map(ratio).collect(),
            damping_coupling: coupling(&modes.damping),
            inputs: ports.inputs,
            outputs: ports.outputs,
            d: stack(&[&DMatrix::zeros(2 * direct.nrows(), direct.ncols()), &direct]),
            c: stack(&[&position, &velocity, &acceleration]),
            a,
            b,
        };
        Ok(match options.filter {
            Filter::None => system,
            Filter::First(cutoff) => system.filtered(cutoff),
            Filter::Third(cutoff) => system.filtered_thrice(cutoff, phi_y.nrows()),
        })
    }

    /// Adds K/(s+K) after every output: one more state per output.
    fn filtered(self, cutoff: f64) -> StateSpace {
        let (n, outputs) = (self.a.nrows(), self.c.nrows());
        let mut a = DMatrix::zeros(n + outputs, n + outputs);
        a.view_mut((0, 0), (n, n)).copy_from(&self.a);
        a.view_mut((n, 0), (outputs, n)).copy_from(&(&self.c * cutoff));
        (n..n + outputs).for_each(|i| a[(i, i)] = -cutoff);
        let b = stack(&[&self.b, &(&self.d * cutoff)]);
        let c = DMatrix::from_fn(outputs, n + outputs, |i, j| f64::from(u8::from(j == n + i)));
        let d = DMatrix::zeros(outputs, self.d.ncols());
        StateSpace { a, b, c, d, ..self }
    }

    /// Adds three filters K/(s+K) in series after each of the `count` displacements; derivatives from their states f₁,
    /// f₂, f₃: y = f₃, ẏ = K (f₂ − f₃), ÿ = K² (f₁ − 2 f₂ + f₃).
    fn filtered_thrice(self, cutoff: f64, count: usize) -> StateSpace {
        let n = self.a.nrows();
        let size = n + 3 * count;
        let mut a = DMatrix::zeros(size, size);
        a.view_mut((0, 0), (n, n)).copy_from(&self.a);
        a.view_mut((n, 0), (count, n)).copy_from(&(self.c.rows(0, count) * cutoff));
        for i in 0..3 * count {
            a[(n + i, n + i)] = -cutoff;
            if i >= count {
                a[(n + i, n + i - count)] = cutoff;
            }
        }
        let b = stack(&[&self.b, &DMatrix::zeros(3 * count, self.b.ncols())]);
        let mut c = DMatrix::zeros(3 * count, size);
        let square = cutoff * cutoff;
        for i in 0..count {
            let f = |k: usize| n + k * count + i;
            c[(i, f(2))] = 1.0;
            (c[(count + i, f(1))], c[(count + i, f(2))]) = (cutoff, -cutoff);
            let row = 2 * count + i;
            (c[(row, f(0))], c[(row, f(1))], c[(row, f(2))]) = (square, -2.0 * square, square);
        }
        let d = DMatrix::zeros(3 * count, self.d.ncols());
        StateSpace { a, b, c, d, ..self }
    }

    /// Static outputs under constant inputs (index, N or N·m), −C A⁻¹ B u; `None` if a rigid motion is free.
    pub fn static_response(&self, load: &[(usize, f64)]) -> Option<DVector<f64>> {
        if self.frequencies_hz.contains(&0.0) {
            return None;
        }
        let mut inputs = DVector::zeros(self.b.ncols());
        load.iter().for_each(|(input, value)| inputs[*input] += value);
        let state = self.a.clone().lu().solve(&(&self.b * inputs))?;
        Some(-(&self.c * state))
    }

    /// Whether there is direct feedthrough from an input to an output.
    pub fn has_direct_feedthrough(&self) -> bool {
        self.d.amax() > 0.0
    }
}

/// One matrix below the other.
fn stack(parts: &[&DMatrix<f64>]) -> DMatrix<f64> {
    let rows = parts.iter().map(|part| part.nrows()).sum();
    let mut all = DMatrix::zeros(rows, parts[0].ncols());
    let mut at = 0;
    for part in parts {
        all.rows_mut(at, part.nrows()).copy_from(part);
        at += part.nrows();
    }
    all
}

/// Mounting of the body, by coordinates.
struct Mounting {
    /// Coordinates fixed at zero.
    held: Vec<usize>,
    /// On torsional springs to the ground: coordinate, N·m/rad.
    springs: Vec<(usize, f64)>,
    /// With an additional mass or moment of inertia: coordinate, kg or kg·m².
    masses: Vec<(usize, f64)>,
    stiffness_factor: f64,
}

impl Mounting {
    fn new(rom: &Rom, options: &Options) -> Result<Mounting, StateSpaceError> {
        let find = |name: &String| {
            let interface = rom.interfaces.iter().find(|interface| interface.name == *name);
            interface.ok_or_else(|| StateSpaceError::UnknownInterface(name.clone()))
        };
        let stiffness_factor = options.stiffness_factor.unwrap_or(1.0);
        let mut mounting = Mounting { held: Vec::new(), springs: Vec::new(), masses: Vec::new(), stiffness_factor };
        // Fixed interfaces have no coordinates.
        for name in &options.fixed {
            mounting.held.extend(find(name)?.columns());
        }
        // A base spring holds translations and is elastic in rotation.
        for (name, stiffness) in &options.base_springs {
            let interface = find(name)?;
            if options.fixed.contains(name) {
                return Err(StateSpaceError::Held(name.clone()));
            }
            let rotations: Vec<usize> = (3..6).filter_map(|direction| interface.column(direction)).collect();
            if rotations.is_empty() {
                return Err(StateSpaceError::NoRotation(name.clone()));
            }
            mounting.held.extend((0..3).filter_map(|direction| interface.column(direction)));
            mounting.springs.extend(rotations.into_iter().map(|column| (column, *stiffness)));
        }
        // Tip masses and inertias load free interfaces only.
        for (list, directions) in [(&options.tip_masses, 0..3), (&options.tip_inertias, 3..6)] {
            for (name, value) in list {
                let interface = find(name)?;
                if options.fixed.contains(name) || options.base_springs.iter().any(|(base, _)| base == name) {
                    return Err(StateSpaceError::Held(name.clone()));
                }
                let columns: Vec<usize> = directions.clone().filter_map(|d| interface.column(d)).collect();
                if columns.is_empty() {
                    return Err(StateSpaceError::NoRotation(name.clone()));
                }
                mounting.masses.extend(columns.into_iter().map(|column| (column, *value)));
            }
        }
        Ok(mounting)
    }

    /// Stiffness and mass matrix with springs, masses and moments of inertia, over all coordinates.
    fn matrices(&self, rom: &Rom) -> (DMatrix<f64>, DMatrix<f64>) {
        let (mut k, mut m) = (rom.stiffness(), rom.mass());
        k *= self.stiffness_factor;
        self.springs.iter().for_each(|&(column, stiffness)| k[(column, column)] += stiffness);
        self.masses.iter().for_each(|&(column, mass)| m[(column, column)] += mass);
        (k, m)
    }
}

/// Rows over all coordinates q for the inputs (forces) and outputs (displacements).
struct Ports {
    inputs: Vec<String>,
    outputs: Vec<String>,
    input_rows: DMatrix<f64>,
    output_rows: DMatrix<f64>,
}

impl Ports {
    fn new(rom: &Rom, mounting: &Mounting) -> Ports {
        let (mut inputs, mut places, mut rows) = (Vec::new(), Vec::new(), Vec::new());
        for interface in &rom.interfaces {
            for (direction, name) in DIRECTIONS.iter().enumerate() {
                let Some(column) = interface.column(direction).filter(|column| !mounting.held.contains(column)) else {
                    continue;
                };
                let (kind, axis) = if direction < 3 { ('F', *name) } else { ('T', &name[1..]) };
                inputs.push(format!("{}.{kind}{axis}", interface.name));
                places.push((interface.name.as_str(), *name));
                let mut row = vec![0.0; rom.size()];
                row[column] = 1.0;
                rows.push(row);
            }
        }
        let input_rows = DMatrix::from_fn(rows.len(), rom.size(), |i, j| rows[i][j]);
        for node in &rom.nodes {
            // The body does not have a direction that no coordinate moves.
            for (row, name) in node.displacement.iter().zip(DIRECTIONS).filter(|(row, _)| row.iter().any(|x| *x != 0.0))
            {
                places.push((node.name.as_str(), name));
                rows.push(row.clone());
            }
        }
        let named =
            |quantity: &'static str| places.iter().map(move |(place, axis)| format!("{place}.{quantity}.{axis}"));
        let outputs = QUANTITIES.into_iter().flat_map(named).collect();
        let output_rows = DMatrix::from_fn(rows.len(), rom.size(), |i, j| rows[i][j]);
        Ports { inputs, outputs, input_rows, output_rows }
    }
}

/// Modes of the free coordinates, M-orthonormal.
struct Modal {
    omega: Vec<f64>,
    shapes: DMatrix<f64>,
    /// Γ = Φᵀ C Φ.
    damping: DMatrix<f64>,
}

impl Modal {
    fn rigid(&self) -> usize {
        self.omega.iter().filter(|omega| **omega == 0.0).count()
    }

    /// Rigid motions and the `wanted` lowest elastic modes.
    fn keep(&mut self, wanted: Option<usize>) -> Result<(), StateSpaceError> {
        let (Some(wanted), rigid) = (wanted, self.rigid()) else { return Ok(()) };
        let present = self.omega.len() - rigid;
        if wanted > present {
            return Err(StateSpaceError::TooFewModes(wanted, present));
        }
        let count = rigid + wanted;
        self.omega.truncate(count);
        self.shapes = self.shapes.columns(0, count).into_owned();
        self.damping = self.damping.view((0, 0), (count, count)).into_owned();
        Ok(())
    }

    /// Γ = diag(2 ξᵢ ωᵢ), unless there are no ratios.
    fn damp(&mut self, ratios: &[f64]) -> Result<(), StateSpaceError> {
        let rigid = self.rigid();
        let elastic = self.omega.len() - rigid;
        if ratios.is_empty() {
            return Ok(());
        }
        if ratios.len() != 1 && ratios.len() != elastic {
            return Err(StateSpaceError::DampingRatios(ratios.len(), elastic));
        }
        self.damping.fill(0.0);
        for (i, omega) in self.omega.iter().enumerate().skip(rigid) {
            let ratio = if ratios.len() == 1 { ratios[0] } else { ratios[i - rigid] };
            self.damping[(i, i)] = 2.0 * ratio * omega;
        }
        Ok(())
    }
}

fn modal_form(rom: &Rom, mounting: &Mounting, free: &[usize], elastic_only: bool) -> Result<Modal, StateSpaceError> {
    let part = |matrix: DMatrix<f64>| matrix.select_rows(free).select_columns(free);
    let (k, m) = mounting.matrices(rom);
    let (k, m, c) = (part(k), part(m), part(rom.damping()));
    let motions = rom.independent_rigid_motions();
    // A spring lets the body move, but not as a rigid motion without force.
    let stopped: Vec<usize> =
        mounting.held.iter().copied().chain(mounting.springs.iter().map(|(column, _)| *column)).collect();
    let rigid = motions.select_rows(free) * left_free(&motions.select_rows(&stopped), motions.ncols());
    let elastic = elastic_modes(&k, &m, &rigid).map_err(StateSpaceError::Modes)?;
    let (mut omega, mut shapes) = (elastic.omega, elastic.shapes);
    if !elastic_only && rigid.ncols() > 0 {
        let gram = rigid.tr_mul(&(&m * &rigid));
        let l = ballesta::rom::elastic_modes::cholesky(&gram)
            .map_err(|coordinate| StateSpaceError::Modes(ModesError::Rigid { rank: coordinate }))?;
        let unit = l.solve_lower_triangular(&rigid.transpose()).expect("a Cholesky factor has a positive diagonal");
        let elastic = std::mem::replace(&mut shapes, DMatrix::zeros(free.len(), rigid.ncols() + omega.len()));
        shapes.columns_mut(0, rigid.ncols()).copy_from(&unit.transpose());
        shapes.columns_mut(rigid.ncols(), omega.len()).copy_from(&elastic);
        omega.splice(0..0, std::iter::repeat_n(0.0, rigid.ncols()));
    }
    let mut damping = shapes.tr_mul(&(c * &shapes));
    damping = 0.5 * (&damping + damping.transpose());
    // Rigid motions are not damped: nonzero values are round-off.
    for i in (0..omega.len()).filter(|i| omega[*i] == 0.0) {
        damping.row_mut(i).fill(0.0);
        damping.column_mut(i).fill(0.0);
    }
    Ok(Modal { omega, shapes, damping })
}

/// Largest |Γᵢⱼ| / √(Γᵢᵢ Γⱼⱼ), i ≠ j.
fn coupling(damping: &DMatrix<f64>) -> f64 {
    let mut largest = 0.0_f64;
    for (i, j) in (0..damping.nrows()).flat_map(|i| (0..i).map(move |j| (i, j))) {
        let own = (damping[(i, i)] * damping[(j, j)]).sqrt();
        largest = largest.max(if own > 0.0 { damping[(i, j)].abs() / own } else { 0.0 });
    }
    largest
}

/// Singular value of the rows of the held coordinates, scaled to columns of largest entry 1, below which a rigid motion
/// does not move them. A held motion has 1 or, if the held interfaces are close together, their distance divided by
/// their distance from the origin of C. A free motion has round-off, about 1e-15.
const FREE_MOTION_TOLERANCE: f64 = 1e-9;

/// Combinations (columns) of the rigid motions that do not move the held coordinates.
fn left_free(held: &DMatrix<f64>, count: usize) -> DMatrix<f64> {
    let mut scaled = DMatrix::zeros(held.nrows().max(count), count);
    scaled.rows_mut(0, held.nrows()).copy_from(held);
    let scale: Vec<f64> =
        scaled.column_iter().map(|column| if column.amax() > 0.0 { column.amax() } else { 1.0 }).collect();
    scaled.column_iter_mut().zip(&scale).for_each(|(mut column, scale)| column /= *scale);
    // After an overflow no motion counts as free, because the decomposition might not terminate.
    if !scaled.iter().all(|value| value.is_finite()) {
        return DMatrix::zeros(count, 0);
    }
    let svd = scaled.svd(false, true);
    let v = svd.v_t.expect("asked for").transpose();
    let free: Vec<usize> = (0..count).filter(|i| svd.singular_values[*i] < FREE_MOTION_TOLERANCE).collect();
    let mut free = v.select_columns(&free);
    free.row_iter_mut().zip(&scale).for_each(|(mut row, scale)| row /= *scale);
    free
}
