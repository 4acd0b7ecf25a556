//! Loads of a closed stage: weight, force elements, and the power of both.

use super::flexible;
use crate::force::Loads;
use crate::math::spatial::Wrench;
use crate::system::{State, System, Workspace};

/// Wrenches on all bodies, efforts on all coordinates, ends of the rods, rates of the elements' states, powers.
pub fn calc_loads(system: &System, state: &State, ws: &mut Workspace) {
    let Workspace { kinematics, loads, .. } = ws;
    for (body, load) in loads.wrenches.iter_mut().enumerate() {
        *load = Wrench::at(&kinematics.bodies[body].position, system.gravity * system.bodies[body].mass);
    }
    for (rod, ends) in system.rods.iter().zip(&mut loads.rod_ends) {
        for end in 0..2 {
            ends[end] = kinematics.bodies[rod.bodies[end]].point(&rod.points[end]);
            loads.wrenches[rod.bodies[end]] += Wrench::at(&ends[end], system.gravity * (0.5 * rod.mass));
        }
    }
    flexible::add_weight(system, ws);
    let Workspace { stage, kinematics, loads, rates, .. } = ws;
    loads.efforts.fill(0.0);
    let surroundings = stage.surroundings(kinematics, state);
    let mut applied = Loads {
        wrenches: &mut loads.wrenches,
        efforts: &mut loads.efforts,
        dissipated_power: 0.0,
        input_power: 0.0,
        rates: &mut rates.auxiliary,
        patches: &mut loads.patches,
    };
    for element in &system.elements {
        element.add_loads(&surroundings, &mut applied);
    }
    let (dissipated, input) = (applied.dissipated_power, applied.input_power);
    ws.loads.powers = [dissipated + flexible::damping_power(system, ws), input];
}
