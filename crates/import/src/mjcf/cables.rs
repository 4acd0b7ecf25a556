//! Spatial tendons: cables over sites, with pulleys that divide them. A spring with a dead band, a stop at each end of
//! the range and each actuator are cables of their own over the same path.
//!
//! An actuator with gear g has the length g L and pushes towards longer tendons with g F, F = gain · input + b₀ + b₁
//! g L + b₂ g L': a cable with the tension −g F.

use super::Reader;
use super::actuators::{AffineLaw, TENDON_RATIO};
use crate::mjcf::defaults::Spec;
use crate::robot::{Robot, TendonStop, unique};
use crate::xml::Element;
use ballesta::math::Vec3;
use ballesta::model::schema::{Cable, CableSense, Input};

/// The path of a spatial tendon.
#[derive(Clone)]
pub struct CablePath {
    pub bodies: Vec<String>,
    /// W, m.
    pub points: Vec<Vec3>,
    /// Inverse of the divisor of each section; 0 between two branches.
    pub strands: Vec<f64>,
    /// A cable along the path, for outputs.
    pub cable: Option<String>,
}

impl CablePath {
    /// Length at the zero position, m.
    fn length(&self) -> f64 {
        self.points.windows(2).zip(&self.strands).map(|(ends, strands)| (ends[1] - ends[0]).norm() * strands).sum()
    }

    /// A cable along the path.
    pub fn cable(&self, name: String, acts: CableSense) -> Cable {
        let points: Vec<_> = self.points.iter().map(|point| (*point).into()).collect();
        let strands = self.strands.iter().any(|strands| *strands != 1.0).then(|| self.strands.clone());
        Cable { strands, acts, ..Cable::new(name, self.bodies.clone(), points) }
    }

    /// Adds the cable of an actuator on the tendon.
    pub fn drive(&self, robot: &mut Robot, spec: &Spec, tendon: &str, law: AffineLaw, limits: [Option<[f64; 2]>; 2]) {
        let (element, [range, force_range]) = (spec.element, limits);
        let AffineLaw { gain, bias: [b0, b1, b2], ratio } = law;
        if ratio > 0.0 {
            spec.note("dampratio", TENDON_RATIO);
        }
        let gear = spec.list("gear").and_then(|gear| gear.first().copied()).unwrap_or(1.0);
        if b1 > 0.0 || b2 > 0.0 {
            return spec.note("biasprm", "actuator of a <spatial> tendon with a negative stiffness or damping");
        }
        let given = element.text("name");
        let variable = match given {
            Some(name) => robot.variable_name(name, ""),
            None => robot.variable_name(tendon, "control"),
        };
        let start = range.map_or(0.0, |[lower, upper]| 0f64.clamp(lower, upper));
        let [min, max] = [0, 1].map(|end| range.map(|range| range[end]));
        let description = format!("Control of <{}> on tendon {tendon}", element.name);
        let input = Input { min, max, start, description, ..Input::new(variable) };
        let name = robot.element_name(given.unwrap_or(&format!("{tendon}.drive")));
        let stiffness = -b1 * gear * gear;
        // Without a stiffness the constant force needs a cable of its own.
        let free = if stiffness > 0.0 { b0 * gear / stiffness } else { 0.0 };
        if free < 0.0 || (stiffness == 0.0 && b0 != 0.0 && force_range.is_some()) {
            return spec.note("biasprm", "actuator of a <spatial> tendon with this constant force");
        }
        if stiffness == 0.0 && b0 != 0.0 {
            let constant = robot.element_name(&format!("{name}.constant"));
            let cable = self.cable(constant, CableSense::Tension);
            robot.cables.push(Cable { value: (-gear * b0).into(), ..cable });
        }
        let bounds = force_range.map(|range| range.map(|force| -gear * force));
        let passive = stiffness > 0.0 || b2 != 0.0;
        robot.cables.push(Cable {
            stiffness: stiffness.into(),
            damping: (-b2 * gear * gear).into(),
            free_length: Some(free.into()),
            value: input.name.as_str().into(),
            gain: (-gear * gain).into(),
            min_tension: bounds.map(|[a, b]| a.min(b).into()),
            max_tension: bounds.map(|[a, b]| a.max(b).into()),
            ..self.cable(name, if passive { CableSense::Both } else { CableSense::Tension })
        });
        robot.inputs.push(input);
    }
}

