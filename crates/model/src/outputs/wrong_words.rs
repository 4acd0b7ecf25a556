//! Wrong names of quantities that users write, and the intended quantity by the target of the output.

use super::{RULES, Size, Target};
use crate::document::Diagnostic;
use crate::document::nearest::{did_you_mean, list};
use crate::schema::{Output, Quantity};
use Quantity::*;

/// Words and the quantities to which they may refer; the first one that the target has is used.
const MEANINGS: &[(&[&str], &[Quantity])] = &[
    (ANGLE, &[SlipAngle, SteeringAngle, FrictionAngle, RotationAngles, Position, Angles, Length]),
    (&["euler_angles", "roll", "pitch", "yaw", "attitude", "heading", "rotations"], &[Angles, RotationAngles]),
    (&["quaternion", "orientation", "rotation_matrix"], &[Rotation, Angles, RotationAngles]),
    (&["angles"], &[Angles, Position, RotationAngles]),
    (
        &["position", "pos", "coordinate", "coordinates", "displacement", "location", "place", "translation", "point"],
        &[Position, Displacement, Length, Deflection, PathPosition, Amplitude],
    ),
    (
        &["length", "deflection", "deformation", "elongation", "extension", "compression", "stroke", "travel", "gap"],
        &[Length, Deflection, Displacement, Distance, Gap, Position],
    ),
    (&["distance", "clearance", "penetration", "depth"], &[Distance, Length, Deflection, Position, PathError, Gap]),
    (
        &["velocity", "speed", "vel", "rate", "position_rate", "length_rate", "velocities"],
        &[Velocity, Speed, AmplitudeSpeed, WantedSpeed],
    ),
    (&["angular_velocity", "angular_speed", "omega", "rotation_speed", "spin", "rpm"], &[AngularVelocity, Speed]),
    (&["acceleration", "accel", "acc"], &[Acceleration]),
    (&["angular_acceleration", "alpha"], &[AngularAcceleration, Acceleration, SlipAngle]),
    (
        &["force", "forces", "load", "tension", "reaction", "constraint_force", "joint_force", "effort", "thrust"],
        &[Force, ReactionForce, Effort, SectionForce],
    ),
    (
        &["torque", "moment", "torques", "moments", "reaction_torque", "reaction_moment", "joint_torque"],
        &[Torque, ReactionMoment, Effort, SectionMoment, Force],
    ),
    (&["normal_force", "contact_force", "normal_load", "vertical_force", "fz"], &[NormalForce, Force]),
    (&["friction_force", "friction", "tangential_force"], &[TangentialForce, Force]),
    (&["axial_force", "shear_force", "internal_force"], &[SectionForce, Force, ReactionForce]),
    (&["bending_moment", "internal_moment"], &[SectionMoment, ReactionMoment]),
    (&["drag", "drag_force"], &[Force]),
    (&["power", "work_rate"], &[Power]),
    (&["stress", "von_mises", "normal_stress"], &[Stress]),
    (&["slip", "slip_ratio", "kappa"], &[LongitudinalSlip]),
    (&["lateral_slip", "slip_angle"], &[SlipAngle]),
    (&["camber_angle", "inclination", "gamma"], &[Camber]),
    (&["radius", "rolling_radius"], &[LoadedRadius]),
    (&["energy"], &[StrainEnergy, KineticEnergy]),
    (&["strain", "elastic_energy"], &[StrainEnergy]),
    (&["kinetic"], &[KineticEnergy]),
    (&["potential"], &[PotentialEnergy]),
    (&["dissipation", "losses", "heat"], &[DissipatedEnergy]),
    (&["work"], &[InputWork]),
    (&["balance", "total_energy", "energy_error"], &[EnergyBalance]),
    (&["violation", "constraint_violation", "closure_error"], &[Gap]),
    (&["singular"], &[NearSingular]),
    (&["path_deviation", "lateral_error", "error"], &[PathError]),
    (&["steering", "steer", "wheel_angle"], &[SteeringAngle]),
    (&["brake", "braking"], &[BrakeDemand]),
    (&["target_speed", "desired_speed"], &[WantedSpeed]),
    (&["ratio", "speed_ratio"], &[Gear]),
];

/// Words for one angle: they refer to a position if it is a single number.
const ANGLE: &[&str] = &["angle", "rotation", "orientation"];

/// Spelling of a quantity in the file.
fn word(quantity: Quantity) -> String {
    serde_json::to_value(quantity).ok().and_then(|value| value.as_str().map(str::to_string)).unwrap_or_default()
}

