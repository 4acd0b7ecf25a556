//! Which libraries `export` packs when the user names none.
//!
//! In this order:
//! 1. `../lib/ballesta/` beside the folder of the program, where an installation puts them: those of its `manifest.json`, or one library
//!    for this machine.
//! 2. `target/platforms/`, where `scripts/platforms.sh` puts those that it builds: each that was built from the sources as they are.
//!    Others are reported and left out: a stale solver inside a fresh FMU is the error that nobody sees.
//! 3. For this machine's platform, when there is none yet: Cargo builds it from the source tree that the program itself was built from. Cargo
//!    decides what is stale; when nothing is, this takes a fraction of a second.
//!
//! A library of another version cannot slip through either way: its version is part of the GUID that fmi2Instantiate computes, and it would
//! refuse the FMU.

use std::ffi::OsStr;
use std::fmt;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use super::manifest::{Manifest, Unfit};
use super::platform::Platform;
use super::sources;

/// Source folder the program was built from; looked at only if it is still there.
const SOURCE_TREE: &str = env!("CARGO_MANIFEST_DIR");

/// Platforms that `scripts/platforms.sh` builds for.
const BUILT: [Platform; 3] = [Platform::Linux64, Platform::Aarch64Linux, Platform::Win64];

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
                write!(f, "FMUs know no platform for this machine; name the libraries with --library PLATFORM=PATH")
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

/// The libraries of all platforms that are ready, and that of this machine, which is built if necessary. `notice` receives lines for people
/// about what takes time or is left out.
pub fn libraries(notice: &mut dyn FnMut(&str)) -> Result<Vec<(Platform, PathBuf)>, LibraryError> {
    let surroundings = Surroundings::of_this_program();
    let Ready { mut libraries, left_out } = surroundings.ready(&Platform::ALL, notice);
    if let Some(line) = left_out_line(&left_out) {
        notice(&line);
    }
    if Platform::host().is_none_or(|host| libraries.iter().all(|(platform, _)| *platform != host)) {
        match surroundings.built(notice) {
            Ok(host) => libraries.push(host),
            Err(error) if libraries.is_empty() => return Err(error),
            Err(error) => notice(&format!("the FMU will not run on this machine: {error}")),
        }
    }
    libraries.sort();
    Ok(libraries)
}

/// The library for this machine's platform; built if necessary. `notice` as for [`libraries`].
pub fn host_library(notice: &mut dyn FnMut(&str)) -> Result<(Platform, PathBuf), LibraryError> {
    let platform = Platform::host().ok_or(LibraryError::UnknownHost)?;
    let surroundings = Surroundings::of_this_program();
    let ready = surroundings.ready(&[platform], notice);
    if let Some((_, why)) = ready.left_out.iter().find(|(_, why)| *why != Unfit::NotBuilt) {
        notice(&format!("the library for {platform} in target/platforms is left out: {why}"));
    }
    ready.libraries.into_iter().next().map_or_else(|| surroundings.built(notice), Ok)
}

/// Where the program finds libraries.
struct Surroundings {
    /// `lib/ballesta/` of the installation.
    installed: Option<PathBuf>,
    /// Cargo's target folder.
    target: Option<PathBuf>,
    /// The source tree.
    sources: Option<PathBuf>,
}

/// Libraries that need not be built.
#[derive(Debug, Default, PartialEq)]
struct Ready {
    libraries: Vec<(Platform, PathBuf)>,
    /// What a source tree could have and has not.
    left_out: Vec<(Platform, Unfit)>,
}

impl Surroundings {
    fn of_this_program() -> Surroundings {
        let program = std::env::current_exe().ok();
        let program = program.as_deref();
        Surroundings {
            installed: program.and_then(Path::parent).map(|bin| bin.join("../lib/ballesta")),
            target: program.and_then(target_folder).map(Path::to_path_buf),
            sources: Some(PathBuf::from(SOURCE_TREE)).filter(|tree| tree.join("Cargo.toml").is_file()),
        }
    }

