//! Aerodynamic drag and lift of a body.
//!
//! # Law
//!
//! With the velocity v of the point, the wind w and the relative velocity u = v − w, density ρ, areas c_d A and c_l A
//! and the direction of lift a (fixed in the body, unit length),
//!
//! ```text
//!     F = ½ ρ ( −c_d A |u| u + c_l A ( |u|² a − (a · u) u ) )          at the point.
//! ```
//!
//! Drag is along the relative wind, lift across it: it has no power on u.
//!
//! # Energy
//!
//! No potential. F · v = −½ ρ c_d A |u|³ + F · w: the first is dissipated power, the second the wind's work and booked
//! as input work.
//!
//! # Limits
//!
//! The areas do not depend on the direction of the wind. Lifts at the two axles: two elements, one of them without
//! drag.

#![expect(non_snake_case, reason = "monogram notation of frames")]

use crate::force::tyre::Patch;
use crate::force::{Coefficient, Connections, ForceElement, ForceLaw, Loads, Marker, Quantity, Surroundings, Values};
use crate::math::Vec3;
use crate::math::scalar::{Scalar, lift, norm};
use alloc::string::String;

/// Drag and lift at a point of a body.
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Deserialize, serde::Serialize))]
pub struct AerodynamicDrag {
    /// Name in the model file.
    pub name: String,
    /// Where it acts.
    pub point: Marker,
    /// c_d A, m².
    pub drag_area: Coefficient,
    /// c_l A, m².
    pub lift_area: Coefficient,
    /// a in the body's B.
    pub lift_axis: Vec3,
    /// ρ, kg/m³.
    pub density: Coefficient,
    /// w, world axes, m/s.
    pub wind: [Coefficient; 3],
}

impl AerodynamicDrag {
    /// Force in world axes, N, and the relative velocity u.
    pub(crate) fn force<S: Scalar>(&self, s: &Surroundings<S>) -> (Vec3<S>, Vec3<S>) {
        let u = self.point.velocity(s) - s.values(&self.wind);
        let pressure = s.value(&self.density) * 0.5;
        let a_W = s.body(self.point.body).rotation * lift(&self.lift_axis);
        let f_lift_W = (a_W * u.dot(&u) - u * a_W.dot(&u)) * (pressure * s.value(&self.lift_area));
        (f_lift_W - u * (pressure * s.value(&self.drag_area) * norm(&u)), u)
    }
}

impl ForceLaw for AerodynamicDrag {
    fn add_loads<S: Scalar>(&self, s: &Surroundings<S>, loads: &mut Loads<S>) {
        let (f_W, u) = self.force(s);
        let speed = norm(&u);
        loads.add_force(self.point.body, &self.point.position(s), f_W);
        loads.dissipated_power += s.value(&self.density) * 0.5 * s.value(&self.drag_area) * speed * speed * speed;
        loads.input_power += f_W.dot(&s.values(&self.wind));
    }

    fn read<S: Scalar>(&self, s: &Surroundings<S>, _: &[Option<Patch<S>>], values: &mut Values<S>) {
        values.set_vector(Quantity::Force, self.force(s).0);
    }
}

impl ForceElement for AerodynamicDrag {
    fn name(&self) -> &str {
        &self.name
    }

    fn quantities(&self) -> &'static [Quantity] {
        &[Quantity::Force]
    }

    fn connect(&self, list: &mut Connections) {
        list.add_bodies([self.point.body]);
        list.add_coefficients(self.wind);
        list.add_coefficients([self.drag_area, self.lift_area, self.density]);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::check::elements::{self, Scene};
    use crate::force::{BodyIx, Element};

    fn drag(wind: [Coefficient; 3]) -> AerodynamicDrag {
        AerodynamicDrag {
            name: "air".into(),
            point: Marker { body: BodyIx(1), point: Vec3::new(0.3, -0.2, 0.5) },
            drag_area: Coefficient::Value(2.5),
            lift_area: Coefficient::Value(0.5),
            lift_axis: Vec3::z(),
            density: Coefficient::Value(1.2),
            wind,
        }
    }

    const STILL: [Coefficient; 3] = [Coefficient::Value(0.0); 3];

    #[test]
    fn powers_balance_in_wind_and_in_still_air_nothing_is_put_in() {
        let wind = [Coefficient::Value(1.0), Coefficient::Parameter(0), Coefficient::Input(1)];
        elements::powers_balance(&Element::AerodynamicDrag(drag(wind)));
        elements::dissipates(&Element::AerodynamicDrag(drag(STILL)));
    }

    #[test]
    fn loads_depend_on_no_frame() {
        let element = Element::AerodynamicDrag(drag(STILL));
        elements::independent_of_world_frame(&element);
        elements::independent_of_reference_points(&element);
    }

    #[test]
    fn force_at_30_m_s_against_10_m_s_of_wind_is_the_one_computed_by_hand() {
        let wind = [-10.0, 0.0, 0.0].map(Coefficient::Value);
        let mut scene = Scene::at_rest();
        scene.bodies[1].velocity.lin = Vec3::new(30.0, 0.0, 0.0);
        let element = Element::AerodynamicDrag(drag(wind));
        let loads = scene.loads(&element);
        elements::close_vector(&loads.wrenches[1].force, &Vec3::new(-2400.0, 0.0, 480.0), 1e-9);
        elements::close(loads.dissipated_power, 2400.0 * 40.0, 1e-8);
        elements::close(loads.input_power, 24000.0, 1e-8);
    }
}
