//! The documentation page inside an FMU, `documentation/index.html`.
//!
//! The template is `crates/package/src/page.html`, with a `{{word}}` for every value of the model. The page has no
//! external references and no scripts.

use std::fmt::Write;

use quick_xml::escape::escape;

use super::archive::Entry;
use super::description::{GENERATION_TOOL, truth};
use super::version::Version;
use ballesta::fmi::arrays::{Array, arrays};
use ballesta::fmi::hold::HOLD_MODE_FILE;
use ballesta::fmi::variables::{Causality, Variable, states};
use ballesta::model::schema::Model;
use ballesta::system::ScalarKind;
use ballesta_files::csv::Shortest;
use ballesta_pictures::diagram::topology_svg;
use ballesta_pictures::template;

const FRAME: &str = include_str!("page.html");
const STYLE: &str = include_str!("page.css");

/// Text about Model Exchange.
const EXCHANGE: &str = " In Model Exchange the importer integrates the states <code>state.\u{2026}</code>, which are \
    not listed above.\nLoops are closed exactly at every evaluation. There are no event indicators.";

/// Text about Model Exchange with brakes.
const BRAKES: &str = "\nIn Model Exchange a part stopped by a brake swings back with up to \u{221a}(T \u{3c6}/J), \
    with the brake capacity T,\nthe presliding angle \u{3c6} and the inertia J. In Co-Simulation a step of the \
    solver ends when the part stops.";

/// Content of the page.
pub struct Page<'a> {
    /// The model.
    pub model: &'a Model,
    /// Its variables.
    pub variables: &'a [Variable],
    /// The version of FMI.
    pub version: Version,
    /// The GUID.
    pub guid: &'a str,
    /// Why the reference trajectory ends early, if it does.
    pub fault: Option<&'a str>,
    /// The other files of the archive.
    pub contents: &'a [Entry],
}

impl Page<'_> {
    /// The page as HTML.
    pub fn html(&self) -> String {
        template::fill(FRAME, |word, html| self.write(word, html))
    }

    fn write(&self, word: &str, html: &mut String) {
        let general = &self.model.general;
        match word {
            "name" | "identifier" => html.push_str(&escape(general.name.as_str())),
            "description" => html.push_str(&escape(general.description.as_str())),
            "style" => html.push_str(STYLE),
            "topology" => html.push_str(&topology_svg(self.model)),
            "variables" => self.write_variables(html),
            "version" => write!(html, "{}", self.version).expect("writing to a String cannot fail"),
            "step" | "state" | "error" | "reset" | "inputs" => html.push_str(self.of_version(word)),
            "kinds" if self.is_exchanged() => html.push_str("Co-Simulation and Model Exchange"),
            "kinds" => html.push_str("Co-Simulation"),
            "exchange" if self.is_exchanged() => {
                html.push_str(EXCHANGE);
                html.push_str(if self.model.brakes.is_empty() { "" } else { BRAKES });
            }
            "exchange" => (),
            "experiment" => self.write_experiment(html),
            "reference" => self.write_reference(html),
            "contents" => self.write_contents(html),
            "tool" => html.push_str(GENERATION_TOOL),
            "guid" => html.push_str(self.guid),
            other => unreachable!("crates/package/src/page.html names {other}"),
        }
    }

    /// Whether Model Exchange is offered.
    fn is_exchanged(&self) -> bool {
        states(self.variables).next().is_some()
    }

    /// Differences between the versions of FMI.
    fn of_version(&self, word: &str) -> &'static str {
        let [fmi2, fmi3] = match word {
            "step" => ["fmi2DoStep", "fmi3DoStep"],
            "state" => ["fmi2GetFMUstate", "fmi3GetFMUState"],
            "error" => ["fmi2Error", "fmi3Error"],
            "reset" => ["fmi2Reset", "fmi3Reset"],
            "inputs" => [
                "An input holds its value during the step, or follows the slope given by\nfmi2SetRealInputDerivatives.",
                "An input holds its value during the step.",
            ],
            other => unreachable!("{other} is the same in all versions"),
        };
        match self.version {
            Version::Fmi2 => fmi2,
            Version::Fmi3 => fmi3,
        }
    }

    fn write_variables(&self, html: &mut String) {
        match self.version {
            Version::Fmi2 => self.variables.iter().filter(|variable| named(variable)).for_each(|variable| {
                let Variable { name, description, .. } = variable;
                let kind = match variable.kind {
                    ScalarKind::Real => "Real",
                    ScalarKind::Integer => "Integer",
                    ScalarKind::Boolean => "Boolean",
                };
                self.write_variable([name, kind, description], variable, html);
            }),
            Version::Fmi3 => arrays(self.variables).filter(|array| named(array.first)).for_each(
                |Array { name, description, length, first }| {
                    let kind = match first.kind {
                        ScalarKind::Real => "Float64",
                        ScalarKind::Integer => "Int32",
                        ScalarKind::Boolean => "Boolean",
                    };
                    let kind = length.map_or(kind.to_string(), |length| format!("{kind}[{length}]"));
                    self.write_variable([name, &kind, description], first, html);
                },
            ),
        }
    }

    fn write_variable(&self, [name, kind, description]: [&str; 3], variable: &Variable, html: &mut String) {
        let number = |value: Option<f64>| value.map_or(String::new(), |value| Shortest(value).to_string());
        let start = match variable.kind {
            ScalarKind::Boolean => variable.start.map_or("", truth).to_string(),
            ScalarKind::Real | ScalarKind::Integer => number(variable.start),
        };
        let names: Vec<&str> =
            variable.dependencies.iter().map(|&index| self.variables[index - 1].name.as_str()).collect();
        html.push_str("<tr>");
        cell(html, "name", name);
        cell(html, "", variable.causality.as_str());
        cell(html, "", variable.variability.as_str());
        cell(html, "", kind);
        cell(html, "", &variable.unit);
        cell(html, "number", &start);
        cell(html, "number", &number(variable.min));
        cell(html, "number", &number(variable.max));
        cell(html, "name", &names.join(", "));
        cell(html, "", description);
        html.push_str("</tr>\n");
    }

    fn write_experiment(&self, html: &mut String) {
        let (general, experiment) = (&self.model.general, &self.model.experiment);
        let seconds = |value: f64| format!("{} s", Shortest(value));
        let integrator = general.integrator.scheme().title;
        for (what, value) in [
            ("Start time", seconds(experiment.start)),
            ("Stop time", seconds(experiment.stop)),
            ("Communication step", seconds(experiment.step.unwrap_or(general.step))),
            ("Internal step", seconds(general.step)),
            ("Integrator", integrator.to_string()),
        ] {
            row(html, what, &value);
        }
    }

    fn write_reference(&self, html: &mut String) {
        let path = super::REFERENCE;
        match self.fault {
            None => writeln!(
                html,
                "<p>The file <code>{path}</code> contains all outputs of this experiment with inputs and parameters at \
                 their start values, computed by the solver without an FMU. An importer with the communication step \
                 above gets the same numbers, bit by bit.</p>"
            ),
            Some(fault) => writeln!(
                html,
                "<p>With inputs and parameters at their start values this experiment ends early: {}. The file \
                 <code>{path}</code> contains the outputs up to this time.</p>",
                escape(fault)
            ),
        }
        .expect("writing to a String cannot fail");
    }

    fn write_contents(&self, html: &mut String) {
        for entry in self.contents {
            let path = entry.path.as_str();
            let what = match path {
                "modelDescription.xml" => "Variables, units, capabilities, dependencies",
                super::MODEL => "Model file",
                super::GUID => "Identifier that connects model and description",
                _ if path.ends_with(HOLD_MODE_FILE) => "Enables the hold mode",
                super::REFERENCE => "Reference trajectory",
                super::LICENSES => "Licences of the solver and its libraries",
                super::DEPENDENCIES => "Requirements of the libraries on the operating system",
                _ if entry.executable => "Solver",
                _ if path.starts_with(super::RESOURCES) => "Reduced-order model of a flexible body",
                _ => "",
            };
            row(html, path, what);
        }
    }
}