    /// The libraries for `wanted` that are there and fit.
    fn ready(&self, wanted: &[Platform], notice: &mut dyn FnMut(&str)) -> Ready {
        let installed = self.installed.as_deref().map(|folder| installed(folder, wanted, notice));
        if let Some(libraries) = installed.filter(|libraries| !libraries.is_empty()) {
            return Ready { libraries, left_out: Vec::new() };
        }
        let mut ready = Ready::default();
        let manifest = self.target.as_deref().and_then(|target| read(&target.join("platforms"), notice));
        let fingerprint = self.sources.as_deref().map(sources::fingerprint).transpose();
        let fingerprint = fingerprint.unwrap_or_else(|error| {
            notice(&format!("the libraries of target/platforms are left out: {error}"));
            // No library was built from sources with this fingerprint.
            Some(String::new())
        });
        let built_here = |platform: &Platform| self.sources.is_some() && BUILT.contains(platform);
        for platform in wanted {
            let library =
                manifest.as_ref().map_or(Err(Unfit::NotBuilt), |m| m.library(*platform, fingerprint.as_deref()));
            match library {
                Ok(path) => ready.libraries.push((*platform, path)),
                Err(Unfit::NotBuilt) if !built_here(platform) => {}
                Err(why) => ready.left_out.push((*platform, why)),
            }
        }
        ready
    }

    /// The library for this machine, from Cargo.
    fn built(&self, notice: &mut dyn FnMut(&str)) -> Result<(Platform, PathBuf), LibraryError> {
        let platform = Platform::host().ok_or(LibraryError::UnknownHost)?;
        let sources = self.sources.as_deref().ok_or(LibraryError::NoSources { platform })?;
        build(sources, self.target.as_deref(), platform, notice).map(|path| (platform, path))
    }
}

/// Those of an installation: nothing there changes but by another installation.
fn installed(folder: &Path, wanted: &[Platform], notice: &mut dyn FnMut(&str)) -> Vec<(Platform, PathBuf)> {
    let mut libraries = Vec::new();
    if let Some(manifest) = read(folder, notice) {
        for platform in manifest.platforms().into_iter().filter(|platform| wanted.contains(platform)) {
            match manifest.library(platform, None) {
                Ok(path) => libraries.push((platform, path)),
                Err(why) => notice(&format!("the installed library for {platform} is left out: {why}")),
            }
        }
    }
    let host =
        Platform::host().filter(|host| wanted.contains(host) && libraries.iter().all(|(other, _)| other != host));
    libraries.extend(host.map(|host| (host, folder.join(file_name()))).filter(|(_, path)| path.is_file()));
    libraries
}

fn read(folder: &Path, notice: &mut dyn FnMut(&str)) -> Option<Manifest> {
    Manifest::read(folder).unwrap_or_else(|error| {
        notice(&format!("{error}; the libraries beside it are left out"));
        None
    })
}

/// Which platforms are left out, why, and the command that builds them.
fn left_out_line(left_out: &[(Platform, Unfit)]) -> Option<String> {
    let other = |entry: &&(Platform, Unfit)| Platform::host() != Some(entry.0) || entry.1 != Unfit::NotBuilt;
    let told: Vec<String> =
        left_out.iter().filter(other).map(|(platform, why)| format!("{platform} ({why})")).collect();
    let names: Vec<&str> = left_out.iter().map(|(platform, _)| platform.tuple()).collect();
    let told = Some(told).filter(|told| !told.is_empty())?.join(", ");
    let host = left_out.iter().find(|entry| Platform::host() == Some(entry.0) && entry.1 != Unfit::NotBuilt);
    let instead = host.map_or("", |_| "; cargo builds that of this machine");
    Some(format!("not packed: {told}{instead}; `scripts/platforms.sh {}` builds them", names.join(" ")))
}

fn file_name() -> String {
    format!("{}ballesta{}", std::env::consts::DLL_PREFIX, std::env::consts::DLL_SUFFIX)
}

