//! Reads a study: its file, model and input files, all validated before any run.

use super::design::{Design, MAX_POINTS, MAX_STRATA};
use super::diagnostics::Check;
use super::files::Layout;
use super::keep::{self, MAX_NUMBERS, Trace};
use super::plan::{Factor, Levels, Study, Target};
use super::study_schema::{Sampling, StudyFile};
use super::table;
use super::vary;
use ballesta::compile;
use ballesta::document::{self, file, nearest::did_you_mean, text_of};
use ballesta::model::{Diagnostics, Document};
use ballesta::system::Interface;
use ballesta_files::failure::Failure;
use ballesta_files::kind::{self, Kind};
use ballesta_run::grid::Grid;
use ballesta_run::inputs::Inputs;
use ballesta_run::model::{self, Assignment};
use std::path::{Path, PathBuf};

/// Minimum number of blocks of a study with at least as many runs.
const BLOCKS: u64 = 128;
/// Maximum number of runs of a block.
const MAX_BLOCK_RUNS: u64 = 4096;
/// Maximum number of blocks if the file gives their size.
const MAX_BLOCKS: u64 = 1_000_000;
/// Maximum number of bytes of a block with more than one run.
const BLOCK_BYTES: u64 = 16 << 20;
/// Names of columns that every result has.
const TAKEN: [&str; 4] = ["run", "status", "reason", "exit_code"];

impl Study {
    /// Reads the study file `path` and all files that it names, except meshes of the model, which do not affect
    /// results.
    ///
    /// # Errors
    /// All faults of these files at once; an error of the file system for `path`.
    pub fn read(path: &Path) -> Result<Study, Failure> {
        file::open(path).map_err(|error| Failure::file("read", path, error))?;
        let shown = path.display().to_string();
        let refused = |wrong| kind::refused(path, Kind::Study, wrong);
        let text = text_of(path, "a study's file").map_err(refused)?;
        Study::parse(&text, &shown).map_err(refused)
    }

    /// Reads the text of a study file; `file` is its path, for relative paths and diagnostics.
    ///
    /// # Errors
    /// See [`Study::read`].
    pub fn parse(text: &str, file: &str) -> Result<Study, Diagnostics> {
        let reading = document::read::<StudyFile>(text, file)?;
        let mut check = Check::new(&reading.source, &reading.replaced);
        let folder = Path::new(file).parent().unwrap_or(Path::new("")).to_path_buf();
        let place = StudyFiles { folder, placed: vec![(PathBuf::from(file), text.as_bytes().to_vec())] };
        let study = Reader { place, file: reading.value }.study(&mut check);
        let mut diagnostics = reading.diagnostics;
        diagnostics.0.append(&mut check.finish().0);
        match study {
            Some(study) => diagnostics.into_result(study),
            None => diagnostics.into_result(()).and_then(|()| {
                // The checks should have reported a fault; this arm prevents a panic if they have not.
                Err(document::whole_file(file, "the study is incomplete", "see docs/study-format.md"))
            }),
        }
    }
}

/// Folder of the study file, and the files read so far with their paths.
struct StudyFiles {
    folder: PathBuf,
    placed: Vec<(PathBuf, Vec<u8>)>,
}

impl StudyFiles {
    /// Text of a file referenced by a key; the file is recorded as `path`.
    fn text(&mut self, key: &str, path: &str, what: &str, check: &mut Check) -> Option<String> {
        let place = self.folder.join(path);
        let bytes = match file::read(&place) {
            Ok(bytes) => bytes,
            Err(error) => {
                check.complain(key, format!("\"{path}\" cannot be read: {error}"), format!("name {what}"));
                return None;
            }
        };
        match String::from_utf8(bytes) {
            Ok(text) => {
                self.placed.push((place, text.as_bytes().to_vec()));
                Some(text)
            }
            Err(_) => {
                check.complain(key, format!("\"{path}\" is not UTF-8"), format!("name {what}, in UTF-8"));
                None
            }
        }
    }

    /// Absolute paths, used to find the common root.
    fn layout(self) -> std::io::Result<Layout> {
        let folder = match self.folder.as_os_str().is_empty() {
            true => PathBuf::from("."),
            false => self.folder.clone(),
        };
        let root = std::fs::canonicalize(folder)?;
        let absolute = |path: &Path| root.join(path.strip_prefix(&self.folder).unwrap_or(path));
        Ok(Layout::new(self.placed.iter().map(|(path, bytes)| (absolute(path), bytes.clone())).collect()))
    }
}

