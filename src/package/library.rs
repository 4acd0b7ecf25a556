//! Which library `export` packs for this machine's platform when the user names none.
//!
//! In this order:
//! 1. `../lib/ballesta/` beside the folder of the program: where an installation puts the library.
//! 2. `target/portable/`, the library built for old C libraries, when it is not older than the sources it was made from.
//!    An older one is reported and left out: a stale solver inside a fresh FMU is the error that nobody sees.
//! 3. Cargo builds it from the source tree that the program itself was built from. Cargo decides what is stale; when
//!    nothing is, this takes a fraction of a second.
//!
//! Age is judged by modification times, as make does. A library of another version cannot slip through either way: its
//! version is part of the GUID that fmi2Instantiate computes, and it would refuse the FMU.

use std::ffi::OsStr;
use std::fmt;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::SystemTime;

use super::platform::Platform;

/// Source folder the program was built from; looked at only if it is still there.
const SOURCE_TREE: &str = env!("CARGO_MANIFEST_DIR");

/// Sources that do not become part of the library.
const NOT_IN_LIBRARY: [&str; 4] = ["src/cli", "src/importer", "src/package", "src/main.rs"];

/// There is no library for this machine's platform.
#[derive(Debug)]
pub enum LibraryError {
    /// FMUs have no name for this machine's platform.
    UnknownHost,
    /// No library was found, and there is no source tree to build it from.
    NoSources { platform: Platform },
    /// Cargo could not be started.
    NoCargo { platform: Platform, error: std::io::Error },
    /// Cargo failed; it has written the reason to stderr.
    BuildFailed { platform: Platform },
}

impl fmt::Display for LibraryError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            LibraryError::UnknownHost => {
                write!(f, "FMI 2.0 has no platform for this machine; name the libraries with --library PLATFORM=PATH")
            }
            LibraryError::NoSources { platform } => write!(
                f,
                "no library for {platform}: the source tree of this program is gone; name one with --library {platform}=PATH"
            ),
            LibraryError::NoCargo { platform, error } => write!(
                f,
                "no library for {platform}: cargo, which would build it, cannot be started ({error}); install it, or name \
                 a library with --library {platform}=PATH"
            ),
            LibraryError::BuildFailed { platform } => write!(
                f,
                "no library for {platform}: cargo could not build it, see above; or name one with --library {platform}=PATH"
            ),
        }
    }
}

impl std::error::Error for LibraryError {}

/// The library for this machine's platform; built if necessary. `notice` receives lines for people about what takes time
/// or is left out.
pub fn host_library(notice: &mut dyn FnMut(&str)) -> Result<(Platform, PathBuf), LibraryError> {
    let platform = Platform::host().ok_or(LibraryError::UnknownHost)?;
    let program = std::env::current_exe().ok();
    let target = program.as_deref().and_then(target_folder);
    let sources = Some(Path::new(SOURCE_TREE)).filter(|tree| tree.join("Cargo.toml").is_file());
    let file = file_name();

    let installed = program.as_deref().and_then(Path::parent).map(|bin| bin.join("../lib/ballesta").join(&file));
    if let Some(installed) = installed.filter(|path| path.is_file()) {
        return Ok((platform, installed));
    }
    let portable = target.map(|target| target.join("portable").join(&file)).filter(|path| path.is_file());
    if let Some(portable) = portable {
        match sources.and_then(|tree| newer_source(tree, &portable)) {
            None => return Ok((platform, portable)),
            Some(source) => notice(&format!(
                "{} is older than {} and left out; build it again to pack it",
                portable.display(),
                source.display()
            )),
        }
    }
    let sources = sources.ok_or(LibraryError::NoSources { platform })?;
    build(sources, target, platform, notice).map(|path| (platform, path))
}

fn file_name() -> String {
    format!("{}ballesta{}", std::env::consts::DLL_PREFIX, std::env::consts::DLL_SUFFIX)
}

/// Cargo's target folder around the program, which Cargo marks with a `CACHEDIR.TAG`.
fn target_folder(program: &Path) -> Option<&Path> {
    program.ancestors().skip(1).find(|folder| folder.join("CACHEDIR.TAG").is_file())
}

