//! `ballesta edit`: a page that edits a model, with the solver inside.

pub mod arguments;
mod gallery;

use crate::commands::export::notice;
use crate::commands::view::live_library;
use crate::text;
use ballesta_files::Failure;
use ballesta_files::output_file::{keep_apart, write};
use ballesta_package::packed_library::page_parts;
use ballesta_pictures::page::is_page;
use ballesta_pictures::page::workshop::{EditSource, FmuSource, of_edit};
use ballesta_run::model_files::{self, ModelFiles};
use std::path::PathBuf;

/// Resolved `ballesta edit` command.
pub struct Plan {
    page: String,
    output: PathBuf,
    json: bool,
}

impl Plan {
    /// Reads the files and the library, and writes the page to memory.
    pub fn resolve(typed: arguments::Edit) -> Result<Plan, Failure> {
        if !is_page(&typed.output) {
            let message = format!("-o {}: expected a name that ends in .html", typed.output.display());
            return Err(Failure::Usage(message));
        }
        let model = typed.model.as_deref().map(model_files::named).transpose()?;
        let paths = model.as_ref().map(ModelFiles::paths).unwrap_or_default();
        keep_apart(&[("-o", Some(&typed.output))], &paths)?;
        let models = match &typed.gallery {
            Some(folder) => gallery::read(folder, typed.pictures.as_ref().unwrap_or(folder))?,
            None => Vec::new(),
        };
        let library = live_library()?;
        let program = std::env::current_exe().ok();
        let parts = typed.with_fmu.then(|| page_parts(program.as_deref(), &mut notice)).transpose()?;
        let fmu = parts.as_ref().map(|parts| FmuSource {
            packer: &parts.packer,
            libraries: &parts.libraries,
            platforms: &parts.platforms,
        });
        let page = of_edit(&EditSource { model: model.as_ref(), gallery: &models, library: &library, fmu });
        Ok(Plan { page, output: typed.output, json: typed.json })
    }

    /// Writes the page.
    pub fn execute(self) -> Result<(), Failure> {
        write(&self.output, &self.page)?;
        text::answer(self.json, "", &[&self.output], serde_json::Value::Null)
    }
}
