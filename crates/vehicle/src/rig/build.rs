//! The model on the rig: bodywork fixed, tyres removed, every wheel held by the rig.
//!
//! The centre of every wheel is constrained to the plane of a pad, whose height an input prescribes. Inputs apply a
//! force and a torque to the wheel. The spin is prescribed as zero, as with a locked brake. The steering input acts
//! without its filter. The outputs of the rig replace the outputs of the model.

use ballesta::math::Vec3;
use ballesta::model::Document;
use ballesta::model::schema::{Joint, JointKind};
use ballesta::tyre::Law;
use ballesta_files::failure::Failure;
use ballesta_files::words;
use ballesta_run::model::{self, AssignedValues, Assignment};
use serde_json::{Value, json};

/// Longitudinal distance, m, within which wheels belong to one axle.
const AXLE_TOLERANCE: f64 = 0.1;

/// Options in addition to the model.
#[derive(Clone, Debug, Default)]
pub struct Setup {
    /// Joints in which wheels turn. Empty: joints with tyres and wheel ports.
    pub wheels: Vec<String>,
    /// Radius of the wheels, m. None: the radius of their tyres under the load in the design position.
    pub radius: Option<f64>,
    /// Bodies to fix, in addition to bodies on a floating joint to the ground.
    pub fixed: Vec<String>,
    /// Force elements to remove.
    pub without: Vec<String>,
    /// Steering input. None: the input of the only prescribed coordinate with inputs.
    pub steering: Option<String>,
}

/// A wheel in the design position.
#[derive(Clone, Debug)]
pub struct Wheel {
    /// `axle1.left`.
    pub name: String,
    /// Joint of the wheel's rotation.
    pub joint: String,
    /// 1 for a left wheel, −1 for a right wheel.
    pub side: f64,
    /// Centre, m.
    pub centre: Vec3,
    /// Unit vector along the spin axis, to the left.
    pub axis: Vec3,
    /// From the centre to the contact point, m.
    pub radius: f64,
    /// Tyre that defines the radius, if the radius was not given.
    pub(super) tyre: Option<Tyre>,
}

/// A tyre, or a pair of twin tyres.
#[derive(Clone, Debug)]
pub(super) struct Tyre {
    law: Law,
    /// Unloaded radius, m.
    free: f64,
    /// Pa; 0: the pressure of the file.
    pressure: f64,
    count: f64,
}

impl Tyre {
    /// Radius under a load (N) on the wheel at standstill, m.
    pub(super) fn radius(&self, load: f64) -> f64 {
        let each = if load > 0.0 { load / self.count } else { 0.0 };
        self.free - self.law.static_deflection(each, self.pressure)
    }
}

/// The wheels at one longitudinal position.
#[derive(Clone, Debug)]
pub struct Axle {
    /// `axle1` is the foremost.
    pub name: String,
    /// Indices of its wheels, the left one first.
    pub wheels: Vec<usize>,
    /// 1 for an axle ahead of the middle of the wheelbase and for a single axle, −1 for an axle behind it.
    pub end: f64,
}

/// A model on the rig.
pub struct RigModel {
    /// The model.
    pub document: Document,
    /// Values of its parameters.
    pub values: Vec<f64>,
    /// Assigned values of its inputs.
    pub inputs: Vec<(usize, f64)>,
    /// Wheels, foremost axle first.
    pub wheels: Vec<Wheel>,
    /// Axles, the foremost first.
    pub axles: Vec<Axle>,
    /// Steering input.
    pub steering: Option<usize>,
    /// Number of the model's own inputs; the inputs of the rig follow.
    pub own_inputs: usize,
    /// Names of the force elements of the suspension whose lengths are read.
    pub springs: Vec<String>,
}

