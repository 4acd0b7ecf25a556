//! MJCF: nested bodies with frames relative to their parents, with joints, geoms and sites.
//!
//! The zero position is MuJoCo's `qpos0`. A coordinate of the model is the joint's position minus its `ref`.
//! <https://mujoco.readthedocs.io/en/stable/XMLreference.html>

mod actuators;
mod assets;
mod cables;
mod compiler;
mod contacts;
mod defaults;
mod equality;
mod expand;
mod fit;
mod geom;
mod joints;
mod keyframes;
mod mesh_solid;
mod sensors;
mod tendons;

use crate::frame::{Pose, of_point};
use crate::inertia::{is_impossible, without_round_off};
use crate::meshes::Meshes;
use crate::robot::{Body, Form, Joint, Robot, Shape, unique};
use crate::solids::{self, SolidKind};
use crate::xml::{Element, Files, XmlPosition};
use crate::{Contacts, Options};
use assets::Asset;
use ballesta::document::Diagnostics;
use ballesta::math::{Mat3, Vec3, has_hull, rotation};
use ballesta::model::schema::{Force, JointKind as Kind, Output, Quantity, numbers};
pub use cables::CablePath;
use compiler::{Compiler, FromGeoms};
use contacts::Colliding;
use defaults::{Defaults, Spec};
use expand::Attached;
pub use expand::expand;
use geom::{Geom, Solid};
use mesh_solid::{MESH_CURE, MeshFault, MeshSolid};
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

/// Elements that generate bodies.
const GENERATORS: [&str; 4] = ["replicate", "attach", "composite", "flexcomp"];

/// Flags of MuJoCo's solver, output and performance, and flags that are read elsewhere.
const SOLVER_FLAGS: [&str; 14] = [
    "contact",
    "filterparent",
    "warmstart",
    "refsafe",
    "midphase",
    "nativeccd",
    "multiccd",
    "island",
    "eulerdamp",
    "autoreset",
    "energy",
    "fwdinv",
    "sleep",
    "sensor",
];
/// Flags of loads that are imported nevertheless.
const LOAD_FLAGS: [&str; 9] =
    ["constraint", "equality", "frictionloss", "limit", "passive", "spring", "damper", "actuation", "clampctrl"];

/// A plane is drawn as a plate of at most this length and width, and this thickness, m.
const PLANE_SIZE: [f64; 2] = [4.0, 0.02];

/// Largest nesting depth of includes.
const MAX_INCLUDE_DEPTH: usize = 20;

/// A joint of MJCF, by its name in the file.
#[derive(Clone)]
struct NamedJoint {
    /// Name in the model.
    name: String,
    kind: Kind,
    /// Position of MuJoCo at the zero position: `ref`, rad or m; seven numbers for a free joint.
    zero: Vec<f64>,
    /// Axes of the body at the zero position, about which MuJoCo rotates a ball joint.
    turn: Mat3,
    /// Position of MuJoCo without force in springs, rad or m.
    spring_reference: f64,
    /// Range that actuators inherit.
    range: Option<[f64; 2]>,
}

/// A site.
#[derive(Clone)]
struct Site {
    body: String,
    pose: Pose,
}

