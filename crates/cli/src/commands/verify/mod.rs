//! `ballesta verify`: error of a model's results, from shorter steps and a second integrator.

pub mod arguments;
mod verify_report;

use crate::{judged, text};
use ballesta_files::{Failure, output_file};
use ballesta_pictures::picture;
use ballesta_run::inputs::Inputs;
use ballesta_run::verify::{Options, Verification};
use ballesta_run::{Outcome, model};
use std::io::{self, Write};
use std::path::PathBuf;

/// Resolved `ballesta verify` command.
pub struct Plan {
    verification: Verification,
    svg: Option<PathBuf>,
    json: bool,
}

impl Plan {
    /// Reads the model and the inputs; nothing runs yet.
    pub fn resolve(typed: arguments::Verify) -> Result<Plan, Failure> {
        let mut document = model::open(&typed.model)?;
        let files: Vec<PathBuf> =
            model::files(&typed.model, &document).into_iter().chain(typed.inputs.clone()).collect();
        let arguments::Verify { stop, step, tolerance, trim, set, one_integrator, svg, json, .. } = typed;
        output_file::keep_apart(&[("--svg", svg.as_deref())], &files)?;
        if let Some(step) = typed.internal_step {
            document.model.general.take_step(step);
        }
        let options = Options { stop, step, tolerance, trim, set, one_integrator };
        let verification = Verification::new(document, options, |interface| {
            typed.inputs.map(|path| Inputs::read(&path, interface)).transpose()
        })?;
        Ok(Plan { verification, svg, json })
    }

    /// Runs, compares, reports.
    pub fn execute(self) -> Result<(), Failure> {
        let findings = self.verification.findings(&|points, what| {
            let bar = text::progress(points as u64, what);
            Box::new(move || bar.inc(1))
        })?;
        if let Some(path) = &self.svg {
            picture::write(path, &verify_report::drawing(&findings))?;
        }
        match self.json {
            true => text::say_json(&findings)?,
            false => text::say(&verify_report::page(&findings, self.svg.as_deref()))?,
        }
        for warning in &findings.warnings {
            let _ = writeln!(io::stderr(), "warning: {warning}");
        }
        let failures = format!("{} is not verified: {}", findings.model, findings.failures.join("; "));
        judged::settle(Outcome::new((!findings.converges).then_some(failures), true), false)
    }
}
