//! What was typed: the grammar of the command line, without defaults that depend on a model.

mod bench;
mod groups;
mod import;
mod linearize;
mod lump;
mod manoeuvre;
mod new;
mod rig;
mod study;
mod tyre;
mod view;

pub use ballesta_experiment::model::Assignment;
pub use bench::Bench;
pub use groups::{Groups, Solve, Synthesis};
pub use import::Import;
pub use linearize::{Linearize, ReductionMethod};
pub use lump::{Lump, LumpJoint};
pub use manoeuvre::Manoeuvre;
pub use new::New;
pub use rig::{Rig, RigTest};
pub use study::Study;
pub use tyre::{Side, Tyre};
pub use view::View;

use super::picture;
use ballesta_package::reference::DEFAULT_SECONDS;
use ballesta_package::{Platform, Version};
use clap::{Args, Parser, Subcommand, ValueEnum};
use std::path::PathBuf;

const AFTER_HELP: &str = "\
First steps:
  ballesta demo                          see the main job done on a built-in model
  ballesta new pendulum                  a folder with a model to change; `ballesta new` lists the templates
  ballesta check models/four_bar         what the program makes of a model
  ballesta run models/four_bar --plot four_bar.svg
  ballesta export models/four_bar -o four_bar.fmu
  ballesta reduce models/structures/frame   a structure to a reduced-order model, offline

Exit codes: 0 done; 1 the model or an input file is wrong; 2 usage or file system;
3 the simulation stopped with a fault (what was computed is kept), or its result is known to be wrong,
or with --strict questionable. With --json the last line of stderr is the failure as one JSON object.";

/// The whole command line.
#[derive(Debug, Parser)]
#[command(
    name = "ballesta",
    version,
    about = "Real-time multibody solver that ships a TOML mechanism as an FMU",
    after_help = AFTER_HELP,
    subcommand_required = true,
    arg_required_else_help = true
)]
pub struct Arguments {
    /// What to do.
    #[command(subcommand)]
    pub command: Command,
}

/// The subcommands.
#[derive(Debug, Subcommand)]
pub enum Command {
    /// Write a model to begin with: a template, or a plane chain
    New(New),
    /// Export a built-in model as an FMU, load it, step it, check it, plot it, show it in 3-D
    Demo(Demo),
    /// Report topology, degrees of freedom, loops, redundancy and assembly of a model
    Check(Check),
    /// Simulate a model, with CSV, plot and 3-D page
    Run(Run),
    /// Drive a vehicle through a manoeuvre, and measure it
    Manoeuvre(Manoeuvre),
    /// Simulate a model many times, with what varies and what is kept given by a file
    Study(Study),
    /// Find the error of a model's results: steps h, h/2, h/4 and a second integrator
    Verify(Verify),
    /// Pack a model as an FMU (FMI 2.0 or 3.0, Co-Simulation and Model Exchange)
    Export(Export),
    /// Measure the distribution of step times of a model or of an FMU
    Bench(Bench),
    /// Reduce a structure to a model of a flexible body (Craig-Bampton)
    Reduce(Reduce),
    /// Natural frequencies of a structure, of a reduced model, or of a model
    Modes(Modes),
    /// State space of a model, linearized at its start or equilibrium
    Linearize(Linearize),
    /// Kinematics and compliance of the axles of a vehicle on a rig
    Rig(Rig),
    /// Amplitude spectrum of results, with its peaks
    Spectrum(Spectrum),
    /// Curves, values and characteristics of tyre property files, and what is questionable about them
    Tyre(Tyre),
    /// Structural groups of a model or of a plane chain, and their order
    Groups(Groups),
    /// Write the model of a robot in URDF or MJCF
    Import(Import),
    /// Write a reduced-order model as matrices, for Simscape, or as state space
    Convert(Convert),
    /// Write a beam as a chain of rigid bodies and springs
    Lump(Lump),
    /// Write a model with its subassemblies as one flat file
    Expand(Expand),
    /// Draw bodies, joints and force elements of a model in side, front and top view, or as a 3-D page
    View(View),
    /// Print the JSON schema of a kind of file, for editors
    Schema(Schema),
    /// Print the completion script of a shell
    Completions(Completions),
}

