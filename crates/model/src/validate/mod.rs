//! Checks that need more than one key and no solver: names, references, geometry, masses, ranges.
//!
//! The shape of the file was checked before ([`crate::document`]). A table with a key that did not fit the schema is
//! skipped here. Checks that such a key could affect in other tables are skipped too: only certain errors are reported.

mod bodies;
mod check;
mod constraints;
mod contact_checks;
mod curve_checks;
mod driver;
mod flexible_checks;
mod forces;
mod general;
mod interface;
mod joints;
mod law_checks;
mod linear;
mod name_checks;
mod page_checks;
mod plot_checks;
mod powertrain_checks;
mod road_checks;
mod shape_checks;
mod solids;
mod suspension_checks;
mod tyre_checks;
mod vehicle_checks;

pub use law_checks::formula;
pub(super) use name_checks::is_structured;
pub use road_checks::MIN_HOLLOW_RADIUS;

use super::elements;
use super::{
    Diagnostic, Diagnostics, Document, Source,
    schema::{Model, Parameter},
};
use crate::rom::Rom;
use check::Check;

/// The functions that check an item, by the names of their tables.
mod items {
    pub(super) use super::{
        contact_checks::*, driver::*, forces::*, law_checks::*, powertrain_checks::*, solids::*, suspension_checks::*,
        tyre_checks::*,
    };
}

/// All errors of a model whose shape is valid, with the values of its file.
///
/// `replaced`: paths of the keys whose value was replaced; `roms`: the reduced-order model of every flexible body,
/// where it could be read.
pub(super) fn validate(
    model: &Model,
    source: &Source,
    replaced: &[String],
    roms: Vec<Option<&Rom>>,
) -> Vec<Diagnostic> {
    if replaced.iter().any(|path| reaches_far(path)) {
        return Vec::new();
    }
    all(Check::new(model, source, replaced, roms, &model.parameter_values()))
}

/// Validates a document with other values of its parameters (one per `[[parameter]]`, in the order of the file).
pub fn validate_with(document: &Document, values: &[f64]) -> Result<(), Diagnostics> {
    let roms = document.roms.iter().map(Some).collect();
    let found = all(Check::new(&document.model, &document.source, &[], roms, values));
    Diagnostics(document.source.merged(found)).into_result(())
}

/// All errors in the parameters of a subassembly, most of which do not become parameters of the model.
pub(super) fn validate_parameters(parameters: &[Parameter], source: &Source, replaced: &[String]) -> Vec<Diagnostic> {
    let empty = crate::document::from_value::<Model>(serde_json::json!({ "model": { "name": "m" } }));
    let Ok(mut model) = empty else { return Vec::new() };
    if replaced.iter().any(|path| path.starts_with("parameter")) {
        return Vec::new();
    }
    model.parameters = parameters.to_vec();
    let mut check = Check::new(&model, source, &[], Vec::new(), &model.parameter_values());
    name_checks::check(&mut check);
    interface::check(&mut check);
    check.into_diagnostics()
}

fn all(mut check: Check) -> Vec<Diagnostic> {
    general::check(&mut check);
    name_checks::check(&mut check);
    bodies::check(&mut check);
    flexible_checks::check(&mut check);
    joints::check(&mut check);
    curve_checks::check(&mut check);
    constraints::check(&mut check);
    force_elements(&mut check);
    road_checks::check(&mut check);
    linear::check(&mut check);
    interface::check(&mut check);
    plot_checks::check(&mut check);
    page_checks::check(&mut check);
    shape_checks::check(&mut check);
    solids::check(&mut check);
    vehicle_checks::check(&mut check);
    check.into_diagnostics()
}

macro_rules! checks {
    ($($table:ident $field:ident $variant:ident;)*) => {
        /// The items of all tables of force elements.
        fn force_elements(check: &mut Check) {
            let model = check.model;
            $(for (index, item) in model.$field.iter().enumerate() {
                items::$table(check, &format!("{}[{index}]", stringify!($table)), item);
            })*
        }
    };
}
elements::force_elements!(checks);

/// Whether a wrong value at `path` could make another table look wrong: names, kinds of joints, points, parameters,
/// inputs, and whole tables.
fn reaches_far(path: &str) -> bool {
    let table = path.split(['.', '[']).next().unwrap_or_default();
    let key = path.rsplit('.').next().unwrap_or_default();
    let inside = path.contains('.');
    !inside || matches!(table, "points" | "parameter" | "input") || matches!(key, "name" | "type")
}

#[cfg(test)]
mod tests {
    use super::reaches_far;

    #[test]
    fn only_local_errors_leave_the_other_checks_running() {
        for far in ["body", "body[1]", "bodie", "points.A[0]", "joint[1].type", "rod[0].name", "parameter[0].min"] {
            assert!(reaches_far(far), "{far}");
        }
        for near in ["body[1].mass", "model.step", "joint[0].axis[2]", "model.gravitty", "experiment.stop"] {
            assert!(!reaches_far(near), "{near}");
        }
    }
}