/// Mounts the model on the rig.
pub fn build(document: &Document, set: &[Assignment], setup: &Setup) -> Result<RigModel, Failure> {
    let usage = |message: String| Err(Failure::Usage(message));
    let assigned = model::assign(document, set, true);
    let AssignedValues { parameters: values, inputs } =
        assigned.map_err(|wrong| Failure::Usage(format!("--set {wrong}")))?;
    // Wheels, axles and the steering input.
    let wheels = wheels(document, &values, setup)?;
    let (wheels, axles) = axles(wheels)?;
    let steering = steering(document, setup)?;
    // Tables that the rig replaces are edited as plain data.
    let mut tree = serde_json::to_value(&document.model).expect("plain data with text keys is always valid JSON");
    for table in ["tyre", "wheel_port", "road", "speed_control", "output", "plot"] {
        tree[table] = json!([]);
    }
    if let Some(contacts) = tree.get_mut("contact").and_then(Value::as_array_mut) {
        contacts.retain(|contact| contact["surface"] != "road");
    }
    tree["page"] = Value::Null;
    tree["published"] = Value::Null;
    tree["experiment"]["trim"] = json!(false);
    // Remove and fix parts, then list the springs whose length is reported.
    take_off(&mut tree, &setup.without)?;
    fix(&mut tree, document, &wheels, &setup.fixed)?;
    let steered = steering.map(|index| document.model.inputs[index].name.clone());
    let springs = ["spring", "damper", "air_spring", "leaf_spring", "torsion_bar", "joint_spring"];
    let column = Column::new(&tree, &wheels, steered.as_deref());
    let springs = springs.iter().flat_map(|table| items(&tree, table)).filter(|item| !column.ends(item));
    let springs: Vec<String> = springs.filter_map(|item| item["name"].as_str().map(str::to_string)).collect();
    // The steering input needs a speed and an acceleration; both are zero on the rig.
    for guided in list(&mut tree, "guided") {
        if guided["input"].as_str().is_some_and(|name| Some(name) == steered.as_deref()) {
            guided["inputs"] = json!([guided["input"], REST_INPUT, REST_INPUT]);
            (guided["input"], guided["filter_frequency"]) = (Value::Null, Value::Null);
        }
    }
    list(&mut tree, "input").push(json!({ "name": REST_INPUT }));
    // Wheels follow the rig; springs report their length.
    for wheel in &wheels {
        hold(&mut tree, document, wheel);
    }
    for name in &springs {
        list(&mut tree, "output").push(json!({ "name": format!("rig.{name}"), "spring": name, "quantity": "length" }));
    }
    // Back to a model.
    let mut on_rig = document.clone();
    on_rig.model = match serde_json::from_value(tree) {
        Ok(model) => model,
        Err(error) => return usage(format!("the model cannot be put on the rig: {error}")),
    };
    (on_rig.tyres, on_rig.height_maps) = (Vec::new(), Vec::new());
    let own_inputs = document.model.inputs.len();
    Ok(RigModel { document: on_rig, values, inputs, wheels, axles, steering, own_inputs, springs })
}

/// Moving bodies of the linkage on the rig. They determine which springs are the compliance of the steering column.
/// Such a spring is not part of the suspension, because it lets the steering wheel turn without the wheels.
struct Column {
    /// Joints and rods between moving bodies: names of the joint and both bodies.
    links: Vec<(String, [String; 2])>,
    /// Bodies of the joints driven by the steering input, and of joints coupled to these by couplers and racks.
    steered: Vec<String>,
    /// Bodies of the joints of the wheels' rotation.
    wheels: Vec<String>,
    /// Names of flexible bodies, whose interfaces are named after them.
    flexible: Vec<String>,
    fixed: Vec<String>,
}

