//! `ballesta lump`: a beam as a chain of rigid bodies, as a model file.

use super::arguments::Lump;
use super::failure::Failure;
use super::text::{self, short};
use crate::fem::lumped::{Beam, Chain, ModelOptions, Planes, Setup};
use std::path::PathBuf;

/// What is to be done.
pub struct Plan {
    beam: Beam,
    options: ModelOptions,
    output: Option<PathBuf>,
    compare: bool,
}

impl Plan {
    /// Resolves the defaults.
    pub fn resolve(typed: Lump) -> Result<Plan, Failure> {
        let name = |path: &PathBuf| path.file_stem().map(|stem| stem.to_string_lossy().into_owned());
        let folder =
            |path: &PathBuf| path.parent().and_then(|p| p.file_name()).map(|n| n.to_string_lossy().into_owned());
        // A file model.toml is named by its folder.
        let name = typed.output.as_ref().and_then(|path| match name(path) {
            Some(name) if name == "model" => folder(path).or(Some(name)),
            name => name,
        });
        let name: String = name.unwrap_or_else(|| "lumped_beam".into());
        let mut name: String = name.chars().map(|c| if c.is_ascii_alphanumeric() { c } else { '_' }).collect();
        if name.starts_with(|c: char| c.is_ascii_digit()) || name.is_empty() {
            name.insert_str(0, "beam_");
        }
        Ok(Plan {
            beam: Beam {
                length: typed.length,
                width: typed.width,
                height: typed.height,
                youngs_modulus: typed.youngs_modulus,
                density: typed.density,
            },
            options: ModelOptions {
                name,
                elements: typed.elements as usize,
                planes: if typed.both_planes { Planes::Both } else { Planes::One },
                damping_ratio: typed.damping_ratio,
                tip_force: typed.force,
                gravity: typed.gravity,
            },
            output: typed.output,
            compare: typed.compare,
        })
    }

    /// Writes the model or prints the comparison.
    pub fn execute(self) -> Result<(), Failure> {
        if self.compare {
            text::say(&self.comparison()?)?;
        }
        let model = self.beam.lumped_model(&self.options).map_err(|error| Failure::Usage(error.to_string()))?;
        match &self.output {
            Some(path) => std::fs::write(path, model).map_err(|error| Failure::file("write", path, error)),
            None if self.compare => Ok(()),
            None => text::say(&model),
        }
    }

    /// Deflection and frequencies over the number of elements.
    fn comparison(&self) -> Result<String, Failure> {
        let force = if self.options.tip_force == 0.0 { 1.0 } else { self.options.tip_force.abs() };
        let beam = &self.beam;
        let refused = |error: crate::rom::modes::ModesError| Failure::Usage(error.to_string());
        let header = ["elements", "deflection mm", "f1 Hz", "f2 Hz", "corrected: mm", "f1 Hz", "largest growth 1/s"];
        let mut rows = vec![header.map(String::from).to_vec()];
        let mut counts = vec![5, 10, 20, 40, self.options.elements];
        counts.sort_unstable();
        counts.dedup();
        for n in counts {
            let chain = Chain::new(beam, n, &Setup { rotary_inertia: true, ..Setup::default() });
            let frequencies = chain.frequencies_hz().map_err(refused)?;
            let thin = Chain::new(beam, n, &Setup::default());
            let corrected = thin.corrected_frequencies_hz();
            let growth = corrected.iter().map(|f| 2.0 * std::f64::consts::PI * f.im).fold(0.0, f64::max);
            let digit = |value: f64| short(value, 7);
            rows.push(vec![
                n.to_string(),
                digit(1e3 * chain.static_deflection(force, 0.0)),
                digit(frequencies[0]),
                frequencies.get(1).map_or(String::new(), |f| digit(*f)),
                digit(1e3 * thin.corrected_deflection(force, 0.0)),
                corrected.first().map_or(String::new(), |f| digit(f.re)),
                short(growth, 4),
            ]);
        }
        let exact = force * beam.length.powi(3) / (3.0 * beam.bending_stiffness());
        Ok(format!(
            "Cantilever with {} N at the tip; exact for a thin beam: {} mm\n{}\
             The corrected chain is not symmetric: use it for nothing but this comparison.\n",
            short(force, 6),
            short(1e3 * exact, 7),
            text::table(&rows)
        ))
    }
}
