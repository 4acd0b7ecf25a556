//! `<replicate>` and `<attach>` as the elements that they generate.
//!
//! A `<replicate>` becomes `count` frames. Frame k is turned by k times the angles of `euler`, and moved by `offset` in
//! the axes of frame k − 1. The names in a copy, and the names of the elements of other sections that refer to it, get
//! `sep` and the number of the copy as a suffix. An `<attach>` becomes a body of another file, or all of its bodies.
//! The names of that file get a prefix; it keeps its own default classes and settings of `<compiler>`.

use super::compiler::Compiler;
use crate::frame::Pose;
use crate::xml::{Element, Files, XmlPosition};
use ballesta::document::Diagnostics;
use ballesta::math::{Vec3, rotation};
use std::collections::BTreeSet;
use std::ops::Range;
use std::path::Path;

/// Largest number of copies of one `<replicate>`, and of elements in them.
const MAX_COPIES: f64 = 1000.0;
const MAX_ELEMENTS: f64 = 100_000.0;
/// Largest nesting depth of attached models.
const MAX_DEPTH: usize = 10;

/// Attributes whose values are names of bodies, of their parts, and of elements that act on them.
const REFERENCES: [&str; 27] = [
    "actuator",
    "body",
    "body1",
    "body2",
    "cranksite",
    "flex",
    "geom",
    "geom1",
    "geom2",
    "joint",
    "joint1",
    "joint2",
    "jointinparent",
    "objname",
    "prev",
    "refname",
    "refsite",
    "sensor",
    "sidesite",
    "site",
    "site1",
    "site2",
    "slidersite",
    "target",
    "tendon",
    "tendon1",
    "tendon2",
];
/// Attributes whose values are names of classes and assets.
const ASSETS: [&str; 7] = ["childclass", "class", "hfield", "material", "mesh", "model", "texture"];
/// Sections whose elements are copied with the elements that they refer to.
const FOLLOWING: [&str; 5] = ["tendon", "equality", "contact", "actuator", "sensor"];
/// Sections that an attached model adds.
const ADDED: [&str; 8] = ["default", "asset", "contact", "equality", "tendon", "actuator", "sensor", "deformable"];

/// Sections of an attached model that are not imported and affect the motion.
const LOST: [&str; 3] = ["keyframe", "option", "extension"];

/// Settings of the files of an attached model.
pub struct Attached {
    /// Numbers of its files.
    pub files: Range<usize>,
    pub compiler: Compiler,
    /// Name of its outermost default class.
    pub class: String,
}

/// Replaces `<replicate>` and `<attach>` in a file whose includes are expanded.
///
/// # Errors
/// Attached files that are not XML.
pub fn expand(root: &mut Element, files: &Files) -> Result<Vec<Attached>, Diagnostics> {
    let mut attached = Vec::new();
    expand_model(root, files, &mut attached, 0)?;
    Ok(attached)
}

fn expand_model(
    root: &mut Element,
    files: &Files,
    attached: &mut Vec<Attached>,
    depth: usize,
) -> Result<(), Diagnostics> {
    let mut added = Vec::new();
    let models: Vec<Element> = root.all("asset").flat_map(|asset| asset.all("model")).cloned().collect();
    for world in root.children.iter_mut().filter(|child| child.name == "worldbody") {
        attach(world, files, &models, attached, &mut added, depth)?;
    }
    root.children.extend(added);
    let compiler = Compiler::new(root, files);
    let mut copied = Vec::new();
    for world in root.children.iter_mut().filter(|child| child.name == "worldbody") {
        replicate(world, files, &compiler, &mut copied);
    }
    copied.iter().for_each(|copies| copies.follow(root));
    Ok(())
}

/// Names that a `<replicate>` has copied.
struct Copies {
    names: BTreeSet<String>,
    suffixes: Vec<String>,
}

impl Copies {
    /// Copies the elements of other sections that refer to a copied name.
    fn follow(&self, root: &mut Element) {
        let mut names = self.names.clone();
        for section in FOLLOWING {
            for section in root.children.iter_mut().filter(|child| child.name == section) {
                let refers = |element: &Element| {
                    element.has_attribute(&|name, value| REFERENCES.contains(&name) && names.contains(value))
                };
                let (following, mut others): (Vec<_>, Vec<_>) = section.take_children().into_iter().partition(refers);
                let mut own = Vec::new();
                following.iter().for_each(|element| element.values("name", &mut own));
                for suffix in &self.suffixes {
                    others.extend(following.iter().map(|element| with_suffix(element, &names, suffix)));
                }
                section.children = others;
                names.extend(own);
            }
        }
    }
}