impl Column {
    fn new(tree: &Value, wheels: &[Wheel], steered: Option<&str>) -> Column {
        let flexible = items(tree, "flexible_body").iter().filter_map(|body| body["name"].as_str().map(str::to_string));
        let mut column = Column {
            links: Vec::new(),
            steered: Vec::new(),
            wheels: Vec::new(),
            flexible: flexible.collect(),
            fixed: vec!["ground".into()],
        };
        let linked = ["joint", "rod"].into_iter().flat_map(|table| items(tree, table));
        let links: Vec<_> = linked.filter_map(|item| Some((item, column.bodies(item)?))).collect();
        // Chains of fixed joints end at the ground.
        let rigid = || links.iter().filter(|(item, _)| item["type"] == "fixed").map(|(_, bodies)| bodies);
        while let Some([a, b]) = rigid().find(|[a, b]| column.is_fixed(a) != column.is_fixed(b)) {
            let free = if column.is_fixed(a) { b } else { a };
            column.fixed.push(free.clone());
        }
        let leads =
            |guided: &&Value| [&guided["input"], &guided["inputs"][0]].iter().any(|name| name.as_str() == steered);
        let guided = items(tree, "guided").iter().filter(|_| steered.is_some()).filter(leads);
        let mut led: Vec<&str> = guided.filter_map(|guided| guided["joint"].as_str()).collect();
        let couplings = || ["coupler", "rack_and_pinion"].into_iter().flat_map(|table| items(tree, table));
        let coupled: Vec<Vec<&str>> = couplings().map(|coupling| joints_of(coupling)).collect();
        let next = |led: &[&str]| {
            let touched = coupled.iter().filter(|joints| joints.iter().any(|joint| led.contains(joint)));
            touched.flatten().find(|joint| !led.contains(*joint)).copied()
        };
        while let Some(joint) = next(&led) {
            led.push(joint);
        }
        for (item, bodies) in links {
            let name = item["name"].as_str().unwrap_or_default();
            let moving: Vec<String> = bodies.iter().filter(|body| !column.is_fixed(body)).cloned().collect();
            if item["type"].is_string() && led.contains(&name) {
                column.steered.extend_from_slice(&moving);
            }
            if wheels.iter().any(|wheel| wheel.joint == name) {
                column.wheels.extend_from_slice(&moving);
            }
            if moving.len() == 2 {
                column.links.push((name.to_string(), bodies));
            }
        }
        column
    }

    fn is_fixed(&self, body: &str) -> bool {
        self.fixed.iter().any(|fixed| fixed == body)
    }

    /// The two bodies that an item joins; an interface counts as its flexible body.
    fn bodies(&self, item: &Value) -> Option<[String; 2]> {
        let body = |end: usize| {
            let name = item["bodies"][end].as_str()?;
            let whole =
                self.flexible.iter().find(|body| name.strip_prefix(*body).is_some_and(|rest| rest.starts_with('.')));
            Some(whole.map_or(name, String::as_str).to_string())
        };
        Some([body(0)?, body(1)?])
    }

    /// Whether a spring belongs to the steering. Either all its moving bodies are steered, or one of them is connected
    /// to a steered body and, without the spring's joint, to no wheel.
    fn ends(&self, spring: &Value) -> bool {
        let own = spring["joint"].as_str().or(spring["coordinate"]["joint"].as_str());
        let of_joint =
            || self.links.iter().find(|(name, _)| Some(name.as_str()) == own).map(|(_, bodies)| bodies.clone());
        let Some(bodies) = self.bodies(spring).or_else(of_joint) else { return false };
        let moving = || bodies.iter().filter(|body| !self.is_fixed(body));
        let steers = |body: &&String| self.steered.contains(*body) && !self.wheels.contains(*body);
        if moving().count() > 0 && moving().all(|body| steers(&body)) {
            return true;
        }
        moving().any(|body| {
            let mut joined = vec![body];
            let mut next = 0;
            while let Some(body) = joined.get(next).copied() {
                next += 1;
                let links = self.links.iter().filter(|(name, ends)| Some(name.as_str()) != own && ends.contains(body));
                for end in links.flat_map(|(_, ends)| ends) {
                    if !joined.contains(&end) {
                        joined.push(end);
                    }
                }
            }
            let has = |some: &[String]| joined.iter().any(|body| some.contains(body));
            has(&self.steered) && !has(&self.wheels)
        })
    }
}

/// Names of the joints whose coordinates a coupling uses.
fn joints_of(coupling: &Value) -> Vec<&str> {
    match coupling {
        Value::Object(table) => {
            let own = table.get("joint").and_then(Value::as_str);
            let rest = table.values().flat_map(joints_of);
            own.into_iter().chain(rest).collect()
        }
        Value::Array(items) => items.iter().flat_map(joints_of).collect(),
        _ => Vec::new(),
    }
}

/// Name of the input of a prescribed motion without speed and acceleration.
const REST_INPUT: &str = "rig.rest";

fn items<'a>(tree: &'a Value, table: &str) -> &'a [Value] {
    tree[table].as_array().map_or(&[], Vec::as_slice)
}