/// `ballesta demo`
#[derive(Debug, Args)]
#[command(after_help = "\
The model is the four-bar linkage of models/four_bar; it is built in, so that the command works in any folder.

Examples:
  ballesta demo
  ballesta demo --live
  ballesta demo --out /tmp/first-fmu")]
pub struct Demo {
    /// Folder for the model, the FMU, the results, the plot and the 3-D page [default: ballesta-demo; of a source
    /// tree's program: target/demo]
    #[arg(long, value_name = "FOLDER")]
    pub out: Option<PathBuf>,
    /// Write a second page with the solver inside, as view --live does: the linkage runs there and can be pulled
    #[arg(long)]
    pub live: bool,
    /// Library of the FMU, in place of the one that is built for this machine
    #[arg(long, value_name = "PLATFORM=PATH", value_parser = library)]
    pub library: Option<Library>,
    /// Print one JSON object instead of the report
    #[arg(long)]
    pub json: bool,
}

/// `ballesta check`
#[derive(Debug, Args)]
#[command(after_help = "\
Nothing is simulated: the file is read, the mechanism is assembled in its initial position, its loops are analysed, \
and it is
trimmed where its experiment asks for that. A model that cannot start is reported with the cause, and exit code 3.

Examples:
  ballesta check models/four_bar
  ballesta check models/four_bar --json | jq .redundant
  ballesta check models/four_bar --svg topology.svg
  ballesta check models/five_link_suspension --trim
  ballesta check wishbone.toml --set spring.stiffness=25000")]
pub struct Check {
    /// Model: a model.toml, or the folder that holds one
    pub model: PathBuf,
    /// Print one JSON object instead of the report
    #[arg(long)]
    pub json: bool,
    /// Draw bodies, joints and loops, SVG or PNG by the ending
    #[arg(long, value_name = "PICTURE", value_parser = picture::parse)]
    pub svg: Option<PathBuf>,
    /// Find the static equilibrium near the initial position and report it
    #[arg(long)]
    pub trim: bool,
    /// Value of a parameter, or of an input for the equilibrium; may be repeated
    #[arg(long = "set", value_name = "NAME=VALUE", value_parser = assignment)]
    pub set: Vec<Assignment>,
}

/// `ballesta run`
#[derive(Debug, Args)]
#[command(after_help = "\
Outputs are written at every communication point, from the start time on. CSV: header `time,<output names>`; the numbers
read back to the same bits. The input file has the header `time,<input names>`; between its rows the inputs are linear
in time, outside of them they are held, and two rows at one time are a jump. With --trim the simulation starts at rest in
the equilibrium near the initial position, with the inputs of the start time, instead of in the initial position.

The run ends with what it says about itself: gaps of the loops, change of the energy balance against the energy exchanged,
near-singular steps, changes of coordinates. Beyond their limits stands a warning on stderr; with --strict exit code 3.
An energy error of the step above 10 % of the energy exchanged is exit code 3 in any case; the results are kept.

Examples:
  ballesta run models/four_bar --csv four_bar.csv --plot four_bar.svg
  ballesta run models/four_bar --html four_bar.html --glb four_bar.glb
  ballesta run models/four_bar --stop 2 --step 1e-3 --csv - | head
  ballesta run models/spinup_beam/model_1.toml --compare models/spinup_beam/model_3.toml
  ballesta run wishbone.toml --inputs road.csv --set spring.stiffness=25000 --csv out.csv")]
