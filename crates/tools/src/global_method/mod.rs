//! One evaluation by the global method of Hidalgo & García de Jalón (2013), eqs 16-29, for comparison with the solver.
//!
//! All loops of the system are one set of closure equations Φ(z) = 0, m equations of rank r in nv coordinates of the
//! tree, without the blocks and clusters of the solver. The r equations of the pivots give the dependent coordinates:
//! Φ_zd is r × r, R_z = [−Φ_zd⁻¹ Φ_zi; I] is nv × ni, and (R_zᵀ M_open R_z) z̈_i = R_zᵀ Q_open. Three kinds of linear
//! algebra are available: plain loops over dense matrices ([`generic`]), faer's dense matrices ([`dense`]) and faer's
//! sparse matrices ([`sparse`]); in the paper C/C++, BLAS and MA48.
//!
//! Positions, loads, the recursions over the tree and M_open are the library's. The method rejects flexible bodies, and
//! positions near a singular one, where the solver closes loops by least change ([`Refusal`]). The power of driven
//! coordinates is not summed.
//!
//! For offline comparison only: it allocates, and no step calls it. `crates/tools/tests/global_method.rs` verifies that
//! the accelerations agree with the solver to 1e-10 of the largest.

pub mod dense;
pub mod generic;
mod jacobian_layout;
pub mod sparse;
pub mod timer;

use ballesta::dynamics::{self, kinematics, mass};
use ballesta::system::{State, System, Workspace};
pub use jacobian_layout::{Entry, Layout};

/// Newton iterations, and the closure errors relative to the size of a loop at which they stop, as in the solver.
const ITERATIONS: usize = 12;
const CLOSED: f64 = 1e-14;
const OPEN: f64 = 1e-10;

/// The reason why the global method gives no accelerations.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Refusal {
    /// Flexible body `body` of the system: the method is for rigid bodies.
    Flexible { body: usize },
    /// Block `block` of loops is near a singular position at `time` in s.
    NearSingular { block: usize, time: f64 },
    /// Newton's method left block `block` open by `gap` in m at `time` in s.
    Open { block: usize, gap: f64, time: f64 },
    /// A matrix has no factors at `time` in s.
    Broken { breakdown: Breakdown, time: f64 },
}

/// The matrix that has no factors.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Breakdown {
    /// Φ_zd is singular.
    Singular,
    /// M is not positive definite.
    Indefinite,
}

impl Refusal {
    /// The reason in words, with the names of bodies and loops.
    pub fn describe(&self, system: &System) -> String {
        let loops = |block: usize| {
            let names = system.blocks[block].constraints.iter().map(|&c| format!("`{}`", system.constraints[c].name));
            names.collect::<Vec<_>>().join(", ")
        };
        match *self {
            Refusal::Flexible { body } => format!(
                "the global method supports rigid bodies only; `{}` is a flexible body",
                system.flexible[body].name
            ),
            Refusal::NearSingular { block, time } => format!(
                "the loop closed by {} is near a singular position at t = {time} s, where the global method cannot \
                 choose dependent coordinates",
                loops(block)
            ),
            Refusal::Open { block, gap, time } => format!(
                "the global method could not close the loop of {} at t = {time} s: a gap of {gap:.3e} m remains",
                loops(block)
            ),
            Refusal::Broken { breakdown, time } => {
                let matrix = match breakdown {
                    Breakdown::Singular => "the Jacobian Φ_zd of the closure equations is singular",
                    Breakdown::Indefinite => "the reduced mass matrix is not positive definite",
                };
                format!("{matrix} at t = {time} s: the global method cannot compute accelerations")
            }
        }
    }
}

/// The matrices of one evaluation: Φ_zd r × r, R_z nv × ni, M ni × ni.
pub trait Algebra {
    /// For equations and coordinates as in `layout`.
    fn new(system: &System, layout: &Layout) -> Self;
    /// Reads the values of the entries of Φ_z and factors Φ_zd.
    fn factor(&mut self, layout: &Layout, values: &[f64]) -> Result<(), Breakdown>;
    /// x ← Φ_zd⁻¹ x.
    fn solve(&mut self, x: &mut [f64]);
    /// out ← Φ_zi ż_i with the driven coordinates among ż_i.
    fn calc_known_rates(&mut self, layout: &Layout, v: &[f64], out: &mut [f64]);
    /// R_z = [−Φ_zd⁻¹ Φ_zi; I].
    fn calc_null_space(&mut self, layout: &Layout);
    /// M = R_zᵀ M_open R_z and b = R_zᵀ Q_open; M_open nv × nv, symmetric.
    fn reduce(&mut self, open_mass: &[f64], force: &[f64]);
    /// z̈ ← z̈ + R_z M⁻¹ b.
    fn add_accelerations(&mut self, zdd: &mut [f64]) -> Result<(), Breakdown>;
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
    pub fn new(system: &System, state: &State) -> Result<Self, Refusal> {
        if !system.flexible.is_empty() {
            return Err(Refusal::Flexible { body: 0 });
        }
        let layout = Layout::new(system, state);
        let algebra = A::new(system, &layout);
        let (jacobian, x) = (vec![0.0; layout.entries.len()], vec![0.0; layout.rows.len()]);
        Ok(Reference { layout, algebra, jacobian, x })
    }

    /// Positions of the entries of Φ_z.
    pub fn layout(&self) -> &Layout {
        &self.layout
    }

