//! `ballesta lump`: converts a beam or a structure of beams to rigid bodies with elastic joints.

pub mod arguments;

use crate::commands::export::notice;
use crate::text::{self, short};
use arguments::{Lump, LumpJoint};
use ballesta::document::Diagnostics;
use ballesta_fem::lumped::{Beam, Chain, ElementJoint, ModelOptions, Planes, Setup, SpaceChain};
use ballesta_fem::model::FiniteElementModel;
use ballesta_fem::structure::section::properties;
use ballesta_fem::structure::structure_schema::Theory;
use ballesta_fem::structure::{self as fem_structure, Structure};
use ballesta_files::Failure;
use ballesta_files::output_file::{keep_apart, write};
use serde_json::{Value, json};
use std::path::{Path, PathBuf};

mod lumped_structure;

/// Resolved `ballesta lump` command.
pub enum Plan {
    /// One beam, as a cantilever.
    Beam(Box<BeamPlan>),
    /// All beams of a structure.
    Structure(Box<lumped_structure::Plan>),
}

/// Writes the model to its file, or to stdout unless a comparison was printed there.
fn answer(model: &str, output: Option<&Path>, facts: Value, compare: bool, json: bool) -> Result<(), Failure> {
    match output {
        Some(path) => {
            write(path, model)?;
            text::answer(json, "", &[path], facts)
        }
        None if compare => text::answer(json, "", &[], facts),
        None => text::answer(json, model, &[], json!({"text": model})),
    }
}

impl Plan {
    /// Reads the structure, if there is one; resolves names and defaults.
    pub fn resolve(typed: Lump) -> Result<Plan, Failure> {
        let opened = typed.structure.as_ref().map(|path| fem_structure::open(path)).transpose()?;
        match opened {
            Some((structure, _)) if typed.beam.is_none() && (typed.whole || structure.file.beams.len() > 1) => {
                Ok(Plan::Structure(Box::new(lumped_structure::Plan::resolve(typed, structure)?)))
            }
            opened => Ok(Plan::Beam(Box::new(BeamPlan::resolve(typed, opened)?))),
        }
    }

    /// Writes the model or prints the comparison.
    pub fn execute(self) -> Result<(), Failure> {
        match self {
            Plan::Beam(plan) => plan.execute(),
            Plan::Structure(plan) => plan.execute(),
        }
    }
}

/// Joint of the library for the given option.
fn joint_of(typed: LumpJoint) -> ElementJoint {
    match typed {
        LumpJoint::Revolute => ElementJoint::Revolute,
        LumpJoint::Universal => ElementJoint::Universal,
        LumpJoint::Spherical => ElementJoint::Spherical,
        LumpJoint::Prismatic => ElementJoint::Prismatic,
        LumpJoint::Cylindrical => ElementJoint::Cylindrical,
        LumpJoint::Planar => ElementJoint::Planar,
        LumpJoint::Bushing => ElementJoint::Bushing,
    }
}

/// A chain of one beam.
pub struct BeamPlan {
    beam: Beam,
    joint: ElementJoint,
    options: ModelOptions,
    output: Option<PathBuf>,
    compare: bool,
    json: bool,
}