fn list<'a>(tree: &'a mut Value, table: &str) -> &'a mut Vec<Value> {
    tree[table].as_array_mut().expect("every table of a model is an array")
}

/// The joint of this name.
fn joint<'a>(document: &'a Document, option: &str, name: &str) -> Result<&'a Joint, Failure> {
    let joints = &document.model.joints;
    joints
        .iter()
        .find(|joint| joint.name == name)
        .ok_or_else(|| unknown(option, name, "joint", joints.iter().map(|joint| joint.name.as_str())))
}

fn unknown<'a>(option: &str, name: &str, kind: &str, known: impl Iterator<Item = &'a str>) -> Failure {
    let hint = words::nearest(name, known).map_or(String::new(), |near| format!("; did you mean `{near}`?"));
    Failure::Usage(format!("{option} {name}: the model has no such {kind}{hint}"))
}

/// Finds the wheels; axles are assigned later.
fn wheels(document: &Document, values: &[f64], setup: &Setup) -> Result<Vec<Wheel>, Failure> {
    // Options name the wheel joints; by default tyres and wheel ports define them.
    let model = &document.model;
    let tyres = model.tyres.iter().map(|tyre| &tyre.joint).chain(model.wheel_ports.iter().map(|port| &port.joint));
    let mut names: Vec<&String> = if setup.wheels.is_empty() { tyres.collect() } else { setup.wheels.iter().collect() };
    names.sort();
    names.dedup();
    if names.is_empty() {
        let hint = "name the wheel joints with --wheel and their radius with --radius";
        return Err(Failure::Usage(format!("the model has no [[tyre]]; {hint}")));
    }
    let mut wheels = Vec::new();
    for name in names {
        let joint = joint(document, "--wheel", name)?;
        let refuse = |why: &str| Failure::Usage(format!("wheel joint `{name}`: {why}"));
        // A wheel rotates about its axis with the wheel as outboard body.
        let (Some(axis), JointKind::Revolute) = (&joint.axis, joint.kind) else {
            return Err(refuse("a wheel needs a `revolute` joint with the wheel as second body"));
        };
        let Some(place) = model.joint_place(joint) else { return Err(refuse("the joint has no `point`")) };
        // A twin tyre carries the load with two tyres.
        let tyre = model.tyres.iter().position(|tyre| tyre.joint == *name);
        let tyre = tyre.and_then(|index| {
            let (tyre, properties) = (&model.tyres[index], document.tyres.get(index)?);
            let pressure = tyre.pressure.as_ref().map_or(0.0, |pressure| model.resolve(pressure, values));
            let count = if tyre.twin_spacing.is_some() { 2.0 } else { 1.0 };
            let free = properties.coefficients.q_re0 * properties.coefficients.unloaded_radius;
            Some(Tyre { law: Law::new(properties, properties.side), free, pressure, count })
        });
        if setup.radius.is_none() && tyre.is_none() {
            return Err(refuse("the wheel has no tyre with a radius; give --radius"));
        }
        // A radius from the options replaces the tyre.
        let tyre = tyre.filter(|_| setup.radius.is_none());
        let radius = setup.radius.unwrap_or(0.0);
        // The wheel axis points to the left (ISO 8855, y to the left), whatever its direction in the file.
        let centre = model.resolve_place(place, values);
        let axis = model.resolve_vector(axis, values).normalize();
        let axis = if axis.y < 0.0 { -axis } else { axis };
        if !(axis.y > 0.5) {
            return Err(refuse("its axis is not transverse; the vehicle points along x"));
        }
        // The sign of y separates left and right wheels.
        let side = if centre.y < 0.0 { -1.0 } else { 1.0 };
        wheels.push(Wheel { name: String::new(), joint: name.clone(), side, centre, axis, radius, tyre });
    }
    Ok(wheels)
}

