//! Comparison of the solver with the global method with three kinds of linear algebra.

#[path = "../../../tests/shared/root.rs"]
mod root;

use ballesta::compile;
use ballesta::dynamics::{evaluate, prepare_stage};
use ballesta::math::{larger, largest};
use ballesta::simulate::Simulator;
use ballesta::system::{Fault, State, System, Workspace};
use ballesta_tools::global_method::dense::Dense;
use ballesta_tools::global_method::generic::Generic;
use ballesta_tools::global_method::sparse::Sparse;
use ballesta_tools::global_method::{Algebra, Reference, Refusal};
use ballesta_tools::stages::predict;
use std::path::Path;
use std::sync::Arc;

/// Relative to the largest acceleration.
const AGREEMENT: f64 = 1e-10;
/// Steps of the motion between two states.
const STEPS: usize = 20;

/// Largest disturbance of coordinates before the loops are closed, rad or m; all speeds are disturbed by up to 1 rad/s
/// or m/s.
const THROWS: [f64; 3] = [0.0, 1e-3, 1e-2];

/// The three implementations for the coordinates that are independent in a state.
struct References {
    orders: Vec<u32>,
    generic: Reference<Generic>,
    dense: Reference<Dense>,
    sparse: Reference<Sparse>,
}

impl References {
    fn new(system: &System, state: &State) -> References {
        References {
            orders: state.orders.clone(),
            generic: reference(system, state),
            dense: reference(system, state),
            sparse: reference(system, state),
        }
    }
}

fn reference<A: Algebra>(system: &System, state: &State) -> Reference<A> {
    Reference::new(system, state).unwrap_or_else(|refusal| panic!("{}", refusal.describe(system)))
}

/// A stage of an evaluation with open loops.
struct Stage {
    t: f64,
    q: Vec<f64>,
    v: Vec<f64>,
    auxiliary: Vec<f64>,
}

impl Stage {
    /// Half a step ahead of `state`, disturbed: without the disturbance a vehicle hardly accelerates, and only the
    /// round-off of large forces in equilibrium would be visible.
    fn new(system: &System, state: &State, ws: &mut Workspace, throw: f64) -> Result<Stage, Fault> {
        let t = predict(system, state, ws)?;
        let mut angle = t;
        let mut number = || {
            angle += 1.0;
            (angle * angle).sin()
        };
        for joint in &system.joints {
            for v in joint.v_range() {
                joint.add_increment(&mut ws.stage.q, v - joint.v, throw * number());
                ws.stage.v[v] += number();
            }
        }
        Ok(Stage { t, q: ws.stage.q.clone(), v: ws.stage.v.clone(), auxiliary: ws.stage.auxiliary.clone() })
    }

    fn load(&self, system: &System, state: &State, ws: &mut Workspace) {
        ws.stage.q.copy_from_slice(&self.q);
        ws.stage.v.copy_from_slice(&self.v);
        ws.stage.auxiliary.copy_from_slice(&self.auxiliary);
        prepare_stage(system, state, ws, self.t);
    }
}

/// Difference of z̈ from `expected`, relative to the largest of them.
fn difference<A: Algebra>(
    reference: &mut Reference<A>,
    (system, state, stage): (&System, &State, &Stage),
    expected: &[f64],
) -> f64 {
    let mut ws = Workspace::new(system);
    stage.load(system, state, &mut ws);
    let done = reference.evaluate(system, state, &mut ws, stage.t, |_| ());
    done.unwrap_or_else(|refusal| panic!("{}", refusal.describe(system)));
    let size = expected.iter().fold(1.0f64, |most, value| larger(most, value.abs()));
    let off = |(a, b): (&f64, &f64)| (a - b).abs() / size;
    largest(expected.iter().zip(&ws.accelerations.zdd).map(off))
}

fn compiled(name: &str) -> Arc<System> {
    let place = Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/../..")).join("models").join(name);
    let mut document = ballesta::model::load(&place).unwrap_or_else(|errors| panic!("{errors}"));
    document.model.experiment.trim = false;
    let values = document.model.parameter_values();
    Arc::new(compile::compile(&document, &values).unwrap_or_else(|errors| panic!("{errors}")))
}