/// Whether a path relative to the study's folder is valid on every system, including other machines.
fn is_relative(path: &str) -> bool {
    !path.contains(['\\', ':', '\0']) && path.split('/').all(|part| !part.is_empty())
}

struct Reader {
    place: StudyFiles,
    file: StudyFile,
}

/// Model of a study, with the diagnostics of the model.
struct Subject {
    document: Document,
    interface: Interface,
    internal_step: f64,
    folder: String,
}

impl Reader {
    /// The study, if it is valid enough; `check` receives the faults.
    fn study(mut self, check: &mut Check) -> Option<Study> {
        let general = self.file.study.clone();
        let subject = self.model(check);
        let (names, factors) = self.factors(subject.as_ref(), check);
        let distributions = factors.iter().flatten().filter(|factor| factor.levels.crossed().is_none()).count();
        let points = self.points(distributions, check);
        let subject = subject?;
        let inputs = match &general.inputs {
            Some(path) => {
                let inputs = self.inputs("study.inputs", path, &subject.interface, check);
                self.chosen_twice(inputs.as_ref(), &names, &subject.interface, check);
                inputs
            }
            None => None,
        };
        self.scales(&factors, inputs.as_ref(), &subject.interface, check);
        let grid = self.grid(&subject, check)?;
        let (kept, traces) = keep::columns(&self.file.keep, &subject.interface, &grid, check);
        let numbers = kept.len() + traces.iter().map(Trace::points).sum::<usize>();
        let remembered = kept.iter().filter(|kept| matches!(kept.quantity, keep::Quantity::Percentile(_))).count();
        if numbers.saturating_add(remembered.saturating_mul(grid.intervals() + 1)) > MAX_NUMBERS {
            let found = format!("a run keeps or stores more than {MAX_NUMBERS} numbers");
            check.complain("keep", found, "use a larger `every`, a shorter window or a longer [study] step");
        }
        let factors: Vec<Factor> = factors.into_iter().collect::<Option<_>>()?;
        self.names(&factors, &kept, &traces, check);
        let points = points?;
        let cells = factors.iter().filter_map(|factor| factor.levels.crossed());
        let runs = cells.fold(points, u64::saturating_mul);
        if runs > MAX_POINTS {
            let found = format!("the combinations of all values exceed {MAX_POINTS} runs");
            check.complain("vary", found, "vary fewer quantities, or sample distributions instead of grids");
            return None;
        }
        if let Some(block) = general.block.filter(|block| *block < runs.div_ceil(MAX_BLOCKS)) {
            let expected = format!("write {} or more, or remove the key", runs.div_ceil(MAX_BLOCKS));
            check.complain("study.block", format!("found {block}"), expected);
        }
        if !check.is_clean() {
            return None;
        }
        let layout = match self.place.layout() {
            Ok(layout) => layout,
            Err(error) => {
                check.complain("study", format!("its folder cannot be found: {error}"), "give a file on a disk");
                return None;
            }
        };
        let sampling = general.sampling.unwrap_or(Sampling::Sobol);
        let design = Design::new(sampling, distributions, points, general.seed.unwrap_or(1));
        let constants = general.set.iter().map(|(name, value)| Assignment { name: name.clone(), value: *value });
        let mut study = Study {
            hash: layout.hash(),
            layout,
            document: subject.document,
            model_folder: subject.folder,
            grid,
            constants: constants.collect(),
            factors,
            points,
            runs,
            design,
            inputs,
            kept,
            traces,
            block: 1,
            file: self.file,
        };
        let largest = (BLOCK_BYTES / study.row_bytes()).clamp(1, MAX_BLOCK_RUNS);
        study.block = general.block.unwrap_or(runs.div_ceil(BLOCKS).clamp(1, largest)).min(runs);
        Some(study)
    }