impl<'e> Reader<'e> {
    pub fn spatial_tendon(&mut self, element: &'e Element, usual: &str) {
        element.mark();
        let Some(mut path) = self.path(element) else { return };
        let given = &self.name_of(element, usual);
        let spec = self.defaults.of_tag(self.files, element, None, "tendon");
        spec.skip(&["group", "user", "width", "material", "rgba"]);
        spec.note_given(&["margin", "solreflimit", "solimplimit"], ": the stop law has no such parameters");
        spec.note_given(&["solreffriction", "solimpfriction"], "");
        let number = |key: &str| spec.not_negative(key);
        for (key, what) in [("frictionloss", "friction"), ("armature", "inertia")] {
            if number(key) > 0.0 {
                spec.note(key, format!("{key} of <spatial>: cables have no {what}"));
            }
        }
        let autolimits = self.compiler(element).autolimits;
        if spec.is_limited("actuatorfrclimited", "actuatorfrcrange", autolimits) {
            spec.note("actuatorfrcrange", "actuatorfrcrange of <spatial>");
        }
        let range = spec.limits("limited", "range", autolimits);
        let (stiffness, damping) = (number("stiffness"), number("damping"));
        // −1: the length at the zero position.
        let designed = path.length();
        let free: Vec<f64> = spec
            .whole_list("springlength")
            .unwrap_or_default()
            .into_iter()
            .map(|length| if length < 0.0 { designed } else { length })
            .collect();
        let band = match free[..] {
            [lower, upper] => [lower, upper],
            [only] => [only; 2],
            _ => [designed; 2],
        };
        let mut add = |word: &str, acts: CableSense, [stiffness, damping, free]: [f64; 3]| {
            let name = self.robot.element_name(&format!("{given}{word}"));
            path.cable.get_or_insert_with(|| name.clone());
            self.robot.cables.push(Cable {
                stiffness: stiffness.into(),
                damping: damping.into(),
                free_length: Some(free.into()),
                ..path.cable(name, acts)
            });
        };
        if stiffness > 0.0 && band[0] < band[1] {
            add(".spring", CableSense::Tension, [stiffness, 0.0, band[1]]);
            add(".push", CableSense::Compression, [stiffness, 0.0, band[0]]);
            if damping > 0.0 {
                add(".damper", CableSense::Both, [0.0, damping, 0.0]);
            }
        } else if stiffness > 0.0 || damping > 0.0 {
            add("", CableSense::Both, [stiffness, damping, band[0]]);
        }
        if let Some([lower, upper]) = range {
            let name = unique(&mut self.robot.names.elements, &format!("{given}.stop"));
            self.robot.tendon_stops.push(TendonStop { name, path: path.clone(), range: [lower, upper] });
        }
        self.paths.insert(given.to_string(), path);
    }

    /// The path of a tendon; `None`, with a note, if it runs around a geom.
    fn path(&mut self, element: &'e Element) -> Option<CablePath> {
        let (mut bodies, mut points, mut strands) = (Vec::new(), Vec::new(), Vec::new());
        let (mut divisor, mut begins) = (1.0, true);
        for part in &element.children {
            match part.name.as_str() {
                "site" => {
                    let name = part.mark().needed(self.files, "site")?;
                    let Some(site) = self.sites.get(name) else {
                        let found = format!("there is no site \"{name}\"");
                        self.files.wrong(part.place_of("site"), "site.site", found, "name a site defined in this file");
                        return None;
                    };
                    if !points.is_empty() {
                        strands.push(if begins { 0.0 } else { 1.0 / divisor });
                    }
                    bodies.push(site.body.clone());
                    points.push(site.pose.at);
                    begins = false;
                }
                "pulley" => {
                    let given = part.mark().number(self.files, "divisor");
                    let Some(given) = given.filter(|divisor| *divisor > 0.0) else {
                        let found = format!("the divisor of <pulley> is {}", given.unwrap_or_default());
                        self.files.wrong(part.place, "pulley.divisor", found, "give a positive number");
                        return None;
                    };
                    (divisor, begins) = (given, true);
                }
                _ => {
                    element.mark_all();
                    self.files.note(element.place, format!("<spatial> tendon around a <{}>", part.name));
                    return None;
                }
            }
        }
        let acts = bodies.windows(2).zip(&strands).any(|(pair, strands)| pair[0] != pair[1] && *strands > 0.0);
        if !acts {
            self.files.note(element.place, "<spatial> tendon of constant length");
            return None;
        }
        Some(CablePath { bodies, points, strands, cable: None })
    }
}