impl BeamPlan {
    /// Resolves the beam and the defaults.
    fn resolve(typed: Lump, opened: Option<(Structure, FiniteElementModel)>) -> Result<BeamPlan, Failure> {
        let joint = match typed.both_planes {
            true => ElementJoint::Universal,
            false => joint_of(typed.joint.unwrap_or(LumpJoint::Revolute)),
        };
        if typed.load.is_some() {
            return Err(Failure::Usage("--load needs a whole structure; for a beam use --force".into()));
        }
        let bends = joint.motions().contains(&5);
        for (option, given) in [("--force", typed.force != 0.0), ("--gravity", typed.gravity != 0.0)] {
            if given && !bends {
                let message = format!("{option}: a chain of {} joints cannot move along y", joint.word());
                return Err(Failure::Usage(message));
            }
        }
        if typed.tip_inertia > 0.0 && typed.tip_mass <= 0.0 {
            return Err(Failure::Usage("--tip-inertia needs --tip-mass".into()));
        }
        let plain = matches!(joint, ElementJoint::Revolute | ElementJoint::Universal);
        if typed.base_spring.is_some() && !plain {
            let message = format!("--base-spring needs --joint revolute or universal, found {}", joint.word());
            return Err(Failure::Usage(message));
        }
        let (beam, of_structure) = match &opened {
            Some(opened) => beam_of(opened, typed.beam.as_deref(), joint).map(|(beam, name)| (beam, Some(name)))?,
            None => {
                // Clap requires all five options without a structure.
                let given = |value: Option<f64>| value.unwrap_or_default();
                let (modulus, density) = (given(typed.youngs_modulus), given(typed.density));
                let sides = (given(typed.width), given(typed.height));
                (Beam::rectangular(given(typed.length), sides.0, sides.1, modulus, density), None)
            }
        };
        let read: Vec<PathBuf> = typed.structure.iter().map(|path| fem_structure::file(path)).collect();
        keep_apart(&[("--output", typed.output.as_deref())], &read)?;
        let name = name_of(typed.output.as_deref(), of_structure);
        Ok(BeamPlan {
            beam,
            joint,
            options: ModelOptions {
                name,
                elements: typed.elements as usize,
                planes: if joint == ElementJoint::Universal { Planes::Both } else { Planes::One },
                damping_ratio: typed.damping_ratio,
                tip_force: typed.force,
                gravity: typed.gravity,
                base_stiffness: typed.base_spring,
                tip_mass: typed.tip_mass,
                tip_inertia: typed.tip_inertia,
            },
            output: typed.output,
            compare: typed.compare,
            json: typed.json,
        })
    }

    /// Writes the model or prints the comparison.
    fn execute(self) -> Result<(), Failure> {
        let comparison = match (self.compare, self.is_plain()) {
            (false, _) => None,
            (true, true) => Some(self.comparison()?),
            (true, false) => Some(self.comparison_in_space()?),
        };
        if let Some(comparison) = comparison.as_ref().filter(|_| !self.json) {
            text::say(&comparison.text())?;
        }
        let model = match self.is_plain() {
            true => self.beam.lumped_model(&self.options),
            false => self.beam.lumped_model_with(self.joint, &self.options),
        };
        let model = model.map_err(|error| Failure::Usage(error.to_string()))?;
        let facts = comparison.map_or(Value::Null, |comparison| json!({"comparison": comparison.json()}));
        answer(&model, self.output.as_deref(), facts, self.compare, self.json)
    }

    /// Whether the chain deforms in bending only.
    fn is_plain(&self) -> bool {
        matches!(self.joint, ElementJoint::Revolute | ElementJoint::Universal)
    }

    /// Compliance of the tip for each load and first frequency of each motion, over the number of elements.
    fn comparison_in_space(&self) -> Result<Comparison, Failure> {
        // Motion, unit load, its name, and name of its frequency.
        let columns = [
            (0, 0, "um/kN along x", "extension Hz"),
            (3, 3, "mrad/(kN m) about x", "torsion Hz"),
            (5, 1, "mm/kN along y", "bending xy Hz"),
            (4, 2, "mm/kN along z", "bending xz Hz"),
        ];
        let free = self.joint.motions();
        let columns: Vec<_> = columns.into_iter().filter(|(motion, ..)| free.contains(motion)).collect();
        let scale = |load: usize| if load == 0 { 1e9 } else { 1e6 };
        let head = columns.iter().flat_map(|(_, _, compliance, frequency)| [*compliance, *frequency]);
        let mut rows = vec![["elements"].into_iter().chain(head).map(String::from).collect::<Vec<_>>()];
        let mut counts = vec![5, 10, 20, 40, self.options.elements];
        counts.sort_unstable();
        counts.dedup();
        for n in counts {
            let chain = SpaceChain::new(&self.beam, n, self.joint, self.options.tip_mass, self.options.tip_inertia);
            let families = chain.frequencies_hz().map_err(|error| Failure::Usage(error.to_string()))?;
            let compliance = chain.tip_compliance();
            let mut row = vec![n.to_string()];
            for (motion, load, ..) in &columns {
                let first = families.iter().find(|(family, _)| family == motion).and_then(|(_, hertz)| hertz.first());
                row.push(short(scale(*load) * compliance[(*load, *load)], 7));
                row.push(first.map_or(String::new(), |hertz| short(*hertz, 7)));
            }
            rows.push(row);
        }
        // Statics of the beam itself, from its stiffness at the end.
        let k = self.beam.end_stiffness(self.beam.length);
        let mut row = vec!["beam".to_string()];
        for (motion, load, ..) in &columns {
            let (m, l) = (*motion, *load);
            // The rotation that accompanies a deflection is free.
            let stiffness = if m == l { k[(l, l)] } else { k[(l, l)] - k[(l, m)] * k[(m, l)] / k[(m, m)] };
            row.extend([short(scale(l) / stiffness, 7), String::new()]);
        }
        rows.push(row);
        let title = "Compliance at the tip of the cantilever, and first frequencies".into();
        Ok(Comparison { title, rows, note: "" })
    }

