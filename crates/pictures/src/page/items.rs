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
    /// Path of its table in the model, like `joint[3]`; empty without a table.
    #[serde(skip)]
    pub key: String,
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
        Item { key: String::new(), g: BODIES, n: name.into(), d: detail, r: Vec::new(), c: Vec::new() }
    }

    /// Row of its support or interface.
    pub fn sign(name: &str, detail: String) -> Item {
        Item { key: String::new(), g: CONSTRAINTS, n: name.into(), d: detail, r: vec![0], c: Vec::new() }
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
        for (index, body) in model.bodies.iter().enumerate() {
            let mass = model.resolve(&body.mass, values);
            let detail =
                if mass > 0.0 { format!("{} kg", ballesta_files::words::short(mass, 4)) } else { "massless".into() };
            items.add(("body", index), BODIES, &body.name, detail, &[]);
        }
        for (index, (body, rom)) in model.flexible_bodies.iter().zip(&document.roms).enumerate() {
            let detail = format!("flexible, {} kg", ballesta_files::words::short(rom.rigid.mass, 4));
            items.add(("flexible_body", index), BODIES, &body.name, detail, &[]);
        }
        for (index, joint) in model.joints.iter().enumerate() {
            let detail = format!("{}: {}", joint.kind.row().name, pair(&joint.bodies));
            items.add(("joint", index), JOINTS, &joint.name, detail, &of(BODIES, &joint.bodies));
        }
        items.add_constraints(document);
        for table in TABLES.iter().filter(|table| table.name != "tyre") {
            let group = if table.name == "wheel_port" { TYRES } else { FORCES };
            for (index, (name, on)) in (table.coordinates)(model).into_iter().enumerate() {
                let joints: Vec<String> = on.iter().map(|(joint, _)| joint.to_string()).collect();
                let at = if joints.is_empty() { String::new() } else { format!(" on {}", joints.join(", ")) };
                let detail = format!("{}{at}", table.name.replace('_', " "));
                items.add((table.name, index), group, name, detail, &of(JOINTS, &joints));
            }
        }
        for (index, tyre) in model.tyres.iter().enumerate() {
            items.add(("tyre", index), TYRES, &tyre.name, format!("tyre on {}", tyre.joint), &[(JOINTS, &tyre.joint)]);
        }
        for (index, road) in model.roads.iter().enumerate() {
            items.add(("road", index), TYRES, &road.name, "road".into(), &[]);
        }
        for (index, output) in model.outputs.iter().enumerate() {
            let refs = subjects(output);
            let row = items.list.len();
            items.add(("output", index), OUTPUTS, &output.name, detail(output), &refs);
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
        for (index, rod) in model.rods.iter().enumerate() {
            let detail = format!("rod: {}", pair(&rod.bodies));
            self.add(("rod", index), CONSTRAINTS, &rod.name, detail, &of(BODIES, &rod.bodies));
        }
        for (index, coupler) in model.couplers.iter().enumerate() {
            let joints: Vec<String> = coupler.coordinates.iter().map(|on| on.joint.clone()).collect();
            let detail = format!("coupler: {}", pair(&joints));
            self.add(("coupler", index), CONSTRAINTS, &coupler.name, detail, &of(JOINTS, &joints));
        }
        for (index, rack) in model.racks.iter().enumerate() {
            let joints = [rack.pinion.joint.clone(), rack.rack.joint.clone()];
            let detail = format!("rack and pinion: {}", pair(&joints));
            self.add(("rack_and_pinion", index), CONSTRAINTS, &rack.name, detail, &of(JOINTS, &joints));
        }
        for (index, line) in model.points_on_line.iter().enumerate() {
            let detail = format!("point on line: {}", pair(&line.bodies));
            self.add(("point_on_line", index), CONSTRAINTS, &line.name, detail, &of(BODIES, &line.bodies));
        }
        for (index, plane) in model.points_in_plane.iter().enumerate() {
            let detail = format!("point in plane: {}", pair(&plane.bodies));
            self.add(("point_in_plane", index), CONSTRAINTS, &plane.name, detail, &of(BODIES, &plane.bodies));
        }
        for (index, pair_of) in model.curves_on_curves.iter().enumerate() {
            let detail = format!("curve on curve: {}", pair(&pair_of.bodies));
            self.add(("curve_on_curve", index), CONSTRAINTS, &pair_of.name, detail, &of(BODIES, &pair_of.bodies));
        }
        for (index, guided) in model.guided.iter().enumerate() {
            let detail = format!("prescribed motion of {}", guided.joint);
            self.add(("guided", index), CONSTRAINTS, &guided.name, detail, &[(JOINTS, &guided.joint)]);
        }
    }

    /// The row of an item of a table; `others`: headings and names of its group.
    fn add(
        &mut self,
        (table, index): (&str, usize),
        group: usize,
        name: &str,
        detail: String,
        others: &[(usize, &String)],
    ) {
        let refs = others.iter().filter_map(|(group, other)| self.find(*group, other)).collect();
        self.list.push(Item {
            key: format!("{table}[{index}]"),
            g: group,
            n: name.into(),
            d: detail,
            r: refs,
            c: Vec::new(),
        });
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
