//! XML files as elements with line numbers, and a record of the attributes that were read.
//!
//! Every attribute and element that is read is marked. [`Files::note_unread`] lists the unmarked ones at the end, so
//! that nothing of a file is dropped silently.

use ballesta::document::{Diagnostic, Diagnostics, file, text_of, whole_file};
use std::cell::{Cell, RefCell};
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

/// Largest nesting depth of elements.
const MAX_DEPTH: usize = 200;
/// Largest number of faults; a file with more is probably of another kind.
const MAX_FAULTS: usize = 1000;
/// Largest size of a file in bytes; the largest robots have a few million.
const MAX_FILE_BYTES: usize = 64_000_000;
/// Largest number of files.
const MAX_FILES: usize = 200;

/// Largest number of prefixes without a declaration.
const MAX_PREFIXES: usize = 20;
/// Prefix of macros.
const XACRO: &str = "xacro";

/// Position in a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct XmlPosition {
    /// Index of the file in [`Files`].
    file: usize,
    /// Line, from 1.
    pub line: usize,
    /// Column, from 1, in characters.
    column: usize,
}

/// The files read, their faults, and notes about parts that are not imported.
#[derive(Default)]
pub struct Files {
    paths: RefCell<Vec<PathBuf>>,
    wrong: RefCell<Vec<Diagnostic>>,
    /// Parts that are not imported, with their lines.
    notes: RefCell<BTreeSet<(XmlPosition, String)>>,
}

impl XmlPosition {
    /// Number of the file, in the order of reading.
    pub fn file(self) -> usize {
        self.file
    }
}

/// `name="value"`.
#[derive(Clone)]
struct Attribute {
    name: String,
    value: String,
    place: XmlPosition,
    read: Cell<bool>,
}

/// An element with its children.
#[derive(Clone)]
pub struct Element {
    /// Its tag, without a prefix.
    pub name: String,
    /// Its tag for messages, with the prefix of its namespace.
    tag: String,
    /// The text at its beginning.
    pub content: String,
    attributes: Vec<Attribute>,
    /// In the order of the file.
    pub children: Vec<Element>,
    /// Position of its `<`.
    pub place: XmlPosition,
    read: Cell<bool>,
}

impl Files {
    /// Reads a file.
    ///
    /// # Errors
    /// A file that cannot be read, is not XML, or is nested too deeply.
    pub fn read(&self, path: &Path) -> Result<Element, Diagnostics> {
        let shown = path.display().to_string();
        let number = self.paths.borrow().len();
        if number >= MAX_FILES {
            return Err(whole_file(
                shown,
                format!("more than {MAX_FILES} files"),
                "check for a file that includes itself",
            ));
        }
        self.paths.borrow_mut().push(path.to_path_buf());
        let text = text_of(path, "a file in URDF or MJCF")?;
        if text.len() > MAX_FILE_BYTES {
            let found = format!("the file has {} bytes", text.len());
            return Err(whole_file(shown, found, format!("robot files have at most {MAX_FILE_BYTES} bytes")));
        }
        let mut text = without_dashes(without_declaration(text.strip_prefix('\u{feff}').unwrap_or(&text)));
        let mut undeclared = Vec::new();
        while let Err(roxmltree::Error::UnknownNamespace(prefix, _)) = roxmltree::Document::parse(&text)
            && prefix != XACRO
            && undeclared.len() < MAX_PREFIXES
            && let Some(end) = root_tag_end(&text)
        {
            text.insert_str(end, &format!(" xmlns:{prefix}=\"undeclared:{prefix}\""));
            undeclared.push(prefix);
        }
        let rest = text_after_root(&text);
        let document = roxmltree::Document::parse(&text[..text.len() - rest]).map_err(|error| {
            let (at, message) = (error.pos(), error.to_string());
            // The crate appends the position to its messages.
            let found = message.rsplit_once(" at ").map_or(message.as_str(), |(what, _)| what).to_string();
            let expected = match &error {
                roxmltree::Error::UnknownNamespace(prefix, _) if prefix == XACRO => {
                    "run xacro first: `xacro robot.xacro > robot.urdf`"
                }
                _ if !text.trim_start().starts_with('<') => "expected an XML file, which begins with <",
                _ => "expected an XML file in URDF or MJCF",
            };
            let (line, column) = (at.row as usize, at.col as usize);
            Diagnostics(vec![Diagnostic {
                file: shown.clone(),
                line,
                column,
                key: String::new(),
                found,
                expected: expected.into(),
            }])
        })?;
        let element = element(&document, document.root_element(), number, 0).map_err(|place| {
            let found = format!("elements are nested more than {MAX_DEPTH} deep");
            Diagnostics(vec![self.diagnostic(place, "", found, "expected a robot description")])
        })?;
        if rest > 0 {
            self.note(element.place, "text after the end of the robot");
        }
        undeclared.iter().for_each(|prefix| self.note(element.place, format!("prefix {prefix} is not declared")));
        Ok(element)
    }