    /// Model compiled with the constants of the study.
    fn model(&mut self, check: &mut Check) -> Option<Subject> {
        const KEY: &str = "study.model";
        const WHAT: &str = "a model's file or folder, relative to the study file";
        let path = self.file.study.model.clone();
        if check.replaced(KEY) {
            return None;
        }
        if !is_relative(&path) {
            complain_of_path(KEY, &path, check);
            return None;
        }
        let file = model::model_file(&self.place.folder.join(&path));
        let below = file.strip_prefix(&self.place.folder).unwrap_or(&file).display().to_string();
        let text = self.place.text(KEY, &below, WHAT, check)?;
        let mut document = match ballesta::model::parse(&text, &file.display().to_string()) {
            Ok(document) => document,
            Err(inside) => {
                check.inside(KEY, &path, inside, "`ballesta check` reports them");
                return None;
            }
        };
        if self.file.study.trim == Some(false) {
            document.model.experiment.trim = false;
        }
        let folder = file.parent().unwrap_or(Path::new("")).to_path_buf();
        self.place.placed.extend(document.files.iter().map(|data| (folder.join(&data.path), data.bytes.clone())));
        let set = self.set(&document, check);
        let parameters = model::assign(&document, &set, true).ok()?.parameters;
        match compile::compile(&document, &parameters) {
            Ok(system) => Some(Subject {
                interface: system.interface().clone(),
                internal_step: system.step(),
                folder: folder.display().to_string(),
                document,
            }),
            Err(inside) => {
                check.inside(KEY, &path, inside, "`ballesta check` reports them");
                None
            }
        }
    }

    /// Constants accepted by the model.
    fn set(&self, document: &Document, check: &mut Check) -> Vec<Assignment> {
        let mut taken = Vec::new();
        for (name, value) in &self.file.study.set {
            let key = format!("study.set.{name}");
            if check.replaced(&key) {
                continue;
            }
            let one = Assignment { name: name.clone(), value: *value };
            match model::assign(document, std::slice::from_ref(&one), true) {
                Ok(_) => taken.push(one),
                Err(_) => complain_of_value(&key, name, Some((*value, *value)), document, check),
            }
        }
        taken
    }

    /// Valid factors, and the keys and names of all variables that vary or are set.
    fn factors(
        &mut self,
        subject: Option<&Subject>,
        check: &mut Check,
    ) -> (Vec<(String, String)>, Vec<Option<Factor>>) {
        let set = self.file.study.set.keys().map(|name| (format!("study.set.{name}"), name.clone()));
        let mut names: Vec<(String, String)> = set.collect();
        let (mut factors, mut dimension) = (Vec::new(), 0);
        for index in 0..self.file.vary.len() {
            let key = format!("vary[{index}]");
            match self.file.vary[index].table.clone() {
                Some(path) => factors.extend(self.table(&key, index, &path, subject, &mut names, check)),
                None => factors.push(self.factor(&key, index, subject, &mut dimension, &mut names, check)),
            }
        }
        if self.file.vary.is_empty() && !check.replaced("vary") {
            check.complain("study", "nothing varies", "add a [[vary]] with a parameter or an input of the model");
        }
        (names, factors)
    }

    fn factor(
        &mut self,
        key: &str,
        index: usize,
        subject: Option<&Subject>,
        dimension: &mut usize,
        names: &mut Vec<(String, String)>,
        check: &mut Check,
    ) -> Option<Factor> {
        let vary = self.file.vary[index].clone();
        let at = |name: &str| format!("{key}.{name}");
        if ["name", "scale", "inputs", "table"].iter().any(|name| check.replaced(&at(name))) {
            return None;
        }
        match (vary.name.is_some(), vary.scale.is_some(), vary.inputs.is_some()) {
            (true, false, false) | (false, true, false) | (false, false, true) => (),
            (false, false, false) => {
                check.complain(key, "the table does not name a variable", "add `name`, `scale`, `inputs` or `table`");
                return None;
            }
            _ => {
                check.complain(key, "more than one of name, scale and inputs", "write a separate [[vary]] for each");
                return None;
            }
        }
        if let Some(files) = &vary.inputs {
            return self.input_files(index, files, &vary, subject, check);
        }
        let levels = vary::levels(key, &vary, dimension, check);
        if let Some(name) = &vary.name {
            if let Some((first, _)) = names.iter().find(|(_, known)| known == name) {
                let found = format!("`{name}` already has values in {first}");
                check.complain(&at("name"), found, "vary each parameter and input once");
            }
            names.push((at("name"), name.clone()));
            let document = &subject?.document;
            let range = levels.as_ref().map(|levels| match levels {
                Levels::List(values) | Levels::Column { values, .. } => {
                    values.iter().fold((f64::INFINITY, f64::NEG_INFINITY), |(least, most), value| {
                        (least.min(*value), most.max(*value))
                    })
                }
                // Values of an unbounded distribution beyond the range of a parameter give rejected runs.
                Levels::Distribution(distribution, _) => match distribution.support() {
                    (least, most) if least.is_finite() && most.is_finite() => (least, most),
                    _ => (f64::NAN, f64::NAN),
                },
                Levels::Files(_) => (f64::NAN, f64::NAN),
            });
            complain_of_value(&at("name"), name, range, document, check);
            let unit = unit_of(&document.model, name);
            return Some(Factor {
                entry: index,
                name: name.clone(),
                unit,
                target: Target::Variable(name.clone()),
                levels: levels?,
            });
        }
        let name = vary.scale.unwrap_or_default();
        let input = subject?.interface.inputs.iter().position(|input| input.name == name);
        let Some(input) = input else {
            let known: Vec<&str> = subject?.interface.inputs.iter().map(|input| input.name.as_str()).collect();
            check.complain(&at("scale"), format!("the model has no input `{name}`"), did_you_mean(&name, &known));
            return None;
        };
        Some(Factor {
            entry: index,
            name: format!("{name}.scale"),
            unit: "1".into(),
            target: Target::Scale(input),
            levels: levels?,
        })
    }

