//! References of force elements and outputs to a system. A step relies on them.

use super::Reading;
use crate::force::{Coefficient, Connections, Element, ForceElement};
use crate::system::{Angles, FlexibleQuantity, Readout, System};
use alloc::{format, string::String, vec::Vec};

/// Components of the largest quantity, a quaternion.
const COMPONENTS: usize = 4;

/// Numbers of the parts of a system.
pub(super) struct Counts {
    pub bodies: usize,
    pub positions: usize,
    pub velocities: usize,
    pub inputs: usize,
    pub parameters: usize,
}

impl Counts {
    /// Whether all that an element reads and acts on exists, and its numbers are finite.
    fn connects(&self, element: &dyn ForceElement) -> bool {
        let Connections { bodies, coordinates, coefficients } = element.connections();
        bodies.iter().all(|body| body.0 < self.bodies)
            && coordinates.iter().all(|on| on.position < self.positions && on.velocity < self.velocities)
            && coefficients.iter().all(|coefficient| match *coefficient {
                Coefficient::Value(value) => value.is_finite(),
                Coefficient::Parameter(index) => index < self.parameters,
                Coefficient::Input(index) => index < self.inputs,
            })
    }

    /// Elements that refer to missing parts.
    pub(super) fn invalid_elements(&self, elements: &[Element]) -> Vec<String> {
        let invalid = elements.iter().enumerate().filter(|(_, element)| !self.connects(element.kind()));
        let text = |(index, _)| {
            format!("force element {index} has a body, coordinate, input, parameter or number that is not valid")
        };
        invalid.map(text).collect()
    }

    /// Readings of missing parts of `system`.
    pub(super) fn invalid_readings(&self, system: &System, readings: &[Reading]) -> Vec<String> {
        let valid = |reading: &&Reading| reading.component < COMPONENTS && self.has(system, &reading.readout);
        let invalid = readings.iter().filter(|reading| !valid(reading));
        invalid.map(|reading| format!("output `{}` reads something that does not exist", reading.name)).collect()
    }

    fn has(&self, system: &System, readout: &Readout) -> bool {
        let body = |body: usize| body < self.bodies;
        match readout {
            Readout::Position(q) => *q < self.positions,
            Readout::Speed(v) | Readout::Acceleration(v) => *v < self.velocities,
            Readout::Angles(Angles::Relative(bodies)) => bodies.iter().all(|of| body(*of)),
            Readout::Angles(Angles::OfBody(of)) | Readout::Rotation(of) => body(*of),
            Readout::Point { body: of, point, .. } => body(*of) && point.iter().all(|value| value.is_finite()),
            Readout::ReactionForce(joint) | Readout::ReactionMoment(joint) => *joint < system.joint_places.len(),
            Readout::Element { element, quantity } => {
                system.elements.get(*element).is_some_and(|element| element.kind().quantities().contains(quantity))
            }
            Readout::ConstraintForce(c, term) | Readout::ConstraintPower(c, term) => {
                let row = system.constraints.get(*c).map(|constraint| &system.rows[constraint.rows.start]);
                row.is_some_and(|row| row.terms().is_empty() || *term < row.terms().len())
                    && (!matches!(readout, Readout::ConstraintPower(..))
                        || row.is_some_and(|row| !row.terms().is_empty()))
            }
            Readout::ConstraintReactionForce(c) | Readout::ConstraintGap(c) => *c < system.constraints.len(),
            Readout::GuidedEffort(g) => *g < system.guided.len(),
            Readout::Flexible { body, quantity } => {
                let Some(body) = system.flexible.get(*body) else { return false };
                match *quantity {
                    FlexibleQuantity::SectionForce(section) | FlexibleQuantity::SectionMoment(section) => {
                        section < body.sections.len()
                    }
                    FlexibleQuantity::Stress(section, point) => {
                        body.sections.get(section).is_some_and(|section| point < section.points.len())
                    }
                    FlexibleQuantity::Displacement(node)
                    | FlexibleQuantity::RotationAngles(node)
                    | FlexibleQuantity::NodePosition(node) => node < body.nodes.len(),
                    FlexibleQuantity::Amplitude(mode) | FlexibleQuantity::AmplitudeSpeed(mode) => mode < body.modes(),
                    FlexibleQuantity::StrainEnergy => true,
                }
            }
            Readout::System(_) | Readout::Run(_) => true,
        }
    }
}