pub struct Run {
    /// Model: a model.toml, or the folder that holds one
    pub model: PathBuf,
    /// Stop time in s [default: the model's experiment]
    #[arg(long, value_name = "T", value_parser = finite, allow_negative_numbers = true)]
    pub stop: Option<f64>,
    /// Communication step in s, the interval of the outputs [default: the model's experiment]
    #[arg(long, value_name = "H", value_parser = positive, allow_negative_numbers = true)]
    pub step: Option<f64>,
    /// Internal step in s, in place of the model's; a shorter communication step clips it
    #[arg(long, value_name = "H", value_parser = positive, allow_negative_numbers = true)]
    pub internal_step: Option<f64>,
    /// Start at rest, in the static equilibrium near the initial position
    #[arg(long)]
    pub trim: bool,
    /// Values of the inputs over time
    #[arg(long, value_name = "IN.CSV")]
    pub inputs: Option<PathBuf>,
    /// Write the outputs: .csv, .csv.gz or .parquet by the ending; `-` is CSV on stdout
    #[arg(long, value_name = "TABLE")]
    pub csv: Option<PathBuf>,
    /// Write the units in a second line of the CSV; a Parquet file always has them
    #[arg(long)]
    pub units: bool,
    /// Draw the outputs over time, SVG or PNG by the ending
    #[arg(long, value_name = "PICTURE", value_parser = picture::parse)]
    pub plot: Option<PathBuf>,
    /// Write the run as a 3-D page that opens in any browser, without a network
    #[arg(long, value_name = "OUT.HTML")]
    pub html: Option<PathBuf>,
    /// Write the motion as a glTF 2.0 binary file, for programs that show and render
    #[arg(long, value_name = "OUT.GLB")]
    pub glb: Option<PathBuf>,
    /// Run another model too, or this one with another reduced model, and compare the outputs of the same name: largest
    /// differences in the report; --plot draws both curves and their difference
    #[arg(long, value_name = "MODEL | ROM")]
    pub compare: Option<PathBuf>,
    /// Recovery file of a flexible body, as reduce writes it: greatest displacement and stress in the report, the whole
    /// structure in the page, coloured by its stress; may be repeated
    #[arg(long, value_name = "FILE")]
    pub recovery: Vec<PathBuf>,
    /// Node or section of a recovery file whose displacements, forces and stresses are outputs; may be repeated
    #[arg(long, value_name = "NAME")]
    pub recover: Vec<String>,
    /// End with exit code 3 where a run to the end is questionable: what is otherwise a warning
    #[arg(long)]
    pub strict: bool,
    /// Value of a parameter, or of an input that is not in the input file; may be repeated
    #[arg(long = "set", value_name = "NAME=VALUE", value_parser = assignment)]
    pub set: Vec<Assignment>,
    /// Print nothing but warnings and errors
    #[arg(long, short, conflicts_with = "json")]
    pub quiet: bool,
    /// Print one JSON object instead of the report
    #[arg(long)]
    pub json: bool,
}

/// `ballesta verify`
#[derive(Debug, Args)]
#[command(after_help = "\
The experiment runs with the internal step h, with h/2 and h/4, and with a second integrator if one applies. Every \
output gets
the estimated error of the run with h (Richardson), absolute and relative to its largest value, the observed order,
and the step at which the error equals --tolerance. Steps are those of the model, or of the communication where that is
shorter. A model is verified if all runs reach their end, no warning of the finest run contradicts its result, every
output converges, its error at h is within the tolerance, and the second integrator agrees. Otherwise the exit code is
3. Sensitive (chaotic) motion is named.

Examples:
  ballesta verify models/slider_crank
  ballesta verify models/van --stop 2 --tolerance 1e-2 --svg van.svg
  ballesta verify models/slider_crank --json | jq .outputs[0].order")]
