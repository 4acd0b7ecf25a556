//! `modelDescription.xml` (FMI 2.0, section 2.2 and 4.3).
//!
//! Everything in it is derived: the variables from [`crate::fmi::variables`], the units from [`crate::units`], the log
//! categories from [`crate::fmi::log`], the experiment from the model. No date and no path enter, so that the same model
//! gives the same bytes everywhere. `modelDescription.xml` in the root of the source tree is the one of
//! `models/flexible_four_bar`; `tests/fmi/package.rs` keeps it current.

use std::io;

use quick_xml::Writer;
use quick_xml::events::{BytesDecl, Event};
use quick_xml::writer::ElementWriter;

use super::csv::Shortest;
use crate::fmi::log::CATEGORIES;
use crate::fmi::variables::{Causality, Initial, Variable};
use crate::model::schema::Model;
use crate::system::ScalarKind;
use crate::units::{UNITS, Unit};

/// Name and version of the program, as `generationTool`.
pub const GENERATION_TOOL: &str = concat!("ballesta ", env!("CARGO_PKG_VERSION"));

/// Tolerance of the default experiment. A fixed-step solver does not read it, but importers without one of their own
/// choose, and some warn when it is missing.
const TOLERANCE: f64 = 1e-6;

/// Degrees per radian, the factor of the display unit.
const DEGREES: f64 = 57.29577951308232;

type Xml = Writer<Vec<u8>>;

/// The text of `modelDescription.xml` for a model with these variables and this GUID.
pub fn model_description(model: &Model, variables: &[Variable], guid: &str) -> String {
    let mut xml = Writer::new_with_indent(Vec::new(), b' ', 2);
    write_document(&mut xml, model, variables, guid).expect("writing to a Vec cannot fail");
    let mut text = String::from_utf8(xml.into_inner()).expect("written from strings");
    text.push('\n');
    text
}

