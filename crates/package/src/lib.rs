//! Packs an FMU: description, libraries, model, documentation, licences, reference trajectory.
//!
//! The archive is derived from the model file, the given libraries, and the static parts in `fmu/`. Equal inputs give
//! equal bytes, unless the time limit cuts the reference trajectory. One library works for all models: it reads
//! `resources/model.toml` when it is instantiated. The GUID connects both to `modelDescription.xml`.
//!
//! | entry | made by |
//! |---|---|
//! | `modelDescription.xml` | [`description`] |
//! | `binaries/<platform>/<model>.<extension>` | given; named by [`mod@version`], checked by [`platform`] |
//! | `resources/model.toml`, `resources/guid.txt` | the unchanged model file |
//! | `resources/hold_mode.txt` | enables the hold mode ([`ballesta::fmi::hold`]) |
//! | `resources/<path>` | files named in the model file, with the same paths |
//! | `documentation/index.html` | [`documentation_page`], with the picture of `ballesta_pictures::diagram` |
//! | `documentation/licenses/license.txt`, `documentation/externalDependencies.txt` | static |
//! | `extra/org.ballesta/reference.csv` | [`mod@reference`]; optional |
//!
//! The packed reference trajectory is at most as large as the other entries and keeps the FMU within 6 MB. Its
//! computation ends at the time limit of the caller ([`reference::Budget`]); the bytes of the FMU then depend on the
//! speed of the machine.

pub mod archive;
pub mod description;
pub mod documentation_page;
pub mod importer;
pub mod library;
pub mod manifest;
mod origin;
pub mod platform;
pub mod reference;
#[cfg(test)]
mod sample;
pub mod sources;
mod summary;
mod terminals;
pub mod version;

use ballesta::compile;
use std::fmt;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;

pub use library::{LibraryError, host_library, libraries, libraries_of, page_library};
pub use platform::Platform;
pub use summary::{Summary, pack};
pub use version::Version;

use archive::{Archive, Entry};
use ballesta::fmi::guid::guid;
use ballesta::fmi::hold::{FAULT, HOLD_MODE_FILE, HOLD_ON_FAULT};
use ballesta::fmi::variables::{Variable, table};
use ballesta::model::schema::Model;
use ballesta::model::{DataFile, Diagnostics, Document};
use ballesta::notices::{APACHE, EXTERNAL_DEPENDENCIES, MIT, THIRD_PARTY};
use ballesta::system::{Interface, System};

const RESOURCES: &str = "resources/";
const MODEL: &str = "resources/model.toml";
const GUID: &str = "resources/guid.txt";
/// Content of [`HOLD_MODE_FILE`]; the library only checks that the file exists.
const HOLD_MODE_TEXT: &str = "\
This file gives the FMU its hold mode: the parameter hold_on_fault, and the output fault. With the parameter true, all
outputs hold after a fault of the motion or of an input, and steps return OK.
";
const REFERENCE: &str = "extra/org.ballesta/reference.csv";
const LICENSES: &str = "documentation/licenses/license.txt";
const DEPENDENCIES: &str = "documentation/externalDependencies.txt";

/// Error of an export.
#[derive(Debug)]
pub enum PackageError {
    /// The model cannot be compiled.
    Model(Diagnostics),
    /// A file cannot be read or written.
    File { path: PathBuf, error: io::Error },
    /// A file is not a library for its platform.
    WrongLibrary { platform: Platform, path: PathBuf, found: String },
    /// Two libraries were given for one platform.
    TwoLibraries { platform: Platform },
    /// No library was given.
    NoLibrary,
}

impl fmt::Display for PackageError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            PackageError::Model(diagnostics) => diagnostics.fmt(f),
            PackageError::File { path, error } => write!(f, "{}: {error}", path.display()),
            PackageError::WrongLibrary { platform, path, found } => {
                write!(f, "{} is not a library for {platform}: it is {found}", path.display())
            }
            PackageError::TwoLibraries { platform } => write!(f, "two libraries are given for {platform}"),
            PackageError::NoLibrary => write!(f, "an FMU needs the library of at least one platform"),
        }
    }
}