    /// Number of files that were read.
    pub fn count(&self) -> usize {
        self.paths.borrow().len()
    }

    /// Base folder of relative paths in the file of `place`.
    pub fn folder(&self, place: XmlPosition) -> PathBuf {
        self.folder_of(place.file)
    }

    /// Folder of the file with this number.
    pub fn folder_of(&self, file: usize) -> PathBuf {
        self.paths.borrow()[file].parent().unwrap_or(Path::new("")).to_path_buf()
    }

    /// The bytes of a file, at most 64 MB, the limit for meshes.
    pub fn bytes(path: &Path) -> std::io::Result<Vec<u8>> {
        file::read_within(path, 64_000_000)
    }

    /// An error at a position.
    pub fn diagnostic(&self, place: XmlPosition, key: &str, found: String, expected: &str) -> Diagnostic {
        let file = self.paths.borrow()[place.file].display().to_string();
        let (line, column) = (place.line, place.column);
        Diagnostic { file, line, column, key: key.into(), found, expected: expected.into() }
    }

    /// Adds a fault.
    pub fn wrong(&self, place: XmlPosition, key: &str, found: impl Into<String>, expected: &str) {
        let diagnostic = self.diagnostic(place, key, found.into(), expected);
        // Defaults are read by the elements that use them.
        let mut wrong = self.wrong.borrow_mut();
        if wrong.len() < MAX_FAULTS && !wrong.contains(&diagnostic) {
            wrong.push(diagnostic);
        }
    }

    /// Adds a note about a part that is not imported: name, and reason or replacement.
    pub fn note(&self, place: XmlPosition, what: impl Into<String>) {
        self.notes.borrow_mut().insert((place, what.into()));
    }

    /// Adds notes about all unread elements and attributes.
    pub fn note_unread(&self, element: &Element) {
        if !element.read.get() {
            return self.note(element.place, format!("<{}>", element.tag));
        }
        for attribute in element.attributes.iter().filter(|attribute| !attribute.read.get()) {
            self.note(attribute.place, format!("{} of <{}>", attribute.name, element.name));
        }
        element.children.iter().for_each(|child| self.note_unread(child));
    }

    /// Parts that are not imported: each once, with the files and lines of all its occurrences.
    pub fn notes(&self) -> Vec<String> {
        let mut grouped: Vec<(String, Vec<XmlPosition>)> = Vec::new();
        for (place, what) in self.notes.borrow().iter() {
            match grouped.iter_mut().find(|(other, _)| other == what) {
                Some((_, places)) => places.push(*place),
                None => grouped.push((what.clone(), vec![*place])),
            }
        }
        let paths = self.paths.borrow();
        let told = grouped.into_iter().map(|(what, places)| {
            let mut text = String::new();
            let mut file = usize::MAX;
            let mut line = 0;
            for place in places {
                if place.file != file {
                    let name = paths[place.file].file_name().unwrap_or_default().display().to_string();
                    text += &format!("{}{name}:{}", if file == usize::MAX { "" } else { "; " }, place.line);
                } else if place.line != line {
                    text += &format!(", {}", place.line);
                }
                (file, line) = (place.file, place.line);
            }
            format!("{text}: {what}")
        });
        told.collect()
    }

    /// All faults.
    ///
    /// # Errors
    /// If there are faults.
    pub fn check(&self) -> Result<(), Diagnostics> {
        Diagnostics(self.wrong.borrow().clone()).into_result(())
    }
}

/// The text with spaces instead of an XML declaration, which XML forbids after spaces and empty lines.
fn without_declaration(text: &str) -> String {
    let declaration = text.find("<?xml ").filter(|start| text[..*start].trim().is_empty());
    let Some((start, end)) = declaration.and_then(|start| Some((start, text.find("?>")? + 2))) else {
        return text.to_string();
    };
    let blank: String = text[start..end].chars().map(|c| if c == '\n' { c } else { ' ' }).collect();
    format!("{}{blank}{}", &text[..start], &text[end..])
}

/// The text with spaces instead of pairs of dashes in comments, which XML forbids.
fn without_dashes(mut text: String) -> String {
    let mut from = 0;
    while let Some(start) = text[from..].find("<!--").map(|at| from + at + 4) {
        let Some(end) = text[start..].find("-->").map(|at| start + at) else { break };
        if text[start..end].contains("--") || text[start..end].ends_with('-') {
            let comment = text[start..end].replace('-', " ");
            text.replace_range(start..end, &comment);
        }
        from = end + 3;
    }
    text
}

