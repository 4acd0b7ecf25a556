//! `ballesta study` of a program without Parquet, the format of its results.

pub mod arguments;

use ballesta_files::Failure;
use ballesta_files::failure::not_built_in;

/// There is none.
pub enum Plan {}

impl Plan {
    /// Names what the program lacks.
    pub fn resolve(_: arguments::Study) -> Result<Plan, Failure> {
        Err(left_out())
    }

    pub fn execute(self) -> Result<(), Failure> {
        match self {}
    }
}

/// The failure of every use of studies.
pub fn left_out() -> Failure {
    Failure::Usage(not_built_in("Parquet, the format of the results of studies"))
}
