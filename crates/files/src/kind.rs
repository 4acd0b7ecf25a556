//! Recognition of the kind of a file, for messages about unexpected files.

use super::failure::Failure;
use ballesta_model::Diagnostics;
use std::path::Path;
use toml::de::DeTable;

/// Number of bytes inspected at the beginning of a file.
const MAX_INSPECTED_BYTES: usize = 1 << 16;

/// Kinds of files that commands read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// A mechanism.
    Model,
    /// A structure of beams, or matrices of another program.
    Structure,
    /// A reduced-order model.
    Rom,
    /// Displacements and stresses over the coordinates of a reduced-order model.
    Recovery,
    /// The adjacency matrix of a plane chain.
    Adjacency,
    /// A packed model.
    Fmu,
    /// A tyre's properties.
    Tyre,
    /// A parameter study.
    Study,
    /// A manoeuvre of a vehicle.
    Manoeuvre,
    /// A robot in URDF or MJCF.
    Robot,
    /// A robot or world in SDF.
    Sdf,
    /// A modal neutral file of Adams, binary and proprietary.
    Mnf,
}

impl Kind {
    /// Kind of an existing file or folder, if it can be recognised.
    pub fn of(path: &Path) -> Option<Kind> {
        if path.is_dir() {
            let holds = |name: &str| path.join(name).is_file();
            return if holds("model.toml") {
                Some(Kind::Model)
            } else if holds("structure.toml") {
                Some(Kind::Structure)
            } else {
                None
            };
        }
        let bytes = ballesta_model::document::file::read(path).ok()?;
        if bytes.starts_with(b"PK\x03\x04") {
            return Some(Kind::Fmu);
        }
        let ends = |ending: &str| path.extension().is_some_and(|found| found.eq_ignore_ascii_case(ending));
        if ends("mnf") {
            return Some(Kind::Mnf);
        }
        let text = std::str::from_utf8(&bytes).ok()?;
        if ends("tir") {
            return Some(Kind::Tyre);
        }
        if text.trim_start().starts_with('<') {
            let head = text.chars().take(MAX_INSPECTED_BYTES).collect::<String>();
            let has = |tag: &str| head.contains(&format!("<{tag} ")) || head.contains(&format!("<{tag}>"));
            return match () {
                () if has("robot") || has("mujoco") => Some(Kind::Robot),
                () if has("sdf") => Some(Kind::Sdf),
                () => None,
            };
        }
        // The file may be large: its reader may have rejected it for its size.
        let most = (0..=text.len().min(MAX_INSPECTED_BYTES)).rev().find(|at| text.is_char_boundary(*at)).unwrap_or(0);
        let (table, errors) = DeTable::parse_recoverable(&text[..most]);
        if most == text.len() && !errors.is_empty() {
            return None;
        }
        let has = |key: &str| table.get_ref().contains_key(key);
        let format = table.get_ref().get("format").and_then(|format| format.get_ref().as_str());
        match () {
            () if format == Some(ballesta_model::rom::rom_schema::FORMAT) => Some(Kind::Rom),
            () if format == Some(crate::recovery::FORMAT) => Some(Kind::Recovery),
            () if has("structure") => Some(Kind::Structure),
            () if has("adjacency") => Some(Kind::Adjacency),
            () if has("model") => Some(Kind::Model),
            () if has("study") => Some(Kind::Study),
            () if has("manoeuvre") => Some(Kind::Manoeuvre),
            () => None,
        }
    }

    /// Name of the kind, and hint about its use.
    fn words(self) -> (&'static str, &'static str) {
        match self {
            Kind::Model => ("a model", "use it with `ballesta run`, `check`, `modes`, `view` or `export`"),
            Kind::Structure => ("a structure", "use it with `ballesta modes` or `reduce`"),
            Kind::Rom => (
                "a reduced model",
                "use it with `ballesta modes` or `convert`, or name it in [[flexible_body]] of a model",
            ),
            Kind::Recovery => ("a recovery file", "use it with `ballesta run --recovery` or `view --recovery`"),
            Kind::Adjacency => ("an adjacency matrix", "use it with `ballesta groups` or `new --adjacency`"),
            Kind::Fmu => ("an FMU", "use it with `ballesta bench` or an FMI importer"),
            Kind::Tyre => ("a tyre file", "name it in [[tyre]] of a model"),
            Kind::Study => ("a parameter study", "use it with `ballesta study`"),
            Kind::Manoeuvre => ("a manoeuvre", "use it with `ballesta manoeuvre MODEL`"),
            Kind::Robot => ("a robot in URDF or MJCF", "convert it to a model with `ballesta import`"),
            Kind::Mnf => (
                "a modal neutral file (MNF), a proprietary binary format that is not supported",
                "export its reduced stiffness and mass matrices, which `ballesta reduce` takes \
                 (docs/foreign-matrices.md#bodies-that-are-reduced-already)",
            ),
            Kind::Sdf => ("a robot in SDF, which is not supported", "export it as URDF or MJCF for `ballesta import`"),
        }
    }
}

/// Failure of a command that expected a file of kind `wanted` at `path`. It names the actual kind if that is another
/// known kind; otherwise it is `wrong`.
pub fn refused(path: &Path, wanted: Kind, wrong: Diagnostics) -> Failure {
    other(path, wanted).unwrap_or(Failure::Input(wrong))
}

/// Failure of a command that expected `wanted` and got a file of another known kind.
pub fn other(path: &Path, wanted: Kind) -> Option<Failure> {
    let found = Kind::of(path).filter(|found| *found != wanted)?;
    let (what, takers) = found.words();
    Some(Failure::Usage(format!("{} is {what}, not {}; {takers}", path.display(), wanted.words().0)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_files_of_the_gallery_are_told_apart() {
        let models = Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/../..")).join("models");
        for (path, kind) in [
            ("four_bar", Kind::Model),
            ("van/model.toml", Kind::Model),
            ("structures/frame", Kind::Structure),
            ("structures/frame/structure.toml", Kind::Structure),
            ("truck/frame.rom.toml", Kind::Rom),
            ("adjacency/four_bar.toml", Kind::Adjacency),
            ("van/van.tir", Kind::Tyre),
        ] {
            assert_eq!(Kind::of(&models.join(path)), Some(kind), "{path}");
        }
        assert_eq!(Kind::of(&models.join("truck/trailer_axle.toml")), None);
        assert_eq!(Kind::of(&models.join("nowhere")), None);
        let folder = tempfile::tempdir().unwrap();
        let mnf = folder.path().join("arm.MNF");
        std::fs::write(&mnf, b"\x00\x00MNF\xff").unwrap();
        assert_eq!(Kind::of(&mnf), Some(Kind::Mnf));
        let failure = other(&mnf, Kind::Structure).unwrap().to_string();
        assert!(failure.contains("proprietary") && failure.contains("which `ballesta reduce` takes"), "{failure}");
        let robots = models.join("../tests/import");
        assert_eq!(Kind::of(&robots.join("arm.urdf")), Some(Kind::Robot));
        assert_eq!(Kind::of(&robots.join("leg.xml")), Some(Kind::Robot));
        assert_eq!(Kind::of(&models.join("../tests/broken_import/sdf.urdf")), Some(Kind::Sdf));
        assert_eq!(Kind::of(&models.join("../tests/broken_import/page.urdf")), None);
    }
}
