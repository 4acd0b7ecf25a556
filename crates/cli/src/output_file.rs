//! Writing of a command's results: whole files, none over what the command reads or writes besides.

use super::failure::Failure;
use ballesta_experiment::output_file;
use std::path::{Path, PathBuf};

/// Writes a whole file.
pub fn write(path: &Path, content: impl AsRef<[u8]>) -> Result<(), Failure> {
    output_file::write(path, content.as_ref()).map_err(|error| Failure::file("write", path, error))
}

/// Refuses outputs, each with its option, that would replace one of the `inputs` or one another. `-` is standard
/// output.
pub fn keep_apart(outputs: &[(&str, Option<&Path>)], inputs: &[PathBuf]) -> Result<(), Failure> {
    let mut taken: Vec<(PathBuf, String)> =
        inputs.iter().filter_map(|path| Some((place(path)?, format!("{}, which is read", path.display())))).collect();
    for (option, path) in outputs {
        let Some(path) = path.filter(|path| *path != Path::new("-")) else { continue };
        let Some(at) = place(path) else { continue };
        if let Some((_, what)) = taken.iter().find(|(other, _)| *other == at) {
            return Err(Failure::Usage(format!(
                "{option} {} would overwrite {what}; give another name",
                path.display()
            )));
        }
        taken.push((at, format!("what {option} writes")));
    }
    Ok(())
}

/// Where an ordinary file is or will be; nothing for devices and pipes, which lose nothing.
fn place(path: &Path) -> Option<PathBuf> {
    match std::fs::metadata(path) {
        Ok(found) if !found.is_file() => None,
        Ok(_) => std::fs::canonicalize(path).ok(),
        Err(_) => {
            let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
            Some(std::fs::canonicalize(folder).ok()?.join(path.file_name()?))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn outputs_replace_neither_inputs_nor_one_another() {
        let folder = tempfile::tempdir().unwrap();
        let of = |name: &str| folder.path().join(name);
        std::fs::write(of("model.toml"), "").unwrap();
        let inputs = [of("model.toml")];
        let [model, csv, svg] = ["model.toml", "out.csv", "out.svg"].map(of);
        let refused = |outputs: &[(&str, Option<&Path>)]| keep_apart(outputs, &inputs).is_err();
        assert!(!refused(&[("--csv", Some(&csv)), ("--plot", Some(&svg)), ("--csv", None)]));
        assert!(refused(&[("--csv", Some(&model))]));
        assert!(refused(&[(
            "--csv",
            Some(&folder.path().join("./../").join(folder.path().file_name().unwrap()).join("model.toml"))
        )]));
        assert!(refused(&[("--csv", Some(&csv)), ("--plot", Some(&csv))]));
        let null = Path::new("/dev/null");
        assert!(!refused(&[("--csv", Some(null)), ("--plot", Some(null)), ("--csv", Some(Path::new("-")))]));
    }
}
