//! `modelDescription.xml`: common parts of `fmi2` (FMI 2.0) and `fmi3` (FMI 3.0).
//!
//! The variables come from [`ballesta::fmi::variables`], the units from [`ballesta::units`], the log categories from
//! [`ballesta::fmi::log`], and the experiment from the model. There is no date and no path, so the same model gives the
//! same bytes everywhere. `modelDescription.xml` in the root of the source tree is for `models/flexible_four_bar` and
//! FMI 2.0; `crates/package/tests/package/package.rs` keeps it current.

mod fmi2;
mod fmi3;

use std::io;

use quick_xml::Writer;
use quick_xml::events::{BytesDecl, Event};
use quick_xml::writer::ElementWriter;

use super::version::Version;
use ballesta::fmi::log::CATEGORIES;
use ballesta::fmi::variables::{Variable, states};
use ballesta::model::schema::Model;
use ballesta::units::{UNITS, dimension};
use ballesta_files::csv::Shortest;

/// Name and version of the program, as `generationTool`.
pub const GENERATION_TOOL: &str = concat!("ballesta ", env!("CARGO_PKG_VERSION"));

/// Tolerance of the default experiment. A fixed-step solver does not use it, but importers may, and some warn if it is
/// missing.
const TOLERANCE: f64 = 1e-6;

/// Degrees per radian, the factor of the display unit.
const DEGREES: f64 = 57.29577951308232;

type Xml = Writer<Vec<u8>>;

/// The text of `modelDescription.xml` for a model with these variables and this GUID; `rheonomic` as in
/// [`ballesta::system::Interface`].
pub fn model_description(
    version: Version,
    model: &Model,
    variables: &[Variable],
    rheonomic: bool,
    guid: &str,
    sources: &[&str],
) -> String {
    let mut xml = Writer::new_with_indent(Vec::new(), b' ', 2);
    let declared = xml.write_event(Event::Decl(BytesDecl::new("1.0", Some("UTF-8"), None)));
    declared
        .and_then(|()| match version {
            Version::Fmi2 => fmi2::write_document(&mut xml, model, variables, rheonomic, guid, sources),
            Version::Fmi3 => fmi3::write_document(&mut xml, model, variables, rheonomic, guid),
        })
        .expect("writing to a Vec cannot fail");
    let mut text = String::from_utf8(xml.into_inner()).expect("written from strings");
    text.push('\n');
    text
}

/// The text of `sources/buildDescription.xml` of FMI 3.0 for these C files.
pub fn build_description(model: &Model, sources: &[&str]) -> String {
    let mut xml = Writer::new_with_indent(Vec::new(), b' ', 2);
    let declared = xml.write_event(Event::Decl(BytesDecl::new("1.0", Some("UTF-8"), None)));
    declared.and_then(|()| fmi3::write_build(&mut xml, model, sources)).expect("writing to a Vec cannot fail");
    String::from_utf8(xml.into_inner()).expect("written from strings") + "\n"
}

/// The root element with its attributes; `token` is the name of the attribute with the GUID.
fn root<'a>(xml: &'a mut Xml, model: &Model, version: &str, token: &'a str, guid: &str) -> ElementWriter<'a, Vec<u8>> {
    let general = &model.general;
    let description = one_line(&general.description);
    let given = |text: &Option<String>| text.as_deref().map(one_line).filter(|text| !text.is_empty());
    xml.create_element("fmiModelDescription")
        .with_attribute(("fmiVersion", version))
        .with_attribute(("modelName", general.name.as_str()))
        .with_attribute((token, guid))
        .with_optional("description", (!description.is_empty()).then_some(description))
        .with_optional("author", given(&general.author))
        .with_optional("version", given(&general.version))
        .with_optional("copyright", given(&general.copyright))
        .with_optional("license", given(&general.license))
        .with_attribute(("generationTool", GENERATION_TOOL))
        .with_attribute(("variableNamingConvention", "structured"))
}

/// Whether Model Exchange is offered.
fn has_states(variables: &[Variable]) -> bool {
    states(variables).next().is_some()
}

/// Units of the variables: units of the table in its order, then their rates.
fn units_of(variables: &[Variable]) -> Vec<(&str, [i8; 4], String)> {
    let used = |symbol: &&str| variables.iter().any(|variable| variable.unit == *symbol);
    let mut symbols: Vec<&str> = UNITS.iter().map(|unit| unit.symbol).filter(used).collect();
    for variable in variables {
        if !symbols.contains(&variable.unit.as_str()) {
            symbols.push(&variable.unit);
        }
    }
    let known = |symbol| dimension(symbol).map(|(exponents, meaning)| (symbol, exponents, meaning));
    symbols.into_iter().filter_map(known).collect()
}

