//! Subassemblies and frames: replaces `[[use]]` by the tables of the files that it names, and converts all values to W.
//!
//! Every file is read once and added to the model once for every use, followed by the uses in it. Names get the
//! prefixes of all uses around them (`names`), and parameters of the file become numbers or parameters of the model.
//! The geometry is mirrored, moved and turned ([`mirror`]) when all frames are placed ([`frames`]). Validation,
//! compilation and FMU use one flat model. The [`Source`] of the model maps its items to their files.

pub mod defaults;
mod frames;
pub mod mirror;
mod names;
mod schema;

use super::files::Files;
use super::outputs::wrong_words;
use super::schema::{Assembly, Frame, JointKind, Model, Number, Output, Parameter, Use};
use super::{Diagnostic, Source, validate};
use crate::document::nearest::did_you_mean;
use crate::document::{self, FileSchema, Reading, from_value};
use frames::{Graph, WORLD};
use mirror::{Complain, Joints, Placement};
use names::{Definitions, Namespace, Scope};
use schema::{Leaf, visit};
use serde_json::{Map, Value, json};
use std::collections::{BTreeMap, HashMap};
use std::path::Path;
use std::rc::Rc;
use std::sync::Arc;

/// Largest depth of nested uses.
const MAX_DEPTH: usize = 8;
/// Largest number of uses in a model, nested uses included.
const MAX_USES: usize = 1000;

/// Expands every `[[use]]` and converts values given in frames to world coordinates.
pub(super) fn expand(reading: &mut Reading<Model>, files: &mut Files) {
    if reading.value.uses.is_empty() && reading.value.frames.is_empty() && !reading.source.has_key("in") {
        return;
    }
    let root = Path::new(&reading.source.file).file_name().map(|name| name.to_string_lossy().into_owned());
    let mut loader = Loader { files, known: HashMap::new(), diagnostics: Vec::new(), broken: false };
    let uses = std::mem::take(&mut reading.value.uses);
    let children = loader.uses(&uses, &reading.source, &reading.replaced, &mut vec![root.unwrap_or_default()]);
    let (diagnostics, broken) = (loader.diagnostics, loader.broken);
    reading.diagnostics.0.extend(diagnostics);
    if broken {
        // Names are missing, so references to them would look wrong.
        reading.replaced.push("use".into());
    }
    if uses_in(&children).is_none() {
        let found = format!("the model has more than {MAX_USES} uses, including the uses in subassemblies");
        reading.diagnostics.0.push(reading.source.at("use", found, format!("a model has at most {MAX_USES}")));
        reading.replaced.push("use".into());
        return;
    }
    let mut counts = HashMap::new();
    children.iter().flatten().for_each(|child| child.count(&mut counts));
    let Ok(Value::Object(model)) = serde_json::to_value(&reading.value) else { return };
    let mut definitions = Definitions::of(&model);
    for (use_, child) in uses.iter().zip(&children) {
        child.iter().for_each(|child| definitions.add(&child.definitions, &use_.prefix));
    }
    let bodies = BTreeMap::new();
    let scope = Scope {
        outer: None,
        defined: &definitions,
        prefix: String::new(),
        parameters: HashMap::new(),
        bodies: &bodies,
    };
    let source = std::mem::take(&mut reading.source);
    let mut expansion = Expansion {
        model,
        origin: source.clone(),
        source,
        replaced: Vec::new(),
        diagnostics: Vec::new(),
        schema: Assembly::reading_schema(),
        counts,
        graph: Graph::new(),
        frames: 0,
        uses: uses.len(),
        tasks: Vec::new(),
    };
    expansion.of_model(&definitions, &reading.replaced);
    for (index, (use_, child)) in uses.iter().zip(&children).enumerate() {
        let Some(child) = child else { continue };
        let (origin, path) = (expansion.origin.clone(), format!("use[{index}]"));
        let around: Scopes = Rc::new([(&definitions.kinds, WORLD)]);
        expansion.add(child, use_, &Site { source: &origin, index, path, chain: "" }, &scope, &around);
    }
    let missing = |path: &String| path.starts_with("frame") || path.starts_with("use");
    let complete = !reading.replaced.iter().chain(&expansion.replaced).any(missing);
    expansion.place(complete);
    reading.source = expansion.source;
    reading.replaced.extend(expansion.replaced);
    reading.diagnostics.0.extend(expansion.diagnostics);
    match from_value(Value::Object(expansion.model)) {
        Ok(model) => reading.value = model,
        // Both sides are checked against one schema; this arm prevents a panic if they disagree.
        Err(error) => reading.diagnostics.0.push(reading.source.at("use", error.to_string(), "correct the value")),
    }
}

