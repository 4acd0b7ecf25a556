//! Diagnostics of a run, as data.

use super::check::findings::AugmentedLagrangian;
use super::outcome::Outcome;
use ballesta::simulate::{EnergyCause, Judgement};
use ballesta::system::System;
use serde_json::{Value, json};

/// The figures of a run as data. `outcome` is the quality of its result, `cause` the measured cause of an energy
/// balance error.
pub fn findings(judgement: &Judgement, system: &System, cause: Option<EnergyCause>, outcome: &Outcome) -> Value {
    let mut findings = json!({
        "outcome": outcome.word(),
        "largest_gap_m": judgement.gap(),
        "largest_velocity_gap_m_s": judgement.velocity_gap(),
        "energy_change_j": judgement.energy_change(),
        "energy_exchanged_j": judgement.energy_exchanged(),
        "energy_left_out_j": judgement.left_out().work,
        "energy_cause": cause.map(EnergyCause::name),
        "largest_bending": judgement.bending().ratio,
        "fastest_unstiffened_turning": judgement.spinning().ratio,
        "below_road_m": judgement.driving().depth,
        "tyre_beyond_range": judgement.driving().beyond,
        "steps": judgement.steps(),
        "near_singular_steps": judgement.near_singular_steps(),
        "halved_steps": judgement.halved_steps(),
        "changes_of_coordinates": judgement.changes(),
        "warning": outcome.reason(),
        "warnings_at_start": system.report().warnings,
        "undetermined_outputs": system.report().undetermined,
    });
    if let Some(settings) = AugmentedLagrangian::of(system) {
        findings["augmented_lagrangian"] = json!(settings);
    }
    findings
}
