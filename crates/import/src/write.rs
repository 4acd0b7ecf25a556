//! The model file.

use crate::robot::{Form, Robot, identifier};
use crate::solids::{Contact, SolidKind};
use ballesta::math::Vec3;
use std::fmt::Write;

/// A text in quotes.
fn quoted(text: &str) -> String {
    toml::Value::String(text.to_string()).to_string()
}

/// A number with the fewest digits that read back to the same value.
fn number(value: f64) -> String {
    match value {
        0.0 => "0".into(),
        _ if value.fract() == 0.0 && value.abs() < 1e6 => format!("{value:.0}"),
        _ => format!("{value:?}"),
    }
}

fn numbers(values: &[f64]) -> String {
    format!("[{}]", values.iter().map(|value| number(*value)).collect::<Vec<_>>().join(", "))
}

fn vector(v: &Vec3) -> String {
    numbers(&[v.x, v.y, v.z])
}

fn pair(names: &[String; 2]) -> String {
    format!("[{}, {}]", quoted(&names[0]), quoted(&names[1]))
}

/// Keys and values of one table, without absent ones.
struct Table<'t>(&'t mut String);

impl<'t> Table<'t> {
    fn new(text: &'t mut String, name: &str) -> Table<'t> {
        text.push('\n');
        Table::beneath(text, name)
    }

    /// Whether to omit the empty line above.
    fn beneath(text: &'t mut String, name: &str) -> Table<'t> {
        let _ = writeln!(text, "[[{name}]]");
        Table(text)
    }

    fn key(self, key: &str, value: impl Into<Option<String>>) -> Table<'t> {
        if let Some(value) = value.into() {
            let _ = writeln!(self.0, "{key} = {value}");
        }
        self
    }

    fn text(self, key: &str, value: &str) -> Table<'t> {
        let value = (!value.is_empty()).then(|| quoted(value));
        self.key(key, value)
    }
}

fn given(value: f64, default: f64) -> Option<String> {
    (value != default).then(|| number(value))
}

/// The text of the model file of `robot`, imported from `source`; `notes` lists the parts that were not imported.
pub fn model(robot: &Robot, source: &str, notes: &[String]) -> String {
    let mut text = format!("# Written by `ballesta import` from {}.\n", source.escape_debug());
    text += "# All joint coordinates are zero in the design position; W is the frame of the root link.\n";
    if !notes.is_empty() {
        text += "#\n# Not converted, with file and lines:\n";
        for note in notes {
            let _ = writeln!(text, "#   {}", note.escape_debug());
        }
    }
    let _ = writeln!(text, "\n[model]\nname = {}", quoted(&identifier(&robot.name)));
    if robot.gravity != Vec3::zeros() {
        let _ = writeln!(text, "gravity = {}", vector(&robot.gravity));
    }
    let _ = writeln!(text, "step = {}", number(robot.model_step()));
    if robot.is_stiff() {
        text += "# Stops, friction and dampers of light links are too stiff for an explicit scheme.\n";
        text += "integrator = \"generalized_alpha\"\n";
    }
    text += "\n[experiment]\nstop = 1\nstep = 0.01\n";
    mechanism(robot, &mut text);
    forces(robot, &mut text);
    solids(robot, &mut text);
    boundary(robot, &mut text);
    shapes(robot, &mut text);
    text
}

fn mechanism(robot: &Robot, text: &mut String) {
    for body in &robot.bodies {
        let table = Table::new(text, "body").text("name", &body.name);
        let i = &body.inertia;
        // The two halves of a product are rounded differently.
        let entries = [i.m11, i.m22, i.m33, 0.5 * (i.m12 + i.m21), 0.5 * (i.m23 + i.m32), 0.5 * (i.m13 + i.m31)];
        // A rotor needs `mass = 0` in the file.
        let is_rotor = body.mass == 0.0 && entries != [0.0; 6];
        let mass = if is_rotor { Some(number(0.0)) } else { given(body.mass, 0.0) };
        let table = table.key("mass", mass).key("com", vector(&body.com));
        table.key("inertia", (entries != [0.0; 6]).then(|| numbers(&entries)));
    }
    for joint in &robot.joints {
        let table = Table::new(text, "joint").text("name", &joint.name).text("type", joint.kind.word());
        let position = match joint.position.as_slice() {
            [] => None,
            [one] => Some(number(*one)),
            all => Some(numbers(all)),
        };
        table
            .key("bodies", pair(&joint.bodies))
            .key("point", vector(&joint.point))
            .key("axis", joint.axis.map(|axis| vector(&axis)))
            .key("position", position)
            .key("cut", joint.is_closure.then(|| "true".to_string()));
    }
    for coupler in &robot.couplers {
        let of = |name: &String| format!("{{ joint = {} }}", quoted(name));
        let coordinates = format!("[{}, {}]", of(&coupler.joints[0]), of(&coupler.joints[1]));
        let table = Table::new(text, "coupler").text("name", &coupler.name).key("coordinates", coordinates);
        if coupler.table.is_empty() {
            table.key("ratio", number(coupler.ratio)).key("offset", given(coupler.offset, 0.0));
        } else {
            let rows: Vec<String> = coupler.table.iter().map(|row| format!("    {},\n", numbers(row))).collect();
            table.key("table", format!("[\n{}]", rows.concat()));
        }
    }
    for (joint, position) in &robot.held {
        let table = Table::new(text, "guided").text("name", joint).text("joint", joint);
        table.key("motion", format!("{{ offset = {} }}", number(*position)));
    }
}