    /// Deflection and frequencies over the number of elements.
    fn comparison(&self) -> Result<Comparison, Failure> {
        let (beam, setup) = (&self.beam, self.options.setup());
        let gravity = self.options.gravity.abs();
        // Weight and force have their signs, as in a model with these options.
        let total = self.options.tip_force + self.options.tip_mass * self.options.gravity;
        let own = gravity * if total * self.options.gravity < 0.0 { -1.0 } else { 1.0 };
        let force = if total == 0.0 && gravity == 0.0 { 1.0 } else { total.abs() };
        let refused = |error: ballesta::rom::elastic_modes::ModesError| Failure::Usage(error.to_string());
        let header = ["elements", "deflection mm", "f1 Hz", "f2 Hz", "corrected: mm", "f1 Hz", "largest growth 1/s"];
        let mut rows = vec![header.map(String::from).to_vec()];
        let mut counts = vec![5, 10, 20, 40, self.options.elements];
        counts.sort_unstable();
        counts.dedup();
        for n in counts {
            let chain = Chain::new(beam, n, &setup);
            let frequencies = chain.frequencies_hz().map_err(refused)?;
            let thin = Chain::new(beam, n, &Setup { rotary_inertia: false, ..setup });
            let corrected = thin.corrected_frequencies_hz();
            let growth = corrected.iter().map(|f| 2.0 * std::f64::consts::PI * f.im).fold(0.0, f64::max);
            let digit = |value: f64| short(value, 7);
            rows.push(vec![
                n.to_string(),
                digit(1e3 * chain.static_deflection(force, own)),
                digit(frequencies[0]),
                frequencies.get(1).map_or(String::new(), |f| digit(*f)),
                digit(1e3 * thin.corrected_deflection(force, own)),
                corrected.first().map_or(String::new(), |f| digit(f.re)),
                short(growth, 4),
            ]);
        }
        let (bending, line) = (beam.bending_stiffness(), own * beam.line_density());
        let length = beam.length;
        let clamped = force * length.powi(3) / (3.0 * bending) + line * length.powi(4) / (8.0 * bending);
        let base = setup.base_stiffness.map_or(0.0, |base| (force + 0.5 * line * length) * length.powi(2) / base);
        let exact = clamped + base;
        let mut held = format!("Cantilever with {} N at the tip", short(force, 6));
        if own != 0.0 {
            held += " and its own weight";
        }
        if let Some(base) = setup.base_stiffness {
            held += &format!(", on a spring of {} N m/rad", short(base, 7));
        }
        if setup.tip_mass > 0.0 {
            held += &format!(", {} kg at the tip", short(setup.tip_mass, 6));
        }
        if setup.tip_inertia > 0.0 {
            held += &format!(" with {} kg m2 about it", short(setup.tip_inertia, 6));
        }
        let title = format!("{held}; exact for a thin beam: {} mm", short(1e3 * exact, 7));
        let note = "The corrected chain is not symmetric: use it for this comparison only.\n";
        Ok(Comparison { title, rows, note })
    }
}

/// A table over the number of elements; the first row is the header.
struct Comparison {
    title: String,
    rows: Vec<Vec<String>>,
    note: &'static str,
}

impl Comparison {
    fn text(&self) -> String {
        format!("{}\n{}{}", self.title, text::table(&self.rows), self.note)
    }

    /// Title, column names and rows; numbers as numbers, empty cells as `null`.
    fn json(&self) -> Value {
        let cell = |cell: &String| match (cell.parse::<f64>(), cell.is_empty()) {
            (Ok(number), _) => json!(number),
            (Err(_), true) => Value::Null,
            (Err(_), false) => json!(cell),
        };
        let (columns, rows) = self.rows.split_at(1);
        let rows: Vec<Vec<Value>> = rows.iter().map(|row| row.iter().map(cell).collect()).collect();
        json!({"title": self.title, "columns": columns[0], "rows": rows})
    }
}

