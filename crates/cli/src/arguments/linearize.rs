//! `ballesta linearize`.

use super::{Assignment, assignment, positive};
use ballesta_experiment::reduction::Selected;
use clap::{Args, ValueEnum};
use std::path::PathBuf;

/// `ballesta linearize`
#[derive(Debug, Args)]
#[command(after_help = "\
dx/dt = A x + B u + E p, y = C x + D u + F p for small changes about the initial state, or, with --trim, about the
static equilibrium near it. States are the independent coordinates, their speeds `der(...)`, and the states of filtered
guides, force elements and low-pass filters; p are the tunable parameters, at the same state.

--reduce and --reduce-to-error keep unstable and undamped eigenvalues exactly and reduce the stable rest. The report has
the Hankel singular values, the bound of the error over all frequencies (H-infinity), and the largest error found.

Examples:
  ballesta linearize models/driven_arm
  ballesta linearize models/slewing_arm --from hub.torque --to payload.y --reduce 6 -o arm.m
  ballesta linearize models/slewing_arm --from hub.torque=2 --to payload.y=0.01 --reduce-to-error 0.1
  ballesta linearize models/five_link_suspension --trim -o suspension.m
  ballesta linearize models/bushing_mount --trim --set excitation.force=0 --json | jq .eigenvalues")]
pub struct Linearize {
    /// Model: a model.toml, or the folder that holds one
    pub model: PathBuf,
    /// Linearize about the static equilibrium near the initial position
    #[arg(long)]
    pub trim: bool,
    /// Value of a parameter or of an input; may be repeated
    #[arg(long = "set", value_name = "NAME=VALUE", value_parser = assignment)]
    pub set: Vec<Assignment>,
    /// Keep this number of states, those that do not decay included
    #[arg(long, value_name = "STATES", conflicts_with = "reduce_to_error")]
    pub reduce: Option<usize>,
    /// Keep the fewest states whose error bound is at most this, in the unit of output per input
    #[arg(long, value_name = "BOUND", value_parser = positive)]
    pub reduce_to_error: Option<f64>,
    /// Which states are left out
    #[arg(long, value_enum, default_value = "balanced")]
    pub reduction: ReductionMethod,
    /// Correct D so that static gains remain: what is left out follows at once
    #[arg(long)]
    pub static_correction: bool,
    /// Take this input of the reduced model instead of all; SCALE: the change that counts as 1; may be repeated
    #[arg(long, value_name = "INPUT[=SCALE]", value_parser = selected)]
    pub from: Vec<Selected>,
    /// Take this output of the reduced model instead of all; SCALE: the change that counts as 1; may be repeated
    #[arg(long, value_name = "OUTPUT[=SCALE]", value_parser = selected)]
    pub to: Vec<Selected>,
    /// Write the matrices: a MATLAB script when the name ends in .m, else JSON
    #[arg(short, long, value_name = "OUT.M | OUT.JSON")]
    pub output: Option<PathBuf>,
    /// Print one JSON object instead of the report
    #[arg(long)]
    pub json: bool,
}

/// `linearize --reduction`
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum ReductionMethod {
    /// Those of the balanced stable part with the smallest Hankel singular values
    Balanced,
    /// Those of the modes that contribute least
    Modal,
}

/// NAME or NAME=SCALE.
fn selected(text: &str) -> Result<Selected, String> {
    match text.rsplit_once('=') {
        None => Ok(Selected { name: text.trim().to_string(), scale: None }),
        Some((name, value)) => {
            let scale = positive(value.trim()).map_err(|error| format!("scale `{}`: {error}", value.trim()))?;
            Ok(Selected { name: name.trim().to_string(), scale: Some(scale) })
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn channels_have_a_name_and_perhaps_a_scale() {
        assert_eq!(selected("tip.y"), Ok(Selected { name: "tip.y".into(), scale: None }));
        assert_eq!(selected("tip.y = 1e-3"), Ok(Selected { name: "tip.y".into(), scale: Some(1e-3) }));
        for wrong in ["tip.y=0", "tip.y=-1", "tip.y=inf", "tip.y=x", "tip.y="] {
            assert!(selected(wrong).unwrap_err().contains("scale"), "{wrong}");
        }
    }
}
