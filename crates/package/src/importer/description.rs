//! Content of `modelDescription.xml`: variables, capabilities, default experiment.
//!
//! Reads the description of any FMI 2.0 FMU for Co-Simulation. Elements and attributes that the importer does not need
//! are ignored. It does not validate: missing values get the default of the standard if there is one.

use std::collections::HashMap;
use std::str::FromStr;

use quick_xml::events::{BytesStart, Event};
use quick_xml::{Reader, XmlVersion};

use super::ImportError;

/// Largest text that is read, bytes: half a million variables with units and descriptions.
pub const MAX_TEXT_BYTES: u64 = 256 << 20;

/// Deepest nesting of elements that is read; the standard has five levels, and annotations of tools a few more.
const MAX_DEPTH: usize = 64;

/// Longest element that is read, in bytes with its attributes. Each attribute is compared with all before it.
const MAX_ELEMENT_BYTES: usize = 1 << 20;

/// FMI causality.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Causality {
    /// `parameter`
    Parameter,
    /// `calculatedParameter`
    CalculatedParameter,
    /// `input`
    Input,
    /// `output`
    Output,
    /// `local`, the default.
    Local,
    /// `independent`
    Independent,
}

/// FMI variability.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Variability {
    /// `constant`
    Constant,
    /// `fixed`
    Fixed,
    /// `tunable`
    Tunable,
    /// `discrete`
    Discrete,
    /// `continuous`, the default.
    Continuous,
}

/// Type of a variable. An enumeration is read and set as an Integer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// FMI type `Real`.
    Real,
    /// `Integer` or `Enumeration`
    Integer,
    /// `Boolean`
    Boolean,
    /// `String`
    String,
}

/// A start value.
#[derive(Clone, Debug, PartialEq)]
pub enum Start {
    /// Start value of a Real.
    Real(f64),
    /// Start value of an Integer.
    Integer(i32),
    /// Start value of a Boolean.
    Boolean(bool),
    /// Start value of a String.
    String(String),
}

/// A `ScalarVariable`.
#[derive(Clone, Debug, PartialEq)]
pub struct Variable {
    /// Unique name.
    pub name: String,
    /// Handle for the get and set functions.
    pub value_reference: u32,
    /// Causality.
    pub causality: Causality,
    /// Variability.
    pub variability: Variability,
    /// Type.
    pub kind: Kind,
    /// Unit symbol, empty if there is none.
    pub unit: String,
    /// Start value.
    pub start: Option<Start>,
    /// Short description.
    pub description: String,
}

/// `DefaultExperiment`
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Experiment {
    /// Start time in s.
    pub start: Option<f64>,
    /// Stop time in s.
    pub stop: Option<f64>,
    /// Relative tolerance.
    pub tolerance: Option<f64>,
    /// Communication step in s.
    pub step: Option<f64>,
}

/// Capability flags of `CoSimulation`, as the standard names them.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Capabilities {
    /// needsExecutionTool
    pub needs_execution_tool: bool,
    /// canHandleVariableCommunicationStepSize
    pub variable_step: bool,
    /// canInterpolateInputs
    pub interpolates_inputs: bool,
    /// maxOutputDerivativeOrder
    pub output_derivative_order: u32,
    /// canRunAsynchronuously
    pub asynchronous: bool,
    /// canBeInstantiatedOnlyOncePerProcess
    pub once_per_process: bool,
    /// canGetAndSetFMUstate
    pub state: bool,
    /// canSerializeFMUstate
    pub serialized_state: bool,
    /// providesDirectionalDerivative
    pub directional_derivative: bool,
}

/// The description of an FMU.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Description {
    /// modelName
    pub model_name: String,
    /// guid
    pub guid: String,
    /// generationTool
    pub generation_tool: String,
    /// Name of the library's file, without extension.
    pub model_identifier: String,
    /// Capability flags.
    pub capabilities: Capabilities,
    /// Default experiment.
    pub experiment: Experiment,
    /// Names of the log categories.
    pub log_categories: Vec<String>,
    /// Variables in the order of the file.
    pub variables: Vec<Variable>,
}

impl Description {
    /// The variable with this name.
    pub fn variable(&self, name: &str) -> Option<&Variable> {
        self.variables.iter().find(|variable| variable.name == name)
    }

    /// The variables with this causality, in the order of the file.
    pub fn with_causality(&self, causality: Causality) -> impl Iterator<Item = &Variable> {
        self.variables.iter().filter(move |variable| variable.causality == causality)
    }

