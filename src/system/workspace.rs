//! Scratch of one instance: written before it is read in every step, survives nothing.

use super::{FirstStage, State, System};
use crate::force::tyre::Patch;
use crate::force::{Element, Surroundings};
use crate::joint::RowState;
use crate::math::graph::Graph;
use crate::math::least_change::{LeastChange, Metric};
use crate::math::linear::Candidate;
use crate::math::skyline::Skyline;
use crate::math::spatial::{Articulated, BodyMotion, Inertia, Motion, Six, Wrench};
use crate::math::{Mat3, POISON, Vec3};

/// Scratch memory. Fields stand in the order in which an evaluation fills them.
pub struct Workspace {
    /// Positions of the present stage, nq.
    pub q: Vec<f64>,
    /// Positions before a block is closed, nq.
    pub before: Vec<f64>,
    /// Velocities of the present stage, nv.
    pub v: Vec<f64>,
    /// Auxiliary states of the present stage.
    pub auxiliary: Vec<f64>,
    /// Inputs at the time of the present stage.
    pub inputs: Vec<f64>,
    /// Position, speed and acceleration of every guided coordinate at the present stage.
    pub guided: Vec<[f64; 3]>,
    /// Joint point of every tree joint from o.
    pub points: Vec<Vec3>,
    /// Columns b: of all velocity coordinates of joints (nv entries, unused for elastic ones), then of the links.
    pub columns: Vec<Motion>,
    /// Per tree joint: see [`LinkScratch`]; empty for those of the file.
    pub links: Vec<LinkScratch>,
    /// Pose and velocity of every body, as constraints and forces read them.
    pub bodies: Vec<BodyMotion>,
    /// Value and forces of every closure row.
    pub rows: Vec<RowState>,
    /// Per flexible body: see [`FlexibleScratch`].
    pub flexible: Vec<FlexibleScratch>,
    /// Inertia of every body about o, world axes, rods' shares included.
    pub inertias: Vec<Inertia>,
    /// The same with everything outboard.
    pub composites: Vec<Inertia>,
    /// Loads on every body: applied forces and weight.
    pub loads: Vec<Wrench>,
    /// Ends of every rod, each from the o of its body.
    pub rod_ends: Vec<[Vec3; 2]>,
    /// What every tyre found on the road, one entry per tyre of a pair.
    pub patches: Vec<Option<Patch>>,
    /// Applied efforts on every velocity coordinate.
    pub efforts: Vec<f64>,
    /// Spatial accelerations of every body.
    pub accelerations: Vec<Motion>,
    /// Accelerations z̈, nv.
    pub zdd: Vec<f64>,
    /// Inertia force minus load of every body, then accumulated outboard to inboard.
    pub residuals: Vec<Wrench>,
    /// Reactions: the same before it was accumulated.
    pub open_residuals: Vec<Wrench>,
    /// Momentum M̄ Z of every body about o, rods' coupling included.
    pub momenta: Vec<Wrench>,
    /// Elimination from the leaves: articulated inertia of every body.
    pub articulated: Vec<Articulated>,
    /// Elimination from the leaves: what every body lacks of its inertia force, with all outboard of it.
    pub lacking: Vec<Six>,
    /// Elimination from the leaves: change of the acceleration of every body.
    pub change: Vec<Six>,
    /// Elimination from the leaves: mass in kg and trace of the second moment about o in kg m² of all outboard of a body,
    /// itself included.
    pub composite_sizes: Vec<[f64; 2]>,
    /// Per cluster: see [`ClusterScratch`].
    pub clusters: Vec<ClusterScratch>,
    /// Changes of velocities or accelerations of bodies while loops are closed.
    pub carried: Vec<Motion>,
    /// Per tree joint while a block is closed in pieces: its body is not yet where its coordinates have it.
    pub stale: Vec<bool>,
    /// The same: last piece that moved it, counted from 1, or 0.
    pub moved_by: Vec<usize>,
    /// Of an explicit step: length of the step · (z̈ of the third stage − z̈ of the second), nv.
    pub disagreement: Vec<f64>,
    /// Velocities at the end of a step as the scheme gives them, before loops are closed, nv.
    pub predicted: Vec<f64>,
    /// Mass matrix of the open tree, nv × nv, symmetric.
    pub mass: Vec<f64>,
    /// Generalized force of the open tree, nv.
    pub force: Vec<f64>,
    /// Implicit steps: projection of a force element's direction to the coordinates of `path`, at most one per column.
    pub gradient: Vec<f64>,
    /// Implicit steps: velocity coordinates between the two bodies of a force element.
    pub path: Vec<usize>,
    /// Columns of M R, nv × reduced size.
    pub mass_times_r: Vec<f64>,
    /// Reduced mass matrix and its factor.
    pub reduced_mass: Vec<f64>,
    /// Implicit steps: rows that changed places in the factorisation of an unsymmetric reduced matrix.
    pub exchanges: Vec<u32>,
    /// Reduced right-hand side and solution.
    pub reduced_force: Vec<f64>,
    /// Implicit steps with bodies that turn fast: see [`GyroscopicScratch`].
    pub gyroscopic: GyroscopicScratch,
    /// Multiplier of every closure row.
    pub multipliers: Vec<f64>,
    /// Augmented Lagrangian: weight of every closure row, kg.
    pub penalties: Vec<f64>,
    /// Augmented Lagrangian: a value per closure row, its force or its rate.
    pub held: Vec<f64>,
    /// Per block: see [`BlockScratch`].
    pub blocks: Vec<BlockScratch>,
    /// Rates of q, v, auxiliary states at the present stage.
    pub rates: Rates,
    /// The evaluation at the start of the next step, where it was made already.
    pub first_stage: FirstStage,
    /// Weighted sum of the rates of all stages.
    pub sum: Rates,
    /// Point Jacobian columns of the two ends of a rod, nv each.
    pub rod_columns: Vec<[Vec3; 2]>,
    /// Exponential steps: modes of one group with their loads, three times.
    pub propagated: Vec<f64>,
    /// What goes into every low-pass filter at the start of a step.
    pub unfiltered: Vec<f64>,
    /// The same at its end.
    pub filter_ends: Vec<f64>,
    /// Powers at the present stage: dissipated, input, W.
    pub powers: [f64; 2],
    /// Whether a singular direction was left alone since it was last cleared.
    pub near_singular: bool,
    /// Whether the present step was halved.
    pub halved: bool,
}