pub struct Verify {
    /// Model: a model.toml, or the folder that holds one
    pub model: PathBuf,
    /// Stop time in s [default: the model's experiment]
    #[arg(long, value_name = "T", value_parser = finite, allow_negative_numbers = true)]
    pub stop: Option<f64>,
    /// Communication step in s, the interval of what is compared [default: the model's experiment]
    #[arg(long, value_name = "H", value_parser = positive, allow_negative_numbers = true)]
    pub step: Option<f64>,
    /// Internal step in s, in place of the model's: the h of the comparison
    #[arg(long, value_name = "H", value_parser = positive, allow_negative_numbers = true)]
    pub internal_step: Option<f64>,
    /// Relative error that is requested
    #[arg(long, value_name = "PART", value_parser = positive, default_value_t = 1e-3)]
    pub tolerance: f64,
    /// Start at rest, in the static equilibrium near the initial position
    #[arg(long)]
    pub trim: bool,
    /// Values of the inputs over time
    #[arg(long, value_name = "IN.CSV")]
    pub inputs: Option<PathBuf>,
    /// Value of a parameter, or of an input that is not in the input file; may be repeated
    #[arg(long = "set", value_name = "NAME=VALUE", value_parser = assignment)]
    pub set: Vec<Assignment>,
    /// Leave out the second integrator
    #[arg(long)]
    pub one_integrator: bool,
    /// Draw the errors over the step, SVG or PNG by the ending
    #[arg(short = 'o', long, value_name = "PICTURE", value_parser = picture::parse)]
    pub svg: Option<PathBuf>,
    /// Print one JSON object instead of the report
    #[arg(long)]
    pub json: bool,
}

/// `ballesta export`
#[derive(Debug, Args)]
#[command(after_help = "\
The FMU holds the solver's library, the model as a resource, the description, a documentation page and licences. It runs
on the platforms whose libraries are in it: all that were built by scripts/platforms.sh or came with the installation, and
this machine's, which is built where it is missing. With --library: those that are named, and this machine's.
--hold-mode adds two Boolean variables. With the parameter hold_on_fault set to true, all outputs hold their last good
values after a fault, the output fault is true, and steps return OK: see docs/hil.md.

Examples:
  ballesta export models/four_bar -o four_bar.fmu
  ballesta export models/four_bar -o four_bar.fmu --hold-mode
  ballesta export models/four_bar -o four_bar_fmi3.fmu --fmi 3.0
  ballesta export models/four_bar -o four_bar.fmu --library win64=build/ballesta.dll")]
pub struct Export {
    /// Model: a model.toml, or the folder that holds one
    pub model: PathBuf,
    /// The FMU to write [default: the name of the model with .fmu, in this folder]
    #[arg(short, long, value_name = "OUT.FMU")]
    pub output: Option<PathBuf>,
    /// Version of FMI: 2.0 or 3.0
    #[arg(long, value_name = "VERSION", default_value_t)]
    pub fmi: Version,
    /// Library for a platform (linux64, aarch64-linux, win64, darwin64, aarch64-darwin); may be repeated
    #[arg(long, value_name = "PLATFORM=PATH", value_parser = library)]
    pub library: Vec<Library>,
    /// Add the hold mode for rigs that must not stop: parameter hold_on_fault (false), output fault
    #[arg(long)]
    pub hold_mode: bool,
    /// Leave the reference trajectory, extra/org.ballesta/reference.csv, out
    #[arg(long)]
    pub no_reference: bool,
    /// Stop computing the reference trajectory after this time, s
    #[arg(
        long, value_name = "S", value_parser = positive, default_value_t = DEFAULT_SECONDS, conflicts_with = "no_reference"
    )]
    pub reference_seconds: f64,
    /// Print one JSON object instead of the report
    #[arg(long)]
    pub json: bool,
}

/// `ballesta convert`
#[derive(Debug, Args)]
#[command(after_help = "\
--matrices writes K, M and C as Matrix Market, the map of their rows, the places of the interfaces, and the structure file \
that `ballesta reduce` reads.
--simscape writes a MATLAB script with the data of the block Reduced Order Flexible Solid; it checks itself when it \
runs.
--simscape-block writes a MATLAB function that builds a library with that block in a masked subsystem; with --padding
unit it has constraints and small masses too.
--state-space writes A, B, C, D: forces at the interfaces that are not held in, positions, velocities and accelerations of
interfaces and output nodes out. Without a filter the accelerations have a direct feedthrough.
--base-spring holds the translations of an interface and puts torsional springs to its rotations, --tip-mass carries a point
mass at another, and --tip-inertia gives it a moment of inertia; modes, rigid motions and damping are those of the body
mounted like this. --load prints what the body does at rest under constant inputs, such as tip.Fy.