/// A parsed file, with the files it uses.
struct File {
    path: String,
    source: Arc<Source>,
    /// Its tables, without `use` and `parameter`.
    tables: Map<String, Value>,
    parameters: Vec<Parameter>,
    replaced: Vec<String>,
    uses: Vec<Use>,
    children: Vec<Option<Rc<File>>>,
    definitions: Definitions,
    /// Depth: 1 plus the depth of the files that it uses.
    uses_in_all: usize,
}

impl File {
    /// Counts the uses of each file.
    fn count(&self, counts: &mut HashMap<String, usize>) {
        *counts.entry(self.path.clone()).or_default() += 1;
        self.children.iter().flatten().for_each(|child| child.count(counts));
    }
}

/// Number of uses of these files, unless there are too many.
fn uses_in(children: &[Option<Rc<File>>]) -> Option<usize> {
    let total: usize = children.iter().flatten().map(|child| child.uses_in_all).sum();
    (total <= MAX_USES).then_some(total)
}

/// Reads the files.
struct Loader<'f> {
    files: &'f mut Files,
    /// Files by their path; `None` if a file cannot be used, which was reported.
    known: HashMap<String, Option<Rc<File>>>,
    diagnostics: Vec<Diagnostic>,
    /// Whether a use has no file, or a file has wrong parameters.
    broken: bool,
}

impl Loader<'_> {
    /// The files of the uses of a file; `chain`: the paths of this file and of the files that use it.
    fn uses(
        &mut self,
        uses: &[Use],
        source: &Source,
        replaced: &[String],
        chain: &mut Vec<String>,
    ) -> Vec<Option<Rc<File>>> {
        let mut children = Vec::new();
        for (index, use_) in uses.iter().enumerate() {
            let key = format!("use[{index}].file");
            let child = if replaced.contains(&key) { None } else { self.file(&key, &use_.file, source, chain) };
            if let Some(child) = &child {
                self.parameters(use_, index, child, source);
            }
            self.broken |= child.is_none();
            children.push(child);
        }
        children
    }

    /// Reports names in `parameters` that the file does not have.
    fn parameters(&mut self, use_: &Use, index: usize, child: &File, source: &Source) {
        let known: Vec<&str> = child.parameters.iter().map(|parameter| parameter.name.as_str()).collect();
        for name in use_.parameters.keys().filter(|name| !known.contains(&name.as_str())) {
            let found = format!("\"{}\" has no parameter \"{name}\"", use_.file);
            let key = format!("use[{index}].parameters.{name}");
            self.diagnostics.push(source.at(key, found, did_you_mean(name, &known)));
        }
    }

    fn file(&mut self, key: &str, path: &str, source: &Source, chain: &mut Vec<String>) -> Option<Rc<File>> {
        const HINT: &str = "a subassembly has the tables of a model, without `[model]` and `[experiment]`";
        if let Some(start) = chain.iter().position(|file| file == path) {
            let way: Vec<&str> = chain[start..].iter().map(String::as_str).chain([path]).collect();
            let found = format!("the file uses itself: {}", way.join(" uses "));
            self.diagnostics.push(source.at(key, found, "remove one of these uses"));
            return None;
        }
        if chain.len() > MAX_DEPTH {
            let found = format!("subassemblies are nested {} deep: {}", chain.len(), chain.join(" uses "));
            self.diagnostics.push(source.at(key, found, format!("nest at most {MAX_DEPTH}")));
            return None;
        }
        if let Some(known) = self.known.get(path) {
            return known.clone();
        }
        let shown = self.files.shown(path);
        let reading = match self.files.read_utf8(source, key, path, HINT) {
            Ok(text) => document::read::<Assembly>(text, &shown),
            Err(complaint) => {
                self.diagnostics.push(complaint);
                return None;
            }
        };
        let file = match reading {
            Ok(reading) => self.content(path, reading, chain),
            Err(mut inside) => {
                self.diagnostics.append(&mut inside.0);
                None
            }
        };
        self.known.insert(path.to_string(), file.clone());
        file
    }

    /// Content of a parsed file, and the files it uses.
    fn content(&mut self, path: &str, reading: Reading<Assembly>, chain: &mut Vec<String>) -> Option<Rc<File>> {
        let Reading { value: Assembly(mut tables), source, replaced, mut diagnostics } = reading;
        if let Ok(outputs) = from_value::<Vec<Output>>(tables.get("output").cloned().unwrap_or(json!([]))) {
            wrong_words::suggest(&outputs, &mut diagnostics.0);
        }
        self.diagnostics.append(&mut diagnostics.0);
        let mut definitions = Definitions::of(&tables);
        let uses: Vec<Use> = from_value(tables.remove("use").unwrap_or(json!([]))).ok()?;
        let parameters = tables.remove("parameter").unwrap_or(json!([]));
        let parameters: Vec<Parameter> = from_value(parameters).ok()?;
        let wrong = validate::validate_parameters(&parameters, &source, &replaced);
        self.broken |= !wrong.is_empty();
        self.diagnostics.extend(wrong);
        chain.push(path.to_string());
        let children = self.uses(&uses, &source, &replaced, chain);
        chain.pop();
        let Some(uses_inside) = uses_in(&children) else {
            let found = format!("the model has more than {MAX_USES} uses, including the uses in subassemblies");
            self.diagnostics.push(source.at("use", found, format!("a model has at most {MAX_USES}")));
            return None;
        };
        for (use_, child) in uses.iter().zip(&children) {
            child.iter().for_each(|child| definitions.add(&child.definitions, &use_.prefix));
        }
        let uses_in_all = 1 + uses_inside;
        let (path, source) = (path.to_string(), Arc::new(source));
        Some(Rc::new(File { path, source, tables, parameters, replaced, uses, children, definitions, uses_in_all }))
    }
}

