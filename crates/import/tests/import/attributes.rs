//! Each attribute of the formats is used, listed or rejected: a dropped attribute would change a model without a
//! message.
//!
//! The tables `tests/import/*_attributes.txt` name the elements with their attributes. Each attribute is written into a
//! small robot with such an element. Compared with the robot without the attribute, the model or the list of omissions
//! must differ, or the file is rejected. Lists below name the attributes without effect on the motion.

use ballesta_import::{Imported, Options, read};
use std::collections::BTreeMap;
use std::fs;

/// Fate of an attribute; later variants override earlier ones.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
enum Fate {
    Dropped,
    Rejected,
    Listed,
    Used,
}

/// Elements by their paths, with the names of their attributes.
fn table(name: &str) -> BTreeMap<String, Vec<String>> {
    crate::root::at_root();
    let text = fs::read_to_string(format!("tests/import/{name}")).expect("readable").replace("\n  ", " ");
    let lines = text.lines().filter(|line| !line.starts_with('#'));
    let row = |line: &str| {
        let (path, attributes) = line.split_once(':').expect("a path");
        (path.to_string(), attributes.split_whitespace().map(str::to_string).collect())
    };
    lines.map(row).collect()
}

/// A robot that is made of a text with one element marked by `@`.
struct Trial {
    folder: tempfile::TempDir,
    file: &'static str,
    options: Options,
}

/// Model without comments, meshes, and the list of omissions; `None` if the file is rejected.
type Outcome = Option<(String, Vec<(String, Vec<u8>)>, Vec<String>)>;

impl Trial {
    fn new(file: &'static str, keyframe: Option<&str>) -> Trial {
        let folder = tempfile::tempdir().expect("a folder");
        let tetrahedron = "v 0 0 0\nv 0.3 0 0\nv 0 0.2 0\nv 0 0 0.15\nf 1 3 2\nf 1 2 4\nf 1 4 3\nf 2 3 4\n";
        for (name, length) in
            [("tet.obj", "0.3"), ("other.obj", "0.4"), ("deep/tet.obj", "0.5"), ("deep/deep/tet.obj", "0.6")]
        {
            let path = folder.path().join(name);
            fs::create_dir_all(path.parent().expect("a folder")).expect("writable");
            fs::write(path, tetrahedron.replace("0.3", length)).expect("writable");
        }
        let keyframe = keyframe.map(str::to_string);
        Trial { folder, file, options: Options { keyframe, ..Options::default() } }
    }

    fn outcome(&self, text: &str) -> Outcome {
        let path = self.folder.path().join(self.file);
        fs::write(&path, text).expect("writable");
        let Imported { model, meshes, notes, .. } = read(&path, &self.options).ok()?;
        let lines: Vec<&str> = model.lines().filter(|line| !line.starts_with('#')).collect();
        Some((lines.join("\n"), meshes, notes))
    }

    /// The fate of an attribute in a text whose element is marked, compared with the `usual` outcome without it.
    fn fate(&self, text: &str, attribute: &str, value: &str, usual: &Outcome) -> Fate {
        match (self.outcome(&with(text, attribute, value)), usual) {
            (None, _) => Fate::Rejected,
            (Some(_), None) => Fate::Used,
            (Some(found), Some(usual)) if (&found.0, &found.1) != (&usual.0, &usual.1) => Fate::Used,
            (Some(found), Some(usual)) if found.2 != usual.2 => Fate::Listed,
            _ => Fate::Dropped,
        }
    }
}

/// The text with an attribute of the marked element set to a value.
fn with(text: &str, attribute: &str, value: &str) -> String {
    let (before, after) = text.split_once('@').expect("a marked element");
    if attribute == "text" {
        let (start, _) = after.split_once('<').expect("the end of the element");
        return format!("{before}>{value}{}", &after[start.len()..]);
    }
    let end = after.find('>').expect("the end of the element");
    let start = format!(" {attribute}=\"");
    let after = match after[..end].find(&start) {
        Some(at) => {
            let rest = &after[at + start.len()..];
            format!("{}{}", &after[..at], &rest[rest.find('"').expect("the end of the value") + 1..])
        }
        None => after.to_string(),
    };
    format!("{before} {attribute}=\"{value}\" {after}")
}

