//! Run diagnostics as text: the summary, the warning, and the effect of `--strict`.

use crate::text;
use ballesta::simulate::{EnergyCause, Simulator};
use ballesta::system::System;
use ballesta_files::Failure;
use ballesta_run::Outcome;
use ballesta_run::simulation::Clock;
use std::io::{self, Write};

/// Summary of a completed run; `cause` is the measured cause of an energy balance error.
pub fn summary(simulator: &Simulator, clock: &Clock, cause: Option<EnergyCause>) -> String {
    let judgement = simulator.judgement();
    let (steps, exchanged) = (judgement.steps(), judgement.energy_exchanged());
    let mut rows = Vec::new();
    let mut row = |name: &str, value: String, note: String| rows.push(vec![name.to_string(), value, note]);
    // Gaps exist only in mechanisms with closed loops.
    if simulator.system().report().constraints > 0 {
        row("largest gap", format!("{} m", text::short(judgement.gap(), 3)), "all loops, all output points".into());
        row("largest velocity gap", format!("{} m/s", text::short(judgement.velocity_gap(), 3)), String::new());
    }
    // A fraction of the exchanged energy is meaningful only far above the round-off of the energy sum.
    let change = judgement.energy_change();
    let part = if exchanged > 1e3 * judgement.energy_round_off() {
        format!("{} of the {} J exchanged", text::short(change / exchanged, 2), text::short(exchanged, 4))
    } else {
        "no energy exchanged".into()
    };
    // Errors of the flexible-body formulation are stated, because a shorter step does not reduce them.
    let part = match cause {
        Some(EnergyCause::Formulation) => {
            let left_out = judgement.left_out();
            let [work, bound] = [left_out.work, left_out.bound].map(|energy| text::short(energy, 3));
            let loads = format!("; up to {bound} J of work of loads on quasi-static modes is omitted");
            let forces = format!("; {work} J are omitted by the formulation of a flexible body");
            part + if left_out.bound > left_out.work.abs() { loads.as_str() } else { forces.as_str() }
        }
        _ => part,
    };
    row("energy balance error", format!("{} J", text::short(change, 3)), part);
    // The ratio of deflection to length shows whether linear elasticity still applies.
    if let Some(body) = simulator.system().flexible.get(judgement.bending().body) {
        let note = format!("of the length of `{}`, at t = {} s", body.name, text::short(judgement.bending().time, 6));
        row("largest bending", text::short(judgement.bending().ratio, 2), note);
    }
    // Settings and events of the solver.
    if let Some(settings) = simulator.system().augmented_lagrangian() {
        let (penalty, tolerance) = (text::short(settings.penalty, 6), text::short(settings.tolerance, 6));
        let value = format!("penalty {penalty}, tolerance {tolerance}");
        row("augmented Lagrangian", value, format!("at most {} iterations per step", settings.max_iterations));
    }
    let near = judgement.near_singular_steps();
    row("near-singular steps", format!("{near}"), format!("of {steps}"));
    if judgement.halved_steps() > 0.0 {
        row("halved steps", format!("{}", judgement.halved_steps()), "limited by `step_halvings`".into());
    }
    row("changes of coordinates", format!("{}", judgement.changes()), String::new());
    // Computing time per communication step is the figure for real-time use.
    let longest = format!("{} ms", text::short(1e3 * clock.longest, 3));
    row(
        "longest communication step",
        longest,
        format!(
            "computing time, at t = {} s; total {} s",
            text::short(clock.longest_at, 6),
            text::short(clock.total, 3)
        ),
    );
    // Redundant constraints leave some reactions undetermined.
    let undetermined = &simulator.system().report().undetermined;
    if !undetermined.is_empty() {
        let note =
            format!("redundant loop equations; the minimum-norm solution is reported: {}", undetermined.join(", "));
        row("undetermined outputs", undetermined.len().to_string(), note);
    }
    format!("\nRun diagnostics\n{}", text::table(&rows))
}

/// Warns on stderr if the start differs from the file.
pub fn warn(system: &System) {
    for warning in &system.report().warnings {
        let _ = writeln!(io::stderr(), "warning: {}: {warning}", system.name());
    }
}

/// Warns on stderr about a questionable result. A wrong result, or a questionable result with `strict`, is a failure.
pub fn settle(outcome: Outcome, strict: bool) -> Result<(), Failure> {
    if let Some(warning) = outcome.settle(strict)? {
        let _ = writeln!(io::stderr(), "warning: {warning}");
    }
    Ok(())
}