    /// Reads the text of `modelDescription.xml`.
    ///
    /// # Errors
    /// [`ImportError::Description`] with the line if the text is not XML, or a value is missing or has the wrong type.
    /// [`ImportError::NotSupported`] for other versions of FMI and for FMUs without Co-Simulation.
    pub fn read(text: &str) -> Result<Description, ImportError> {
        // A byte order mark is not part of the XML.
        let mut reader = Reader::from_str(text.trim_start_matches('\u{feff}'));
        let mut parser = Parser::default();
        loop {
            let event = reader.read_event();
            // The line of an event is counted only when an error needs it.
            let line = || 1 + text[..(reader.buffer_position() as usize).min(text.len())].matches('\n').count();
            let failed = |reason: String| ImportError::Description { line: line(), reason };
            // Limits on size and depth protect against files that exhaust memory or stack.
            match event.map_err(|error| failed(error.to_string()))? {
                Event::Start(element) | Event::Empty(element) if element.len() > MAX_ELEMENT_BYTES => {
                    return Err(failed(format!(
                        "an element has {} bytes; at most {MAX_ELEMENT_BYTES} are read",
                        element.len()
                    )));
                }
                Event::Start(_) if parser.path.len() >= MAX_DEPTH => {
                    return Err(failed(format!("elements are nested deeper than {MAX_DEPTH} levels")));
                }
                Event::Start(element) => {
                    parser.enter(&element).map_err(failed)?;
                    parser.path.push(element.name().as_ref().to_string());
                }
                Event::Empty(element) => parser.enter(&element).map_err(failed)?,
                Event::End(_) => drop(parser.path.pop()),
                Event::Eof if !parser.path.is_empty() => return Err(failed("the file ends too early".into())),
                Event::Eof => break,
                _ => {}
            }
        }
        // The reader accepts some texts that are not well-formed XML.
        well_formed(text)?;
        parser.finish()
    }
}

/// Rejects repeated attributes, document type definitions with their entities, and XML that is not well-formed.
fn well_formed(text: &str) -> Result<(), ImportError> {
    let wrong = |error: roxmltree::Error| {
        let reason = match error {
            roxmltree::Error::DtdDetected => {
                "found a document type definition (<!DOCTYPE); a model description must not have one".to_string()
            }
            _ => format!("the XML is not well-formed: {error}"),
        };
        ImportError::Description { line: error.pos().row as usize, reason }
    };
    roxmltree::Document::parse(text).map(drop).map_err(wrong)
}

#[derive(Default)]
struct Parser {
    path: Vec<String>,
    version: String,
    has_co_simulation: bool,
    description: Description,
    /// Units of the type definitions.
    type_units: HashMap<String, String>,
    type_name: String,
}

impl Parser {
    fn enter(&mut self, element: &BytesStart) -> Result<(), String> {
        let path: Vec<&str> = self.path.iter().map(String::as_str).collect();
        let name = element.name();
        match (path.as_slice(), name.as_ref()) {
            ([], "fmiModelDescription") => {
                self.version = required(element, "fmiVersion")?;
                self.description.model_name = required(element, "modelName")?;
                // Other versions have other names; they are rejected at the end.
                if self.version == "2.0" {
                    self.description.guid = required(element, "guid")?;
                }
                self.description.generation_tool = text(element, "generationTool")?.unwrap_or_default();
            }
            ([_], "CoSimulation") => self.enter_co_simulation(element)?,
            ([_], "DefaultExperiment") => {
                self.description.experiment = Experiment {
                    start: optional(element, "startTime")?,
                    stop: optional(element, "stopTime")?,
                    tolerance: optional(element, "tolerance")?,
                    step: optional(element, "stepSize")?,
                }
            }
            ([_, "LogCategories"], "Category") => {
                self.description.log_categories.push(required(element, "name")?);
            }
            ([_, "TypeDefinitions"], "SimpleType") => self.type_name = required(element, "name")?,
            ([_, "TypeDefinitions", "SimpleType"], "Real") => {
                if let Some(unit) = text(element, "unit")? {
                    self.type_units.insert(self.type_name.clone(), unit);
                }
            }
            ([_, "ModelVariables"], "ScalarVariable") => {
                let variable = read_variable(element)?;
                self.description.variables.push(variable);
            }
            ([_, "ModelVariables", "ScalarVariable"], kind) => self.enter_type(kind, element)?,
            _ => {}
        }
        Ok(())
    }

