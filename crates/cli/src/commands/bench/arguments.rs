//! Arguments of `ballesta bench`.

use crate::arguments::positive;
use ballesta_pictures::picture;
use clap::{Args, ValueEnum};
use serde::Serialize;
use std::path::PathBuf;

/// `ballesta bench`
#[derive(Debug, Args)]
#[command(after_help = "\
Without --realtime, the steps follow each other without pause. The experiment repeats until all steps are done.
The times are wall-clock times of single steps: use a quiet machine and a release build.

With --realtime, each period starts at its release time on the monotonic clock: the inputs are set, the model
or FMU makes one step of one period, and all outputs are read. A step that is not finished at the next release
is an overrun; periods that are released before it ends are skipped. Settings that the system does not permit
are reported and omitted. Then the same number of periods runs with arithmetic of constant length instead of
the steps. This reference shows the latencies of the system alone and doubles the total time.

With --method dense, faer or sparse, the stages of evaluations along the same motion are timed with the global
method of Hidalgo and García de Jalón (2013): all loops in one set of closure equations, for rigid bodies and
regular positions, with dense matrices in plain loops, dense matrices of faer, or sparse matrices.

Examples:
  ballesta bench models/four_bar
  ballesta bench models/four_bar --steps 100000 --json
  ballesta bench models/van --method sparse
  ballesta bench four_bar.fmu --step 1e-3
  ballesta bench four_bar.fmu --realtime --period 1e-3 --duration 60 --svg four_bar.svg
  ballesta bench four_bar.fmu --realtime --priority 80 --cpu 1 --lock-memory --strict --max-misses 0 --max-us 500")]
pub struct Bench {
    /// Model (file, or folder with a model.toml) or FMU (FMI 2.0 Co-Simulation)
    #[arg(value_name = "MODEL | FMU")]
    pub subject: PathBuf,
    /// Number of measured steps, or of periods with --realtime
    #[arg(
        long, value_name = "N", default_value_t = 10_000,
        value_parser = clap::value_parser!(u32).range(1..=100_000_000)
    )]
    pub steps: u32,
    /// Step in s [default: internal step of the model, or step size of the FMU's default experiment]
    #[arg(long, value_name = "H", value_parser = positive, allow_negative_numbers = true)]
    pub step: Option<f64>,
    /// Method of the evaluations whose stages are timed
    #[arg(long, value_enum, value_name = "METHOD", default_value = "structured")]
    pub method: Method,
    /// Print one JSON object instead of the report
    #[arg(long)]
    pub json: bool,
    /// Run the steps in real time and report latency, execution time and missed deadlines
    #[arg(long)]
    pub realtime: bool,
    /// Period and communication step in s [default: from the experiment of the model or FMU, else 1 ms]
    #[arg(long, value_name = "T", value_parser = positive, allow_negative_numbers = true, requires = "realtime")]
    pub period: Option<f64>,
    /// Duration of the measurement in s, instead of --steps
    #[arg(
        long, value_name = "S", value_parser = positive, allow_negative_numbers = true, requires = "realtime",
        conflicts_with = "steps"
    )]
    pub duration: Option<f64>,
    /// Inputs over time, as for `run`
    #[arg(long, value_name = "IN.CSV", requires = "realtime")]
    pub inputs: Option<PathBuf>,
    /// Real-time priority under SCHED_FIFO, 1 to 99
    #[arg(long, value_name = "P", value_parser = clap::value_parser!(u8).range(1..=99), requires = "realtime")]
    pub priority: Option<u8>,
    /// CPU to run on
    #[arg(long, value_name = "CPU", value_parser = clap::value_parser!(u16).range(..1024), requires = "realtime")]
    pub cpu: Option<u16>,
    /// Lock all memory in RAM
    #[arg(long, requires = "realtime")]
    pub lock_memory: bool,
    /// Stop if the system does not permit --priority, --cpu or --lock-memory as given
    #[arg(long, requires = "realtime")]
    pub strict: bool,
    /// Exit with code 3 if more than N deadlines are missed
    #[arg(long, value_name = "N", requires = "realtime")]
    pub max_misses: Option<u64>,
    /// Exit with code 3 if a response, from release to last output, exceeds this limit in µs
    #[arg(long, value_name = "US", value_parser = positive, allow_negative_numbers = true, requires = "realtime")]
    pub max_us: Option<f64>,
    /// Skip the reference measurement of system latencies without the model
    #[arg(long, requires = "realtime")]
    pub no_reference: bool,
    /// Plot the distributions and the deadline (.svg or .png)
    #[arg(long, value_name = "PICTURE", value_parser = picture::parse, requires = "realtime")]
    pub svg: Option<PathBuf>,
}

/// Method of an evaluation: the solver, or the global method with one kind of matrices. The solver closes loops block
/// by block and eliminates from the leaves.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Method {
    // Doc comments would give the help more than one line per option.
    Structured,
    Dense,
    Faer,
    Sparse,
}