/// Rates of the three kinds of states.
#[derive(Clone)]
pub struct Rates {
    /// q̇.
    pub q: Vec<f64>,
    /// z̈.
    pub v: Vec<f64>,
    /// Rates of the auxiliary states.
    pub auxiliary: Vec<f64>,
}

impl Rates {
    /// Copies rates of the same system, without allocating.
    pub fn copy_from(&mut self, other: &Rates) {
        self.q.copy_from_slice(&other.q);
        self.v.copy_from_slice(&other.v);
        self.auxiliary.copy_from_slice(&other.auxiliary);
    }
}

/// Scratch of one flexible body with n elastic coordinates, in the axes of C about the origin of B where nothing else is said.
#[derive(Default)]
pub struct FlexibleScratch {
    /// R_WC.
    pub axes: Mat3,
    /// W_ab = ∫ (x + u)_a Φ_b dm, 9 rows of n.
    pub moments: [Vec<f64>; 9],
    /// C_t, 3 rows of n.
    pub translation: [Vec<f64>; 3],
    /// C_r, 3 rows of n.
    pub rotation: [Vec<f64>; 3],
    /// K_ω η for the six products of ω, 6 rows of n.
    pub spin: [Vec<f64>; 6],
    /// h, kg m.
    pub first: Vec3,
    /// J, kg m².
    pub second: Mat3,
    /// C_k in world axes about o, n.
    pub coupling: Vec<Wrench>,
    /// Inertia, elasticity, damping less loads of every mode, n.
    pub residual: Vec<f64>,
    /// Accelerations of the modes that these belong to, n.
    pub acceleration: Vec<f64>,
}