/// Fates of all attributes of a table. `robots` gives texts with the element of a path marked, and a text without it;
/// `value` a value of an attribute that differs from the default.
fn fates(
    trial: &Trial,
    table: &BTreeMap<String, Vec<String>>,
    robots: impl Fn(&str) -> (Vec<String>, String),
    value: impl Fn(&str, &str) -> String,
) -> BTreeMap<(String, String), Fate> {
    let mut fates = BTreeMap::new();
    let mut others: BTreeMap<String, Outcome> = BTreeMap::new();
    for (path, attributes) in table {
        let (texts, without) = robots(path);
        let without = others.entry(without).or_insert_with_key(|text| trial.outcome(text)).clone();
        for text in texts {
            let usual = trial.outcome(&text.replace('@', ""));
            // The element, or one around it, is listed or rejected as a whole.
            let is_listed = |notes: &[String]| {
                let tags = path.split('/').map(|tag| format!(": <{tag}>"));
                tags.into_iter().any(|tag| notes.iter().any(|note| note.ends_with(&tag)))
            };
            let whole = match (&usual, &without) {
                (None, _) => Some(Fate::Rejected),
                (Some(found), _) if is_listed(&found.2) => Some(Fate::Listed),
                (Some(found), Some(without)) if found.0 == without.0 && found.2 != without.2 => Some(Fate::Listed),
                _ => None,
            };
            for attribute in attributes {
                let fate = match whole {
                    Some(fate) => fate,
                    None => trial.fate(&text, attribute, &value(path, attribute), &usual),
                };
                let known = fates.entry((path.clone(), attribute.clone())).or_insert(fate);
                *known = fate.max(*known);
            }
        }
    }
    fates
}