/// The quantity to which a word refers that is no quantity of `target`, if it is known.
pub fn meant(target: Target, written: &str) -> Option<String> {
    let written = written.trim().to_lowercase().replace([' ', '-'], "_");
    let angle = ANGLE.contains(&written.as_str());
    let has = |quantity: &Quantity| {
        let mut rules = RULES.iter().filter(|rule| rule.target == target && rule.quantity == *quantity);
        rules.any(|rule| !angle || rule.quantity != Position || rule.size == Size::Scalar)
    };
    let known = MEANINGS.iter().filter(|(words, _)| words.contains(&written.as_str()));
    let quantity = known.flat_map(|(_, quantities)| *quantities).find(|quantity| has(quantity))?;
    Some(word(*quantity)).filter(|quantity| *quantity != written)
}

/// The correction of a word that is no quantity of `target`.
pub fn instead_of(target: Target, written: &str) -> String {
    if let Some(quantity) = meant(target, written) {
        return format!("did you mean \"{quantity}\"?");
    }
    let valid: Vec<String> =
        RULES.iter().filter(|rule| rule.target == target).map(|rule| word(rule.quantity)).collect();
    did_you_mean(written, &valid.iter().map(String::as_str).collect::<Vec<_>>())
}

/// Adds the quantities of the target to messages about unknown quantities of outputs.
pub fn suggest(outputs: &[Output], diagnostics: &mut [Diagnostic]) {
    for diagnostic in diagnostics {
        let index = diagnostic.key.strip_prefix("output[").and_then(|key| key.strip_suffix("].quantity"));
        let output = index.and_then(|index| outputs.get(index.parse::<usize>().ok()?));
        let written = diagnostic.found.strip_prefix("found \"").and_then(|found| found.strip_suffix('"'));
        let (Some(output), Some(written)) = (output, written) else { continue };
        diagnostic.expected = match output.targets().as_slice() {
            [] => no_target(written),
            [(target, _)] => instead_of(*target, written),
            _ => continue,
        };
    }
}

/// The correction of an output without a target: a quantity of the whole system, or the target.
fn no_target(written: &str) -> String {
    let mut keys: Vec<&str> = Vec::new();
    for rule in RULES.iter().filter(|rule| rule.target != Target::System) {
        if meant(rule.target, written).is_some() && !keys.contains(&rule.target.key()) {
            keys.push(rule.target.key());
        }
    }
    match meant(Target::System, written).is_none() && !keys.is_empty() {
        true => format!("add the target, one of {}", list(&keys)),
        false => instead_of(Target::System, written),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_suggestion_is_a_quantity_of_its_target() {
        let targets: Vec<Target> = RULES.iter().map(|rule| rule.target).collect();
        let (mut meant_of, mut pairs) = (0, 0);
        for (words, _) in MEANINGS {
            for written in *words {
                for target in &targets {
                    let valid = |quantity: &str| {
                        RULES.iter().any(|rule| rule.target == *target && word(rule.quantity) == quantity)
                    };
                    let found = meant(*target, written);
                    assert!(found.as_deref().is_none_or(valid), "{written} of {target:?}: {found:?}");
                    let text = instead_of(*target, written);
                    let quoted = text.strip_prefix("did you mean \"").and_then(|text| text.strip_suffix("\"?"));
                    assert!(quoted.is_none_or(valid), "{written} of {target:?}: {text}");
                    meant_of += usize::from(found.is_some());
                    pairs += 1;
                }
            }
        }
        println!("{pairs} pairs of word and target, {meant_of} with a meaning");
        assert!(meant_of > 300);
    }

    #[test]
    fn common_words_have_the_meaning_that_fits_the_target() {
        let found = |target, word| meant(target, word).unwrap_or_default();
        let rows = [
            (Target::Joint, "angle", "position"),
            (Target::Guided, "angle", "position"),
            (Target::Body, "angle", "angles"),
            (Target::Tyre, "angle", "slip_angle"),
            (Target::Node, "angle", "rotation_angles"),
            (Target::Joint, "velocity", "speed"),
            (Target::Body, "speed", "velocity"),
            (Target::Body, "Orientation", "angles"),
            (Target::Joint, "torque", "reaction_moment"),
            (Target::Drive, "torque", "effort"),
            (Target::Bushing, "moment", "torque"),
            (Target::Section, "bending moment", "section_moment"),
            (Target::Spring, "deflection", "length"),
            (Target::Tyre, "slip", "longitudinal_slip"),
            (Target::Contact, "penetration", "distance"),
            (Target::FlexibleBody, "energy", "strain_energy"),
            (Target::System, "energy", "kinetic_energy"),
        ];
        for (target, written, quantity) in rows {
            assert_eq!(found(target, written), quantity, "{written} of {target:?}");
        }
        assert_eq!(instead_of(Target::Joint, "positon"), "did you mean \"position\"?");
        assert!(no_target("angle").starts_with("add the target, one of `joint`, `body`"), "{}", no_target("angle"));
    }
}
