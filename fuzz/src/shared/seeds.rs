//! Initial inputs: the files of the gallery and of the tests.

use std::fs;
use std::path::{Path, PathBuf};

use ballesta_fem::export::recovery_to_toml;
use ballesta_fem::reduce::{provenance, settings, split};
use ballesta_fem::reduction::Reducer;
use ballesta_fem::structure;
use ballesta_package::archive::{Archive, Entry};

use super::sample::{self, Sample};
use super::targets::{NEXT_FILE, Target, root};
use super::{exchange, fmu};

/// Files below `folder` of the repository whose names `fits` accepts, in the order of their paths.
fn files(folder: &str, fits: &dyn Fn(&str) -> bool) -> Vec<PathBuf> {
    fn collect(folder: &Path, fits: &dyn Fn(&str) -> bool, found: &mut Vec<PathBuf>) {
        let Ok(entries) = fs::read_dir(folder) else { return };
        for path in entries.flatten().map(|entry| entry.path()) {
            if path.is_dir() {
                collect(&path, fits, found);
            } else if path.file_name().is_some_and(|name| fits(&name.to_string_lossy())) {
                found.push(path);
            }
        }
    }
    let mut found = Vec::new();
    collect(&root().join(folder), fits, &mut found);
    found.sort();
    found
}

/// The files whose names have this ending.
fn ending(folder: &str, end: &str) -> Vec<PathBuf> {
    files(folder, &|name| name.ends_with(end))
}

/// The bytes of files.
fn contents(files: Vec<PathBuf>) -> Vec<Vec<u8>> {
    files.iter().filter_map(|path| fs::read(path).ok()).collect()
}

/// The texts of files, each preceded by a line with its folder for [`super::targets`].
fn with_folders(files: Vec<PathBuf>) -> Vec<Vec<u8>> {
    let root = root();
    let seed = |path: &PathBuf| {
        let folder = path.parent()?.strip_prefix(&root).ok()?.display().to_string().replace('\\', "/");
        Some([format!("# folder {folder}\n").as_bytes(), &fs::read(path).ok()?].concat())
    };
    files.iter().filter_map(seed).collect()
}

/// Models of the gallery except the vehicles, which need a second each under the sanitizer.
fn models() -> Vec<PathBuf> {
    let mut files = ending("models", "model.toml");
    files.retain(|file| {
        !["van", "truck", "car"].iter().any(|vehicle| file.parent().is_some_and(|folder| folder.ends_with(vehicle)))
    });
    files
}

/// The additions that make a complete structure from a table of matrices; `interfaces` are nodes.
fn around(matrices: &str, interfaces: [&str; 2]) -> String {
    let interface = |node: &str| format!("[[interface]]\nname = \"at_{node}\"\nnode = \"{node}\"\n");
    let interfaces = interfaces.map(interface).concat();
    format!("[structure]\nname = \"m\"\n{matrices}{interfaces}[reduction]\nmodes = 2\n")
}

