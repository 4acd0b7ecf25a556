//! Command-line arguments, without defaults that depend on a model.

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
pub use bench::{Bench, Method};
pub use groups::{Groups, Solve, Synthesis};
pub use import::{Import, Touching};
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
  ballesta demo                          export, test and plot a built-in model
  ballesta new pendulum                  create a model to edit; `ballesta new` lists the templates
  ballesta check models/four_bar         assemble a model and report its topology
  ballesta run models/four_bar --plot four_bar.svg
  ballesta export models/four_bar -o four_bar.fmu
  ballesta reduce models/structures/frame   reduce a structure to a flexible body, offline

Exit codes:
  0  success
  1  invalid model or input file
  2  usage or file-system error
  3  simulation fault (results up to the fault are kept), or a result known to be wrong;
     with --strict also a questionable result
With --json the last line of stderr describes the failure as one JSON object.";

/// The whole command line.
#[derive(Debug, Parser)]
#[command(
    name = "ballesta",
    version,
    about = "Simulate multibody models in real time and export them as FMUs",
    after_help = AFTER_HELP,
    subcommand_required = true,
    arg_required_else_help = true
)]
pub struct Arguments {
    /// The subcommand.
    #[command(subcommand)]
    pub command: Command,
}

/// The subcommands.
#[derive(Debug, Subcommand)]
pub enum Command {
    /// Create a model from a template or an adjacency matrix
    New(New),
    /// Export, test and plot a built-in model as an FMU
    Demo(Demo),
    /// Assemble a model and report topology, mobility and redundant constraints
    Check(Check),
    /// Simulate a model and write tables, plots and 3-D pages
    Run(Run),
    /// Drive a vehicle through a manoeuvre and evaluate its measures
    Manoeuvre(Manoeuvre),
    /// Run a parameter study of a model
    Study(Study),
    /// Estimate the numerical error of a model's results
    Verify(Verify),
    /// Export a model as an FMU (Co-Simulation and Model Exchange)
    Export(Export),
    /// Measure the step times of a model or an FMU
    Bench(Bench),
    /// Reduce a structure to a flexible body (Craig-Bampton)
    Reduce(Reduce),
    /// Compute natural frequencies of a structure, reduced model or mechanism
    Modes(Modes),
    /// Linearize a model about its initial state or equilibrium
    Linearize(Linearize),
    /// Measure suspension kinematics and compliance on a virtual rig
    Rig(Rig),
    /// Compute the amplitude spectrum of results and its peaks
    Spectrum(Spectrum),
    /// Evaluate tyre property files: curves, characteristics and questionable coefficients
    Tyre(Tyre),
    /// Find the structural groups of a mechanism and their order
    Groups(Groups),
    /// Convert a URDF or MJCF robot to a model
    Import(Import),
    /// Convert a reduced-order model to matrices, Simscape or state space
    Convert(Convert),
    /// Convert beams to rigid bodies connected by springs
    Lump(Lump),
    /// Expand the subassemblies of a model into one flat file
    Expand(Expand),
    /// Draw a model in three views or as a 3-D page
    View(View),
    /// Print the JSON Schema of a file format for editors
    Schema(Schema),
    /// Print the completion script for a shell
    Completions(Completions),
}

/// `ballesta demo`
#[derive(Debug, Args)]
#[command(after_help = "\
The model is the four-bar linkage of models/four_bar. It is built in, so the command works in any folder.

Examples:
  ballesta demo
  ballesta demo --live
  ballesta demo --out /tmp/first-fmu")]
pub struct Demo {
    /// Folder for the model, FMU, results, plot and 3-D page [default: ballesta-demo; in a source tree: target/demo]
    #[arg(long, value_name = "FOLDER")]
    pub out: Option<PathBuf>,
    /// Also write an interactive page that contains the solver, as view --live does
    #[arg(long)]
    pub live: bool,
    /// Library to pack instead of the library for this machine
    #[arg(long, value_name = "PLATFORM=PATH", value_parser = library)]
    pub library: Option<Library>,
    /// Print one JSON object instead of the report
    #[arg(long)]
    pub json: bool,
}

/// `ballesta check`
#[derive(Debug, Args)]
#[command(after_help = "\
The command assembles the mechanism in its initial position and analyses its loops; it does not simulate.
If the experiment of the model requests a trim, the model is trimmed too. If the model cannot start, the
report states the cause and the exit code is 3.

