//! Messages to the importer's logger, and their categories.

/// A log category, as `LogCategories` in `modelDescription.xml` lists it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Category {
    /// Name, the one of the standard where there is one.
    pub name: &'static str,
    /// One line for people.
    pub description: &'static str,
}

/// All categories, in the order of `modelDescription.xml`.
pub const CATEGORIES: &[Category] = &[
    Category { name: "logEvents", description: "Instantiation, compilation, initialization, reset, state transfer" },
    Category { name: "logStatusWarning", description: "A call had no effect or a questionable one" },
    Category { name: "logStatusDiscard", description: "A step was done in part, or a status is not available" },
    Category { name: "logStatusError", description: "A call failed, and why" },
    Category { name: "logStatusFatal", description: "The instance is corrupt and cannot be used again" },
];