    fn enter_co_simulation(&mut self, element: &BytesStart) -> Result<(), String> {
        self.has_co_simulation = true;
        let identifier = required(element, "modelIdentifier")?;
        if !is_file_name(&identifier) {
            return Err(format!(
                "modelIdentifier=\"{identifier}\" is not a valid file name; it must not contain `/`, `\\`, `:` or \
                 control characters"
            ));
        }
        self.description.model_identifier = identifier;
        self.description.capabilities = Capabilities {
            needs_execution_tool: flag(element, "needsExecutionTool")?,
            variable_step: flag(element, "canHandleVariableCommunicationStepSize")?,
            interpolates_inputs: flag(element, "canInterpolateInputs")?,
            output_derivative_order: optional(element, "maxOutputDerivativeOrder")?.unwrap_or(0),
            asynchronous: flag(element, "canRunAsynchronuously")?,
            once_per_process: flag(element, "canBeInstantiatedOnlyOncePerProcess")?,
            state: flag(element, "canGetAndSetFMUstate")?,
            serialized_state: flag(element, "canSerializeFMUstate")?,
            directional_derivative: flag(element, "providesDirectionalDerivative")?,
        };
        Ok(())
    }

    /// The element inside a `ScalarVariable` that gives its type.
    fn enter_type(&mut self, name: &str, element: &BytesStart) -> Result<(), String> {
        let Some(variable) = self.description.variables.last_mut() else { return Ok(()) };
        variable.kind = match name {
            "Real" => Kind::Real,
            "Integer" | "Enumeration" => Kind::Integer,
            "Boolean" => Kind::Boolean,
            "String" => Kind::String,
            _ => return Ok(()), // annotations
        };
        variable.start = match variable.kind {
            Kind::Real => optional(element, "start")?.map(Start::Real),
            Kind::Integer => optional(element, "start")?.map(Start::Integer),
            Kind::Boolean => optional_flag(element, "start")?.map(Start::Boolean),
            Kind::String => text(element, "start")?.map(Start::String),
        };
        let declared = text(element, "declaredType")?.and_then(|name| self.type_units.get(&name).cloned());
        variable.unit = text(element, "unit")?.or(declared).unwrap_or_default();
        Ok(())
    }

    fn finish(self) -> Result<Description, ImportError> {
        let not_supported = |reason: String| Err(ImportError::NotSupported { reason });
        if self.version.is_empty() {
            return Err(ImportError::Description {
                line: 0,
                reason: "the element fmiModelDescription is missing".into(),
            });
        }
        if self.version != "2.0" {
            return not_supported(format!("the FMU follows FMI {}; this importer reads FMI 2.0", self.version));
        }
        if !self.has_co_simulation {
            return not_supported("the FMU offers no Co-Simulation".into());
        }
        Ok(self.description)
    }
}

/// Whether a name is a plain file name on every system. The standard requires a C identifier, but not all tools follow
/// it.
fn is_file_name(name: &str) -> bool {
    !name.trim_matches('.').is_empty() && !name.contains(['/', '\\', ':']) && !name.contains(char::is_control)
}

fn read_variable(element: &BytesStart) -> Result<Variable, String> {
    Ok(Variable {
        name: required(element, "name")?,
        value_reference: optional(element, "valueReference")?.ok_or_else(|| missing(element, "valueReference"))?,
        causality: match text(element, "causality")?.as_deref() {
            Some("parameter") => Causality::Parameter,
            Some("calculatedParameter") => Causality::CalculatedParameter,
            Some("input") => Causality::Input,
            Some("output") => Causality::Output,
            Some("independent") => Causality::Independent,
            Some("local") | None => Causality::Local,
            Some(other) => return Err(format!("causality=\"{other}\" is not defined in FMI 2.0")),
        },
        variability: match text(element, "variability")?.as_deref() {
            Some("constant") => Variability::Constant,
            Some("fixed") => Variability::Fixed,
            Some("tunable") => Variability::Tunable,
            Some("discrete") => Variability::Discrete,
            Some("continuous") | None => Variability::Continuous,
            Some(other) => return Err(format!("variability=\"{other}\" is not defined in FMI 2.0")),
        },
        kind: Kind::Real,
        unit: String::new(),
        start: None,
        description: text(element, "description")?.unwrap_or_default(),
    })
}

