//! The gallery of a workshop page: the models of a folder with their pictures.

use ballesta_files::Failure;
use ballesta_pictures::page::workshop::GalleryModel;
use ballesta_run::model;
use ballesta_run::model_files::ModelFiles;
use std::fs;
use std::path::{Path, PathBuf};

/// File extensions of pictures, with their media types.
const PICTURES: [(&str, &str); 4] =
    [("webp", "image/webp"), ("png", "image/png"), ("jpg", "image/jpeg"), ("jpeg", "image/jpeg")];

/// The models of a folder, sorted by name. A model is a folder with a `model.toml`; its picture is the file with the
/// name of this folder in `pictures`. Other folders and files are left out.
///
/// # Errors
/// A folder without models, a model with errors, or a file that cannot be read.
pub fn read(folder: &Path, pictures: &Path) -> Result<Vec<GalleryModel>, Failure> {
    let list = |error| Failure::file("read", folder, error);
    let entries: Vec<fs::DirEntry> = fs::read_dir(folder).and_then(Iterator::collect).map_err(list)?;
    let mut folders: Vec<PathBuf> =
        entries.iter().map(fs::DirEntry::path).filter(|path| path.join("model.toml").is_file()).collect();
    folders.sort();
    if folders.is_empty() {
        let shown = folder.display();
        return Err(Failure::Usage(format!("--gallery {shown}: no folder in {shown} has a model.toml")));
    }
    folders.iter().map(|folder| gallery_model(folder, pictures)).collect()
}

fn gallery_model(folder: &Path, pictures: &Path) -> Result<GalleryModel, Failure> {
    let name = folder.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
    let description = model::open(folder)?.model.general.description;
    let files = ModelFiles::read(folder)?;
    let existing = PICTURES.iter().map(|(ending, media)| (pictures.join(format!("{name}.{ending}")), *media));
    let picture = match existing.into_iter().find(|(file, _)| file.is_file()) {
        Some((file, media)) => Some((media, fs::read(&file).map_err(|error| Failure::file("read", &file, error))?)),
        None => None,
    };
    Ok(GalleryModel { name, description, files, picture })
}
