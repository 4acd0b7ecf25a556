//! Sensors that are outputs.

use super::{Reader, Site};
use crate::robot::{identifier, is_single};
use crate::xml::Element;
use ballesta::model::schema::{Axes, Output, Quantity};

/// Axes of sensors of a rotated site, because the axes of the site are not available.
const BODY_AXES: &str = "body-fixed axes that coincide with W at the zero position";

impl<'e> Reader<'e> {
    pub fn sensors(&mut self, root: &'e Element) {
        for sensor in root.all("sensor") {
            for element in &sensor.children {
                self.sensor(element);
            }
        }
    }

    fn sensor(&mut self, element: &'e Element) {
        let spec = self.defaults.of(self.files, element, None);
        spec.skip(&["user"]);
        spec.note_given(&["noise", "cutoff"], ": the output is ideal");
        let kind = element.name.as_str();
        let of_joint = |quantity: Quantity| {
            let joint = self.named_joint(&spec, "joint")?;
            is_single(joint.kind).then(|| Output { joint: Some(joint.name), ..Output::new("", quantity) })
        };
        let of_tendon = |quantity: Quantity| {
            let name = spec.text("tendon")?;
            if let Some(path) = self.paths.get(name) {
                let quantity = if quantity == Quantity::Position { Quantity::Length } else { quantity };
                return Some(Output { spring: Some(path.cable.clone()?), ..Output::new("", quantity) });
            }
            let joint = self.tendons.get(name)?;
            Some(Output { joint: Some(joint.name.clone()), ..Output::new("", quantity) })
        };
        let has_point = |quantity| matches!(quantity, Quantity::Position | Quantity::Velocity | Quantity::Acceleration);
        let of_site = |quantity: Quantity, in_body_axes: bool, name: &str| {
            let Site { body, pose } = self.sites.get(name)?.clone();
            let turned = (pose.turn - ballesta::math::Mat3::identity()).norm() > 1e-12;
            let description = match in_body_axes && turned {
                true => format!("In {BODY_AXES}"),
                false => String::new(),
            };
            let point = has_point(quantity).then(|| pose.at.into());
            let axes = if in_body_axes { Axes::Body } else { Axes::World };
            let is_moving = body != "ground";
            is_moving.then(|| Output { body: Some(body), point, axes, description, ..Output::new("", quantity) })
        };
        let site = spec.text("site").unwrap_or_default();
        let of_object = |quantity: Quantity| {
            let name = spec.text("objname").filter(|_| !spec.has("reftype") && !spec.has("refname"))?;
            match spec.text("objtype")? {
                "site" => of_site(quantity, false, name),
                // `body`: the inertial frame; `xbody`: the frame of the body in the file.
                "body" | "xbody" => {
                    let (body, pose) = self.bodies.get(name)?.clone();
                    let is_at_frame = has_point(quantity) && spec.text("objtype") == Some("xbody");
                    let (is_moving, point) = (body != "ground", is_at_frame.then(|| pose.at.into()));
                    is_moving.then(|| Output { body: Some(body), point, ..Output::new("", quantity) })
                }
                _ => None,
            }
        };
        let found = match kind {
            "jointpos" => of_joint(Quantity::Position),
            "jointvel" => of_joint(Quantity::Speed),
            "tendonpos" => of_tendon(Quantity::Position),
            "tendonvel" => of_tendon(Quantity::Speed),
            "velocimeter" => of_site(Quantity::Velocity, true, site),
            "gyro" => of_site(Quantity::AngularVelocity, true, site),
            "accelerometer" => of_site(Quantity::Acceleration, true, site),
            "framepos" => of_object(Quantity::Position),
            "framequat" => of_object(Quantity::Rotation),
            "framelinvel" => of_object(Quantity::Velocity),
            "frameangvel" => of_object(Quantity::AngularVelocity),
            "framelinacc" => of_object(Quantity::Acceleration),
            "frameangacc" => of_object(Quantity::AngularAcceleration),
            "actuatorfrc" => {
                let drive = spec.text("actuator").and_then(|name| self.actuators.get(name));
                drive.map(|drive| Output { drive: Some(drive.clone()), ..Output::new("", Quantity::Effort) })
            }
            _ => None,
        };
        let Some(mut output) = found else {
            element.mark_all();
            return self.files.note(element.place, format!("sensor <{kind}>"));
        };
        let list = |differs: &str| self.files.note(element.place, format!("{kind}: the output is {differs}"));
        if !output.description.is_empty() {
            list(&format!("in {BODY_AXES}, not in the axes of the site"));
        }
        match kind {
            "accelerometer" | "framelinacc" => list("without gravity"),
            "framequat" => list("the rotation since the zero position"),
            "actuatorfrc" => list("the effort on the joint"),
            "tendonpos" if output.spring.is_none() => list("the length minus the length at the zero position"),
            "jointpos" if self.reference(&spec) => list("the position minus the joint's ref"),
            _ => {}
        }
        let given = element.text("name").map_or(format!("{kind}_{}", self.robot.outputs.len()), str::to_string);
        output.name = self.robot.variable_name(&identifier(&given), "");
        self.robot.outputs.push(output);
    }

    fn reference(&self, spec: &crate::mjcf::defaults::Spec) -> bool {
        self.named_joint(spec, "joint").is_some_and(|joint| joint.zero.first().is_some_and(|zero| *zero != 0.0))
    }
}