struct Reader<'e> {
    files: &'e Files,
    options: &'e Options,
    compiler: Compiler,
    /// Models of other files, with their own settings.
    attached: Vec<Attached>,
    defaults: Defaults<'e>,
    robot: Robot,
    meshes: Meshes,
    /// Names of the file, and names given to elements without a name.
    used_names: BTreeSet<String>,
    /// Body of the model and its frame, by the name in the file.
    bodies: BTreeMap<String, (String, Pose)>,
    joints: BTreeMap<String, NamedJoint>,
    /// Fixed tendons, as joints.
    tendons: BTreeMap<String, NamedJoint>,
    /// Spatial tendons.
    paths: BTreeMap<String, CablePath>,
    /// Joints in the order of MuJoCo's positions.
    order: Vec<NamedJoint>,
    sites: BTreeMap<String, Site>,
    assets: BTreeMap<String, Asset>,
    /// Meshes that MuJoCo generates, with their kinds.
    builtin_meshes: BTreeMap<String, String>,
    colours: BTreeMap<&'e str, [f64; 4]>,
    /// Bodies with the part of their weight that `gravcomp` removes.
    weightless: Vec<(String, f64)>,
    /// Joints with the time constant, s, and damping ratio of their spring.
    spring_dampers: Vec<(String, [f64; 2], XmlPosition)>,
    /// Drives with the gear, kp and damping ratio of their actuator.
    damping_ratios: Vec<(String, [f64; 3], XmlPosition)>,
    /// Joints with the range of the sum of their actuators, N m or N.
    force_ranges: Vec<(String, [f64; 2], XmlPosition)>,
    /// Input of each actuator in the order of the file, if it has one.
    controls: Vec<Option<String>>,
    /// Drive of each actuator.
    actuators: BTreeMap<String, String>,
    /// Bodies without child bodies, with the origins of their frames.
    ends: Vec<(String, Vec3)>,
    /// Free joints that are aligned with the inertia of their bodies, if these have no child bodies.
    aligned: Vec<String>,
    /// Number of bodies as counted by MuJoCo.
    number: usize,
    /// Parent of each body of the model in the file, and whether the body is fixed to it.
    parents: BTreeMap<String, (String, bool)>,
    /// Geoms that are solids, and the names of the other geoms.
    colliding: Vec<Colliding>,
    other_geoms: BTreeSet<String>,
}

/// Replaces every `<include>` by its file.
///
/// # Errors
/// Files that are not XML.
pub fn include(element: &mut Element, files: &Files) -> Result<(), Diagnostics> {
    let main = files.folder(element.place);
    include_below(element, files, &main, &mut Vec::new())
}

/// `around`: the including files except the main file.
fn include_below(
    element: &mut Element,
    files: &Files,
    main: &Path,
    around: &mut Vec<PathBuf>,
) -> Result<(), Diagnostics> {
    let mut children = Vec::new();
    for mut child in element.take_children() {
        if child.name != "include" {
            include_below(&mut child, files, main, around)?;
            children.push(child);
            continue;
        }
        child.mark();
        let Some(name) = child.needed(files, "file") else { continue };
        // MuJoCo searches the folder of the main file.
        let beside = files.folder(child.place).join(name);
        let path = if main.join(name).is_file() { main.join(name) } else { beside };
        let wrong = |found: String, cure| files.wrong(child.place_of("file"), "include.file", found, cure);
        if !path.is_file() {
            wrong(format!("file {} not found", path.display()), "give a path relative to the main file");
            continue;
        }
        if around.contains(&path) || around.len() >= MAX_INCLUDE_DEPTH {
            wrong(format!("{} includes itself", path.display()), "remove the <include>");
            continue;
        }
        let mut other = files.read(&path)?;
        around.push(path);
        let read = include_below(&mut other, files, main, around);
        around.pop();
        read?;
        children.append(&mut other.take_children());
    }
    element.children = children;
    Ok(())
}

/// All names of a file.
fn names_of(root: &Element) -> BTreeSet<String> {
    let mut names = Vec::new();
    root.values("name", &mut names);
    names.into_iter().collect()
}