/// Number of bytes after the first end tag of the root, if the text is XML without them.
fn text_after_root(text: &str) -> usize {
    if roxmltree::Document::parse(text).is_ok() {
        return 0;
    }
    let name = root_tag(text).map(|at| &text[at + 1..]).unwrap_or_default();
    let name = &name[..name.find(|c: char| !c.is_alphanumeric() && c != '_').unwrap_or(name.len())];
    let end = format!("</{name}>");
    let whole =
        text.find(&end).map(|at| at + end.len()).filter(|whole| roxmltree::Document::parse(&text[..*whole]).is_ok());
    whole.map_or(0, |whole| text.len() - whole)
}

/// Position of the root's start tag: the first tag outside of comments and declarations.
fn root_tag(text: &str) -> Option<usize> {
    let mut comment = false;
    for (at, _) in text.match_indices(['<', '-']) {
        let rest = &text[at..];
        comment = if comment { !rest.starts_with("-->") } else { rest.starts_with("<!--") };
        if !comment && rest.starts_with('<') && rest[1..].starts_with(|c: char| c.is_alphabetic() || c == '_') {
            return Some(at);
        }
    }
    None
}

/// Position of the end of the root's start tag, before `>` or `/>`.
fn root_tag_end(text: &str) -> Option<usize> {
    let start = root_tag(text)?;
    let mut quote = None;
    for (at, c) in text[start..].char_indices() {
        match (c, quote) {
            ('"' | '\'', None) => quote = Some(c),
            (c, Some(open)) if c == open => quote = None,
            ('>', None) => {
                let end = start + at;
                return Some(if text[..end].ends_with('/') { end - 1 } else { end });
            }
            _ => {}
        }
    }
    None
}

fn element(
    document: &roxmltree::Document,
    node: roxmltree::Node,
    file: usize,
    depth: usize,
) -> Result<Element, XmlPosition> {
    // Every element and attribute keeps its position for messages.
    let place_of = |offset: usize| {
        let position = document.text_pos_at(offset);
        XmlPosition { file, line: position.row as usize, column: position.col as usize }
    };
    let place = place_of(node.range().start);
    // A depth limit protects the stack.
    if depth > MAX_DEPTH {
        return Err(place);
    }
    let attribute = |attribute: roxmltree::Attribute| Attribute {
        name: attribute.name().to_string(),
        value: attribute.value().trim().to_string(),
        place: place_of(attribute.range().start),
        read: Cell::new(false),
    };
    let children = node.children().filter(|child| child.is_element());
    // The tag keeps the prefix of its namespace, the name does not.
    let name = node.tag_name().name();
    let prefix = node.tag_name().namespace().and_then(|namespace| node.lookup_prefix(namespace));
    Ok(Element {
        name: name.to_string(),
        tag: prefix.map_or(name.to_string(), |prefix| format!("{prefix}:{name}")),
        content: node.text().unwrap_or_default().trim().to_string(),
        attributes: node.attributes().map(attribute).collect(),
        children: children.map(|child| element(document, child, file, depth + 1)).collect::<Result<_, _>>()?,
        place,
        read: Cell::new(false),
    })
}

impl Element {
    /// A read element with attributes, in place of another.
    pub fn new(name: &str, place: XmlPosition, attributes: &[(&str, String)], children: Vec<Element>) -> Element {
        let attribute = |(name, value): &(&str, String)| Attribute {
            name: name.to_string(),
            value: value.clone(),
            place,
            read: Cell::new(true),
        };
        Element {
            name: name.to_string(),
            tag: name.to_string(),
            content: String::new(),
            attributes: attributes.iter().map(attribute).collect(),
            children,
            place,
            read: Cell::new(true),
        }
    }

    /// Changes attributes of the element and its content. `change` gets tag, name and value, and returns a new value.
    pub fn edit(&mut self, change: &impl Fn(&str, &str, &str) -> Option<String>) {
        for attribute in &mut self.attributes {
            if let Some(value) = change(&self.name, &attribute.name, &attribute.value) {
                attribute.value = value;
            }
        }
        self.children.iter_mut().for_each(|child| child.edit(change));
    }

    /// Number of elements at and below this one.
    pub fn count(&self) -> usize {
        1 + self.children.iter().map(Element::count).sum::<usize>()
    }