fn forces(robot: &Robot, text: &mut String) {
    for stop in &robot.stops {
        let Some([stiffness, damping, depth]) = robot.stop_law(stop) else { continue };
        Table::new(text, "bump_stop")
            .text("name", &format!("{}.stop", stop.joint))
            .text("joint", &stop.joint)
            .key("lower", stop.lower.map(number))
            .key("upper", stop.upper.map(number))
            .key("stiffness", number(short(stiffness)))
            .key("damping", given(short(damping), 0.0))
            .key("damping_depth", (damping > 0.0).then(|| number(depth)));
    }
    for spring in &robot.springs {
        Table::new(text, "joint_spring")
            .text("name", &spring.name)
            .text("joint", &spring.joint)
            .key("stiffness", given(spring.stiffness, 0.0))
            .key("damping", given(spring.damping, 0.0))
            .key("free_position", given(spring.free, 0.0))
            .key("preload", given(spring.preload, 0.0));
    }
    for bushing in &robot.bushings {
        let table = Table::new(text, "bushing").text("name", &bushing.name).key("bodies", pair(&bushing.bodies));
        let table = table.key("point", vector(&bushing.point)).key("stiffness", numbers(&bushing.stiffness));
        table.key("damping", numbers(&bushing.damping));
    }
    for (joint, friction) in &robot.frictions {
        let Some(presliding) = robot.presliding(joint, *friction) else { continue };
        let table = Table::new(text, "friction").text("name", &format!("{joint}.friction")).text("joint", joint);
        table.key("coulomb", number(*friction)).key("presliding", number(short(presliding)));
    }
    for drive in &robot.drives {
        let table = Table::new(text, "drive").text("name", &drive.name).text("joint", &drive.joint);
        table.text("value", &drive.input).key("gain", given(drive.gain, 1.0));
    }
}

