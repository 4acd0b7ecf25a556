//! Robots in URDF and MJCF as model files.
//!
//! [`read`] converts a file to the text of a `model.toml` and its meshes; [`Imported::write`] writes them as a folder,
//! completely or not at all. Both formats become one `robot`: bodies, joints and force elements in one global frame, at
//! the zero position of all joints. Both are read through `xml`, which records line numbers and unread parts. Unread
//! parts are listed, together with parts that the model file does not support.

mod frame;
mod hull;
mod inertia;
mod massless;
mod meshes;
mod mjcf;
mod mobility;
mod overlap;
mod robot;
mod solids;
mod start;
mod urdf;
mod write;
mod xml;

use ballesta::analysis::step_map::{self, AnalysisExtent};
use ballesta::compile;
use ballesta::document::{Diagnostic, Diagnostics, whole_file};
use ballesta::dynamics::observe::calc_outputs;
use ballesta::model::{self, schema::JointKind};
use ballesta::system::Workspace;
use ballesta_files::failure::Failure;
use ballesta_files::temporary;
use std::fs;
use std::path::{Path, PathBuf};

/// Largest number of tables of one kind in a model file; larger models are rejected early.
const MAX_ITEMS: usize = 4000;

/// Largest number of halvings of a step that is too long for the scheme at the start.
const MAX_HALVINGS: usize = 5;

/// Import options.
#[derive(Clone, Debug, Default)]
pub struct Options {
    /// Folders of packages, by their names in `package://NAME/`.
    pub packages: Vec<(String, PathBuf)>,
    /// Whether the root of a URDF moves freely; otherwise it is fixed to the ground.
    pub floating: bool,
    /// Treatment of impossible inertias.
    pub impossible_inertias: ImpossibleInertias,
    /// Start keyframe of an MJCF file; without one all joints start at zero.
    pub keyframe: Option<String>,
    /// Contact pairs of an MJCF file.
    pub contacts: Contacts,
}

/// Treatment of inertias that no mass distribution has: negative moments, or one that exceeds the sum of the others.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum ImpossibleInertias {
    /// An error.
    #[default]
    Reject,
    /// Replaced by the nearest possible inertia.
    Nearest,
    /// Kept.
    AsTheyAre,
}

impl ImpossibleInertias {
    /// From the two options of the command, which exclude each other.
    pub fn chosen(mend_inertias: bool, as_they_are: bool) -> ImpossibleInertias {
        match (mend_inertias, as_they_are) {
            (true, _) => ImpossibleInertias::Nearest,
            (false, true) => ImpossibleInertias::AsTheyAre,
            (false, false) => ImpossibleInertias::Reject,
        }
    }
}

/// Selection of contact pairs of geoms.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Contacts {
    /// Pairs that touch in MuJoCo.
    #[default]
    All,
    /// Of these, only pairs with a geom fixed to the world.
    Ground,
    None,
}

/// An imported model.
pub struct Imported {
    /// The text of its `model.toml`.
    pub model: String,
    /// Mesh files, by their paths in the folder of the model.
    pub meshes: Vec<(String, Vec<u8>)>,
    /// Parts that were not imported: file, lines, name.
    pub notes: Vec<String>,
    /// Number of bodies, and of tree joints with coordinates.
    pub size: [usize; 2],
}

