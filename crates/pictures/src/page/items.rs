//! The rows of the page's tree: bodies, joints, constraints, force elements, tyres, outputs, and their groups.

use ballesta::model::Document;
use ballesta::model::elements::TABLES;
use ballesta::model::schema::Output;
use serde::Serialize;

/// Headings of the tree.
pub const GROUPS: [&str; 6] = ["Bodies", "Joints", "Constraints", "Force elements", "Tyres and roads", "Outputs"];
/// Index of a heading.
pub const BODIES: usize = 0;
/// Index of a heading.
pub const JOINTS: usize = 1;
/// Index of a heading.
pub const CONSTRAINTS: usize = 2;
/// Index of a heading.
pub const FORCES: usize = 3;
/// Index of a heading.
pub const TYRES: usize = 4;
/// Index of a heading.
const OUTPUTS: usize = 5;

/// A row.
#[derive(Clone, Debug, Serialize)]
pub struct Item {
    /// Heading of the row.
    pub g: usize,
    /// Name in the file.
    pub n: String,
    /// Kind, and connected bodies.
    pub d: String,
    /// Rows that are shown with it.
    pub r: Vec<usize>,
    /// Indices of the curves of an output.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub c: Vec<usize>,
}

impl Item {
    /// Row of a single body.
    pub fn body(name: &str, detail: String) -> Item {
        Item { g: BODIES, n: name.into(), d: detail, r: Vec::new(), c: Vec::new() }
    }

    /// Row of its support or interface.
    pub fn sign(name: &str, detail: String) -> Item {
        Item { g: CONSTRAINTS, n: name.into(), d: detail, r: vec![0], c: Vec::new() }
    }
}

/// All rows.
#[derive(Default)]
pub struct Items {
    /// In the order of the headings.
    pub list: Vec<Item>,
}

impl Items {
    /// Rows of a model with `values` for its parameters; `curves`: names of its scalar outputs and the vectors to which
    /// they belong.
    pub fn new(document: &Document, values: &[f64], curves: &[(String, Option<String>)]) -> Items {
        let model = &document.model;
        let mut items = Items::default();
        // Bodies with their masses.
        for body in &model.bodies {
            let mass = model.resolve(&body.mass, values);
            let detail =
                if mass > 0.0 { format!("{} kg", ballesta_files::words::short(mass, 4)) } else { "massless".into() };
            items.add(BODIES, &body.name, detail, &[]);
        }
        for (body, rom) in model.flexible_bodies.iter().zip(&document.roms) {
            let detail = format!("flexible, {} kg", ballesta_files::words::short(rom.rigid.mass, 4));
            items.add(BODIES, &body.name, detail, &[]);
        }
        // Joints, constraints and force elements refer to the rows that they connect.
        for joint in &model.joints {
            let detail = format!("{}: {}", joint.kind.row().name, pair(&joint.bodies));
            items.add(JOINTS, &joint.name, detail, &of(BODIES, &joint.bodies));
        }
        items.add_constraints(document);
        for table in TABLES.iter().filter(|table| table.name != "tyre") {
            let group = if table.name == "wheel_port" { TYRES } else { FORCES };
            for (name, on) in (table.coordinates)(model) {
                let joints: Vec<String> = on.iter().map(|(joint, _)| joint.to_string()).collect();
                let location = if joints.is_empty() { String::new() } else { format!(" on {}", joints.join(", ")) };
                items.add(group, name, format!("{}{location}", table.name.replace('_', " ")), &of(JOINTS, &joints));
            }
        }
        // Tyres and roads.
        for tyre in &model.tyres {
            items.add(TYRES, &tyre.name, format!("tyre on {}", tyre.joint), &[(JOINTS, &tyre.joint)]);
        }
        for road in &model.roads {
            items.add(TYRES, &road.name, "road".into(), &[]);
        }
        // Outputs refer to their subject and to their curves; a vector has one curve per component.
        for output in &model.outputs {
            let refs = subjects(output);
            let row = items.list.len();
            items.add(OUTPUTS, &output.name, detail(output), &refs);
            let belongs = |(name, vector): &(String, Option<String>)| {
                vector.as_ref().unwrap_or(name) == &output.name
                    || name.strip_prefix(&output.name).is_some_and(|rest| rest.starts_with('.'))
            };
            items.list[row].c = (0..curves.len()).filter(|c| belongs(&curves[*c])).collect();
        }
        items
    }

