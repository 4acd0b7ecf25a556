//! URDF: a tree of links, each with its inertia in a separate frame, and joints whose frames are given in the frame of
//! the parent link.
//!
//! A joint frame, which is also the frame of the child at zero, is `origin` in the frame of the parent link: xyz in m,
//! rpy in rad about fixed axes. The axis is given in the joint frame. <http://wiki.ros.org/urdf/XML>

mod shapes;

use crate::Options;
use crate::frame::{Pose, roll_pitch_yaw};
use crate::inertia::{is_impossible, without_round_off};
use crate::meshes::Meshes;
use crate::robot::{Body, Coupler, Joint, JointStop, Robot, identifier, is_single, unique};
use crate::xml::{Element, Files, XmlPosition};
use ballesta::document::nearest::did_you_mean;
use ballesta::math::{Mat3, Vec3};
use ballesta::model::schema::{Input, JointKind as Kind, JointSpring};
use std::collections::BTreeMap;
use std::path::PathBuf;

/// Parent of base joints in files of Drake.
const WORLD: &str = "world";

/// A link to visit: its name, the parent with the joint, and the frame of the parent.
type Waiting<'e> = (&'e str, Option<(&'e str, &'e Element)>, Pose);

struct Reader<'e> {
    files: &'e Files,
    options: &'e Options,
    robot: Robot,
    meshes: Meshes,
    /// Name of a link to the element, and to the name of its body.
    links: BTreeMap<&'e str, (&'e Element, String)>,
    /// Name of a joint to the element, and to the name of the joint in the model.
    joints: BTreeMap<&'e str, (&'e Element, String)>,
    /// Colours of materials.
    materials: BTreeMap<&'e str, [f64; 4]>,
    /// Joints with an actuator, if the file lists them.
    driven: Vec<&'e str>,
    /// Whether impossible inertias are replaced by their mean moment, as MuJoCo does by `balanceinertia`.
    balances: bool,
    /// Folder of meshes for MuJoCo, and whether it searches for their names without folders.
    mesh_folder: Option<PathBuf>,
    strips_paths: bool,
}

/// The robot of a file's root element.
pub fn read(root: &Element, files: &Files, options: &Options) -> (Robot, Meshes) {
    let name = root.mark().text("name").unwrap_or("robot").to_string();
    root.text("version");
    let robot = Robot { name, gravity: Vec3::new(0.0, 0.0, -9.81), ..Robot::default() };
    let mut reader = Reader {
        files,
        options,
        robot,
        meshes: Meshes::default(),
        links: BTreeMap::new(),
        joints: BTreeMap::new(),
        materials: BTreeMap::new(),
        driven: Vec::new(),
        balances: false,
        mesh_folder: None,
        strips_paths: true,
    };
    reader.compiler(root);
    reader.names(root);
    reader.materials(root);
    reader.tree(root);
    reader.floor();
    reader.couplings();
    (reader.robot, reader.meshes)
}

impl<'e> Reader<'e> {
    /// MuJoCo's settings of a URDF.
    fn compiler(&mut self, root: &'e Element) {
        for compiler in root.all("mujoco").flat_map(|mujoco| mujoco.all("compiler")) {
            self.balances = compiler.text("balanceinertia") == Some("true");
            self.mesh_folder = compiler.text("meshdir").map(|folder| self.files.folder(compiler.place).join(folder));
            self.strips_paths = compiler.text("strippath") != Some("false");
            // Keys for pictures, performance and bodies that are fixed to each other.
            for name in ["discardvisual", "fusestatic", "usethread", "convexhull", "autolimits", "angle"] {
                compiler.text(name);
            }
        }
    }

    fn names(&mut self, root: &'e Element) {
        self.robot.names.bodies.insert("ground".into());
        for link in root.all("link") {
            let Some(name) = link.needed(self.files, "name") else { continue };
            if let Some((other, _)) = self.links.get(name) {
                let found = format!("duplicate link name \"{name}\", first used in line {}", other.place.line);
                self.files.wrong(link.place_of("name"), "link.name", found, "give each link a unique name");
                continue;
            }
            let body = unique(&mut self.robot.names.bodies, name);
            self.links.insert(name, (link, body));
        }
        for joint in root.all("joint") {
            let Some(name) = joint.needed(self.files, "name") else { continue };
            if let Some((other, _)) = self.joints.get(name) {
                let found = format!("duplicate joint name \"{name}\", first used in line {}", other.place.line);
                self.files.wrong(joint.place_of("name"), "joint.name", found, "give each joint a unique name");
                continue;
            }
            let named = unique(&mut self.robot.names.constraints, name);
            self.joints.insert(name, (joint, named));
        }
        for transmission in root.all("transmission") {
            self.transmission(transmission);
        }
    }