/// Scratch of one link of a flexible body with n elastic coordinates.
#[derive(Default)]
pub struct LinkScratch {
    /// Derivatives of displacement and rotation vector, 6 rows of n.
    pub slopes: [Vec<f64>; 6],
    /// R_WC.
    pub axes: Mat3,
    /// R_WC T(θ).
    pub tangent: Mat3,
    /// θ.
    pub theta: Vec3,
    /// The interface's node from o, m.
    pub node: Vec3,
}

impl FlexibleScratch {
    fn new(n: usize) -> FlexibleScratch {
        let row = || vec![f64::NAN; n];
        let zero = Wrench::zero();
        let mut scratch = FlexibleScratch {
            axes: Mat3::zeros(),
            moments: std::array::from_fn(|_| row()),
            translation: std::array::from_fn(|_| row()),
            rotation: std::array::from_fn(|_| row()),
            spin: std::array::from_fn(|_| row()),
            first: Vec3::zeros(),
            second: Mat3::zeros(),
            coupling: vec![zero; n],
            residual: row(),
            acceleration: row(),
        };
        scratch.fill(f64::NAN);
        scratch
    }

    fn fill(&mut self, value: f64) {
        let rows = self.moments.iter_mut().chain(&mut self.translation).chain(&mut self.rotation).chain(&mut self.spin);
        rows.for_each(|row| row.fill(value));
        self.residual.fill(value);
        self.acceleration.fill(value);
        let vector = Vec3::repeat(value);
        self.coupling.fill(Wrench { force: vector, moment: vector });
        (self.axes, self.first, self.second) = (Mat3::repeat(value), vector, Mat3::repeat(value));
    }
}

impl LinkScratch {
    fn new(n: usize) -> LinkScratch {
        let mut scratch = LinkScratch { slopes: std::array::from_fn(|_| vec![f64::NAN; n]), ..LinkScratch::default() };
        scratch.fill(f64::NAN);
        scratch
    }

    fn fill(&mut self, value: f64) {
        self.slopes.iter_mut().for_each(|row| row.fill(value));
        (self.axes, self.tangent) = (Mat3::repeat(value), Mat3::repeat(value));
        (self.theta, self.node) = (Vec3::repeat(value), Vec3::repeat(value));
    }
}

/// Scratch of one block with m rows and n coordinates. Coordinates are scaled to m by the block's unit sizes.
#[derive(Default)]
pub struct BlockScratch {
    /// Closed by least change in this stage.
    pub least_change: bool,
    /// Number of columns of `null`.
    pub free: usize,
    /// Number of constrained directions in this stage.
    pub rank: usize,
    /// Smallest pivot of the remembered order in this stage.
    pub pivot: f64,
    /// Values of the Jacobian, see [`super::Block::row`]. A block closed by partition has those of its pivot rows only.
    pub jacobian: Vec<f64>,
    /// The whole of it to choose pivots in, m × n.
    pub trial: Vec<f64>,
    /// Orders of that choice: rows, then columns.
    pub trial_order: Vec<u32>,
    /// The choice's scratch, m.
    pub candidates: Vec<Candidate>,
    /// Partition: Φ_zd of the pivot rows and columns in order, r × r, and its factors.
    pub factors: Skyline,
    /// Partition: which unknowns are found together.
    pub graph: Graph,
    /// Partition: place of every column in the remembered order, n.
    pub places: Vec<usize>,
    /// Partition: Φ_zd⁻¹ Φ_zi, n × free.
    pub solution: Vec<f64>,
    /// Columns of R_z of this block: n × free, row k belongs to coordinate k of the block.
    pub null: Vec<f64>,
    /// Projection and least change: mass matrix of the block's coordinates, n × n.
    pub mass: Vec<f64>,
    /// Projection: M R, n × free.
    pub products: Vec<f64>,
    /// Projection: Rᵀ M R and its Cholesky factor, free × free.
    pub reduced: Vec<f64>,
    /// Least change: mass matrix of the scaled coordinates without its zeros.
    pub metric: Metric,
    /// Least change: equations, factors and singular directions.
    pub least: LeastChange,
    /// Right-hand sides and solutions, max(m, n) each.
    pub rhs: Vec<f64>,
    /// Change of the block's coordinates, n.
    pub change: Vec<f64>,
}