/// Position of a use.
struct Site<'s> {
    /// Its file.
    source: &'s Source,
    /// Its index among the uses there.
    index: usize,
    /// Its path as an item of the model.
    path: String,
    /// The uses that lead to this file, ", model.toml:7".
    chain: &'s str,
}

/// A point or an item that is placed once the placement of its node is computed.
struct Task<'f> {
    /// Its table in the model, and its name or number there.
    table: String,
    at: Result<String, usize>,
    node: usize,
    scopes: Scopes<'f>,
    /// The item with the names of its file; `None` if they are the names of the model.
    local: Option<&'f Value>,
}

/// Kinds of the joints by the names that a file uses, and the node of the file: first for the file of an item, then for
/// the files around it.
type Scopes<'f> = Rc<[(&'f HashMap<String, JointKind>, usize)]>;

/// The model under construction.
struct Expansion<'f> {
    model: Map<String, Value>,
    /// Source of the model file alone.
    origin: Source,
    source: Source,
    replaced: Vec<String>,
    diagnostics: Vec<Diagnostic>,
    schema: Value,
    /// Number of uses of each file.
    counts: HashMap<String, usize>,
    graph: Graph,
    /// Number of frames and uses so far.
    frames: usize,
    uses: usize,
    tasks: Vec<Task<'f>>,
}

impl<'f> Expansion<'f> {
    /// Adds the frames of the model file, and the items given in frames there.
    fn of_model(&mut self, definitions: &'f Definitions, replaced: &[String]) {
        let scopes: Scopes = Rc::new([(&definitions.kinds, WORLD)]);
        if let Some(frames) = self.model.remove("frame") {
            let part = self.source.add_part(Arc::new(self.origin.clone()), String::new());
            self.frames(frames, part, "", WORLD, &scopes, replaced);
        }
        for (table, items) in &mut self.model {
            for (index, item) in items.as_array_mut().into_iter().flatten().enumerate() {
                let path = format!("{table}[{index}]");
                let broken = replaced.iter().any(|key| key.starts_with(&path));
                let Some(Value::String(name)) = item.as_object_mut().and_then(|item| item.remove("in")) else {
                    continue;
                };
                if !broken {
                    let node = self.graph.add(WORLD, Some((name, path + ".in")), Placement::IDENTITY);
                    let (table, scopes) = (table.clone(), Rc::clone(&scopes));
                    self.tasks.push(Task { table, at: Err(index), node, scopes, local: None });
                }
            }
        }
    }