/// The robot of a file's root element.
pub fn read(root: &Element, attached: Vec<Attached>, files: &Files, options: &Options) -> (Robot, Meshes) {
    let name = root.mark().text("model").unwrap_or("robot").to_string();
    let mut reader = Reader {
        files,
        options,
        compiler: Compiler::new(root, files),
        defaults: Defaults::new(root, &attached, files),
        attached,
        robot: Robot { name, gravity: Vec3::new(0.0, 0.0, -9.81), ..Robot::default() },
        meshes: Meshes::default(),
        used_names: names_of(root),
        bodies: BTreeMap::new(),
        joints: BTreeMap::new(),
        tendons: BTreeMap::new(),
        paths: BTreeMap::new(),
        order: Vec::new(),
        sites: BTreeMap::new(),
        assets: BTreeMap::new(),
        builtin_meshes: BTreeMap::new(),
        colours: BTreeMap::new(),
        weightless: Vec::new(),
        spring_dampers: Vec::new(),
        damping_ratios: Vec::new(),
        force_ranges: Vec::new(),
        controls: Vec::new(),
        actuators: BTreeMap::new(),
        ends: Vec::new(),
        aligned: Vec::new(),
        number: 0,
        parents: BTreeMap::new(),
        colliding: Vec::new(),
        other_geoms: BTreeSet::new(),
    };
    if options.floating {
        files.wrong(
            root.place,
            "mujoco",
            "--floating applies to URDF only",
            "add a <freejoint/> to the body in the file",
        );
    }
    reader.option(root);
    reader.assets(root);
    reader.robot.names.bodies.insert("ground".into());
    reader.bodies.insert("world".into(), ("ground".into(), Pose::world()));
    for world in root.all("worldbody") {
        reader.content(world, "ground", &Pose::world(), None, &mut None);
    }
    if reader.robot.bodies.is_empty() {
        files.wrong(root.place, "worldbody", "there is no <body> in <worldbody>", "give a file with a mechanism");
    }
    reader.bounds();
    if options.contacts != Contacts::None {
        reader.contacts(root);
    }
    reader.tendons(root);
    reader.equality(root);
    reader.actuators(root);
    reader.loads_of_inertias();
    let ends = std::mem::take(&mut reader.ends);
    reader.robot.usual_outputs(&ends);
    reader.site_outputs();
    reader.sensors(root);
    reader.keyframes(root);
    // Elements for pictures, memory and users, which do not affect the motion.
    for name in ["visual", "statistic", "size", "custom"] {
        root.all(name).for_each(Element::mark_all);
    }
    reader.defaults.mark_unused();
    (reader.robot, reader.meshes)
}

/// Mass properties of the mesh of a geom; `None`, with an error, if it has none.
fn mass_of_mesh(
    spec: &Spec,
    asset: Option<&Asset>,
    builtin: &BTreeMap<String, String>,
    meshes: &mut Meshes,
) -> Option<MeshSolid> {
    let found = match asset.map(|asset| mesh_solid::of(spec, asset, meshes)) {
        Some(Ok(solid)) => return Some(solid),
        Some(Err(MeshFault::Reported)) => return None,
        Some(Err(MeshFault::Unread)) => "the mass of the geom needs its mesh, which is not read".to_string(),
        None => match spec.text("mesh").and_then(|name| builtin.get(name)) {
            Some(kind) => format!("the mass of the geom needs a mesh of builtin=\"{kind}\", which is not supported"),
            None => "the mass of the geom needs its mesh, which has no file".to_string(),
        },
    };
    spec.wrong("mesh", found, MESH_CURE);
    None
}

impl<'e> Reader<'e> {
    /// The settings of the model that an element comes from.
    fn compiler(&self, element: &Element) -> &Compiler {
        let file = element.place.file();
        let attached = self.attached.iter().find(|model| model.files.contains(&file));
        attached.map_or(&self.compiler, |model| &model.compiler)
    }

    fn option(&mut self, root: &'e Element) {
        for option in root.all("option") {
            if let Some(gravity) = option.numbers::<3>(self.files, "gravity") {
                self.robot.gravity = Vec3::from(gravity);
            }
            if let Some(step) = option.number(self.files, "timestep").filter(|step| *step > 0.0) {
                self.robot.step = Some(step);
            }
            for flag in option.all("flag") {
                SOLVER_FLAGS.iter().for_each(|name| _ = flag.text(name));
                if flag.text("gravity") == Some("disable") {
                    self.robot.gravity = Vec3::zeros();
                }
                // Flags that remove loads.
                for name in LOAD_FLAGS.into_iter().filter(|name| flag.text(name) == Some("disable")) {
                    self.files.note(flag.place_of(name), format!("{name}=\"disable\" of <flag>: these loads act"));
                }
            }
            // MuJoCo's solver settings; physical settings, such as wind and viscosity, are listed.
            for name in [
                "integrator",
                "solver",
                "iterations",
                "tolerance",
                "cone",
                "jacobian",
                "impratio",
                "noslip_iterations",
                "noslip_tolerance",
                "ls_iterations",
                "ls_tolerance",
                "ccd_iterations",
                "ccd_tolerance",
                "sdf_iterations",
                "sdf_initpoints",
                "apirate",
                "mpr_iterations",
                "mpr_tolerance",
            ] {
                option.text(name);
            }
        }
    }