/// Sorts wheels into axles and names both.
fn axles(mut wheels: Vec<Wheel>) -> Result<(Vec<Wheel>, Vec<Axle>), Failure> {
    wheels.sort_by(|a, b| b.centre.x.total_cmp(&a.centre.x));
    let mut axles: Vec<Vec<Wheel>> = Vec::new();
    for wheel in wheels {
        match axles.last_mut().filter(|axle| (axle[0].centre.x - wheel.centre.x).abs() <= AXLE_TOLERANCE) {
            Some(axle) => axle.push(wheel),
            None => axles.push(vec![wheel]),
        }
    }
    let middle = 0.5 * (axles[0][0].centre.x + axles[axles.len() - 1][0].centre.x);
    let (mut all, mut named) = (Vec::new(), Vec::new());
    for (number, mut axle) in axles.into_iter().enumerate() {
        let name = format!("axle{}", number + 1);
        axle.sort_by(|a, b| b.side.total_cmp(&a.side));
        if axle.windows(2).any(|pair| pair[0].side == pair[1].side) {
            let joints: Vec<String> = axle.iter().map(|wheel| format!("`{}`", wheel.joint)).collect();
            let joints = joints.join(", ");
            let message = format!("an axle has one wheel on each side, found {joints}; select two with --wheel");
            return Err(Failure::Usage(message));
        }
        let end = if axle[0].centre.x < middle { -1.0 } else { 1.0 };
        named.push(Axle { name: name.clone(), wheels: (all.len()..all.len() + axle.len()).collect(), end });
        for wheel in axle {
            let side = if wheel.side > 0.0 { "left" } else { "right" };
            all.push(Wheel { name: format!("{name}.{side}"), ..wheel });
        }
    }
    Ok((all, named))
}

/// Steering input.
fn steering(document: &Document, setup: &Setup) -> Result<Option<usize>, Failure> {
    let model = &document.model;
    let steers = |name: &str| {
        let leads = |guided: &&ballesta::model::schema::Guided| {
            guided.input.as_deref() == Some(name) || guided.inputs.as_ref().is_some_and(|inputs| inputs[0] == name)
        };
        model.guided.iter().any(|guided| leads(&guided))
    };
    let inputs = || model.inputs.iter().enumerate().filter(|(_, input)| steers(&input.name));
    match &setup.steering {
        None => Ok(inputs().map(|(index, _)| index).next().filter(|_| inputs().count() == 1)),
        Some(name) => match inputs().find(|(_, input)| input.name == *name) {
            Some((index, _)) => Ok(Some(index)),
            None => {
                let known = inputs().map(|(_, input)| input.name.as_str());
                Err(unknown("--steering", name, "input of a [[guided]] coordinate", known))
            }
        },
    }
}

/// Removes force elements.
fn take_off(tree: &mut Value, without: &[String]) -> Result<(), Failure> {
    const KEPT: [&str; 9] =
        ["body", "flexible_body", "joint", "curve", "frame", "input", "parameter", "shape", "guided"];
    let Value::Object(tables) = tree else { return Ok(()) };
    let mut known: Vec<String> = Vec::new();
    let mut left: Vec<&String> = without.iter().collect();
    for (_, items) in tables.iter_mut().filter(|(table, _)| !KEPT.contains(&table.as_str())) {
        let Value::Array(items) = items else { continue };
        items.retain(|item| {
            let Some(name) = item["name"].as_str() else { return true };
            known.push(name.to_string());
            left.retain(|wanted| *wanted != name);
            !without.iter().any(|wanted| wanted == name)
        });
    }
    match left.first() {
        Some(name) => Err(unknown("--without", name, "force element", known.iter().map(String::as_str))),
        None => Ok(()),
    }
}