Examples:
  ballesta check models/four_bar
  ballesta check models/four_bar --json | jq .redundant
  ballesta check models/four_bar --svg topology.svg
  ballesta check models/five_link_suspension --trim
  ballesta check wishbone.toml --set spring.stiffness=25000")]
pub struct Check {
    /// Model file, or folder with a model.toml
    pub model: PathBuf,
    /// Print one JSON object instead of the report
    #[arg(long)]
    pub json: bool,
    /// Draw bodies, joints and loops (.svg or .png)
    #[arg(long, value_name = "PICTURE", value_parser = picture::parse)]
    pub svg: Option<PathBuf>,
    /// Report the static equilibrium near the initial position
    #[arg(long)]
    pub trim: bool,
    /// Set a parameter, or an input for the equilibrium; repeatable
    #[arg(long = "set", value_name = "NAME=VALUE", value_parser = assignment)]
    pub set: Vec<Assignment>,
}

/// `ballesta run`
#[derive(Debug, Args)]
#[command(after_help = "\
Outputs are written at every communication point, from the start time on. The CSV header is
`time,<output names>`; numbers have full precision. The input file has the header `time,<input names>`.
Inputs are linear between two rows and constant before the first and after the last row. Two rows with the
same time are a jump. With --trim the inputs of the start time determine the equilibrium.

The report ends with constraint violations, energy balance error, near-singular steps and changes of the
independent coordinates. A value above its limit is a warning on stderr; with --strict the exit code is 3.
An energy error of the integration above 10 % of the energy exchanged always gives exit code 3.
The results are written in every case.

Examples:
  ballesta run models/four_bar --csv four_bar.csv --plot four_bar.svg
  ballesta run models/four_bar --html four_bar.html --glb four_bar.glb
  ballesta run models/four_bar --stop 2 --step 1e-3 --csv - | head
  ballesta run models/spinup_beam/model_1.toml --compare models/spinup_beam/model_3.toml
  ballesta run wishbone.toml --inputs road.csv --set spring.stiffness=25000 --csv out.csv")]
pub struct Run {
    /// Model file, or folder with a model.toml
    pub model: PathBuf,
    /// Stop time in s [default: from the model]
    #[arg(long, value_name = "T", value_parser = finite, allow_negative_numbers = true)]
    pub stop: Option<f64>,
    /// Communication step in s: interval between outputs [default: from the model]
    #[arg(long, value_name = "H", value_parser = positive, allow_negative_numbers = true)]
    pub step: Option<f64>,
    /// Internal step in s, limited to the communication step [default: from the model]
    #[arg(long, value_name = "H", value_parser = positive, allow_negative_numbers = true)]
    pub internal_step: Option<f64>,
    /// Start in the static equilibrium near the initial position (vehicles: steady driving)
    #[arg(long)]
    pub trim: bool,
    /// Inputs over time: CSV with the header time,<input names>
    #[arg(long, value_name = "IN.CSV")]
    pub inputs: Option<PathBuf>,
    /// Write the outputs (.csv, .csv.gz or .parquet); `-` writes CSV to stdout
    #[arg(long, value_name = "TABLE")]
    pub csv: Option<PathBuf>,
    /// Write the units in the second line of the CSV; Parquet always contains them
    #[arg(long)]
    pub units: bool,
    /// Plot the outputs over time (.svg or .png)
    #[arg(long, value_name = "PICTURE", value_parser = picture::parse)]
    pub plot: Option<PathBuf>,
    /// Write the run as a 3-D page for any browser, usable offline
    #[arg(long, value_name = "OUT.HTML")]
    pub html: Option<PathBuf>,
    /// Write the motion as a glTF 2.0 binary file for viewers and renderers
    #[arg(long, value_name = "OUT.GLB")]
    pub glb: Option<PathBuf>,
    /// Compare outputs of the same name with another model, or with this model and another reduced model; --plot
    /// draws both curves and their difference
    #[arg(long, value_name = "MODEL | ROM")]
    pub compare: Option<PathBuf>,
    /// Recovery file of a flexible body: adds its largest displacement and stress to the report, and the structure,
    /// coloured by stress, to the page; repeatable
    #[arg(long, value_name = "FILE")]
    pub recovery: Vec<PathBuf>,
    /// Add displacements, forces and stresses of a node or section as outputs; repeatable
    #[arg(long, value_name = "NAME")]
    pub recover: Vec<String>,
    /// Exit with code 3 instead of a warning if the result is questionable
    #[arg(long)]
    pub strict: bool,
    /// Set a parameter, or an input that the input file does not contain; repeatable
    #[arg(long = "set", value_name = "NAME=VALUE", value_parser = assignment)]
    pub set: Vec<Assignment>,
    /// Print only warnings and errors
    #[arg(long, short, conflicts_with = "json")]
    pub quiet: bool,
    /// Print one JSON object instead of the report
    #[arg(long)]
    pub json: bool,
}

