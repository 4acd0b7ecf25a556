//! Subassemblies and frames: replaces `[[use]]` by the tables of the files that it names, and converts all values to W.
//!
//! Every file is read once and added to the model once for every use, followed by the uses in it. Names get the
//! prefixes of all uses around them (`names`), and parameters of the file become numbers or parameters of the model.
//! The geometry is mirrored, moved and turned ([`mirror`]) when all frames are placed ([`frames`]). Validation,
//! compilation and FMU use one flat model. The [`Source`] of the model maps its items to their files.

mod frames;
pub mod mirror;
mod names;

use super::files::Files;
use super::outputs::wrong_words;
use super::schema::{Assembly, Frame, JointKind, Model, Number, Parameter, Use, Vector};
use super::{Diagnostic, Source, validate};
use crate::document::nearest::did_you_mean;
use crate::document::{self, Reading};
use crate::geometry::{Field, Item, Namespace, View};
use frames::{Graph, WORLD};
use mirror::{Joints, Placement};
use names::{Definitions, Scope};
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
    let mut definitions = Definitions::of(&mut reading.value);
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
        model: &mut reading.value,
        origin: source.clone(),
        source,
        replaced: Vec::new(),
        diagnostics: Vec::new(),
        counts,
        graph: Graph::new(),
        frames: 0,
        uses: uses.len(),
        points: Vec::new(),
        tasks: Vec::new(),
    };
    expansion.of_model(&definitions, &reading.replaced);
    for (index, (use_, child)) in uses.iter().zip(&children).enumerate() {
        let Some(child) = child else { continue };
        let (origin, path) = (expansion.origin.clone(), format!("use[{index}]"));
        let around: Scopes = Rc::new([(String::new(), &definitions.kinds, WORLD)]);
        expansion.add(child, use_, &Site { source: &origin, index, path, chain: "" }, &scope, &around);
    }
    let missing = |path: &String| path.starts_with("frame") || path.starts_with("use");
    let complete = !reading.replaced.iter().chain(&expansion.replaced).any(missing);
    expansion.place(complete);
    reading.source = expansion.source;
    reading.replaced.extend(expansion.replaced);
    reading.diagnostics.0.extend(expansion.diagnostics);
}

/// A parsed file, with the files it uses.
struct File {
    path: String,
    source: Arc<Source>,
    /// Its tables, without `use` and `parameter`.
    tables: Box<Model>,
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
        let Some(mut file) = self.parse(key, path, source, HINT)? else {
            self.known.insert(path.to_string(), None);
            return None;
        };
        chain.push(path.to_string());
        let children = self.uses(&file.uses, &file.source, &file.replaced, chain);
        chain.pop();
        file.children = children;
        let file = self.close(file);
        self.known.insert(path.to_string(), file.clone());
        file
    }

    /// Content of a file without the files it uses; `None` if it cannot be read, and `Some(None)` if it has errors. Not
    /// inlined: the recursion over files must not hold this memory.
    #[inline(never)]
    fn parse(&mut self, key: &str, path: &str, source: &Source, hint: &str) -> Option<Option<Box<File>>> {
        // A file that cannot be read is reported where it is used.
        let shown = self.files.shown(path);
        let reading = match self.files.read_utf8(source, key, path, hint) {
            Ok(text) => document::read::<Assembly>(text, &shown),
            Err(complaint) => {
                self.diagnostics.push(complaint);
                return None;
            }
        };
        let Reading { value: Assembly(mut tables), source, replaced, mut diagnostics } = match reading {
            Ok(reading) => reading,
            Err(mut inside) => {
                self.diagnostics.append(&mut inside.0);
                return Some(None);
            }
        };
        // Unknown output words and wrong parameters are reported, but reading continues.
        wrong_words::suggest(&tables.outputs, &mut diagnostics.0);
        self.diagnostics.append(&mut diagnostics.0);
        // Definitions are needed to resolve names with prefixes.
        let definitions = Definitions::of(&mut tables);
        let (uses, parameters) = (std::mem::take(&mut tables.uses), std::mem::take(&mut tables.parameters));
        let wrong = validate::validate_parameters(&parameters, &source, &replaced);
        self.broken |= !wrong.is_empty();
        self.diagnostics.extend(wrong);
        let (path, source, children) = (path.to_string(), Arc::new(source), Vec::new());
        let uses_in_all = 0;
        Some(Some(Box::new(File {
            path,
            source,
            tables,
            parameters,
            replaced,
            uses,
            children,
            definitions,
            uses_in_all,
        })))
    }

    /// Counts the uses of a file and adds the definitions of the files it uses.
    #[inline(never)]
    fn close(&mut self, mut file: Box<File>) -> Option<Rc<File>> {
        let Some(uses_inside) = uses_in(&file.children) else {
            let found = format!("the model has more than {MAX_USES} uses, including the uses in subassemblies");
            self.diagnostics.push(file.source.at("use", found, format!("a model has at most {MAX_USES}")));
            return None;
        };
        file.uses_in_all = 1 + uses_inside;
        let File { uses, children, definitions, .. } = &mut *file;
        for (use_, child) in uses.iter().zip(children) {
            child.iter().for_each(|child| definitions.add(&child.definitions, &use_.prefix));
        }
        Some(Rc::from(file))
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

/// An item that is placed once the placement of its node is computed.
struct Task<'f> {
    /// Index of its table among the fields of the model, and its number there.
    table: usize,
    number: usize,
    node: usize,
    scopes: Scopes<'f>,
}

