//! Parts specific to FMI 3.0 (sections 2.4 and 4.4).

use std::io;

use quick_xml::writer::ElementWriter;

use super::super::version::Version;
use super::{
    OptionalAttribute, Xml, declared_type, display_unit, has_states, number, one_line, root, truth, write_experiment,
    write_log_categories, write_types, write_units,
};
use ballesta::fmi::arrays::{Array, arrays, dependencies};
use ballesta::fmi::intermediate::is_intermediate;
use ballesta::fmi::variables::{Binding, Causality, Initial, Variable, state_of};
use ballesta::model::schema::Model;
use ballesta::system::ScalarKind;

/// Root element with its content.
pub(super) fn write_document(
    xml: &mut Xml,
    model: &Model,
    variables: &[Variable],
    rheonomic: bool,
    guid: &str,
) -> io::Result<()> {
    root(xml, model, "3.0", "instantiationToken", guid).write_inner_content(|xml| {
        if has_states(variables) {
            write_model_exchange(xml, model)?;
        }
        write_co_simulation(xml, model)?;
        write_units(xml, variables)?;
        write_types(xml, Version::Fmi3, variables)?;
        write_log_categories(xml)?;
        write_experiment(xml, model)?;
        write_variables(xml, variables)?;
        write_structure(xml, variables, rheonomic)
    })?;
    Ok(())
}

/// One set of C files for Model Exchange and Co-Simulation. No option of a compiler is needed.
pub(super) fn write_build(xml: &mut Xml, model: &Model, sources: &[&str]) -> io::Result<()> {
    xml.create_element("fmiBuildDescription").with_attribute(("fmiVersion", "3.0")).write_inner_content(|xml| {
        let configuration = xml.create_element("BuildConfiguration");
        configuration.with_attribute(("modelIdentifier", model.general.name.as_str())).write_inner_content(|xml| {
            xml.create_element("SourceFileSet").with_attribute(("language", "C99")).write_inner_content(|xml| {
                for name in sources {
                    xml.create_element("SourceFile").with_attribute(("name", *name)).write_empty()?;
                }
                Ok(())
            })?;
            Ok(())
        })?;
        Ok(())
    })?;
    Ok(())
}

fn write_model_exchange(xml: &mut Xml, model: &Model) -> io::Result<()> {
    xml.create_element("ModelExchange")
        .with_attribute(("modelIdentifier", model.general.name.as_str()))
        .with_attribute(("needsExecutionTool", "false"))
        .with_attribute(("canBeInstantiatedOnlyOncePerProcess", "false"))
        .with_attribute(("canGetAndSetFMUState", "true"))
        .with_attribute(("canSerializeFMUState", "true"))
        .with_attribute(("providesDirectionalDerivatives", "true"))
        .with_attribute(("providesAdjointDerivatives", "true"))
        .with_attribute(("providesPerElementDependencies", "true"))
        .with_attribute(("needsCompletedIntegratorStep", "true"))
        .write_empty()?;
    Ok(())
}

/// An interval that is not a multiple of `fixedInternalStepSize` ends with a shorter step.
fn write_co_simulation(xml: &mut Xml, model: &Model) -> io::Result<()> {
    xml.create_element("CoSimulation")
        .with_attribute(("modelIdentifier", model.general.name.as_str()))
        .with_attribute(("needsExecutionTool", "false"))
        .with_attribute(("canBeInstantiatedOnlyOncePerProcess", "false"))
        .with_attribute(("canGetAndSetFMUState", "true"))
        .with_attribute(("canSerializeFMUState", "true"))
        .with_attribute(("providesDirectionalDerivatives", "true"))
        .with_attribute(("providesAdjointDerivatives", "true"))
        .with_attribute(("providesPerElementDependencies", "true"))
        .with_attribute(("canHandleVariableCommunicationStepSize", "true"))
        .with_attribute(("fixedInternalStepSize", number(model.general.step).as_str()))
        .with_attribute(("maxOutputDerivativeOrder", "1"))
        .with_attribute(("providesIntermediateUpdate", "true"))
        .with_attribute(("mightReturnEarlyFromDoStep", "false"))
        .with_attribute(("canReturnEarlyAfterIntermediateUpdate", "false"))
        .with_attribute(("hasEventMode", "false"))
        .write_empty()?;
    Ok(())
}