    /// Adds the frames of a file, with their points. `node`: the node of the file.
    fn frames(
        &mut self,
        frames: Value,
        part: usize,
        prefix: &str,
        node: usize,
        scopes: &Scopes<'f>,
        replaced: &[String],
    ) {
        let Value::Array(frames) = frames else { return };
        for (index, mut frame) in frames.into_iter().enumerate() {
            let local = format!("frame[{index}]");
            let path = format!("frame[{}]", self.frames);
            self.frames += 1;
            self.source.add_item(path.clone(), part, local.clone());
            let points = frame.as_object_mut().and_then(|frame| frame.remove("points"));
            let Ok(frame) = from_value::<Frame>(frame) else { continue };
            let mut own = Placement::IDENTITY;
            if !replaced.iter().any(|key| key.starts_with(&local)) {
                own = frames::placement(&frame, &mut |key, found, expected| {
                    self.diagnostics.push(self.source.at(format!("{path}.{key}"), found, expected));
                });
            }
            let inside = frame.inside.map(|name| (name, format!("{path}.in")));
            let node = self.graph.add(node, inside, own);
            if let Some(earlier) = self.graph.name(frame.name.clone(), node, path.clone()) {
                let earlier = self.source.item_with_line(&earlier, &format!("{earlier}.name"));
                let found = format!("the name \"{}\" is already taken by {earlier}", frame.name);
                self.diagnostics.push(self.source.at(path + ".name", found, "choose another name"));
            }
            if let Some(Value::Object(points)) = points {
                self.points(points, &format!("{local}.points"), part, prefix, node, scopes);
            }
        }
    }

    /// Adds one use of a file, and the uses in it. `around` is the file with the use, and the files around it.
    fn add(&mut self, file: &'f File, use_: &Use, site: &Site, outer: &Scope, around: &Scopes<'f>) {
        let (line, _) = site.source.position(&format!("use[{}]", site.index));
        let chain = format!("{}:{line}{}", site.source.file, site.chain);
        let note = if self.counts[&file.path] > 1 { format!(" (used at {chain})") } else { String::new() };
        let part = self.source.add_part(Arc::clone(&file.source), note);
        let prefix = format!("{}{}", outer.prefix, use_.prefix);
        let bodies = &use_.bodies;
        let mut scope =
            Scope { outer: Some(outer), defined: &file.definitions, prefix, parameters: HashMap::new(), bodies };
        self.parameters(file, use_, site, outer, part, &mut scope);
        let named = |name: &String| (outer.resolve(Namespace::Frames, name), format!("{}.in", site.path));
        let inside = use_.inside.as_ref().map(named);
        let node = self.graph.add(around[0].1, inside, Placement::of_use(use_.mirror, use_.translate));
        let scopes: Scopes = std::iter::once((&file.definitions.kinds, node)).chain(around.iter().copied()).collect();
        let mut tables = Value::Object(file.tables.clone());
        visit(&self.schema, &mut tables, &mut |leaf, pattern, _, value| scope.rename(leaf, pattern, value));
        let Value::Object(tables) = tables else { return };
        for (table, content) in tables {
            match content {
                Value::Object(points) => {
                    self.points(points, "points", part, &scope.prefix, node, &scopes);
                }
                frames if table == "frame" => {
                    self.frames(frames, part, &scope.prefix, node, &scopes, &file.replaced);
                }
                Value::Array(items) => self.items(&table, items, file, part, &scopes),
                _ => {}
            }
        }
        let items: Vec<&String> = file.replaced.iter().filter(|path| !path.contains('.')).collect();
        self.replaced.extend(items.into_iter().cloned());
        for (index, (use_, child)) in file.uses.iter().zip(&file.children).enumerate() {
            let Some(child) = child else { continue };
            let path = format!("use[{}]", self.uses);
            self.uses += 1;
            self.source.add_item(path.clone(), part, format!("use[{index}]"));
            let site = Site { source: &file.source, index, path, chain: &format!(", {chain}") };
            self.add(child, use_, &site, &scope, &scopes);
        }
    }