/// A copy whose names, and references to `names`, have a suffix.
fn with_suffix(element: &Element, names: &BTreeSet<String>, suffix: &str) -> Element {
    let mut copy = element.clone();
    copy.edit(&|_, name, value| {
        let is_reference = REFERENCES.contains(&name) && names.contains(value);
        (name == "name" || is_reference).then(|| format!("{value}{suffix}"))
    });
    copy
}

/// Replaces every `<replicate>` below an element.
fn replicate(element: &mut Element, files: &Files, compiler: &Compiler, copied: &mut Vec<Copies>) {
    let mut children = Vec::new();
    for mut child in element.take_children() {
        // The innermost first: its suffixes come first.
        replicate(&mut child, files, compiler, copied);
        match child.name.as_str() {
            "replicate" => children.extend(copies_of(&child, files, compiler, copied)),
            _ => children.push(child),
        }
    }
    element.children = children;
}

fn copies_of(element: &Element, files: &Files, compiler: &Compiler, copied: &mut Vec<Copies>) -> Vec<Element> {
    let count = element.mark().number(files, "count").unwrap_or_default();
    if !((1.0..=MAX_COPIES).contains(&count) && count.fract() == 0.0) {
        let found = format!("count is {count}");
        files.wrong(
            element.place_of("count"),
            "replicate.count",
            found,
            &format!("give a number from 1 to {MAX_COPIES}"),
        );
        return Vec::new();
    }
    if count * element.count() as f64 > MAX_ELEMENTS {
        let found = format!("more than {MAX_ELEMENTS} elements");
        files.wrong(element.place, "replicate", found, "reduce `count`: a model file has at most 4000 bodies");
        return Vec::new();
    }
    let offset = element.numbers::<3>(files, "offset").map_or(Vec3::zeros(), Vec3::from);
    let angles = element.numbers::<3>(files, "euler").unwrap_or_default();
    let separator = element.text("sep").unwrap_or_default();
    let mut names = Vec::new();
    element.children.iter().for_each(|child| child.values("name", &mut names));
    let names: BTreeSet<String> = names.into_iter().collect();
    let count = count as usize;
    let digits = count.to_string().len();
    let suffixes: Vec<String> = (0..count).map(|number| format!("{separator}{number:0digits$}")).collect();
    let mut pose = Pose::world();
    let mut frames = Vec::new();
    for (number, suffix) in suffixes.iter().enumerate() {
        pose.turn = compiler.euler(angles.map(|angle| angle * number as f64));
        let children = element.children.iter().map(|child| with_suffix(child, &names, suffix)).collect();
        let numbers = |numbers: &[f64]| numbers.iter().map(|x| format!("{x:?}")).collect::<Vec<_>>().join(" ");
        let mut attributes =
            vec![("pos", numbers(pose.at.as_slice())), ("quat", numbers(&rotation::quaternion(&pose.turn)))];
        attributes.extend(element.text("childclass").map(|class| ("childclass", class.to_string())));
        frames.push(Element::new("frame", element.place, &attributes, children));
        pose.at = pose.point(&offset);
    }
    copied.push(Copies { names, suffixes });
    frames
}

/// Replaces every `<attach>` below an element. `added`: sections of the attached models.
fn attach(
    element: &mut Element,
    files: &Files,
    models: &[Element],
    attached: &mut Vec<Attached>,
    added: &mut Vec<Element>,
    depth: usize,
) -> Result<(), Diagnostics> {
    let mut children = Vec::new();
    for mut child in element.take_children() {
        attach(&mut child, files, models, attached, added, depth)?;
        match child.name.as_str() {
            "attach" => {
                children.extend(attached_to(&child, files, models, attached, added, depth)?);
            }
            _ => children.push(child),
        }
    }
    element.children = children;
    Ok(())
}