/// The robot of MJCF with `parts` in their places. Its class `k` differs from the defaults.
fn mjcf(parts: &[(&str, &str)]) -> String {
    let of = |name: &str, usual: &str| {
        parts.iter().find(|(place, _)| *place == name).map_or(usual, |(_, part)| *part).to_string()
    };
    let classes = r#"<default><default class="k"><joint damping="3"/><geom rgba="1 0 0 1" density="70"/>
        <site pos="0 0 3"/><mesh scale="2 2 2"/><material rgba="0 1 0 1"/><pair condim="1"/><motor gear="7"/>
        <equality solref="0.07 1"/></default></default>"#;
    format!(
        r#"<mujoco{}>{}{classes}
<asset><mesh name="tet" file="deep/tet.obj"/><material name="m"/><material name="n" rgba="0 0 1 1"/>{}</asset>
<worldbody>
<geom name="floor" type="plane" size="1 1 1" conaffinity="0" solref="0.01 0.8"/>
<geom name="wall" type="box" size="0.1 0.1 0.1" pos="5 0 0" contype="0"/>{}
<body {} name="b" pos="0 0 1" mocap="false">{}{}{}<site name="s" pos="0.1 0 0"/>
<body name="c" pos="0.5 0 0"><joint name="k" axis="0 1 0"/>
<geom name="h" type="box" mesh="tet" material="m"/><site name="t"/></body>
</body>
<body name="d" pos="0.5 0 3" euler="10 20 30"><joint name="l" type="slide"/><geom name="i" size="0.1" mass="1"/><site name="u"/></body>
<body name="e" pos="9 0 3">{}<geom type="box" size="0.1 0.2 0.3" pos="0.2 0 0.1"/></body>
</worldbody>
{}<actuator><motor name="a" joint="k"/></actuator><sensor><gyro name="turns" site="s"/></sensor></mujoco>"#,
        of("mujoco", ""),
        of("top", ""),
        of("asset", ""),
        of("world", ""),
        of("tag", ""),
        of("joint", r#"<joint name="j" axis="0 1 0" range="-60 60" stiffness="5"/>"#),
        of("geom", r#"<geom name="g" type="box" size="0.1 0.2 0.3" pos="0.3 0 0.1"/>"#),
        of("body", ""),
        of("free", r#"<freejoint name="f"/>"#),
        of("bottom", r#"<contact><pair geom1="g" geom2="i"/></contact>"#),
    )
}

/// Parent of an element of MJCF, and the element.
const MJCF: &[(&str, &[(&str, &str)])] = &[
    ("mujoco", &[("mujoco", "@")]),
    ("include", &[("top", "<include @/>")]),
    ("compiler", &[("top", "<compiler @/>")]),
    ("body", &[("tag", "@")]),
    ("inertial", &[("body", r#"<inertial @ mass="2" pos="0.1 0 0" diaginertia="0.3 0.4 0.5"/>"#)]),
    ("joint", &[("joint", r#"<joint @ name="j" axis="0 1 0" range="-60 60" stiffness="5"/>"#)]),
    ("joint", &[("joint", r#"<joint @ name="j" type="ball" stiffness="5"/>"#)]),
    ("freejoint", &[("free", r#"<freejoint @ name="f"/>"#)]),
    ("geom", &[("geom", r#"<geom @ name="g" type="box" size="0.1 0.2 0.3"/>"#)]),
    ("geom", &[("geom", r#"<geom @ name="g" type="box" mesh="tet"/>"#)]),
    ("geom", &[("geom", r#"<geom @ name="g" type="ellipsoid" size="0.1 0.2 0.3" fluidshape="ellipsoid"/>"#)]),
    ("site", &[("body", r#"<site @ name="x"/>"#), ("bottom", r#"<sensor><gyro site="x"/></sensor>"#)]),
    ("camera", &[("body", r#"<camera @/>"#)]),
    ("light", &[("body", r#"<light @/>"#)]),
    ("frame", &[("body", r#"<frame @><geom type="box" size="0.1 0.2 0.3"/></frame>"#)]),
    ("replicate", &[("body", r#"<replicate @><geom size="0.1"/></replicate>"#)]),
    ("attach", &[("body", r#"<attach @/>"#)]),
    ("composite", &[("body", r#"<composite @/>"#)]),
    ("flexcomp", &[("body", r#"<flexcomp @/>"#)]),
    ("plugin", &[("body", r#"<plugin @/>"#)]),
    ("geom/plugin", &[("geom", r#"<geom name="g" size="0.1"><plugin @/></geom>"#)]),
    (
        "asset/mesh",
        &[
            ("asset", r#"<mesh @ name="new" file="tet.obj"/>"#),
            ("geom", r#"<geom name="g" type="capsule" mesh="new"/>"#),
        ],
    ),
    (
        "asset/material",
        &[("asset", r#"<material @ name="new"/>"#), ("geom", r#"<geom name="g" size="0.1" material="new"/>"#)],
    ),
    (
        "asset/material",
        &[
            ("asset", r#"<material @ name="new" rgba="1 0 1 1"/>"#),
            ("geom", r#"<geom name="g" size="0.1" material="new"/>"#),
        ],
    ),
    ("contact/pair", &[("bottom", r#"<contact><pair @ geom1="h" geom2="wall" friction="0.4"/></contact>"#)]),
    ("contact/exclude", &[("bottom", r#"<contact><exclude @ body1="b" body2="world"/></contact>"#)]),
    ("equality/connect", &[("bottom", r#"<equality><connect @ body1="c" body2="e" anchor="0 0 0"/></equality>"#)]),
    ("equality/weld", &[("bottom", r#"<equality><weld @ body1="c" body2="e"/></equality>"#)]),
    ("equality/joint", &[("bottom", r#"<equality><joint @ joint1="j" joint2="k"/></equality>"#)]),
    ("actuator/general", &[("bottom", r#"<actuator><general @ joint="j" ctrlrange="-1 1"/></actuator>"#)]),
    ("actuator/general", &[("bottom", r#"<actuator><general @ joint="j" dyntype="filter"/></actuator>"#)]),
    ("actuator/general", &[("bottom", r#"<actuator><general @ joint="j" biastype="affine"/></actuator>"#)]),
    ("actuator/motor", &[("bottom", r#"<actuator><motor @ joint="j" ctrlrange="-1 1"/></actuator>"#)]),
    ("actuator/position", &[("bottom", r#"<actuator><position @ joint="j" ctrlrange="-1 1"/></actuator>"#)]),
    ("actuator/velocity", &[("bottom", r#"<actuator><velocity @ joint="j" ctrlrange="-1 1"/></actuator>"#)]),
    ("actuator/orientation", &[("bottom", r#"<actuator><orientation @ joint="j"/></actuator>"#)]),
    ("keyframe/key", &[("bottom", r#"<keyframe><key @ name="start" qpos="0.1 0.2 0.3 9 0 3 1 0 0 0"/></keyframe>"#)]),
];

/// Names that elements refer to, by the attribute.
const REFERENCES: [(&str, &str); 6] =
    [("joint", "j"), ("site", "s"), ("actuator", "a"), ("objtype", "site"), ("objname", "s"), ("body", "b")];

/// Texts with the element of a path marked, and the text without it.
fn mjcf_robots(path: &str, attributes: &[String]) -> (Vec<String>, String) {
    let known: Vec<_> = MJCF.iter().filter(|(of, _)| *of == path).map(|(_, parts)| *parts).collect();
    if !known.is_empty() {
        // Without such an element the robot differs.
        let is_extra = |(place, _): &(&str, &str)| !["joint", "geom", "tag", "mujoco", "asset", "free"].contains(place);
        let extra = known.iter().find(|parts| parts.len() == 1 && is_extra(&parts[0]));
        let without = extra.map_or(String::new(), |parts| mjcf(&[(parts[0].0, "")]));
        return (known.into_iter().map(mjcf).collect(), without);
    }
    let given = REFERENCES.iter().filter(|(name, _)| attributes.iter().any(|attribute| attribute == name));
    let given: String = given.map(|(name, to)| format!(" {name}=\"{to}\"")).collect();
    let tags: Vec<&str> = path.split('/').collect();
    let open: String = tags[..tags.len() - 1].iter().map(|tag| format!("<{tag}>")).collect();
    let close: String = tags[..tags.len() - 1].iter().rev().map(|tag| format!("</{tag}>")).collect();
    let slot = if ["default", "compiler", "option"].contains(&tags[0]) { "top" } else { "bottom" };
    let snippet = format!("{open}<{} @{given}/>{close}", tags[tags.len() - 1]);
    (vec![mjcf(&[(slot, &snippet)])], mjcf(&[(slot, "")]))
}

/// A value of an attribute that differs from the default and from what the robot has.
fn mjcf_value(path: &str, attribute: &str) -> String {
    let tag = path.rsplit('/').next().unwrap_or_default();
    let value = match (tag, attribute) {
        (_, "class" | "childclass") => "k",
        (_, "name" | "model" | "prefix") => "other",
        ("joint", "type") => "slide",
        ("geom", "type") => "capsule",
        // Larger than the values of the floor: MuJoCo uses the larger value of two geoms.
        ("geom", "condim") => "4",
        ("geom", "friction") => "1.7",
        ("site", "type") => "box",
        ("compiler", "angle") => "radian",
        ("compiler", "autolimits") => "false",
        ("compiler", "coordinate") => "global",
        ("compiler", "eulerseq") => "zyx",
        ("compiler", "inertiafromgeom") => "false",
        ("compiler", "inertiagrouprange") => "3 4",
        ("compiler", "boundmass" | "boundinertia" | "settotalmass") => "300",
        ("compiler", "meshdir" | "assetdir") => "deep",
        ("compiler", _) => "true",
        ("flag", _) => "disable",
        ("option", "gravity" | "wind" | "magnetic") => "1 2 3",
        ("option", "timestep") => "1e-4",
        ("option", "integrator") => "RK4",
        ("option", "cone") => "elliptic",
        ("option", "collision") => "predefined",
        ("option", "solver") => "CG",
        ("option", "jacobian") => "dense",
        ("mesh", "inertia") => "shell",
        ("mesh", "file") => "other.obj",
        ("mesh", "scale") => "2 3 4",
        ("body", "mocap") => "true",
        ("general", "gaintype" | "biastype") => "muscle",
        ("general", "dyntype") => "filter",
        ("general", "gainprm" | "biasprm") => "3 4 5",
        ("freejoint", "align") => "true",
        ("key", "qpos") => "0.3 0.2 0.1 9 0 3 1 0 0 0",
        ("pair", "geom1") => "i",
        ("pair", "geom2") => "floor",
        ("exclude", "body1") => "d",
        (_, "body1") => "d",
        (_, "body2") => "b",
        (_, "joint1" | "joint2" | "joint" | "jointinparent") => "l",
        (_, "site1" | "site2" | "site" | "refsite" | "cranksite" | "slidersite" | "objname") => "u",
        (_, "actuator") => "other",
        (_, "objtype") => "xbody",
        (_, "polycoef") => "0.1 0.7",
        (_, "relpose") => "0 0 0 1 1 0 0",
        (_, "anchor") => "0.1 0.2 0.3",
        (_, "active") => "false",
        (_, "pos" | "refpos" | "offset" | "axis") => "0.1 0.2 0.3",
        (_, "quat" | "refquat") => "1 1 0 0",
        (_, "axisangle") => "0 0 1 30",
        (_, "euler") => "10 30 20",
        (_, "xyaxes") => "0 1 0 -1 0 0",
        (_, "zaxis") => "0 1 1",
        (_, "fromto") => "0 0 0 0.4 0 0.1",
        (_, "size") => "0.25 0.35 0.45",
        (_, "range" | "ctrlrange" | "forcerange" | "actuatorfrcrange") => "-20 30",
        (_, "limited" | "ctrllimited") => "false",
        (_, "forcelimited" | "actuatorfrclimited" | "actuatorgravcomp" | "shellinertia") => "true",
        (_, "springdamper" | "solref" | "solreflimit" | "solreffriction") => "0.1 0.7",
        (_, "solimp" | "solimplimit" | "solimpfriction") => "0.5 0.6 0.01",
        (_, "diaginertia") => "0.6 0.7 0.8",
        (_, "fullinertia") => "0.6 0.7 0.8 0.01 0.02 0.03",
        (_, "contype" | "conaffinity") => "2",
        (_, "condim") => "1",
        (_, "friction") => "0.3",
        (_, "priority" | "group" | "count") => "3",
        (_, "rgba") => "0.1 0.2 0.3 0.4",
        (_, "material") => "n",
        (_, "mesh") => "tet",
        (_, "fluidshape") => "ellipsoid",
        (_, "gear") => "3 0 0 0 0 0",
        (_, "ref" | "springref") => "20",
        (_, "file") => "none.xml",
        _ => "0.37",
    };
    value.to_string()
}

/// Attributes of MJCF without effect on the motion: attributes of pictures, names, groups and users; settings of
/// MuJoCo's solver and memory; activations, cranks and muscles, which drives of joints do not have. `*` means all
/// attributes.
const WITHOUT_EFFECT: &[(&str, &str)] = &[
    // Of inertias alone that no mass distribution has.
    ("compiler", "balanceinertia"),
    ("compiler", "texturedir discardvisual usethread fusestatic saveinertial convexhull"),
    ("compiler/lengthrange", "*"),
    // Models that no <attach> names.
    ("asset/model", "*"),
    // Flags of the solver, of sensors and of output.
    (
        "option/flag",
        "warmstart refsafe midphase nativeccd multiccd island eulerdamp autoreset energy fwdinv sleep sensor",
    ),
    // Ranges of forces are given next to these keys, and the joint has no actuator.
    ("actuator/*", "forcelimited"),
    ("default/*", "forcelimited"),
    ("joint", "actuatorfrclimited actuatorfrcrange"),
    ("default/joint", "actuatorfrclimited"),
    // Of a tendon that is not imported.
    ("equality/tendon", "name"),
    ("option", "integrator solver iterations tolerance cone jacobian impratio noslip_iterations noslip_tolerance"),
    ("option", "ls_iterations ls_tolerance ccd_iterations ccd_tolerance sdf_iterations sdf_initpoints apirate"),
    ("option", "mpr_iterations mpr_tolerance"),
    ("default", "class"),
    // All geoms have their own sizes, and priorities of all geoms alike are none.
    ("default/geom", "size priority solmix"),
    // Limits of controls need a range.
    ("default/*", "ctrllimited"),
    ("equality/*", "class"),
    ("size", "*"),
    ("statistic", "*"),
    ("visual/*", "*"),
    ("custom/*", "*"),
    ("asset/texture", "*"),
    ("asset/material", "texture texrepeat texuniform specular shininess reflectance emission metallic roughness"),
    ("default/material", "texture texrepeat texuniform specular shininess reflectance emission metallic roughness"),
    ("asset/mesh", "smoothnormal content_type"),
    ("camera", "*"),
    ("light", "*"),
    ("frame", "name"),
    ("joint", "group user"),
    ("default/joint", "group user"),
    ("freejoint", "group"),
    ("geom", "user hfield fluidcoef"),
    ("default/geom", "user hfield fluidcoef"),
    ("site", "type group material mesh size rgba user"),
    ("default/site", "type group material mesh size rgba user"),
    ("contact/pair", "name"),
    ("contact/exclude", "name"),
    ("actuator/*", "group user lengthrange cranklength nsample interp"),
    ("actuator/general", "dynprm actdim actlimited actrange actearly"),
    ("default/*", "actdim actlimited actrange actearly dynprm group user cranklength nsample interp"),
    ("sensor/*", "user"),
];

/// Attributes of URDF without effect on the motion: names of shapes and of control interfaces.
const URDF_WITHOUT_EFFECT: &[(&str, &str)] = &[
    ("robot", "version"),
    ("link", "type"),
    // Settings of MuJoCo for impossible inertias, for meshes, and without effect.
    (
        "mujoco/compiler",
        "balanceinertia meshdir strippath angle discardvisual fusestatic usethread convexhull autolimits",
    ),
    ("visual", "name"),
    ("visual/material/texture", "filename"),
    // Listed as contact of <collision>.
    ("collision", "*"),
    ("collision/*", "*"),
    // In addition to the element <type>.
    ("transmission", "type"),
    ("transmission", "name"),
    ("transmission/actuator", "name"),
    ("transmission/joint/hardwareInterface", "text"),
    ("transmission/actuator/hardwareInterface", "text"),
];

/// Attributes of a table that are dropped, without the attributes of a list.
fn dropped(fates: &BTreeMap<(String, String), Fate>, allowed: &[(&str, &str)]) -> Vec<String> {
    let is_allowed = |path: &str, attribute: &str| {
        allowed.iter().any(|(of, names)| {
            let above = of.strip_suffix("/*").is_some_and(|above| path.starts_with(&format!("{above}/")));
            (*of == path || above) && names.split(' ').any(|name| name == "*" || name == attribute)
        })
    };
    let dropped =
        fates.iter().filter(|((path, attribute), fate)| **fate == Fate::Dropped && !is_allowed(path, attribute));
    dropped.map(|((path, attribute), _)| format!("{path} {attribute}")).collect()
}

#[test]
fn no_attribute_of_mjcf_is_dropped() {
    let table = table("mjcf_attributes.txt");
    let trial = Trial::new("robot.xml", None);
    let mut fates = fates(&trial, &table, |path| mjcf_robots(path, &table[path]), mjcf_value);
    let key = BTreeMap::from([("keyframe/key".to_string(), table["keyframe/key"].clone())]);
    let of_key =
        self::fates(&Trial::new("robot.xml", Some("start")), &key, |path| mjcf_robots(path, &key[path]), mjcf_value);
    fates.extend(of_key);
    // Defaults of elements that the robot does not have change nothing.
    let robot = mjcf(&[]);
    let elements = robot.split_once("<asset>").map_or("", |(_, elements)| elements);
    let is_used = |tag: &str| elements.contains(&format!("<{tag} "));
    fates.retain(|(path, _), fate| *fate != Fate::Dropped || path.strip_prefix("default/").is_none_or(is_used));
    check(&fates, WITHOUT_EFFECT);
}

/// Asserts that no attribute is dropped without permission.
fn check(fates: &BTreeMap<(String, String), Fate>, allowed: &[(&str, &str)]) {
    let count = |fate: Fate| fates.values().filter(|found| **found == fate).count();
    println!(
        "{} attributes: {} used, {} listed, {} rejected, {} without effect",
        fates.len(),
        count(Fate::Used),
        count(Fate::Listed),
        count(Fate::Rejected),
        count(Fate::Dropped)
    );
    if std::env::var_os("SHOW").is_some() {
        for ((path, attribute), fate) in fates {
            println!("{path} {attribute} {fate:?}");
        }
    }
    let wrong = dropped(fates, allowed);
    assert!(wrong.is_empty(), "dropped in silence:\n{}", wrong.join("\n"));
}

/// A robot in URDF. `{path}` marks the element of a path, `[path]` stands where its other children go.
const URDF: &str = r#"<robot {robot} name="r" xmlns:drake="http://drake.mit.edu">
<material name="m"><color rgba="1 0 0 1"/></material>
<link name="base"/>
<link {link} name="a">
<inertial {inertial}><origin {inertial/origin} xyz="0.1 0 0"/><mass {inertial/mass} value="1"/>
<inertia {inertial/inertia} ixx="0.2" iyy="0.2" izz="0.2"/></inertial>
<visual {visual}><origin {visual/origin}/>
<geometry>[visual/geometry]<box {visual/geometry/box} size="1 1 1"/></geometry>
<material {visual/material} name="own">[visual/material]
<color {visual/material/color} rgba="0 1 0 1"/></material>[visual]</visual>
<collision {collision}>[collision]<origin {collision/origin}/>
<geometry><box {collision/geometry/box} size="1 1 1"/></geometry></collision>
</link>
<link name="b"><inertial><mass value="1"/><inertia ixx="0.2" iyy="0.2" izz="0.2"/></inertial></link>
<link name="c"><inertial><mass value="1"/><inertia ixx="0.2" iyy="0.2" izz="0.2"/></inertial></link>
<joint {joint} name="j" type="revolute"><origin {joint/origin}/>
<parent {joint/parent} link="base"/><child {joint/child} link="a"/>
<axis {joint/axis} xyz="0 0 1"/><limit {joint/limit} lower="-1" upper="1"/><dynamics {joint/dynamics}/>[joint]</joint>
<joint name="k" type="continuous"><parent link="a"/><child link="b"/></joint>
<joint name="l" type="continuous"><parent link="b"/><child link="c"/><mimic {joint/mimic} joint="k"/></joint>
<transmission {transmission} name="t"><type {transmission/type}>SimpleTransmission</type>
<joint {transmission/joint} name="j">[transmission/joint]</joint>
<actuator {transmission/actuator} name="m">[transmission/actuator]
<drake:rotor_inertia {transmission/actuator/drake:rotor_inertia} value="1e-4"/>
<drake:gear_ratio {transmission/actuator/drake:gear_ratio} value="30"/></actuator>[transmission]</transmission>
[]</robot>"#;

/// Children that inserted elements need.
const URDF_USUAL: [(&str, &str); 6] = [
    ("visual/geometry/sphere", r#"radius="0.1""#),
    ("visual/geometry/cylinder", r#"radius="0.1" length="0.2""#),
    ("visual/geometry/capsule", r#"radius="0.1" length="0.2""#),
    ("visual/geometry/drake:capsule", r#"radius="0.1" length="0.2""#),
    ("visual/geometry/mesh", r#"filename="tet.obj""#),
    ("joint/hardwareInterface", ""),
];

fn urdf_robots(path: &str) -> (Vec<String>, String) {
    // All marks but one are nothing.
    let cleaned = |text: &str| {
        let mut text = text.to_string();
        for [open, close] in [["{", "}"], ["[", "]"]] {
            while let Some(start) = text.find(open) {
                let end = start + text[start..].find(close).expect("the end of a mark");
                text.replace_range(start..=end, "");
            }
        }
        text
    };
    let own = format!("{{{path}}}");
    if URDF.contains(&own) {
        return (vec![cleaned(&URDF.replace(&own, "@"))], String::new());
    }
    let tags: Vec<&str> = path.split('/').collect();
    let depth =
        (0..tags.len()).rev().find(|depth| URDF.contains(&format!("[{}]", tags[..*depth].join("/")))).expect("a place");
    let (above, tags) = (format!("[{}]", tags[..depth].join("/")), &tags[depth..]);
    let usual = URDF_USUAL.iter().find(|(of, _)| *of == path).map_or("", |(_, usual)| usual);
    let open: String = tags[..tags.len() - 1].iter().map(|tag| format!("<{tag}>")).collect();
    let close: String = tags[..tags.len() - 1].iter().rev().map(|tag| format!("</{tag}>")).collect();
    let tag = tags[tags.len() - 1];
    // Parts of a mesh and of shapes that are not carried over have the element around them.
    let snippet = format!("{open}<{tag} @ {usual}></{tag}>{close}");
    (vec![cleaned(&URDF.replace(&above, &snippet))], cleaned(URDF))
}

fn urdf_value(path: &str, attribute: &str) -> String {
    let value = match (path, attribute) {
        ("joint", "type") => "prismatic",
        ("joint/parent", _) => "b",
        ("joint/child", _) => "c",
        ("joint/mimic", "joint") => "j",
        ("visual/material", _) => "m",
        ("visual/geometry/mesh", "filename") => "other.obj",
        ("transmission/joint", "name") => "k",
        ("joint/axis", _) | (_, "xyz" | "rpy") => "0.1 0.2 0.3",
        (_, "quat_xyzw") => "1 0 0 1",
        (_, "size" | "scale") => "2 2 2",
        (_, "rgba") => "0 0 1 0.5",
        (_, "name") => "other",
        (_, "ixy" | "ixz" | "iyz") => "0.01",
        (_, "text") => "Other",
        _ => "0.25",
    };
    value.to_string()
}

#[test]
fn no_attribute_of_urdf_is_dropped() {
    let table = table("urdf_attributes.txt");
    let mut fates = fates(&Trial::new("robot.urdf", None), &table, urdf_robots, urdf_value);
    // An element without attributes is listed as such.
    fates.retain(|(_, attribute), _| !attribute.is_empty());
    check(&fates, URDF_WITHOUT_EFFECT);
}