    /// Resolves the parameters of a file; tunable ones become parameters of the model.
    fn parameters(&mut self, file: &File, use_: &Use, site: &Site, outer: &Scope, part: usize, scope: &mut Scope) {
        for (index, parameter) in file.parameters.iter().enumerate() {
            let key = format!("use[{}].parameters.{}", site.index, parameter.name);
            let mut parameter = parameter.clone();
            match use_.parameters.get(&parameter.name) {
                Some(Number::Value(value)) => {
                    let (min, max) = (parameter.min.unwrap_or(*value), parameter.max.unwrap_or(*value));
                    let limit = if *value < min { Some(("below min", min)) } else { Some(("above max", max)) };
                    match limit.filter(|_| *value < min || *value > max) {
                        Some((side, limit)) => {
                            let found = format!("{value} is {side} {limit} of \"{}\"", file.path);
                            self.diagnostics.push(site.source.at(key, found, "keep within the limits"));
                        }
                        None => parameter.value = *value,
                    }
                }
                Some(Number::Parameter(name)) => {
                    let meaning = outer.resolve_number(name);
                    let known = self.parameter_names();
                    let known: Vec<&str> = known.iter().map(String::as_str).collect();
                    match meaning.as_str() {
                        Some(full) if !known.contains(&full) => {
                            let found = format!("there is no parameter \"{name}\"");
                            self.diagnostics.push(site.source.at(key, found, did_you_mean(name, &known)));
                        }
                        _ => {
                            scope.parameters.insert(parameter.name, meaning);
                            continue;
                        }
                    }
                }
                None => {}
            }
            if parameter.tunable {
                parameter.name = format!("{}{}", scope.prefix, parameter.name);
                let item = serde_json::to_value(&parameter).unwrap_or_default();
                self.push("parameter", item, part, format!("parameter[{index}]"));
            } else {
                scope.parameters.insert(parameter.name, json!(parameter.value));
            }
        }
    }

    /// Names of the parameters of the model so far.
    fn parameter_names(&self) -> Vec<String> {
        let parameters = self.model.get("parameter").and_then(Value::as_array);
        let name = |parameter: &Value| Some(parameter["name"].as_str()?.to_string());
        parameters.into_iter().flatten().filter_map(name).collect()
    }

    /// Adds the points of a table, which is at `local` in its file.
    fn points(
        &mut self,
        points: Map<String, Value>,
        local: &str,
        part: usize,
        prefix: &str,
        node: usize,
        scopes: &Scopes<'f>,
    ) {
        for (name, point) in points {
            let full = format!("{prefix}{name}");
            let item = format!("points.{full}");
            let taken = self.model.get("points").is_some_and(|points| points.get(&full).is_some());
            let earlier = self.source.item_with_line(&item, &item);
            self.source.add_item(item.clone(), part, format!("{local}.{name}"));
            if taken {
                let found = format!("the name \"{full}\" is already taken by {earlier}");
                self.diagnostics.push(self.source.at(item, found, "choose another name, or another prefix"));
                continue;
            }
            if let Some(points) = self.model.entry("points").or_insert(json!({})).as_object_mut() {
                points.insert(full.clone(), point);
            }
            let (table, scopes) = ("points".into(), Rc::clone(scopes));
            self.tasks.push(Task { table, at: Ok(full), node, scopes, local: None });
        }
    }

    /// Adds the items of a table of a file whose node is the first of `scopes`.
    fn items(&mut self, table: &str, items: Vec<Value>, file: &'f File, part: usize, scopes: &Scopes<'f>) {
        let node = scopes[0].1;
        for (index, mut item) in items.into_iter().enumerate() {
            let local = format!("{table}[{index}]");
            let inside = item.as_object_mut().and_then(|item| item.remove("in"));
            let (path, number) = self.push(table, item, part, local.clone());
            let inside_file = file.replaced.iter().filter_map(|key| key.strip_prefix(&local));
            self.replaced.extend(inside_file.map(|rest| format!("{path}{rest}")));
            if file.replaced.iter().any(|key| key.starts_with(&local)) {
                continue;
            }
            let node = match inside {
                Some(Value::String(name)) => self.graph.add(node, Some((name, path + ".in")), Placement::IDENTITY),
                _ => node,
            };
            let (scopes, local) = (Rc::clone(scopes), Some(&file.tables[table][index]));
            self.tasks.push(Task { table: table.into(), at: Err(number), node, scopes, local });
        }
    }