/// `ballesta verify`
#[derive(Debug, Args)]
#[command(after_help = "\
The experiment runs with the internal step h, with h/2 and h/4, and with a second integrator if one applies.
h is the internal step of the model, or the communication step if that is shorter. For each output the
command reports the estimated error at h (Richardson), absolute and relative to the peak, the observed order,
and the step at which the error equals --tolerance.

A model is verified if all runs complete, every output converges with an error at h within the tolerance, the
second integrator agrees, and no warning of the finest run contradicts its result. Otherwise the exit code
is 3. Sensitive (chaotic) motion is reported as such.

Examples:
  ballesta verify models/slider_crank
  ballesta verify models/van --stop 2 --tolerance 1e-2 --svg van.svg
  ballesta verify models/slider_crank --json | jq .outputs[0].order")]
pub struct Verify {
    /// Model file, or folder with a model.toml
    pub model: PathBuf,
    /// Stop time in s [default: from the model]
    #[arg(long, value_name = "T", value_parser = finite, allow_negative_numbers = true)]
    pub stop: Option<f64>,
    /// Communication step in s: interval between compared values [default: from the model]
    #[arg(long, value_name = "H", value_parser = positive, allow_negative_numbers = true)]
    pub step: Option<f64>,
    /// Internal step h in s [default: from the model]
    #[arg(long, value_name = "H", value_parser = positive, allow_negative_numbers = true)]
    pub internal_step: Option<f64>,
    /// Largest acceptable relative error
    #[arg(long, value_name = "RATIO", value_parser = positive, default_value_t = 1e-3)]
    pub tolerance: f64,
    /// Start in the static equilibrium near the initial position (vehicles: steady driving)
    #[arg(long)]
    pub trim: bool,
    /// Inputs over time: CSV with the header time,<input names>
    #[arg(long, value_name = "IN.CSV")]
    pub inputs: Option<PathBuf>,
    /// Set a parameter, or an input that the input file does not contain; repeatable
    #[arg(long = "set", value_name = "NAME=VALUE", value_parser = assignment)]
    pub set: Vec<Assignment>,
    /// Skip the second integrator
    #[arg(long)]
    pub one_integrator: bool,
    /// Plot the errors over the step (.svg or .png)
    #[arg(short = 'o', long, value_name = "PICTURE", value_parser = picture::parse)]
    pub svg: Option<PathBuf>,
    /// Print one JSON object instead of the report
    #[arg(long)]
    pub json: bool,
}

/// `ballesta export`
#[derive(Debug, Args)]
#[command(after_help = "\
The FMU contains the solver library, the model as a resource, the model description, a documentation page and
licences. It runs on every platform whose library it contains. By default it contains all libraries built by
scripts/platforms.sh or installed with the program, and the library of this machine, which is built if it is
missing. With --library it contains the named libraries and the library of this machine.

--hold-mode adds two Boolean variables. If the parameter hold_on_fault is true, all outputs hold their last
valid values after a fault, the output fault is true, and steps return OK: see docs/hil.md.

Examples:
  ballesta export models/four_bar -o four_bar.fmu
  ballesta export models/four_bar -o four_bar.fmu --hold-mode
  ballesta export models/four_bar -o four_bar_fmi3.fmu --fmi 3.0
  ballesta export models/four_bar -o four_bar.fmu --library win64=build/ballesta.dll")]
