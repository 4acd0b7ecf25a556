//! What an importer does between two communication points allocates nothing.

use crate::counting::allocations_in;
use crate::support::{Resources, fmi2OK};
use ballesta::fmi::exports::*;
use ballesta::fmi::types::*;

#[test]
fn a_cycle_of_set_step_get_and_store_does_not_allocate() {
    let resources = Resources::driven();
    let instance = resources.initialized();
    let mut state = instance.get_state();
    let [torque, damping, force] = ["torque", "damping", "force"].map(|name| resources.reference(name));
    let [angle, acceleration] = ["left.angle", "left.acceleration"].map(|name| resources.reference(name));
    let (inputs, outputs) = ([torque, damping], [angle, acceleration]);
    let mut values = [0.0; 2];
    assert_eq!(allocations_in(|| drop(vec![0u8; 64])).0, 2, "the counter counts");
    let c = instance.c;
    let (count, ()) = allocations_in(|| {
        for i in 0..300 {
            let time = i as f64 * 0.0025;
            // SAFETY: the arrays have the lengths that are said; the state was made by the library.
            unsafe {
                assert_eq!(fmi2SetReal(c, inputs.as_ptr(), 2, [0.1, 0.01 * i as f64].as_ptr()), fmi2OK);
                assert_eq!(fmi2SetRealInputDerivatives(c, &force, 1, &1, &0.5), fmi2OK);
                assert_eq!(fmi2DoStep(c, time, 0.0025, fmi2False), fmi2OK);
                assert_eq!(fmi2GetReal(c, outputs.as_ptr(), 2, values.as_mut_ptr()), fmi2OK);
                assert_eq!(fmi2GetRealOutputDerivatives(c, outputs.as_ptr(), 1, &1, values.as_mut_ptr()), fmi2OK);
                let known = [torque, force];
                let seed = [1.0, 1.0];
                let status = fmi2GetDirectionalDerivative(
                    c,
                    outputs.as_ptr(),
                    2,
                    known.as_ptr(),
                    2,
                    seed.as_ptr(),
                    values.as_mut_ptr(),
                );
                assert_eq!(status, fmi2OK);
                assert_eq!(fmi2GetFMUstate(c, &mut state), fmi2OK);
                assert_eq!(fmi2SetFMUstate(c, state), fmi2OK);
            }
        }
    });
    assert_eq!(count, 0);
    assert!(values.iter().all(|value| value.is_finite()));
    instance.free_state(state);
}