impl std::error::Error for PackageError {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            PackageError::File { error, .. } => Some(error),
            _ => None,
        }
    }
}

impl From<Diagnostics> for PackageError {
    fn from(diagnostics: Diagnostics) -> Self {
        PackageError::Model(diagnostics)
    }
}

/// A model ready for packing.
pub struct Package<'a> {
    model: &'a Model,
    text: &'a str,
    files: &'a [DataFile],
    system: Arc<System>,
    variables: Vec<Variable>,
    guid: String,
    /// Time limit of the reference trajectory; `None` omits it.
    reference: Option<reference::Budget<'a>>,
    version: Version,
}

impl<'a> Package<'a> {
    /// Compiles `document` with the parameter values of the file. Its source `text` becomes a resource of the FMU.
    pub fn new(document: &'a Document, text: &'a str) -> Result<Package<'a>, Diagnostics> {
        resource_paths(document)?;
        reserved_names(document)?;
        let parameters: Vec<f64> = document.model.parameters.iter().map(|parameter| parameter.value).collect();
        let system = compile::compile(document, &parameters)?;
        let variables = table(system.interface());
        let files = &document.files;
        let guid = guid(text, files, system.interface());
        Ok(Package {
            model: &document.model,
            text,
            files,
            system: Arc::new(system),
            variables,
            guid,
            reference: Some(reference::Budget::default()),
            version: Version::default(),
        })
    }

    /// This package without the reference trajectory.
    pub fn without_reference(self) -> Package<'a> {
        Package { reference: None, ..self }
    }

    /// This package with a reference trajectory within the time limit.
    pub fn with_reference(self, budget: reference::Budget<'a>) -> Package<'a> {
        Package { reference: Some(budget), ..self }
    }

    /// This package for another version of FMI; the default is 2.0.
    pub fn for_version(self, version: Version) -> Package<'a> {
        Package { version, ..self }
    }

    /// Interface of the model.
    pub fn interface(&self) -> &Interface {
        self.system.interface()
    }

    /// The text of `modelDescription.xml`.
    pub fn model_description(&self) -> String {
        let rheonomic = self.system.interface().rheonomic;
        description::model_description(self.version, self.model, &self.variables, rheonomic, &self.guid)
    }

    /// Writes the FMU to `out`. An existing file is replaced in one step at the end.
    pub fn write(&self, libraries: &[(Platform, PathBuf)], out: &Path) -> Result<Summary, PackageError> {
        // Model description and one library per platform.
        let mut entries = vec![Entry::new("modelDescription.xml", self.model_description())];
        let libraries = read_libraries(&self.model.general.name, libraries, self.version)?;
        let platforms =
            libraries.iter().map(|(platform, entry)| (*platform, platform::oldest_glibc(&entry.bytes))).collect();
        entries.extend(libraries.into_iter().map(|(_, entry)| entry));
        // Resources: the model, its files, and the identifier that links both to the library.
        entries.push(Entry::new(MODEL, self.text));
        entries.extend(
            self.files.iter().map(|file| Entry::new(format!("{RESOURCES}{}", file.path), file.bytes.as_slice())),
        );
        entries.push(Entry::new(GUID, format!("{}\n", self.guid)));
        if self.interface().hold_mode {
            entries.push(Entry::new(format!("{RESOURCES}{HOLD_MODE_FILE}"), HOLD_MODE_TEXT));
        }
        // Terminals, licences and the list of dependencies.
        entries.extend(terminals::entries(self.version, self.model, &self.variables));
        entries.push(Entry::new(LICENSES, licenses()));
        entries.push(Entry::new(DEPENDENCIES, dependencies(&entries)));
        // The size without the reference result limits the length of that result.
        let mut fault = None;
        let not_packed = |error| PackageError::File { path: out.to_path_buf(), error };
        let packed = entries.len();
        let archive = Archive::new(&entries).map_err(not_packed)?;
        if let Some(budget) = &self.reference {
            let reference = reference::compute(self.model, Arc::clone(&self.system), budget);
            let room = reference::room(archive.size());
            let (csv, cut) = reference::fitting(reference.csv, |csv| {
                Archive::new(&[Entry::new(REFERENCE, csv)]).map(|csv| csv.size() <= room)
            })
            .map_err(not_packed)?;
            entries.push(Entry::new(REFERENCE, csv));
            fault = reference.fault.or(cut);
        }
        // The documentation page lists all entries, so it is written last.
        let page = documentation_page::Page {
            model: self.model,
            variables: &self.variables,
            version: self.version,
            guid: &self.guid,
            fault: fault.as_deref(),
            contents: &entries,
        };
        let html = page.html();
        entries.push(Entry::new("documentation/index.html", html));
        // Only the new entries are compressed again.
        let archive = archive.with(&entries[packed..]).map_err(not_packed)?;
        archive.write(out).map_err(not_packed)?;
        let bytes = archive.size() as u64;
        let entries = entries.into_iter().map(|entry| entry.path).collect();
        let not_exchanged = self.interface().not_continuous.clone();
        Ok(Summary { bytes, guid: self.guid.clone(), platforms, entries, fault, not_exchanged })
    }
}