/// Fixes the bodywork: bodies on a floating joint to the ground that are not part of a wheel, and named bodies.
fn fix(tree: &mut Value, document: &Document, wheels: &[Wheel], named: &[String]) -> Result<(), Failure> {
    let model = &document.model;
    let bodies = || {
        let flexible = model.flexible_bodies.iter().map(|body| body.name.as_str());
        model.bodies.iter().map(|body| body.name.as_str()).chain(flexible)
    };
    for name in named {
        if !bodies().any(|body| body == name) {
            return Err(unknown("--fix", name, "body", bodies()));
        }
    }
    // Named bodies, and floating bodies that carry no wheel, such as the vehicle body, are fixed.
    let of_wheels = |body: &str| {
        let joints = wheels.iter().filter_map(|wheel| model.joints.iter().find(|joint| joint.name == wheel.joint));
        joints.flat_map(|joint| &joint.bodies).any(|part| part == body)
    };
    let mut fixed: Vec<&str> = named.iter().map(String::as_str).collect();
    for joint in model.joints.iter().filter(|joint| joint.kind == JointKind::Floating) {
        let [first, second] = &joint.bodies;
        let body = if first == "ground" { second } else { first };
        if (first == "ground" || second == "ground") && !of_wheels(body) {
            fixed.push(body);
        }
    }
    // A joint between two fixed bodies becomes rigid; others lose start values.
    let held = |body: &Value| body.as_str().is_some_and(|name| name == "ground" || fixed.contains(&name));
    let mut standing: Vec<String> = Vec::new();
    for joint in list(tree, "joint") {
        for key in ["position", "position_deg", "speed", "cut"] {
            joint[key] = Value::Null;
        }
        joint["independent"] = json!(false);
        if !held(&joint["bodies"][0]) || !held(&joint["bodies"][1]) {
            continue;
        }
        standing.extend([0, 1].iter().filter_map(|end| joint["bodies"][end].as_str().map(str::to_string)));
        joint["type"] = json!("fixed");
        for key in ["axis", "second_axis", "curve"] {
            joint[key] = Value::Null;
        }
        if joint["point"].is_null() {
            joint["point"] = json!([0.0, 0.0, 0.0]);
        }
    }
    // A fixed body without such a joint is fixed to the ground.
    for body in fixed.iter().filter(|body| standing.iter().all(|name| name != *body)) {
        let name = format!("rig.{body}");
        let point = [0.0; 3];
        let added = json!({ "name": name, "type": "fixed", "bodies": ["ground", body], "point": point });
        list(tree, "joint").push(added);
    }
    Ok(())
}

/// Constrains a wheel to the rig and adds its outputs.
fn hold(tree: &mut Value, document: &Document, wheel: &Wheel) {
    let joint = document.model.joints.iter().find(|joint| joint.name == wheel.joint);
    let body = joint.map_or("", |joint| joint.bodies[1].as_str());
    let point = [wheel.centre.x, wheel.centre.y, wheel.centre.z];
    let rig = format!("rig.{}", wheel.name);
    let input = |kind: &str| format!("{rig}.{kind}");
    let loads = LOADS.map(input);
    // A pad with prescribed height, and the wheel centre constrained to its plane.
    let axis = [0.0, 0.0, 1.0];
    list(tree, "body").push(json!({ "name": rig, "mass": 1.0, "com": point }));
    list(tree, "joint").push(json!({ "name": rig, "type": "prismatic", "bodies": ["ground", rig], "axis": axis }));
    let plane = json!({ "name": input("plane"), "bodies": [rig, body], "point": point, "normal": axis });
    list(tree, "point_in_plane").push(plane);
    for (name, joint, inputs) in [
        (input("height"), &rig, [input("height"), REST_INPUT.into(), REST_INPUT.into()]),
        (input("spin"), &wheel.joint, [REST_INPUT; 3].map(String::from)),
    ] {
        list(tree, "guided").push(json!({ "name": name, "joint": joint, "inputs": inputs }));
    }
    list(tree, "input").extend([input("height")].iter().chain(&loads).map(|name| json!({ "name": name })));
    list(tree, "force").push(json!({ "name": input("force"), "body": body, "point": point, "value": loads[..3] }));
    list(tree, "torque").push(json!({ "name": input("torque"), "body": body, "value": loads[3..] }));
    list(tree, "output").extend([
        json!({ "name": input("centre"), "body": body, "point": point, "quantity": "position" }),
        json!({ "name": input("rotation"), "body": body, "quantity": "rotation" }),
        json!({ "name": input("load"), "constraint": input("plane"), "quantity": "reaction_force", "component": "z" }),
    ]);
}

/// Loads on a wheel at its centre, world axes: the inputs that follow the height.
const LOADS: [&str; 6] = ["fx", "fy", "fz", "tx", "ty", "tz"];
/// Inputs per wheel.
pub const INPUTS: usize = 1 + LOADS.len();
/// Outputs per wheel: the centre, the quaternion, the load.
pub const OUTPUTS: usize = 8;