    /// Mirrors, moves and turns all items that are to be placed. `complete`: all files and frames could be read.
    fn place(&mut self, complete: bool) {
        self.diagnostics.extend(self.graph.solve(&self.source, complete));
        for task in std::mem::take(&mut self.tasks) {
            let Some(placement) = self.graph.placement(task.node) else { continue };
            let (source, mut complaints) = (&self.source, Vec::new());
            let path = match &task.at {
                Ok(name) => format!("{}.{name}", task.table),
                Err(number) => format!("{}[{number}]", task.table),
            };
            let mut complain = |key: &str, found: String, expected: &str| {
                let dot = if key.is_empty() || key.starts_with('[') { "" } else { "." };
                let key = format!("{path}{dot}{key}");
                complaints.push(source.at(key, found, expected));
            };
            let Some(content) = self.model.get_mut(&task.table) else { continue };
            match &task.at {
                Ok(name) => placement.place("", &mut content[name], &mut complain),
                Err(number) => {
                    let on =
                        task.scopes.iter().filter_map(|(kinds, node)| Some((*kinds, self.graph.placement(*node)?)));
                    let joints = Joints { scopes: on.collect() };
                    place(&task, &mut content[*number], (&placement, &joints), &self.schema, &mut complain)
                }
            }
            self.diagnostics.extend(complaints);
        }
    }

    /// Adds an item to a table of the model; returns its path and its number there.
    fn push(&mut self, table: &str, item: Value, part: usize, local: String) -> (String, usize) {
        let items = self.model.entry(table).or_insert(json!([]));
        let number = items.as_array().map_or(0, Vec::len);
        let path = format!("{table}[{number}]");
        items.as_array_mut().into_iter().for_each(|items| items.push(item.clone()));
        self.source.add_item(path.clone(), part, local);
        (path, number)
    }
}

/// Keys with arrays whose entries name joints.
const LISTS: [&str; 2] = ["drives", "coordinates"];
/// Mirrors, moves and turns an item of the model.
fn place(
    task: &Task,
    item: &mut Value,
    (placement, joints): (&Placement, &Joints),
    schema: &Value,
    complain: &mut Complain,
) {
    let table = task.table.as_str();
    let mut wrapped = json!({ table: [item.take()] });
    let skip = table.len() + "[0].".len();
    visit(schema, &mut wrapped, &mut |leaf, _, key, value| {
        if leaf == Leaf::Place && value.is_array() {
            placement.place(&key[skip..], value, complain);
        }
    });
    *item = wrapped[table][0].take();
    let Some(item) = item.as_object_mut() else { return };
    let Some(local) = task.local else { return placement.change(table, item, joints, complain) };
    // Joints by the names in the file; the items contain the names of the model.
    let mut named = local.as_object().cloned().unwrap_or_default();
    named.retain(|key, _| matches!(key.as_str(), "joint" | "pinion" | "rack"));
    let names: Vec<(String, Value)> =
        named.into_iter().filter_map(|(key, value)| Some((key.clone(), item.insert(key, value)?))).collect();
    let meant = LISTS.map(|list| exchange_joints(item.get_mut(list), joints_in(&local[list])));
    placement.change(table, item, joints, complain);
    LISTS.iter().zip(meant).for_each(|(list, names)| drop(exchange_joints(item.get_mut(*list), names)));
    item.extend(names);
}

/// The joints that the entries of an array name.
fn joints_in(entries: &Value) -> Vec<Value> {
    entries.as_array().into_iter().flatten().map(|entry| entry["joint"].clone()).collect()
}

/// Replaces the names of joints in the entries of an array; returns the previous names.
fn exchange_joints(entries: Option<&mut Value>, names: Vec<Value>) -> Vec<Value> {
    let entries = entries.and_then(Value::as_array_mut).into_iter().flatten();
    entries.zip(names).map(|(entry, name)| std::mem::replace(&mut entry["joint"], name)).collect()
}
