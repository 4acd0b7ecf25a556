//! Hydrodynamic torque converter between two joint coordinates.
//!
//! # Law
//!
//! With the speeds of pump and turbine ω_p and ω_t and the speed ratio ν = ω_t/ω_p, held within the rows of the table,
//!
//! ```text
//!     T_p = c(ν) ω_p² for ω_p > 0, else 0,    T_t = k(ν) T_p,    effort −T_p on the pump and T_t on the turbine.
//! ```
//!
//! c (N m s²/rad²) and k are linear between the rows. Beyond ν = 1 a negative c makes the turbine drive the pump:
//! engine braking. The housing takes T_t − T_p.
//!
//! # Energy
//!
//! Dissipated power: T_p ω_p − T_t ω_t = T_p ω_p (1 − k ν), positive where (1 − k ν) c is.
//!
//! # Limits and choice of parameters
//!
//! Manufacturers specify the factor K, the pump's speed over √T_p: c = 1/K² with K in rad/s per √(N m). No inertia of
//! the oil. A lock-up clutch is a `[[clutch]]` of the same coordinates.

use crate::force::{
    Connections, CoordinateIx, ForceElement, ForceLaw, Loads, Quantity, SpringReadout, Surroundings, Table,
};
use crate::math::scalar::Scalar;
use crate::math::{quotient, within};
use alloc::string::String;

/// Torque converter.
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Deserialize, serde::Serialize))]
pub struct TorqueConverter {
    /// Name in the model file.
    pub name: String,
    /// Pump and turbine, each with the sign of its coordinate.
    pub on: [(CoordinateIx, f64); 2],
    /// Smallest and largest ν of the table.
    pub range: [f64; 2],
    /// c(ν), N m s²/rad².
    pub capacity: Table,
    /// k(ν).
    pub ratio: Table,
}

impl TorqueConverter {
    /// ω_p and ω_t, T_p and T_t.
    fn torques<S: Scalar>(&self, s: &Surroundings<S>) -> ([S; 2], [S; 2]) {
        let speeds = self.on.map(|(coordinate, sign)| s.speed(coordinate) * sign);
        let [low, high] = self.range;
        let [pump, turbine] = speeds;
        if !(pump > 0.0) {
            return (speeds, [S::zero(); 2]);
        }
        let slip = within(quotient(turbine, pump), low, high);
        let taken = self.capacity.value(slip) * pump * pump;
        (speeds, [taken, self.ratio.value(slip) * taken])
    }
}

impl ForceLaw for TorqueConverter {
    fn add_loads<S: Scalar>(&self, s: &Surroundings<S>, loads: &mut Loads<S>) {
        let ([pump, turbine], [taken, given]) = self.torques(s);
        let [(first, sign), (second, other)] = self.on;
        loads.add_effort(first, -(taken * sign));
        loads.add_effort(second, given * other);
        loads.dissipated_power += taken * pump - given * turbine;
    }

    /// Effort T_t and speed ω_t: the power of the turbine.
    fn readout<S: Scalar>(&self, s: &Surroundings<S>) -> SpringReadout<S> {
        let ([_, turbine], [_, given]) = self.torques(s);
        SpringReadout { length: s.position(self.on[1].0), speed: turbine, force: given }
    }
}

impl ForceElement for TorqueConverter {
    fn name(&self) -> &str {
        &self.name
    }

    fn quantities(&self) -> &'static [Quantity] {
        Quantity::OF_DRIVES
    }

    fn connect(&self, list: &mut Connections) {
        list.add_coordinates(self.on.map(|(coordinate, _)| coordinate));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::check::elements::{self, Scene};
    use crate::force::Element;

    fn converter() -> TorqueConverter {
        let on = [((2, 1), 1.0), ((3, 2), 1.0)];
        TorqueConverter {
            name: "converter".into(),
            on: on.map(|((position, velocity), sign)| (CoordinateIx { position, velocity }, sign)),
            range: [0.0, 1.5],
            capacity: Table::new(&[[0.0, 4e-3], [0.8, 3e-3], [1.0, 0.0], [1.5, -2e-3]]),
            ratio: Table::new(&[[0.0, 2.0], [0.8, 1.0], [1.5, 1.0]]),
        }
    }

    #[test]
    fn powers_balance() {
        elements::powers_balance(&Element::TorqueConverter(Box::new(converter())));
        elements::derivatives_are_those_of_differences(&Element::TorqueConverter(Box::new(converter())));
    }

    #[test]
    fn torque_is_multiplied_at_stall_and_goes_back_where_the_turbine_is_faster() {
        let mut scene = Scene::at_rest();
        for (pump, turbine, taken, given) in [
            (200.0, 0.0, 160.0, 320.0),
            (200.0, 80.0, 140.0, 210.0),
            (200.0, 160.0, 120.0, 120.0),
            (200.0, 200.0, 0.0, 0.0),
            (200.0, 400.0, -80.0, -80.0),
            (-200.0, 10.0, 0.0, 0.0),
            (0.0, 10.0, 0.0, 0.0),
        ] {
            (scene.v[1], scene.v[2]) = (pump, turbine);
            let loads = scene.loads(&Element::TorqueConverter(Box::new(converter())));
            elements::close(loads.efforts[1], -taken, 1e-9);
            elements::close(loads.efforts[2], given, 1e-9);
            elements::close(loads.dissipated_power, taken * pump - given * turbine, 1e-9);
            assert!(loads.dissipated_power >= 0.0);
        }
    }
}
