//! `terminalsAndIcons/`: groups of related variables, and a picture of the model.
//!
//! FMI 3.0, section 2.4.9, and FMI 2.0.4, which uses the same file. Terminals follow from the model file:
//!
//! | terminal | members |
//! |---|---|
//! | a `[[wheel_port]]`, by its name | `pos`, `rot`, `lin_vel`, `ang_vel`, `point`, `force`, `moment`, or components |
//! | a joint with a `[[drive]]` by an input, by its name | `effort`; `position` and `speed` where they are outputs |
//! | a `[[tyre]]` (wheel), by its name | `friction`, `road_height` from inputs; its outputs by their quantities |
//! | a `[[brake]]`, by its name | `torque` from an input; `speed` of its joint where it is an output |
//! | a `[[speed_control]]` (driver), by its name | `target` from an input; its outputs |
//! | a `[[guided]]` by inputs (steering), by its name | `input`, or `position`, `speed`, `acceleration`; its outputs |
//! | a body that floats (chassis), by its name | its outputs by their quantities |
//!
//! An element without variables of the FMU has no terminal. Filtered outputs belong to no terminal.
//!
//! The icon is the picture of the topology, which importers show on the block: `icon.png` and `icon.svg`.

use super::archive::Entry;
use super::version::Version;
use ballesta::fmi::arrays::arrays;
use ballesta::fmi::variables::Variable;
use ballesta::model::schema::{JointKind, Model, Number, Output, Quantity};
#[cfg(feature = "png")]
use ballesta_pictures::{diagram::topology_svg, raster};
use quick_xml::Writer;
use quick_xml::events::{BytesDecl, Event};
use std::io;

/// The folder in the FMU.
const FOLDER: &str = "terminalsAndIcons/";
/// The longer side of the icon in units of its coordinate system; a unit is 0.1 mm.
#[cfg(feature = "png")]
const SIDE: f64 = 200.0;
/// The longer side of `icon.png` in pixels.
#[cfg(feature = "png")]
const PIXELS: u32 = 400;

/// Connection formed by several variables.
#[derive(Debug, PartialEq)]
struct Terminal {
    name: String,
    kind: &'static str,
    description: String,
    /// Variable and its role in the terminal.
    members: Vec<(String, String)>,
}

/// The files of the folder.
pub fn entries(version: Version, model: &Model, variables: &[Variable]) -> Vec<Entry> {
    let icon = icon(model);
    let sides = icon.as_ref().map(|icon| icon.sides);
    let xml = text(&terminals(version, model, variables), sides);
    let mut entries = vec![Entry::new(format!("{FOLDER}terminalsAndIcons.xml"), xml)];
    if let Some(icon) = icon {
        entries.push(Entry::new(format!("{FOLDER}icon.png"), icon.png));
        entries.push(Entry::new(format!("{FOLDER}icon.svg"), icon.svg));
    }
    entries
}

/// The topology as a picture of the FMU.
struct Icon {
    svg: String,
    png: Vec<u8>,
    /// Width and height in the diagram of an importer.
    sides: [f64; 2],
}

/// The icon, an SVG and a required PNG; `None` from a program without PNG.
#[cfg(feature = "png")]
fn icon(model: &Model) -> Option<Icon> {
    let svg = topology_svg(model);
    // A drawing error would be a bug of the program; an FMU without icon is still valid.
    let png = raster::png_within(&svg, PIXELS).ok()?;
    let longer = f64::from(png.width.max(png.height));
    let sides = [png.width, png.height].map(|side| SIDE * f64::from(side) / longer);
    Some(Icon { svg, png: png.bytes, sides })
}

#[cfg(not(feature = "png"))]
fn icon(_: &Model) -> Option<Icon> {
    None
}

