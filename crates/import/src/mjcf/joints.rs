//! Joints of a body: none (it is fixed to the body around it), one, or several, with massless bodies between them.
//! Joints in a `<frame>` of the body have their points and axes in that frame; a free joint has the frame of the body.
//!
//! MuJoCo aligns a free joint with the inertia of its body if `align` requires it and the body carries no other. The
//! positions of the joint are then the centre of mass and the axes of the inertia.

use super::{NamedJoint, Reader};
use crate::frame::Pose;
use crate::mjcf::contacts::law_of_limit;
use crate::mjcf::defaults::Spec;
use crate::robot::{Body, Joint, JointStop, Robot, is_single, unique};
use crate::xml::Element;
use ballesta::math::{Vec3, rotation};
use ballesta::model::schema::{Bushing, JointKind as Kind, JointSpring, numbers};

impl<'e> Reader<'e> {
    /// Reads the joints of the body `given`, in the model `body`, whose frame is `pose`, and returns their number.
    pub fn joints(
        &mut self,
        element: &'e Element,
        given: &str,
        body: &str,
        parent: &str,
        pose: &Pose,
        childclass: Option<&'e str>,
    ) -> usize {
        // A body without joints is fixed to its parent.
        let mut joints = Vec::new();
        self.joints_in(element, pose, childclass, &mut joints);
        if joints.is_empty() {
            let name = unique(&mut self.robot.names.constraints, &format!("{given}.fixed"));
            let bodies = [parent.to_string(), body.to_string()];
            self.robot.joints.push(Joint::new(name, Kind::Fixed, bodies, pose.at, element.place));
        }
        // Several joints of one body become a chain with massless bodies between them.
        let mut from = parent.to_string();
        for (number, (joint, frame, childclass)) in (1..).zip(&joints) {
            let to = match number == joints.len() {
                true => body.to_string(),
                false => {
                    let name = unique(&mut self.robot.names.bodies, &format!("{given}.{number}"));
                    self.robot.bodies.push(Body::new(&name, pose.at, joint.place));
                    name
                }
            };
            // Unnamed joints have the name of their body.
            let usual = if joints.len() == 1 { format!("{given}.joint") } else { format!("{given}.joint_{number}") };
            let usual = self.name_of(joint, &usual);
            self.joint(joint, [from, to.clone()], [pose, frame], &usual, *childclass);
            from = to;
        }
        joints.len()
    }

    /// The joints of a body in the order of the file, each with the frame of its numbers and its class.
    fn joints_in(
        &self,
        element: &'e Element,
        pose: &Pose,
        childclass: Option<&'e str>,
        found: &mut Vec<(&'e Element, Pose, Option<&'e str>)>,
    ) {
        for child in &element.children {
            match child.name.as_str() {
                "joint" | "freejoint" => found.push((child, *pose, childclass)),
                "frame" => {
                    let inner = pose.then(&self.compiler(child).pose(&self.defaults.of(self.files, child, None)));
                    self.joints_in(child, &inner, self.childclass(child).or(childclass), found);
                }
                _ => {}
            }
        }
    }