/// The beam named `wanted`, or the only beam of the structure, with its name.
fn beam_of(
    (structure, model): &(Structure, FiniteElementModel),
    wanted: Option<&str>,
    joint: ElementJoint,
) -> Result<(Beam, String), Failure> {
    let file = &structure.file;
    let known: Vec<&str> = file.beams.iter().map(|beam| beam.name.as_str()).collect();
    let found = match wanted {
        Some(name) => file.beams.iter().position(|beam| beam.name == name),
        None => (known.len() == 1).then_some(0),
    };
    let Some(i) = found else {
        let said = wanted.map_or("--beam is missing".to_string(), |name| format!("--beam {name}: unknown beam"));
        let near = wanted.and_then(|name| text::nearest(name, known.iter().copied()));
        let hint = match (near, known.as_slice()) {
            (Some(near), _) => format!("did you mean `{near}`?"),
            (None, []) => "the structure has no beams".to_string(),
            (None, all) => format!("expected one of {}", all.join(", ")),
        };
        return Err(Failure::Usage(format!("{said}; {hint}")));
    };
    let beam = &file.beams[i];
    let refuse = |key: &str, found: &str| {
        let expected = "expected a plain beam from node to node; use --whole for the whole structure";
        Err(Failure::Input(Diagnostics(vec![structure.source.at(format!("beam[{i}].{key}"), found, expected)])))
    };
    if beam.offsets.is_some() {
        return refuse("offsets", "the beam has rigid arms at its ends");
    }
    if beam.releases.is_some() {
        return refuse("releases", "the beam has released ends");
    }
    if beam.end_section.is_some() {
        return refuse("end_section", "the beam is tapered");
    }
    let shears = joint.motions().contains(&1);
    if beam.theory == Theory::Timoshenko && joint.motions().contains(&5) && !shears {
        notice("the chain has no shear deformation: the theory `timoshenko` of the beam is ignored");
    }
    // Loading and building have checked the names.
    let place = |name: &str| model.nodes.iter().find(|node| node.name == name).map(|node| node.position);
    let material = file.materials.iter().find(|material| material.name == beam.material);
    let section = file.sections.iter().find(|section| section.name == beam.section);
    let (Some(start), Some(end), Some(material), Some(section)) =
        (place(&beam.nodes[0]), place(&beam.nodes[1]), material, section)
    else {
        return refuse("nodes", "the ends, material or section of the beam do not match the structure");
    };
    let poisson = material.poisson();
    let section = properties(section, poisson);
    if joint.motions().contains(&3) && section.torsion <= 0.0 {
        return refuse("section", "the section has no torsion constant, which joints that twist need");
    }
    // The element's axes x and z become x and y: bending in the plane of the element's z is about its y.
    let chain = Beam {
        length: (end - start).norm(),
        area: section.area,
        second_moment: section.inertia_y,
        side_second_moment: section.inertia_z,
        youngs_modulus: material.youngs_modulus,
        density: material.density,
        shear_modulus: material.shear(),
        torsion_constant: section.torsion,
        shear_areas: (beam.theory == Theory::Timoshenko).then_some([section.shear_z, section.shear_y]),
    };
    Ok((chain, beam.name.clone()))
}

/// Name of the model: from its file, from its folder for a `model.toml`, or from the beam.
fn name_of(output: Option<&Path>, beam: Option<String>) -> String {
    let text = |part: Option<&std::ffi::OsStr>| part.map(|part| part.to_string_lossy().into_owned());
    let file = output.and_then(|path| match text(path.file_stem()) {
        Some(name) if name == "model" => text(path.parent().and_then(Path::file_name)).or(Some(name)),
        name => name,
    });
    let name = file.or(beam).unwrap_or_else(|| "lumped_beam".into());
    let mut name: String = name.chars().map(|c| if c.is_ascii_alphanumeric() { c } else { '_' }).collect();
    if name.starts_with(|c: char| c.is_ascii_digit()) || name.is_empty() {
        name.insert_str(0, "beam_");
    }
    name
}
