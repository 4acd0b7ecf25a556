//! Result files that are written completely or not at all.
//!
//! Output is written to a temporary file in the folder of the target, which is renamed at the end. A command that fails
//! earlier does not change the target. Targets that are not regular files (`/dev/null`, a pipe) are written directly.

use crate::failure::Failure;
use crate::temporary;
use std::fs::{self, File};
use std::io::{self, Write};
use std::path::{Path, PathBuf};

/// A file that is being written.
pub struct OutputFile {
    file: File,
    /// Temporary name; `None` for a target that is written directly.
    temporary: Option<PathBuf>,
    target: PathBuf,
}

impl OutputFile {
    /// Opens a temporary file for `path`.
    pub fn create(path: &Path) -> io::Result<OutputFile> {
        // Links are resolved, so that the linked file is replaced instead of the link.
        let target = fs::canonicalize(path).unwrap_or_else(|_| path.to_path_buf());
        let present = fs::metadata(&target).ok();
        if present.as_ref().is_some_and(|present| !present.is_file()) {
            let file = File::options().write(true).open(&target)?;
            return Ok(OutputFile { file, temporary: None, target });
        }
        let name = target.file_name().ok_or(io::ErrorKind::InvalidFilename)?;
        let temporary = target.with_file_name(format!("{}.partial-{}", name.display(), std::process::id()));
        let file = temporary::create(&temporary, || File::create(&temporary))?;
        if let Some(present) = present {
            // A write-protected file is not replaced.
            let writable = File::options().write(true).open(&target).map(drop);
            let kept = writable.and_then(|()| fs::set_permissions(&temporary, present.permissions()));
            if let Err(error) = kept {
                temporary::remove(&temporary);
                return Err(error);
            }
        }
        Ok(OutputFile { file, temporary: Some(temporary), target })
    }

    /// Renames the file after its content is on the disk, for files that replace the only other copy.
    pub fn commit_synced(self) -> io::Result<()> {
        if self.temporary.is_some() {
            self.file.sync_all()?;
        }
        self.commit()
    }

    /// Renames the file to its final name.
    pub fn commit(mut self) -> io::Result<()> {
        self.file.flush()?;
        match self.temporary.take() {
            None => Ok(()),
            Some(temporary) => temporary::rename(&temporary, &self.target),
        }
    }
}

impl Write for OutputFile {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.file.write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.file.flush()
    }
}

impl Drop for OutputFile {
    fn drop(&mut self) {
        if let Some(temporary) = &self.temporary {
            temporary::remove(temporary);
        }
    }
}

/// Writes a whole file.
pub fn write(path: &Path, content: impl AsRef<[u8]>) -> Result<(), Failure> {
    replace(path, content.as_ref()).map_err(|error| Failure::file("write", path, error))
}

/// [`write()`] with the error of the file system.
pub fn replace(path: &Path, content: &[u8]) -> io::Result<()> {
    let mut file = OutputFile::create(path)?;
    file.write_all(content)?;
    file.commit()
}

/// Rejects outputs that would replace one of the `inputs` or each other. Each output has its option. `-` is standard
/// output.
pub fn keep_apart(outputs: &[(&str, Option<&Path>)], inputs: &[PathBuf]) -> Result<(), Failure> {
    let mut taken: Vec<(PathBuf, String)> =
        inputs.iter().filter_map(|path| Some((place(path)?, format!("the input {}", path.display())))).collect();
    for (option, path) in outputs {
        let Some(path) = path.filter(|path| *path != Path::new("-")) else { continue };
        let Some(at) = place(path) else { continue };
        if let Some((_, what)) = taken.iter().find(|(other, _)| *other == at) {
            return Err(Failure::Usage(format!(
                "{option} {} would overwrite {what}; choose another name",
                path.display()
            )));
        }
        taken.push((at, format!("the output of {option}")));
    }
    Ok(())
}

/// Resolved path of a regular file that exists or will be written; `None` for devices and pipes.
fn place(path: &Path) -> Option<PathBuf> {
    match fs::metadata(path) {
        Ok(found) if !found.is_file() => None,
        Ok(_) => fs::canonicalize(path).ok(),
        Err(_) => {
            let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
            Some(fs::canonicalize(folder).ok()?.join(path.file_name()?))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_appears_whole_or_not_at_all() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("out.csv");
        let files = || fs::read_dir(folder.path()).unwrap().count();
        let mut file = OutputFile::create(&path).unwrap();
        file.write_all(b"half").unwrap();
        assert!(!path.exists());
        drop(file);
        assert_eq!(files(), 0);
        write(&path, b"whole").unwrap();
        drop(OutputFile::create(&path).unwrap());
        assert_eq!((fs::read(&path).unwrap().as_slice(), files()), (b"whole".as_slice(), 1));
        assert!(OutputFile::create(&folder.path().join("none/out.csv")).is_err());
        // The target is a folder.
        fs::create_dir(folder.path().join("rom")).unwrap();
        assert!(write(&folder.path().join("rom"), b"text").is_err());
        assert_eq!(files(), 2);
    }

    #[cfg(unix)]
    #[test]
    fn devices_stay_devices_and_links_stay_links() {
        write(Path::new("/dev/null"), b"gone").unwrap();
        assert!(!fs::metadata("/dev/null").unwrap().is_file());
        let folder = tempfile::tempdir().unwrap();
        let (target, link) = (folder.path().join("target"), folder.path().join("link"));
        fs::write(&target, "old").unwrap();
        std::os::unix::fs::symlink(&target, &link).unwrap();
        write(&link, b"new").unwrap();
        assert!(fs::symlink_metadata(&link).unwrap().is_symlink());
        assert_eq!(fs::read(&target).unwrap(), b"new");
    }

    #[test]
    fn outputs_replace_neither_inputs_nor_one_another() {
        let folder = tempfile::tempdir().unwrap();
        let of = |name: &str| folder.path().join(name);
        fs::write(of("model.toml"), "").unwrap();
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
