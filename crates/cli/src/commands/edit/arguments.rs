//! Arguments of `ballesta edit`.

use clap::Args;
use std::path::PathBuf;

/// `ballesta edit`
#[derive(Debug, Args)]
#[command(after_help = "\
The page is one HTML file, usable offline. It has the text of the model on the left and the running model on the
right. It compiles and redraws the model after every change and marks errors in the text.

The page contains all files of the model: subassemblies, reduced models, tyres, tables, meshes. A model with
errors is accepted; the page shows the errors. Changes stay in the page: download the files from the page.

With --with-fmu the page also writes FMUs, with the bytes of ballesta export. It contains the libraries of all
platforms that export would pack.

Without MODEL the page starts with a gallery of templates. The names of the templates are those of new. With
--gallery the gallery also has the models of a folder: every folder in it that has a model.toml. Their pictures are
NAME.webp, NAME.png or NAME.jpg for a model folder NAME.

Examples:
  ballesta edit models/van -o workshop.html
  ballesta edit four-bar -o four_bar.html
  ballesta edit models/van --with-fmu
  ballesta edit
  ballesta edit --gallery models --pictures docs/pictures/gallery")]
pub struct Edit {
    /// Model file, folder with a model.toml, or template [default: a gallery of templates]
    #[arg(value_name = "MODEL | TEMPLATE")]
    pub model: Option<PathBuf>,
    /// Page to write
    #[arg(short, long, value_name = "PAGE.HTML", default_value = "workshop.html")]
    pub output: PathBuf,
    /// Add the models of a folder to the gallery of the page
    #[arg(long, value_name = "FOLDER")]
    pub gallery: Option<PathBuf>,
    /// Folder with the pictures of the gallery [default: the folder of --gallery]
    #[arg(long, value_name = "FOLDER", requires = "gallery")]
    pub pictures: Option<PathBuf>,
    /// Add a download of FMUs; the page has about 4 MB more, and 4 MB per platform
    #[arg(long)]
    pub with_fmu: bool,
    /// Print one JSON object instead of the report
    #[arg(long)]
    pub json: bool,
}
