//! Parts specific to FMI 2.0 (sections 2.2 and 4.3).

use std::io;

use quick_xml::writer::ElementWriter;

use super::super::version::Version;
use super::{
    OptionalAttribute, Xml, declared_type, display_unit, has_states, number, one_line, root, truth, write_experiment,
    write_log_categories, write_types, write_units,
};
use ballesta::fmi::variables::{Binding, Causality, Initial, Variable, state_of, states};
use ballesta::model::schema::Model;
use ballesta::system::ScalarKind;

/// Root element with its content.
pub(super) fn write_document(
    xml: &mut Xml,
    model: &Model,
    variables: &[Variable],
    rheonomic: bool,
    guid: &str,
    sources: &[&str],
) -> io::Result<()> {
    let exchanged = has_states(variables);
    let root = root(xml, model, "2.0", "guid", guid);
    root.with_optional("numberOfEventIndicators", exchanged.then_some("0")).write_inner_content(|xml| {
        if exchanged {
            write_model_exchange(xml, model, sources)?;
        }
        write_co_simulation(xml, model, sources)?;
        write_units(xml, variables)?;
        write_types(xml, Version::Fmi2, variables)?;
        write_log_categories(xml)?;
        write_experiment(xml, model)?;
        write_variables(xml, variables)?;
        write_structure(xml, variables, rheonomic)
    })?;
    Ok(())
}

/// Directional derivatives for Co-Simulation.
fn write_model_exchange(xml: &mut Xml, model: &Model, sources: &[&str]) -> io::Result<()> {
    let element = xml
        .create_element("ModelExchange")
        .with_attribute(("modelIdentifier", model.general.name.as_str()))
        .with_attribute(("needsExecutionTool", "false"))
        .with_attribute(("completedIntegratorStepNotNeeded", "false"))
        .with_attribute(("canBeInstantiatedOnlyOncePerProcess", "false"))
        .with_attribute(("canNotUseMemoryManagementFunctions", "true"))
        .with_attribute(("canGetAndSetFMUstate", "true"))
        .with_attribute(("canSerializeFMUstate", "true"))
        .with_attribute(("providesDirectionalDerivative", "true"));
    write_with_sources(element, sources)
}

fn write_co_simulation(xml: &mut Xml, model: &Model, sources: &[&str]) -> io::Result<()> {
    let element = xml
        .create_element("CoSimulation")
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
        .with_attribute(("providesDirectionalDerivative", "true"));
    write_with_sources(element, sources)
}

/// An interface with the C files that implement it, if there are any.
fn write_with_sources(element: ElementWriter<'_, Vec<u8>>, sources: &[&str]) -> io::Result<()> {
    if sources.is_empty() {
        element.write_empty()?;
        return Ok(());
    }
    element.write_inner_content(|xml| {
        xml.create_element("SourceFiles").write_inner_content(|xml| {
            for name in sources {
                xml.create_element("File").with_attribute(("name", *name)).write_empty()?;
            }
            Ok(())
        })?;
        Ok(())
    })?;
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
                .write_inner_content(|xml| write_type(xml, variable, state_of(variable, variables)))?;
        }
        Ok(())
    })?;
    Ok(())
}

/// `state`: 1-based position of the state whose derivative the variable is.
fn write_type(xml: &mut Xml, variable: &Variable, state: Option<usize>) -> io::Result<()> {
    match variable.kind {
        ScalarKind::Real => xml
            .create_element("Real")
            .with_optional("declaredType", declared_type(&variable.unit))
            .with_optional("unit", (!variable.unit.is_empty()).then_some(variable.unit.as_str()))
            .with_optional("displayUnit", display_unit(&variable.unit))
            .with_optional("min", variable.min.map(number))
            .with_optional("max", variable.max.map(number))
            .with_optional("nominal", variable.nominal.map(number))
            .with_optional("start", variable.start.map(number))
            .with_optional("derivative", state.map(|index| index.to_string()))
            .write_empty()?,
        ScalarKind::Integer => {
            xml.create_element("Integer").with_optional("start", variable.start.map(number)).write_empty()?
        }
        ScalarKind::Boolean => {
            xml.create_element("Boolean").with_optional("start", variable.start.map(truth)).write_empty()?
        }
    };
    Ok(())
}

/// Outputs list the inputs on which they depend directly, the time if a prescribed motion depends on it, and all
/// states; an empty list means no dependency. Derivatives have a list if they do not depend on everything.
/// `InitialUnknowns` has the parameters, because they determine the assembled position, and the inputs that affect the
/// initial value. Tunable parameters are omitted if forces do not affect the initial value. States and their
/// derivatives have no list.
fn write_structure(xml: &mut Xml, variables: &[Variable], rheonomic: bool) -> io::Result<()> {
    let outputs: Vec<&Variable> = variables.iter().filter(|variable| variable.causality == Causality::Output).collect();
    let locals: Vec<&Variable> = variables.iter().filter(|variable| variable.causality == Causality::Local).collect();
    let states: Vec<usize> = states(variables).collect();
    let time = variables.iter().filter(|variable| rheonomic && variable.binding == Binding::Time).map(Variable::index);
    let of_all: Vec<usize> = time.chain(states.iter().copied()).collect();
    xml.create_element("ModelStructure").write_inner_content(|xml| {
        if !outputs.is_empty() {
            xml.create_element("Outputs").write_inner_content(|xml| {
                let all = |output: &Variable| output.dependencies.iter().chain(&of_all).copied().collect::<Vec<_>>();
                outputs.iter().try_for_each(|output| write_unknown(xml, output, Some(&all(output))))
            })?;
        }
        if !states.is_empty() {
            xml.create_element("Derivatives").write_inner_content(|xml| {
                let derivatives = locals.iter().filter(|local| matches!(local.binding, Binding::Derivative(_)));
                derivatives
                    .into_iter()
                    .try_for_each(|derivative| write_unknown(xml, derivative, derivative.rate_dependencies.as_deref()))
            })?;
        }
        if !outputs.is_empty() || !locals.is_empty() {
            xml.create_element("InitialUnknowns").write_inner_content(|xml| {
                let outputs = outputs.iter().map(|output| (*output, Some(output.initial_dependencies.as_slice())));
                let mut unknowns: Vec<_> = outputs.chain(locals.iter().map(|local| (*local, None))).collect();
                // Order of the standard; the output of the hold mode follows the states.
                unknowns.sort_by_key(|(variable, _)| variable.index());
                unknowns.into_iter().try_for_each(|(variable, list)| write_unknown(xml, variable, list))
            })?;
        }
        Ok(())
    })?;
    Ok(())
}

fn write_unknown(xml: &mut Xml, variable: &Variable, dependencies: Option<&[usize]>) -> io::Result<()> {
    let list = |indices: &[usize]| indices.iter().map(usize::to_string).collect::<Vec<_>>().join(" ");
    xml.create_element("Unknown")
        .with_attribute(("index", variable.index().to_string().as_str()))
        .with_optional("dependencies", dependencies.map(list))
        .write_empty()?;
    Ok(())
}