Examples:
  ballesta convert arm.rom.toml --matrices arm_matrices.toml
  ballesta convert arm.rom.toml --simscape arm.m --simscape-block arm_block.m
  ballesta convert arm.rom.toml --state-space arm_ss.m --fixed root --filter third --cutoff 5000
  ballesta convert arm.rom.toml --state-space arm.toml --base-spring root=5e5 --tip-mass tip=20 --modes 1 --modal-damping 0.01
  ballesta convert arm.rom.toml --state-space arm.toml --fixed root --load tip.Fy=-196.2")]
pub struct Convert {
    /// The reduced-order model
    pub rom: PathBuf,
    /// Write the matrices, in files whose names begin as that of this structure file
    #[arg(long, value_name = "OUT.TOML")]
    pub matrices: Option<PathBuf>,
    /// Write the data of Simscape's Reduced Order Flexible Solid
    #[arg(long, value_name = "OUT.M")]
    pub simscape: Option<PathBuf>,
    /// Write a MATLAB function that builds Simscape's block: with mask, frame ports, constraints and small masses
    #[arg(long, value_name = "OUT.M")]
    pub simscape_block: Option<PathBuf>,
    /// What the directions are that interfaces of trusses and plane bodies lack
    #[arg(long, value_enum, default_value_t = PaddingKind::Rigid)]
    pub padding: PaddingKind,
    /// Write the state space, as TOML or MATLAB by the ending; may be repeated
    #[arg(long, value_name = "OUT.TOML | OUT.M")]
    pub state_space: Vec<PathBuf>,
    /// Hold this interface in the state space; may be repeated
    #[arg(long, value_name = "INTERFACE")]
    pub fixed: Vec<String>,
    /// Hold this interface by torsional springs in N·m/rad in the state space; may be repeated
    #[arg(long, value_name = "INTERFACE=N.M/RAD", value_parser = assignment)]
    pub base_spring: Vec<Assignment>,
    /// Carry a point mass in kg at this interface in the state space; may be repeated
    #[arg(long, value_name = "INTERFACE=KG", value_parser = assignment)]
    pub tip_mass: Vec<Assignment>,
    /// Carry a moment of inertia in kg·m², about every axis, at this interface in the state space; may be repeated
    #[arg(long, value_name = "INTERFACE=KG.M2", value_parser = assignment)]
    pub tip_inertia: Vec<Assignment>,
    /// Multiply the stiffness of the body by this in the state space: another Young's modulus, or another mesh
    #[arg(long, value_name = "FACTOR", value_parser = positive)]
    pub stiffness_factor: Option<f64>,
    /// Print the static response of the state space to this input, in N or N·m; may be repeated
    #[arg(long, value_name = "INPUT=VALUE", value_parser = assignment)]
    pub load: Vec<Assignment>,
    /// Keep this number of elastic modes, the lowest, in the state space [default: all]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
    pub modes: Option<u32>,
    /// Damping ratio of every elastic mode of the state space, or one for each, in place of the model's damping
    #[arg(
        long, value_name = "RATIO,...", value_delimiter = ',', value_parser = not_negative,
        allow_negative_numbers = true
    )]
    pub modal_damping: Vec<f64>,
    /// Leave the rigid motions out of the state space
    #[arg(long)]
    pub elastic_only: bool,
    /// Low-pass filter on the outputs of the state space
    #[arg(long, value_enum, requires = "cutoff")]
    pub filter: Option<FilterKind>,
    /// Its constant K in rad/s
    #[arg(long, value_name = "K", value_parser = positive, requires = "filter")]
    pub cutoff: Option<f64>,
    /// Print one JSON object instead of the report
    #[arg(long)]
    pub json: bool,
}

