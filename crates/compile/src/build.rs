//! Document → System in its design position, one line per stage. A stage uses the results of earlier stages only.
//! [`ballesta_solver::assembly`] assembles the loops.
//!
//! | stage | result |
//! |---|---|
//! | [`super::flexible_bodies`] | flexible bodies in the subspace of their frames |
//! | [`super::mechanism`] | the tables of the file in the vocabulary of the solver |
//! | [`Layout`](ballesta_solver::mechanism::Layout) | spanning tree, design position, numbers of bodies |
//! | [`super::names`] | resolved names of the file |
//! | [`super::elements`] | force elements |
//! | [`System`] | closure equations, blocks, clusters, without outputs |
//! | [`super::influence`], [`super::outputs`] | readouts of outputs, and the inputs on which they depend |
//! | [`super::continuous`] | continuous states for other integrators |

use super::influence::Influence;
use super::names::Names;
use super::outputs::outputs;
use super::{continuous, elements, flexible_bodies, mechanism};
use ballesta_model::schema::Model;
use ballesta_model::{Diagnostics, Document};
use ballesta_solver::system::{LowPass, System, low_pass};

/// Builds the system of a validated document with the values of its parameters. The blocks have no ranks yet, and the
/// initial state is the design position.
pub fn build(document: &Document, parameters: &[f64]) -> Result<System, Diagnostics> {
    let document = &*document.with_runners(parameters);
    let model = &document.model;
    let flexible = flexible_bodies::build(document, parameters)?;
    let mechanism = mechanism::mechanism(document, parameters, flexible);
    let layout = mechanism.layout_of_valid().map_err(|invalid| mechanism::diagnostics(document, &invalid))?;
    let names = Names::new(document, parameters, &layout);
    let mut system = layout.system(elements::build(model, &names));
    system.halving_scale = model.general.step_of_file.map_or(1.0, |own| model.general.step / own);
    system.trim = model.experiment.trim;
    system.interface.hold_mode = model.general.hold_mode;
    system.interface.constant_parameters = model.general.constant_parameters;
    system.initial.parameters = parameters.to_vec();
    let (outputs, infos) = outputs(&names, &system, &Influence::new(&names, &system));
    let filters = low_pass_filters(model, parameters, system.element_states.end);
    system.set_outputs(outputs, infos, filters);
    continuous::describe(&mut system);
    Ok(system)
}

/// Filters of all scalar outputs of a validated model. Their states begin at index `first` of the auxiliary states.
fn low_pass_filters(model: &Model, parameters: &[f64], first: usize) -> Vec<LowPass> {
    let (mut filters, mut next, mut scalar) = (Vec::new(), first, 0);
    for output in &model.outputs {
        for _ in output.variable_names() {
            if let Some(filter) = &output.low_pass {
                let rate = std::f64::consts::TAU * model.resolve(&filter.cutoff_hz, parameters);
                let poles = filter.order.clamp(1, low_pass::POLES);
                filters.push(LowPass { output: scalar, first: next, poles, rate });
                next += poles;
            }
            scalar += 1;
        }
    }
    filters
}
