//! `ballesta convert`: converts a reduced-order model for other programs.

pub mod arguments;

use crate::text;
use arguments::{Convert, FilterKind, PaddingKind};
use ballesta::rom::{self, Rom};
use ballesta_fem::export::matrices;
use ballesta_fem::export::simscape::{Padding, SimscapeSolid};
use ballesta_fem::export::simscape_block::is_function_name;
use ballesta_fem::export::state_space::{Filter, Options, StateSpace};
use ballesta_files::Failure;
use ballesta_files::kind::{self, Kind};
use ballesta_files::output_file::{keep_apart, write};
use ballesta_run::model::Assignment;
use serde_json::{Map, json};
use std::path::{Path, PathBuf};

/// Resolved `ballesta convert` command.
pub struct Plan {
    rom: Rom,
    matrices: Option<PathBuf>,
    simscape: Option<PathBuf>,
    /// File of the function that builds the block, and the function's name.
    simscape_block: Option<(PathBuf, String)>,
    padding: Padding,
    state_space: Vec<PathBuf>,
    options: Options,
    load: Vec<Assignment>,
    json: bool,
}

impl Plan {
    /// Reads the model and resolves names and options.
    pub fn resolve(typed: Convert) -> Result<Plan, Failure> {
        // The command needs at least one output, with an ending that its format requires.
        let simscape = [("--simscape", &typed.simscape), ("--simscape-block", &typed.simscape_block)];
        let none = simscape.iter().all(|(_, path)| path.is_none());
        if typed.matrices.is_none() && none && typed.state_space.is_empty() {
            let message = "no output given; use --matrices OUT.toml, --simscape OUT.m, --simscape-block OUT.m, \
                           --state-space OUT.toml or OUT.m";
            return Err(Failure::Usage(message.into()));
        }
        let simscape_block = typed.simscape_block.clone().map(block_function).transpose()?;
        if let Some(path) = typed.matrices.as_ref().filter(|path| !is(path, "toml")) {
            let message = format!("--matrices {}: the name of the structure file must end in .toml", path.display());
            return Err(Failure::Usage(message));
        }
        for path in &typed.state_space {
            if !is(path, "m") && !is(path, "toml") {
                let message = format!("--state-space {}: the name must end in .toml or .m", path.display());
                return Err(Failure::Usage(message));
            }
        }
        // No output may overwrite another output or the ROM file.
        let scripts = simscape.map(|(option, path)| (option, path.as_deref()));
        let spaces = typed.state_space.iter().map(|path| ("--state-space", Some(path.as_path())));
        let outputs: Vec<_> =
            [("--matrices", typed.matrices.as_deref())].into_iter().chain(scripts).chain(spaces).collect();
        keep_apart(&outputs, std::slice::from_ref(&typed.rom))?;
        // A filter has an order and a cutoff; neither has a default.
        let filter = match (typed.filter, typed.cutoff) {
            (None, _) => Filter::None,
            (Some(_), None) => return Err(Failure::Usage("--filter needs --cutoff K, in rad/s".into())),
            (Some(FilterKind::First), Some(cutoff)) => Filter::First(cutoff),
            (Some(FilterKind::Third), Some(cutoff)) => Filter::Third(cutoff),
        };
        // Opening the file first separates a missing file from an invalid ROM.
        ballesta::document::file::open(&typed.rom).map_err(|error| Failure::file("read", &typed.rom, error))?;
        let rom = rom::load(&typed.rom).map_err(|wrong| kind::refused(&typed.rom, Kind::Rom, wrong))?;
        // Interfaces in options must exist in the ROM, occur once and have positive values.
        for name in &typed.fixed {
            known("--fixed", name, &rom)?;
        }
        let mounted = [
            ("--base-spring", &typed.base_spring, "N m/rad"),
            ("--tip-mass", &typed.tip_mass, "kg"),
            ("--tip-inertia", &typed.tip_inertia, "kg m2"),
        ];
        for (option, assignments, unit) in mounted {
            for (i, Assignment { name, value }) in assignments.iter().enumerate() {
                known(option, name, &rom)?;
                if *value <= 0.0 {
                    let message = format!("{option} {name}={value}: must be greater than 0 {unit}");
                    return Err(Failure::Usage(message));
                }
                if assignments[..i].iter().any(|before| before.name == *name) {
                    return Err(Failure::Usage(format!("{option} {name}: given twice")));
                }
            }
        }
        // Mounting, load and modal options change only the state space, so they need that output.
        if typed.state_space.is_empty() {
            let given = [
                ("--base-spring", !typed.base_spring.is_empty()),
                ("--tip-mass", !typed.tip_mass.is_empty()),
                ("--tip-inertia", !typed.tip_inertia.is_empty()),
                ("--stiffness-factor", typed.stiffness_factor.is_some()),
                ("--load", !typed.load.is_empty()),
                ("--modes", typed.modes.is_some()),
                ("--modal-damping", !typed.modal_damping.is_empty()),
            ];
            if let Some((option, _)) = given.iter().find(|(_, given)| *given) {
                return Err(Failure::Usage(format!("{option} needs --state-space OUT.toml or OUT.m")));
            }
        }
        let pairs = |list: Vec<Assignment>| list.into_iter().map(|Assignment { name, value }| (name, value)).collect();
        let padding = match typed.padding {
            PaddingKind::Rigid => Padding::Rigid,
            PaddingKind::Unit => Padding::Unit,
        };
        let options = Options {
            fixed: typed.fixed,
            base_springs: pairs(typed.base_spring),
            tip_masses: pairs(typed.tip_mass),
            tip_inertias: pairs(typed.tip_inertia),
            stiffness_factor: typed.stiffness_factor,
            modes: typed.modes.map(|count| count as usize),
            modal_damping: typed.modal_damping,
            elastic_only: typed.elastic_only,
            filter,
        };
        Ok(Plan {
            rom,
            matrices: typed.matrices,
            simscape: typed.simscape,
            simscape_block,
            padding,
            state_space: typed.state_space,
            options,
            load: typed.load,
            json: typed.json,
        })
    }

