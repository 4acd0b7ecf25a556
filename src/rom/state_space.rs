//! Linear state space of a reduced body with some of its interfaces held.
//!
//! ```text
//!     ẋ = A x + B u,  y = C x + D u,      x = (η; η̇),   q = Φ η
//!     A = [ 0 , I ; −Ω² , −Γ ],   B = [ 0 ; Φᵤᵀ ],   C = [ Φ_y , 0 ; 0 , Φ_y ; −Φ_y Ω² , −Φ_y Γ ],   D = [ 0 ; 0 ; Φ_y Φᵤᵀ ]
//! ```
//!
//! Φ are the M-orthonormal modes of the model with its held coordinates at zero; rigid motions that the held interfaces leave
//! free come first, with Ω = 0. Inputs are the forces (N) and moments (N·m) at the interfaces that are not held, outputs the
//! displacements of these interfaces and of the output nodes (m, rad) with their first and second derivatives, in C.
//!
//! Damping is Γ = Φᵀ C Φ, all of it. Of a free body with modal damping Γ is diagonal, 2 ξᵢ ωᵢ; held interfaces change the modes
//! and not C, so that Γ then couples them; [`StateSpace::damping_coupling`] says how much.
//!
//! The accelerations depend on the inputs at once: D ≠ 0, which closes an algebraic loop in a host that computes the forces from
//! the accelerations. Two filters make D = 0: K/(s+K) on every output, or K³/(s+K)³ on the displacements, whose first and second
//! derivative are then the velocity and acceleration outputs, consistent with each other.
//!
//! Source: Ghidella et al., eqs 5 and 6 (the text there
//! has η̈ + 2Γη̇, the matrix Γ: the latter is right, and is diag(2ξω) there).

use super::modes::{ModesError, elastic_modes};
use super::schema::Rom;
use super::validate::DIRECTIONS;
use nalgebra::DMatrix;

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

/// What the state space is to hold.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Options {
    /// Names of the interfaces that are held.
    pub fixed: Vec<String>,
    /// Leave out rigid motions: what remains is the elastic part of the response only.
    pub elastic_only: bool,
    /// Filter on the outputs.
    pub filter: Filter,
}

/// Why there is no state space.
#[derive(Clone, Debug, PartialEq)]
pub enum StateSpaceError {
    /// This interface does not exist.
    UnknownInterface(String),
    /// All interfaces are held and there is no output node: no input or no output.
    NothingFree,
    /// The modes cannot be computed.
    Modes(ModesError),
}

impl std::fmt::Display for StateSpaceError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            StateSpaceError::UnknownInterface(name) => write!(f, "the model has no interface \"{name}\""),
            StateSpaceError::NothingFree => write!(f, "all interfaces are held: no force can enter"),
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
        let known = |name: &String| rom.interfaces.iter().any(|interface| interface.name == *name);
        if let Some(name) = options.fixed.iter().find(|name| !known(name)) {
            return Err(StateSpaceError::UnknownInterface(name.clone()));
        }
        let held: Vec<usize> =
            rom.interfaces.iter().filter(|i| options.fixed.contains(&i.name)).flat_map(|i| i.columns()).collect();
        let free: Vec<usize> = (0..rom.size()).filter(|i| !held.contains(i)).collect();
        let ports = Ports::new(rom, options);
        if ports.inputs.is_empty() {
            return Err(StateSpaceError::NothingFree);
        }
        let modes = modal_form(rom, &held, &free, options.elastic_only)?;
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

    /// K/(s+K) behind every output: one more state each.
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

    /// Three filters K/(s+K) in a row behind each of the `count` displacements; derivatives from their states f₁, f₂, f₃:
    /// y = f₃, ẏ = K (f₂ − f₃), ÿ = K² (f₁ − 2 f₂ + f₃).
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

    /// Whether an input acts on an output at once.
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

/// Where forces enter and displacements leave: rows over all coordinates q.
struct Ports {
    inputs: Vec<String>,
    outputs: Vec<String>,
    input_rows: DMatrix<f64>,
    output_rows: DMatrix<f64>,
}

impl Ports {
    fn new(rom: &Rom, options: &Options) -> Ports {
        let (mut inputs, mut places, mut rows) = (Vec::new(), Vec::new(), Vec::new());
        for interface in rom.interfaces.iter().filter(|interface| !options.fixed.contains(&interface.name)) {
            for (direction, name) in DIRECTIONS.iter().enumerate() {
                let Some(column) = interface.column(direction) else { continue };
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
            // A direction that no coordinate moves is none of the body's.
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

fn modal_form(rom: &Rom, held: &[usize], free: &[usize], elastic_only: bool) -> Result<Modal, StateSpaceError> {
    let part = |matrix: DMatrix<f64>| matrix.select_rows(free).select_columns(free);
    let (k, m, c) = (part(rom.stiffness()), part(rom.mass()), part(rom.damping()));
    let motions = rom.independent_rigid_motions();
    let rigid = motions.select_rows(free) * left_free(&motions.select_rows(held), motions.ncols());
    let elastic = elastic_modes(&k, &m, &rigid).map_err(StateSpaceError::Modes)?;
    let (mut omega, mut shapes) = (elastic.omega, elastic.shapes);
    if !elastic_only && rigid.ncols() > 0 {
        let gram = rigid.tr_mul(&(&m * &rigid));
        let l = super::modes::cholesky(&gram)
            .map_err(|coordinate| StateSpaceError::Modes(ModesError::Rigid { rank: coordinate }))?;
        let unit = l.solve_lower_triangular(&rigid.transpose()).expect("a Cholesky factor has a positive diagonal");
        let elastic = std::mem::replace(&mut shapes, DMatrix::zeros(free.len(), rigid.ncols() + omega.len()));
        shapes.columns_mut(0, rigid.ncols()).copy_from(&unit.transpose());
        shapes.columns_mut(rigid.ncols(), omega.len()).copy_from(&elastic);
        omega.splice(0..0, std::iter::repeat_n(0.0, rigid.ncols()));
    }
    let mut damping = shapes.tr_mul(&(c * &shapes));
    damping = 0.5 * (&damping + damping.transpose());
    // Rigid motions are not damped: what is there is round-off.
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

/// Combinations (columns) of the rigid motions that leave the held coordinates where they are.
fn left_free(held: &DMatrix<f64>, count: usize) -> DMatrix<f64> {
    let mut scaled = DMatrix::zeros(held.nrows().max(count), count);
    scaled.rows_mut(0, held.nrows()).copy_from(held);
    let scale: Vec<f64> =
        scaled.column_iter().map(|column| if column.amax() > 0.0 { column.amax() } else { 1.0 }).collect();
    scaled.column_iter_mut().zip(&scale).for_each(|(mut column, scale)| column /= *scale);
    let svd = scaled.svd(false, true);
    let v = svd.v_t.expect("asked for").transpose();
    let free: Vec<usize> = (0..count).filter(|i| svd.singular_values[*i] < 1e-9).collect();
    let mut free = v.select_columns(&free);
    free.row_iter_mut().zip(&scale).for_each(|(mut row, scale)| row /= *scale);
    free
}