/// Scratch of one cluster with n bodies and f reduced coordinates at this stage.
#[derive(Default)]
pub struct ClusterScratch {
    /// B of every body, n × f.
    pub columns: Vec<Six>,
    /// Their momenta I B, those that rods lend included, n × f.
    pub momenta: Vec<Six>,
    /// D, then L below its diagonal and Δ⁻¹ on it, f × f.
    pub inertia: Vec<f64>,
    /// What the composite inertias would give every reduced coordinate, f.
    pub sizes: Vec<f64>,
    /// u, then L⁻¹ u, then y, f.
    pub force: Vec<f64>,
    /// U, then the rows of L⁻¹ Uᵀ, f. For a single coordinate these three keep 1/D, u and U.
    pub coupling: Vec<Six>,
    /// Momentum of the modes of one flexible body per reduced coordinate, f; empty where every frame is the base.
    pub modes: Vec<Six>,
    /// Numbers of the reduced coordinates that move one body, f.
    pub nonzero: Vec<usize>,
}

/// The stage about which gyroscopic terms are taken by differences, and what they change.
pub struct GyroscopicScratch {
    /// Velocities of the stage, nv.
    pub v: Vec<f64>,
    /// Accelerations before anything is solved for, nv.
    pub zdd: Vec<f64>,
    /// Sum of the changes of z̈, nv.
    pub change: Vec<f64>,
    /// Residual of every body.
    pub residuals: Vec<Wrench>,
    /// Residuals of the modes of all flexible bodies, one body after another.
    pub modes: Vec<f64>,
}

impl GyroscopicScratch {
    fn new(nv: usize, bodies: usize, modes: usize) -> GyroscopicScratch {
        let reals = |count: usize| vec![f64::NAN; count];
        let residuals = vec![Wrench::zero(); bodies];
        let mut scratch =
            GyroscopicScratch { v: reals(nv), zdd: reals(nv), change: reals(nv), residuals, modes: reals(modes) };
        scratch.fill(f64::NAN);
        scratch
    }

    fn fill(&mut self, value: f64) {
        for list in [&mut self.v, &mut self.zdd, &mut self.change, &mut self.modes] {
            list.fill(value);
        }
        let vector = Vec3::repeat(value);
        self.residuals.fill(Wrench { force: vector, moment: vector });
    }
}

impl ClusterScratch {
    fn new(cluster: &super::Cluster) -> ClusterScratch {
        let (bodies, most) = (cluster.members.len(), cluster.most);
        let reals = |count: usize| vec![f64::NAN; count];
        let inside = cluster.elastic.iter().any(|elastic| elastic.frame.is_some());
        ClusterScratch {
            columns: vec![[f64::NAN; 6]; bodies * most],
            momenta: vec![[f64::NAN; 6]; bodies * most],
            inertia: reals(most * most),
            sizes: reals(most),
            force: reals(most),
            coupling: vec![[f64::NAN; 6]; most],
            modes: vec![[f64::NAN; 6]; if inside { most } else { 0 }],
            nonzero: vec![POISON; most],
        }
    }

    fn fill(&mut self, value: f64) {
        self.columns.fill([value; 6]);
        self.momenta.fill([value; 6]);
        self.nonzero.fill(POISON);
        self.coupling.fill([value; 6]);
        self.modes.fill([value; 6]);
        for list in [&mut self.inertia, &mut self.sizes, &mut self.force] {
            list.fill(value);
        }
    }
}

impl Workspace {
    /// What force elements read at the present stage, with the parameters of `state`.
    pub fn surroundings<'a>(&'a self, state: &'a State) -> Surroundings<'a> {
        Surroundings {
            bodies: &self.bodies,
            q: &self.q,
            v: &self.v,
            parameters: &state.parameters,
            inputs: &self.inputs,
            auxiliary: &self.auxiliary,
        }
    }

