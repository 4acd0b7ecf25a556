//! Arguments of `ballesta spectrum`.

use crate::arguments::{finite, positive};
use ballesta_pictures::picture;
use clap::Args;
use std::path::PathBuf;

/// `ballesta spectrum`
#[derive(Debug, Args)]
#[command(after_help = "\
The weighted mean is subtracted, the samples are multiplied by the window, and zero padding interpolates the
spectrum. A steady sine appears with its own amplitude, in the unit of its column; dB are 20 log10 of this
value. A peak is the highest value within the main lobe of the window and at least twice the leakage of
stronger peaks. Its frequency and amplitude come from a parabola through the logarithms of three values.

Examples:
  ballesta run models/step_loaded_frame --csv frame.csv
  ballesta spectrum frame.csv --column load.displacement --svg spectrum.svg
  ballesta spectrum frame.csv --column load.displacement --window blackman-harris --up-to 300 \
--json | jq .columns[0].peaks")]
pub struct Spectrum {
    /// CSV of results with equal time intervals, as written by `run --csv`
    #[arg(value_name = "OUTPUT.CSV")]
    pub results: PathBuf,
    /// Column to transform; repeatable [default: all columns that vary]
    #[arg(long = "column", value_name = "NAME")]
    pub columns: Vec<String>,
    /// Ignore samples before this time in s
    #[arg(long, value_name = "T", value_parser = finite, allow_negative_numbers = true)]
    pub after: Option<f64>,
    /// Window function
    #[arg(long, value_enum, value_name = "WINDOW", default_value = "hann")]
    pub window: super::Window,
    /// Zero-padded length in multiples of the number of samples, rounded up to a power of two
    #[arg(
        long, value_name = "N", default_value_t = 8,
        value_parser = clap::builder::RangedU64ValueParser::<usize>::new().range(1..=1024)
    )]
    pub padding: usize,
    /// Highest frequency in Hz [default: half the sampling rate]
    #[arg(long, value_name = "HZ", value_parser = positive, allow_negative_numbers = true)]
    pub up_to: Option<f64>,
    /// Number of peaks, strongest first
    #[arg(long, value_name = "N", default_value_t = 20)]
    pub peaks: usize,
    /// Range of levels in dB below the highest peak in which peaks are reported
    #[arg(
        long = "floor-db", value_name = "DB", default_value_t = 100.0, value_parser = positive,
        allow_negative_numbers = true
    )]
    pub floor: f64,
    /// Plot the spectrum in dB (.svg or .png)
    #[arg(long, value_name = "PICTURE", value_parser = picture::parse)]
    pub svg: Option<PathBuf>,
    /// Write frequencies and amplitudes as CSV
    #[arg(long, value_name = "OUT.CSV")]
    pub csv: Option<PathBuf>,
    /// Print one JSON object instead of the report
    #[arg(long)]
    pub json: bool,
}