    /// Whether an attribute of the element or its content satisfies `test`, of name and value.
    pub fn has_attribute(&self, test: &impl Fn(&str, &str) -> bool) -> bool {
        self.attributes.iter().any(|attribute| test(&attribute.name, &attribute.value))
            || self.children.iter().any(|child| child.has_attribute(test))
    }

    /// The values of the attribute `name` of the element and its content.
    pub fn values(&self, name: &str, found: &mut Vec<String>) {
        found.extend(self.attributes.iter().filter(|other| other.name == name).map(|other| other.value.clone()));
        self.children.iter().for_each(|child| child.values(name, found));
    }

    /// Gives the element an attribute, or replaces its value.
    pub fn set(&mut self, name: &str, value: String) {
        match self.attributes.iter_mut().find(|attribute| attribute.name == name) {
            Some(attribute) => attribute.value = value,
            None => {
                let (name, place) = (name.to_string(), self.place);
                self.attributes.push(Attribute { name, value, place, read: Cell::new(true) });
            }
        }
    }

    /// Marks the element as read, without its content.
    pub fn mark(&self) -> &Element {
        self.read.set(true);
        self
    }

    /// Marks the element and its content as read, because one note covers all of it.
    pub fn mark_all(&self) {
        self.mark();
        self.attributes.iter().for_each(|attribute| attribute.read.set(true));
        self.children.iter().for_each(Element::mark_all);
    }

    fn attribute(&self, name: &str) -> Option<&Attribute> {
        self.attributes.iter().find(|attribute| attribute.name == name).inspect(|found| found.read.set(true))
    }

    /// Children with this tag.
    pub fn all<'e>(&'e self, name: &'e str) -> impl Iterator<Item = &'e Element> {
        self.children.iter().filter(move |child| child.name == name).map(Element::mark)
    }

    /// The child with this tag; the first if there are several.
    pub fn child(&self, name: &str) -> Option<&Element> {
        self.children.iter().find(|child| child.name == name).map(Element::mark)
    }

    /// The text of an attribute.
    pub fn text(&self, name: &str) -> Option<&str> {
        self.attribute(name).map(|attribute| attribute.value.as_str())
    }

    /// Position of an attribute, or of the element.
    pub fn place_of(&self, name: &str) -> XmlPosition {
        self.attribute(name).map_or(self.place, |attribute| attribute.place)
    }

    /// An attribute in messages.
    pub fn key(&self, name: &str) -> String {
        format!("{}.{name}", self.name)
    }

    /// The text of an attribute that is required.
    pub fn needed(&self, files: &Files, name: &str) -> Option<&str> {
        let found = self.text(name).filter(|text| !text.is_empty());
        if found.is_none() {
            let what = format!("<{}> has no {name}", self.name);
            files.wrong(self.place_of(name), &self.key(name), what, &format!("add the attribute {name}"));
        }
        found
    }

    /// All numbers of an attribute.
    pub fn list(&self, files: &Files, name: &str) -> Option<Vec<f64>> {
        // MuJoCo takes an empty attribute as absent.
        let attribute = self.attribute(name).filter(|attribute| !attribute.value.is_empty())?;
        let mut numbers = Vec::new();
        for word in attribute.value.split_whitespace() {
            match word.parse::<f64>() {
                Ok(number) if number.is_finite() => numbers.push(number),
                _ => {
                    let found = format!("\"{word}\" is not a finite number");
                    files.wrong(attribute.place, &self.key(name), found, "write finite numbers separated by spaces");
                    return None;
                }
            }
        }
        Some(numbers)
    }

    /// The N numbers of an attribute.
    pub fn numbers<const N: usize>(&self, files: &Files, name: &str) -> Option<[f64; N]> {
        let numbers = self.list(files, name)?;
        let array = <[f64; N]>::try_from(numbers).map_err(|numbers| {
            let (found, expected) = (count(numbers.len()), count(N));
            files.wrong(self.place_of(name), &self.key(name), found, &format!("write {expected}"));
        });
        array.ok()
    }

    /// The number of an attribute.
    pub fn number(&self, files: &Files, name: &str) -> Option<f64> {
        self.numbers::<1>(files, name).map(|[number]| number)
    }

    /// The number of an attribute, which may be infinite.
    pub fn number_or_infinity(&self, files: &Files, name: &str) -> Option<f64> {
        let value = self.text(name)?.parse().ok().filter(|value: &f64| value.is_infinite());
        value.or_else(|| self.number(files, name))
    }

    /// Removes and returns its children.
    pub fn take_children(&mut self) -> Vec<Element> {
        std::mem::take(&mut self.children)
    }
}

fn count(n: usize) -> String {
    format!("{n} number{}", if n == 1 { "" } else { "s" })
}
