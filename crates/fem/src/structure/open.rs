//! Opens a structure: from its path to its matrices, with errors for structures that cannot be solved.

use super::{FILE_NAME, Structure, build, load};
use crate::factor::FactorError;
use crate::model::FiniteElementModel;
use ballesta::document::{Diagnostics, Source};
use ballesta_files::Failure;
use ballesta_files::kind::{self, Kind};
use std::path::{Path, PathBuf};

/// Structure file for a path, which is a folder or a file.
pub fn file(typed: &Path) -> PathBuf {
    if typed.is_dir() { typed.join(FILE_NAME) } else { typed.to_path_buf() }
}

/// Reads and assembles a structure. A missing or unreadable file is a file-system error, not an error of the structure.
pub fn open(typed: &Path) -> Result<(Structure, FiniteElementModel), Failure> {
    let file = file(typed);
    let unread = |error| match typed.is_dir() {
        true => kind::other(typed, Kind::Structure).unwrap_or(Failure::file("read", &file, error)),
        false => Failure::file("read", &file, error),
    };
    ballesta::document::file::open(&file).map_err(unread)?;
    let structure = load(&file).map_err(|wrong| kind::refused(&file, Kind::Structure, wrong))?;
    let model = build(&structure)?;
    Ok((structure, model))
}

/// Error for a matrix of the whole structure that cannot be factorised.
pub fn unfactorised(source: &Source, model: &FiniteElementModel, error: FactorError) -> Failure {
    let (found, expected) = match error {
        FactorError::Singular(dof) => (
            format!("{} has no stiffness although the structure is held", model.dof_name(dof)),
            "the structure is a mechanism or has loose parts: add members, or remove releases",
        ),
        FactorError::TooLarge => {
            (format!("{} degrees of freedom are too many for this machine", model.size()), "use a coarser mesh")
        }
        FactorError::Missed(counted) => (
            format!("{counted} modes exist up to the last one, but not all of them converged"),
            "request a few more or fewer modes",
        ),
    };
    Failure::Input(Diagnostics(vec![source.at("", found, expected)]))
}