    /// Joints with an actuator, and the inertias of their rotors.
    fn transmission(&mut self, transmission: &'e Element) {
        let files = self.files;
        // Types other than the simple transmission are noted, then read like it.
        transmission.text("name");
        let kind = transmission.child("type").map(|kind| kind.content.as_str()).or(transmission.text("type"));
        if kind.is_some_and(|kind| !kind.is_empty() && !kind.contains("SimpleTransmission")) {
            files.note(transmission.place, format!("type {} of <transmission>", kind.unwrap_or_default()));
        }
        // Joints of transmissions become driven.
        let joints: Vec<&Element> = transmission.all("joint").collect();
        let actuators: Vec<&Element> = transmission.all("actuator").collect();
        let of = joints.iter().filter_map(|joint| joint.text("name"));
        self.driven.extend(of);
        // Inputs are efforts at the joint, so the reduction has no effect.
        for end in joints.iter().chain(&actuators) {
            end.text("name");
            end.all("hardwareInterface").for_each(Element::mark_all);
            if end.all("mechanicalReduction").next().is_some() {
                let what = "mechanicalReduction of <transmission>: inputs are efforts at the joints";
                files.note(transmission.place, what);
            }
        }
        // The inertia of the rotor acts at the joint with the square of the gear ratio.
        let ([joint], [actuator]) = (&joints[..], &actuators[..]) else { return };
        let number = |tag: &str| actuator.child(tag).and_then(|child| child.number(files, "value"));
        let (inertia, ratio) = (number("rotor_inertia").unwrap_or_default(), number("gear_ratio").unwrap_or(1.0));
        if inertia < 0.0 {
            let place = actuator.child("rotor_inertia").map_or(actuator.place, |child| child.place_of("value"));
            files.wrong(place, "rotor_inertia.value", format!("the inertia is {inertia} kg m²"), "give 0 or more");
        }
        let joint = self.joints.get(joint.text("name").unwrap_or_default()).map(|(_, name)| name.clone());
        if let Some(joint) = joint.filter(|_| inertia > 0.0 && ratio != 0.0) {
            self.robot.armatures.push((joint, inertia * ratio * ratio));
        }
    }

    fn materials(&mut self, root: &'e Element) {
        let everywhere = root.all("link").flat_map(|link| link.all("visual")).flat_map(|v| v.all("material"));
        for material in root.all("material").chain(everywhere) {
            let rgba = material.child("color").and_then(|color| color.numbers::<4>(self.files, "rgba"));
            material.all("texture").for_each(Element::mark_all);
            if let (Some(name), Some(rgba)) = (material.text("name"), rgba) {
                self.materials.entry(name).or_insert(rgba);
            }
        }
    }