/// `--padding`
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum PaddingKind {
    /// They follow the rigid motions: exactly six zero modes
    Rigid,
    /// Unit stiffness and mass: other than six zero modes
    Unit,
}

/// `--filter`
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum FilterKind {
    /// K/(s+K) on every output
    First,
    /// K³/(s+K)³ on positions, with its derivatives
    Third,
}

/// `ballesta expand`
#[derive(Debug, Args)]
#[command(after_help = "\
Subassemblies are taken in, with their prefixes, mirrors, moves and parameters; the parameters of the model itself \
stay. What
is given in frames is written in the global frame. The flat file gives the same system, to the bit. Files that the model
names (tyres, reduced models, height maps) are copied beside it, at the same paths from its folder; one that is there with
another content is not overwritten.

--keep-rods makes every rod a body with its mass between a universal and a spherical joint: the same motion with two more
coordinates and three equations in place of one. Outputs of rods are left out; the first lines say which.

Examples:
  ballesta expand models/van -o flat/van.toml
  ballesta expand models/van --keep-rods -o flat/van_with_rods.toml
  ballesta expand models/van | less")]
pub struct Expand {
    /// Model: a model.toml, or the folder that holds one
    pub model: PathBuf,
    /// The flat file to write [default: stdout, and no copies]
    #[arg(short, long, value_name = "FLAT.TOML")]
    pub output: Option<PathBuf>,
    /// Write rods as bodies with joints
    #[arg(long)]
    pub keep_rods: bool,
    /// Print one JSON object instead: what was written, or the text that would go to stdout
    #[arg(long)]
    pub json: bool,
}

/// `ballesta reduce`
#[derive(Debug, Args)]
#[command(after_help = "\
The structure says in [reduction] how many modes are kept. The reduction never needs supports; it keeps the motions \
of the
interfaces and the lowest modes, or chosen ones, with the interfaces held. What memory it needs is said before it starts.

Examples:
  ballesta reduce models/structures/frame -o frame.rom.toml --svg frame.svg
  ballesta reduce models/structures/solid --json | jq .frequencies_hz")]
pub struct Reduce {
    /// Structure: a structure.toml, or the folder that holds one
    pub structure: PathBuf,
    /// The reduced model to write [default: the name of the structure with .rom.toml, in this folder]
    #[arg(short, long, value_name = "ROM")]
    pub output: Option<PathBuf>,
    /// Write displacements of all nodes and stresses of all elements over the coordinates, for run --recovery
    #[arg(long, value_name = "FILE")]
    pub recovery: Option<PathBuf>,
    /// Draw the structure with its mode shapes, SVG or PNG by the ending
    #[arg(long, value_name = "PICTURE", value_parser = picture::parse)]
    pub svg: Option<PathBuf>,
    /// How many internal modes are kept, the lowest, in place of what the structure says
    #[arg(long, value_name = "N")]
    pub modes: Option<usize>,
    /// Leave out the comparison with the modes of the full structure, which costs another factorisation
    #[arg(long)]
    pub no_comparison: bool,
    /// Print one JSON object instead of the report
    #[arg(long)]
    pub json: bool,
}

/// `ballesta modes`
#[derive(Debug, Args)]
#[command(after_help = "\
Frequencies of a structure or reduced model are those of the free body, its rigid motions left out, unless --supported
applies the supports of the structure. Modes of a model are those of the motion about its initial state, or, with --trim,
about the static equilibrium near it.

Examples:
  ballesta modes models/structures/truss
  ballesta modes models/structures/truss --supported --count 4 --svg modes.svg
  ballesta modes frame.rom.toml --json | jq .frequencies_hz
  ballesta modes models/five_link_suspension --trim
  ballesta modes models/structures/space_frame --html space_frame.html")]