fn solids(robot: &Robot, text: &mut String) {
    for solid in &robot.solids {
        let column = |index: usize| solid.pose.turn.column(index).into_owned();
        let turned = |index: usize, usual: Vec3| (column(index) != usual).then(|| vector(&column(index)));
        let (word, [radius, length], size) = match &solid.kind {
            SolidKind::Plane => ("plane", [0.0; 2], None),
            SolidKind::Sphere(radius) => ("sphere", [*radius, 0.0], None),
            SolidKind::Capsule(sizes) => ("capsule", *sizes, None),
            SolidKind::Cylinder(sizes) => ("cylinder", *sizes, None),
            SolidKind::Box(size) => ("box", [0.0; 2], Some(size)),
            SolidKind::Hull(_) => ("hull", [0.0; 2], None),
        };
        let table = Table::new(text, "solid").text("name", &solid.name).text("body", &solid.body).text("type", word);
        let (table, has_axis) = match &solid.kind {
            SolidKind::Hull(points) => {
                let rows: Vec<String> = points.iter().map(|point| format!("    {},\n", vector(point))).collect();
                (table.key("points", format!("[\n{}]", rows.concat())), false)
            }
            kind => {
                let has_axis = !matches!(kind, SolidKind::Box(_) | SolidKind::Sphere(_));
                (table.key("point", vector(&solid.pose.at)), has_axis)
            }
        };
        table
            .key("axis", turned(2, Vec3::z()).filter(|_| has_axis))
            .key("x_axis", turned(0, Vec3::x()).filter(|_| size.is_some()))
            .key("y_axis", turned(1, Vec3::y()).filter(|_| size.is_some()))
            .key("size", size.map(|size| numbers(size)))
            .key("radius", given(radius, 0.0))
            .key("length", given(length, 0.0));
    }
    for contact in robot.contacts() {
        let names = |of: &[usize]| {
            let names: Vec<String> = of.iter().map(|solid| quoted(&robot.solids[*solid].name)).collect();
            format!("[{}]", names.join(", "))
        };
        let Contact { law, weight, depth, .. } = &contact;
        let (weight, depth) = (short(*weight), short(1e3 * depth));
        let _ = writeln!(
            text,
            "\n# A force of {weight} N, the weight of the lighter side, compresses a contact point by {depth} mm."
        );
        let table = Table::beneath(text, "solid_contact");
        let slides = [law.friction, law.rolling, law.spinning] != [0.0; 3];
        table
            .text("name", &contact.name)
            .key("solids", names(&contact.solids))
            .key("others", (!contact.others.is_empty()).then(|| names(&contact.others)))
            .key("stiffness", format!("{:e}", contact.stiffness))
            .key("restitution", number(contact.restitution))
            .key("friction", given(law.friction, 0.0))
            .key("tangential_stiffness", slides.then(|| number(short(contact.tangential))))
            .key("rolling_resistance", given(law.rolling, 0.0))
            .key("spinning_resistance", given(law.spinning, 0.0));
    }
}

/// Three digits, for values of a rule of thumb.
fn short(value: f64) -> f64 {
    format!("{value:.2e}").parse().unwrap_or(value)
}

fn boundary(robot: &Robot, text: &mut String) {
    for input in &robot.inputs {
        Table::new(text, "input")
            .text("name", &input.name)
            .text("unit", input.unit)
            .key("start", given(input.start, 0.0))
            .key("min", input.range.map(|[min, _]| number(min)))
            .key("max", input.range.map(|[_, max]| number(max)))
            .text("description", &input.description);
    }
    for output in &robot.outputs {
        let (key, of) = &output.of;
        Table::new(text, "output")
            .text("name", &output.name)
            .text(key, of)
            .text("coordinate", output.coordinate.unwrap_or_default())
            .text("quantity", output.quantity)
            .key("point", output.point.map(|point| vector(&point)))
            .text("axes", if output.in_body_axes { "body" } else { "" })
            .text("description", &output.description);
    }
    for contact in robot.contacts() {
        let table = Table::new(text, "output").text("name", &format!("{}.normal_force", contact.name));
        table.text("contact", &contact.name).text("quantity", "normal_force");
    }
}

fn shapes(robot: &Robot, text: &mut String) {
    for shape in &robot.shapes {
        let column = |index: usize| vector(&shape.pose.turn.column(index).into_owned());
        let table = Table::new(text, "shape").text("body", &shape.body).text("group", &shape.group);
        let axes = |table: Table| {
            table.key("x_axis", column(0)).key("y_axis", column(1));
        };
        let along = |table: Table, [radius, length]: [f64; 2]| {
            table.key("axis", column(2)).key("radius", number(radius)).key("length", number(length));
        };
        let table = table.key("point", vector(&shape.pose.at));
        let table = table.key(
            "colour",
            shape.colour.map(|rgba| {
                let byte = |x: f64| (x.clamp(0.0, 1.0) * 255.0).round() as u8;
                quoted(&format!("#{:02x}{:02x}{:02x}", byte(rgba[0]), byte(rgba[1]), byte(rgba[2])))
            }),
        );
        let opacity = shape.colour.map(|rgba| rgba[3].clamp(0.0, 1.0)).filter(|opacity| *opacity < 1.0);
        let table = table.key("opacity", opacity.map(number));
        match &shape.form {
            Form::Box(size) => axes(table.text("type", "box").key("size", numbers(size))),
            Form::Sphere(radius) => {
                table.text("type", "sphere").key("radius", number(*radius));
            }
            Form::Cylinder(size) => along(table.text("type", "cylinder"), *size),
            Form::Capsule(size) => along(table.text("type", "capsule"), *size),
            Form::Mesh { file, scale, mirrored } => {
                let table = table.text("type", "mesh").text("file", file).key("scale", given(*scale, 1.0));
                axes(table.key("mirrored", mirrored.then(|| "true".to_string())));
            }
        }
    }
}