pub struct Export {
    /// Model file, or folder with a model.toml
    pub model: PathBuf,
    /// FMU to write [default: NAME.fmu in the current folder]
    #[arg(short, long, value_name = "OUT.FMU")]
    pub output: Option<PathBuf>,
    /// FMI version: 2.0 or 3.0
    #[arg(long, value_name = "VERSION", default_value_t)]
    pub fmi: Version,
    /// Library for a platform: linux64, aarch64-linux, win64, darwin64 or aarch64-darwin; repeatable
    #[arg(long, value_name = "PLATFORM=PATH", value_parser = library)]
    pub library: Vec<Library>,
    /// Add the parameter hold_on_fault (default false) and the output fault
    #[arg(long)]
    pub hold_mode: bool,
    /// Omit the reference trajectory extra/org.ballesta/reference.csv
    #[arg(long)]
    pub no_reference: bool,
    /// Limit of the computing time for the reference trajectory in s
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
--matrices writes K, M and C as Matrix Market, the map of their rows, the positions of the interfaces, and the
structure file that `ballesta reduce` reads.
--simscape writes a MATLAB script with the data of the block Reduced Order Flexible Solid. The script checks
its data when it runs.
--simscape-block writes a MATLAB function that builds a library with this block in a masked subsystem. With
--padding unit the subsystem also contains constraints and small masses.
--state-space writes A, B, C and D. Inputs are forces at the free interfaces; outputs are positions,
velocities and accelerations of interfaces and output nodes. Without a filter the accelerations have a direct
feedthrough.
--base-spring fixes the translations of an interface and adds torsional springs to its rotations. --tip-mass
attaches a point mass to an interface, --tip-inertia a moment of inertia. Modes, rigid motions and damping are
computed for the body mounted in this way. --load prints the static response to constant inputs such as tip.Fy.

Examples:
  ballesta convert arm.rom.toml --matrices arm_matrices.toml
  ballesta convert arm.rom.toml --simscape arm.m --simscape-block arm_block.m
  ballesta convert arm.rom.toml --state-space arm_ss.m --fixed root --filter third --cutoff 5000
  ballesta convert arm.rom.toml --state-space arm.toml --base-spring root=5e5 --tip-mass tip=20 --modes 1 \
--modal-damping 0.01
  ballesta convert arm.rom.toml --state-space arm.toml --fixed root --load tip.Fy=-196.2")]
pub struct Convert {
    /// Reduced-order model (.rom.toml)
    pub rom: PathBuf,
    /// Write the matrices and this structure file, whose name is their prefix
    #[arg(long, value_name = "OUT.TOML")]
    pub matrices: Option<PathBuf>,
    /// Write the data of the Simscape block Reduced Order Flexible Solid
    #[arg(long, value_name = "OUT.M")]
    pub simscape: Option<PathBuf>,
    /// Write a MATLAB function that builds the masked Simscape block with its frame ports
    #[arg(long, value_name = "OUT.M")]
    pub simscape_block: Option<PathBuf>,
    /// Values for directions that interfaces of trusses and planar bodies do not have
    #[arg(long, value_enum, default_value_t = PaddingKind::Rigid)]
    pub padding: PaddingKind,
    /// Write the state space (.toml or .m); repeatable
    #[arg(long, value_name = "OUT.TOML | OUT.M")]
    pub state_space: Vec<PathBuf>,
    /// Fix this interface in the state space; repeatable
    #[arg(long, value_name = "INTERFACE")]
    pub fixed: Vec<String>,
    /// Mount this interface on torsional springs in N·m/rad in the state space; repeatable
    #[arg(long, value_name = "INTERFACE=N.M/RAD", value_parser = assignment)]
    pub base_spring: Vec<Assignment>,
    /// Attach a point mass in kg to this interface in the state space; repeatable
    #[arg(long, value_name = "INTERFACE=KG", value_parser = assignment)]
    pub tip_mass: Vec<Assignment>,
    /// Attach a moment of inertia in kg·m² about every axis to this interface in the state space; repeatable
    #[arg(long, value_name = "INTERFACE=KG.M2", value_parser = assignment)]
    pub tip_inertia: Vec<Assignment>,
    /// Multiply the stiffness of the body by this factor in the state space
    #[arg(long, value_name = "FACTOR", value_parser = positive)]
    pub stiffness_factor: Option<f64>,
    /// Print the static response of the state space to this input in N or N·m; repeatable
    #[arg(long, value_name = "INPUT=VALUE", value_parser = assignment)]
    pub load: Vec<Assignment>,
    /// Number of elastic modes kept in the state space, lowest first [default: all]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
    pub modes: Option<u32>,
    /// Damping ratio of all elastic modes, or one per mode [default: damping of the model]
    #[arg(
        long, value_name = "RATIO,...", value_delimiter = ',', value_parser = not_negative,
        allow_negative_numbers = true
    )]
    pub modal_damping: Vec<f64>,
    /// Omit the rigid-body modes from the state space
    #[arg(long)]
    pub elastic_only: bool,
    /// Low-pass filter for the outputs of the state space
    #[arg(long, value_enum, requires = "cutoff")]
    pub filter: Option<FilterKind>,
    /// Filter constant K in rad/s
    #[arg(long, value_name = "K", value_parser = positive, requires = "filter")]
    pub cutoff: Option<f64>,
    /// Print one JSON object instead of the report
    #[arg(long)]
    pub json: bool,
}