    /// Factors of a table; none if it has faults.
    fn table(
        &mut self,
        key: &str,
        index: usize,
        path: &str,
        subject: Option<&Subject>,
        names: &mut Vec<(String, String)>,
        check: &mut Check,
    ) -> Vec<Option<Factor>> {
        const WHAT: &str = "a CSV file with columns named like parameters or inputs of the model";
        let at = format!("{key}.table");
        if check.replaced(&at) {
            return vec![None];
        }
        let bare = super::study_schema::Vary { table: Some(path.to_string()), ..Default::default() };
        if self.file.vary[index] != bare {
            check.complain(key, "a table gives both the names and the values", "remove every key except `table`");
        }
        if !is_relative(path) {
            complain_of_path(&at, path, check);
            return vec![None];
        }
        let Some(text) = self.place.text(&at, path, WHAT, check) else { return vec![None] };
        let columns = match table::parse(&text, &self.place.folder.join(path).display().to_string()) {
            Ok(columns) => columns,
            Err(inside) => {
                check.inside(&at, path, inside, "write a header with names, and rows of numbers");
                return vec![None];
            }
        };
        let Some(subject) = subject else { return vec![None] };
        let mut factors = Vec::new();
        for (name, values) in columns.names.into_iter().zip(columns.values) {
            if let Some((first, _)) = names.iter().find(|(_, known)| *known == name) {
                let found = format!("`{name}` already has values in {first}");
                check.complain(&at, found, "vary each parameter and input once");
            }
            names.push((at.clone(), name.clone()));
            let range = values
                .iter()
                .fold((f64::INFINITY, f64::NEG_INFINITY), |(least, most), value| (least.min(*value), most.max(*value)));
            complain_of_value(&at, &name, Some(range), &subject.document, check);
            let unit = unit_of(&subject.document.model, &name);
            let levels = Levels::Column { values, first: factors.is_empty() };
            factors.push(Some(Factor { entry: index, target: Target::Variable(name.clone()), name, unit, levels }));
        }
        factors
    }

    fn input_files(
        &mut self,
        index: usize,
        files: &[String],
        vary: &super::study_schema::Vary,
        subject: Option<&Subject>,
        check: &mut Check,
    ) -> Option<Factor> {
        let key = &format!("vary[{index}]");
        let bare = super::study_schema::Vary { inputs: vary.inputs.clone(), ..Default::default() };
        if *vary != bare {
            check.complain(key, "input files contain the values", "remove every key except `inputs`");
        }
        if self.file.study.inputs.is_some() {
            let found = "input files are given here and as [study] inputs";
            check.complain(&format!("{key}.inputs"), found, "remove [study] inputs, or add its file to this list");
        }
        let before = self.file.vary.iter().position(|other| other.inputs.is_some());
        if before != Some(index) {
            check.complain(&format!("{key}.inputs"), "second table with input files", "write one list of files");
        }
        if files.is_empty() {
            check.complain(&format!("{key}.inputs"), "the list is empty", "name at least one file");
        }
        let interface = subject?.interface.clone();
        let mut all = Vec::new();
        for (place, path) in files.iter().enumerate() {
            all.push(self.inputs(&format!("{key}.inputs[{place}]"), path, &interface, check));
        }
        let all: Vec<Inputs> = all.into_iter().collect::<Option<_>>()?;
        let levels = Levels::Files(files.to_vec());
        Some(Factor { entry: index, name: "inputs".into(), unit: String::new(), target: Target::Inputs(all), levels })
    }

