use ballesta_model as model;
use ballesta_solver::dynamics::implicit::*;
use ballesta_solver::dynamics::{evaluate_dense, load_stage};
use ballesta_solver::math::larger;
use ballesta_solver::system::Workspace;

/// Two bodies in space with springs and dampers of every kind, undeformed and at rest, where S is exact.
const UNDEFORMED: &str = r#"
    [model]
    name = "undeformed"
    integrator = "generalized_alpha"
    [[body]]
    name = "first"
    mass = 2
    com = [0.1, 0, 0]
    inertia = [0.2, 0.25, 0.3, 0, 0.01, 0]
    [[body]]
    name = "second"
    mass = 1
    com = [0.5, 0.2, 0.1]
    inertia = [0.1, 0.1, 0.1, 0, 0, 0]
    [[joint]]
    name = "free"
    type = "floating"
    bodies = ["ground", "first"]
    [[joint]]
    name = "knee"
    type = "universal"
    bodies = ["first", "second"]
    point = [0.3, 0.1, 0]
    axis = [0, 1, 0]
    second_axis = [0, 0, 1]
    [[bushing]]
    name = "mount"
    bodies = ["ground", "second"]
    point = [0.6, 0.4, 0]
    axis = [1, 2, 3]
    stiffness = [1e4, 2e4, 3e4, 100, 200, 300]
    damping = [10, 20, 30, 1, 2, 3]
    [[spring]]
    name = "strut"
    bodies = ["ground", "first"]
    points = [[0, 0, -1], [0, 0.1, 0]]
    stiffness = 5e4
    damping = 70
    [[spring]]
    name = "link"
    bodies = ["second", "first"]
    points = [[0.5, 0.5, 0], [0, 0, 0.2]]
    stiffness = 2e4
    [[anti_roll_bar]]
    name = "bar"
    bodies = ["first", "second", "ground"]
    points = [[0.5, 0.6, 0.1], [0, -0.5, 0]]
    stiffness = 3e4
    damping = 40
    [[leaf_spring]]
    name = "leaves"
    bodies = ["first", "second"]
    point = [0.4, 0.2, 0.1]
    stiffness = 2e4
    damping = 30
    lateral_stiffness = 1e4
    longitudinal_damping = 20
    wind_up_stiffness = 200
    wind_up_damping = 3
    [[joint_spring]]
    name = "knee"
    joint = "knee"
    coordinate = "angle"
    stiffness = 40
    damping = 2
    [[friction]]
    name = "seal"
    joint = "knee"
    coordinate = "second_angle"
    coulomb = 1
    presliding = 1e-2
    viscous = 3
"#;

#[test]
fn stiffness_of_undeformed_elements_is_the_derivative_of_all_forces() {
    let document = model::parse(UNDEFORMED, "model.toml").unwrap_or_else(|errors| panic!("{errors}"));
    let system = crate::compile(&document, &[]).unwrap_or_else(|errors| panic!("{errors}"));
    let (state, mut ws) = (system.initial.clone(), Workspace::new(&system));
    load_stage(&system, &state, &mut ws, 0.0);
    evaluate_dense(&system, &state, &mut ws, 0.0).expect("a good position");
    let lengths = Lengths { velocity: 0.5e-3, position: 0.25e-6, step: 1e-3 };
    let mass = ws.dense.mass.clone();
    add_stiff_terms(&system, &state, &mut ws, lengths);
    let stiff: Vec<f64> = ws.dense.mass.iter().zip(&mass).map(|(with, without)| with - without).collect();
    ws.dense.mass.copy_from_slice(&mass);
    add_all_terms(&system, &state, &mut ws, lengths);
    let largest = stiff.iter().fold(0.0, |a: f64, b| larger(a, b.abs()));
    for (k, (with, without)) in ws.dense.mass.iter().zip(&mass).enumerate() {
        let all = with - without;
        assert!((all - stiff[k]).abs() < 1e-5 * largest, "{k}: {all} and {} of {largest}", stiff[k]);
    }
}