fn write_units(xml: &mut Xml, variables: &[Variable]) -> io::Result<()> {
    let used = units_of(variables);
    if used.is_empty() {
        return Ok(()); // the schema asks for at least one unit
    }
    xml.create_element("UnitDefinitions").write_inner_content(|xml| {
        for (symbol, exponents, _) in used {
            xml.create_element("Unit").with_attribute(("name", symbol)).write_inner_content(|xml| {
                let mut base = xml.create_element("BaseUnit");
                for (name, exponent) in ["kg", "m", "s", "rad"].into_iter().zip(exponents) {
                    base = base.with_optional(name, (exponent != 0).then(|| exponent.to_string()));
                }
                base.write_empty()?;
                if let Some(name) = display_unit(symbol) {
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

/// Name of the type of all variables with this unit. It contains blanks, unlike names of variables.
fn declared_type(unit: &str) -> Option<String> {
    dimension(unit).map(|(_, meaning)| format!("{meaning} in {unit}"))
}

/// A type for every unit, with its quantity and display unit.
fn write_types(xml: &mut Xml, version: Version, variables: &[Variable]) -> io::Result<()> {
    let used = units_of(variables);
    if used.is_empty() {
        return Ok(());
    }
    xml.create_element("TypeDefinitions").write_inner_content(|xml| {
        for (symbol, _, meaning) in used {
            let name = format!("{meaning} in {symbol}");
            let write = |xml: &mut Xml, element: &str, name: Option<&str>| {
                xml.create_element(element)
                    .with_optional("name", name)
                    .with_attribute(("quantity", meaning.as_str()))
                    .with_attribute(("unit", symbol))
                    .with_optional("displayUnit", display_unit(symbol))
                    .write_empty()
                    .map(drop)
            };
            match version {
                Version::Fmi2 => xml
                    .create_element("SimpleType")
                    .with_attribute(("name", name.as_str()))
                    .write_inner_content(|xml| write(xml, "Real", None))
                    .map(drop)?,
                Version::Fmi3 => write(xml, "Float64Type", Some(&name))?,
            }
        }
        Ok(())
    })?;
    Ok(())
}

/// Display unit of a unit.
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

/// A number that xs:double reads back to the same bits.
fn number(value: f64) -> String {
    Shortest(value).to_string()
}

/// A Boolean as represented in the solver.
pub(super) fn truth(value: f64) -> &'static str {
    if value == 0.0 { "false" } else { "true" }
}

/// Text without line breaks, as attributes need it.
fn one_line(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

trait OptionalAttribute {
    /// The attribute, if it has a value.
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
    use crate::sample;
    use ballesta::fmi::variables::{Causality, Variability, table};

    fn xml_of(version: Version) -> String {
        model_description(version, &sample::model(), &table(&sample::interface()), false, "{guid}", &[])
    }

    fn xml() -> String {
        xml_of(Version::Fmi2)
    }

    #[test]
    fn elements_stand_in_the_order_of_the_schema() {
        let text = xml();
        let order = [
            "<ModelExchange",
            "<CoSimulation",
            "<UnitDefinitions",
            "<TypeDefinitions",
            "<LogCategories",
            "<DefaultExperiment",
            "<ModelVariables",
            "<ModelStructure",
            "<Outputs",
            "<Derivatives",
            "<InitialUnknowns",
        ];
        let places: Vec<usize> = order.iter().map(|name| text.find(name).unwrap_or_else(|| panic!("{name}"))).collect();
        assert!(places.is_sorted(), "{places:?}");
    }

    #[test]
    fn every_unit_used_is_defined_once_and_no_other() {
        let text = xml();
        for (symbol, times) in [("N", 1), ("rad", 1), ("s", 1), ("N.s/m", 1), ("kg", 0), ("W", 0)] {
            assert_eq!(text.matches(&format!("<Unit name=\"{symbol}\">")).count(), times, "{symbol}");
        }
        assert!(text.contains(r#"<BaseUnit kg="1" s="-1"/>"#), "N.s/m");
        assert!(text.contains(r#"<DisplayUnit name="deg" factor="57.29577951308232"/>"#));
    }

    #[test]
    fn every_real_has_the_type_of_its_unit() {
        for (version, real, kind) in
            [(Version::Fmi2, "<Real ", "<SimpleType "), (Version::Fmi3, "<Float64 ", "<Float64Type ")]
        {
            let text = xml_of(version);
            let after = |text: &str, name: &str| Some(text.split_once(name)?.1.split('"').next()?.to_string());
            let types: Vec<String> = text.split(kind).skip(1).filter_map(|part| after(part, "name=\"")).collect();
            assert!(types.iter().any(|name| name == "angle in rad"), "{types:?}");
            let variables = text.split_once("<ModelVariables>").expect("there").1;
            for part in variables.split(real).skip(1) {
                let element = part.split_once("/>").expect("closed").0;
                let declared = after(element, "declaredType=\"").unwrap_or_else(|| panic!("{element}"));
                let unit = after(element, " unit=\"").unwrap_or_else(|| panic!("{element}"));
                assert!(types.contains(&declared) && declared.ends_with(&format!(" in {unit}")), "{element}");
            }
        }
    }

    #[test]
    fn dependencies_are_exact_and_an_empty_list_is_written() {
        let text = xml();
        // d 1, F 2, G 3, angle 4, drive 5, singular 6, time 7, states 8 and 9, derivatives 10 and 11
        assert!(text.contains(r#"<Unknown index="4" dependencies="8 9"/>"#), "{text}");
        assert!(text.contains(r#"<Unknown index="5" dependencies="2 3 8 9"/>"#), "{text}");
        assert!(text.contains(r#"<Unknown index="10"/>"#), "a derivative depends on everything: {text}");
        let stateless = ballesta::system::Interface { states: Vec::new(), ..sample::interface() };
        let text = model_description(Version::Fmi2, &sample::model(), &table(&stateless), false, "{guid}", &[]);
        assert!(text.contains(r#"<Unknown index="4" dependencies=""/>"#), "{text}");
        assert!(!text.contains("<ModelExchange") && !text.contains("numberOfEventIndicators"), "{text}");
        let timed = model_description(Version::Fmi2, &sample::model(), &table(&stateless), true, "{guid}", &[]);
        assert!(timed.contains(r#"<Unknown index="4" dependencies="7"/>"#), "{timed}");
        assert!(text.contains(r#"<Unknown index="4" dependencies="1 2"/>"#), "initially: {text}");
    }

    #[test]
    fn text_is_escaped_and_brought_to_one_line() {
        let text = xml();
        assert!(text.contains(r#"description="Crank &amp; rod, 2 &lt; 3 &quot;loops&quot;""#), "{text}");
    }

    #[test]
    fn a_model_without_outputs_has_no_empty_lists() {
        let text = model_description(Version::Fmi2, &sample::model(), &[], false, "{guid}", &[]);
        assert!(text.contains("<ModelStructure>") && !text.contains("<Outputs"), "{text}");
    }

    #[test]
    fn elements_of_fmi_3_stand_in_the_order_of_the_schema() {
        let text = xml_of(Version::Fmi3);
        let order = [
            "<ModelExchange",
            "<CoSimulation",
            "<UnitDefinitions",
            "<TypeDefinitions",
            "<LogCategories",
            "<DefaultExperiment",
            "<ModelVariables",
            "<Float64 name=\"d\"",
            "<Boolean name=\"singular\"",
            "<Float64 name=\"time\"",
            "<ModelStructure",
            "<Output ",
            "<ContinuousStateDerivative ",
            "<InitialUnknown ",
        ];
        let places: Vec<usize> = order.iter().map(|name| text.find(name).unwrap_or_else(|| panic!("{name}"))).collect();
        assert!(places.is_sorted(), "{places:?}");
    }

    #[test]
    fn dependencies_of_fmi_3_are_value_references_with_parameters_and_time() {
        let text = xml_of(Version::Fmi3);
        // d 0, F 1, G 2, angle 3, drive 4, singular 5, time 6, states 7 and 8, derivatives 9 and 10
        assert!(text.contains(r#"<Output valueReference="3" dependencies="0 7 8"/>"#), "{text}");
        assert!(text.contains(r#"<Output valueReference="4" dependencies="0 1 2 7 8"/>"#), "{text}");
        assert!(text.contains(r#"<InitialUnknown valueReference="3" dependencies="0 1"/>"#), "{text}");
        let rheonomic =
            model_description(Version::Fmi3, &sample::model(), &table(&sample::interface()), true, "{guid}", &[]);
        assert!(rheonomic.contains(r#"<Output valueReference="3" dependencies="0 6 7 8"/>"#), "{rheonomic}");
    }

    #[test]
    fn vectors_are_arrays_in_fmi_3_alone() {
        let mut interface = sample::interface();
        let drive = interface.outputs[1].clone();
        for (index, name) in ["v.x", "v.y", "v.z"].into_iter().enumerate() {
            let description = "x, y, z: Speed".to_string();
            let element = ballesta::system::VectorElement { vector: "v".into(), index, length: 3, description };
            interface.outputs.push(ballesta::system::OutputInfo {
                name: name.into(),
                element: Some(element),
                ..drive.clone()
            });
        }
        let of = |version| model_description(version, &sample::model(), &table(&interface), false, "{guid}", &[]);
        let text = of(Version::Fmi3);
        assert!(text.contains(r#"<Float64 name="v" valueReference="6" description="x, y, z: Speed""#), "{text}");
        assert_eq!(text.matches(r#"<Dimension start="3"/>"#).count(), 1);
        assert!(!text.contains("v.x") && text.contains(r#"<Float64 name="time" valueReference="9""#), "{text}");
        assert_eq!(text.matches("<Output ").count(), 4);
        assert!(of(Version::Fmi2).contains(r#"<ScalarVariable name="v.y" valueReference="7""#));
    }
    #[test]
    fn the_files_to_compile_are_listed_in_the_order_of_the_folder() {
        let files = ["fmi2.c", "core_01.c"];
        let (model, variables) = (sample::model(), table(&sample::interface()));
        let text = model_description(Version::Fmi2, &model, &variables, false, "{guid}", &files);
        // Once for Model Exchange, once for Co-Simulation.
        let listed: Vec<&str> = text.matches("<File name=\"").collect();
        assert_eq!((listed.len(), text.matches("<SourceFiles>").count()), (4, 2), "{text}");
        assert!(text.find("fmi2.c") < text.find("core_01.c"));
        // FMI 3.0 has a file of its own for them.
        let text = model_description(Version::Fmi3, &model, &variables, false, "{guid}", &files);
        assert!(!text.contains("core_01.c"));
        let build = build_description(&model, &["fmi3.c", "core_01.c"]);
        for part in ["fmiVersion=\"3.0\"", "<SourceFileSet language=\"C99\">", "<SourceFile name=\"fmi3.c\"/>"] {
            assert!(build.contains(part), "{part}: {build}");
        }
    }

    #[test]
    fn an_fmu_with_c_sources_has_constants_instead_of_fixed_parameters() {
        let mut interface = ballesta::system::Interface { constant_parameters: true, ..sample::interface() };
        let tunable = interface.parameters.iter().map(|parameter| ballesta::system::ParameterInfo {
            name: format!("{}_tunable", parameter.name),
            tunable: !parameter.tunable,
            ..parameter.clone()
        });
        interface.parameters = interface.parameters.clone().into_iter().chain(tunable).collect();
        let fixed: Vec<_> = interface.parameters.iter().map(|parameter| !parameter.tunable).collect();
        let variables = table(&interface);
        let constant = |variable: &Variable| {
            (variable.causality, variable.variability) == (Causality::Local, Variability::Constant)
        };
        assert_eq!(variables[..fixed.len()].iter().map(constant).collect::<Vec<_>>(), fixed);
        assert!(variables[..fixed.len()].iter().all(|variable| variable.start.is_some()));
        // Nothing depends on a constant.
        let first: Vec<usize> = (1..=fixed.len()).filter(|index| fixed[index - 1]).collect();
        assert!(variables.iter().all(|variable| variable.initial_dependencies.iter().all(|on| !first.contains(on))));
    }

    #[test]
    fn the_hold_mode_has_a_fixed_boolean_that_is_false_and_an_output_behind_the_states() {
        let held = table(&ballesta::system::Interface { hold_mode: true, ..sample::interface() });
        let of = |version| model_description(version, &sample::model(), &held, false, "{guid}", &[]);
        let text = of(Version::Fmi2);
        let element = r#"causality="parameter" variability="fixed" initial="exact">"#;
        let after = text.split_once(r#"name="hold_on_fault" valueReference="11""#).expect("a variable").1;
        let after = after.split_once(element).expect("fixed").1;
        assert!(after.trim_start().starts_with(r#"<Boolean start="false"/>"#), "{text}");
        // Indices: states 8 and 9, derivatives 10 and 11, parameter 12, output 13; lists ascend.
        let unknowns = |part: &str| -> Vec<usize> {
            let list = text.split_once(&format!("<{part}>")).expect("there").1.split(&format!("</{part}>")).next();
            let index = |item: &str| item.split('"').next().and_then(|number| number.parse().ok());
            list.expect("closed").split("index=\"").skip(1).filter_map(index).collect()
        };
        assert_eq!((unknowns("Outputs"), unknowns("Derivatives")), (vec![4, 5, 6, 13], vec![10, 11]));
        assert_eq!(unknowns("InitialUnknowns"), [4, 5, 6, 8, 9, 10, 11, 13]);
        let text = of(Version::Fmi3);
        assert!(text.contains(r#"initial="exact" start="false"/>"#), "{text}");
        assert!(text.contains(r#"<Output valueReference="12" dependencies="7 8"/>"#), "{text}");
    }
}