/// Reads a robot.
///
/// # Errors
/// All faults of its files, or of the resulting model.
pub fn read(path: &Path, options: &Options) -> Result<Imported, Diagnostics> {
    let files = xml::Files::default();
    let mut root = files.read(path)?;
    let (mut robot, meshes) = match root.name.as_str() {
        "robot" => {
            if let Some(name) = &options.keyframe {
                let found = format!("keyframe \"{name}\" requested, but URDF has no keyframes");
                return Err(whole_file(path.display().to_string(), found, "remove --keyframe"));
            }
            urdf::read(&root, &files, options)
        }
        "mujoco" => {
            mjcf::include(&mut root, &files)?;
            files.check()?;
            let attached = mjcf::expand(&mut root, &files)?;
            mjcf::read(&root, attached, &files, options)
        }
        "sdf" => {
            let cure = "export the robot as URDF or MJCF";
            files.wrong(root.place, "sdf", "SDF files are not supported", cure);
            return Err(files.check().err().unwrap_or_default());
        }
        other => {
            let found = format!("the root element is <{other}>");
            files.wrong(root.place, other, found, "expected <robot> (URDF) or <mujoco> (MJCF)");
            return Err(files.check().err().unwrap_or_default());
        }
    };
    let most = MAX_ITEMS;
    if robot.bodies.len().max(robot.joints.len()).max(robot.shapes.len()).max(robot.outputs.len()) > most {
        let found = format!("more than {most} bodies, joints, shapes or outputs");
        return Err(whole_file(
            path.display().to_string(),
            found,
            "import a smaller robot: a model file has at most this many of each",
        ));
    }
    robot.settle_inertias(&files, options.impossible_inertias);
    files.check()?;
    files.note_unread(&root);
    robot.place_joints(&files);
    robot.prescribe_massless(&files);
    let mut notes = files.notes();
    let source = path.file_name().unwrap_or_default().display().to_string();
    let mut text = write::model(&robot, &source, &notes);
    let mut halvings = 0;
    let mut start = works(path, &text, &robot, &files)?;
    while let Some(refusal) = start.refusal {
        if halvings == MAX_HALVINGS {
            let cure = "make the links heavier, or reduce damping, stiffness and friction";
            return Err(whole_file(path.display().to_string(), refusal, cure));
        }
        halvings += 1;
        robot.first_step = robot.first_step.or(Some(robot.model_step()));
        robot.step = Some(0.5 * robot.model_step());
        text = write::model(&robot, &source, &notes);
        start = works(path, &text, &robot, &files)?;
    }
    // The stiffness of contacts depends on the step.
    if let Some(overlap) = robot.overlap(&start.pushing) {
        files.note(root.place, overlap_note(&overlap, &root, options));
        notes = files.notes();
        text = write::model(&robot, &source, &notes);
    }
    let coordinates = robot.joints.iter().filter(|joint| joint.kind != JointKind::Fixed && !joint.is_closure);
    Ok(Imported {
        model: text,
        meshes: meshes.copies.into_iter().map(|(_, name, bytes)| (name, bytes)).collect(),
        notes,
        size: [robot.bodies.len(), coordinates.count()],
    })
}

/// The note on solids that overlap at the start, with the keyframes that the file offers instead.
fn overlap_note(overlap: &overlap::Overlap, root: &xml::Element, options: &Options) -> String {
    let [one, two] = &overlap.solids;
    let depth = write::short(1e3 * overlap.depth);
    let more = match overlap.pairs {
        1 => String::new(),
        2 => " and 1 other pair".to_string(),
        pairs => format!(" and {} other pairs", pairs - 1),
    };
    let keys = root.all("keyframe").flat_map(|keyframe| keyframe.all("key")).filter_map(|key| key.text("name"));
    let keys: Vec<String> = keys
        .filter(|key| Some(*key) != options.keyframe.as_deref())
        .take(5)
        .map(|key| format!("--keyframe {key}"))
        .collect();
    let cure = if keys.is_empty() { String::new() } else { format!("; try {}", keys.join(" or ")) };
    format!("start: \"{one}\" and \"{two}\" overlap by {depth} mm{more}: the contact pushes them apart at once{cure}")
}

/// Properties of a model at its start.
struct Start {
    /// The message about a step that is too long for its scheme.
    refusal: Option<String>,
    /// Names of the contacts that push.
    pushing: Vec<String>,
}