/// Packs the FMU of a model in one call: [`Package::new`] and [`Package::write`].
pub fn export(
    document: &Document,
    text: &str,
    libraries: &[(Platform, PathBuf)],
    out: &Path,
) -> Result<Summary, PackageError> {
    Package::new(document, text)?.write(libraries, out)
}

/// Checks that all resource paths are distinct, also without case.
fn resource_paths(document: &Document) -> Result<(), Diagnostics> {
    let mut taken = vec![MODEL.to_string(), GUID.to_string(), format!("{RESOURCES}{HOLD_MODE_FILE}")];
    let mut diagnostics = Diagnostics::default();
    for file in &document.files {
        let place = format!("{RESOURCES}{}", file.path).to_lowercase();
        if taken.contains(&place) {
            let found = format!("\"{}\" is the path of another resource of the FMU", file.path);
            let expected = "give the file another name, or put it into a folder; capitals do not count";
            diagnostics.0.push(document.source.at(file.key.as_str(), found, expected));
        }
        taken.push(place);
    }
    diagnostics.into_result(())
}

/// Rejects variables of the model with the names of the hold mode, if the FMU gets it.
fn reserved_names(document: &Document) -> Result<(), Diagnostics> {
    if !document.model.general.hold_mode {
        return Ok(());
    }
    let model = &document.model;
    let inputs = model.inputs.iter().map(|item| item.name.as_str()).enumerate().map(|named| ("input", named));
    let parameters = model.parameters.iter().map(|item| item.name.as_str()).enumerate();
    let outputs = model.outputs.iter().map(|item| item.name.as_str()).enumerate();
    let all = inputs.chain(parameters.map(|named| ("parameter", named))).chain(outputs.map(|named| ("output", named)));
    let reserved = all.filter(|(_, (_, name))| [FAULT, HOLD_ON_FAULT].contains(name));
    let wrong = reserved.map(|(table, (index, name))| {
        let found = format!("the name \"{name}\" belongs to a variable of the hold mode");
        document.source.at(format!("{table}[{index}].name"), found, "choose another name, or export without hold mode")
    });
    Diagnostics(wrong.collect()).into_result(())
}

