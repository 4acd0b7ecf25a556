//! The curves of a simulation.

use super::plot::Curve;
use ballesta::model::schema::Model;
use ballesta::system::{Interface, OutputInfo, ScalarKind};
use ballesta_experiment::simulation::Recording;

/// The curves of a recording of `model`, whose interface is `interface`, ready to be drawn.
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