pub struct Modes {
    /// Structure (a structure.toml, or the folder that holds one), reduced model (a file that ends in .rom.toml), or
    /// model (a model.toml, or the folder that holds one)
    #[arg(value_name = "STRUCTURE | ROM | MODEL")]
    pub subject: PathBuf,
    /// Number of modes
    #[arg(long, value_name = "N", default_value_t = 10)]
    pub count: usize,
    /// Hold the structure by its supports
    #[arg(long)]
    pub supported: bool,
    /// Draw the structure with its mode shapes, SVG or PNG by the ending
    #[arg(long, value_name = "PICTURE", value_parser = picture::parse)]
    pub svg: Option<PathBuf>,
    /// Write the mode shapes as a 3-D page that animates them
    #[arg(long, value_name = "OUT.HTML")]
    pub html: Option<PathBuf>,
    /// Modes of a model about the static equilibrium near its initial position
    #[arg(long)]
    pub trim: bool,
    /// Value of a parameter or input of a model; may be repeated
    #[arg(long = "set", value_name = "NAME=VALUE", value_parser = assignment)]
    pub set: Vec<Assignment>,
    /// Print one JSON object instead of the report
    #[arg(long)]
    pub json: bool,
}

/// `ballesta spectrum`
#[derive(Debug, Args)]
#[command(after_help = "\
The mean is taken off, the window weighs the samples, and zeros behind them bring the entries of the spectrum closer \
together.
A sine that lasts shows with its own amplitude, in the unit of its column; dB are 20 log10 of that number. A peak is the highest
within the main lobe of the window, twice higher than what stronger peaks leak to its place; a parabola through the logarithms of
three entries finds it between them.

Examples:
  ballesta run models/step_loaded_frame --csv frame.csv
  ballesta spectrum frame.csv --column load.displacement --svg spectrum.svg
  ballesta spectrum frame.csv --column load.displacement --window blackman-harris --up-to 300 --json | jq .columns[0].peaks")]
pub struct Spectrum {
    /// Results with equal intervals, as `run --csv` writes them
    #[arg(value_name = "OUTPUT.CSV")]
    pub results: PathBuf,
    /// Column to transform; may be repeated [default: all that vary]
    #[arg(long = "column", value_name = "NAME")]
    pub columns: Vec<String>,
    /// Leave out the samples before this time in s
    #[arg(long, value_name = "T", value_parser = finite, allow_negative_numbers = true)]
    pub after: Option<f64>,
    /// Weights of the samples
    #[arg(long, value_enum, value_name = "WINDOW", default_value = "hann")]
    pub window: super::spectrum::Window,
    /// How many times as many points as samples, at least; the next power of two is taken
    #[arg(
        long, value_name = "N", default_value_t = 8,
        value_parser = clap::builder::RangedU64ValueParser::<usize>::new().range(1..=1024)
    )]
    pub padding: usize,
    /// Upper end of the frequencies in Hz [default: half the sampling rate]
    #[arg(long, value_name = "HZ", value_parser = positive, allow_negative_numbers = true)]
    pub up_to: Option<f64>,
    /// Number of peaks, the strongest
    #[arg(long, value_name = "N", default_value_t = 20)]
    pub peaks: usize,
    /// How far below the highest peak others may lie, dB
    #[arg(
        long = "floor-db", value_name = "DB", default_value_t = 100.0, value_parser = positive,
        allow_negative_numbers = true
    )]
    pub floor: f64,
    /// Draw the spectrum in dB, SVG or PNG by the ending
    #[arg(long, value_name = "PICTURE", value_parser = picture::parse)]
    pub svg: Option<PathBuf>,
    /// Write frequencies and amplitudes
    #[arg(long, value_name = "OUT.CSV")]
    pub csv: Option<PathBuf>,
    /// Print one JSON object instead of the report
    #[arg(long)]
    pub json: bool,
}

/// `ballesta schema`
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  ballesta schema > ballesta.schema.json
  ballesta schema structure > structure.schema.json