    /// Links and joints from the root to the leaves.
    fn tree(&mut self, root: &'e Element) {
        let mut parents: BTreeMap<&str, &Element> = BTreeMap::new();
        let mut children: BTreeMap<&str, Vec<(&'e str, &'e Element)>> = BTreeMap::new();
        // Parent and child of every joint; a link may be the child of one joint only.
        for joint in root.all("joint") {
            let ends = ["parent", "child"].map(|end| {
                let element = joint.child(end);
                if element.is_none() {
                    let found = format!("<joint> has no <{end}>");
                    self.files.wrong(joint.place, &format!("joint.{end}"), found, "add it, with the attribute link");
                }
                let name = element?.needed(self.files, "link")?;
                // Drake's ground, which no link defines.
                if end == "parent" && name == WORLD && !self.links.contains_key(name) {
                    self.files.note(element?.place_of("link"), "link \"world\" is not defined: it is the ground");
                    return Some(WORLD);
                }
                if !self.links.contains_key(name) {
                    let known: Vec<&str> = self.links.keys().copied().collect();
                    let found = format!("there is no link \"{name}\"");
                    let place = element?.place_of("link");
                    self.files.wrong(place, &format!("{end}.link"), found, &did_you_mean(name, &known));
                    return None;
                }
                Some(name)
            });
            let [Some(parent), Some(child)] = ends else { continue };
            if let Some(other) = parents.insert(child, joint) {
                let found = format!("link \"{child}\" is the child of two joints, first in line {}", other.place.line);
                let cure = "a URDF is a tree; close loops by a joint in the model file";
                self.files.wrong(joint.place, "child.link", found, cure);
                continue;
            }
            children.entry(parent).or_default().push((child, joint));
        }
        // Exactly one link must be the root.
        let order = root.all("link").filter_map(|link| link.text("name"));
        let roots: Vec<&str> = order.filter(|name| !parents.contains_key(name)).collect();
        let cure = "a URDF is one tree: exactly one link is not the child of a joint";
        let grounded = children.get(WORLD).filter(|_| !self.links.contains_key(WORLD));
        let mut waiting: Vec<Waiting> = match (&roots[..], grounded) {
            ([first], None) => vec![(*first, None, Pose::world())],
            ([], Some(bases)) => {
                bases.iter().rev().map(|(child, joint)| (*child, Some((WORLD, *joint)), Pose::world())).collect()
            }
            _ => Vec::new(),
        };
        if waiting.is_empty() {
            let found = match roots.len() {
                0 if self.links.is_empty() => "the robot has no links".to_string(),
                0 => "every link is the child of a joint: the links form a cycle".to_string(),
                _ => format!("several root links: {}", roots.map_quoted()),
            };
            return self.files.wrong(root.place, "robot", found, cure);
        };
        // Visit the links from the root, in the order of the file.
        let mut seen = 0;
        let mut ends = Vec::new();
        while let Some((name, by, parent)) = waiting.pop() {
            seen += 1;
            let (link, body) = self.links[name].clone();
            let pose = match by {
                None => {
                    self.base(link, &body);
                    parent
                }
                Some((above, joint)) => self.joint(joint, above, &body, &parent),
            };
            self.link(link, &body, &pose);
            let below = children.get(name).map_or(&[][..], Vec::as_slice);
            if below.is_empty() {
                ends.push((body, pose.at));
            }
            waiting.extend(below.iter().rev().map(|(child, joint)| (*child, Some((name, *joint)), pose)));
        }
        // Links that were not reached form a cycle.
        if seen < self.links.len() {
            self.files.wrong(root.place, "robot", "some links form a cycle", cure);
        }
        self.robot.usual_outputs(&ends);
    }

    /// Pose of the root in the world.
    fn base(&mut self, link: &Element, body: &str) {
        let name = unique(&mut self.robot.names.constraints, "base");
        let kind = if self.options.floating { Kind::Floating } else { Kind::Fixed };
        let (bodies, point) = (["ground".to_string(), body.to_string()], Vec3::zeros());
        self.robot.joints.push(Joint::new(name, kind, bodies, point, link.place));
    }

    fn origin(&self, element: &Element) -> Pose {
        let Some(origin) = element.child("origin") else { return Pose::world() };
        let three = |name| origin.numbers::<3>(self.files, name).unwrap_or_default();
        Pose { turn: roll_pitch_yaw(three("rpy")), at: Vec3::from(three("xyz")) }
    }

    fn link(&mut self, link: &'e Element, body: &str, pose: &Pose) {
        link.text("type");
        // A link without <inertial> is massless at the origin of the link frame.
        let (com, place) = (pose.at, link.place);
        let mut made = Body::new(body, com, place);
        if let Some(inertial) = link.child("inertial") {
            let frame = pose.then(&self.origin(inertial));
            let given = |name: &str| inertial.child(name);
            made.com = frame.at;
            // Missing or negative masses are reported and replaced, so that later errors are reported too.
            made.mass = match given("mass").map(|mass| mass.number(self.files, "value")) {
                Some(Some(mass)) if mass < 0.0 => {
                    let found = format!("the mass is {mass} kg");
                    self.files.wrong(inertial.place, "mass.value", found, "give a mass of 0 or more");
                    0.0
                }
                Some(mass) => mass.unwrap_or_default(),
                None => {
                    self.files.wrong(
                        inertial.place,
                        "inertial.mass",
                        "<inertial> has no <mass>",
                        "add it, with the attribute value",
                    );
                    0.0
                }
            };
            if given("inertia").is_none() {
                self.files.note(inertial.place, "<inertial> without <inertia>: a point mass");
            }
            // The inertia is given in the inertial frame and is turned into the body axes.
            if let Some(inertia) = given("inertia") {
                let [xx, xy, xz, yy, yz, zz] = ["ixx", "ixy", "ixz", "iyy", "iyz", "izz"]
                    .map(|name| inertia.number(self.files, name).unwrap_or_default());
                let matrix = Mat3::new(xx, xy, xz, xy, yy, yz, xz, yz, zz);
                made.inertia = frame.inertia(&self.balanced(inertia, without_round_off(made.mass, matrix)));
                made.place = inertia.place;
            }
        }
        self.robot.bodies.push(made);
        // Visual shapes are drawn; collision shapes replace them if there are none.
        let has_visual = link.all("visual").next().is_some();
        for visual in link.all("visual") {
            self.draw(visual, body, pose, "visual");
        }
        for collision in link.all("collision") {
            if !has_visual {
                self.draw(collision, body, pose, "collision");
            }
            if self.touches_floor() {
                self.collide(collision, body, pose);
            } else {
                self.files.note(collision.place, "contact of <collision>");
                collision.mark_all();
            }
        }
    }

