//! Reference implementations of one evaluation by the global method of Hidalgo & García de Jalón (2013), eqs 16-29: all loops of
//! the system are one set of closure equations, without the blocks and clusters of the solver. Three kinds of linear algebra do
//! the same: plain loops over dense matrices ([`generic`]), faer's dense matrices ([`dense`]) and faer's sparse matrices
//! ([`sparse`]); in the paper C/C++, BLAS and MA48.
//!
//! Positions, loads, the recursions over the tree and M_open are the library's. Not treated: flexible bodies, and positions near
//! a singular one, where the solver closes loops by least change.

#[allow(dead_code)]
#[path = "../../src/math/check.rs"]
pub mod check;
pub mod dense;
pub mod generic;
mod layout;
pub mod sparse;

use ballesta::dynamics::{self, kinematics, mass};
use ballesta::system::{State, System, Workspace};
use check::larger;
pub use layout::Layout;

/// Newton iterations, and the closure errors relative to the size of a loop at which they stop: as in the solver.
const ITERATIONS: usize = 12;
const CLOSED: f64 = 1e-14;
const OPEN: f64 = 1e-10;

/// The matrices of one evaluation: Φ_zd r × r, R_z nv × ni, M ni × ni.
pub trait Algebra {
    /// For equations and coordinates as in `layout`.
    fn new(system: &System, layout: &Layout) -> Self;
    /// Takes the values of the entries of Φ_z and factors Φ_zd.
    fn factor(&mut self, layout: &Layout, values: &[f64]);
    /// x ← Φ_zd⁻¹ x.
    fn solve(&mut self, x: &mut [f64]);
    /// out ← Φ_zi ż_i with the guided coordinates among ż_i.
    fn calc_known_rates(&mut self, layout: &Layout, v: &[f64], out: &mut [f64]);
    /// R_z = [−Φ_zd⁻¹ Φ_zi; I].
    fn calc_null_space(&mut self, layout: &Layout);
    /// M = R_zᵀ M_open R_z and b = R_zᵀ Q_open; M_open nv × nv, symmetric.
    fn reduce(&mut self, open_mass: &[f64], force: &[f64]);
    /// z̈ ← z̈ + R_z M⁻¹ b.
    fn add_accelerations(&mut self, zdd: &mut [f64]);
}

/// One of the implementations with its matrices.
pub struct Reference<A> {
    layout: Layout,
    algebra: A,
    /// Values of the entries of Φ_z.
    jacobian: Vec<f64>,
    /// A value per equation.
    x: Vec<f64>,
}

impl<A: Algebra> Reference<A> {
    /// For the coordinates that are independent in `state`.
    pub fn new(system: &System, state: &State) -> Self {
        let layout = Layout::new(system, state);
        let algebra = A::new(system, &layout);
        let (jacobian, x) = (vec![0.0; layout.entries.len()], vec![0.0; layout.rows.len()]);
        Reference { layout, algebra, jacobian, x }
    }

    /// Where entries of Φ_z are.
    pub fn layout(&self) -> &Layout {
        &self.layout
    }

    /// One evaluation at the stage in the workspace, loops not yet closed: z̈ into `ws.zdd`, all rates into `ws.rates` (without
    /// the power of guided coordinates). `lap` is called after every piece of work with the number of its stage in
    /// `cli::stages::STAGES`.
    pub fn evaluate(&mut self, system: &System, state: &State, ws: &mut Workspace, mut lap: impl FnMut(usize)) {
        kinematics::calc_positions(system, ws);
        lap(1);
        self.close_positions(system, ws);
        lap(2);
        self.algebra.calc_null_space(&self.layout);
        lap(3);
        self.close_velocities(ws);
        kinematics::calc_velocities(system, ws);
        lap(4);
        mass::calc_inertias(system, ws);
        mass::calc_composites(system, ws);
        lap(1);
        dynamics::calc_loads(system, state, ws);
        lap(5);
        self.close_accelerations(system, ws);
        lap(6);
        kinematics::calc_accelerations(system, ws);
        dynamics::calc_residuals(system, ws);
        lap(7);
        mass::calc_mass(system, ws);
        dynamics::calc_open_forces(system, ws);
        self.algebra.reduce(&ws.mass, &ws.force);
        lap(8);
        self.algebra.add_accelerations(&mut ws.zdd);
        dynamics::calc_rates(system, ws, false);
        lap(9);
    }

    /// Newton on all loops at once; leaves the factors of the closed positions.
    fn close_positions(&mut self, system: &System, ws: &mut Workspace) {
        let mut previous = f64::INFINITY;
        for iteration in 0..=ITERATIONS {
            self.layout.calc_jacobian(system, ws, &mut self.jacobian);
            self.algebra.factor(&self.layout, &self.jacobian);
            let mut gap = 0.0f64;
            for ((x, &row), size) in self.x.iter_mut().zip(&self.layout.rows).zip(&self.layout.sizes) {
                *x = ws.rows[row].gap;
                gap = larger(gap, x.abs() / size);
            }
            let settled = gap >= 0.5 * previous && gap <= 1e3 * CLOSED;
            if gap <= CLOSED || settled || iteration == ITERATIONS {
                assert!(gap <= OPEN, "a loop stays open by {gap:e} of its size");
                return;
            }
            previous = gap;
            self.algebra.solve(&mut self.x);
            for (&v, change) in self.layout.dependent().iter().zip(&self.x) {
                let joint = &system.joints[self.layout.owners[v]];
                joint.add_increment(&mut ws.q, v - joint.v, -change);
            }
            kinematics::calc_positions(system, ws);
        }
    }

    /// ż_d = −Φ_zd⁻¹ Φ_zi ż_i.
    fn close_velocities(&mut self, ws: &mut Workspace) {
        self.algebra.calc_known_rates(&self.layout, &ws.v, &mut self.x);
        self.algebra.solve(&mut self.x);
        for (&v, rate) in self.layout.dependent().iter().zip(&self.x) {
            ws.v[v] = -rate;
        }
    }

    /// z̈_d = −Φ_zd⁻¹ Φ̇_z ż, with z̈_i = 0 and the guided ones as given.
    fn close_accelerations(&mut self, system: &System, ws: &mut Workspace) {
        ws.zdd.fill(0.0);
        for (index, guided) in system.guided.iter().enumerate() {
            ws.zdd[guided.coordinate.velocity] = ws.guided[index][2];
        }
        kinematics::calc_accelerations(system, ws);
        for (x, &row) in self.x.iter_mut().zip(&self.layout.rows) {
            *x = system.rows[row].acceleration(&ws.rows[row], &ws.bodies, &ws.accelerations, &ws.zdd);
        }
        self.algebra.solve(&mut self.x);
        for (&v, acceleration) in self.layout.dependent().iter().zip(&self.x) {
            ws.zdd[v] = -acceleration;
        }
    }
}