/// Compares `count` states along the motion of a model; returns the number of compared states, and the number that were
/// skipped because a loop was near a singular position.
fn compare(name: &str, count: usize) -> (usize, usize) {
    let system = compiled(name);
    let mut simulator = Simulator::new(system.clone());
    simulator.initialize(0.0).unwrap();
    let mut ws = Workspace::new(&system);
    let mut references = References::new(&system, simulator.state());
    let (mut compared, mut singular, mut most) = (0, 0, [0.0f64; 3]);
    for index in 0..count {
        simulator.advance((index * STEPS) as f64 * system.step()).unwrap();
        let state = simulator.state();
        if references.orders != state.orders {
            references = References::new(&system, state);
        }
        for throw in THROWS {
            let stage = Stage::new(&system, state, &mut ws, throw).unwrap();
            stage.load(&system, state, &mut ws);
            // Near a singular position a disturbance can lead to positions at which the loops cannot be closed.
            let open = evaluate(&system, state, &mut ws, stage.t).is_err();
            if open || ws.blocks.iter().any(|block| block.least_change) {
                singular += 1;
                continue;
            }
            let at = (&*system, state, &stage);
            let differences = [
                difference(&mut references.generic, at, &ws.accelerations.zdd),
                difference(&mut references.dense, at, &ws.accelerations.zdd),
                difference(&mut references.sparse, at, &ws.accelerations.zdd),
            ];
            assert!(differences.iter().all(|off| *off <= AGREEMENT), "{name} at {} s: {differences:?}", stage.t);
            most = [0, 1, 2].map(|k| larger(most[k], differences[k]));
            compared += 1;
        }
    }
    println!("{name}: {compared} states compared, {singular} near a singular position, at most {most:?}");
    (compared, singular)
}

#[test]
fn the_global_system_has_the_sizes_of_the_blocks_together() {
    crate::root::at_root();
    for name in ["van", "van/paper.toml", "truck", "truck/paper.toml", "four_bar_windows_10"] {
        let system = compiled(name);
        let reference = reference::<Generic>(&system, system.initial());
        let (layout, report) = (reference.layout(), system.report());
        let r = layout.rows.len();
        assert_eq!(r, report.constraints - report.redundant, "{name}");
        assert_eq!((layout.ni, layout.nv()), (report.dof, report.coordinates), "{name}");
        // Every equation moves at least one coordinate, and none of these systems is one full block.
        assert!((r..r * r).contains(&layout.dependent_entries()), "{name}: {}", layout.dependent_entries());
        // The pivot rows are a subset of all rows.
        let (rows, entries) = layout.rectangular(&system);
        assert_eq!(rows, report.constraints, "{name}");
        let redundant = report.redundant;
        let between = layout.dependent_entries()..=layout.dependent_entries() + redundant * r;
        assert!(between.contains(&entries), "{name}: {entries}");
        assert_eq!(report.density_by_structure, entries as f64 / (rows * r) as f64, "{name}");
        println!("{name}: {entries} entries of {rows} × {r}, {:.1} %", 100.0 * entries as f64 / (rows * r) as f64);
    }
}

#[test]
fn three_implementations_of_the_global_method_give_the_accelerations_of_the_van() {
    crate::root::at_root();
    assert_eq!(compare("van", 100), (300, 0));
}

#[test]
fn they_give_those_of_the_truck() {
    crate::root::at_root();
    assert_eq!(compare("truck", 100), (300, 0));
}

#[test]
fn they_give_those_of_both_in_the_sizes_of_the_paper() {
    crate::root::at_root();
    for name in ["van/paper.toml", "truck/paper.toml"] {
        assert_eq!(compare(name, 50), (150, 0));
    }
}

#[test]
fn they_give_those_of_mechanisms_with_loops() {
    crate::root::at_root();
    let models = [
        "andrews",
        "bricard",
        "double_wishbone_axle",
        "five_link_suspension",
        "four_bar_3d",
        "four_bar_windows_10",
        "gear_train",
        "guided_five_bar",
        "parallelogram_redundant_rod",
        "rccc_linkage",
        "swash_plate",
        "watt_six_bar",
    ];
    let (compared, singular) = models.iter().map(|name| compare(name, 100)).fold((0, 0), |a, b| (a.0 + b.0, a.1 + b.1));
    assert_eq!(compared + singular, 300 * models.len());
    assert!(compared >= 3550, "only {compared} states");
}

/// Models other than vehicles and loops: no closure equations at all, or no independent coordinate.
#[test]
fn they_give_those_of_open_chains_and_of_what_guides_prescribe() {
    crate::root::at_root();
    for name in ["pendulum", "spatial_double_pendulum", "free_pair", "camera_gimbal"] {
        assert_eq!(compare(name, 20), (60, 0), "{name}");
    }
}

#[test]
fn flexible_bodies_and_singular_positions_are_refused_in_words() {
    crate::root::at_root();
    let system = compiled("flexible_four_bar");
    let refusal = Reference::<Generic>::new(&system, system.initial()).err().expect("a flexible body");
    assert_eq!(refusal, Refusal::Flexible { body: 0 });
    assert!(refusal.describe(&system).contains("is a flexible body"), "{}", refusal.describe(&system));

    let system = compiled("four_bar");
    let mut state = system.initial().clone();
    state.least_change[0] = 1;
    let mut ws = Workspace::new(&system);
    let t = predict(&system, &state, &mut ws).unwrap();
    let refusal = reference::<Dense>(&system, &state).evaluate(&system, &state, &mut ws, t, |_| ()).unwrap_err();
    assert_eq!(refusal, Refusal::NearSingular { block: 0, time: t });
    assert!(refusal.describe(&system).contains("near a singular position"), "{}", refusal.describe(&system));
}