    /// Computes everything before it writes and reports the files, so an error leaves no file.
    pub fn execute(self) -> Result<(), Failure> {
        let refused = |what: &str, error: &dyn std::fmt::Display| Failure::Usage(format!("{what}: {error}"));
        let solid = match self.simscape.is_some() || self.simscape_block.is_some() {
            true => Some(SimscapeSolid::new(&self.rom, self.padding).map_err(|error| refused("--simscape", &error))?),
            false => None,
        };
        let system = match self.state_space.as_slice() {
            [] => None,
            _ => Some(StateSpace::new(&self.rom, &self.options).map_err(|error| refused("--state-space", &error))?),
        };
        let at_rest = match &system {
            Some(system) if !self.load.is_empty() => at_rest(system, &self.load)?,
            _ => Vec::new(),
        };
        let mut report = String::new();
        let mut facts = Map::new();
        let mut matrix_files = Vec::new();
        if let Some(path) = &self.matrices {
            let stem = path.file_stem().map(|stem| stem.to_string_lossy().into_owned()).unwrap_or_default();
            let (structure, files) = matrices::files(&self.rom, &stem);
            for (ending, text) in files {
                let file = path.with_file_name(format!("{stem}{ending}"));
                write(&file, text)?;
                matrix_files.push(file);
            }
            // The file that names the others is written last.
            write(path, structure)?;
            let (size, remarks) = (self.rom.size(), matrices::remarks(&self.rom));
            report += &format!("{}: K, M, C with {size} coordinates in files next to it\n", path.display());
            report += &remark(&remarks);
            facts.insert("matrices".into(), json!({"coordinates": size, "remarks": remarks}));
        }
        if let Some(solid) = solid {
            let (size, frames) = (solid.mass.nrows(), solid.interfaces.len());
            let sizes = format!("{}, {size} coordinates", text::count(frames, "interface frame"));
            let remarks = solid.remarks();
            if let Some(path) = &self.simscape {
                write(path, solid.to_matlab())?;
                report += &format!("{}: {sizes}\n", path.display());
            }
            if let Some((path, name)) = &self.simscape_block {
                write(path, solid.to_block(name))?;
                report += &format!("{}: function {name} builds the block, {sizes}\n", path.display());
            }
            report += &remark(&remarks);
            facts.insert(
                "simscape".into(),
                json!({"interface_frames": frames, "coordinates": size, "remarks": remarks}),
            );
        }
        if let Some(system) = system {
            let (states, inputs, outputs) = (system.a.nrows(), system.inputs.len(), system.outputs.len());
            let sizes = [(states, "state"), (inputs, "input"), (outputs, "output")];
            let sizes = sizes.map(|(number, what)| text::count(number, what)).join(", ");
            for path in &self.state_space {
                write(path, &if is(path, "m") { system.to_matlab() } else { system.to_toml() })?;
                report += &format!("{}: {sizes}\n", path.display());
            }
            let remarks = system.remarks();
            report += &remark(&remarks);
            let elastic: Vec<f64> = system.frequencies_hz.iter().copied().filter(|hertz| *hertz > 0.0).collect();
            let lowest = elastic.iter().take(6).map(|hertz| text::short(*hertz, 6)).collect::<Vec<_>>().join(", ");
            report += &format!("  natural frequencies: {lowest}{} Hz\n", if elastic.len() > 6 { ", …" } else { "" });
            for (name, value) in &at_rest {
                let unit = if name.contains(".position.r") { "mrad" } else { "mm" };
                report += &format!("  static response: {name} = {} {unit}\n", text::short(1e3 * value, 6));
            }
            let mut found = json!({
                "states": states, "inputs": inputs, "outputs": outputs, "remarks": remarks, "frequencies_hz": elastic
            });
            if !at_rest.is_empty() {
                found["at_rest"] =
                    at_rest.into_iter().map(|(name, value)| (name, json!(value))).collect::<Map<_, _>>().into();
            }
            facts.insert("state_space".into(), found);
        }
        let written = matrix_files.iter().chain(&self.matrices);
        let written = written.chain(&self.simscape).chain(self.simscape_block.iter().map(|(path, _)| path));
        let written = written.chain(&self.state_space);
        text::answer(self.json, &report, &written.map(PathBuf::as_path).collect::<Vec<_>>(), facts.into())
    }
}