/// The terminals of a model with these variables.
fn terminals(version: Version, model: &Model, variables: &[Variable]) -> Vec<Terminal> {
    // FMI 3 has array variables; FMI 2 has one scalar variable per component.
    let names: Vec<&str> = match version {
        Version::Fmi2 => variables.iter().map(|variable| variable.name.as_str()).collect(),
        Version::Fmi3 => arrays(variables).map(|array| array.name).collect(),
    };
    // A wheel port groups all variables with its prefix.
    let ports = model.wheel_ports.iter().map(|port| Terminal {
        name: port.name.clone(),
        kind: "org.ballesta.wheel_port",
        description: format!("Motion of the wheel of `{}` and road load on it, world axes", port.joint),
        members: names
            .iter()
            .filter_map(|name| {
                let member = name.strip_prefix(port.name.as_str())?.strip_prefix('.')?;
                Some((name.to_string(), member.to_string()))
            })
            .collect(),
    });
    // A drive is a terminal if its effort is an input and no other drive acts on the joint.
    let drives = model.drives.iter().filter_map(|drive| {
        let Number::Parameter(effort) = &drive.value else { return None };
        let is_input = model.inputs.iter().any(|input| input.name == *effort);
        let alone = model.drives.iter().filter(|other| other.joint == drive.joint).count() == 1;
        if !is_input || !alone || drive.coordinate.is_some() {
            return None;
        }
        // Unfiltered position and speed of the joint complete the terminal.
        let motion = [("position", Quantity::Position), ("speed", Quantity::Speed)].into_iter().filter_map(
            |(word, quantity)| {
                let of_joint = |output: &&ballesta::model::schema::Output| {
                    output.joint.as_ref() == Some(&drive.joint)
                        && output.quantity == quantity
                        && output.low_pass.is_none()
                };
                let output = model.outputs.iter().find(of_joint)?;
                Some((output.name.clone(), word.to_string()))
            },
        );
        Some(Terminal {
            name: drive.joint.clone(),
            kind: "org.ballesta.drive",
            description: format!("Drive of `{}`", drive.joint),
            members: std::iter::once((effort.clone(), "effort".to_string())).chain(motion).collect(),
        })
    });
    // A terminal must have all of its variables and a unique name.
    let mut terminals: Vec<Terminal> = Vec::new();
    for terminal in ports.chain(drives).chain(elements(model, &names)) {
        let known = |(name, _): &(String, String)| names.contains(&name.as_str());
        if terminal.members.iter().all(known) && terminals.iter().all(|other| other.name != terminal.name) {
            terminals.push(terminal);
        }
    }
    terminals
}

