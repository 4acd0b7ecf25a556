//! Actuators on joints and tendons: each becomes a drive with an input.
//!
//! On a coordinate c of a joint with position c + ref, an actuator with gear g has the length g (c + ref) and acts with
//! g F, F = gain · input + b₀ + b₁ length + b₂ length', within `forcerange`.

use super::{NamedJoint, Reader};
use crate::mjcf::defaults::Spec;
use crate::robot::{CoordinateSum, is_single};
use crate::xml::Element;
use ballesta::model::schema::{Input, JointKind as Kind, JointSpring, Number};

/// Gain, and bias b₀, b₁, b₂.
type Law = (f64, [f64; 3]);

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
    fn law(spec: &Spec) -> Option<Law> {
        let number = |name: &str, default: f64| spec.number(name).unwrap_or(default);
        let kind = spec.element.name.as_str();
        let unknown = |what: String| {
            spec.files.note(spec.element.place, what);
            None
        };
        if kind == "muscle" {
            spec.element.mark_all();
            return unknown("<muscle> of <actuator>".to_string());
        }
        if spec.number("timeconst").is_some_and(|time| time > 0.0) {
            spec.note("timeconst", "timeconst of an actuator: its input acts without delay");
        }
        if let Some(kind) = spec.text("dyntype").filter(|kind| *kind != "none") {
            spec.note("dyntype", format!("dyntype {kind} of an actuator: its input acts without delay"));
        }
        spec.note_given(&["delay"], ": its input acts without delay");
        // Keys of activations and delays, which this importer does not support.
        spec.skip(&["dynprm", "actdim", "actlimited", "actrange", "actearly", "nsample", "interp"]);
        match kind {
            "motor" => Some((1.0, [0.0; 3])),
            "position" => {
                let kp = number("kp", 1.0);
                Some((kp, [0.0, -kp, -number("kv", 0.0)]))
            }
            "velocity" => {
                let kv = number("kv", 1.0);
                Some((kv, [0.0, 0.0, -kv]))
            }
            "general" => {
                let gain = match spec.text("gaintype").unwrap_or("fixed") {
                    "fixed" => spec.list("gainprm").and_then(|list| list.first().copied()).unwrap_or(1.0),
                    other => return unknown(format!("actuator with gaintype {other}")),
                };
                let bias = spec.list("biasprm").unwrap_or_default();
                match spec.text("biastype").unwrap_or("none") {
                    "none" => Some((gain, [0.0; 3])),
                    "affine" => Some((gain, [0, 1, 2].map(|i| bias.get(i).copied().unwrap_or_default()))),
                    other => unknown(format!("actuator with biastype {other}")),
                }
            }
            other => unknown(format!("<{other}> of <actuator>")),
        }
    }

    /// `inheritrange`: the range of the joint as the range of a control, scaled about its middle.
    fn inherited(&self, spec: &Spec, joint: &NamedJoint) -> Option<[f64; 2]> {
        let scale = spec.number("inheritrange").filter(|scale| *scale > 0.0)?;
        let stop = self.robot.stops.iter().find(|stop| stop.joint == joint.name)?;
        let zero = joint.zero.first().copied().unwrap_or_default();
        let (lower, upper) = (stop.lower? + zero, stop.upper? + zero);
        let (middle, half) = (0.5 * (lower + upper), 0.5 * scale * (upper - lower));
        // The range of a speed is symmetric.
        let is_speed = spec.element.name == "intvelocity";
        Some(if is_speed { [-half, half] } else { [middle - half, middle + half] })
    }

    fn actuator(&mut self, element: &'e Element) {
        let spec = self.defaults.of(self.files, element, None);
        spec.skip(&["group", "user", "lengthrange", "cranklength", "ctrllimited", "forcelimited"]);
        let law = Self::law(&spec);
        let given_range = spec.numbers::<2>("ctrlrange");
        let is_limited = spec.is_limited("ctrllimited", "ctrlrange", self.compiler(element).autolimits);
        let autolimits = self.compiler(element).autolimits;
        let has_force_range = spec.is_limited("forcelimited", "forcerange", autolimits);
        let force_range = spec.numbers::<2>("forcerange").filter(|_| has_force_range);
        let gear = spec.list("gear").and_then(|gear| gear.first().copied()).unwrap_or(1.0);
        let key = spec.one_of(&["joint", "jointinparent", "tendon"]);
        let is_tendon = key == Some("tendon");
        if is_tendon && let Some((tendon, path)) = spec.text("tendon").and_then(|name| self.paths.get_key_value(name)) {
            let Some(law) = law else { return };
            let (damping, armature) = (spec.number("damping"), spec.number("armature"));
            if damping.is_some_and(|damping| damping > 0.0) || armature.is_some_and(|armature| armature > 0.0) {
                spec.note_given(&["damping", "armature"], " of an actuator on a <spatial> tendon");
            }
            let range = given_range.filter(|_| is_limited);
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
        let (Some(joint), Some((gain, bias))) = (joint, law) else { return };
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
        let range = given_range.filter(|_| is_limited).or_else(|| self.inherited(&spec, &joint));
        if let Some([lower, upper]) = range.filter(|[lower, upper]| lower >= upper) {
            return spec.wrong(
                "ctrlrange",
                format!("the range from {lower} to {upper} is empty"),
                "give a lower limit below the upper one",
            );
        }
        // MuJoCo keeps the control within its range, which may exclude 0.
        let start = range.map_or(0.0, |[lower, upper]| 0f64.clamp(lower, upper));
        let [min, max] = [0, 1].map(|end| range.map(|range| range[end]));
        let unit = (!unit.is_empty()).then(|| unit.to_string());
        let input = Input { unit, min, max, start, description, ..Input::new(variable) };
        let number = |name: &str| spec.number(name).unwrap_or_default();
        let (armature, damping) = (number("armature"), number("damping"));
        if armature > 0.0 {
            self.robot.armatures.push((joint.name.clone(), gear * gear * armature));
        }
        self.robot.drive(&name, &joint.name, gear * gain, input);
        let Some(drive) = self.robot.drives.last_mut() else { return };
        if let Some(given) = given {
            self.actuators.insert(given.to_string(), drive.name.clone());
        }
        let ratio = number("dampratio");
        if element.name == "position" && ratio > 0.0 {
            match is_tendon {
                true => spec.note("dampratio", "dampratio of a tendon: use kv instead"),
                false => self.damping_ratios.push((drive.name.clone(), [gear, -bias[1], ratio])),
            }
        }
        let [b0, b1, b2] = bias;
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