/// File of the function that builds Simscape's block, and its name: MATLAB finds a function by the name of its file.
fn block_function(path: PathBuf) -> Result<(PathBuf, String), Failure> {
    let name = path.file_stem().map(|stem| stem.to_string_lossy().into_owned()).unwrap_or_default();
    if is(&path, "m") && is_function_name(&name) {
        return Ok((path, name));
    }
    let found = format!("--simscape-block {}: not the name of a MATLAB function", path.display());
    Err(Failure::Usage(format!("{found}; expected a letter, then letters, digits and _, and .m")))
}

/// Positions (m, rad) that are not zero under constant inputs, by the names of the outputs.
fn at_rest(system: &StateSpace, load: &[Assignment]) -> Result<Vec<(String, f64)>, Failure> {
    let mut inputs = Vec::new();
    for Assignment { name, value } in load {
        let Some(input) = system.inputs.iter().position(|input| input == name) else {
            let near = text::nearest(name, system.inputs.iter().map(String::as_str));
            let all = || format!("expected one of {}", system.inputs.join(", "));
            let hint = near.map_or_else(all, |near| format!("did you mean `{near}`?"));
            return Err(Failure::Usage(format!("--load {name}: unknown input of the state space; {hint}")));
        };
        inputs.push((input, *value));
    }
    let Some(response) = system.static_response(&inputs) else {
        let message = "--load: a free body has no static response; use --fixed or --base-spring";
        return Err(Failure::Usage(message.into()));
    };
    let all = system.outputs.iter().zip(response.iter()).filter(|(name, _)| name.contains(".position."));
    // Outputs that a load does not affect have round-off only.
    let largest = ballesta::math::largest(all.clone().map(|(_, value)| value));
    Ok(all.filter(|(_, value)| value.abs() > 1e-12 * largest).map(|(name, value)| (name.clone(), *value)).collect())
}

/// An unknown interface is a usage error with the nearest known name.
fn known(option: &str, name: &str, rom: &Rom) -> Result<(), Failure> {
    let known: Vec<&str> = rom.interfaces.iter().map(|interface| interface.name.as_str()).collect();
    if known.contains(&name) {
        return Ok(());
    }
    let near = text::nearest(name, known.iter().copied());
    let hint = near.map_or(format!("expected one of {}", known.join(", ")), |near| format!("did you mean `{near}`?"));
    Err(Failure::Usage(format!("{option} {name}: unknown interface; {hint}")))
}

fn remark(remarks: &[String]) -> String {
    remarks.iter().map(|remark| format!("  {remark}\n")).collect()
}

fn is(path: &Path, extension: &str) -> bool {
    path.extension().is_some_and(|found| found == extension)
}