    /// Reads the contents of a body, a frame or the world. Masses of its geoms are added to `weights`.
    fn content(
        &mut self,
        element: &'e Element,
        body: &str,
        pose: &Pose,
        childclass: Option<&'e str>,
        weights: &mut Option<Vec<(geom::MassProperties, Option<Pose>)>>,
    ) {
        let childclass = if element.name == "frame" { self.childclass(element).or(childclass) } else { childclass };
        for child in &element.children {
            match child.name.as_str() {
                "geom" => self.geom(child, body, pose, childclass, weights),
                "site" => self.site(child, body, pose, childclass),
                "body" => self.body(child, body, pose, childclass),
                "frame" => {
                    let spec = self.defaults.of(self.files, child, None);
                    spec.skip(&["name"]);
                    let inner = pose.then(&self.compiler(child).pose(&spec));
                    self.content(child, body, &inner, childclass, weights);
                }
                // Elements without mechanics.
                "camera" | "light" => child.mark_all(),
                other if GENERATORS.contains(&other) => {
                    let cure = "expand the bodies with MuJoCo: mj_saveLastXML, in Python mujoco.mj_saveLastXML";
                    self.files.wrong(
                        child.place,
                        other,
                        format!("<{other}> generates bodies, which is not supported"),
                        cure,
                    );
                }
                _ => {}
            }
        }
    }

