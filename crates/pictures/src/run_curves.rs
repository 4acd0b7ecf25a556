//! The curves of a simulation, and their picture.

use super::plot::{self, Curve};
use ballesta::model::schema::Model;
use ballesta::system::{Interface, OutputInfo, ScalarKind, System};
use ballesta_run::simulation::Recording;

/// Drawable curves of a recording of `model` with the interface `interface`.
pub fn curves<'a>(recording: &'a Recording, interface: &'a Interface, model: &Model) -> Vec<Curve<'a>> {
    let curve = |((output, values), diagnostic): ((&'a OutputInfo, &'a Vec<f64>), bool)| Curve {
        name: &output.name,
        unit: &output.unit,
        description: &output.description,
        stepped: output.kind != ScalarKind::Real,
        diagnostic,
        values,
    };
    interface.outputs.iter().zip(&recording.series).zip(model.diagnostic_variables()).map(curve).collect()
}

/// A run as a picture: the outputs with the indices `chosen`; without indices, the panels of the model file or all
/// outputs.
pub fn draw(model: &Model, system: &System, recording: &Recording, chosen: &[usize], note: &str) -> String {
    let curves = curves(recording, system.interface(), model);
    let named: Vec<Curve> = chosen.iter().filter_map(|index| curves.get(*index).copied()).collect();
    let panels = match named.is_empty() {
        false => plot::panels(&named),
        true => {
            Some(plot::chosen(model, &curves)).filter(|all| !all.is_empty()).unwrap_or_else(|| plot::panels(&curves))
        }
    };
    plot::draw_panels(("time", "s"), system.name(), note, &recording.times, &panels)
}
