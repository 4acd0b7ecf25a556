//! Force elements of vehicles.
//!
//! | table of the file      | module               | acts on                 | stores | dissipates | input work | states |
//! |------------------------|----------------------|-------------------------|--------|------------|------------|--------|
//! | `[[damper]]`           | [`damper`]           | points of two bodies    | gas    | yes        |            |        |
//! | `[[leaf_spring]]`      | [`leaf_spring`]      | a seat of two bodies    | yes    | yes        |            | 1      |
//! | `[[air_spring]]`       | [`air_spring`]       | points of two bodies    | yes    |            |            |        |
//! | `[[torsion_bar]]`      | [`torsion_bar`]      | a joint coordinate      | yes    | yes        |            |        |
//! | `[[anti_roll_bar]]`    | [`anti_roll_bar`]    | three bodies            | yes    | yes        |            |        |
//! | `[[brake]]`            | [`brake`]            | a joint coordinate      |        | yes        |            | 1      |
//! | `[[aerodynamic_drag]]` | [`aerodynamic_drag`] | a point of a body       |        | yes        | wind       |        |
//! | `[[speed_control]]`    | [`speed_control`]    | joint coordinates       |        |            | yes        | 1      |
//! | `[[wheel_port]]`       | [`wheel_port`]       | a wheel                 |        |            | yes        |        |
//!
//! Torsion bars become joint springs. Friction (leaves, brakes) has the one law of [`super::bristle`].
//! How to choose the parameters, and their sources: docs/vehicles.md.

pub mod aerodynamic_drag;
pub mod air_spring;
pub mod anti_roll_bar;
pub mod brake;
pub mod damper;
pub mod leaf_spring;
pub mod speed_control;
pub mod torsion_bar;
pub mod wheel_port;

pub use aerodynamic_drag::AerodynamicDrag;
pub use air_spring::AirSpring;
pub use anti_roll_bar::AntiRollBar;
pub use brake::Brake;
pub use damper::Damper;
pub use leaf_spring::LeafSpring;
pub use speed_control::SpeedControl;
pub use wheel_port::WheelPort;

use super::{BodyIx, Coefficient, CoordinateIx, Loads, Lookup, SpringReadout, Surroundings, Tangent};
use crate::model::schema::Model;
use std::ops::Range;

/// What a kind of force element does; see [`super::Element`] for the meaning of the functions.
pub(super) trait Kind {
    fn name(&self) -> &str;
    fn add_loads(&self, s: &Surroundings, loads: &mut Loads);
    /// Length or deflection, its rate, and force or effort; of brakes and speed controls the effort they give.
    fn readout(&self, s: &Surroundings) -> SpringReadout;
    fn coefficients(&self) -> Vec<Coefficient>;
    fn visit_tangents(&self, _: &Surroundings, _: &mut dyn FnMut(&Tangent)) {}
    fn potential(&self, _: &Surroundings) -> f64 {
        0.0
    }
    fn bodies(&self) -> Vec<BodyIx> {
        Vec::new()
    }
    fn coordinates(&self) -> Vec<CoordinateIx> {
        Vec::new()
    }
    fn states(&self) -> Range<usize> {
        0..0
    }
    fn place_states(&mut self, _: usize) {}
    fn settle(&self, _: &Surroundings, _: &mut [f64]) {}
    fn state_after(&self, _: &Surroundings, _: f64, _: f64, _: f64) -> Option<f64> {
        None
    }
}

/// A force element of a vehicle.
#[derive(Clone, Debug, PartialEq)]
pub enum Vehicle {
    /// `[[damper]]`
    Damper(Damper),
    /// `[[leaf_spring]]`
    LeafSpring(Box<LeafSpring>),
    /// `[[air_spring]]`
    AirSpring(Box<AirSpring>),
    /// `[[anti_roll_bar]]`
    AntiRollBar(AntiRollBar),
    /// `[[brake]]`
    Brake(Brake),
    /// `[[aerodynamic_drag]]`
    AerodynamicDrag(AerodynamicDrag),
    /// `[[speed_control]]`
    SpeedControl(SpeedControl),
    /// `[[wheel_port]]`
    WheelPort(WheelPort),
}

impl Vehicle {
    pub(super) fn kind(&self) -> &dyn Kind {
        match self {
            Vehicle::Damper(element) => element,
            Vehicle::LeafSpring(element) => element.as_ref(),
            Vehicle::AirSpring(element) => element.as_ref(),
            Vehicle::AntiRollBar(element) => element,
            Vehicle::Brake(element) => element,
            Vehicle::AerodynamicDrag(element) => element,
            Vehicle::SpeedControl(element) => element,
            Vehicle::WheelPort(element) => element,
        }
    }

    pub(super) fn kind_mut(&mut self) -> &mut dyn Kind {
        match self {
            Vehicle::Damper(element) => element,
            Vehicle::LeafSpring(element) => element.as_mut(),
            Vehicle::AirSpring(element) => element.as_mut(),
            Vehicle::AntiRollBar(element) => element,
            Vehicle::Brake(element) => element,
            Vehicle::AerodynamicDrag(element) => element,
            Vehicle::SpeedControl(element) => element,
            Vehicle::WheelPort(element) => element,
        }
    }

    /// Length or deflection, its rate, and force or effort; of brakes and speed controls the effort they give.
    pub fn readout(&self, s: &Surroundings) -> SpringReadout {
        self.kind().readout(s)
    }
}

/// The elements of a validated model, each kind in the order of the file; torsion bars are joint springs.
pub(super) fn build(model: &Model, lookup: &dyn Lookup) -> Vec<Vehicle> {
    let mut elements = Vec::new();
    elements.extend(model.dampers.iter().map(|table| Vehicle::Damper(Damper::build(table, lookup))));
    elements
        .extend(model.leaf_springs.iter().map(|table| Vehicle::LeafSpring(Box::new(LeafSpring::build(table, lookup)))));
    elements
        .extend(model.air_springs.iter().map(|table| Vehicle::AirSpring(Box::new(AirSpring::build(table, lookup)))));
    elements.extend(model.anti_roll_bars.iter().map(|table| Vehicle::AntiRollBar(AntiRollBar::build(table, lookup))));
    elements.extend(model.brakes.iter().map(|table| Vehicle::Brake(Brake::build(table, lookup))));
    elements.extend(model.drags.iter().map(|table| Vehicle::AerodynamicDrag(AerodynamicDrag::build(table, lookup))));
    elements.extend(model.speed_controls.iter().map(|table| Vehicle::SpeedControl(SpeedControl::build(table, lookup))));
    elements.extend(model.wheel_ports.iter().map(|table| Vehicle::WheelPort(WheelPort::build(table, lookup))));
    elements
}
