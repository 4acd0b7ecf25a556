//! Defaults: nested classes with attributes per kind of element.

use super::expand::Attached;
use crate::xml::{Element, Files, XmlPosition};
use std::cell::RefCell;
use std::collections::BTreeSet;
use std::ops::Range;

/// A class of `<default>`.
pub struct Class<'e> {
    name: String,
    /// Index of the enclosing class.
    parent: Option<usize>,
    element: &'e Element,
}

/// All classes.
#[derive(Default)]
pub struct Defaults<'e> {
    classes: Vec<Class<'e>>,
    /// Number of the class of elements without a class.
    main: Option<usize>,
    /// Files of attached models, and the number of the class of their elements without a class.
    attached: Vec<(Range<usize>, Option<usize>)>,
    /// Positions of the elements whose attributes were used.
    used: RefCell<BTreeSet<XmlPosition>>,
}

/// Actuators of all shortcuts have one set of defaults.
const ACTUATORS: [&str; 9] =
    ["general", "motor", "position", "velocity", "intvelocity", "damper", "cylinder", "muscle", "adhesion"];

impl<'e> Defaults<'e> {
    /// Classes of the sections `<default>` of a file.
    pub fn new(root: &'e Element, attached: &[Attached], files: &Files) -> Defaults<'e> {
        let mut defaults = Defaults::default();
        let is_attached = |element: &Element| attached.iter().any(|model| model.files.contains(&element.place.file()));
        for element in root.all("default") {
            let name = element.text("class").unwrap_or("main").to_string();
            // Further sections of the main file belong to the first one; sections of one name are merged.
            let parent = defaults.main.filter(|_| !is_attached(element));
            if parent.is_none() && !is_attached(element) {
                defaults.main = Some(defaults.classes.len());
            }
            defaults.add(name, parent, element, files);
        }
        let number = |model: &Attached| defaults.classes.iter().position(|class| class.name == model.class);
        defaults.attached = attached.iter().map(|model| (model.files.clone(), number(model))).collect();
        defaults
    }

    /// The class of an element without a class.
    fn usual(&self, element: &Element) -> Option<usize> {
        let file = element.place.file();
        let of_model = self.attached.iter().find(|(files, _)| files.contains(&file));
        of_model.map_or(self.main, |(_, number)| *number)
    }

    fn add(&mut self, name: String, parent: Option<usize>, element: &'e Element, files: &Files) {
        let number = self.classes.len();
        self.classes.push(Class { name, parent, element });
        for child in &element.children {
            child.mark();
            if child.name == "default"
                && let Some(name) = child.needed(files, "class")
            {
                self.add(name.to_string(), Some(number), child, files);
            }
        }
    }

    /// Marks defaults that no element used, so that their attributes are not listed.
    pub fn mark_unused(&self) {
        let used = self.used.borrow();
        let of_elements = self.classes.iter().flat_map(|class| &class.element.children);
        let unused = of_elements.filter(|element| element.name != "default" && !used.contains(&element.place));
        unused.for_each(Element::mark_all);
    }

    /// Whether there is a class of that name.
    pub fn has(&self, name: &str) -> bool {
        self.classes.iter().any(|class| class.name == name)
    }

    /// An element with the defaults of its class; `childclass` applies if it names no class.
    pub fn of<'d>(&'d self, files: &'d Files, element: &'e Element, childclass: Option<&str>) -> Spec<'d> {
        self.of_tag(files, element, childclass, &element.name)
    }

    /// As [`Self::of`], for elements whose defaults have another tag.
    pub fn of_tag<'d>(
        &'d self,
        files: &'d Files,
        element: &'e Element,
        childclass: Option<&str>,
        tag: &str,
    ) -> Spec<'d> {
        element.mark();
        let own = element.text("class");
        let wanted = own.or(childclass);
        let mut number = wanted.and_then(|name| self.classes.iter().position(|class| class.name == name));
        if let (Some(name), None) = (wanted, number) {
            let found = format!("there is no class \"{name}\"");
            files.wrong(element.place_of("class"), &element.key("class"), found, "name a class defined in <default>");
        }
        number = number.or_else(|| self.usual(element));
        let tags: &[&str] = if ACTUATORS.contains(&tag) { &ACTUATORS } else { &[tag] };
        let mut sources = vec![element];
        let mut levels = vec![0];
        let mut level = 0;
        while let Some(at) = number {
            let class = &self.classes[at];
            level += 1;
            // Sections of one name are one class; later sections and elements override earlier ones.
            for section in self.classes.iter().rev().filter(|section| section.name == class.name) {
                let same = section.element.children.iter().rev().filter(|e| tags.contains(&e.name.as_str()));
                sources.extend(same.inspect(|element| _ = self.used.borrow_mut().insert(element.place)));
                levels.resize(sources.len(), level);
            }
            number = class.parent;
        }
        Spec { element, sources, levels, files }
    }
}

/// An element with its defaults.
pub struct Spec<'d> {
    pub element: &'d Element,
    /// The element, then its class, then the enclosing classes.
    sources: Vec<&'d Element>,
    /// Level of each source: 0 is the element, 1 its class, and so on.
    levels: Vec<usize>,
    pub files: &'d Files,
}