/// The file of an item, then the files around it: prefix, kinds of the joints by their names in the file, and node.
type Scopes<'f> = Rc<[(String, &'f HashMap<String, JointKind>, usize)]>;

/// The model under construction.
struct Expansion<'f> {
    model: &'f mut Model,
    /// Source of the model file alone.
    origin: Source,
    source: Source,
    replaced: Vec<String>,
    diagnostics: Vec<Diagnostic>,
    /// Number of uses of each file.
    counts: HashMap<String, usize>,
    graph: Graph,
    /// Number of frames and uses so far.
    frames: usize,
    uses: usize,
    /// Points and items that are to be placed, by their nodes.
    points: Vec<(String, usize)>,
    tasks: Vec<Task<'f>>,
}

/// The number of items in a table of the model.
fn count(field: &mut Field) -> usize {
    if let View::List(items) = field.value.view() { items.count() } else { 0 }
}

/// Removes the frame of an item.
fn take_frame(item: &mut dyn Item) -> Option<String> {
    let frame = item.fields().into_iter().find(|field| field.key == "in")?;
    let View::Text(name) = frame.value.view() else { return None };
    let name = std::mem::take(name);
    frame.value.clear();
    Some(name)
}

impl<'f> Expansion<'f> {
    /// Adds the frames of the model file, and the items given in frames there.
    fn of_model(&mut self, definitions: &'f Definitions, replaced: &[String]) {
        let scopes: Scopes = Rc::new([(String::new(), &definitions.kinds, WORLD)]);
        let frames = std::mem::take(&mut self.model.frames);
        if !frames.is_empty() {
            let part = self.source.add_part(Arc::new(self.origin.clone()), String::new());
            self.frames(frames, part, "", WORLD, replaced);
        }
        for (table, field) in self.model.fields().into_iter().enumerate() {
            let View::List(items) = field.value.view() else { continue };
            items.each(|number, view| {
                let View::Table(item) = view else { return };
                let Some(name) = take_frame(item) else { return };
                let path = format!("{}[{number}]", field.key);
                if !replaced.iter().any(|key| key.starts_with(&path)) {
                    let node = self.graph.add(WORLD, Some((name, path + ".in")), Placement::IDENTITY);
                    self.tasks.push(Task { table, number, node, scopes: Rc::clone(&scopes) });
                }
            });
        }
    }

    /// Adds the frames of a file, with their points. `node`: the node of the file.
    fn frames(&mut self, frames: Vec<Frame>, part: usize, prefix: &str, node: usize, replaced: &[String]) {
        for (index, frame) in frames.into_iter().enumerate() {
            let local = format!("frame[{index}]");
            let path = format!("frame[{}]", self.frames);
            self.frames += 1;
            self.source.add_item(path.clone(), part, local.clone());
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
            self.points(frame.points, &format!("{local}.points"), part, prefix, node);
        }
    }

