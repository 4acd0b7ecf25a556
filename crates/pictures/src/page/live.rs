//! The live page contains the model and the solver, which WebAssembly steps while the user changes the inputs.
//!
//! The page contains the text of the model, the files that it names, and the library of `ballesta-workshop`. For
//! pulling bodies, a `[[force]]` with three inputs at the centre of mass of every rigid body is appended ([`pulls`]).
//! Therefore all actions in the page are inputs of a model, and `ballesta run` can repeat them. In the workshop the
//! page has no text of the model, and the forces are appended to the document ([`with_pulls_in`]).

use super::encode::{Series, base64};
use super::items::{BODIES, Items};
use super::roads::Surface;
use ballesta::compile;
use ballesta::force::Axes;
use ballesta::model::elements::TABLES;
use ballesta::model::schema::{Body, Control, Force, Input, Model, Number};
use ballesta::model::{self, Document};
use ballesta::system::{Interface, System};
use ballesta_live::frame::{Load, Observer};
use serde::Serialize;
use std::sync::Arc;

/// Maximum number of bodies that can be pulled; the heaviest bodies are used.
const MAX_PULLED_BODIES: usize = 32;

/// First part of the names of pulls and of their inputs.
const PULL: &str = "pull.";

/// Default controls of inputs for a model without `[page]`: words in their names, keys and gamepad parts that raise and
/// lower them, whether they return, seconds from one end to the other.
type Drive = ([&'static str; 2], &'static [&'static str], &'static [&'static str], bool, f64);
const DRIVES: [Drive; 4] = [
    (["steer"; 2], &["arrow_left", "a", "left_stick_left"], &["arrow_right", "d", "left_stick_right"], true, 1.2),
    (["brake"; 2], &["space", "b", "left_trigger"], &[], true, 0.4),
    (["throttle", "accelerator"], &["arrow_up", "w", "right_trigger"], &[], true, 0.4),
    (["speed"; 2], &["arrow_up", "w", "right_trigger"], &["arrow_down", "s", "left_trigger"], false, 6.0),
];

/// Data for a live page, in addition to the model at its start.
pub struct Source<'a> {
    /// Text of the model file.
    pub text: &'a str,
    /// Path of the model as entered, for the command that repeats a drive.
    pub typed: String,
    /// The library of `ballesta-workshop` for WebAssembly, compressed as gzip.
    pub library: &'a [u8],
}

/// An input or a tunable parameter.
#[derive(Serialize)]
struct SliderInput {
    n: String,
    /// Index in the model of the page.
    k: usize,
    unit: String,
    v: f64,
    /// Value in the file.
    f: f64,
    min: Option<f64>,
    max: Option<f64>,
    d: String,
}

/// An always visible slider and its controls.
#[derive(Serialize)]
struct Slider {
    /// Index among the inputs, followed by the parameters of the page.
    k: usize,
    /// Indices of the inputs that follow.
    follow: Vec<usize>,
    /// Control of the model file, with its time from one end to the other.
    #[serde(flatten)]
    control: Control,
}

/// A body that can be pulled.
#[derive(Serialize)]
struct PulledBody {
    /// Prefix of the names of its inputs.
    n: String,
    /// The body, and its row in the tree.
    b: usize,
    i: usize,
    /// Its mass, kg.
    m: f64,
    /// Indices of the inputs along x, y, z.
    k: [usize; 3],
}

/// The data of a live page.
#[derive(Serialize)]
pub struct Live {
    /// First communication point, communication step and internal step, s.
    start: f64,
    step: f64,
    internal: f64,
    inputs: Vec<SliderInput>,
    parameters: Vec<SliderInput>,
    sliders: Vec<Slider>,
    /// All parameters.
    values: Vec<f64>,
    /// For parameters that are not tunable, the given value instead of the value of the file.
    given: Vec<(String, f64)>,
    pulls: Vec<PulledBody>,
    /// Text of the model of the page, and files that it names in base64; not in the workshop.
    #[serde(skip_serializing_if = "Option::is_none")]
    model: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    files: Option<Vec<(String, String)>>,
    /// Path of the model as entered, for the command that repeats a drive.
    typed: String,
    /// Loads of a frame: index of a load of the page, `None` for a pull.
    loads: Vec<Option<usize>>,
    /// The heaviest body, which a camera may follow.
    lead: usize,
}

/// The controls of the model file; without them, one control per input.
fn controls(model: &Model) -> Vec<Control> {
    let texts = |names: &[&str]| names.iter().map(|name| name.to_string()).collect();
    let by_default = || {
        let of = |name: &String| {
            let word = name.to_lowercase();
            let drive = DRIVES.iter().find(|(words, ..)| words.iter().any(|part| word.contains(part)));
            let (_, up, down, returns, sweep) = *drive.unwrap_or(&([""; 2], &[], &[], true, 1.2));
            let (up, down) = (texts(up), texts(down));
            let (variable, sweep) = (name.clone(), Some(sweep));
            Control { variable, also: Vec::new(), label: None, range: None, up, down, returns, sweep }
        };
        model.inputs.iter().map(|input| of(&input.name)).collect()
    };
    model.page.as_ref().map_or_else(by_default, |page| page.controls.clone())
}

/// The bodies that can be pulled.
fn pulled<'m>(model: &'m Model, values: &[f64]) -> Vec<&'m Body> {
    let mut bodies: Vec<(f64, &Body)> = model
        .bodies
        .iter()
        .map(|body| (model.resolve(&body.mass, values), body))
        .filter(|(mass, _)| *mass > 0.0)
        .collect();
    bodies.sort_by(|(a, _), (b, _)| b.total_cmp(a));
    bodies.truncate(MAX_PULLED_BODIES);
    bodies.into_iter().map(|(_, body)| body).collect()
}

/// The document with forces by which its bodies can be pulled; `None` if it already has names that begin with `pull.`.
pub fn with_pulls_in(document: &Document, values: &[f64]) -> Option<Document> {
    let model = &document.model;
    let inputs = model.inputs.iter().map(|input| &input.name);
    let names = inputs.chain(model.parameters.iter().map(|parameter| &parameter.name)).map(String::as_str);
    let elements = TABLES.iter().flat_map(|table| (table.names)(model));
    if names.chain(elements).any(|name| name.starts_with(PULL)) {
        return None;
    }
    let mut copy = document.clone();
    for body in pulled(model, values) {
        let Some(point) = model.centre_of_mass(body).cloned() else { continue };
        let inputs = ["x", "y", "z"].map(|axis| format!("{PULL}{}.{axis}", body.name));
        copy.model.inputs.extend(inputs.clone().map(|name| Input {
            name,
            unit: Some("N".into()),
            start: 0.0,
            min: None,
            max: None,
            description: String::new(),
        }));
        copy.model.forces.push(Force {
            name: format!("{PULL}{}", body.name),
            body: body.name.clone(),
            point,
            value: inputs.map(Number::Parameter),
            inside: None,
            axes: Axes::World,
        });
    }
    Some(copy)
}

/// Whether a force element or input of `system` is not in `document` but was appended by [`with_pulls_in`].
pub fn is_appended(document: &Document, system: &System, name: &str) -> bool {
    system.interface().inputs.len() > document.model.inputs.len() && name.starts_with(PULL)
}

/// The text of a model with forces by which its bodies can be pulled.
fn pulls(text: &str, document: &Document, values: &[f64], system: &System) -> String {
    let mut text = format!(
        "{}\n\n# Forces that pull bodies in a live page: at the centre of mass, zero unless an input is set.\n",
        text.trim_end()
    );
    for body in pulled(&document.model, values) {
        let Some(body) = system.bodies.iter().find(|of| of.name == body.name) else { continue };
        for axis in ["x", "y", "z"] {
            text += &format!("\n[[input]]\nname = \"pull.{}.{axis}\"\nunit = \"N\"\n", body.name);
        }
        let at: [f64; 3] = (body.design + system.origin).into();
        let value = ["x", "y", "z"].map(|axis| format!("pull.{}.{axis}", body.name));
        text += &format!(
            "\n[[force]]\nname = \"pull.{0}\"\nbody = \"{0}\"\npoint = {at:?}\nvalue = {value:?}\n",
            body.name
        );
    }
    text
}

/// The model of the page with pulls; the unchanged model if pulls are impossible.
fn with_pulls(source: &Source, document: &Document, values: &[f64], system: &Arc<System>) -> (String, Arc<System>) {
    let names = |system: &System| -> Vec<String> {
        system.interface().outputs.iter().map(|output| output.name.clone()).collect()
    };
    let text = pulls(source.text, document, values, system);
    let copy = model::parse_with(&text, "model.toml", document.files.clone());
    let copy = copy.ok().and_then(|copy| compile::compile(&copy, values).ok());
    match copy {
        Some(copy) if names(&copy) == names(system) => (text, Arc::new(copy)),
        _ => (source.text.to_string(), system.clone()),
    }
}

/// Height of the ground that replaces the roads if all are level, m.
pub fn take_ground(roads: &mut Vec<Surface>) -> Option<f64> {
    let Series::Constant(z) = roads.first()?.z else { return None };
    if roads.iter().any(|road| road.z != Series::Constant(z)) {
        return None;
    }
    roads.clear();
    Some(z)
}

impl Live {
    /// Live data of a model, with the values of its inputs at the start. Without a source, `system` has the pulls.
    pub fn new(
        (source, inputs): (Option<&Source>, &[f64]),
        document: &Document,
        values: &[f64],
        system: &Arc<System>,
        items: &Items,
    ) -> Live {
        let (text, copy) = match source.map(|source| with_pulls(source, document, values, system)) {
            Some((text, copy)) => (Some(text), copy),
            None => (None, system.clone()),
        };
        let number = |interface: &Interface, name: &str| interface.inputs.iter().position(|input| input.name == name);
        let interface = system.interface();
        let appended = |name: &str| is_appended(document, system, name);
        let inputs = interface.inputs.iter().zip(inputs).filter(|(input, _)| !appended(&input.name));
        let inputs = inputs.filter_map(|(input, value)| {
            Some(SliderInput {
                n: input.name.clone(),
                k: number(copy.interface(), &input.name)?,
                unit: input.unit.clone(),
                v: *value,
                f: input.start,
                min: input.min,
                max: input.max,
                d: input.description.clone(),
            })
        });
        let parameters = interface.parameters.iter().zip(values).enumerate();
        let tunable =
            parameters.filter(|(_, (parameter, _))| parameter.tunable).map(|(k, (parameter, value))| SliderInput {
                n: parameter.name.clone(),
                k,
                unit: parameter.unit.clone(),
                v: *value,
                f: parameter.start,
                min: parameter.min,
                max: parameter.max,
                d: parameter.description.clone(),
            });
        let (inputs, parameters): (Vec<SliderInput>, Vec<SliderInput>) = (inputs.collect(), tunable.collect());
        let place = |name: &str| inputs.iter().chain(&parameters).position(|knob| knob.n == name);
        // Controls of the file refer to these sliders.
        let sliders = controls(&document.model).into_iter().filter_map(|control| {
            let control = Control { sweep: Some(control.sweep()), ..control };
            let follow = control.also.iter().filter_map(|name| place(name)).collect();
            Some(Slider { k: place(&control.variable)?, follow, control })
        });
        let sliders = sliders.collect();
        // Values that the page cannot change, if they differ from the file.
        let fixed = interface.parameters.iter().zip(values).filter(|(parameter, _)| !parameter.tunable);
        let given = fixed.filter(|(parameter, value)| parameter.start != **value);
        // Bodies that can be pulled, with their three inputs.
        let pulls = system.bodies.iter().enumerate().filter_map(|(b, body)| {
            let input = |axis: &str| number(copy.interface(), &format!("pull.{}.{axis}", body.name));
            Some(PulledBody {
                n: format!("pull.{}", body.name),
                b,
                i: items.find(BODIES, &body.name)?,
                m: body.mass,
                k: [input("x")?, input("y")?, input("z")?],
            })
        });
        // The loads of both models, in the order of the page.
        let (own, others) = (Observer::new(system.clone()), Observer::new(copy.clone()));
        let which = |system: &System, load: &Load| (system.elements[load.element].name().to_string(), load.touch);
        let own: Vec<(String, Option<usize>)> =
            own.loads().iter().map(|load| which(system, load)).filter(|(name, _)| !appended(name)).collect();
        let loads = others.loads().iter().map(|load| {
            let wanted = which(&copy, load);
            own.iter().position(|load| *load == wanted)
        });
        let heaviest = |a: &usize, b: &usize| system.bodies[*a].mass.total_cmp(&system.bodies[*b].mass);
        let experiment = &document.model.experiment;
        Live {
            start: experiment.start,
            step: experiment.step.unwrap_or(system.step()),
            internal: system.step(),
            inputs,
            parameters,
            sliders,
            values: values.to_vec(),
            given: given.map(|(parameter, value)| (parameter.name.clone(), *value)).collect(),
            pulls: pulls.collect(),
            model: text,
            files: source.map(|_| document.files.iter().map(|file| (file.path.clone(), base64(&file.bytes))).collect()),
            typed: source.map_or(String::new(), |source| source.typed.clone()),
            loads: loads.collect(),
            lead: (1..system.bodies.len()).max_by(heaviest).unwrap_or(0),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::page::{Subject, of_live};
    use ballesta::simulate::Simulator;
    use sha2::{Digest, Sha256};
    use std::path::Path;

    fn folder(name: &str) -> std::path::PathBuf {
        Path::new(env!("CARGO_MANIFEST_DIR")).join("../../models").join(name)
    }

    fn source(text: &str) -> Source<'_> {
        Source { text, typed: "models/x".into(), library: b"library" }
    }

    fn page(name: &str) -> String {
        let document = model::load(&folder(name)).unwrap();
        let values = document.model.parameter_values();
        let text = std::fs::read_to_string(folder(name).join("model.toml")).unwrap();
        let mut simulator = Simulator::new(Arc::new(compile::compile(&document, &values).unwrap()));
        simulator.initialize(document.model.experiment.start).unwrap();
        of_live(&Subject { document: &document, values: &values }, &mut simulator, &source(&text)).unwrap()
    }

    /// Separators of words.
    fn between<'a>(text: &'a str, first: &str, last: &str) -> &'a str {
        text.split_once(first).and_then(|(_, rest)| rest.split_once(last)).unwrap().0
    }

    #[test]
    fn the_policy_names_program_and_style_by_their_hashes() {
        let page = page("driven_arm");
        let policy = between(&page, "Content-Security-Policy\" content=\"", "\">");
        let hash = |text: &str| format!("'sha256-{}'", base64(&Sha256::digest(text)));
        let script = hash(between(&page, "<script>", "</script>"));
        let style = hash(between(&page, "<style>", "</style>"));
        let expected = format!(
            "default-src 'none'; script-src {script} 'wasm-unsafe-eval'; worker-src blob:; style-src {style}; img-src \
             data:"
        );
        assert_eq!(policy, expected);
        assert_eq!(page.matches("<script>").count(), 1, "one script without a type");
        assert_eq!(between(&page, "id=\"library\">", "<"), base64(b"library"));
    }

    #[test]
    fn bodies_that_nobody_pulls_move_to_the_same_bits() {
        let mut forces = 0;
        for name in ["four_bar", "driven_arm", "van", "flexible_slider_crank", "truck", "hammer"] {
            let document = model::load(&folder(name)).unwrap();
            let values = document.model.parameter_values();
            let text = std::fs::read_to_string(folder(name).join("model.toml")).unwrap();
            let system = Arc::new(compile::compile(&document, &values).unwrap());
            let (_, copy) = with_pulls(&source(&text), &document, &values, &system);
            forces += copy.elements.len() - system.elements.len();
            assert!(copy.elements.len() > system.elements.len(), "{name}: nothing to pull");
            let mut rows = [system, copy].map(|system| {
                let mut outputs = vec![0.0; system.interface().outputs.len()];
                let mut simulator = Simulator::new(system);
                simulator.initialize(document.model.experiment.start).unwrap();
                let mut rows = Vec::new();
                for k in 1..=20 {
                    simulator.advance(document.model.experiment.start + f64::from(k) * 1e-3).unwrap();
                    simulator.outputs(&mut outputs).unwrap();
                    rows.extend(outputs.iter().map(|output| output.to_bits()));
                }
                rows
            });
            assert!(std::mem::take(&mut rows[0]) == rows[1], "{name}: other bits");
        }
        assert!(forces > 30, "{forces} forces");
    }

    #[test]
    fn a_model_that_takes_no_further_tables_is_as_it_is() {
        let document = model::load(&folder("four_bar")).unwrap();
        let system = Arc::new(compile::compile(&document, &[]).unwrap());
        let text = "force = 1";
        let (kept, copy) = with_pulls(&source(text), &document, &[], &system);
        assert!(kept == text && Arc::ptr_eq(&copy, &system));
    }
}