impl<'d> Spec<'d> {
    fn source(&self, name: &str) -> Option<&'d Element> {
        // All classes are read, so that no attribute is listed as unread.
        let having: Vec<&Element> = self.sources.iter().copied().filter(|e| e.text(name).is_some()).collect();
        having.first().copied()
    }

    /// As [`Self::source`], for numbers: MuJoCo takes an empty attribute as absent.
    fn numeric_source(&self, name: &str) -> Option<&'d Element> {
        self.source(name)?;
        self.sources.iter().copied().find(|element| element.text(name).is_some_and(|text| !text.is_empty()))
    }

    /// The element and the elements of its classes, by level: the outermost class first, the element itself last.
    pub fn levels(&self) -> Vec<Vec<&'d Element>> {
        let mut levels: Vec<Vec<&Element>> = Vec::new();
        let mut last = None;
        for (element, level) in self.sources.iter().zip(&self.levels).rev() {
            match levels.last_mut().filter(|_| last == Some(level)) {
                Some(same) => same.push(element),
                None => levels.push(vec![element]),
            }
            last = Some(level);
        }
        levels
    }

    /// Whether the attribute is given anywhere.
    pub fn has(&self, name: &str) -> bool {
        self.source(name).is_some()
    }

    pub fn text(&self, name: &str) -> Option<&'d str> {
        self.source(name)?.text(name)
    }

    pub fn numbers<const N: usize>(&self, name: &str) -> Option<[f64; N]> {
        self.numeric_source(name)?.numbers(self.files, name)
    }

    pub fn number(&self, name: &str) -> Option<f64> {
        self.numeric_source(name)?.number(self.files, name)
    }

    /// The first number of an attribute that must not be negative; 0 if it is not given or wrong.
    pub fn not_negative(&self, name: &str) -> f64 {
        let value = self.first(name).unwrap_or_default();
        if value < 0.0 {
            self.wrong(name, format!("{name} is {value}"), "give 0 or more");
            return 0.0;
        }
        value
    }

    /// The range of an active limit. `limited` names the attribute that activates it.
    pub fn limits(&self, limited: &str, range: &str, automatic: bool) -> Option<[f64; 2]> {
        let is_limited = self.is_limited(limited, range, automatic);
        let [lower, upper] = self.numbers::<2>(range).filter(|_| is_limited)?;
        if lower >= upper {
            let found = format!("the lower limit {lower} is not below the upper limit {upper}");
            self.wrong(range, found, "give two different numbers in ascending order");
            return None;
        }
        Some([lower, upper])
    }

    /// The first number of an attribute; further ones, of MuJoCo's polynomials, are listed unless they are 0.
    pub fn first(&self, name: &str) -> Option<f64> {
        let all = self.list(name)?;
        if all.iter().skip(1).any(|number| *number != 0.0) {
            self.note(name, format!("{name} of <{}>: only the linear term", self.element.name));
        }
        all.first().copied()
    }

    /// The numbers of an attribute. As in MuJoCo, the class gives the numbers that are missing at the end.
    pub fn list(&self, name: &str) -> Option<Vec<f64>> {
        let mut numbers = self.numeric_source(name)?.list(self.files, name)?;
        for element in &self.sources {
            let outer = element.list(self.files, name).unwrap_or_default();
            numbers.extend(outer.get(numbers.len()..).unwrap_or_default());
        }
        Some(numbers)
    }

    /// The numbers of an attribute of any length, which the class does not complete.
    pub fn whole_list(&self, name: &str) -> Option<Vec<f64>> {
        self.numeric_source(name)?.list(self.files, name)
    }

    /// The valid attribute among the mutually exclusive `names`: the attribute of the element, otherwise of its class.
    pub fn one_of<'n>(&self, names: &[&'n str]) -> Option<&'n str> {
        self.skip(names);
        self.sources.iter().find_map(|element| {
            let given: Vec<&'n str> = names.iter().copied().filter(|name| element.text(name).is_some()).collect();
            if let [first, _, ..] = given[..] {
                let found = format!("{} exclude each other", given.join(" and "));
                self.files.wrong(element.place_of(first), &element.key(first), found, "give one of them");
            }
            given.first().copied()
        })
    }

    /// Marks attributes without effect on the motion as read: attributes for pictures, groups and users.
    pub fn skip(&self, names: &[&str]) {
        for name in names {
            self.source(name);
        }
    }

    /// Lists the given attributes among `names` that are not zero, with the reason `why` that they are not imported.
    pub fn note_given(&self, names: &[&str], why: &str) {
        for name in names {
            let is_zero = |text: &str| text.split_whitespace().all(|word| word.parse() == Ok(0.0));
            if self.text(name).is_some_and(|text| !is_zero(text)) {
                self.note(name, format!("{name} of <{}>{why}", self.element.name));
            }
        }
    }

    pub fn place_of(&self, name: &str) -> XmlPosition {
        self.source(name).map_or(self.element.place, |element| element.place_of(name))
    }

    pub fn wrong(&self, name: &str, found: impl Into<String>, expected: &str) {
        self.files.wrong(self.place_of(name), &self.element.key(name), found, expected);
    }

    pub fn note(&self, name: &str, what: impl Into<String>) {
        self.files.note(self.place_of(name), what);
    }

    /// Whether a limit is active: the value of `name`, or for `auto` whether there is a range.
    pub fn is_limited(&self, name: &str, range: &str, automatic: bool) -> bool {
        match self.text(name) {
            Some("true") => true,
            Some("false") => {
                self.has(range);
                false
            }
            // An empty range means no limits: a class can thus remove the limits of another class.
            Some("auto") | None => match self.numbers::<2>(range) {
                Some([lower, upper]) => automatic && lower < upper,
                None => false,
            },
            Some(other) => {
                self.wrong(name, format!("\"{other}\" is not a valid value"), "write true, false or auto");
                false
            }
        }
    }
}