    fn joint(
        &mut self,
        element: &'e Element,
        bodies: [String; 2],
        [pose, frame]: [&Pose; 2],
        given: &str,
        childclass: Option<&'e str>,
    ) {
        // Defaults do not apply to a freejoint.
        let is_free = element.name == "freejoint";
        let spec = self.defaults.of(self.files, element, childclass.filter(|_| !is_free));
        spec.skip(&["group", "user"]);
        spec.note_given(&["margin"], ": the stop law has no such parameter");
        let law = Some(law_of_limit(&spec));
        spec.note_given(&["solreffriction", "solimpfriction"], ": the friction law has no such parameters");
        let aligns = match spec.text("align") {
            Some("true") => true,
            Some("false") => false,
            _ => self.compiler(element).align_free,
        };
        let kind = match if is_free { "free" } else { spec.text("type").unwrap_or("hinge") } {
            "hinge" => Kind::Revolute,
            "slide" => Kind::Prismatic,
            "ball" => Kind::Spherical,
            "free" => Kind::Floating,
            other => {
                spec.wrong("type", format!("unknown joint type \"{other}\""), "write hinge, slide, ball or free");
                return;
            }
        };
        if self.joints.contains_key(given) {
            let found = format!("there are two joints \"{given}\"");
            self.files.wrong(element.place_of("name"), "joint.name", found, "give each joint a unique name");
        }
        let name = unique(&mut self.robot.names.constraints, given);
        let unit = if kind == Kind::Revolute { self.compiler(element).angle } else { 1.0 };
        let own = spec.numbers::<3>("pos").map_or(Vec3::zeros(), Vec3::from);
        let axis = is_single(kind).then(|| {
            let axis = spec.numbers::<3>("axis").map_or(Vec3::z(), Vec3::from);
            axis.try_normalize(1e-10).unwrap_or_else(|| {
                spec.wrong("axis", "the axis has zero length", "give three numbers, not all 0");
                Vec3::z()
            })
        });
        let reference = spec.number("ref").unwrap_or_default() * unit;
        let autolimits = self.compiler(element).autolimits;
        let is_limited = spec.is_limited("limited", "range", autolimits);
        let zero = match kind {
            Kind::Floating => {
                let [w, x, y, z] = rotation::quaternion(&pose.turn);
                vec![pose.at.x, pose.at.y, pose.at.z, w, x, y, z]
            }
            Kind::Spherical => vec![1.0, 0.0, 0.0, 0.0],
            _ => vec![reference],
        };
        let point = if kind == Kind::Floating { pose.at } else { frame.point(&own) };
        self.robot.joints.push(Joint {
            axis: axis.map(|axis| frame.turn * axis),
            ..Joint::new(&name, kind, bodies, point, element.place)
        });
        let known = NamedJoint {
            name: name.clone(),
            kind,
            zero,
            turn: pose.turn,
            spring_reference: spec.number("springref").unwrap_or_default() * unit,
            range: spec.numbers::<2>("range").map(|range| {
                // MuJoCo converts angles of joints with limits only.
                let unit = if is_limited { unit } else { 1.0 };
                range.map(|end| end * unit)
            }),
        };
        self.joints.insert(given.to_string(), known.clone());
        self.order.push(known);
        if kind == Kind::Floating && aligns {
            self.aligned.push(name.clone());
        }
        let number = |key: &str| spec.not_negative(key);
        let (damping, stiffness) = (number("damping"), number("stiffness"));
        let (friction, armature) = (number("frictionloss"), number("armature"));
        if let Some(range) = spec.limits("actuatorfrclimited", "actuatorfrcrange", autolimits) {
            self.force_ranges.push((name.clone(), range, spec.place_of("actuatorfrcrange")));
        }
        if spec.text("actuatorgravcomp") == Some("true") {
            spec.note("actuatorgravcomp", "actuatorgravcomp of <joint>");
        }
        if !is_single(kind) {
            let angle = self.compiler(element).angle;
            return several(&mut self.robot, &spec, [damping, stiffness, friction, armature], is_limited, angle);
        }
        if let Some([lower, upper]) = spec.limits("limited", "range", autolimits) {
            let [lower, upper] = [lower, upper].map(|end| Some(end * unit - reference));
            self.robot.stops.push(JointStop { joint: name.clone(), lower, upper, effort: 0.0, law });
        }
        // Both numbers replace stiffness and damping, after the inertias are known.
        let spring_damper = spec.numbers::<2>("springdamper").filter(|pair| pair.iter().all(|number| *number > 0.0));
        if damping > 0.0 || stiffness > 0.0 || spring_damper.is_some() {
            let spring = self.robot.element_name(&format!("{name}.spring"));
            let free = spec.number("springref").unwrap_or_default() * unit - reference;
            let free_position = if stiffness > 0.0 || spring_damper.is_some() { free } else { 0.0 }.into();
            let place = spec.place_of("springdamper");
            self.spring_dampers.extend(spring_damper.map(|pair| (name.clone(), pair, place)));
            let (stiffness, damping, spring) = (stiffness.into(), damping.into(), JointSpring::new(spring, &name));
            self.robot.springs.push(JointSpring { stiffness, damping, free_position, ..spring });
        }
        spec.skip(&["springref"]);
        if friction > 0.0 {
            self.robot.frictions.push((name.clone(), friction));
        }
        if armature > 0.0 {
            self.robot.armatures.push((name, armature));
        }
    }
}

/// Loads on the last joint, a ball or free joint: a bushing has the damping, and the spring of a ball joint. `unit`:
/// rad per angle in the file.
fn several(
    robot: &mut Robot,
    spec: &Spec,
    [damping, stiffness, friction, armature]: [f64; 4],
    is_limited: bool,
    unit: f64,
) {
    let Some(joint) = robot.joints.last() else { return };
    let is_free = joint.kind == Kind::Floating;
    let word = if is_free { "free" } else { "ball" };
    let note = |key: &str, has: bool| {
        if has {
            spec.note(key, format!("{key} of a {word} joint"));
        }
    };
    note("frictionloss", friction != 0.0);
    if armature > 0.0 {
        robot.armatures.push((joint.name.clone(), armature));
    }
    let limit = spec.numbers::<2>("range").filter(|_| is_limited);
    if is_free {
        note("range", is_limited);
    } else if let Some([_, largest]) = limit {
        // MuJoCo limits the angle of the whole rotation.
        let largest = (largest * unit).clamp(0.0, std::f64::consts::PI);
        robot.ball_stops.push((robot.joints[robot.joints.len() - 1].name.clone(), largest));
    }
    note("stiffness", stiffness != 0.0 && is_free);
    spec.note_given(&["springdamper"], "");
    // MuJoCo ignores these keys for joints with several coordinates.
    spec.skip(&["springref", "range", "axis", "ref"]);
    let stiffness = if is_free { 0.0 } else { stiffness };
    if damping > 0.0 || stiffness > 0.0 {
        let turns = |value: f64| [0.0, 0.0, 0.0, value, value, value];
        let damping = if is_free { [damping; 6] } else { turns(damping) };
        let (bodies, point, name) = (joint.bodies.clone(), joint.point, format!("{}.spring", joint.name));
        let bushing = Bushing::new(robot.element_name(&name), bodies, point, numbers(turns(stiffness)));
        robot.bushings.push(Bushing { damping: Some(numbers(damping)), ..bushing });
    }
}