fn attached_to(
    element: &Element,
    files: &Files,
    models: &[Element],
    attached: &mut Vec<Attached>,
    added: &mut Vec<Element>,
    depth: usize,
) -> Result<Option<Element>, Diagnostics> {
    let wrong = |place: XmlPosition, key: &str, found: String, cure: &str| {
        files.wrong(place, key, found, cure);
        Ok(None)
    };
    let Some(name) = element.mark().needed(files, "model") else { return Ok(None) };
    let file_of = |model: &Element| model.text("file").map(str::to_string);
    let named = |model: &&Element| {
        let own = || model_name(&files.folder(model.place).join(file_of(model)?));
        model.text("name").map(str::to_string).or_else(own).is_some_and(|other| other == name)
    };
    let Some((model, file)) = models.iter().find(named).and_then(|model| Some((model, file_of(model)?))) else {
        return wrong(
            element.place_of("model"),
            "attach.model",
            format!("there is no model \"{name}\""),
            "name a <model> of <asset>",
        );
    };
    if depth >= MAX_DEPTH {
        return wrong(element.place, "attach", "attached models are nested too deeply".into(), "remove the <attach>");
    }
    model.text("content_type");
    let path = files.folder(model.place).join(&file);
    if !path.is_file() {
        return wrong(
            model.place_of("file"),
            "model.file",
            format!("file {} not found", path.display()),
            "give a path relative to the file",
        );
    }
    let first = files.count();
    let mut root = files.read(&path)?;
    super::include(&mut root, files)?;
    let place = root.place;
    expand_model(&mut root, files, attached, depth + 1)?;
    let numbers = first..files.count();
    let compiler = Compiler::new(&root, files);
    let prefix = element.text("prefix").unwrap_or_default().to_string();
    let class = root.all("default").next().and_then(|default| default.text("class")).unwrap_or("main").to_string();
    for default in root.children.iter_mut().filter(|child| child.name == "default") {
        if default.text("class").is_none() {
            default.set("class", class.clone());
        }
    }
    // References of attached models inside this one already have their prefix, which only becomes longer.
    root.edit(&|tag, name, value| {
        let is_name = name == "name" || REFERENCES.contains(&name) || ASSETS.contains(&name);
        (is_name && value != "world" && tag != "model").then(|| format!("{prefix}{value}"))
    });
    for inner in attached.iter_mut().filter(|inner| numbers.contains(&inner.files.start)) {
        inner.class = format!("{prefix}{}", inner.class);
    }
    attached.push(Attached { files: numbers, compiler, class: format!("{prefix}{class}") });
    let mut bodies: Vec<Element> = Vec::new();
    for world in root.children.iter_mut().filter(|child| child.name == "worldbody") {
        bodies.append(&mut world.take_children());
    }
    let outside = match element.text("body") {
        None => BTreeSet::new(),
        Some(body) => {
            let wanted = format!("{prefix}{body}");
            let mut all = Vec::new();
            bodies.iter().for_each(|body| body.values("name", &mut all));
            let Some(found) = bodies.iter().find_map(|other| below(other, &wanted)).cloned() else {
                return wrong(
                    element.place_of("body"),
                    "attach.body",
                    format!("there is no body \"{body}\" in {file}"),
                    "name a body of that file",
                );
            };
            bodies = vec![found];
            let mut kept = Vec::new();
            bodies.iter().for_each(|body| body.values("name", &mut kept));
            all.into_iter().filter(|name| !kept.contains(name)).collect()
        }
    };
    // Elements that refer to other bodies than the attached one are left out, as in MuJoCo.
    for mut section in root.take_children() {
        let name = section.name.as_str();
        if LOST.contains(&name) {
            files.note(section.place, format!("<{name}> of an attached model"));
        }
        if !ADDED.contains(&name) {
            continue;
        }
        let is_inside = |element: &Element| {
            !element.has_attribute(&|name, value| REFERENCES.contains(&name) && outside.contains(value))
        };
        section.children.retain(|element| section.name == "default" || is_inside(element));
        added.push(section);
    }
    let attributes = [];
    Ok(Some(Element::new("frame", place, &attributes, bodies)))
}

/// The name that a file gives its model.
fn model_name(path: &Path) -> Option<String> {
    let root = Files::default().read(path).ok()?;
    Some(root.text("model").unwrap_or("MuJoCo Model").to_string())
}

/// The body with a name at or below an element.
fn below<'e>(element: &'e Element, name: &str) -> Option<&'e Element> {
    if element.name == "body" && element.text("name") == Some(name) {
        return Some(element);
    }
    element.children.iter().find_map(|child| below(child, name))
}