/// Checks that the model file is valid and compiles. Faults of a joint or a coupling refer to its line in the robot's
/// file.
fn works(path: &Path, text: &str, robot: &robot::Robot, files: &xml::Files) -> Result<Start, Diagnostics> {
    // Meshes were checked before and are used only in pictures.
    let compiled = model::parse_with(text, "model.toml", Vec::new()).and_then(|document| {
        let system = compile::compile(&document, &document.model.parameter_values())?;
        Ok((document, system))
    });
    let (document, system) = compiled.map_err(|Diagnostics(all)| {
        let placed = all.into_iter().map(|wrong| {
            let number = |table: &str| -> Option<usize> {
                wrong.key.strip_prefix(table)?.strip_prefix('[')?.split_once(']')?.0.parse().ok()
            };
            let joint = number("joint").and_then(|number| robot.joints.get(number));
            let coupler = number("coupler").and_then(|number| robot.coupler_place(number));
            match (joint, coupler) {
                (Some(joint), _) => files.diagnostic(joint.place, "joint", wrong.found, &wrong.expected),
                (_, Some(place)) => files.diagnostic(place, "coupling", wrong.found, &wrong.expected),
                _ => Diagnostic { file: path.display().to_string(), line: 0, column: 0, ..wrong },
            }
        });
        Diagnostics(placed.collect())
    })?;
    let mut workspace = Workspace::new(&system);
    let limit = step_map::step_limit(&system, system.initial(), &mut workspace, AnalysisExtent::OwnStep);
    // A step that cannot be assessed is accepted.
    let refusal = limit.ok().and_then(|limit| limit.refusal(&document, &system)).map(|wrong| wrong.found);
    let outputs = &system.interface().outputs;
    let mut values = vec![0.0; outputs.len()];
    let known = calc_outputs(&system, system.initial(), &mut workspace, &mut values).is_ok();
    let pushes = outputs.iter().zip(&values).filter(|(_, value)| known && **value > 0.0);
    let pushing = pushes.filter_map(|(output, _)| output.name.strip_suffix(write::NORMAL_FORCE).map(str::to_string));
    Ok(Start { refusal, pushing: pushing.collect() })
}

impl Imported {
    /// Writes the model into `folder`, completely or not at all. With `force`, the model and the meshes in an existing
    /// folder are replaced; other files are kept.
    ///
    /// # Errors
    /// An existing folder, and errors of the file system.
    pub fn write(&self, folder: &Path, force: bool) -> Result<Vec<PathBuf>, Failure> {
        if folder.exists() && !force {
            let message = format!(
                "{} already exists; choose another folder with -o, or overwrite it with --force",
                folder.display()
            );
            return Err(Failure::Usage(message));
        }
        if folder.is_file() {
            return Err(Failure::Usage(format!("{} is a file; choose a folder with -o", folder.display())));
        }
        let name = folder.file_name().unwrap_or_default().display().to_string();
        let made = folder.with_file_name(format!("{name}.partial-{}", std::process::id()));
        let failed = |error| Failure::file("write", &folder.join(model::load::FILE_NAME), error);
        if let Some(parent) = folder.parent().filter(|parent| !parent.as_os_str().is_empty()) {
            fs::create_dir_all(parent).map_err(failed)?;
        }
        temporary::create(&made, || fs::create_dir(&made)).map_err(failed)?;
        let written = self.fill(&made).and_then(|()| self.move_over(&made, folder));
        if written.is_err() {
            temporary::remove(&made);
        }
        written.map_err(failed)?;
        let meshes = self.meshes.iter().map(|(name, _)| folder.join(name));
        Ok(std::iter::once(folder.join(model::load::FILE_NAME)).chain(meshes).collect())
    }

    fn fill(&self, folder: &Path) -> std::io::Result<()> {
        fs::write(folder.join(model::load::FILE_NAME), &self.model)?;
        for (name, bytes) in &self.meshes {
            let path = folder.join(name);
            fs::create_dir_all(path.parent().unwrap_or(folder))?;
            fs::write(path, bytes)?;
        }
        Ok(())
    }

    fn move_over(&self, made: &Path, folder: &Path) -> std::io::Result<()> {
        if !folder.exists() {
            return temporary::rename(made, folder);
        }
        for (name, _) in &self.meshes {
            let target = folder.join(name);
            fs::create_dir_all(target.parent().unwrap_or(folder))?;
            fs::rename(made.join(name), target)?;
        }
        fs::rename(made.join(model::load::FILE_NAME), folder.join(model::load::FILE_NAME))?;
        temporary::remove(made);
        Ok(())
    }
}