/// The terminals of tyres, brakes, drivers, guided coordinates and floating bodies.
fn elements(model: &Model, names: &[&str]) -> Vec<Terminal> {
    let mut found = Vec::new();
    let belongs = |name: &str, output: &Output| {
        name.strip_prefix(output.name.as_str()).is_some_and(|rest| rest.is_empty() || rest.starts_with('.'))
    };
    let mut add = |name: &str, kind, description, inputs: &[(Option<&Number>, &str)], of: &dyn Fn(&Output) -> bool| {
        let inputs = inputs.iter().filter_map(|(value, member)| match value {
            Some(Number::Parameter(input)) if model.inputs.iter().any(|known| known.name == *input) => {
                Some((input.clone(), member.to_string()))
            }
            _ => None,
        });
        let mut members: Vec<(String, String)> = inputs.collect();
        for output in model.outputs.iter().filter(|output| output.low_pass.is_none() && of(output)) {
            let component = output.component.map_or_else(String::new, |component| format!(".{}", word(&component)));
            // If `tyre` and `tyre.slip` are both outputs, the longer name is used.
            let nearer = |name: &str, other: &Output| other.name.len() > output.name.len() && belongs(name, other);
            let own = names.iter().filter(|name| belongs(name, output));
            for name in own.filter(|name| !model.outputs.iter().any(|other| nearer(name, other))) {
                let member = format!("{}{component}{}", word(&output.quantity), &name[output.name.len()..]);
                if members.iter().all(|(variable, known)| *known != member && variable != name) {
                    members.push((name.to_string(), member));
                }
            }
        }
        if !members.is_empty() {
            found.push(Terminal { name: name.to_string(), kind, description, members });
        }
    };
    for tyre in &model.tyres {
        let inputs = [(Some(&tyre.friction), "friction"), (Some(&tyre.road_height), "road_height")];
        let text = format!("Wheel on `{}`", tyre.joint);
        add(&tyre.name, "org.ballesta.wheel", text, &inputs, &|output| output.tyre.as_ref() == Some(&tyre.name));
    }
    for brake in &model.brakes {
        let inputs = [(Some(&brake.torque), "torque")];
        let of = |output: &Output| output.joint.as_ref() == Some(&brake.joint) && output.quantity == Quantity::Speed;
        add(&brake.name, "org.ballesta.brake", format!("Brake of `{}`", brake.joint), &inputs, &of);
    }
    for control in &model.speed_controls {
        let inputs = [(Some(&control.target), "target")];
        let of = |output: &Output| output.drive.as_ref() == Some(&control.name);
        add(&control.name, "org.ballesta.driver", format!("Speed control of `{}`", control.body), &inputs, &of);
    }
    for guided in &model.guided {
        let given = guided.input.iter().chain(guided.inputs.iter().flatten());
        let given: Vec<Number> = given.map(|input| Number::Parameter(input.clone())).collect();
        let words: &[&str] = if given.len() == 1 { &["input"] } else { &["position", "speed", "acceleration"] };
        let inputs: Vec<_> = given.iter().map(Some).zip(words.iter().copied()).collect();
        let of = |output: &Output| output.guided.as_ref() == Some(&guided.name);
        let text = format!("Prescribed motion of `{}`", guided.joint);
        if !inputs.is_empty() {
            add(&guided.name, "org.ballesta.guided", text, &inputs, &of);
        }
    }
    for joint in model.joints.iter().filter(|joint| joint.kind == JointKind::Floating) {
        let Some(body) = joint.bodies.iter().find(|body| *body != "ground") else { continue };
        let of = |output: &Output| output.body.as_ref() == Some(body);
        add(body, "org.ballesta.body", format!("Floating body `{body}`"), &[], &of);
    }
    found
}

/// Name of a quantity or component in the model file.
fn word(value: &impl serde::Serialize) -> String {
    match serde_json::to_value(value) {
        Ok(serde_json::Value::String(word)) => word,
        _ => String::new(),
    }
}

/// The text of `terminalsAndIcons.xml`; `sides` are width and height of the icon.
fn text(terminals: &[Terminal], sides: Option<[f64; 2]>) -> String {
    let mut xml = Writer::new_with_indent(Vec::new(), b' ', 2);
    write(&mut xml, terminals, sides).expect("writing to a Vec cannot fail");
    let mut text = String::from_utf8(xml.into_inner()).expect("written from strings");
    text.push('\n');
    text
}