/// `--padding`
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum PaddingKind {
    /// Consistent with rigid-body motion: exactly six zero modes
    Rigid,
    /// Unit stiffness and mass: the number of zero modes is not six
    Unit,
}

/// `--filter`
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum FilterKind {
    /// K/(s+K) on every output
    First,
    /// K³/(s+K)³ on positions; velocities and accelerations are its derivatives
    Third,
}

/// `ballesta expand`
#[derive(Debug, Args)]
#[command(after_help = "\
Every subassembly is inserted with its prefix, mirror, position and parameters. Parameters of the model itself
remain parameters. Values in local frames are converted to the global frame. The flat file describes the same
system, bit for bit. Files that the model names (tyres, reduced models, height maps) are copied next to the
flat file with the same relative paths. An existing file with other content is not overwritten.

--keep-rods converts every rod to a body with its mass between a universal and a spherical joint. The motion
does not change. Each rod then has two more coordinates and three equations instead of one. Outputs of rods
are omitted; the first lines of the file list them.

Examples:
  ballesta expand models/van -o flat/van.toml
  ballesta expand models/van --keep-rods -o flat/van_with_rods.toml
  ballesta expand models/van | less")]
pub struct Expand {
    /// Model file, or folder with a model.toml
    pub model: PathBuf,
    /// Flat file to write [default: stdout, without copies of other files]
    #[arg(short, long, value_name = "FLAT.TOML")]
    pub output: Option<PathBuf>,
    /// Convert rods to bodies with joints
    #[arg(long)]
    pub keep_rods: bool,
    /// Print one JSON object with the written files, or with the text for stdout
    #[arg(long)]
    pub json: bool,
}

/// `ballesta reduce`
#[derive(Debug, Args)]
#[command(after_help = "\
[reduction] in the structure file sets the number of modes. The reduction does not need supports. It keeps the
motions of the interfaces and the lowest or the selected modes with fixed interfaces. The required memory is
reported before the computation starts.

Examples:
  ballesta reduce models/structures/frame -o frame.rom.toml --svg frame.svg
  ballesta reduce models/structures/solid --json | jq .frequencies_hz")]
pub struct Reduce {
    /// Structure file, or folder with a structure.toml
    pub structure: PathBuf,
    /// Reduced model to write [default: NAME.rom.toml in the current folder]
    #[arg(short, long, value_name = "ROM")]
    pub output: Option<PathBuf>,
    /// Write the recovery matrices of displacements and stresses, for run --recovery
    #[arg(long, value_name = "FILE")]
    pub recovery: Option<PathBuf>,
    /// Draw the structure with its mode shapes (.svg or .png)
    #[arg(long, value_name = "PICTURE", value_parser = picture::parse)]
    pub svg: Option<PathBuf>,
    /// Number of internal modes, lowest first [default: from the structure]
    #[arg(long, value_name = "N")]
    pub modes: Option<usize>,
    /// Skip the comparison with the full structure, which needs another factorisation
    #[arg(long)]
    pub no_comparison: bool,
    /// Print one JSON object instead of the report
    #[arg(long)]
    pub json: bool,
}

/// `ballesta modes`
#[derive(Debug, Args)]
#[command(after_help = "\
For a structure or reduced model the command computes the elastic modes of the free body; with --supported it
applies the supports of the structure. For a model the command computes the modes about the initial state, or
with --trim about the static equilibrium near it.

Examples:
  ballesta modes models/structures/truss
  ballesta modes models/structures/truss --supported --count 4 --svg modes.svg
  ballesta modes frame.rom.toml --json | jq .frequencies_hz
  ballesta modes models/five_link_suspension --trim
  ballesta modes models/structures/space_frame --html space_frame.html")]
