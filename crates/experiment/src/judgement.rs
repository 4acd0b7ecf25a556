//! What a run says about itself, as data.

use ballesta::simulate::Judgement;
use ballesta::system::System;
use serde_json::{Value, json};

/// What a run says about itself as data, with the warning that it deserves.
pub fn findings(judgement: &Judgement, system: &System) -> Value {
    json!({
        "largest_gap_m": judgement.gap(),
        "largest_velocity_gap_m_s": judgement.velocity_gap(),
        "energy_change_j": judgement.energy_change(),
        "energy_exchanged_j": judgement.energy_exchanged(),
        "largest_bending": judgement.bending().ratio,
        "fastest_unstiffened_turning": judgement.spinning().ratio,
        "below_road_m": judgement.driving().depth,
        "tyre_beyond_range": judgement.driving().beyond,
        "steps": judgement.steps(),
        "near_singular_steps": judgement.near_singular_steps(),
        "halved_steps": judgement.halved_steps(),
        "changes_of_coordinates": judgement.changes(),
        "warning": judgement.warning(system, true),
        "warnings_at_start": system.report().warnings,
        "undetermined_outputs": system.report().undetermined,
    })
}