    fn inputs(&mut self, key: &str, path: &str, interface: &Interface, check: &mut Check) -> Option<Inputs> {
        const WHAT: &str = "a CSV file with the column `time` and columns named like inputs of the model";
        if check.replaced(key) {
            return None;
        }
        if !is_relative(path) {
            complain_of_path(key, path, check);
            return None;
        }
        let text = self.place.text(key, path, WHAT, check)?;
        match Inputs::parse(&text, &self.place.folder.join(path).display().to_string(), interface) {
            Ok(inputs) => Some(inputs),
            Err(inside) => {
                check.inside(key, path, inside, "the format is the same as for `ballesta run --inputs`");
                None
            }
        }
    }

    /// Rejects inputs that have a column and are also set or varied.
    fn chosen_twice(
        &self,
        inputs: Option<&Inputs>,
        names: &[(String, String)],
        interface: &Interface,
        check: &mut Check,
    ) {
        for index in inputs.into_iter().flat_map(Inputs::indices) {
            let name = &interface.inputs[index].name;
            for (key, _) in names.iter().filter(|(_, other)| other == name) {
                let expected = "remove the column, or vary it with `scale`";
                check.complain(key, format!("[study] inputs already has a column `{name}`"), expected);
            }
        }
    }

    /// Rejects scaling of missing columns.
    fn scales(&self, factors: &[Option<Factor>], common: Option<&Inputs>, interface: &Interface, check: &mut Check) {
        let mut chosen: Vec<&Inputs> = common.into_iter().collect();
        let files = self.file.study.inputs.is_some() || self.file.vary.iter().any(|vary| vary.inputs.is_some());
        let mut scaled = Vec::new();
        for factor in factors.iter().flatten() {
            match &factor.target {
                Target::Inputs(all) => chosen.extend(all),
                Target::Scale(input) => scaled.push((format!("vary[{}].scale", factor.entry), *input)),
                Target::Variable(_) => (),
            }
        }
        let mut seen = std::collections::BTreeSet::new();
        for (key, input) in &scaled {
            let name = &interface.inputs[*input].name;
            if !seen.insert(*input) {
                check.complain(key, format!("`{name}` is already scaled by another table"), "scale each column once");
            }
            if !files {
                check.complain(key, "the study has no input files", "add [study] inputs, or vary the input by `name`");
            } else if chosen.iter().any(|inputs| !inputs.indices().any(|index| index == *input)) {
                check.complain(
                    key,
                    format!("an input file has no column `{name}`"),
                    "add the column to every input file",
                );
            }
        }
    }

    /// Number of points of the distributions.
    fn points(&self, distributions: usize, check: &mut Check) -> Option<u64> {
        let general = &self.file.study;
        let hypercube = general.sampling == Some(Sampling::LatinHypercube);
        let sampled = self.file.vary.iter().any(|vary| vary.distribution.is_some());
        if !sampled {
            for (name, given) in [
                ("runs", general.runs.is_some()),
                ("sampling", general.sampling.is_some()),
                ("seed", general.seed.is_some()),
            ] {
                if given {
                    let found = format!("`{name}` requires a distribution");
                    check.complain(
                        &format!("study.{name}"),
                        found,
                        "remove it: the runs are all combinations of lists and grids",
                    );
                }
            }
            return Some(1);
        }
        match general.runs {
            None => {
                check.complain("study", "the number of runs is missing", "add `runs`, the number of sample points");
                None
            }
            Some(runs) if !(1..=MAX_POINTS).contains(&runs) => {
                check.complain(
                    "study.runs",
                    format!("found {runs}"),
                    format!("write a number of runs from 1 to {MAX_POINTS}"),
                );
                None
            }
            Some(runs) if hypercube && runs.saturating_mul(distributions as u64) > MAX_STRATA => {
                let found =
                    format!("a Latin hypercube of {runs} runs in {distributions} dimensions needs too much memory");
                check.complain("study.sampling", found, "use \"sobol\" or \"random\", which need none");
                None
            }
            Some(runs) => (distributions > 0).then_some(runs),
        }
    }