fn text(element: &BytesStart, name: &str) -> Result<Option<String>, String> {
    let attribute = element.try_get_attribute(name).map_err(|error| error.to_string())?;
    let value = attribute.map(|attribute| attribute.normalized_value(XmlVersion::Implicit1_0).map(|v| v.into_owned()));
    value.transpose().map_err(|error| error.to_string())
}

fn required(element: &BytesStart, name: &str) -> Result<String, String> {
    text(element, name)?.ok_or_else(|| missing(element, name))
}

fn missing(element: &BytesStart, name: &str) -> String {
    format!("<{}> needs the attribute {name}", element.name().as_ref())
}

fn optional<T: FromStr>(element: &BytesStart, name: &str) -> Result<Option<T>, String> {
    let parse = |value: String| value.trim().parse().map_err(|_| format!("{name}=\"{value}\" is not a number"));
    text(element, name)?.map(parse).transpose()
}

fn optional_flag(element: &BytesStart, name: &str) -> Result<Option<bool>, String> {
    match text(element, name)?.as_deref().map(str::trim) {
        None => Ok(None),
        Some("true" | "1") => Ok(Some(true)),
        Some("false" | "0") => Ok(Some(false)),
        Some(other) => Err(format!("{name}=\"{other}\" is neither true nor false")),
    }
}

fn flag(element: &BytesStart, name: &str) -> Result<bool, String> {
    Ok(optional_flag(element, name)?.unwrap_or(false))
}

#[cfg(test)]
mod tests {
    use super::*;

    const XML: &str = r#"<?xml version="1.0" encoding="UTF-8"?>
<!-- of another tool -->
<fmiModelDescription fmiVersion="2.0" modelName="Pump &amp; valve" guid="{1}" generationTool="Tool 1">
  <ModelExchange modelIdentifier="pump_me"/>
  <CoSimulation modelIdentifier="pump" canGetAndSetFMUstate="1" maxOutputDerivativeOrder="2">
    <SourceFiles><File name="a.c"/></SourceFiles>
  </CoSimulation>
  <TypeDefinitions><SimpleType name="Pressure"><Real quantity="p" unit="Pa"/></SimpleType></TypeDefinitions>
  <LogCategories><Category name="logAll"/></LogCategories>
  <DefaultExperiment stopTime="2.5"/>
  <ModelVariables>
    <ScalarVariable name="p[1]" valueReference="7" causality="output">
      <Real declaredType="Pressure"/>
      <Annotations><Tool name="x"><Real start="9"/></Tool></Annotations>
    </ScalarVariable>
    <ScalarVariable name="mode" valueReference="7" causality="input" variability="discrete">
      <Enumeration declaredType="Mode" start="2"/>
    </ScalarVariable>
    <ScalarVariable name="on" valueReference="0" causality="parameter" variability="fixed"><Boolean start="true"/></ScalarVariable>
    <ScalarVariable name="file" valueReference="1"><String start="a &lt; b"/></ScalarVariable>
  </ModelVariables>
  <ModelStructure/>
</fmiModelDescription>"#;

    #[test]
    fn descriptions_of_other_tools_are_read() {
        let description = Description::read(XML).unwrap();
        assert_eq!(description.model_name, "Pump & valve");
        assert_eq!(description.model_identifier, "pump");
        assert_eq!(description.log_categories, ["logAll"]);
        let expected = Capabilities { state: true, output_derivative_order: 2, ..Capabilities::default() };
        assert_eq!(description.capabilities, expected);
        assert_eq!(description.experiment, Experiment { stop: Some(2.5), ..Experiment::default() });
        let p = description.variable("p[1]").unwrap();
        assert_eq!((p.value_reference, p.kind, p.unit.as_str(), &p.start), (7, Kind::Real, "Pa", &None));
        let mode = description.variable("mode").unwrap();
        assert_eq!((mode.kind, &mode.start), (Kind::Integer, &Some(Start::Integer(2))));
        assert_eq!(description.variable("on").unwrap().start, Some(Start::Boolean(true)));
        assert_eq!(description.variable("file").unwrap().start, Some(Start::String("a < b".into())));
        assert_eq!(description.with_causality(Causality::Local).count(), 1);
    }