    /// Adds one use of a file, and the uses in it. `around` is the file with the use, and the files around it.
    fn add(&mut self, file: &'f File, use_: &Use, site: &Site, outer: &Scope, around: &Scopes<'f>) {
        // The chain of uses is added to messages only if the file is used more than once.
        let (line, _) = site.source.position(&format!("use[{}]", site.index));
        let chain = format!("{}:{line}{}", site.source.file, site.chain);
        let note = if self.counts[&file.path] > 1 { format!(" (used at {chain})") } else { String::new() };
        let part = self.source.add_part(Arc::clone(&file.source), note);
        // Prefixes of nested uses are concatenated.
        let prefix = format!("{}{}", outer.prefix, use_.prefix);
        let bodies = &use_.bodies;
        let mut scope =
            Scope { outer: Some(outer), defined: &file.definitions, prefix, parameters: HashMap::new(), bodies };
        self.parameters(file, use_, site, outer, part, &mut scope);
        // Placement of the instance in the graph of frames: mirror, translation and enclosing frame.
        let named = |name: &String| (outer.resolve(Namespace::Frames, name), format!("{}.in", site.path));
        let inside = use_.inside.as_ref().map(named);
        let node = self.graph.add(around[0].2, inside, Placement::of_use(use_.mirror, use_.translate));
        let own = (scope.prefix.clone(), &file.definitions.kinds, node);
        let scopes: Scopes = std::iter::once(own).chain(around.iter().cloned()).collect();
        // Every instance has its own copy with renamed items.
        let mut tables = file.tables.clone();
        scope.rename(&mut *tables);
        self.points(std::mem::take(&mut tables.points), "points", part, &scope.prefix, node);
        self.frames(std::mem::take(&mut tables.frames), part, &scope.prefix, node, &file.replaced);
        self.items(tables, file, part, &scopes);
        let items: Vec<&String> = file.replaced.iter().filter(|path| !path.contains('.')).collect();
        self.replaced.extend(items.into_iter().cloned());
        // Files that this file uses are added with this scope around them.
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
            // The instance replaces the value of the parameter by a number or by a parameter of the outer file.
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
                    let known: Vec<&str> = self.model.parameters.iter().map(|known| known.name.as_str()).collect();
                    match &meaning {
                        Number::Parameter(full) if !known.contains(&full.as_str()) => {
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
            // Tunable parameters remain variables with the prefix of the instance; fixed ones become numbers.
            if parameter.tunable {
                parameter.name = format!("{}{}", scope.prefix, parameter.name);
                let path = format!("parameter[{}]", self.model.parameters.len());
                self.source.add_item(path, part, format!("parameter[{index}]"));
                self.model.parameters.push(parameter);
            } else {
                scope.parameters.insert(parameter.name, parameter.value.into());
            }
        }
    }

    /// Adds the points of a table, which is at `local` in its file.
    fn points(&mut self, points: BTreeMap<String, Vector>, local: &str, part: usize, prefix: &str, node: usize) {
        for (name, point) in points {
            let full = format!("{prefix}{name}");
            let item = format!("points.{full}");
            let taken = self.model.points.contains_key(&full);
            let earlier = self.source.item_with_line(&item, &item);
            self.source.add_item(item.clone(), part, format!("{local}.{name}"));
            if taken {
                let found = format!("the name \"{full}\" is already taken by {earlier}");
                self.diagnostics.push(self.source.at(item, found, "choose another name, or another prefix"));
                continue;
            }
            self.model.points.insert(full.clone(), point);
            self.points.push((full, node));
        }
    }

    /// Adds the items of a file whose node is in the first of `scopes`.
    fn items(&mut self, mut tables: Box<Model>, file: &File, part: usize, scopes: &Scopes<'f>) {
        let node = scopes[0].2;
        for (table, (into, from)) in self.model.fields().iter_mut().zip(tables.fields()).enumerate() {
            let (key, present) = (into.key, count(into));
            let View::List(items) = from.value.view() else { continue };
            items.each(|index, view| {
                let View::Table(item) = view else { return };
                let local = format!("{key}[{index}]");
                let number = present + index;
                let path = format!("{key}[{number}]");
                self.source.add_item(path.clone(), part, local.clone());
                let inside = take_frame(item);
                let inside_file = file.replaced.iter().filter_map(|key| key.strip_prefix(&local));
                self.replaced.extend(inside_file.map(|rest| format!("{path}{rest}")));
                if file.replaced.iter().any(|key| key.starts_with(&local)) {
                    return;
                }
                let node = match inside {
                    Some(name) => self.graph.add(node, Some((name, path + ".in")), Placement::IDENTITY),
                    None => node,
                };
                self.tasks.push(Task { table, number, node, scopes: Rc::clone(scopes) });
            });
            into.value.append(from.value);
        }
    }

    /// Mirrors, moves and turns all points and items that are to be placed. `complete`: all files and frames could be
    /// read.
    fn place(&mut self, complete: bool) {
        self.diagnostics.extend(self.graph.solve(&self.source, complete));
        let (source, diagnostics) = (&mut self.source, &mut self.diagnostics);
        for (name, node) in &self.points {
            let (Some(placement), Some(point)) = (self.graph.placement(*node), self.model.points.get_mut(name)) else {
                continue;
            };
            if placement != Placement::IDENTITY {
                source.place_item(format!("points.{name}"), placement.into());
            }
            placement.place_point("", point, &mut |key, found, expected| {
                diagnostics.push(source.at(format!("points.{name}{key}"), found, expected));
            });
        }
        let mut tables = self.model.fields();
        for task in &self.tasks {
            let (Some(placement), table) = (self.graph.placement(task.node), &mut tables[task.table]) else { continue };
            let path = format!("{}[{}]", table.key, task.number);
            if placement != Placement::IDENTITY {
                source.place_item(path.clone(), placement.into());
            }
            let View::List(items) = table.value.view() else { continue };
            let Some(View::Table(item)) = items.get(task.number) else { continue };
            let on = task.scopes.iter();
            let on =
                on.filter_map(|(prefix, kinds, node)| Some((prefix.as_str(), *kinds, self.graph.placement(*node)?)));
            let joints = Joints { scopes: on.collect() };
            placement.place(item, &joints, &mut |key, found, expected| {
                let dot = if key.is_empty() { "" } else { "." };
                diagnostics.push(source.at(format!("{path}{dot}{key}"), found, expected));
            });
        }
    }
}
