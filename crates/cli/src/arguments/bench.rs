//! What was typed behind `ballesta bench`.

use super::positive;
use crate::bench::reference::Method;
use ballesta_pictures::picture;
use clap::Args;
use std::path::PathBuf;

/// `ballesta bench`
#[derive(Debug, Args)]
#[command(after_help = "\
Without --realtime, steps follow each other without pause; the experiment is repeated when it ends before the last step.
Times are wall-clock times of single steps, so run it on a quiet machine and with a release build.

With --realtime, every period begins at its time of the monotonic clock: the inputs are set, the model or FMU makes one
step of the length of the period, all outputs are read. A step that is not done before the next period is an overrun; the
periods that begin before its end are skipped, not caught up with. What the system does not permit is said, and left out.
Then the same periods pass with arithmetic of a fixed length in place of the steps, which takes as long again.

With --method dense, faer or sparse, the stages of evaluations along the same motion are timed, by the global method of Hidalgo
and García de Jalón (2013): all loops in one set of closure equations, for rigid bodies and away from singular positions; with
dense matrices in plain loops, dense matrices of faer, or sparse ones.

Examples:
  ballesta bench models/four_bar
  ballesta bench models/four_bar --steps 100000 --json
  ballesta bench models/van --method sparse
  ballesta bench four_bar.fmu --step 1e-3
  ballesta bench four_bar.fmu --realtime --period 1e-3 --duration 60 --svg four_bar.svg
  ballesta bench four_bar.fmu --realtime --priority 80 --cpu 1 --lock-memory --strict --max-misses 0 --max-us 500")]
pub struct Bench {
    /// Model (a model.toml, or the folder that holds one) or FMU (FMI 2.0 Co-Simulation)
    #[arg(value_name = "MODEL | FMU")]
    pub subject: PathBuf,
    /// Number of steps that are measured; with --realtime, of periods
    #[arg(
        long, value_name = "N", default_value_t = 10_000,
        value_parser = clap::value_parser!(u32).range(1..=100_000_000)
    )]
    pub steps: u32,
    /// Step in s [default: the internal step of the model, the step size of the FMU's default experiment]
    #[arg(long, value_name = "H", value_parser = positive, allow_negative_numbers = true)]
    pub step: Option<f64>,
    /// How evaluations are done whose stages are timed
    #[arg(long, value_enum, value_name = "METHOD", default_value = "structured")]
    pub method: Method,
    /// Print one JSON object instead of the report
    #[arg(long)]
    pub json: bool,
    /// Pace the steps by the wall clock, and report latency, execution and missed deadlines
    #[arg(long)]
    pub realtime: bool,
    /// Period in s, also the communication step [default: that of the model's or FMU's experiment, else 1 ms]
    #[arg(long, value_name = "T", value_parser = positive, allow_negative_numbers = true, requires = "realtime")]
    pub period: Option<f64>,
    /// How long to measure in s, in place of --steps
    #[arg(
        long, value_name = "S", value_parser = positive, allow_negative_numbers = true, requires = "realtime",
        conflicts_with = "steps"
    )]
    pub duration: Option<f64>,
    /// Values of the inputs over time, as for `run`
    #[arg(long, value_name = "IN.CSV", requires = "realtime")]
    pub inputs: Option<PathBuf>,
    /// Real-time priority under SCHED_FIFO, 1 to 99
    #[arg(long, value_name = "P", value_parser = clap::value_parser!(u8).range(1..=99), requires = "realtime")]
    pub priority: Option<u8>,
    /// The only CPU to run on
    #[arg(long, value_name = "CPU", value_parser = clap::value_parser!(u16).range(..1024), requires = "realtime")]
    pub cpu: Option<u16>,
    /// Keep all memory in RAM
    #[arg(long, requires = "realtime")]
    pub lock_memory: bool,
    /// Measure nothing unless the system permits --priority, --cpu and --lock-memory as given
    #[arg(long, requires = "realtime")]
    pub strict: bool,
    /// Exit code 3 if more deadlines than this are missed
    #[arg(long, value_name = "N", requires = "realtime")]
    pub max_misses: Option<u64>,
    /// Exit code 3 if a response, from its release to its last output, takes longer, in µs
    #[arg(long, value_name = "US", value_parser = positive, allow_negative_numbers = true, requires = "realtime")]
    pub max_us: Option<f64>,
    /// Leave out the reference: the same periods again without the model, which show what the system alone does
    #[arg(long, requires = "realtime")]
    pub no_reference: bool,
    /// Draw the distributions with the deadline, SVG or PNG by the ending
    #[arg(long, value_name = "PICTURE", value_parser = picture::parse, requires = "realtime")]
    pub svg: Option<PathBuf>,
}