    #[test]
    fn what_is_wrong_is_said_with_its_line() {
        for (from, to, line, part) in [
            ("valueReference=\"0\"", "", 20, "needs the attribute valueReference"),
            ("stopTime=\"2.5\"", "stopTime=\"soon\"", 10, "not a number"),
            ("causality=\"input\"", "causality=\"in\"", 17, "causality"),
            ("</ModelVariables>", "", 23, "ModelVariables"),
            ("<ModelStructure/>\n</fmiModelDescription>", "", 22, "too early"),
        ] {
            let text = XML.replace(from, to);
            assert_ne!(text, XML);
            match Description::read(&text).unwrap_err() {
                ImportError::Description { line: found, reason } => {
                    assert!(reason.contains(part), "{reason}");
                    assert!(found.abs_diff(line) <= 1, "{found}: {reason}");
                }
                other => panic!("{other}"),
            }
        }
    }

    #[test]
    fn what_is_not_well_formed_is_refused() {
        let wrong = [
            ("<CoSimulation ", "<CoSimulation modelIdentifier=\"other\" "),
            ("stopTime=\"2.5\"", "stopTime=\"2.5\" stopTime=\"3\""),
            ("<LogCategories>", "<LogCategories a=\"1\"b=\"2\">"),
            ("<!-- of another tool -->", "<!DOCTYPE a [<!ENTITY e SYSTEM \"file:///etc/hostname\">]>"),
            ("<!-- of another tool -->", "<!DOCTYPE fmiModelDescription>"),
            ("<!-- of another tool -->", "<!-- of -- another -->"),
            ("<DefaultExperiment ", "<DefaultExperiment x=\"a < b\" "),
            ("<DefaultExperiment ", "<DefaultExperiment x=\"&unknown;\" "),
            ("<DefaultExperiment ", "<DefaultExperiment x=1 "),
            ("<LogCategories>", "<LogCategories>&unknown;"),
            ("<LogCategories>", "<LogCategories>]]>\u{1}"),
            ("</fmiModelDescription>", "</fmiModelDescription><second/>"),
            ("</fmiModelDescription>", "</fmiModelDescription>text"),
            ("</LogCategories>", "</Logs>"),
        ];
        for (right, changed) in wrong {
            let text = XML.replacen(right, changed, 1);
            assert_ne!(text, XML, "{right}");
            assert!(Description::read(&text).is_err(), "{changed}");
        }
    }

    #[test]
    fn depth_and_length_have_limits() {
        let nested = |depth: usize| {
            let inside = format!("{}{}", "<a>".repeat(depth), "</a>".repeat(depth));
            Description::read(&XML.replace("<Tool name=\"x\">", &format!("<Tool name=\"x\">{inside}")))
        };
        assert!(nested(MAX_DEPTH - 6).is_ok());
        for depth in [MAX_DEPTH, 1_000_000] {
            assert!(nested(depth).unwrap_err().to_string().contains("deeper than 64 levels"));
        }
        let attributes: String = (0..100_000).map(|k| format!(" a{k}=\"1234\"")).collect();
        let long = XML.replace("<ModelStructure/>", &format!("<ModelStructure{attributes}/>"));
        assert!(Description::read(&long).unwrap_err().to_string().contains("an element has"));
    }

    #[test]
    fn identifiers_name_a_file_of_the_fmu() {
        for name in ["../../../tmp/evil", "a/b", "a\\b", "..", "", "c:evil", "a&#10;b"] {
            let text = XML.replace("modelIdentifier=\"pump\"", &format!("modelIdentifier=\"{name}\""));
            let error = Description::read(&text).unwrap_err().to_string();
            assert!(error.starts_with("modelDescription.xml:5:") && error.contains("modelIdentifier"), "{error}");
        }
        for name in ["pump_2", "pump-2.1", "Pumpe ü"] {
            let text = XML.replace("modelIdentifier=\"pump\"", &format!("modelIdentifier=\"{name}\""));
            assert_eq!(Description::read(&text).unwrap().model_identifier, name);
        }
    }

    #[test]
    fn other_kinds_of_fmu_are_refused() {
        let version = XML.replace("fmiVersion=\"2.0\"", "fmiVersion=\"3.0\"").replace("guid=", "instantiationToken=");
        assert!(Description::read(&version).unwrap_err().to_string().contains("FMI 3.0"));
        let exchange = XML.replace("CoSimulation", "Other");
        assert!(Description::read(&exchange).unwrap_err().to_string().contains("no Co-Simulation"));
        assert!(
            Description::read("<html/>")
                .unwrap_err()
                .to_string()
                .contains("the element fmiModelDescription is missing")
        );
        assert!(Description::read("").is_err());
    }
}