/// Whether the model file names the variable. Time, states and derivatives are not listed.
fn named(variable: &Variable) -> bool {
    !matches!(variable.causality, Causality::Local | Causality::Independent)
}

fn row(html: &mut String, head: &str, value: &str) {
    html.push_str("<tr>");
    cell(html, "name", head);
    cell(html, "", value);
    html.push_str("</tr>\n");
}

fn cell(html: &mut String, class: &str, text: &str) {
    let class = if class.is_empty() { String::new() } else { format!(" class=\"{class}\"") };
    write!(html, "<td{class}>{}</td>", escape(text)).expect("writing to a String cannot fail");
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sample;
    use ballesta::fmi::variables::table;

    fn html(fault: Option<&str>) -> String {
        html_of(Version::Fmi2, fault)
    }

    fn html_of(version: Version, fault: Option<&str>) -> String {
        let (model, variables) = (sample::model(), table(&sample::interface()));
        let contents = [Entry::new("modelDescription.xml", ""), Entry::library("binaries/linux64/sample.so", "")];
        Page { model: &model, variables: &variables, version, guid: "{guid}", fault, contents: &contents }.html()
    }

    #[test]
    fn the_page_is_complete_and_escaped() {
        let page = html(None);
        assert!(!page.contains("{{") && !page.contains("}}"));
        for part in [
            "Crank &amp; rod,",
            "Damping &lt;of all&gt;",
            "<td class=\"number\">1e-7</td>",
            "<td class=\"name\">F, G</td>",
            "<td>0.01 s</td>",
            "binaries/linux64/sample.so",
            "<svg ",
        ] {
            assert!(page.contains(part), "{part}");
        }
        assert!(!page.contains("http://") || page.matches("http://").count() == page.matches("www.w3.org").count());
    }

    #[test]
    fn the_page_tells_how_brakes_hold_in_model_exchange_where_there_are_any() {
        let brake = "name = \"brake\"\njoint = \"hinge\"\ntorque = 100.0";
        let (mut model, mut interface) = (sample::model(), sample::interface());
        for (brakes, states, told) in [(false, true, false), (true, true, true), (true, false, false)] {
            model.brakes = if brakes { vec![toml::from_str(brake).expect("a brake")] } else { Vec::new() };
            if !states {
                interface.states.clear();
            }
            let variables = table(&interface);
            let (version, guid) = (Version::Fmi2, "{guid}");
            let html = Page { model: &model, variables: &variables, version, guid, fault: None, contents: &[] }.html();
            assert_eq!(html.contains("In Model Exchange a part stopped by a brake"), told);
        }
    }

    #[test]
    fn functions_and_types_are_those_of_the_version() {
        let [old, new] = [Version::Fmi2, Version::Fmi3].map(|version| html_of(version, None));
        assert!(old.contains("FMI 2.0 for") && old.contains("fmi2DoStep") && old.contains("<td>Real</td>"));
        assert!(new.contains("FMI 3.0 for") && new.contains("fmi3DoStep") && new.contains("<td>Float64</td>"));
        assert!(!old.contains("fmi3") && !new.contains("fmi2"));
    }

    #[test]
    fn a_reference_that_ends_early_is_said() {
        assert!(html(Some("loop <A> opens at t = 3 s")).contains("loop &lt;A&gt; opens at t = 3 s"));
    }
}
