//! `ballesta spectrum`: amplitude spectra of results, their peaks, and a picture in dB.

mod analysis;
pub mod arguments;
mod signal;

use crate::text;
use analysis::{Peak, Spectrum, decibel};
use ballesta_files::csv::CsvWriter;
use ballesta_files::{Failure, output_file};
use ballesta_pictures::picture;
use ballesta_pictures::plot::{self, Curve, Panel};
use serde::Serialize;
use signal::Signals;

pub use analysis::Window;

/// Largest number of points; more need over 1 GB.
const MAX_POINTS: usize = 1 << 26;
/// Smallest range of a drawn curve below its highest value, dB.
const MIN_RANGE_DB: f64 = 100.0;

/// Resolved `ballesta spectrum` command.
pub struct Plan {
    typed: arguments::Spectrum,
    signals: Signals,
    up_to: f64,
}

impl Plan {
    /// Reads the file.
    pub fn resolve(typed: arguments::Spectrum) -> Result<Plan, Failure> {
        let outputs = [("--svg", typed.svg.as_deref()), ("--csv", typed.csv.as_deref())];
        output_file::keep_apart(&outputs, std::slice::from_ref(&typed.results))?;
        let signals = Signals::read(&typed.results, &typed.columns, typed.after)?;
        let samples = signals.columns[0].1.len();
        if samples.saturating_mul(typed.padding) > MAX_POINTS {
            let most = MAX_POINTS / samples;
            let asked = format!("--padding {}: too many points for {samples} samples", typed.padding);
            return Err(Failure::Usage(format!("{asked}; expected at most {}", most.max(1))));
        }
        let nyquist = 0.5 / signals.interval;
        let up_to = typed.up_to.unwrap_or(nyquist);
        if up_to > nyquist * (1.0 + 1e-9) {
            let found = format!("--up-to {up_to}: samples every {} s", text::short(signals.interval, 6));
            return Err(Failure::Usage(format!("{found} allow at most {} Hz", text::short(nyquist, 6))));
        }
        Ok(Plan { typed, signals, up_to })
    }

    /// Transforms and reports.
    pub fn execute(self) -> Result<(), Failure> {
        let of = |values: &Vec<f64>| {
            analysis::spectrum(values, self.signals.interval, self.typed.window, self.typed.padding)
        };
        let spectra: Vec<Spectrum> = self.signals.columns.iter().map(|(_, values)| of(values)).collect();
        let peaks: Vec<Vec<Peak>> = spectra.iter().map(|spectrum| self.peaks(spectrum)).collect();
        if let Some(path) = &self.typed.svg {
            picture::write(path, &self.picture(&spectra, &peaks))?;
        }
        if let Some(path) = &self.typed.csv {
            let table = self.table(&spectra).map_err(|error| Failure::file("write", path, error))?;
            output_file::write(path, &table)?;
        }
        if self.typed.json {
            text::say_json(&self.findings(&spectra, &peaks))
        } else {
            text::say(&self.page(&spectra, &peaks))
        }
    }

    /// The strongest peaks, ascending in frequency.
    fn peaks(&self, spectrum: &Spectrum) -> Vec<Peak> {
        let mut peaks = spectrum.peaks(self.up_to, self.typed.floor);
        peaks.sort_by(|a, b| b.amplitude.total_cmp(&a.amplitude));
        peaks.truncate(self.typed.peaks);
        peaks.sort_by(|a, b| a.frequency.total_cmp(&b.frequency));
        peaks
    }

    /// Entries up to the end of the range.
    fn shown(&self, spectrum: &Spectrum) -> usize {
        ((self.up_to / spectrum.spacing * (1.0 + 1e-9)).floor() as usize + 1).min(spectrum.amplitudes.len())
    }

    fn picture(&self, spectra: &[Spectrum], peaks: &[Vec<Peak>]) -> String {
        let count = self.shown(&spectra[0]);
        let frequencies: Vec<f64> = (0..count).map(|i| i as f64 * spectra[0].spacing).collect();
        let curves: Vec<Vec<f64>> =
            spectra.iter().map(|spectrum| self.decibels(&spectrum.amplitudes[..count])).collect();
        let names = self.signals.columns.iter().map(|(name, _)| name);
        let panels: Vec<Panel> = names
            .zip(&curves)
            .map(|(name, values)| Panel {
                title: Some("amplitude (dB re 1)"),
                unit: "1",
                factor: 1.0,
                curves: vec![Curve { name, unit: "1", description: "", stepped: false, diagnostic: false, values }],
                low: false,
                along: None,
            })
            .collect();
        let listed: Vec<String> = peaks[0].iter().take(12).map(|peak| text::short(peak.frequency, 5)).collect();
        let note = match (spectra.len(), listed.is_empty()) {
            (1, false) => format!("{}; peaks at {} Hz", self.window(&spectra[0]), listed.join(", ")),
            _ => self.window(&spectra[0]),
        };
        let title = self.typed.results.file_name().unwrap_or_default().to_string_lossy().into_owned();
        plot::draw_panels(("frequency", "Hz"), &format!("Spectrum of {title}"), &note, &frequencies, &panels)
    }

