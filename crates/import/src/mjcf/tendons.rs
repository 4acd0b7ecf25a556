//! Fixed tendons: sums of joint positions, L = Σ coef · position. Each becomes the coordinate L − L₀ of a joint between
//! the ground and a body without mass. L₀ is the length at the zero position. Springs, stops, friction and actuators
//! use this joint like any other.

use super::{NamedJoint, Reader};
use crate::robot::{Body, CoordinateSum, Joint, JointStop, is_single, unique};
use crate::xml::Element;
use ballesta::math::{Mat3, Vec3};
use ballesta::model::schema::{JointKind as Kind, JointSpring};

/// The sum of a fixed tendon.
struct Terms {
    /// Joints with their factors.
    factors: Vec<(String, f64)>,
    /// Length at the zero position.
    zero: f64,
    /// Length without force in the springs of the joints.
    reference: f64,
}

impl<'e> Reader<'e> {
    pub fn tendons(&mut self, root: &'e Element) {
        for tendon in root.all("tendon") {
            for (number, element) in (1..).zip(&tendon.children) {
                match element.name.as_str() {
                    "fixed" => self.fixed_tendon(element, &format!("tendon_{number}")),
                    "spatial" => self.spatial_tendon(element, &format!("tendon_{number}")),
                    other => {
                        self.files.note(element.place, format!("<{other}> of <tendon>"));
                        element.mark_all();
                    }
                }
            }
        }
    }

    fn fixed_tendon(&mut self, element: &'e Element, usual: &str) {
        // The tendon is a joint with the sum of the positions as its coordinate.
        let Some(Terms { factors: terms, zero, reference: spring_reference }) = self.terms(element) else { return };
        let given = &self.name_of(element, usual);
        let name = unique(&mut self.robot.names.constraints, given);
        let body = unique(&mut self.robot.names.bodies, given);
        let sum = unique(&mut self.robot.names.constraints, &format!("{given}.sum"));
        let spec = self.defaults.of_tag(self.files, element, None, "tendon");
        spec.skip(&["group", "user", "width", "material", "rgba"]);
        spec.note_given(&["margin", "solreflimit", "solimplimit"], ": the stop law has no such parameters");
        spec.note_given(&["solreffriction", "solimpfriction"], ": the friction law has no such parameters");
        let number = |key: &str| spec.not_negative(key);
        let (stiffness, damping, friction) = (number("stiffness"), number("damping"), number("frictionloss"));
        let armature = number("armature");
        let autolimits = self.compiler(element).autolimits;
        if spec.is_limited("actuatorfrclimited", "actuatorfrcrange", autolimits) {
            spec.note("actuatorfrcrange", "actuatorfrcrange of <fixed>");
        }
        let range = spec.limits("limited", "range", autolimits);
        let lengths = spec.whole_list("springlength").unwrap_or_default();
        if let [first, second] = lengths[..]
            && first != second
        {
            spec.note("springlength", "springlength of <fixed> with a dead band: its middle");
        }
        let lengths: Vec<f64> = lengths.into_iter().filter(|length| *length >= 0.0).collect();
        let free = match lengths.is_empty() {
            true => spring_reference,
            false => lengths.iter().sum::<f64>() / lengths.len() as f64,
        };
        let (place, point) = (element.place, Vec3::zeros());
        self.robot.bodies.push(Body::new(&body, point, place));
        if armature > 0.0 {
            self.robot.armatures.push((name.clone(), armature));
        }
        let (kind, axis, bodies) = (Kind::Revolute, Some(Vec3::x()), ["ground".to_string(), body]);
        let joint = Joint { axis, ..Joint::new(&name, kind, bodies, point, place) };
        self.robot.joints.push(joint);
        self.robot.sums.push(CoordinateSum { name: sum, joint: name.clone(), terms });
        if let Some([lower, upper]) = range {
            let (joint, lower, upper) = (name.clone(), Some(lower - zero), Some(upper - zero));
            self.robot.stops.push(JointStop { joint, lower, upper, effort: 0.0, law: None });
        }
        if damping > 0.0 || stiffness > 0.0 {
            let free_position = if stiffness > 0.0 { free - zero } else { 0.0 }.into();
            let spring = JointSpring::new(self.robot.element_name(&format!("{name}.spring")), &name);
            let (stiffness, damping) = (stiffness.into(), damping.into());
            self.robot.springs.push(JointSpring { stiffness, damping, free_position, ..spring });
        }
        if friction > 0.0 {
            self.robot.frictions.push((name.clone(), friction));
        }
        let range = spec.numbers::<2>("range");
        let known = NamedJoint { name, kind, zero: vec![zero], turn: Mat3::identity(), spring_reference, range };
        self.tendons.insert(given.to_string(), known);
    }

    /// The sum of a tendon; `None`, with a note or an error, if a joint has several coordinates or is unknown.
    fn terms(&self, element: &'e Element) -> Option<Terms> {
        element.mark();
        let (mut terms, mut zero, mut reference) = (Vec::new(), 0.0, 0.0);
        for part in element.all("joint") {
            let spec = self.defaults.of(self.files, part, None);
            let joint = self.named_joint(&spec, "joint")?;
            if !is_single(joint.kind) {
                self.files.note(part.place, "<fixed> tendon of a ball or free joint");
                element.mark_all();
                return None;
            }
            let factor = part.number(self.files, "coef").unwrap_or_default();
            zero += factor * joint.zero.first().copied().unwrap_or_default();
            reference += factor * joint.spring_reference;
            terms.push((joint.name, factor));
        }
        terms.retain(|(_, factor)| *factor != 0.0);
        if terms.is_empty() {
            self.files.note(element.place, "<fixed> tendon without joints");
            return None;
        }
        Some(Terms { factors: terms, zero, reference })
    }
}