fn write(xml: &mut Writer<Vec<u8>>, terminals: &[Terminal], sides: Option<[f64; 2]>) -> io::Result<()> {
    xml.write_event(Event::Decl(BytesDecl::new("1.0", Some("UTF-8"), None)))?;
    // Version of the FMI 3.0 schema, also in FMUs for FMI 2.0.
    xml.create_element("fmiTerminalsAndIcons").with_attribute(("fmiVersion", "3.0")).write_inner_content(|xml| {
        if let Some(sides) = sides {
            let [x, y] = sides.map(|side| format!("{:.1}", side / 2.0));
            let [left, below] = [&x, &y].map(|half| format!("-{half}"));
            let corners = [("x1", &left), ("y1", &below), ("x2", &x), ("y2", &y)];
            let corners = || corners.into_iter().map(|(name, value)| (name, value.as_str()));
            xml.create_element("GraphicalRepresentation").write_inner_content(|xml| {
                let frame = xml.create_element("CoordinateSystem").with_attributes(corners());
                frame.with_attribute(("suggestedScalingFactorTo_mm", "0.1")).write_empty()?;
                xml.create_element("Icon").with_attributes(corners()).write_empty()?;
                Ok(())
            })?;
        }
        if terminals.is_empty() {
            return Ok(());
        }
        xml.create_element("Terminals").write_inner_content(|xml| {
            for terminal in terminals {
                let element = xml.create_element("Terminal").with_attribute(("name", terminal.name.as_str()));
                let element =
                    element.with_attribute(("matchingRule", "plug")).with_attribute(("terminalKind", terminal.kind));
                element.with_attribute(("description", terminal.description.as_str())).write_inner_content(|xml| {
                    for (variable, member) in &terminal.members {
                        xml.create_element("TerminalMemberVariable")
                            .with_attribute(("variableKind", "signal"))
                            .with_attribute(("variableName", variable.as_str()))
                            .with_attribute(("memberName", member.as_str()))
                            .write_empty()?;
                    }
                    Ok(())
                })?;
            }
            Ok(())
        })?;
        Ok(())
    })?;
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Package;
    use ballesta::model::load;

    fn of(path: &str, version: Version) -> Vec<Terminal> {
        let document = load(&std::path::Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/../..")).join(path)).unwrap();
        let package = Package::new(&document, "").unwrap();
        terminals(version, package.model, &package.variables)
    }

    fn members(terminal: &Terminal) -> Vec<&str> {
        terminal.members.iter().map(|(_, member)| member.as_str()).collect()
    }

    #[test]
    fn a_wheel_port_is_a_terminal_of_all_its_variables() {
        let scalars = of("models/van/hubs.toml", Version::Fmi2);
        let ports = scalars.iter().filter(|terminal| terminal.kind.ends_with("wheel_port"));
        assert_eq!(ports.map(|port| port.members.len()).collect::<Vec<_>>(), [22; 4], "{scalars:?}");
        let arrays = of("models/van/hubs.toml", Version::Fmi3);
        let expected = [
            "point.x", "point.y", "point.z", "force.x", "force.y", "force.z", "moment.x", "moment.y", "moment.z", "pos",
        ];
        assert_eq!(members(&arrays[0])[..10], expected, "{arrays:?}");
        assert!(members(&arrays[0]).contains(&"ang_vel") && !members(&arrays[0]).contains(&"ang_vel.x"));
    }

    #[test]
    fn wheels_brakes_the_driver_the_steering_and_the_chassis_of_a_van_are_terminals() {
        for version in [Version::Fmi2, Version::Fmi3] {
            let found = of("models/van/model.toml", version);
            let of_kind = |kind: &str| found.iter().filter(|terminal| terminal.kind.ends_with(kind)).count();
            let kinds = ["wheel", "brake", "driver", "guided", "body"].map(of_kind);
            assert_eq!(kinds, [4, 4, 1, 1, 1], "{found:?}");
            let wheel = found.iter().find(|terminal| terminal.name == "axle1.left.tyre").unwrap();
            let member =
                |name: &str| wheel.members.iter().find(|(variable, _)| variable == name).map(|(_, m)| m.as_str());
            assert_eq!(member("axle1.left.tyre.slip_angle"), Some("slip_angle"), "{wheel:?}");
            for terminal in &found {
                let mut names: Vec<&str> = members(terminal);
                names.sort_unstable();
                assert!(names.windows(2).all(|pair| pair[0] != pair[1]), "{terminal:?}");
            }
        }
    }

    #[test]
    fn a_joint_that_an_input_drives_is_a_terminal() {
        let found = of("models/driven_arm/model.toml", Version::Fmi2);
        let names: Vec<&str> = found.iter().map(|terminal| terminal.name.as_str()).collect();
        assert_eq!(names, ["yaw", "elbow"]);
        assert_eq!(
            found[0].members,
            [("yaw.torque", "effort"), ("yaw.angle", "position")].map(|(a, b)| (a.into(), b.into()))
        );
        assert_eq!(members(&found[1]), ["effort", "position", "speed"]);
        assert!(of("models/pendulum/model.toml", Version::Fmi3).is_empty());
    }
}