/// Structure files with matrices, each with the files that it names in one text: the structures of the tests of wrong
/// matrices, and a valid one in every dialect.
fn matrices() -> Vec<Vec<u8>> {
    let part = |name: &str, text: &str| format!("{NEXT_FILE}{name}\n{text}");
    let wrong = |path: &PathBuf| {
        let table = fs::read_to_string(path).ok()?;
        let folder = path.parent()?;
        let named = table.split('"').skip(1).step_by(2);
        let files = named.filter_map(|name| Some((name, fs::read_to_string(folder.join(name)).ok()?)));
        let files: String = files.map(|(name, text)| part(name, &text)).collect();
        Some((part("structure.toml", &around(&table, ["1", "2"])) + &files).into_bytes())
    };
    let sample = Sample::new();
    let (k, m) = (&sample.stiffness, &sample.mass);
    let pair = |write: fn(&[Vec<f64>]) -> String| [write(k), write(m)];
    let right = |(format, matrices, map, nodes): (&str, [String; 2], Option<String>, String)| {
        let map_key = if map.is_some() { "dof_map = \"rows.map\"\n" } else { "" };
        let (from, to) = if matrices[1].is_empty() { ("k", "k") } else { ("k", "m") };
        let table = format!(
            "[matrices]\nformat = \"{format}\"\nstiffness = \"{from}.txt\"\nmass = \"{to}.txt\"\n{map_key}nodes = \
             \"nodes.txt\"\n"
        );
        let files = [("k.txt", &matrices[0]), ("m.txt", &matrices[1]), ("nodes.txt", &nodes)];
        let files: String = files.into_iter().map(|(name, text)| part(name, text)).collect();
        let map = map.map(|text| part("rows.map", &text)).unwrap_or_default();
        (part("structure.toml", &around(&table, ["3", "20"])) + &files + &map).into_bytes()
    };
    let cards = |long: bool| [sample::nastran("KAAX", k, long) + &sample::nastran("MAAX", m, long), String::new()];
    let dialects = [
        ("matrix_market", pair(|a| sample::matrix_market(a, false, true)), Some(sample::row_map()), sample::csv(1.0)),
        ("calculix", pair(sample::calculix), Some(sample::modal_map()), sample::deck()),
        ("abaqus", pair(sample::abaqus_labels), None, sample::deck()),
        ("abaqus", pair(sample::abaqus_coordinate), Some(sample::label_map()), sample::grids()),
        ("calculix", pair(sample::calculix), Some(sample::label_map()), sample::deck()),
        ("nastran", cards(false), None, sample::grids()),
        ("nastran", cards(true), None, sample::csv(1.0)),
    ];
    let files = ending("tests/broken_matrices", ".toml");
    files.iter().filter_map(wrong).chain(dialects.into_iter().map(right)).collect()
}

/// Elements that the description of our FMUs does not contain.
const DESCRIPTION: &str = r#"<?xml version="1.0" encoding="UTF-8"?>
<!-- of another tool -->
<fmiModelDescription fmiVersion="2.0" modelName="a &amp; b" guid="{1}" generationTool='x' variableNamingConvention="structured">
<CoSimulation modelIdentifier="ab" canHandleVariableCommunicationStepSize="true" canInterpolateInputs="1"
 maxOutputDerivativeOrder="1" canGetAndSetFMUstate="true" canSerializeFMUstate="true" providesDirectionalDerivative="true"/>
<UnitDefinitions><Unit name="m"><BaseUnit m="1"/><DisplayUnit name="mm" factor="1000"/></Unit></UnitDefinitions>
<TypeDefinitions><SimpleType name="T"><Enumeration><Item name="a" value="1"/></Enumeration></SimpleType></TypeDefinitions>
<LogCategories><Category name="all"/></LogCategories>
<DefaultExperiment startTime="0" stopTime="1e1" tolerance="1e-6" stepSize="0.01"/>
<VendorAnnotations><Tool name="x"><a><![CDATA[ <b> ]]></a></Tool></VendorAnnotations>
<ModelVariables>
<ScalarVariable name="x" valueReference="0" causality="output" variability="continuous"><Real unit="m"/></ScalarVariable>
<ScalarVariable name="n" valueReference="0" causality="parameter" variability="fixed"><Integer start="-3"/></ScalarVariable>
<ScalarVariable name="e" valueReference="1" causality="input"><Enumeration declaredType="T" start="1"/></ScalarVariable>
<ScalarVariable name="b" valueReference="2" causality="local" variability="discrete"><Boolean start="true"/></ScalarVariable>
<ScalarVariable name="s[1].&lt;t&gt;" valueReference="4294967295" description="&#233;"><String start="&quot;"/></ScalarVariable>
<ScalarVariable name="p" valueReference="7" causality="parameter" variability="tunable"><Real start="1e-3"/></ScalarVariable>
</ModelVariables>
<ModelStructure><Outputs><Unknown index="1" dependencies="3 6" dependenciesKind="dependent fixed"/></Outputs></ModelStructure>
</fmiModelDescription>
"#;

