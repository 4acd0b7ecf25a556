//! Actuators on joints and tendons: each becomes a drive with an input.
//!
//! On a coordinate c of a joint with position c + ref, an actuator with gear g has the length g (c + ref) and acts with
//! g F, F = gain · input + b₀ + b₁ length + b₂ length', within `forcerange`.

use super::{NamedJoint, Reader};
use crate::mjcf::defaults::Spec;
use crate::robot::{CoordinateSum, is_single};
use crate::xml::Element;
use ballesta::model::schema::{Input, JointKind as Kind, JointSpring, Number};

/// Gain, bias b₀, b₁, b₂, and damping ratio, which determines b₂ if it is positive.
pub struct AffineLaw {
    pub gain: f64,
    pub bias: [f64; 3],
    pub ratio: f64,
}

/// Parameters of an actuator. In MuJoCo all kinds have one set of defaults in each class.
#[derive(Clone)]
struct Law<'d> {
    /// The last kind of actuator that set the parameters.
    kind: &'d str,
    gain: f64,
    bias: [f64; 3],
    gain_type: &'d str,
    bias_type: &'d str,
    /// The attribute that gives the dynamics of the activation, and their name.
    dynamics: Option<(&'d str, &'d str)>,
}

/// Note on a damping ratio of a tendon.
pub const TENDON_RATIO: &str = "dampratio of a tendon: use kv instead";

/// Parameters without a class.
const USUAL: Law =
    Law { kind: "general", gain: 1.0, bias: [0.0; 3], gain_type: "fixed", bias_type: "none", dynamics: None };