Then say in the first line of a file (taplo and VS Code's Even Better TOML read it):
  #:schema ./ballesta.schema.json")]
pub struct Schema {
    /// Kind of file
    #[arg(value_enum, default_value_t = FileKind::Model)]
    pub kind: FileKind,
    /// Changes nothing: a schema is one JSON object
    #[arg(long)]
    pub json: bool,
}

/// What `ballesta schema` describes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum FileKind {
    /// model.toml: a mechanism
    Model,
    /// a subassembly: the file of a `[[use]]`
    Assembly,
    /// structure.toml: what is reduced
    Structure,
    /// *.rom.toml: a reduced-order model
    Rom,
    /// displacements and stresses over the coordinates of a reduced-order model
    Recovery,
    /// an adjacency matrix for `ballesta groups`
    Adjacency,
    /// a parameter study
    Study,
    /// a manoeuvre of a vehicle
    Manoeuvre,
}

/// `ballesta completions`
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  ballesta completions bash > ~/.local/share/bash-completion/completions/ballesta
  ballesta completions zsh > ~/.zfunc/_ballesta
  ballesta completions fish > ~/.config/fish/completions/ballesta.fish")]
pub struct Completions {
    /// The shell
    #[arg(value_enum)]
    pub shell: clap_complete::Shell,
    /// Print the script within one JSON object
    #[arg(long)]
    pub json: bool,
}

/// `PLATFORM=PATH`
#[derive(Clone, Debug, PartialEq)]
pub struct Library {
    /// What it runs on.
    pub platform: Platform,
    /// The file.
    pub path: PathBuf,
}

fn finite(text: &str) -> Result<f64, String> {
    match text.parse::<f64>() {
        Ok(value) if value.is_finite() => Ok(value),
        Ok(_) => Err("must be finite".into()),
        Err(_) => Err("not a number".into()),
    }
}

fn positive(text: &str) -> Result<f64, String> {
    let value = finite(text)?;
    if value > 0.0 { Ok(value) } else { Err("must be greater than 0".into()) }
}

fn not_negative(text: &str) -> Result<f64, String> {
    let value = finite(text)?;
    if value >= 0.0 { Ok(value) } else { Err("must not be negative".into()) }
}

fn assignment(text: &str) -> Result<Assignment, String> {
    // The value has no `=`, a quoted FMI name may have one.
    let (name, value) = text.rsplit_once('=').ok_or("expected NAME=VALUE, such as spring.stiffness=25000")?;
    let value =
        finite(value.trim()).map_err(|error| format!("value `{}` of `{}`: {error}", value.trim(), name.trim()))?;
    Ok(Assignment { name: name.trim().to_string(), value })
}

fn library(text: &str) -> Result<Library, String> {
    let (platform, path) = text.split_once('=').ok_or("expected PLATFORM=PATH, such as win64=build/ballesta.dll")?;
    if path.is_empty() {
        return Err("the path is empty".into());
    }
    Ok(Library { platform: platform.parse()?, path: PathBuf::from(path) })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_grammar_is_consistent() {
        use clap::CommandFactory;
        Arguments::command().debug_assert();
    }

    #[test]
    fn assignments_are_split_at_the_last_equals_sign() {
        assert_eq!(assignment("a.b = 2e3"), Ok(Assignment { name: "a.b".into(), value: 2e3 }));
        assert_eq!(assignment("'a=b'=1").map(|a| a.name), Ok("'a=b'".into()));
        assert!(assignment("a").is_err());
        assert!(assignment("a=x").unwrap_err().contains("`x`"));
        assert!(assignment("a=inf").unwrap_err().contains("finite"));
    }

    #[test]
    fn libraries_name_a_platform_that_fmus_know() {
        let expected = Library { platform: Platform::Win64, path: "a=b.dll".into() };
        assert_eq!(library("win64=a=b.dll"), Ok(expected));
        assert!(library("win=x").unwrap_err().contains("linux64"));
        assert!(library("win64").is_err());
        assert!(library("win64=").is_err());
    }
}