/// Reads the libraries and checks the platform of each, in the order of [`Platform::ALL`].
fn read_libraries(
    name: &str,
    libraries: &[(Platform, PathBuf)],
    version: Version,
) -> Result<Vec<(Platform, Entry)>, PackageError> {
    let mut entries = Vec::new();
    for platform in Platform::ALL {
        let mut given = libraries.iter().filter(|(given, _)| *given == platform).map(|(_, path)| path);
        let Some(path) = given.next() else { continue };
        if given.next().is_some() {
            return Err(PackageError::TwoLibraries { platform });
        }
        let mut bytes =
            ballesta::document::file::read(path).map_err(|error| PackageError::File { path: path.clone(), error })?;
        check_library(&bytes, platform, version).map_err(|found| PackageError::WrongLibrary {
            platform,
            path: path.clone(),
            found,
        })?;
        if platform.extension() != "dylib" {
            origin::hide(&mut bytes);
        }
        let entry = format!("binaries/{}/{name}.{}", platform.folder_in(version), platform.extension());
        entries.push((platform, Entry::library(entry, bytes)));
    }
    if entries.is_empty() { Err(PackageError::NoLibrary) } else { Ok(entries) }
}

/// Checks that a file is a Co-Simulation library for `platform` and this version of FMI; the error describes the file.
fn check_library(bytes: &[u8], platform: Platform, version: Version) -> Result<(), String> {
    let found = platform::identify(bytes)?;
    if found != platform {
        return Err(format!("one for {found}"));
    }
    // ELF and PE keep the names of exported functions as plain text; Mach-O may split them.
    let plain = !matches!(platform, Platform::Darwin64 | Platform::Aarch64Darwin);
    let step = version.step_function();
    let named = |window: &[u8]| window.strip_suffix(b"\0") == Some(step.as_bytes());
    if plain && !bytes.windows(step.len() + 1).any(named) {
        return Err(format!("a library without the function {step}"));
    }
    Ok(())
}

/// System requirements of the libraries, with the C library version on Linux.
fn dependencies(entries: &[Entry]) -> String {
    let mut text = String::from(EXTERNAL_DEPENDENCIES);
    for library in entries.iter().filter(|entry| entry.executable) {
        if let Some(minor) = platform::oldest_glibc(&library.bytes) {
            let unwinder = b"libgcc_s.so.1\0";
            let unwinder = library.bytes.windows(unwinder.len()).any(|window| window == unwinder);
            let unwinder = if unwinder { ", and libgcc_s" } else { "" };
            text.push_str(&format!("{} needs glibc 2.{minor} or later{unwinder}.\n", library.path));
        }
    }
    text
}

/// Licences of the project and of everything linked into its library.
fn licenses() -> String {
    let rule = "=".repeat(100);
    format!(
        "The libraries in binaries/ are the solver of {tool}, licensed under either of the MIT licence and the Apache\n\
         License 2.0 at your option. They contain the third-party libraries listed at the end. The model in \
         resources/ belongs\n\
         to its author.\n\n{rule}\nMIT\n{rule}\n\n{MIT}\n{rule}\nApache-2.0\n{rule}\n\n{APACHE}\n{rule}\nThird-party libraries\n{rule}\n\n{THIRD_PARTY}",
        tool = description::GENERATION_TOOL
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_library_needs_the_functions_of_the_standard() {
        let mut file = vec![0_u8; 64];
        file[..6].copy_from_slice(&[0x7f, b'E', b'L', b'F', 2, 1]);
        (file[16], file[18]) = (3, 0x3e);
        assert!(check_library(&file, Platform::Linux64, Version::Fmi2).unwrap_err().contains("fmi2DoStep"));
        file.extend_from_slice(b"\0fmi2DoStep\0");
        assert_eq!(check_library(&file, Platform::Linux64, Version::Fmi2), Ok(()));
        assert!(check_library(&file, Platform::Linux64, Version::Fmi3).unwrap_err().contains("fmi3DoStep"));
        assert_eq!(check_library(&file, Platform::Aarch64Linux, Version::Fmi2), Err("one for linux64".into()));
        assert!(check_library(b"MZ", Platform::Win64, Version::Fmi2).is_err());
    }

    #[test]
    fn licences_of_the_project_and_of_its_libraries_are_packed() {
        let text = licenses();
        for part in ["Permission is hereby granted", "Apache License", "nalgebra", "libm"] {
            assert!(text.contains(part), "{part}");
        }
    }
}