impl<'d> Law<'d> {
    /// Applies the classes of an actuator from the outermost to the innermost, then the actuator.
    fn of(spec: &Spec<'d>) -> Law<'d> {
        let mut laws: Vec<Law> = vec![USUAL];
        for level in spec.levels() {
            let mut law = laws[laws.len() - 1].clone();
            level.into_iter().for_each(|element| law.apply(spec, element, &laws));
            laws.push(law);
        }
        laws.pop().unwrap_or(USUAL)
    }

    /// Applies an element. The other kinds change parameters of their own kind or of `<general>`, from the nearest
    /// class that has them, as MuJoCo 4.0.0 does.
    fn apply(&mut self, spec: &Spec<'d>, element: &'d Element, outer: &[Law<'d>]) {
        let kind = element.name.as_str();
        let number = |key: &str| element.number(spec.files, key);
        let is_suitable = |law: &&Law<'d>| law.kind == kind || (law.kind == "general" && law.gain_type == "fixed");
        let base = [&*self].into_iter().chain(outer.iter().rev()).find(is_suitable).unwrap_or(&USUAL).clone();
        let own = Law { kind, bias_type: "affine", ..USUAL };
        *self = match kind {
            "general" => {
                let list = |key: &str| element.list(spec.files, key).unwrap_or_default();
                let bias = list("biasprm");
                let dynamics = match element.text("dyntype") {
                    None => self.dynamics,
                    Some("none") => None,
                    Some(other) => Some(("dyntype", other)),
                };
                Law {
                    kind,
                    gain: list("gainprm").first().copied().unwrap_or(self.gain),
                    bias: [0, 1, 2].map(|k| bias.get(k).copied().unwrap_or(self.bias[k])),
                    gain_type: element.text("gaintype").unwrap_or(self.gain_type),
                    bias_type: element.text("biastype").unwrap_or(self.bias_type),
                    dynamics,
                }
            }
            "motor" => Law { kind, ..USUAL },
            "position" | "intvelocity" => {
                let gain = number("kp").unwrap_or(base.gain);
                let damping = match (number("kv"), number("dampratio")) {
                    (Some(_), Some(_)) => {
                        let (place, found) = (element.place_of("kv"), "kv and dampratio exclude each other");
                        spec.files.wrong(place, &element.key("kv"), found, "give one of them");
                        0.0
                    }
                    (Some(kv), None) => -not_negative(spec, element, "kv", kv),
                    (None, Some(ratio)) => not_negative(spec, element, "dampratio", ratio),
                    (None, None) => base.bias[2],
                };
                let dynamics = match number("timeconst") {
                    Some(time) => Some(("timeconst", "")).filter(|_| time > 0.0),
                    None => base.dynamics.filter(|_| base.kind == kind),
                };
                let dynamics = if kind == "position" { dynamics } else { Some(("dyntype", "integrator")) };
                Law { gain, bias: [0.0, -gain, damping], dynamics, ..own }
            }
            "velocity" => {
                let gain = number("kv").unwrap_or(base.gain);
                Law { gain, bias: [0.0, 0.0, -gain], ..own }
            }
            // Kinds that are not imported.
            other => Law { gain_type: other, bias_type: other, dynamics: Some(("dyntype", other)), ..own },
        };
    }
}

/// A number of an element that must not be negative.
fn not_negative(spec: &Spec, element: &Element, key: &str, value: f64) -> f64 {
    if value < 0.0 {
        spec.files.wrong(element.place_of(key), &element.key(key), format!("{key} is {value}"), "give 0 or more");
    }
    value.max(0.0)
}

impl<'e> Reader<'e> {
    pub fn actuators(&mut self, root: &'e Element) {
        for actuator in root.all("actuator") {
            for element in &actuator.children {
                let before = self.robot.inputs.len();
                self.actuator(element);
                self.controls.push(self.robot.inputs.get(before).map(|input| input.name.clone()));
            }
        }
        self.limit_forces();
    }

    /// Applies the ranges of the sums of actuators, which exist for joints with one actuator.
    fn limit_forces(&mut self) {
        for (joint, [lower, upper], place) in std::mem::take(&mut self.force_ranges) {
            // A tendon adds its force to the sum.
            let in_sum = |sum: &CoordinateSum| sum.terms.iter().any(|(name, _)| *name == joint);
            let tendons: Vec<&String> =
                self.robot.sums.iter().filter(|sum| in_sum(sum)).map(|sum| &sum.joint).collect();
            let has_tendon = self.robot.drives.iter().any(|drive| tendons.contains(&&drive.joint));
            let mut drives: Vec<_> = self.robot.drives.iter_mut().filter(|drive| drive.joint == joint).collect();
            match &mut drives[..] {
                [] if !has_tendon => {}
                [drive] if !has_tendon => {
                    let number = |limit: &Option<Number>| match limit {
                        Some(Number::Value(number)) => Some(*number),
                        _ => None,
                    };
                    let least = number(&drive.min_effort).map_or(lower, |least| least.max(lower));
                    let most = number(&drive.max_effort).map_or(upper, |most| most.min(upper));
                    (drive.min_effort, drive.max_effort) = (Some(least.into()), Some(most.into()));
                }
                _ => self.files.note(place, "actuatorfrcrange of a joint with several actuators"),
            }
        }
    }

    /// The law of an actuator; `None`, with a note, if it is not affine.
    fn law(spec: &Spec) -> Option<AffineLaw> {
        let (kind, element) = (spec.element.name.as_str(), spec.element);
        if !["general", "motor", "position", "velocity"].contains(&kind) {
            if kind == "muscle" {
                element.mark_all();
            }
            spec.files.note(element.place, format!("<{kind}> of <actuator>"));
            return None;
        }
        let law = Law::of(spec);
        match law.dynamics {
            Some(("timeconst", _)) => {
                spec.note("timeconst", "timeconst of an actuator: its input acts without delay");
            }
            Some((_, kind)) => {
                spec.note("dyntype", format!("dyntype {kind} of an actuator: its input acts without delay"));
            }
            None => {}
        }
        spec.note_given(&["delay"], ": its input acts without delay");
        // Keys of activations and delays, which this importer does not support, and of the defaults of other kinds.
        spec.skip(&["dynprm", "actdim", "actlimited", "actrange", "actearly", "nsample", "interp"]);
        for (key, kind, known) in [("gaintype", law.gain_type, "fixed"), ("biastype", law.bias_type, "affine")] {
            if kind != known && (key, kind) != ("biastype", "none") {
                spec.files.note(element.place, format!("actuator with {key} {kind}"));
                return None;
            }
        }
        let mut bias = if law.bias_type == "none" { [0.0; 3] } else { law.bias };
        // MuJoCo takes a positive b₂ of a position control as a damping ratio.
        let ratio = if law.gain == -bias[1] { bias[2].max(0.0) } else { 0.0 };
        if ratio > 0.0 {
            bias[2] = 0.0;
        }
        Some(AffineLaw { gain: law.gain, bias, ratio })
    }

    /// `inheritrange`, unless an element that is nearer to the actuator gives `ctrlrange` or inherits no range.
    fn inherited_scale(spec: &Spec) -> Option<f64> {
        for element in spec.levels().into_iter().flatten().rev() {
            let scale = element.number(spec.files, "inheritrange");
            let range = element.numbers::<2>(spec.files, "ctrlrange");
            match (scale, range) {
                (Some(scale), Some(range)) if scale > 0.0 && range != [0.0; 2] => {
                    let (place, found) =
                        (element.place_of("inheritrange"), "inheritrange and ctrlrange exclude each other");
                    spec.files.wrong(place, &element.key("inheritrange"), found, "give one of them");
                    return None;
                }
                (Some(scale), _) => return Some(scale).filter(|scale| *scale > 0.0),
                (None, Some(_)) => return None,
                (None, None) => {}
            }
        }
        None
    }

    /// The range of the control: `ctrlrange`, or `inheritrange` times the range of the joint about its middle.
    fn control_range(&self, spec: &Spec, law: &AffineLaw, joint: Option<&NamedJoint>) -> Option<[f64; 2]> {
        let autolimits = self.compiler(spec.element).autolimits;
        let scale = Self::inherited_scale(spec);
        // MuJoCo inherits ranges for controls of positions only.
        let Some(scale) = scale.filter(|_| law.gain == -law.bias[1]) else {
            return spec.limits("ctrllimited", "ctrlrange", autolimits);
        };
        spec.skip(&["ctrlrange"]);
        let Some([lower, upper]) = joint.and_then(|joint| joint.range) else {
            let what = format!("inheritrange of <{}>: no range is known", spec.element.name);
            spec.note("inheritrange", what);
            return None;
        };
        let (middle, half) = (0.5 * (lower + upper), 0.5 * scale * (upper - lower));
        let is_limited = match spec.text("ctrllimited") {
            Some("true") => true,
            Some("false") => false,
            _ => autolimits,
        };
        Some([middle - half, middle + half]).filter(|_| is_limited && half > 0.0)
    }

    fn actuator(&mut self, element: &'e Element) {
        let spec = self.defaults.of(self.files, element, None);
        spec.skip(&["group", "user", "lengthrange", "cranklength", "ctrllimited", "forcelimited"]);
        let law = Self::law(&spec);
        spec.skip(&["ctrlrange", "inheritrange"]);
        let force_range = spec.limits("forcelimited", "forcerange", self.compiler(element).autolimits);
        let gear = spec.list("gear").and_then(|gear| gear.first().copied()).unwrap_or(1.0);
        let key = spec.one_of(&["joint", "jointinparent", "tendon"]);
        let is_tendon = key == Some("tendon");
        if is_tendon && let Some((tendon, path)) = spec.text("tendon").and_then(|name| self.paths.get_key_value(name)) {
            let Some(law) = law else { return };
            if ["damping", "armature"].map(|key| spec.not_negative(key)) != [0.0; 2] {
                spec.note_given(&["damping", "armature"], " of an actuator on a <spatial> tendon");
            }
            let range = self.control_range(&spec, &law, None);
            return path.drive(&mut self.robot, &spec, tendon, law, [range, force_range]);
        }
        let joint = match key {
            Some("tendon") => self.named_tendon(&spec, "tendon"),
            Some(key) => self.named_joint(&spec, key),
            None => {
                element.mark_all();
                self.files.note(element.place, format!("<{}> that acts on no joint and no tendon", element.name));
                return;
            }
        };
        let (Some(joint), Some(law)) = (joint, law) else { return };
        if !is_single(joint.kind) {
            return self.files.note(element.place, format!("<{}> on a ball or free joint", element.name));
        }
        let given = element.text("name");
        let turns = joint.kind == Kind::Revolute;
        // The unit is known only if the input is a torque.
        let is_effort = element.name == "motor" && gear == 1.0 && !is_tendon;
        let unit = match element.name.as_str() {
            "motor" if is_effort => {
                if turns {
                    "N.m"
                } else {
                    "N"
                }
            }
            "position" if gear == 1.0 && !is_tendon => {
                if turns {
                    "rad"
                } else {
                    "m"
                }
            }
            "velocity" if gear == 1.0 && !is_tendon => {
                if turns {
                    "rad/s"
                } else {
                    "m/s"
                }
            }
            _ => "",
        };
        let variable = match given {
            Some(name) => self.robot.variable_name(name, ""),
            None => self.robot.variable_name(&joint.name, if element.name == "motor" { "effort" } else { "control" }),
        };
        let name = given.map_or(format!("{}.drive", joint.name), str::to_string);
        let description = format!("Control of <{}> on joint {}", element.name, joint.name);
        let range = self.control_range(&spec, &law, Some(&joint));
        // MuJoCo keeps the control within its range, which may exclude 0.
        let start = range.map_or(0.0, |[lower, upper]| 0f64.clamp(lower, upper));
        let [min, max] = [0, 1].map(|end| range.map(|range| range[end]));
        let unit = (!unit.is_empty()).then(|| unit.to_string());
        let input = Input { unit, min, max, start, description, ..Input::new(variable) };
        let (armature, damping) = (spec.not_negative("armature"), spec.not_negative("damping"));
        if armature > 0.0 {
            self.robot.armatures.push((joint.name.clone(), gear * gear * armature));
        }
        self.robot.drive(&name, &joint.name, gear * law.gain, input);
        let Some(drive) = self.robot.drives.last_mut() else { return };
        if let Some(given) = given {
            self.actuators.insert(given.to_string(), drive.name.clone());
        }
        let [b0, b1, b2] = law.bias;
        if law.ratio > 0.0 {
            match is_tendon {
                true => spec.note("dampratio", TENDON_RATIO),
                false => {
                    let place = spec.place_of("dampratio");
                    self.damping_ratios.push((drive.name.clone(), [gear, -b1, law.ratio], place));
                }
            }
        }
        let reference = joint.zero.first().copied().unwrap_or_default();
        drive.offset = (gear * b0 + gear * gear * b1 * reference).into();
        (drive.position_gain, drive.speed_gain) = ((-b1 * gear * gear).into(), (-b2 * gear * gear).into());
        if let Some([lower, upper]) = force_range.map(|range| range.map(|force| gear * force)) {
            (drive.min_effort, drive.max_effort) = (Some(lower.min(upper).into()), Some(lower.max(upper).into()));
        }
        // The damping acts outside of the force range.
        if damping > 0.0 {
            let spring = JointSpring::new(self.robot.element_name(&format!("{name}.damping")), joint.name);
            self.robot.springs.push(JointSpring { damping: (damping * gear * gear).into(), ..spring });
        }
    }
}
