//! What FMI 2.0 (sections 2.2 and 4.3) has of its own.

use std::io;

use super::{
    OptionalAttribute, Xml, display_unit, number, one_line, root, write_experiment, write_log_categories, write_units,
};
use crate::fmi::variables::{Causality, Initial, Variable};
use crate::model::schema::Model;
use crate::system::ScalarKind;

/// Root element and all that is in it.
pub(super) fn write_document(xml: &mut Xml, model: &Model, variables: &[Variable], guid: &str) -> io::Result<()> {
    root(xml, model, "2.0", "guid", guid).write_inner_content(|xml| {
        write_co_simulation(xml, model)?;
        write_units(xml, variables)?;
        write_log_categories(xml)?;
        write_experiment(xml, model)?;
        write_variables(xml, variables)?;
        write_structure(xml, variables)
    })?;
    Ok(())
}

fn write_co_simulation(xml: &mut Xml, model: &Model) -> io::Result<()> {
    xml.create_element("CoSimulation")
        .with_attribute(("modelIdentifier", model.general.name.as_str()))
        .with_attribute(("needsExecutionTool", "false"))
        .with_attribute(("canHandleVariableCommunicationStepSize", "true"))
        .with_attribute(("canInterpolateInputs", "true"))
        .with_attribute(("maxOutputDerivativeOrder", "1"))
        .with_attribute(("canRunAsynchronuously", "false"))
        .with_attribute(("canBeInstantiatedOnlyOncePerProcess", "false"))
        .with_attribute(("canNotUseMemoryManagementFunctions", "true"))
        .with_attribute(("canGetAndSetFMUstate", "true"))
        .with_attribute(("canSerializeFMUstate", "true"))
        .with_attribute(("providesDirectionalDerivative", "true"))
        .write_empty()?;
    Ok(())
}

fn write_variables(xml: &mut Xml, variables: &[Variable]) -> io::Result<()> {
    xml.create_element("ModelVariables").write_inner_content(|xml| {
        for variable in variables {
            let description = one_line(&variable.description);
            xml.create_element("ScalarVariable")
                .with_attribute(("name", variable.name.as_str()))
                .with_attribute(("valueReference", variable.value_reference.to_string().as_str()))
                .with_optional("description", (!description.is_empty()).then_some(description))
                .with_attribute(("causality", variable.causality.as_str()))
                .with_attribute(("variability", variable.variability.as_str()))
                .with_optional("initial", variable.initial.map(Initial::as_str))
                .write_inner_content(|xml| write_type(xml, variable))?;
        }
        Ok(())
    })?;
    Ok(())
}

fn write_type(xml: &mut Xml, variable: &Variable) -> io::Result<()> {
    match variable.kind {
        ScalarKind::Real => xml
            .create_element("Real")
            .with_optional("unit", (!variable.unit.is_empty()).then_some(variable.unit.as_str()))
            .with_optional("displayUnit", display_unit(&variable.unit))
            .with_optional("min", variable.min.map(number))
            .with_optional("max", variable.max.map(number))
            .with_optional("start", variable.start.map(number))
            .write_empty()?,
        ScalarKind::Integer => {
            xml.create_element("Integer").with_optional("start", variable.start.map(number)).write_empty()?
        }
        ScalarKind::Boolean => xml
            .create_element("Boolean")
            .with_optional("start", variable.start.map(|start| if start == 0.0 { "false" } else { "true" }))
            .write_empty()?,
    };
    Ok(())
}

/// Outputs with exactly the inputs on which they depend directly; an empty list means none. `InitialUnknowns` has the parameters,
/// because the initial position is assembled from them, but for tunable ones where forces do not reach the initial value; and the
/// inputs that reach it.
fn write_structure(xml: &mut Xml, variables: &[Variable]) -> io::Result<()> {
    let outputs: Vec<&Variable> = variables.iter().filter(|variable| variable.causality == Causality::Output).collect();
    xml.create_element("ModelStructure").write_inner_content(|xml| {
        if outputs.is_empty() {
            return Ok(());
        }
        xml.create_element("Outputs").write_inner_content(|xml| {
            for output in &outputs {
                let dependencies: Vec<String> = output.dependencies.iter().map(usize::to_string).collect();
                xml.create_element("Unknown")
                    .with_attribute(("index", output.index().to_string().as_str()))
                    .with_attribute(("dependencies", dependencies.join(" ").as_str()))
                    .write_empty()?;
            }
            Ok(())
        })?;
        xml.create_element("InitialUnknowns").write_inner_content(|xml| {
            for output in &outputs {
                let dependencies: Vec<String> = output.initial_dependencies.iter().map(usize::to_string).collect();
                xml.create_element("Unknown")
                    .with_attribute(("index", output.index().to_string().as_str()))
                    .with_attribute(("dependencies", dependencies.join(" ").as_str()))
                    .write_empty()?;
            }
            Ok(())
        })?;
        Ok(())
    })?;
    Ok(())
}
