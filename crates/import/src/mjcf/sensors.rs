//! Sensors that are outputs.

use super::{Reader, Site};
use crate::robot::{Output, identifier};
use crate::xml::Element;

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
        let of_joint = |quantity: &'static str| {
            let joint = self.named_joint(&spec, "joint")?;
            joint.kind.is_single().then(|| Output::new(String::new(), quantity, "joint", &joint.name))
        };
        let of_site = |quantity: &'static str, in_body_axes: bool, name: &str| {
            let Site { body, pose } = self.sites.get(name)?.clone();
            let turned = (pose.turn - ballesta::math::Mat3::identity()).norm() > 1e-12;
            let description = match in_body_axes && turned {
                true => format!("In {BODY_AXES}"),
                false => String::new(),
            };
            let has_point = ["position", "velocity", "acceleration"].contains(&quantity);
            let point = has_point.then_some(pose.at);
            let output =
                Output { point, in_body_axes, description, ..Output::new(String::new(), quantity, "body", &body) };
            (body != "ground").then_some(output)
        };
        let site = spec.text("site").unwrap_or_default();
        let of_object = |quantity: &'static str| {
            let name = spec.text("objname").filter(|_| !spec.has("reftype") && !spec.has("refname"))?;
            match spec.text("objtype")? {
                "site" => of_site(quantity, false, name),
                // `body`: the inertial frame; `xbody`: the frame of the body in the file.
                "body" | "xbody" => {
                    let (body, pose) = self.bodies.get(name)?.clone();
                    let point = match (quantity, spec.text("objtype")) {
                        ("position" | "velocity" | "acceleration", Some("xbody")) => Some(pose.at),
                        _ => None,
                    };
                    let output = Output { point, ..Output::new(String::new(), quantity, "body", &body) };
                    (body != "ground").then_some(output)
                }
                _ => None,
            }
        };
        let found = match kind {
            "jointpos" => of_joint("position"),
            "jointvel" => of_joint("speed"),
            "velocimeter" => of_site("velocity", true, site),
            "gyro" => of_site("angular_velocity", true, site),
            "accelerometer" => of_site("acceleration", true, site),
            "framepos" => of_object("position"),
            "framequat" => of_object("rotation"),
            "framelinvel" => of_object("velocity"),
            "frameangvel" => of_object("angular_velocity"),
            "framelinacc" => of_object("acceleration"),
            "frameangacc" => of_object("angular_acceleration"),
            "actuatorfrc" => {
                let drive = spec.text("actuator").and_then(|name| self.actuators.get(name));
                drive.map(|drive| Output::new(String::new(), "effort", "drive", drive))
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
            "actuatorfrc" => list("the contribution of the input, at the joint"),
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