    /// The mean moment instead of an impossible inertia, if the file has `balanceinertia`.
    fn balanced(&self, element: &Element, inertia: Mat3) -> Mat3 {
        if !self.balances || !is_impossible(&inertia) {
            return inertia;
        }
        self.files.note(element.place, "impossible inertia replaced by its mean moment, because of balanceinertia");
        Mat3::identity() * (inertia.trace() / 3.0)
    }

    /// Adds a joint with its loads; returns the frame of its child.
    fn joint(&mut self, joint: &'e Element, above: &str, body: &str, parent: &Pose) -> Pose {
        // The joint frame is given relative to the frame of the parent link.
        let files = self.files;
        let pose = parent.then(&self.origin(joint));
        let name = self.joints.get(joint.text("name").unwrap_or_default()).map_or(String::new(), |(_, n)| n.clone());
        // Types of the URDF specification; `spherical` and `ball` are common extensions.
        let kind = match joint.needed(files, "type") {
            Some("revolute" | "continuous") => Kind::Revolute,
            Some("prismatic") => Kind::Prismatic,
            Some("fixed") => Kind::Fixed,
            Some("floating") => Kind::Floating,
            Some("planar") => Kind::Planar,
            Some("spherical" | "ball") => Kind::Spherical,
            Some(other) => {
                let found = format!("unknown joint type \"{other}\"");
                let cure = "write revolute, continuous, prismatic, fixed, floating or planar";
                files.wrong(joint.place_of("type"), "joint.type", found, cure);
                Kind::Fixed
            }
            None => Kind::Fixed,
        };
        // The default axis of URDF is x.
        let has_axis = matches!(kind, Kind::Revolute | Kind::Prismatic | Kind::Planar);
        let given = joint.child("axis");
        let axis = given.and_then(|axis| axis.numbers::<3>(files, "xyz")).map_or(Vec3::x(), Vec3::from);
        let axis = has_axis.then(|| {
            axis.try_normalize(1e-10).unwrap_or_else(|| {
                let place = given.map_or(joint.place, |axis| axis.place_of("xyz"));
                files.wrong(place, "axis.xyz", "the axis has zero length", "give three numbers, not all 0");
                Vec3::x()
            })
        });
        let parent = self.links.get(above).map_or("ground", |(_, body)| body);
        let bodies = [parent.to_string(), body.to_string()];
        self.robot.joints.push(Joint {
            axis: axis.map(|axis| pose.turn * axis),
            ..Joint::new(&name, kind, bodies, pose.at, joint.place)
        });
        // Limits, friction and damping exist only for joints with one coordinate.
        if is_single(kind) {
            self.loads(joint, &name, kind);
        } else if kind == Kind::Fixed {
            ["limit", "dynamics"].iter().for_each(|tag| joint.all(tag).for_each(Element::mark_all));
        }
        pose
    }

