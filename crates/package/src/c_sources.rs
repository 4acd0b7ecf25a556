//! C sources in an FMU: the folder `sources/`.
//!
//! The files come from [`ballesta_c_sources`]; FMI 2.0 lists them in `modelDescription.xml`, FMI 3.0 in
//! `sources/buildDescription.xml`.

use crate::{Package, PackageError, RESOURCES, Version};
use ballesta_c_sources::{Core, Extent, Prepared, Standard, write};

impl<'a> Package<'a> {
    /// This package with C sources, written from the `core` that `scripts/platforms.sh c-sources` made. If the model
    /// was compiled with constants instead of fixed parameters, the sources need no compiler of models.
    ///
    /// # Errors
    /// A damaged core, a model that it cannot open.
    pub fn with_sources(self, core: &[u8]) -> Result<Package<'a>, PackageError> {
        let failed = |error| PackageError::Sources { error };
        let core = Core::read(core).map_err(failed)?;
        let resources = self.resources();
        let files = resources.iter().filter_map(|(path, bytes)| Some((path.strip_prefix(RESOURCES)?, &bytes[..])));
        let extent = if self.interface().constant_parameters { Extent::Steps } else { Extent::Full };
        let prepared = Prepared::new(&core, files, extent).map_err(failed)?;
        let standard = match self.version {
            Version::Fmi2 => Standard::Fmi2,
            Version::Fmi3 => Standard::Fmi3,
        };
        let sources = write(&core, &prepared, &self.model.general.name, standard);
        Ok(Package { sources, ..self })
    }
}