/// Cargo's target folder around the program, which Cargo marks with a `CACHEDIR.TAG`.
fn target_folder(program: &Path) -> Option<&Path> {
    program.ancestors().skip(1).find(|folder| folder.join("CACHEDIR.TAG").is_file())
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
    use super::super::manifest;
    use super::*;
    use std::fs;

    const VERSION: &str = env!("CARGO_PKG_VERSION");

    fn quiet(line: &str) {
        panic!("{line}");
    }

    #[test]
    fn libraries_from_the_sources_as_they_are_need_no_cargo() {
        let folder = tempfile::tempdir().unwrap();
        let target = folder.path().join("target");
        let platforms = target.join("platforms");
        fs::create_dir_all(&platforms).unwrap();
        let tree = PathBuf::from(SOURCE_TREE);
        let sources = sources::fingerprint(&tree).unwrap();
        manifest::tests::write(
            &platforms,
            &[
                ("x86_64-linux", VERSION, &sources),
                ("x86_64-windows", VERSION, "of yesterday"),
                ("aarch64-darwin", VERSION, &sources),
            ],
        );
        let here = Surroundings { installed: None, target: Some(target.clone()), sources: Some(tree) };
        let ready = here.ready(&Platform::ALL, &mut quiet);
        let linux = (Platform::Linux64, platforms.join("x86_64-linux/library"));
        let mac = (Platform::Aarch64Darwin, platforms.join("aarch64-darwin/library"));
        assert_eq!(ready.libraries, [linux.clone(), mac]);
        assert_eq!(ready.left_out, [(Platform::Aarch64Linux, Unfit::NotBuilt), (Platform::Win64, Unfit::Stale)]);
        let line = left_out_line(&ready.left_out).expect("a line");
        for words in
            ["win64 (its sources changed", "aarch64-linux (not built)", "platforms.sh aarch64-linux x86_64-windows`"]
        {
            assert!(line.contains(words), "{line}");
        }

        // The host alone is asked for: nothing is said of the others.
        let ready = here.ready(&[Platform::Linux64], &mut quiet);
        assert_eq!(ready, Ready { libraries: vec![linux], left_out: Vec::new() });
        assert_eq!(left_out_line(&ready.left_out), None);

        // Half a manifest is none.
        fs::write(platforms.join("manifest.json"), "{").unwrap();
        let mut said = String::new();
        let ready = here.ready(&Platform::ALL, &mut |line| said += line);
        assert!(ready.libraries.is_empty() && ready.left_out.len() == BUILT.len(), "{ready:?}");
        assert!(said.contains("manifest.json") && said.contains("left out"), "{said}");
    }

    #[test]
    fn an_installation_has_no_sources_to_compare_with() {
        let folder = tempfile::tempdir().unwrap();
        let lib = folder.path().join("lib");
        fs::create_dir_all(&lib).unwrap();
        let here = Surroundings { installed: Some(lib.clone()), target: None, sources: None };
        assert_eq!(here.ready(&Platform::ALL, &mut quiet), Ready::default());

        manifest::tests::write(&lib, &[("x86_64-windows", VERSION, "whatever"), ("x86_64-linux", "0.0.1", "whatever")]);
        let mut said = String::new();
        let ready = here.ready(&Platform::ALL, &mut |line| said += line);
        assert_eq!(ready.libraries, [(Platform::Win64, lib.join("x86_64-windows/library"))]);
        assert!(said.contains("linux64 is left out: built from version 0.0.1"), "{said}");

        // One library without a manifest is this machine's.
        fs::remove_file(lib.join("manifest.json")).unwrap();
        fs::write(lib.join(file_name()), "").unwrap();
        let host = Platform::host().expect("a platform of FMUs");
        let ready = here.ready(&Platform::ALL, &mut quiet);
        assert_eq!(ready, Ready { libraries: vec![(host, lib.join(file_name()))], left_out: Vec::new() });
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
