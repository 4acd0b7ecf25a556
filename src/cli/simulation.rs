//! The curves of a simulation.

use super::plot::Curve;
pub use crate::experiment::simulation::*;
use crate::model::schema::Model;
use crate::system::{Interface, OutputInfo, ScalarKind};

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
