//! Loads of a closed stage: weight, force elements, and the power of both.

use super::flexible;
use crate::force::Loads;
use crate::math::scalar::{Scalar, lift};
use crate::math::spatial::Wrench;
use crate::system::{System, Workspace};

/// Computes at the present values of all `parameters`: wrenches on all bodies, efforts on all coordinates, ends of the
/// rods, rates of the elements' states, powers.
pub fn calc_loads<S: Scalar>(system: &System, parameters: &[S], ws: &mut Workspace<S>) {
    let gravity = lift(&system.gravity);
    let Workspace { kinematics, loads, .. } = ws;
    for (body, load) in loads.wrenches.iter_mut().enumerate() {
        *load = Wrench::at(&kinematics.bodies[body].position, gravity * S::from_f64(system.bodies[body].mass));
    }
    for (rod, ends) in system.rods.iter().zip(&mut loads.rod_ends) {
        for end in 0..2 {
            ends[end] = kinematics.bodies[rod.bodies[end]].point(&rod.points[end]);
            loads.wrenches[rod.bodies[end]] += Wrench::at(&ends[end], gravity * S::from_f64(0.5 * rod.mass));
        }
    }
    flexible::add_weight(system, ws);
    let Workspace { stage, kinematics, loads, rates, .. } = ws;
    loads.efforts.fill(S::zero());
    let surroundings = stage.surroundings(kinematics, parameters);
    let mut applied = Loads {
        wrenches: &mut loads.wrenches,
        efforts: &mut loads.efforts,
        dissipated_power: S::zero(),
        input_power: S::zero(),
        rates: &mut rates.auxiliary,
        patches: &mut loads.patches,
    };
    for element in &system.elements {
        element.add_loads(&surroundings, &mut applied);
    }
    let (dissipated, input) = (applied.dissipated_power, applied.input_power);
    ws.loads.powers = [dissipated + flexible::damping_power(system, ws), input];
}
