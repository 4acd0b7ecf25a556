//! What the verification tests share: the gallery, running a model, reading reference tables.

use std::path::PathBuf;

#[path = "../../examples/four_bar_windows.rs"]
mod windows;

pub use windows::four_bar_windows;

/// The folder of the model gallery.
pub fn models_folder() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("models")
}

/// Names of all models of the gallery, sorted.
pub fn gallery() -> Vec<String> {
    let mut names: Vec<String> = std::fs::read_dir(models_folder())
        .expect("the gallery is there")
        .map(|entry| entry.expect("readable").path())
        .filter(|path| path.join("model.toml").is_file())
        .map(|path| path.file_name().expect("a folder").to_string_lossy().into_owned())
        .collect();
    names.sort();
    names
}

/// The text of a gallery model.
pub fn model_text(name: &str) -> String {
    let path = models_folder().join(name).join("model.toml");
    std::fs::read_to_string(&path).unwrap_or_else(|e| panic!("{}: {e}", path.display()))
}
