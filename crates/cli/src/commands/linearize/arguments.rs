//! `ballesta linearize`.

use crate::arguments::{assignment, positive};
use ballesta_run::model::Assignment;
use ballesta_run::reduction::ChannelSelection;
use clap::{Args, ValueEnum};
use std::path::PathBuf;

/// `ballesta linearize`
#[derive(Debug, Args)]
#[command(after_help = "\
The command computes dx/dt = A x + B u + E p and y = C x + D u + F p for small changes about the initial state,
or with --trim about the static equilibrium near it. The states x are the independent coordinates, their speeds
`der(...)`, and the states of filtered prescribed motions, force elements and low-pass filters. p are the
tunable parameters.

--reduce and --reduce-to-error keep unstable and undamped eigenvalues exactly and reduce the stable part. The
report contains the Hankel singular values, the error bound over all frequencies (H-infinity), and the largest
computed error.

Examples:
  ballesta linearize models/driven_arm
  ballesta linearize models/slewing_arm --from hub.torque --to payload.y --reduce 6 -o arm.m
  ballesta linearize models/slewing_arm --from hub.torque=2 --to payload.y=0.01 --reduce-to-error 0.1
  ballesta linearize models/five_link_suspension --trim -o suspension.m
  ballesta linearize models/bushing_mount --trim --set excitation.force=0 --json | jq .eigenvalues")]
pub struct Linearize {
    /// Model file, or folder with a model.toml
    pub model: PathBuf,
    /// Linearize about the static equilibrium near the initial position
    #[arg(long)]
    pub trim: bool,
    /// Set a parameter or input; repeatable
    #[arg(long = "set", value_name = "NAME=VALUE", value_parser = assignment)]
    pub set: Vec<Assignment>,
    /// Number of states to keep, including states that do not decay
    #[arg(long, value_name = "STATES", conflicts_with = "reduce_to_error")]
    pub reduce: Option<usize>,
    /// Keep the fewest states with an error bound of at most BOUND, in units of output per input
    #[arg(long, value_name = "BOUND", value_parser = positive)]
    pub reduce_to_error: Option<f64>,
    /// Criterion for the omitted states
    #[arg(long, value_enum, default_value = "balanced")]
    pub reduction: ReductionMethod,
    /// Correct D so that the static gains are preserved
    #[arg(long)]
    pub static_correction: bool,
    /// Input of the reduced model [default: all]; SCALE is the change that corresponds to 1; repeatable
    #[arg(long, value_name = "INPUT[=SCALE]", value_parser = selected)]
    pub from: Vec<ChannelSelection>,
    /// Output of the reduced model [default: all]; SCALE is the change that corresponds to 1; repeatable
    #[arg(long, value_name = "OUTPUT[=SCALE]", value_parser = selected)]
    pub to: Vec<ChannelSelection>,
    /// Write the matrices as MATLAB script (.m) or JSON (.json)
    #[arg(short, long, value_name = "OUT.M | OUT.JSON")]
    pub output: Option<PathBuf>,
    /// Print one JSON object instead of the report
    #[arg(long)]
    pub json: bool,
}

/// `linearize --reduction`
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum ReductionMethod {
    /// Omit states of the balanced stable part with the smallest Hankel singular values
    Balanced,
    /// Omit the modes with the smallest contribution
    Modal,
}

/// NAME or NAME=SCALE.
fn selected(text: &str) -> Result<ChannelSelection, String> {
    match text.rsplit_once('=') {
        None => Ok(ChannelSelection { name: text.trim().to_string(), scale: None }),
        Some((name, value)) => {
            let scale = positive(value.trim()).map_err(|error| format!("scale `{}`: {error}", value.trim()))?;
            Ok(ChannelSelection { name: name.trim().to_string(), scale: Some(scale) })
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn channels_have_a_name_and_perhaps_a_scale() {
        assert_eq!(selected("tip.y"), Ok(ChannelSelection { name: "tip.y".into(), scale: None }));
        assert_eq!(selected("tip.y = 1e-3"), Ok(ChannelSelection { name: "tip.y".into(), scale: Some(1e-3) }));
        for wrong in ["tip.y=0", "tip.y=-1", "tip.y=inf", "tip.y=x", "tip.y="] {
            assert!(selected(wrong).unwrap_err().contains("scale"), "{wrong}");
        }
    }
}