fn write_variables(xml: &mut Xml, variables: &[Variable]) -> io::Result<()> {
    xml.create_element("ModelVariables").write_inner_content(|xml| {
        for array in arrays(variables) {
            write_variable(xml, &array, state_of(array.first, variables))?;
        }
        Ok(())
    })?;
    Ok(())
}

/// `state`: 1-based position of the state whose derivative the variable is.
fn write_variable(xml: &mut Xml, array: &Array, state: Option<usize>) -> io::Result<()> {
    let variable = array.first;
    let description = one_line(array.description);
    let element = xml
        .create_element(match variable.kind {
            ScalarKind::Real => "Float64",
            ScalarKind::Integer => "Int32",
            ScalarKind::Boolean => "Boolean",
        })
        .with_attribute(("name", array.name))
        .with_attribute(("valueReference", variable.value_reference.to_string().as_str()))
        .with_optional("description", (!description.is_empty()).then_some(description))
        .with_attribute(("causality", variable.causality.as_str()))
        .with_attribute(("variability", variable.variability.as_str()))
        .with_optional("initial", variable.initial.map(Initial::as_str))
        .with_optional("intermediateUpdate", is_intermediate(variable).then_some("true"));
    let element = match variable.kind {
        ScalarKind::Real => with_real_attributes(element, variable, state),
        ScalarKind::Boolean => element.with_optional("start", variable.start.map(truth)),
        ScalarKind::Integer => element,
    };
    match array.length {
        None => element.write_empty()?,
        Some(length) => element.write_inner_content(|xml| {
            xml.create_element("Dimension").with_attribute(("start", length.to_string().as_str())).write_empty()?;
            Ok(())
        })?,
    };
    Ok(())
}

fn with_real_attributes<'a>(
    element: ElementWriter<'a, Vec<u8>>,
    variable: &Variable,
    state: Option<usize>,
) -> ElementWriter<'a, Vec<u8>> {
    element
        .with_optional("declaredType", declared_type(&variable.unit))
        .with_optional("unit", (!variable.unit.is_empty()).then_some(variable.unit.as_str()))
        .with_optional("displayUnit", display_unit(&variable.unit))
        .with_optional("min", variable.min.map(number))
        .with_optional("max", variable.max.map(number))
        .with_optional("nominal", variable.nominal.map(number))
        .with_optional("start", variable.start.map(number))
        // A value reference is the position minus 1.
        .with_optional("derivative", state.map(|index| (index - 1).to_string()))
}

/// Outputs list the value references on which they depend, between steps and initially; an empty list means no
/// dependency. Derivatives of states have a list if they do not depend on everything; states have none.
fn write_structure(xml: &mut Xml, variables: &[Variable], rheonomic: bool) -> io::Result<()> {
    let outputs = || arrays(variables).map(|array| array.first).filter(|first| first.binding.is_output());
    let of_output =
        |output: &Variable, initially: bool| dependencies(output, variables, rheonomic, initially).collect();
    xml.create_element("ModelStructure").write_inner_content(|xml| {
        for output in outputs() {
            write_unknown(xml, "Output", output, Some(of_output(output, false)))?;
        }
        for derivative in variables.iter().filter(|variable| matches!(variable.binding, Binding::Derivative(_))) {
            let own = derivative.rate_dependencies.as_ref();
            let references = own.map(|list| list.iter().map(|index| (index - 1) as u32).collect());
            write_unknown(xml, "ContinuousStateDerivative", derivative, references)?;
        }
        for output in outputs() {
            write_unknown(xml, "InitialUnknown", output, Some(of_output(output, true)))?;
        }
        for local in variables.iter().filter(|variable| variable.causality == Causality::Local) {
            write_unknown(xml, "InitialUnknown", local, None)?;
        }
        Ok(())
    })?;
    Ok(())
}

fn write_unknown(xml: &mut Xml, name: &str, variable: &Variable, dependencies: Option<Vec<u32>>) -> io::Result<()> {
    let list = |known: Vec<u32>| known.iter().map(u32::to_string).collect::<Vec<_>>().join(" ");
    xml.create_element(name)
        .with_attribute(("valueReference", variable.value_reference.to_string().as_str()))
        .with_optional("dependencies", dependencies.map(list))
        .write_empty()?;
    Ok(())
}
