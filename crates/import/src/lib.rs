//! Robots in URDF and MJCF as model files.
//!
//! [`read`] turns a file into the text of a `model.toml` and the meshes beside it; [`Imported::write`] makes a folder
//! of them, whole or not at all. Both formats become one `robot`: bodies, joints and force elements in one global
//! frame, at the zero position of all joints. The formats are read from the same `xml`, which keeps the place of
//! everything and knows at the end what nobody asked for: that is listed, with what is known to have no place in the
//! model file.

mod frame;
mod meshes;
mod mjcf;
mod robot;
mod solids;
mod start;
mod urdf;
mod write;
mod xml;

use ballesta::analysis::step_map::Question;
use ballesta::document::{Diagnostic, Diagnostics, whole_file};
use ballesta::model;
use ballesta::system::System;
use ballesta_experiment::failure::Failure;
use ballesta_experiment::{operating, temporary};
use std::fs;
use std::path::{Path, PathBuf};

/// Tables of one kind that a model file has at most: more are not made first.
const MOST_ITEMS: usize = 4000;

/// How often the step is halved where it is too long for the scheme at the start.
const MOST_HALVINGS: usize = 5;

/// What a file leaves open.
#[derive(Clone, Debug, Default)]
pub struct Options {
    /// Folders of packages, by their names in `package://NAME/`.
    pub packages: Vec<(String, PathBuf)>,
    /// Whether the root of a URDF moves freely; else it is fixed to the ground.
    pub floating: bool,
    /// Whether inertias that no mass distribution has become their mean moment about every axis; else they are errors.
    pub mend_inertias: bool,
    /// Keyframe of an MJCF file that the model starts from; else all joints start at zero.
    pub keyframe: Option<String>,
    /// Which geoms of an MJCF file touch.
    pub contacts: Contacts,
}

/// Which pairs of geoms touch.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Contacts {
    /// Those that touch in MuJoCo.
    #[default]
    All,
    /// Of these the pairs with a geom that is fixed to the world.
    Ground,
    None,
}

/// A model that was made of a file.
pub struct Imported {
    /// The text of its `model.toml`.
    pub model: String,
    /// Files beside it, by their paths in its folder.
    pub meshes: Vec<(String, Vec<u8>)>,
    /// What was not carried over: file, lines, what.
    pub notes: Vec<String>,
    /// How many bodies the model has, and joints with coordinates of its tree.
    pub size: [usize; 2],
}

/// Reads a robot.
///
/// # Errors
/// All that is wrong with its files, or what is wrong with the model that they give.
pub fn read(path: &Path, options: &Options) -> Result<Imported, Diagnostics> {
    let files = xml::Files::default();
    let mut root = files.read(path)?;
    let (mut robot, meshes) = match root.name.as_str() {
        "robot" => {
            if let Some(name) = &options.keyframe {
                let found = format!("a URDF has no keyframes, and \"{name}\" is asked for");
                return Err(whole_file(path.display().to_string(), found, "leave --keyframe out"));
            }
            urdf::read(&root, &files, options)
        }
        "mujoco" => {
            mjcf::include(&mut root, &files)?;
            files.check()?;
            mjcf::read(&root, &files, options)
        }
        "sdf" => {
            let cure = "write the robot as URDF or MJCF, with the program that made the file";
            files.wrong(root.place, "sdf", "the file is in SDF, which is not read", cure);
            return Err(files.check().err().unwrap_or_default());
        }
        other => {
            let found = format!("the root is <{other}>");
            files.wrong(root.place, other, found, "<robot> of URDF, or <mujoco> of MJCF");
            return Err(files.check().err().unwrap_or_default());
        }
    };
    let most = MOST_ITEMS;
    if robot.bodies.len().max(robot.joints.len()).max(robot.shapes.len()).max(robot.outputs.len()) > most {
        let found = format!("more than {most} bodies, joints, shapes or outputs");
        return Err(whole_file(
            path.display().to_string(),
            found,
            "a smaller robot: a model file has no more of a kind",
        ));
    }
    robot.move_massless(&files);
    files.check()?;
    files.note_unread(&root);
    robot.place_joints(&files);
    robot.add_rotors();
    let notes = files.notes();
    let source = path.file_name().unwrap_or_default().display().to_string();
    let mut text = write::model(&robot, &source, &notes);
    let mut halvings = 0;
    while let Some(refusal) = works(path, &text, &robot, &files)? {
        if halvings == MOST_HALVINGS {
            let cure = "heavier links, or less damping, stiffness and friction";
            return Err(whole_file(path.display().to_string(), refusal, cure));
        }
        halvings += 1;
        // A stiffness that grew as the step fell would never fit it.
        robot.contact_step = robot.contact_step.or(Some(robot.model_step()));
        robot.step = Some(0.5 * robot.model_step());
        text = write::model(&robot, &source, &notes);
    }
    let coordinates = robot.joints.iter().filter(|joint| joint.kind != robot::Kind::Fixed && !joint.is_closure);
    Ok(Imported {
        model: text,
        meshes: meshes.copies.into_iter().map(|(_, name, bytes)| (name, bytes)).collect(),
        notes,
        size: [robot.bodies.len(), coordinates.count()],
    })
}

/// That the model file is one, and that a system compiles from it; what is wrong with its step, if that is too long for
/// its scheme. What is wrong with a joint is said of its place in the robot's file.
fn works(path: &Path, text: &str, robot: &robot::Robot, files: &xml::Files) -> Result<Option<String>, Diagnostics> {
    // Meshes have been looked at, and belong to pictures alone.
    let compiled = model::parse_with(text, "model.toml", Vec::new()).and_then(|document| {
        let system = System::compile(&document, &document.model.parameter_values())?;
        Ok((document, system))
    });
    let (document, system) = compiled.map_err(|Diagnostics(all)| {
        let placed = all.into_iter().map(|wrong| {
            let number = wrong.key.strip_prefix("joint[").and_then(|rest| rest.split_once(']')?.0.parse().ok());
            match number.and_then(|number: usize| robot.joints.get(number)) {
                Some(joint) => files.diagnostic(joint.place, "joint", wrong.found, &wrong.expected),
                None => Diagnostic { file: path.display().to_string(), line: 0, column: 0, ..wrong },
            }
        });
        Diagnostics(placed.collect())
    })?;
    match operating::refuse_long_step(&document, &system, &[], false, Question::OwnStep) {
        Err(Failure::Input(Diagnostics(all))) => Ok(all.into_iter().next().map(|wrong| wrong.found)),
        // What cannot be judged is not refused anywhere.
        _ => Ok(None),
    }
}

impl Imported {
    /// Writes the model into `folder`, which appears whole or not at all. With `force`, a folder that has a model is
    /// replaced: that model, and the meshes; files of other names stay.
    ///
    /// # Errors
    /// What is there already, and what the file system says.
    pub fn write(&self, folder: &Path, force: bool) -> Result<Vec<PathBuf>, Failure> {
        if folder.exists() && !force {
            let message = format!("{} is there already; give another folder with -o, or --force", folder.display());
            return Err(Failure::Usage(message));
        }
        if folder.is_file() {
            return Err(Failure::Usage(format!("{} is a file; give a folder with -o", folder.display())));
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