    /// Scratch for one instance of `system`, filled with NaN.
    pub fn new(system: &System) -> Workspace {
        let (nq, nv, na) = (system.nq, system.nv, system.auxiliary);
        let bodies = system.bodies.len();
        let nan3 = Vec3::repeat(f64::NAN);
        let motion = Motion { lin: nan3, ang: nan3 };
        let wrench = Wrench { force: nan3, moment: nan3 };
        let mat = Mat3::repeat(f64::NAN);
        let inertia = Inertia { mass: f64::NAN, first: nan3, second: mat };
        let body = BodyMotion { rotation: mat, position: nan3, reference: nan3, velocity: motion };
        let row = RowState { gap: f64::NAN, ends: [nan3; 2], on_first: wrench, on_second: wrench };
        let reals = |count: usize| vec![f64::NAN; count];
        let tyres =
            system.elements.iter().map(|element| if let Element::Tyre(tyre) = element { tyre.count } else { 0 });
        let patches = tyres.sum();
        let rates = Rates { q: reals(nq), v: reals(nv), auxiliary: reals(na) };
        Workspace {
            q: reals(nq),
            before: reals(nq),
            v: reals(nv),
            auxiliary: reals(na),
            inputs: reals(system.interface.inputs.len()),
            guided: vec![[f64::NAN; 3]; system.guided.len()],
            points: vec![nan3; system.joints.len()],
            columns: vec![motion; system.slots],
            links: system
                .joints
                .iter()
                .map(|joint| LinkScratch::new(joint.link.map_or(0, |link| link.modes)))
                .collect(),
            flexible: system.flexible.iter().map(|body| FlexibleScratch::new(body.modes())).collect(),
            bodies: vec![body; bodies],
            rows: vec![row; system.rows.len()],
            inertias: vec![inertia; bodies],
            composites: vec![inertia; bodies],
            loads: vec![wrench; bodies],
            rod_ends: vec![[nan3; 2]; system.rods.len()],
            patches: vec![Some(Patch::repeat(f64::NAN)); patches],
            efforts: reals(nv),
            accelerations: vec![motion; bodies],
            zdd: reals(nv),
            residuals: vec![wrench; bodies],
            open_residuals: vec![wrench; bodies],
            momenta: vec![wrench; bodies],
            articulated: vec![Articulated::repeat(f64::NAN); bodies],
            lacking: vec![[f64::NAN; 6]; bodies],
            change: vec![[f64::NAN; 6]; bodies],
            composite_sizes: vec![[f64::NAN; 2]; bodies],
            clusters: system.clusters.iter().map(ClusterScratch::new).collect(),
            carried: vec![motion; bodies],
            stale: vec![false; bodies],
            moved_by: vec![0; bodies],
            disagreement: reals(nv),
            predicted: reals(nv),
            mass: reals(nv * nv),
            force: reals(nv),
            gradient: reals(system.slots),
            path: Vec::with_capacity(system.slots),
            mass_times_r: reals(nv * nv),
            reduced_mass: reals(nv * nv),
            exchanges: vec![0; nv],
            reduced_force: reals(nv),
            gyroscopic: GyroscopicScratch::new(nv, bodies, system.flexible.iter().map(|body| body.modes()).sum()),
            multipliers: reals(system.rows.len()),
            penalties: reals(system.rows.len()),
            held: reals(system.rows.len()),
            blocks: system.blocks.iter().map(BlockScratch::new).collect(),
            sum: rates.clone(),
            first_stage: FirstStage::new(system, &rates),
            rates,
            rod_columns: vec![[nan3; 2]; nv],
            propagated: reals(system.propagation.scratch()),
            unfiltered: reals(system.filters.len()),
            filter_ends: reals(system.filters.len()),
            powers: [f64::NAN; 2],
            near_singular: false,
            halved: false,
        }
    }

    /// Overwrites every number with `value`, whole ones with [`POISON`], and forgets what was evaluated: a test proves that nothing of it survives a step.
    pub fn fill(&mut self, value: f64) {
        self.first_stage.forget();
        self.fill_scratch(value);
    }

