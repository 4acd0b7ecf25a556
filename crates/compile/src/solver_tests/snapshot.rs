//! A system and a state that are stored and read again continue with the same bits.

use crate::compile;
use crate::solver_tests::gallery;
use ballesta_solver::integrate::step;
use ballesta_solver::system::{State, System, Workspace};

/// Steps from the start, and between the snapshot and the comparison.
const STEPS: usize = 20;

#[test]
fn a_stored_system_and_state_continue_with_the_same_bits() {
    let mut compared = 0;
    for (path, document) in gallery() {
        let name = path.display();
        let values = document.model.parameter_values();
        let system = compile(&document, &values).unwrap_or_else(|errors| panic!("{name}: {errors}"));
        let (mut state, mut ws) = (system.initial.clone(), Workspace::new(&system));
        let advance = |system: &System, state: &mut State, ws: &mut Workspace| {
            (0..STEPS).all(|_| step(system, state, ws, system.step).is_ok())
        };
        // A model that needs inputs to move may not get far.
        if !advance(&system, &mut state, &mut ws) {
            continue;
        }
        let bytes = postcard::to_allocvec(&(&system, &state)).unwrap_or_else(|error| panic!("{name}: {error}"));
        let (copy, mut continued): (System, State) =
            postcard::from_bytes(&bytes).unwrap_or_else(|error| panic!("{name}: {error}"));
        assert_eq!(postcard::to_allocvec(&(&copy, &continued)).ok().as_ref(), Some(&bytes), "{name}");
        assert!(advance(&system, &mut state, &mut ws), "{name}");
        assert!(advance(&copy, &mut continued, &mut Workspace::new(&copy)), "{name}");
        assert!(state == continued, "{name}: the states differ");
        compared += 1;
    }
    assert!(compared > 60, "only {compared} models");
}
