//! A failed step leaves the state unchanged.

use ballesta_model as model;
use ballesta_solver::integrate::*;
use ballesta_solver::system::Integrator;
use ballesta_solver::system::{Fault, State, System, Workspace};

const SCHEMES: [Integrator; 5] = [
    Integrator::Rk4,
    Integrator::Heun,
    Integrator::SemiImplicitEuler,
    Integrator::GeneralizedAlpha,
    Integrator::AugmentedLagrangian,
];

fn compiled(text: &str, file: &str, change: impl Fn(&mut model::schema::General)) -> (System, Workspace) {
    let mut document = model::parse(text, file).unwrap_or_else(|errors| panic!("{errors}"));
    change(&mut document.model.general);
    let values = document.model.parameter_values();
    let system = crate::compile(&document, &values).unwrap_or_else(|errors| panic!("{errors}"));
    let ws = Workspace::new(&system);
    (system, ws)
}

/// The fault of the next step, which changes nothing of the state.
fn fault_of_step(system: &System, state: &mut State, ws: &mut Workspace) -> Fault {
    let before = state.clone();
    let fault = step(system, state, ws, system.step).expect_err("a step that cannot be made");
    assert!(*state == before, "{}: {fault} changes the state", system.name);
    fault
}

/// The links of the four-bar are pressed together along the coupler by their ends; they answer at the end of the step
/// at which the force begins, where no crank fits them.
#[test]
fn loops_that_part_behind_residual_modes_leave_the_state() {
    let file = concat!(env!("CARGO_MANIFEST_DIR"), "/../../models/flexible_four_bar/model.toml");
    let mut text = std::fs::read_to_string(file).expect("readable");
    text += "[[friction]]\nname = 'pin'\njoint = 'rocker'\ncoulomb = 1e-3\npresliding = 1e-3\n";
    for (end, point) in [("first", "A"), ("second", "B")] {
        text += &format!("[[input]]\nname = '{end}.x'\n[[input]]\nname = '{end}.y'\n");
        text += &format!("[[force]]\nname = '{end}'\nbody = 'coupler.{end}'\npoint = '{point}'\n");
        text += &format!("value = ['{end}.x', '{end}.y', 0]\n");
    }
    let (system, mut ws) = compiled(&text, file, |general| general.resolution = Some(1e-3));
    let mut state = system.initial.clone();
    step(&system, &mut state, &mut ws, system.step).expect("nothing presses");
    state.inputs.copy_from_slice(&[0.26e9, 0.97e9, -0.26e9, -0.97e9]);
    assert!(matches!(fault_of_step(&system, &mut state, &mut ws), Fault::LoopOpen { .. }));
}

/// The torque stays at its limit while the state of the control overflows, so that the motion alone shows nothing.
#[test]
fn a_state_of_an_element_that_is_not_finite_is_a_fault() {
    let text = "[model]
        name = 'overflow'
        step = 1e-3
        [[input]]
        name = 'target'
        [[body]]
        name = 'wheel'
        mass = 1
        com = [0, 0, 0]
        inertia = [1, 1, 1, 0, 0, 0]
        [[joint]]
        name = 'axle'
        type = 'revolute'
        bodies = ['ground', 'wheel']
        point = [0, 0, 0]
        axis = [0, 1, 0]
        [[speed_control]]
        name = 'driver'
        body = 'wheel'
        point = [0, 0, 1]
        target = 'target'
        proportional = 10
        integral = 1
        max_torque = 1
        drives = [{ joint = 'axle' }]";
    for scheme in SCHEMES {
        let (system, mut ws) = compiled(text, "overflow.toml", |general| general.integrator = scheme);
        let mut state = system.initial.clone();
        step(&system, &mut state, &mut ws, system.step).expect("at rest");
        state.inputs[0] = 1e308;
        let fault = fault_of_step(&system, &mut state, &mut ws);
        assert!(matches!(fault, Fault::StateNotFinite { state: 2, .. }), "{scheme:?}: {fault}");
        assert!(system.describe(&fault).contains("`state.element.driver`"), "{}", system.describe(&fault));
    }
}

#[test]
fn a_filtered_output_that_is_not_finite_is_a_fault() {
    let text = "[model]
        name = 'fast'
        gravity = [0, 0, 0]
        step = 1e-3
        [[body]]
        name = 'carriage'
        mass = 1
        com = [0, 0, 0]
        inertia = [1, 1, 1, 0, 0, 0]
        [[joint]]
        name = 'rail'
        type = 'prismatic'
        bodies = ['ground', 'carriage']
        point = [0, 0, 0]
        axis = [1, 0, 0]
        [[output]]
        name = 'energy'
        quantity = 'kinetic_energy'
        low_pass = { cutoff_hz = 10 }";
    for scheme in SCHEMES {
        let (system, mut ws) = compiled(text, "fast.toml", |general| general.integrator = scheme);
        let mut state = system.initial.clone();
        state.v[0] = 1e200;
        let fault = fault_of_step(&system, &mut state, &mut ws);
        assert!(matches!(fault, Fault::OutputNotFinite { output: 0, .. }), "{scheme:?}: {fault}");
    }
}