    /// One evaluation at the stage in the workspace, loops not yet closed: z̈ into `ws.accelerations.zdd`, all rates
    /// into `ws.rates` (without the power of driven coordinates). `lap` is called after every piece of work with the
    /// number of its stage in `cli::stages::STAGES`. `t` in s is the time of the stage, for messages.
    pub fn evaluate(
        &mut self,
        system: &System,
        state: &State,
        ws: &mut Workspace,
        t: f64,
        mut lap: impl FnMut(usize),
    ) -> Result<(), Refusal> {
        if let Some(block) = state.least_change.iter().position(|&least| least != 0) {
            return Err(Refusal::NearSingular { block, time: t });
        }
        let broken = |breakdown| Refusal::Broken { breakdown, time: t };
        kinematics::calc_positions(system, &mut ws.stage.q, &mut ws.kinematics);
        lap(1);
        self.close_positions(system, ws, t)?;
        lap(2);
        self.algebra.calc_null_space(&self.layout);
        lap(3);
        self.close_velocities(ws);
        kinematics::calc_velocities(system, &ws.stage.v, &mut ws.kinematics);
        lap(4);
        mass::calc_inertias(system, &ws.stage.q, &ws.kinematics, &mut ws.flexible, &mut ws.inertias);
        mass::calc_composites(system, &mut ws.inertias);
        lap(1);
        dynamics::calc_loads(system, &state.parameters, ws);
        lap(5);
        self.close_accelerations(system, ws);
        lap(6);
        kinematics::calc_accelerations(system, &ws.stage.v, &ws.kinematics, &mut ws.accelerations);
        dynamics::calc_residuals(system, ws);
        lap(7);
        let Workspace { kinematics, flexible, inertias, dense, .. } = &mut *ws;
        mass::calc_mass(system, kinematics, flexible, inertias, &mut dense.mass);
        dynamics::calc_open_forces(system, ws);
        self.algebra.reduce(&ws.dense.mass, &ws.residuals.force);
        lap(8);
        self.algebra.add_accelerations(&mut ws.accelerations.zdd).map_err(broken)?;
        dynamics::evaluate::calc_rates(system, ws);
        lap(9);
        Ok(())
    }

    /// Newton on all loops at once; leaves the factors of the closed positions.
    fn close_positions(&mut self, system: &System, ws: &mut Workspace, t: f64) -> Result<(), Refusal> {
        let mut previous = f64::INFINITY;
        for iteration in 0..=ITERATIONS {
            self.layout.calc_jacobian(system, ws, &mut self.jacobian);
            let factored = self.algebra.factor(&self.layout, &self.jacobian);
            factored.map_err(|breakdown| Refusal::Broken { breakdown, time: t })?;
            let (mut gap, mut widest) = (0.0f64, None);
            let equations = self.layout.rows.iter().zip(&self.layout.sizes);
            for (x, (&row, size)) in self.x.iter_mut().zip(equations) {
                *x = ws.closure.rows[row].gap;
                let relative = x.abs() / size;
                // NaN counts as the largest.
                if !(relative <= gap) {
                    (gap, widest) = (relative, Some(row));
                }
            }
            let converged = gap >= 0.5 * previous && gap <= 1e3 * CLOSED;
            if gap <= CLOSED || converged {
                return Ok(());
            }
            if let (ITERATIONS, Some(row)) = (iteration, widest) {
                return match gap <= OPEN {
                    true => Ok(()),
                    false => Err(open(system, ws, row, t)),
                };
            }
            previous = gap;
            self.algebra.solve(&mut self.x);
            for (&v, change) in self.layout.dependent().iter().zip(&self.x) {
                let joint = &system.joints[self.layout.owners[v]];
                joint.add_increment(&mut ws.stage.q, v - joint.v, -change);
            }
            kinematics::calc_positions(system, &mut ws.stage.q, &mut ws.kinematics);
        }
        Ok(())
    }

    /// ż_d = −Φ_zd⁻¹ Φ_zi ż_i.
    fn close_velocities(&mut self, ws: &mut Workspace) {
        self.algebra.calc_known_rates(&self.layout, &ws.stage.v, &mut self.x);
        self.algebra.solve(&mut self.x);
        for (&v, rate) in self.layout.dependent().iter().zip(&self.x) {
            ws.stage.v[v] = -rate;
        }
    }

    /// z̈_d = −Φ_zd⁻¹ Φ̇_z ż, with z̈_i = 0 and the driven ones as prescribed.
    fn close_accelerations(&mut self, system: &System, ws: &mut Workspace) {
        ws.accelerations.zdd.fill(0.0);
        for (index, guided) in system.guided.iter().enumerate() {
            ws.accelerations.zdd[guided.coordinate.velocity] = ws.stage.guided[index][2];
        }
        kinematics::calc_accelerations(system, &ws.stage.v, &ws.kinematics, &mut ws.accelerations);
        for (x, &row) in self.x.iter_mut().zip(&self.layout.rows) {
            *x = system.rows[row].acceleration(
                &ws.closure.rows[row],
                &ws.kinematics.bodies,
                &ws.accelerations.bodies,
                [&ws.stage.v, &ws.accelerations.zdd],
            );
        }
        self.algebra.solve(&mut self.x);
        for (&v, acceleration) in self.layout.dependent().iter().zip(&self.x) {
            ws.accelerations.zdd[v] = -acceleration;
        }
    }
}

/// The block of a row that cannot be closed.
fn open(system: &System, ws: &Workspace, row: usize, time: f64) -> Refusal {
    let block = system.blocks.iter().position(|block| block.rows.contains(&row)).unwrap_or(0);
    Refusal::Open { block, gap: ws.closure.rows[row].gap, time }
}