    /// Limits, damping, friction and drive of a joint with one coordinate.
    fn loads(&mut self, joint: &'e Element, name: &str, kind: Kind) {
        let files = self.files;
        let turns = kind == Kind::Revolute;
        let is_endless = joint.text("type") == Some("continuous");
        // Limits of effort and speed; the solver has no limit of the speed.
        let limit = joint.child("limit");
        let of_limit = |key: &str| limit.and_then(|limit| limit.number_or_infinity(files, key));
        // An infinite effort or speed is no limit.
        let effort = of_limit("effort").filter(|effort| effort.is_finite()).unwrap_or_default();
        if of_limit("velocity").is_some_and(|velocity| velocity > 0.0 && velocity.is_finite()) {
            files.note(limit.map_or(joint.place, |l| l.place_of("velocity")), "velocity of <limit>");
        }
        // A stop at the limits of the position.
        if !is_endless {
            let (lower, upper) = (of_limit("lower").unwrap_or_default(), of_limit("upper").unwrap_or_default());
            let place = limit.map_or(joint.place, |limit| limit.place);
            if limit.is_none() {
                let kind = joint.text("type").unwrap_or_default();
                files.note(place, format!("{kind} joint without <limit>: no stops"));
            } else if lower > upper {
                files.note(place, "<limit> with lower above upper: no stops");
            } else if lower == 0.0 && upper == 0.0 && !turns {
                files.note(place, "<limit> from 0 to 0");
            } else if lower == upper {
                files.note(place, format!("<limit> from {lower} to {upper}"));
            } else if lower.is_finite() || upper.is_finite() {
                let (joint, [lower, upper]) =
                    (name.to_string(), [lower, upper].map(|end| Some(end).filter(|end| end.is_finite())));
                self.robot.stops.push(JointStop { joint, lower, upper, effort, law: None });
            }
        }
        // Damping and friction.
        if let Some(dynamics) = joint.child("dynamics") {
            let value = |key: &str| {
                let number = dynamics.number(files, key).unwrap_or_default();
                if number < 0.0 {
                    let found = format!("{key} is {number}");
                    files.wrong(dynamics.place_of(key), &dynamics.key(key), found, "give 0 or more");
                }
                number
            };
            let (damping, friction) = (value("damping"), value("friction"));
            if damping > 0.0 {
                let spring = JointSpring::new(self.robot.element_name(&format!("{name}.damping")), name);
                self.robot.springs.push(JointSpring { damping: damping.into(), ..spring });
            }
            if friction > 0.0 {
                self.robot.frictions.push((name.to_string(), friction));
            }
        }
        // A drive with the effort as input, unless another joint moves this one.
        let given = joint.text("name").unwrap_or_default();
        let is_driven = self.driven.is_empty() || self.driven.contains(&given);
        if is_driven && joint.child("mimic").is_none() {
            let unit = Some(if turns { "N.m" } else { "N" }.to_string());
            let [min, max] = [-effort, effort].map(|end| (effort > 0.0).then_some(end));
            let input = self.robot.variable_name(name, "effort");
            let description = format!("Effort of the drive of joint {}", identifier(name));
            let input = Input { unit, min, max, description, ..Input::new(input) };
            self.robot.drive(&format!("{name}.drive"), name, 1.0, input);
        }
    }

    /// Joints that follow others.
    fn couplings(&mut self) {
        let joints: Vec<(&Element, String)> = self.joints.values().cloned().collect();
        let mut joints: Vec<(&Element, String, &Element)> =
            joints.into_iter().filter_map(|(joint, name)| Some((joint, name, joint.child("mimic")?))).collect();
        joints.sort_by_key(|(joint, _, _)| joint.place);
        for (_, name, mimic) in joints {
            let Some(leader) = mimic.needed(self.files, "joint") else { continue };
            let of_kind = |name: &str, kind: Kind| self.robot.joint(name).is_some_and(|joint| joint.kind == kind);
            let named = self.joints.get(leader).map_or("", |(_, name)| name.as_str());
            if of_kind(&name, Kind::Fixed) || of_kind(named, Kind::Fixed) {
                mimic.mark_all();
                self.files.note(mimic.place, "<mimic> with a fixed joint");
                continue;
            }
            let single = |name: &str| self.robot.joint(name).is_some_and(|joint| is_single(joint.kind));
            let known = self.joints.get(leader).map(|(_, name)| name.clone()).filter(|name| single(name));
            let Some(known) = known.filter(|known| *known != name && single(&name)) else {
                if !self.joints.contains_key(leader) {
                    mimic.mark_all();
                    self.files.note(mimic.place, format!("<mimic> of an unknown joint \"{leader}\""));
                    continue;
                }
                let place: XmlPosition = mimic.place_of("joint");
                let found = format!("joint \"{name}\" cannot follow \"{leader}\"");
                let cure = "name another joint of type revolute, continuous or prismatic";
                self.files.wrong(place, "mimic.joint", found, cure);
                continue;
            };
            let value = |key: &str, default| mimic.number(self.files, key).unwrap_or(default);
            let (ratio, offset) = (value("multiplier", 1.0), value("offset", 0.0));
            if ratio == 0.0 {
                self.robot.held.push((name, offset));
                continue;
            }
            let joints = [known, name.clone()];
            let name = unique(&mut self.robot.names.constraints, &format!("{name}.mimic"));
            let coupler = Coupler { name, joints, ratio, offset, table: Vec::new(), place: mimic.place };
            self.robot.couple(self.files, coupler);
        }
    }
}

trait Quoted {
    fn map_quoted(&self) -> String;
}

impl Quoted for Vec<&str> {
    fn map_quoted(&self) -> String {
        let shown = self.iter().take(5).map(|name| format!("\"{name}\"")).collect::<Vec<_>>().join(", ");
        if self.len() > 5 { format!("{shown} and {} more", self.len() - 5) } else { shown }
    }
}
