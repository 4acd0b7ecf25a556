//! What was typed behind `ballesta study`.

use clap::Args;
use std::path::PathBuf;

/// `ballesta study`
#[derive(Debug, Args)]
#[command(after_help = "\
A study's file says which model, what varies (grids, lists, distributions), and what is kept of every run; \
docs/study-format.md
describes it. The result is a Parquet file with one row per run: its factors, what was kept, and its status: `done`; `questionable`
(it came to its end with warnings, which are its reason); `wrong` (its result is known to be wrong);
`fault` (it stopped); `refused` (the model does not take these values, or its
step is too long). The same study gives the same file to the byte, on any number of threads, interrupted or not.

Runs that are made are stored beside the result, in RESULT.parquet.part, about every second. After Ctrl-C, or when the program was
killed, the same command goes on with the runs that are missing. A study whose result is there already does nothing.

Examples:
  ballesta study models/studies/van/study.toml --dry-run
  ballesta study models/studies/pendulum/study.toml
  ballesta study models/studies/pendulum/study.toml -o pendulum.parquet --report pendulum.html
  ballesta study pendulum.parquet --report pendulum.html
  ballesta study models/studies/van/study.toml --dask tcp://first:8786")]
pub struct Study {
    /// A study's file; with --report also the result of one
    #[arg(value_name = "STUDY")]
    pub study: PathBuf,
    /// The result, .parquet [default: the name of the study's file, in this folder]
    #[arg(long, short, value_name = "RESULT.PARQUET")]
    pub out: Option<PathBuf>,
    /// Threads [default: the processors of this machine]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..))]
    pub threads: Option<u16>,
    /// Have the runs made by the workers of a Dask cluster: the address of its scheduler, or its scheduler file; needs
    /// Python with `pip install 'ballesta[dask]'`, here and on the workers
    #[arg(long, value_name = "ADDRESS", conflicts_with_all = ["threads", "dry_run"])]
    pub dask: Option<String>,
    /// Discard the result and the runs of this name that are there, and begin anew
    #[arg(long)]
    pub restart: bool,
    /// Tell the runs, the first sets of factors and the size of the result, and make no run
    #[arg(long, conflicts_with_all = ["restart", "report"])]
    pub dry_run: bool,
    /// Write a page with histograms, scatter plots and rank correlations of the result
    #[arg(long, value_name = "PAGE.HTML")]
    pub report: Option<PathBuf>,
    /// End with exit code 3 where a run is not `done`: what is otherwise a warning
    #[arg(long)]
    pub strict: bool,
    /// Print nothing but warnings and errors
    #[arg(long, short, conflicts_with = "json")]
    pub quiet: bool,
    /// Print one JSON object instead of the report
    #[arg(long)]
    pub json: bool,
}