pub struct Modes {
    /// Structure (file, or folder with a structure.toml), reduced model (.rom.toml), or model (file, or folder with a
    /// model.toml)
    #[arg(value_name = "STRUCTURE | ROM | MODEL")]
    pub subject: PathBuf,
    /// Number of modes to print
    #[arg(long, value_name = "N", default_value_t = 10)]
    pub count: usize,
    /// Apply the supports of the structure
    #[arg(long)]
    pub supported: bool,
    /// Draw the structure with its mode shapes (.svg or .png)
    #[arg(long, value_name = "PICTURE", value_parser = picture::parse)]
    pub svg: Option<PathBuf>,
    /// Write a 3-D page with animated mode shapes
    #[arg(long, value_name = "OUT.HTML")]
    pub html: Option<PathBuf>,
    /// Compute the modes of a model about the static equilibrium near its initial position
    #[arg(long)]
    pub trim: bool,
    /// Set a parameter or input of a model; repeatable
    #[arg(long = "set", value_name = "NAME=VALUE", value_parser = assignment)]
    pub set: Vec<Assignment>,
    /// Print one JSON object instead of the report
    #[arg(long)]
    pub json: bool,
}

/// `ballesta spectrum`
#[derive(Debug, Args)]
#[command(after_help = "\
The weighted mean is subtracted, the samples are multiplied by the window, and zero padding interpolates the
spectrum. A steady sine appears with its own amplitude, in the unit of its column; dB are 20 log10 of this
value. A peak is the highest value within the main lobe of the window and at least twice the leakage of
stronger peaks. Its frequency and amplitude come from a parabola through the logarithms of three values.

Examples:
  ballesta run models/step_loaded_frame --csv frame.csv
  ballesta spectrum frame.csv --column load.displacement --svg spectrum.svg
  ballesta spectrum frame.csv --column load.displacement --window blackman-harris --up-to 300 \
--json | jq .columns[0].peaks")]
pub struct Spectrum {
    /// CSV of results with equal time intervals, as written by `run --csv`
    #[arg(value_name = "OUTPUT.CSV")]
    pub results: PathBuf,
    /// Column to transform; repeatable [default: all columns that vary]
    #[arg(long = "column", value_name = "NAME")]
    pub columns: Vec<String>,
    /// Ignore samples before this time in s
    #[arg(long, value_name = "T", value_parser = finite, allow_negative_numbers = true)]
    pub after: Option<f64>,
    /// Window function
    #[arg(long, value_enum, value_name = "WINDOW", default_value = "hann")]
    pub window: super::spectrum::Window,
    /// Zero-padded length in multiples of the number of samples, rounded up to a power of two
    #[arg(
        long, value_name = "N", default_value_t = 8,
        value_parser = clap::builder::RangedU64ValueParser::<usize>::new().range(1..=1024)
    )]
    pub padding: usize,
    /// Highest frequency in Hz [default: half the sampling rate]
    #[arg(long, value_name = "HZ", value_parser = positive, allow_negative_numbers = true)]
    pub up_to: Option<f64>,
    /// Number of peaks, strongest first
    #[arg(long, value_name = "N", default_value_t = 20)]
    pub peaks: usize,
    /// Range of levels in dB below the highest peak in which peaks are reported
    #[arg(
        long = "floor-db", value_name = "DB", default_value_t = 100.0, value_parser = positive,
        allow_negative_numbers = true
    )]
    pub floor: f64,
    /// Plot the spectrum in dB (.svg or .png)
    #[arg(long, value_name = "PICTURE", value_parser = picture::parse)]
    pub svg: Option<PathBuf>,
    /// Write frequencies and amplitudes as CSV
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
To use a schema with taplo or Even Better TOML for VS Code, put this in the first line of a file:
  #:schema ./ballesta.schema.json")]
pub struct Schema {
    /// File format
    #[arg(value_enum, default_value_t = FileKind::Model)]
    pub kind: FileKind,
    /// Accepted for consistency; the output is always JSON
    #[arg(long)]
    pub json: bool,
}

/// File formats that `ballesta schema` describes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum FileKind {
    /// model.toml: mechanism
    Model,
    /// subassembly: file of a `[[use]]`
    Assembly,
    /// structure.toml: structure to reduce
    Structure,
    /// *.rom.toml: reduced-order model
    Rom,
    /// displacements and stresses per coordinate of a reduced-order model
    Recovery,
    /// adjacency matrix for `ballesta groups`
    Adjacency,
    /// parameter study
    Study,
    /// manoeuvre of a vehicle
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
    /// Shell
    #[arg(value_enum)]
    pub shell: clap_complete::Shell,
    /// Print the script in one JSON object
    #[arg(long)]
    pub json: bool,
}

/// `PLATFORM=PATH`
#[derive(Clone, Debug, PartialEq)]
pub struct Library {
    /// Platform that the library runs on.
    pub platform: Platform,
    /// The library file.
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
