//! Arguments of `ballesta study`.

use clap::Args;
use std::path::PathBuf;

/// `ballesta study`
#[derive(Debug, Args)]
#[command(after_help = "\
The study file names the model, the factors (grids, lists, distributions) and the results to keep of each run:
see docs/study-format.md. The result is a Parquet file with one row per run: factors, results and status.

  done          the run completed without warnings
  questionable  the run completed with warnings, which state the reason
  wrong         the result is known to be wrong
  fault         the simulation stopped with a fault
  refused       the model rejects these values, or its step is too long

The same study gives the same file, to the byte, with any number of threads and after interruptions. Completed
runs are saved about every second next to the result, in RESULT.parquet.part. After Ctrl-C or a crash, the same
command continues with the remaining runs. If the result exists already, the command does nothing.

Examples:
  ballesta study models/studies/van/study.toml --dry-run
  ballesta study models/studies/pendulum/study.toml
  ballesta study models/studies/pendulum/study.toml -o pendulum.parquet --report pendulum.html
  ballesta study pendulum.parquet --report pendulum.html
  ballesta study models/studies/van/study.toml --dask tcp://first:8786")]
pub struct Study {
    /// Study file; with --report alternatively a study result
    #[arg(value_name = "STUDY")]
    pub study: PathBuf,
    /// Result file (.parquet) [default: name of the study file, in the current folder]
    #[arg(long, short, value_name = "RESULT.PARQUET")]
    pub out: Option<PathBuf>,
    /// Number of threads [default: number of processors]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..))]
    pub threads: Option<u16>,
    /// Run on a Dask cluster, given by the address of its scheduler or its scheduler file; requires `pip install
    /// 'ballesta[dask]'` here and on the workers
    #[arg(long, value_name = "ADDRESS", conflicts_with_all = ["threads", "dry_run"])]
    pub dask: Option<String>,
    /// Discard an existing result and its saved runs, and start again
    #[arg(long)]
    pub restart: bool,
    /// Print the number of runs, the first sets of factors and the size of the result, without running
    #[arg(long, conflicts_with_all = ["restart", "report"])]
    pub dry_run: bool,
    /// Write a page with histograms, scatter plots and rank correlations of the result
    #[arg(long, value_name = "PAGE.HTML")]
    pub report: Option<PathBuf>,
    /// Exit with code 3 instead of a warning if a run is not `done`
    #[arg(long)]
    pub strict: bool,
    /// Print only warnings and errors
    #[arg(long, short, conflicts_with = "json")]
    pub quiet: bool,
    /// Print one JSON object instead of the report
    #[arg(long)]
    pub json: bool,
}