fn write_document(xml: &mut Xml, model: &Model, variables: &[Variable], guid: &str) -> io::Result<()> {
    xml.write_event(Event::Decl(BytesDecl::new("1.0", Some("UTF-8"), None)))?;
    let general = &model.general;
    let description = one_line(&general.description);
    let given = |text: &Option<String>| text.as_deref().map(one_line).filter(|text| !text.is_empty());
    xml.create_element("fmiModelDescription")
        .with_attribute(("fmiVersion", "2.0"))
        .with_attribute(("modelName", model.general.name.as_str()))
        .with_attribute(("guid", guid))
        .with_optional("description", (!description.is_empty()).then_some(description))
        .with_optional("author", given(&general.author))
        .with_optional("version", given(&general.version))
        .with_optional("copyright", given(&general.copyright))
        .with_optional("license", given(&general.license))
        .with_attribute(("generationTool", GENERATION_TOOL))
        .with_attribute(("variableNamingConvention", "structured"))
        .write_inner_content(|xml| {
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

fn write_units(xml: &mut Xml, variables: &[Variable]) -> io::Result<()> {
    let used: Vec<&Unit> =
        UNITS.iter().filter(|unit| variables.iter().any(|variable| variable.unit == unit.symbol)).collect();
    if used.is_empty() {
        return Ok(()); // the schema asks for at least one unit
    }
    xml.create_element("UnitDefinitions").write_inner_content(|xml| {
        for unit in used {
            xml.create_element("Unit").with_attribute(("name", unit.symbol)).write_inner_content(|xml| {
                let mut base = xml.create_element("BaseUnit");
                for (name, exponent) in [("kg", unit.kg), ("m", unit.m), ("s", unit.s), ("rad", unit.rad)] {
                    base = base.with_optional(name, (exponent != 0).then(|| exponent.to_string()));
                }
                base.write_empty()?;
                if let Some(name) = display_unit(unit.symbol) {
                    xml.create_element("DisplayUnit")
                        .with_attribute(("name", name))
                        .with_attribute(("factor", number(DEGREES).as_str()))
                        .write_empty()?;
                }
                Ok(())
            })?;
        }
        Ok(())
    })?;
    Ok(())
}

/// The unit in which people read this one.
fn display_unit(symbol: &str) -> Option<&'static str> {
    match symbol {
        "rad" => Some("deg"),
        "rad/s" => Some("deg/s"),
        "rad/s2" => Some("deg/s2"),
        _ => None,
    }
}

fn write_log_categories(xml: &mut Xml) -> io::Result<()> {
    xml.create_element("LogCategories").write_inner_content(|xml| {
        for category in CATEGORIES {
            xml.create_element("Category")
                .with_attribute(("name", category.name))
                .with_attribute(("description", category.description))
                .write_empty()?;
        }
        Ok(())
    })?;
    Ok(())
}

fn write_experiment(xml: &mut Xml, model: &Model) -> io::Result<()> {
    let experiment = &model.experiment;
    xml.create_element("DefaultExperiment")
        .with_attribute(("startTime", number(experiment.start).as_str()))
        .with_attribute(("stopTime", number(experiment.stop).as_str()))
        .with_attribute(("tolerance", number(TOLERANCE).as_str()))
        .with_attribute(("stepSize", number(experiment.step.unwrap_or(model.general.step)).as_str()))
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

/// A number as xs:double reads it back to the same bits.
fn number(value: f64) -> String {
    Shortest(value).to_string()
}

/// Text without line breaks, as attributes need it.
fn one_line(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

trait OptionalAttribute {
    /// The attribute when there is a value for it.
    fn with_optional(self, name: &str, value: Option<impl AsRef<str>>) -> Self;
}

impl OptionalAttribute for ElementWriter<'_, Vec<u8>> {
    fn with_optional(self, name: &str, value: Option<impl AsRef<str>>) -> Self {
        match value {
            Some(value) => self.with_attribute((name, value.as_ref())),
            None => self,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fmi::variables::table;
    use crate::package::sample;

    fn xml() -> String {
        model_description(&sample::model(), &table(&sample::interface()), "{guid}")
    }

    #[test]
    fn elements_stand_in_the_order_of_the_schema() {
        let text = xml();
        let order = [
            "<CoSimulation",
            "<UnitDefinitions",
            "<LogCategories",
            "<DefaultExperiment",
            "<ModelVariables",
            "<ModelStructure",
            "<Outputs",
            "<InitialUnknowns",
        ];
        let places: Vec<usize> = order.iter().map(|name| text.find(name).unwrap_or_else(|| panic!("{name}"))).collect();
        assert!(places.is_sorted(), "{places:?}");
    }

    #[test]
    fn every_unit_used_is_defined_once_and_no_other() {
        let text = xml();
        for (symbol, times) in [("N", 1), ("rad", 1), ("s", 0), ("N.s/m", 1), ("kg", 0), ("W", 0)] {
            assert_eq!(text.matches(&format!("<Unit name=\"{symbol}\">")).count(), times, "{symbol}");
        }
        assert!(text.contains(r#"<BaseUnit kg="1" s="-1"/>"#), "N.s/m");
        assert!(text.contains(r#"<DisplayUnit name="deg" factor="57.29577951308232"/>"#));
    }

    #[test]
    fn dependencies_are_exact_and_an_empty_list_is_written() {
        let text = xml();
        // d 1, F 2, G 3, angle 4, drive 5, singular 6
        assert!(text.contains(r#"<Unknown index="4" dependencies=""/>"#), "{text}");
        assert!(text.contains(r#"<Unknown index="5" dependencies="2 3"/>"#), "{text}");
        assert!(text.contains(r#"<Unknown index="4" dependencies="1 2"/>"#), "initially: {text}");
    }

    #[test]
    fn text_is_escaped_and_brought_to_one_line() {
        let text = xml();
        assert!(text.contains(r#"description="Crank &amp; rod, 2 &lt; 3 &quot;loops&quot;""#), "{text}");
    }

    #[test]
    fn a_model_without_outputs_has_no_empty_lists() {
        let text = model_description(&sample::model(), &table(&crate::system::Interface::default()), "{guid}");
        assert!(text.contains("<ModelStructure>") && !text.contains("<Outputs"), "{text}");
    }
}