    /// Amplitudes in dB, limited far below the highest value, for the zeros of the window.
    fn decibels(&self, amplitudes: &[f64]) -> Vec<f64> {
        let values: Vec<f64> = amplitudes.iter().map(|amplitude| decibel(*amplitude)).collect();
        let highest = values.iter().fold(f64::NEG_INFINITY, |most, value| if *value > most { *value } else { most });
        let depth = if self.typed.floor > MIN_RANGE_DB { self.typed.floor } else { MIN_RANGE_DB };
        // A column of zeros has no highest value.
        let lowest = if highest.is_finite() { highest - depth } else { -depth };
        values.into_iter().map(|value| if value > lowest { value } else { lowest }).collect()
    }

    /// `frequency,<names>`: amplitudes in the units of the columns.
    fn table(&self, spectra: &[Spectrum]) -> std::io::Result<Vec<u8>> {
        let names = self.signals.columns.iter().map(|(name, _)| name.as_str());
        let mut csv = CsvWriter::along("frequency", Vec::new(), names)?;
        for i in 0..self.shown(&spectra[0]) {
            let row: Vec<f64> = spectra.iter().map(|spectrum| spectrum.amplitudes[i]).collect();
            csv.row(i as f64 * spectra[0].spacing, &row)?;
        }
        csv.finish()
    }

    /// Window and lines as text.
    fn window(&self, spectrum: &Spectrum) -> String {
        format!(
            "{} window, lines {} Hz apart, entries {} Hz",
            self.typed.window.name(),
            text::short(spectrum.line, 4),
            text::short(spectrum.spacing, 4),
        )
    }

    fn page(&self, spectra: &[Spectrum], peaks: &[Vec<Peak>]) -> String {
        let mut page = format!(
            "{}: {} every {} s from {} s on\n{}\n",
            self.typed.results.display(),
            text::count(self.signals.columns[0].1.len(), "sample"),
            text::short(self.signals.interval, 6),
            text::short(self.signals.start, 6),
            self.window(&spectra[0]),
        );
        for (((name, _), spectrum), peaks) in self.signals.columns.iter().zip(spectra).zip(peaks) {
            page +=
                &format!("\n{name}: mean {}, {}\n", text::short(spectrum.mean, 6), text::count(peaks.len(), "peak"));
            if peaks.is_empty() {
                continue;
            }
            let mut rows = vec![["Hz", "amplitude", "dB re 1"].map(String::from).to_vec()];
            let row = |peak: &Peak| {
                let level = format!("{:.2}", decibel(peak.amplitude));
                vec![format!("{:.4}", peak.frequency), text::short(peak.amplitude, 5), level]
            };
            rows.extend(peaks.iter().map(row));
            page += &text::table(&rows);
        }
        for path in [&self.typed.svg, &self.typed.csv].into_iter().flatten() {
            page += &format!("\nWrote {}.\n", path.display());
        }
        page
    }

    fn findings(&self, spectra: &[Spectrum], peaks: &[Vec<Peak>]) -> SpectrumReport {
        let found =
            |peak: &Peak| SpectrumPeak { hz: peak.frequency, amplitude: peak.amplitude, db: decibel(peak.amplitude) };
        let all = self.signals.columns.iter().zip(spectra).zip(peaks);
        let columns = all.map(|(((name, _), spectrum), peaks)| Column {
            name: name.clone(),
            mean: spectrum.mean,
            peaks: peaks.iter().map(found).collect(),
        });
        SpectrumReport {
            file: self.typed.results.display().to_string(),
            samples: self.signals.columns[0].1.len(),
            interval_s: self.signals.interval,
            start_s: self.signals.start,
            window: self.typed.window.name(),
            line_hz: spectra[0].line,
            spacing_hz: spectra[0].spacing,
            columns: columns.collect(),
        }
    }
}

/// The object of `spectrum --json`.
#[derive(Serialize)]
struct SpectrumReport {
    file: String,
    samples: usize,
    interval_s: f64,
    start_s: f64,
    window: &'static str,
    line_hz: f64,
    spacing_hz: f64,
    columns: Vec<Column>,
}

#[derive(Serialize)]
struct Column {
    name: String,
    mean: f64,
    peaks: Vec<SpectrumPeak>,
}

#[derive(Serialize)]
struct SpectrumPeak {
    hz: f64,
    amplitude: f64,
    db: f64,
}