    /// Default class of a body or frame for its contents.
    fn childclass(&self, element: &'e Element) -> Option<&'e str> {
        let name = element.text("childclass")?;
        let is_known = self.defaults.has(name);
        if !is_known {
            let (place, found) = (element.place_of("childclass"), format!("there is no class \"{name}\""));
            self.files.wrong(place, &element.key("childclass"), found, "name a class defined in <default>");
        }
        is_known.then_some(name)
    }

    fn body(&mut self, element: &'e Element, parent: &str, around: &Pose, childclass: Option<&'e str>) {
        self.number += 1;
        let files = self.files;
        // Pose and name.
        let spec = self.defaults.of(files, element.mark(), None);
        let pose = around.then(&self.compiler(element).pose(&spec));
        let given = self.name_of(element, &format!("body_{}", self.number));
        let body = unique(&mut self.robot.names.bodies, &given);
        if self.bodies.insert(given.clone(), (body.clone(), pose)).is_some() {
            let found = format!("there are two bodies \"{given}\"");
            files.wrong(element.place_of("name"), "body.name", found, "give each body a unique name");
        }
        // Attributes without an equivalent.
        if element.text("mocap") == Some("true") {
            files.note(element.place_of("mocap"), "mocap of <body>: the body is fixed at its pose in the file");
        }
        if let Some(factor) = element.number(files, "gravcomp").filter(|factor| *factor > 0.0) {
            // MuJoCo ignores negative factors.
            self.weightless.push((body.clone(), factor));
        }
        // Joints; a body without joints is fixed to its parent.
        let childclass = self.childclass(element).or(childclass);
        let is_fixed = self.joints(element, &given, &body, parent, &pose, childclass) == 0;
        self.parents.insert(body.clone(), (parent.to_string(), is_fixed));
        let at = self.robot.bodies.len();
        self.robot.bodies.push(Body::new(&body, pose.at, element.place));
        // Mass and inertia come from <inertial> or from the geoms.
        let inertial = self.inertial_of(element, &pose);
        let from_geoms = match self.compiler(element).from_geoms {
            FromGeoms::Never => false,
            FromGeoms::Always => true,
            FromGeoms::Auto => inertial.is_none(),
        };
        // Geoms and child bodies.
        let before = self.number;
        let mut weights = from_geoms.then(Vec::new);
        self.content(element, &body, &pose, childclass, &mut weights);
        if self.number == before {
            self.ends.push((body.clone(), pose.at));
        }
        let mut axes = None;
        match inertial {
            // Without geoms that have a mass, <inertial> applies.
            Some((inertial, frame)) if weights.as_ref().is_none_or(Vec::is_empty) => {
                axes = self.inertial(inertial, at, &frame);
                weights = None;
            }
            Some((inertial, _)) => {
                inertial.mark_all();
                files.note(inertial.place, "<inertial>, replaced because of <compiler inertiafromgeom>");
            }
            None => {}
        }
        if let Some(weights) = weights {
            if let [(_, one)] = &weights[..] {
                axes = *one;
            }
            let weights: Vec<geom::MassProperties> = weights.into_iter().map(|(weight, _)| weight).collect();
            let of_geoms = weights.iter();
            let mass: f64 = of_geoms.clone().map(|weight| weight.mass).sum();
            if mass > 0.0 {
                let com = of_geoms.clone().map(|w| w.com * w.mass).sum::<Vec3>() / mass;
                let about = of_geoms.map(|w| w.inertia + of_point(w.mass, &(w.com - com)));
                let inertia = about.fold(Mat3::zeros(), |sum, one| sum + one);
                let made = &mut self.robot.bodies[at];
                (made.mass, made.com, made.inertia) = (mass, com, inertia);
            }
        }
        // Without child bodies, the free joint may be aligned with the inertia.
        if self.number == before {
            self.align(element, &given, &body, axes);
        }
    }

    /// The name of an element, or `usual` with a number if another element has that name.
    fn name_of(&mut self, element: &Element, usual: &str) -> String {
        let given = element.text("name").filter(|name| !name.is_empty());
        given.map_or_else(|| unique(&mut self.used_names, usual), str::to_string)
    }

    /// `<inertial>` of a body, with the frame of its numbers: the frame of the body, or of a `<frame>` in it.
    fn inertial_of(&self, element: &'e Element, pose: &Pose) -> Option<(&'e Element, Pose)> {
        if let Some(inertial) = element.child("inertial") {
            return Some((inertial, *pose));
        }
        element.all("frame").find_map(|frame| {
            let inner = pose.then(&self.compiler(frame).pose(&self.defaults.of(self.files, frame, None)));
            self.inertial_of(frame, &inner)
        })
    }

    /// Aligns the free joint of a body with its inertia, if the file requires it: with the frame `axes` of `<inertial>`
    /// or of the only geom.
    fn align(&mut self, element: &'e Element, given: &str, body: &str, axes: Option<Pose>) {
        let of_body = |joint: &&mut Joint| joint.bodies[1] == body && self.aligned.contains(&joint.name);
        let Some(joint) = self.robot.joints.iter_mut().find(of_body) else { return };
        let Some(frame) = axes else {
            let what = "align of <freejoint>: the principal axes of the inertia are not unique";
            return match self.options.keyframe {
                Some(_) => {
                    let cure =
                        "set align=\"false\", or give <inertial> with diaginertia: the keyframe refers to these axes";
                    self.files.wrong(element.place, "freejoint.align", what, cure);
                }
                None => self.files.note(element.place, what),
            };
        };
        joint.point = frame.at;
        let [w, x, y, z] = rotation::quaternion(&frame.turn);
        let zero = vec![frame.at.x, frame.at.y, frame.at.z, w, x, y, z];
        let known = self.joints.values_mut().chain(&mut self.order);
        known.filter(|known| known.name == joint.name).for_each(|known| known.zero.clone_from(&zero));
        let damping = self.robot.bushings.iter_mut().filter(|bushing| bushing.bodies == joint.bodies);
        damping.for_each(|bushing| bushing.point = frame.at.into());
        self.bodies.insert(given.to_string(), (body.to_string(), frame));
    }

    /// Reads `<inertial>` and returns its frame, if the inertia is diagonal in it.
    fn inertial(&mut self, inertial: &'e Element, at: usize, pose: &Pose) -> Option<Pose> {
        let files = self.files;
        let spec = self.defaults.of(files, inertial, None);
        let frame = pose.then(&self.compiler(inertial).pose(&spec));
        let mass = spec.number("mass").unwrap_or_default();
        if mass < 0.0 {
            spec.wrong("mass", format!("the mass is {mass} kg"), "give a mass of 0 or more");
        }
        let own = match (spec.numbers::<3>("diaginertia"), spec.numbers::<6>("fullinertia")) {
            (Some(_), Some(_)) => {
                spec.wrong("fullinertia", "diaginertia and fullinertia exclude each other", "give one of them");
                Mat3::zeros()
            }
            (Some(moments), None) => Mat3::from_diagonal(&Vec3::from(moments)),
            (None, Some([xx, yy, zz, xy, xz, yz])) => Mat3::new(xx, xy, xz, xy, yy, yz, xz, yz, zz),
            (None, None) => Mat3::zeros(),
        };
        let own = match self.compiler(inertial).balance && is_impossible(&own) {
            true => Mat3::identity() * (own.trace() / 3.0),
            false => without_round_off(mass, own),
        };
        let made = &mut self.robot.bodies[at];
        (made.mass, made.com, made.inertia) = (mass, frame.at, frame.inertia(&own));
        made.place = inertial.place;
        spec.has("diaginertia").then_some(frame)
    }

    /// Compiler settings for all bodies of the file. The bodies between the joints of one body keep no mass.
    fn bounds(&mut self) {
        let (least_mass, least_inertia) = (self.compiler.least_mass, self.compiler.least_inertia);
        let parents = &self.parents;
        for body in self.robot.bodies.iter_mut().filter(|body| parents.contains_key(&body.name)) {
            body.mass = body.mass.max(least_mass);
            if least_inertia > 0.0 {
                let mut axes = body.inertia.symmetric_eigen();
                axes.eigenvalues.apply(|moment| *moment = moment.max(least_inertia));
                body.inertia = axes.recompose();
            }
        }
        let mass: f64 = self.robot.bodies.iter().map(|body| body.mass).sum();
        if let Some(total) = self.compiler.total_mass.filter(|_| mass > 0.0) {
            for body in &mut self.robot.bodies {
                body.mass *= total / mass;
                body.inertia *= total / mass;
            }
        }
    }

    /// Loads that depend on masses and inertias, after all of them are known.
    fn loads_of_inertias(&mut self) {
        for (name, factor) in std::mem::take(&mut self.weightless) {
            let Some(body) = self.robot.bodies.iter().find(|body| body.name == name) else { continue };
            let (weight, com) = (self.robot.gravity * (-factor * body.mass), body.com);
            if weight != Vec3::zeros() {
                let force = self.robot.element_name(&format!("{name}.gravcomp"));
                self.robot.forces.push(Force::new(force, name, com, numbers(weight)));
            }
        }
        if self.spring_dampers.is_empty() && self.damping_ratios.is_empty() {
            return;
        }
        let mobilities = self.robot.mobilities();
        let files = self.files;
        let singular = |what: &str, place| {
            files.note(place, format!("{what}: the inertia of the robot is singular at the zero position"));
        };
        for (joint, [time, ratio], place) in std::mem::take(&mut self.spring_dampers) {
            let Some(mobility) = mobilities.get(&joint) else {
                singular("springdamper of <joint>", place);
                continue;
            };
            let spring = self.robot.springs.iter_mut().find(|spring| spring.joint == joint);
            if let Some(spring) = spring {
                spring.stiffness = (1.0 / (mobility * time * time * ratio * ratio)).into();
                spring.damping = (2.0 / (mobility * time)).into();
            }
        }
        for (name, [gear, kp, ratio], place) in std::mem::take(&mut self.damping_ratios) {
            let Some(drive) = self.robot.drives.iter_mut().find(|drive| drive.name == name) else { continue };
            let Some(mobility) = mobilities.get(&drive.joint) else {
                singular("dampratio of an actuator", place);
                continue;
            };
            drive.speed_gain = (gear * gear * 2.0 * ratio * (kp / (gear * gear * mobility)).sqrt()).into();
        }
    }

    fn geom(
        &mut self,
        element: &'e Element,
        body: &str,
        pose: &Pose,
        childclass: Option<&str>,
        weights: &mut Option<Vec<(geom::MassProperties, Option<Pose>)>>,
    ) {
        let files = self.files;
        let spec = self.defaults.of(files, element, childclass);
        let word = |name: &str, default: f64| spec.number(name).unwrap_or(default);
        let may_touch = [word("contype", 1.0), word("conaffinity", 1.0)] != [0.0; 2];
        if may_touch && self.options.contacts == Contacts::None {
            files.note(element.place, "contact of <geom>");
        }
        // Keys of contacts are read with the contacts; the other keys are for pictures, users and air.
        spec.skip(&["name", "condim", "friction", "solref", "solimp", "solmix", "margin", "gap", "priority", "user"]);
        spec.skip(&["hfield", "fluidcoef"]);
        if spec.text("fluidshape").is_some_and(|shape| shape != "none") {
            spec.note("fluidshape", "fluidshape of <geom>");
        }
        let group = word("group", 0.0);
        let asset = spec.text("mesh").and_then(|name| self.assets.get(name));
        let fits_extent = self.compiler(element).fits_extent;
        let fit = asset.and_then(|asset| fit::fitted(&spec, asset, &mut self.meshes, fits_extent));
        let is_fitted = fit.is_some();
        let Some(read) = geom::read(&spec, self.compiler(element), fit.as_ref()) else { return };
        let [first, last] = self.compiler(element).groups;
        let inner = Geom { pose: pose.then(&read.pose), ..read };
        for name in ["mass", "density", "shellinertia"] {
            spec.has(name);
        }
        if let Some(weights) = weights.as_mut().filter(|_| (first..=last).contains(&group)) {
            let needs_mesh = inner.solid == Solid::Mesh && inner.has_mass(&spec);
            let solid =
                if needs_mesh { mass_of_mesh(&spec, asset, &self.builtin_meshes, &mut self.meshes) } else { None };
            if inner.solid == Solid::HeightField && spec.number("mass").or(spec.number("density")) != Some(0.0) {
                files.note(element.place, "mass of a geom of type hfield");
            }
            // The principal axes of a mesh have no sign.
            let axes = (!is_fitted && inner.solid != Solid::Mesh).then_some(inner.pose);
            weights.extend(inner.weight(&spec, solid.as_ref()).map(|weight| (weight, axes)));
        }
        let rgba = spec.numbers::<4>("rgba");
        let material = spec.text("material").and_then(|name| self.colours.get(name).copied());
        let colour = rgba.or(material);
        let group = if group == 0.0 { "geoms".to_string() } else { format!("geoms of group {group}") };
        let mut pose = inner.pose;
        let takes_contacts = self.options.contacts != Contacts::None;
        let mut touching = None;
        let form = match inner.solid {
            Solid::Mesh => {
                let Some(name) = spec.text("mesh") else {
                    return spec.wrong("mesh", "the geom names no mesh", "name a mesh of <asset>");
                };
                let Some(asset) = self.assets.get(name).cloned() else {
                    let what = match self.builtin_meshes.get(name) {
                        Some(kind) => format!("mesh \"{name}\" of builtin=\"{kind}\""),
                        None => format!("mesh \"{name}\" without a file"),
                    };
                    return files.note(spec.place_of("mesh"), what);
                };
                let Asset { place, mut path, .. } = asset.clone();
                // Different scales along the axes: a mesh of its own.
                let (scale, mirrored, frame) = match asset.placed() {
                    Some(placed) => placed,
                    None => {
                        let mirrors = asset.scale.iter().product::<f64>() < 0.0;
                        let stretch = |corner: Vec3| mesh_solid::vertex(&asset, &corner);
                        let Some(own) = self.meshes.stretched(files, place, &path, stretch, mirrors) else { return };
                        path = own;
                        (1.0, false, Pose::world())
                    }
                };
                pose = pose.then(&frame);
                let copy = self.meshes.copy(files, place, &path);
                if spec.text("type") == Some("mesh") && copy.is_some() {
                    let sizes = Vec3::new(scale, scale, if mirrored { -scale } else { scale });
                    let place = |corner: Vec3| pose.point(&corner.component_mul(&sizes));
                    let points: Vec<Vec3> = self.meshes.corners(&path).into_iter().map(place).collect();
                    // Geoms that touch nothing by their masks may be named by a <pair>.
                    if takes_contacts && (may_touch || has_hull(&points)) {
                        touching = solids::contact_hull(files, spec.place_of("mesh"), points);
                    }
                }
                copy.map(|file| Form::Mesh { file, scale, mirrored })
            }
            Solid::Plane(size) if may_touch && takes_contacts => {
                touching = Some(SolidKind::Plane);
                pose.at -= pose.turn * Vec3::z() * (0.5 * PLANE_SIZE[1]);
                let [x, y] =
                    size.map(|half| if half > 0.0 { f64::min(2.0 * half, PLANE_SIZE[0]) } else { PLANE_SIZE[0] });
                Some(Form::Box([x, y, PLANE_SIZE[1]]))
            }
            solid => {
                let form = solid.form();
                touching = match solid {
                    Solid::Ellipsoid(halves) if may_touch && takes_contacts => {
                        solids::contact_hull(files, element.place, solids::ellipsoid(&inner.pose, halves))
                    }
                    _ => solid.touching(),
                };
                if form.is_none() {
                    let kind = spec.text("type").unwrap_or_default();
                    files.note(element.place, format!("shape of a geom of type {kind}"));
                }
                form
            }
        };
        match touching {
            _ if !takes_contacts => {}
            Some(kind) => {
                let (name, body, pose) = (String::new(), body.to_string(), inner.pose);
                let solid = crate::solids::Solid { name, body, pose, kind };
                self.colliding.push(Colliding::read(&mut self.robot, &spec, solid));
            }
            None => {
                self.other_geoms.extend(spec.text("name").map(str::to_string));
                if may_touch {
                    let kind = spec.text("type").unwrap_or("mesh");
                    files.note(element.place, format!("contact of a geom of type {kind}"));
                }
            }
        }
        let Some(form) = form else { return };
        self.robot.shapes.push(Shape { body: body.to_string(), group, pose, form, colour });
    }

    fn site(&mut self, element: &'e Element, body: &str, pose: &Pose, childclass: Option<&str>) {
        let spec = self.defaults.of(self.files, element, childclass);
        spec.skip(&["type", "group", "material", "size", "rgba", "user", "mesh"]);
        let own = self.compiler(element).pose(&spec);
        let pose = pose.then(&geom::between(&spec).map_or(own, |(pose, _)| pose));
        let name = self.name_of(element, &format!("site_{}", self.sites.len() + 1));
        self.sites.insert(name, Site { body: body.to_string(), pose });
    }

    /// Position of every site on a moving body.
    fn site_outputs(&mut self) {
        for (name, site) in self.sites.clone().into_iter().filter(|(_, site)| site.body != "ground") {
            let variable = self.robot.variable_name(&name, "position");
            let (body, point) = (Some(site.body), Some(site.pose.at.into()));
            self.robot.outputs.push(Output { body, point, ..Output::new(variable, Quantity::Position) });
        }
    }

    /// Body of the model and its frame for a name of the file.
    fn named_body(&self, spec: &Spec, key: &str) -> Option<(String, Pose)> {
        let name = spec.text(key)?;
        let found = self.bodies.get(name).cloned();
        if found.is_none() {
            spec.wrong(key, format!("there is no body \"{name}\""), "name a body defined in this file, or world");
        }
        found
    }

    /// Joint for a name of the file.
    fn named_joint(&self, spec: &Spec, key: &str) -> Option<NamedJoint> {
        let name = spec.text(key)?;
        let found = self.joints.get(name).cloned();
        if found.is_none() {
            spec.wrong(key, format!("there is no joint \"{name}\""), "name a joint defined in this file");
        }
        found
    }

    /// The joint of a fixed tendon; `None`, with a note, for other tendons.
    fn named_tendon(&self, spec: &Spec, key: &str) -> Option<NamedJoint> {
        let name = spec.text(key)?;
        let found = self.tendons.get(name).cloned();
        if found.is_none() {
            spec.element.mark_all();
            spec.files.note(spec.element.place, format!("<{}> of a tendon that is not imported", spec.element.name));
        }
        found
    }
}