    /// The same, but for the evaluation that the next step may begin with.
    pub fn fill_scratch(&mut self, value: f64) {
        let vector = Vec3::repeat(value);
        let mat = Mat3::repeat(value);
        let motion = Motion { lin: vector, ang: vector };
        let wrench = Wrench { force: vector, moment: vector };
        let inertia = Inertia { mass: value, first: vector, second: mat };
        for list in [
            &mut self.q,
            &mut self.before,
            &mut self.v,
            &mut self.auxiliary,
            &mut self.inputs,
            &mut self.efforts,
            &mut self.zdd,
            &mut self.disagreement,
            &mut self.predicted,
            &mut self.mass,
            &mut self.force,
            &mut self.gradient,
            &mut self.mass_times_r,
            &mut self.reduced_mass,
            &mut self.reduced_force,
            &mut self.multipliers,
            &mut self.penalties,
            &mut self.held,
            &mut self.propagated,
            &mut self.unfiltered,
            &mut self.filter_ends,
        ] {
            list.fill(value);
        }
        for rates in [&mut self.rates, &mut self.sum] {
            rates.q.fill(value);
            rates.v.fill(value);
            rates.auxiliary.fill(value);
        }
        self.guided.fill([value; 3]);
        self.points.fill(vector);
        self.columns.fill(motion);
        self.bodies.fill(BodyMotion { rotation: mat, position: vector, reference: vector, velocity: motion });
        self.rows.fill(RowState { gap: value, ends: [vector; 2], on_first: wrench, on_second: wrench });
        self.inertias.fill(inertia);
        self.composites.fill(inertia);
        self.loads.fill(wrench);
        self.accelerations.fill(motion);
        self.residuals.fill(wrench);
        self.open_residuals.fill(wrench);
        self.patches.fill(Some(Patch::repeat(value)));
        self.momenta.fill(wrench);
        self.rod_ends.fill([vector; 2]);
        self.articulated.fill(Articulated::repeat(value));
        self.lacking.fill([value; 6]);
        self.change.fill([value; 6]);
        self.composite_sizes.fill([value; 2]);
        self.clusters.iter_mut().for_each(|scratch| scratch.fill(value));
        self.carried.fill(motion);
        self.rod_columns.fill([vector; 2]);
        self.powers = [value; 2];
        self.exchanges.fill(u32::MAX);
        self.path.fill(POISON);
        self.stale.fill(true);
        self.moved_by.fill(POISON);
        self.flexible.iter_mut().for_each(|scratch| scratch.fill(value));
        self.gyroscopic.fill(value);
        self.links.iter_mut().for_each(|scratch| scratch.fill(value));
        for block in &mut self.blocks {
            block.fill(value);
        }
    }
}

impl BlockScratch {
    fn new(block: &super::Block) -> BlockScratch {
        let (m, n) = (block.rows.len(), block.coordinates.len());
        let large = m.max(n);
        let reals = |count: usize| vec![f64::NAN; count];
        BlockScratch {
            least_change: false,
            free: 0,
            rank: 0,
            pivot: f64::NAN,
            jacobian: reals(block.columns.len()),
            trial: reals(m * n),
            trial_order: vec![0; m + n],
            candidates: vec![Candidate::default(); m],
            factors: Skyline::new(m.min(n)),
            graph: Graph::new(large),
            places: vec![0; n],
            solution: reals(n * n),
            null: reals(n * n),
            mass: reals(n * n),
            products: reals(n * n),
            reduced: reals(n * n),
            metric: Metric::new(n),
            least: LeastChange::new(m, n),
            rhs: reals(large),
            change: reals(n),
        }
    }

    fn fill(&mut self, value: f64) {
        for list in [
            &mut self.jacobian,
            &mut self.trial,
            &mut self.solution,
            &mut self.null,
            &mut self.mass,
            &mut self.products,
            &mut self.reduced,
            &mut self.rhs,
            &mut self.change,
        ] {
            list.fill(value);
        }
        self.factors.fill(value);
        self.metric.fill(value);
        self.least.fill(value);
        self.pivot = value;
        self.graph.fill();
        self.trial_order.fill(u32::MAX);
        self.places.fill(POISON);
        (self.free, self.rank, self.least_change) = (POISON, POISON, !self.least_change);
    }
}