/// Archives in the form of FMUs: a description, a model, and a file in place of a library.
fn archives() -> Vec<Vec<u8>> {
    let folder = std::env::temp_dir().join(format!("ballesta-fuzz-seeds-{}", std::process::id()));
    let archive = |entries: &[Entry]| {
        let file = folder.join("seed.fmu");
        fs::create_dir_all(&folder).ok()?;
        Archive::new(entries).ok()?.write(&file).ok()?;
        fs::read(&file).ok()
    };
    let description = fs::read(root().join("modelDescription.xml")).unwrap_or_default();
    let small = [Entry::new("modelDescription.xml", &b"<fmiModelDescription fmiVersion=\"2.0\"/>"[..])];
    let whole = [
        Entry::new("modelDescription.xml", description),
        Entry::new("resources/model.toml", &b"[model]\n"[..]),
        Entry::library("binaries/linux64/model.so", &b"\x7fELF"[..]),
    ];
    let outside = [Entry::new("../outside", &b"1"[..]), Entry::new("/outside", &b"2"[..])];
    let made = [archive(&small), archive(&whole), archive(&outside), archive(&[])];
    // A folder that remains does no harm.
    let _ = fs::remove_dir_all(folder);
    made.into_iter().flatten().collect()
}

/// The recovery file of a small structure.
fn recovery() -> Vec<u8> {
    let (structure, mut model) = structure::open(&root().join("models/structures/stiff_bar")).expect("of the gallery");
    let everything = structure::recover_everything(&structure, &mut model);
    let (settings, _) = settings(&structure, &model).expect("it says how it is reduced");
    let source = provenance(&structure, &model).expect("its file is there");
    let mut reduced = Reducer::new(&model).expect("of the gallery").reduce(&settings, source).expect("of the gallery");
    recovery_to_toml(&split(&mut reduced.rom, &everything)).into_bytes()
}

/// The seeds of a target, in a fixed order; none exceeds the largest length of its inputs.
pub fn of(target: &Target) -> Vec<Vec<u8>> {
    let map = b"0,-1,0,1\n0,0,0,0\n1,0,0.1,0\n2,0,0,0\n3,0.1,0,0.1\n";
    let row = |values: [f64; 4]| values.map(|value| format!("{value:10.4}")).concat() + "\n";
    let rows =
        [[0.0, 0.0, 0.1, 0.0], [0.0, 0.1, 0.0, 0.0], [0.1, 0.0, 0.0, 0.1], [0.2, 0.1, 0.1, 0.1]].map(row).concat();
    let channels =
        "#:LRFI\nD:reference line phi,rad\nD:long section 1,m\nD:long section 2,m\nD:long section 3,m\n$\n$$$$\n";
    let sizes = "REFERENCE_LINE_INCREMENT = 1\nLONG_SECTION_V_RIGHT = -1\nLONG_SECTION_V_INCREMENT = 1\n";
    let road = format!("$ROAD_CRG\n{sizes}$\n$KD_DEFINITION\n{channels}{rows}");
    let mut seeds = match target.name {
        "model" => with_folders([vec![root().join("tests/tyres/quarter_car.toml")], models()].concat()),
        "structure" => with_folders(files("models", &|name| name == "structure.toml")),
        "rom" => contents([ending("models", ".rom.toml"), ending("tests/roms", ".toml")].concat()),
        "recovery" => vec![recovery()],
        "matrices" => matrices(),
        "tyre" => contents([ending("models", ".tir"), ending("tests/tyres", ".tir")].concat()),
        "inputs" => contents(ending("models/van/manoeuvres", ".csv")),
        "mesh" => contents(files("tests/meshes", &|_| true)),
        "height_map" => [contents(ending("tests/broken/maps", ".csv")), vec![map.to_vec(), road.into_bytes()]].concat(),
        "adjacency" => {
            contents([ending("models/adjacency", ".toml"), ending("tests/broken_adjacency", ".toml")].concat())
        }
        "manoeuvre" => ["sine_with_dwell", "double_lane_change", "fishhook"]
            .map(|name| std::fs::read(root().join(format!("templates/manoeuvres/{name}.toml"))).expect("a manoeuvre"))
            .to_vec(),
        "study" => with_folders(vec![root().join("models/studies/pendulum/study.toml")]),
        "fmu_archive" => archives(),
        "fmu_description" => [contents(vec![root().join("modelDescription.xml")]), vec![DESCRIPTION.into()]].concat(),
        "fmu_state" => fmu::states(),
        "fmu_calls" => fmu::sequences(),
        "fmu_exchange" => exchange::sequences(),
        _ => Vec::new(),
    };
    seeds.retain(|seed| seed.len() <= target.longest);
    seeds
}