/// A source of the library that is newer than `library`, if there is one.
fn newer_source(tree: &Path, library: &Path) -> Option<PathBuf> {
    let built = modified(library)?;
    let mut pending: Vec<PathBuf> = ["Cargo.toml", "Cargo.lock", "build.rs", "src"].map(|name| tree.join(name)).into();
    while let Some(path) = pending.pop() {
        if NOT_IN_LIBRARY.iter().any(|name| path == tree.join(name)) {
            continue;
        }
        if path.is_dir() {
            pending.extend(fs::read_dir(&path).into_iter().flatten().flatten().map(|entry| entry.path()));
        } else if modified(&path).is_some_and(|time| time > built) {
            return Some(path);
        }
    }
    None
}

fn modified(path: &Path) -> Option<SystemTime> {
    fs::metadata(path).and_then(|data| data.modified()).ok()
}

/// Builds the library as `Cargo.toml` prescribes it for FMUs and returns its path. Downloads nothing: the program itself
/// was built from the same tree, so every dependency is there.
fn build(
    tree: &Path,
    target: Option<&Path>,
    platform: Platform,
    notice: &mut dyn FnMut(&str),
) -> Result<PathBuf, LibraryError> {
    let cargo = std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
    let mut command = Command::new(cargo);
    command.current_dir(tree).stdout(Stdio::piped()).stderr(Stdio::inherit());
    command.args(["rustc", "--lib", "--crate-type", "cdylib", "--no-default-features", "--profile", "fmu"]);
    command.args(["--frozen", "--message-format", "json-render-diagnostics"]);
    if let Some(target) = target {
        command.arg("--target-dir").arg(target);
    }
    if target.is_some_and(|target| target.join("fmu").join(file_name()).is_file()) {
        command.arg("--quiet");
    } else {
        notice("building the library of the FMU, once");
    }
    let output = command.output().map_err(|error| LibraryError::NoCargo { platform, error })?;
    let library = output.status.success().then(|| built_library(&output.stdout)).flatten();
    library.ok_or(LibraryError::BuildFailed { platform })
}

/// The shared library among Cargo's messages (one JSON object per line).
fn built_library(messages: &[u8]) -> Option<PathBuf> {
    messages
        .split(|&byte| byte == b'\n')
        .filter_map(|line| serde_json::from_slice::<serde_json::Value>(line).ok())
        .filter(|message| message["reason"] == "compiler-artifact" && message["target"]["name"] == "ballesta")
        .filter_map(|message| {
            let files = message["filenames"].as_array()?.iter().filter_map(|file| file.as_str());
            files.map(PathBuf::from).find(|file| file.file_name() == Some(OsStr::new(&file_name())))
        })
        .next_back()
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::time::Duration;

    #[test]
    fn a_library_is_stale_when_a_source_of_it_is_newer() {
        let tree = std::env::temp_dir().join(format!("ballesta-stale-{}", std::process::id()));
        fs::create_dir_all(tree.join("src/fmi")).unwrap();
        fs::create_dir_all(tree.join("src/cli")).unwrap();
        let touch = |name: &str, age: u64| {
            let file = fs::File::create(tree.join(name)).unwrap();
            file.set_modified(SystemTime::UNIX_EPOCH + Duration::from_secs(1_000_000 - age)).unwrap();
        };
        touch("Cargo.toml", 50);
        touch("src/fmi/mod.rs", 50);
        touch("library.so", 20);
        touch("src/cli/mod.rs", 10);
        assert_eq!(newer_source(&tree, &tree.join("library.so")), None);
        touch("src/fmi/mod.rs", 10);
        assert_eq!(newer_source(&tree, &tree.join("library.so")), Some(tree.join("src/fmi/mod.rs")));
        fs::remove_dir_all(&tree).unwrap();
    }

    #[test]
    fn the_target_folder_is_found_from_a_test_program() {
        let program = std::env::current_exe().unwrap();
        let target = target_folder(&program).expect("tests run in a target folder");
        assert!(program.starts_with(target) && target.join("CACHEDIR.TAG").is_file());
        assert_eq!(target_folder(Path::new("/nowhere/bin/ballesta")), None);
    }

    #[test]
    fn the_library_is_found_among_cargos_messages() {
        let file = file_name();
        let messages = format!(
            "{}\n{}\nnot json\n{}\n",
            r#"{"reason":"compiler-artifact","target":{"name":"libm"},"filenames":["/t/liblibm.rlib"]}"#,
            format_args!(
                r#"{{"reason":"compiler-artifact","target":{{"name":"ballesta"}},"filenames":["/t/x.d","/t/{file}"]}}"#
            ),
            r#"{"reason":"build-finished","success":true}"#
        );
        assert_eq!(built_library(messages.as_bytes()), Some(PathBuf::from(format!("/t/{file}"))));
        assert_eq!(built_library(b"{}"), None);
    }
}
