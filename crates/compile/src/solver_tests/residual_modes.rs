use ballesta_model as model;
use ballesta_solver::dynamics::residual_modes::*;
use ballesta_solver::dynamics::residuals::calc_final_residuals;
use ballesta_solver::dynamics::{evaluate, load_stage};
use ballesta_solver::system::Workspace;
use std::path::Path;

#[test]
fn a_load_that_is_no_number_is_no_small_change() {
    let place = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../models/stiff_bar");
    let document = model::load(&place).unwrap_or_else(|errors| panic!("{errors}"));
    let system = crate::compile(&document, &[]).unwrap_or_else(|errors| panic!("{errors}"));
    let (mut state, mut ws) = (system.initial.clone(), Workspace::new(&system));
    for (load, finite) in [(1.0, true), (f64::NAN, false)] {
        state.inputs.fill(load);
        load_stage(&system, &state, &mut ws, state.time);
        evaluate(&system, &state, &mut ws, state.time).expect("nothing is free to move");
        calc_final_residuals(&system, &mut ws);
        let (change, amplitude) = follow(&system, &state, &mut ws);
        assert_eq!([change.is_finite(), amplitude.is_finite()], [finite; 2], "{load}");
    }
}