    /// The communication points.
    fn grid(&self, subject: &Subject, check: &mut Check) -> Option<Grid> {
        let general = &self.file.study;
        if let Some(step) = general.step.filter(|step| !(*step > 0.0)) {
            check.complain("study.step", format!("found {step}"), "write a positive number of seconds");
            return None;
        }
        let experiment = &subject.document.model.experiment;
        if let Some(stop) = general.stop.filter(|stop| !(*stop >= experiment.start)) {
            let expected =
                format!("write a time at or after the start of the model's experiment, {} s", experiment.start);
            check.complain("study.stop", format!("found {stop}"), expected);
            return None;
        }
        match Grid::new(experiment, subject.internal_step, general.stop, general.step) {
            Ok(grid) => Some(grid),
            Err(failure) => {
                let at = if general.stop.is_some() { "study.stop" } else { "study.step" };
                let message = failure.to_string().replace("error: ", "").replace("--", "");
                check.complain(at, message, "use a longer step or an earlier stop");
                None
            }
        }
    }

    /// Rejects duplicate column names.
    fn names(&self, factors: &[Factor], kept: &[keep::KeptColumn], traces: &[Trace], check: &mut Check) {
        let mut known: std::collections::BTreeSet<&str> = TAKEN.into();
        let varied: Vec<&str> = factors.iter().map(|factor| factor.name.as_str()).collect();
        let factors = factors.iter().map(|factor| (format!("vary[{}]", factor.entry), factor.name.as_str()));
        let kept = kept.iter().map(|kept| ("keep".to_string(), kept.name.as_str()));
        let traces = traces.iter().map(|trace| ("keep".to_string(), trace.name.as_str()));
        for (key, name) in factors.chain(kept).chain(traces) {
            // A variable that varies twice was reported before.
            let reported = key.starts_with("vary") && varied.iter().filter(|other| **other == name).count() > 1;
            let new = known.insert(name);
            if !new && !reported {
                let key = if key == "keep" { self.keep_of(name) } else { key };
                let expected = "give one of them a different `name`, or keep it once";
                check.complain(&key, format!("two columns would be named `{name}`"), expected);
            }
        }
    }

    /// The last `[[keep]]` that may define a column.
    fn keep_of(&self, name: &str) -> String {
        let made = |keep: &super::study_schema::Keep| {
            let first = keep.name.as_ref().or(keep.event.as_ref()).or(keep.output.as_ref());
            let traced = keep.trace.iter().flatten();
            first.into_iter().chain(traced).any(|first| name.starts_with(first.as_str()))
        };
        let index = self.file.keep.iter().rposition(made);
        index.map_or("keep".to_string(), |index| format!("keep[{index}]"))
    }
}

/// Unit symbol of a parameter or input.
fn unit_of(model: &ballesta::model::schema::Model, name: &str) -> String {
    let parameter = model.parameters.iter().find(|parameter| parameter.name == name).and_then(|p| p.unit.clone());
    let input = || model.inputs.iter().find(|input| input.name == name).and_then(|input| input.unit.clone());
    parameter.or_else(input).unwrap_or_default()
}

fn complain_of_path(key: &str, path: &str, check: &mut Check) {
    let found = format!("\"{}\" is not a path relative to the study file", path.escape_debug());
    check.complain(key, found, "write a relative path with `/` between folders, which is valid on other machines");
}

/// Reports a missing parameter or input, or a parameter that does not accept all values of a range.
fn complain_of_value(key: &str, name: &str, range: Option<(f64, f64)>, document: &Document, check: &mut Check) {
    let model = &document.model;
    if let Some(parameter) = model.parameters.iter().find(|parameter| parameter.name == name) {
        let (min, max) = (parameter.min.unwrap_or(f64::NEG_INFINITY), parameter.max.unwrap_or(f64::INFINITY));
        let Some((least, most)) = range else { return };
        if let Some(value) = [least, most].into_iter().find(|value| *value < min || *value > max) {
            let expected = format!("choose values from {min} to {max}, the range in the model");
            check.complain(key, format!("`{name}` would be {value}"), expected);
        }
    } else if !model.inputs.iter().any(|input| input.name == name) {
        let parameters = model.parameters.iter().map(|parameter| parameter.name.as_str());
        let known: Vec<&str> = parameters.chain(model.inputs.iter().map(|input| input.name.as_str())).collect();
        check.complain(key, format!("the model has no parameter or input `{name}`"), did_you_mean(name, &known));
    }
}