    fn add_constraints(&mut self, document: &Document) {
        // Constraints between points of bodies, or between coordinates of joints.
        let model = &document.model;
        for rod in &model.rods {
            self.add(CONSTRAINTS, &rod.name, format!("rod: {}", pair(&rod.bodies)), &of(BODIES, &rod.bodies));
        }
        for coupler in &model.couplers {
            let joints: Vec<String> = coupler.coordinates.iter().map(|on| on.joint.clone()).collect();
            self.add(CONSTRAINTS, &coupler.name, format!("coupler: {}", pair(&joints)), &of(JOINTS, &joints));
        }
        for rack in &model.racks {
            let joints = [rack.pinion.joint.clone(), rack.rack.joint.clone()];
            self.add(CONSTRAINTS, &rack.name, format!("rack and pinion: {}", pair(&joints)), &of(JOINTS, &joints));
        }
        for line in &model.points_on_line {
            self.add(
                CONSTRAINTS,
                &line.name,
                format!("point on line: {}", pair(&line.bodies)),
                &of(BODIES, &line.bodies),
            );
        }
        for plane in &model.points_in_plane {
            self.add(
                CONSTRAINTS,
                &plane.name,
                format!("point in plane: {}", pair(&plane.bodies)),
                &of(BODIES, &plane.bodies),
            );
        }
        for pair_of in &model.curves_on_curves {
            let detail = format!("curve on curve: {}", pair(&pair_of.bodies));
            self.add(CONSTRAINTS, &pair_of.name, detail, &of(BODIES, &pair_of.bodies));
        }
        for guided in &model.guided {
            let detail = format!("prescribed motion of {}", guided.joint);
            self.add(CONSTRAINTS, &guided.name, detail, &[(JOINTS, &guided.joint)]);
        }
    }

    /// A row, with its group: headings and names.
    fn add(&mut self, group: usize, name: &str, detail: String, others: &[(usize, &String)]) {
        let refs = others.iter().filter_map(|(group, other)| self.find(*group, other)).collect();
        self.list.push(Item { g: group, n: name.into(), d: detail, r: refs, c: Vec::new() });
    }

    /// Row of a name below a heading; for an interface, row of its flexible body.
    pub fn find(&self, group: usize, name: &str) -> Option<usize> {
        let row = |name: &str| self.list.iter().position(|item| item.g == group && item.n == name);
        row(name).or_else(|| if group == BODIES { row(name.rsplit_once('.')?.0) } else { None })
    }

    /// The row of a force element, tyre or wheel port.
    pub fn element(&self, name: &str) -> Option<usize> {
        self.find(FORCES, name).or_else(|| self.find(TYRES, name))
    }
}

/// Names below one heading.
fn of(group: usize, names: &[String]) -> Vec<(usize, &String)> {
    names.iter().map(|name| (group, name)).collect()
}

fn pair(names: &[String]) -> String {
    names.join(" – ")
}

/// Source of an output: heading and name.
fn subjects(output: &Output) -> Vec<(usize, &String)> {
    let of = [
        (JOINTS, &output.joint),
        (BODIES, &output.body),
        (FORCES, &output.spring),
        (FORCES, &output.bushing),
        (CONSTRAINTS, &output.constraint),
        (JOINTS, &output.constraint),
        (CONSTRAINTS, &output.guided),
        (FORCES, &output.drive),
        (TYRES, &output.tyre),
        (FORCES, &output.aerodynamic_drag),
        (BODIES, &output.flexible_body),
    ];
    of.into_iter().filter_map(|(group, name)| Some((group, name.as_ref()?))).collect()
}

fn detail(output: &Output) -> String {
    match (output.description.is_empty(), subjects(output).first()) {
        (false, _) => output.description.clone(),
        (true, Some((_, subject))) => format!("of {subject}"),
        (true, None) => String::new(),
    }
}
