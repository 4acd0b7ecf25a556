//! `[model]`, `[experiment]`, `[points]`.

use super::check::{Check, Use};
use super::name_checks::short;
use crate::schema::General;
use ballesta_solver::integrate::refinement::MAX_HALVINGS;
use ballesta_solver::system::{ITERATIONS, PENALTIES, TOLERANCES};

pub(super) fn check(check: &mut Check) {
    let model = check.model;
    let general = &model.general;
    // FMI uses the model name as file and function prefix, so it must be a C identifier.
    if short(check, "model.name", &general.name) && !is_identifier(&general.name) {
        let found = format!("\"{}\" is not a valid FMU name", general.name.escape_debug());
        check.report("model.name", found, "use letters, digits and `_`, and do not start with a digit");
    }
    check.vector("model.gravity", &general.gravity, Use::Fixed);
    if general.step <= 0.0 {
        check.report("model.step", format!("found {}", general.step), "give a positive time step in s, like 1e-3");
    }
    // Spectral radius, implicit forces and resolution apply only to linearly implicit integrators.
    if let Some(radius) = general.spectral_radius {
        if !general.integrator.is_linearly_implicit() {
            let expected = "remove it, or write `integrator = \"generalized_alpha\"`";
            check.report("model.spectral_radius", "the integrator has no spectral radius", expected);
        } else if !(0.0..=1.0).contains(&radius) {
            let expected = "give a number from 0 (strong numerical damping) to 1 (none)";
            check.report("model.spectral_radius", format!("found {radius}"), expected);
        }
    }
    if let (Some(_), Some(reason)) = (general.implicit, general.integrator.scheme().not_implicit) {
        let expected = "remove it, or write `integrator = \"generalized_alpha\"`";
        check.report("model.implicit", reason, expected);
    }
    if let Some(resolution) = general.resolution {
        if let Some(reason) = general.integrator.scheme().not_implicit {
            let expected = "remove it, or write `integrator = \"generalized_alpha\"`";
            check.report("model.resolution", reason, expected);
        } else if !(resolution > 0.0) {
            let expected = "give a positive limit, like 1.5, for ω h of the modes that oscillate";
            check.report("model.resolution", format!("found {resolution}"), expected);
        }
    }
    // Only explicit integrators halve their steps.
    if let Some(halvings) = general.step_halvings {
        if !general.integrator.scheme().halves_steps {
            let expected = "remove it, or write `integrator = \"rk4\"`";
            check.report("model.step_halvings", "the integrator does not halve its steps", expected);
        } else if halvings > MAX_HALVINGS {
            let expected = format!("give a whole number from 0 (steps are never halved) to {MAX_HALVINGS}");
            check.report("model.step_halvings", format!("found {halvings}"), &expected);
        }
    }
    check_augmented_lagrangian(check, general);
    // The experiment must last a positive time.
    let experiment = &model.experiment;
    if experiment.stop <= experiment.start {
        let found = format!("the experiment stops at {} s but starts at {} s", experiment.stop, experiment.start);
        check.report("experiment.stop", found, "stop after the start");
    }
    if let Some(step) = experiment.step.filter(|step| *step <= 0.0) {
        check.report("experiment.step", format!("found {step}"), "give a positive interval in s");
    }
    // Metadata and named points.
    if let Some(density) = model.published.as_ref().and_then(|published| published.density)
        && !(0.0..=1.0).contains(&density)
    {
        check.report("published.density", format!("found {density}"), "give a fraction, like 0.22 for 22 %");
    }
    for (name, vector) in &model.points {
        check.vector(&format!("points.{name}"), vector, Use::Fixed);
    }
}

/// The keys of the augmented Lagrangian.
fn check_augmented_lagrangian(check: &mut Check, general: &General) {
    let iterations = general.max_iterations.map(f64::from);
    let limits = [f64::from(*ITERATIONS.start()), f64::from(*ITERATIONS.end())];
    let keys = [
        ("penalty", general.penalty, [*PENALTIES.start(), *PENALTIES.end()], "a number"),
        ("tolerance", general.tolerance, [*TOLERANCES.start(), *TOLERANCES.end()], "a number"),
        ("max_iterations", iterations, limits, "a whole number"),
    ];
    for (key, value, [least, most], kind) in keys {
        let Some(value) = value else { continue };
        let path = format!("model.{key}");
        if !general.integrator.scheme().index_3 {
            let expected = "remove it, or write `integrator = \"augmented_lagrangian\"`";
            check.report(&path, "the integrator has no penalties and does not iterate to a tolerance", expected);
        } else if !(least..=most).contains(&value) {
            let expected = format!("give {kind} from {} to {}", number(least), number(most));
            check.report(&path, format!("found {}", number(value)), &expected);
        }
    }
}

/// A number in the notation of a model file.
fn number(value: f64) -> String {
    if value == 0.0 || (0.1..1e6).contains(&value.abs()) { format!("{value}") } else { format!("{value:e}") }
}

/// C identifier, which FMI requires for a model identifier.
pub(super) fn is_identifier(name: &str) -> bool {
    let mut characters = name.chars();
    characters.next().is_some_and(|first| first.is_ascii_alphabetic() || first == '_')
        && characters.all(|character| character.is_ascii_alphanumeric() || character == '_')
}
