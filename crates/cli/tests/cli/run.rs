//! `ballesta run`: CSV, inputs, plots, faults.

use super::*;
use ballesta::compile;
use ballesta::simulate::Simulator;
use std::sync::Arc;

#[test]
fn the_csv_reads_back_to_the_bits_of_the_solver() {
    let answer = ballesta(["run", "models/four_bar", "--csv", "-"]);
    assert_eq!(answer.code, 0, "{}", answer.stderr);
    let (header, rows) = read_csv(&answer.stdout);

    let document = ballesta::model::load(&Path::new(ROOT).join("models/four_bar")).unwrap();
    let system = Arc::new(compile::compile(&document, &[]).unwrap());
    let names = system.interface().outputs.iter().map(|output| output.name.as_str());
    assert_eq!(header, std::iter::once("time").chain(names).collect::<Vec<_>>());
    assert_eq!(rows.len(), 1001);

    let mut simulator = Simulator::new(system);
    simulator.initialize(0.0).unwrap();
    let mut outputs = vec![0.0; header.len() - 1];
    for (i, row) in rows.iter().enumerate() {
        let time = i as f64 * 0.01;
        simulator.advance(time).unwrap();
        simulator.outputs(&mut outputs).unwrap();
        let bits = |values: &[f64]| values.iter().map(|value| value.to_bits()).collect::<Vec<_>>();
        assert_eq!(row[0].to_bits(), time.to_bits());
        assert_eq!(bits(&row[1..]), bits(&outputs), "row {i}");
    }
}

#[test]
fn states_and_counts_are_written_as_whole_numbers() {
    let answer = ballesta(["run", "models/four_bar", "--csv", "-", "--stop", "3"]);
    let header: Vec<&str> = answer.stdout.lines().next().unwrap().split(',').collect();
    let column = |name: &str| header.iter().position(|other| *other == name).unwrap();
    for line in answer.stdout.lines().skip(1) {
        let cells: Vec<&str> = line.split(',').collect();
        assert!(["0", "1"].contains(&cells[column("near_singular")]), "{line}");
        assert!(cells[column("repartitions")].parse::<u32>().is_ok(), "{line}");
    }
}

/// With F = k·t on a mass m at rest: x = k·t³/(6 m), which RK4 integrates exactly.
#[test]
fn an_input_follows_the_line_between_its_rows_within_a_step() {
    let folder = Folder::new("ramp");
    let model = folder.file("model.toml", RAIL);
    let inputs = folder.file("in.csv", "time,push\n0,0\n1,6\n");
    let answer = ballesta(["run", &model, "--inputs", &inputs, "--csv", "-"]);
    assert_eq!(answer.code, 0, "{}", answer.stderr);
    let (header, rows) = read_csv(&answer.stdout);
    assert_eq!(header, ["time", "cart.travel", "cart.speed", "cart.acceleration"]);
    assert_eq!(rows.len(), 11);
    for row in rows {
        let time = row[0];
        for (value, expected) in row[1..].iter().zip([time.powi(3) / 2.0, 1.5 * time * time, 3.0 * time]) {
            assert!((value - expected).abs() < 1e-13, "{value} for {expected} at {time}");
        }
    }
}

#[test]
fn a_jump_of_an_input_acts_from_its_time_on() {
    let folder = Folder::new("jump");
    let model = folder.file("model.toml", RAIL);
    let inputs = folder.file("in.csv", "time,push\n0,0\n0.5,0\n0.5,4\n");
    let (_, rows) = {
        let answer = ballesta(["run", &model, "--inputs", &inputs, "--csv", &folder.path("out.csv")]);
        assert_eq!(answer.code, 0, "{}", answer.stderr);
        assert!(answer.stdout.contains("11 rows"), "{}", answer.stdout);
        let text = fs::read_to_string(folder.path("out.csv")).unwrap();
        let (header, rows) = read_csv(&text);
        (header.len(), rows)
    };
    assert_eq!((rows[4][2], rows[4][3]), (0.0, 0.0));
    assert!(rows[5][2] == 0.0 && (rows[5][3] - 2.0).abs() < 1e-13, "{:?}", rows[5]);
    assert!((rows[10][2] - 1.0).abs() < 1e-13, "{:?}", rows[10]);
}

#[test]
fn an_input_can_be_set_to_a_constant() {
    let folder = Folder::new("constant");
    let model = folder.file("model.toml", RAIL);
    let answer = ballesta(["run", &model, "--set", "push=4", "--csv", "-"]);
    let (_, rows) = read_csv(&answer.stdout);
    assert!((rows[10][1] - 1.0).abs() < 1e-13, "{:?}", rows[10]);
    let inputs = folder.file("in.csv", "time,push\n0,0\n");
    let answer = ballesta(["run", &model, "--set", "push=4", "--inputs", &inputs]);
    assert_eq!(answer.code, 2);
    assert!(
        answer.stderr.contains("--set push: the input file already has a column with this name"),
        "{}",
        answer.stderr
    );
}

#[test]
fn a_wrong_input_file_ends_with_1_and_every_mistake_with_its_place() {
    let folder = Folder::new("wrong-inputs");
    let model = folder.file("model.toml", RAIL);
    let inputs = folder.file("in.csv", "time,psh\n0,1\n1,one\n");
    let answer = ballesta(["run", &model, "--inputs", &inputs, "--csv", "-"]);
    let expected = format!(
        "{inputs}:1:6: error: psh: the model has no such input; did you mean `push`?\n\
         {inputs}:3:3: error: psh: found `one`; expected a finite number\n2 errors\n"
    );
    assert_eq!((answer.code, answer.stdout.as_str(), answer.stderr), (1, "", expected));
    assert_eq!(ballesta(["run", &model, "--inputs", &folder.path("none.csv")]).code, 2);
}

#[test]
fn an_internal_step_can_be_chosen() {
    let folder = Folder::new("steps");
    let model = folder.file("model.toml", RAIL);
    let answer = ballesta(["run", &model, "--internal-step", "0.03", "--step", "0.25", "--stop", "0.6"]);
    assert_eq!(answer.code, 0, "{}", answer.stderr);
    assert!(
        answer.stdout.starts_with("rail: 0 s to 0.6 s in 3 communication steps of 0.25 s, internal step 0.03 s;"),
        "{}",
        answer.stdout
    );
}

#[test]
fn a_plot_is_written_beside_the_csv() {
    let folder = Folder::new("plot");
    let (csv, svg) = (folder.path("out.csv"), folder.path("out.svg"));
    let answer = ballesta(["run", "models/four_bar", "--stop", "1", "--csv", &csv, "--plot", &svg]);
    assert_eq!((answer.code, answer.stderr.as_str()), (0, ""));
    let svg = fs::read_to_string(svg).unwrap();
    assert!(svg.contains("left.angle") && svg.contains("angle (rad)") && svg.contains("prefers-color-scheme"));
    assert_eq!(read_csv(&fs::read_to_string(csv).unwrap()).1.len(), 101);
}

#[test]
fn a_fault_ends_with_3_and_keeps_what_was_computed() {
    let folder = Folder::new("fault");
    let model = folder.file("model.toml", OUT_OF_REACH);
    let (csv, svg) = (folder.path("out.csv"), folder.path("out.svg"));
    let answer = ballesta(["run", &model, "--csv", &csv, "--plot", &svg]);
    assert_eq!((answer.code, answer.stdout.as_str()), (3, ""), "{}", answer.stderr);

    let text = fs::read_to_string(&csv).unwrap();
    let (_, rows) = read_csv(&text);
    // The end of the crank cannot come nearer to D than coupler and rocker differ in length: the last row lies just
    // before.
    let nearest = 1.2 - 1.04_f64.sqrt();
    let limit = 1.5 * std::f64::consts::PI - 2.0 * (nearest / 2.0).asin();
    let last = rows.last().unwrap();
    assert!(last[0] > limit - 0.02 && last[0] < limit + 0.002, "stopped at {} instead of {limit} s", last[0]);
    assert!((last[1] - last[0]).abs() < 1e-12, "the crank follows its motion up to the last row");
    assert!(rows.iter().all(|row| row[2] < 1e-9), "no row with an open loop");

    let cut = ballesta(["check", &model, "--json"]).json()["cuts"][0].as_str().unwrap().to_string();
    let expected = format!("fault: the loop closed by `{cut}` could not be closed at t = 4.53");
    assert!(answer.stderr.starts_with(&expected), "{}", answer.stderr);
    assert!(
        answer.stderr.contains(&format!("Kept: {} points up to t = {} s", rows.len(), last[0])),
        "{}",
        answer.stderr
    );
    assert!(fs::read_to_string(svg).unwrap().contains("stopped: "));
}

#[test]
fn a_run_that_fails_at_its_start_leaves_no_file_and_no_change() {
    let folder = Folder::new("nothing-written");
    // A cart that a force pushes on a rail has no equilibrium.
    let model = folder.file("model.toml", RAIL);
    let (csv, svg) = (folder.file("out.csv", "of an earlier run"), folder.path("out.svg"));
    let arguments = ["run", &model, "--trim", "--set", "push=4", "--csv", &csv, "--plot", &svg];
    let answer = ballesta(arguments);
    assert_eq!((answer.code, answer.stdout.as_str()), (3, ""), "{}", answer.stderr);
    assert_eq!(fs::read_to_string(&csv).unwrap(), "of an earlier run");
    let files: Vec<_> = fs::read_dir(&folder.0).unwrap().map(|entry| entry.unwrap().file_name()).collect();
    assert_eq!(files.len(), 2, "{files:?}");
}

#[test]
fn a_model_chooses_the_panels_of_its_picture() {
    let folder = Folder::new("chosen-panels");
    let svg = folder.path("out.svg");
    let answer = ballesta(["run", "models/planar_puck", "--plot", &svg]);
    assert_eq!(answer.code, 0, "{}", answer.stderr);
    let svg = fs::read_to_string(svg).unwrap();
    assert_eq!(svg.matches("class=\"frame\"").count(), 4);
    for words in ["from above (m)", ">x (m)<", "Turn of the puck (°)", ">kinetic<", ">time (s)<", "○ start"] {
        assert!(svg.contains(words), "{words}");
    }
    assert_eq!((svg.matches("<circle").count(), svg.matches(">time (s)<").count()), (1, 1));
    assert!(!svg.contains("near_singular"), "only what was chosen");
}

#[test]
fn a_table_is_compressed_or_parquet_by_its_ending_and_has_units_on_request() {
    let folder = Folder::new("tables");
    let rail = folder.file("rail.toml", RAIL);
    let paths = ["a.csv", "units.csv", "a.csv.gz", "a.parquet"].map(|name| folder.path(name));
    for path in &paths {
        let units = path.ends_with("units.csv").then_some("--units");
        let command = ["run", &rail, "--set", "push=4", "--quiet", "--csv", path].into_iter().chain(units);
        let answer = ballesta(command);
        assert_eq!((answer.code, answer.stdout.as_str(), answer.stderr.as_str()), (0, "", ""), "{path}");
    }
    let [plain, units, gzip, _] = paths.each_ref().map(|path| fs::read(path).unwrap());
    let plain = String::from_utf8(plain).unwrap();
    let (head, rows) = plain.split_once('\n').unwrap();
    assert_eq!(String::from_utf8(units).unwrap(), format!("{head}\ns,m,m/s,m/s2\n{rows}"));
    let mut unpacked = String::new();
    std::io::Read::read_to_string(&mut flate2::read::GzDecoder::new(gzip.as_slice()), &mut unpacked).unwrap();
    assert_eq!(unpacked, plain);

    use parquet::file::reader::{FileReader, SerializedFileReader};
    let reader = SerializedFileReader::new(fs::File::open(&paths[3]).unwrap()).unwrap();
    let metadata = reader.metadata().file_metadata();
    let units = metadata.key_value_metadata().unwrap().iter().find(|entry| entry.key == "units").unwrap();
    let units: Value = serde_json::from_str(units.value.as_deref().unwrap()).unwrap();
    assert_eq!(units["cart.acceleration"], "m/s2");
    let (names, rows) = read_csv(&plain);
    let read = reader.get_row_iter(None).unwrap().map(|row| {
        let columns = row.unwrap().into_columns();
        assert!(columns.iter().map(|(name, _)| name.as_str()).eq(names.iter().copied()));
        let value = |(_, field): &(String, parquet::record::Field)| match field {
            parquet::record::Field::Double(value) => *value,
            other => panic!("{other:?}"),
        };
        columns.iter().map(value).collect::<Vec<f64>>()
    });
    assert_eq!(read.collect::<Vec<_>>(), rows);
}

#[test]
fn a_table_with_units_can_be_transformed_and_used_as_inputs() {
    let folder = Folder::new("units");
    let rail = folder.file("rail.toml", RAIL);
    let table = folder.path("table.csv");
    assert_eq!(ballesta(["run", &rail, "--set", "push=4", "--csv", &table, "--units", "-q"]).code, 0);
    let answer = ballesta(["spectrum", &table]);
    assert_eq!(answer.code, 0, "{}", answer.stderr);
    let inputs = folder.file("inputs.csv", "time,push\ns,N\n0,4\n1,4\n");
    let found = ballesta(["run", &rail, "--inputs", &inputs, "--json"]).json();
    assert!((found["outputs"][0]["last"].as_f64().unwrap() - 1.0).abs() < 1e-9, "{found}");
    let prefixed = folder.file("prefixed.csv", "time;push\nms;kN\n0;4e-3\n1000;0,004\n");
    assert_eq!(ballesta(["run", &rail, "--inputs", &prefixed, "--json"]).json()["outputs"], found["outputs"]);
    let other = folder.file("other.csv", "time,push\ns,mm\n0,4e-3\n");
    let answer = ballesta(["run", &rail, "--inputs", &other]);
    assert_eq!(answer.code, 1);
    assert!(
        answer.stderr.contains("other.csv:2:3: error: push: found the unit `mm`; expected `N` or `kN`"),
        "{}",
        answer.stderr
    );
}

/// The truss of the gallery with all internal modes, which is the full structure.
fn full_truss(folder: &Folder) -> String {
    let rom = folder.path("full.rom.toml");
    let arguments = ["reduce", "models/structures/truss", "--modes", "18", "--no-comparison", "-o", &rom];
    assert_eq!(ballesta(arguments).code, 0);
    rom
}

/// Columns of a CSV file by name.
fn columns(path: &str) -> Vec<(String, Vec<f64>)> {
    let text = fs::read_to_string(path).unwrap();
    let mut lines = text.lines();
    let mut columns: Vec<(String, Vec<f64>)> =
        lines.next().unwrap().split(',').map(|name| (name.trim_matches('"').to_string(), Vec::new())).collect();
    for line in lines {
        columns.iter_mut().zip(line.split(',')).for_each(|(column, value)| column.1.push(value.parse().unwrap()));
    }
    columns
}

#[test]
fn a_run_compared_with_the_full_structure_gives_the_difference_of_the_two_tables() {
    let folder = Folder::new("run-compare");
    let full = full_truss(&folder);
    let [own, other, svg] = ["own.csv", "other.csv", "compared.svg"].map(|name| folder.path(name));
    let model = "models/step_loaded_truss";
    let span = ["--stop", "0.1"];
    let arguments = ["run", model, "--compare", &full, "--csv", &own, "--plot", &svg, "--json"];
    let answer = ballesta([&arguments[..], &span].concat());
    assert_eq!((answer.code, answer.stderr.as_str()), (0, ""));
    // The same by hand: a copy of the model with the other reduced model, and the two tables.
    let copy = folder.path("model.toml");
    let text = fs::read_to_string(Path::new(ROOT).join(model).join("model.toml")).unwrap();
    fs::write(&copy, text.replace("truss.rom.toml", "full.rom.toml")).unwrap();
    assert_eq!(ballesta([&["run", &copy, "--csv", &other][..], &span].concat()).code, 0);
    let (own, other) = (columns(&own), columns(&other));
    let json: serde_json::Value = serde_json::from_str(&answer.stdout).unwrap();
    let outputs = json["comparison"]["outputs"].as_array().unwrap();
    // Gaps and counts are not compared.
    let names: Vec<&str> = outputs.iter().filter_map(|output| output["name"].as_str()).collect();
    assert_eq!(names, ["load.displacement", "energy_balance"]);
    let [of, against] =
        [&own, &other].map(|table| &table.iter().find(|(name, _)| name == "load.displacement").unwrap().1);
    let differences: Vec<f64> = of.iter().zip(against).map(|(a, b)| a - b).collect();
    let (at, largest) =
        differences.iter().enumerate().max_by(|a, b| a.1.abs().total_cmp(&b.1.abs())).expect("there are rows");
    let range = against.iter().copied().max_by(f64::total_cmp).unwrap()
        - against.iter().copied().min_by(f64::total_cmp).unwrap();
    let found = outputs.iter().find(|output| output["name"] == "load.displacement").unwrap();
    let number = |key: &str| found[key].as_f64().unwrap();
    assert_eq!((number("difference"), number("at_s")), (*largest, own[0].1[at]));
    assert_eq!((number("range"), number("relative")), (range, largest.abs() / range));
    // Seven of eighteen modes: a small difference, and not none.
    assert!(number("relative") > 1e-5 && number("relative") < 0.05, "{found}");
    // Both curves and their difference; what tells about the computation is left out.
    let svg = fs::read_to_string(&svg).unwrap();
    for (words, drawn) in [("load.displacement: difference", true), ("full.rom.toml", true), ("near_singular", false)] {
        assert_eq!(svg.contains(words), drawn, "{words}");
    }
}

#[test]
fn a_model_compared_with_itself_differs_nowhere() {
    let answer = ballesta(["run", "models/four_bar", "--stop", "0.1", "--compare", "models/four_bar", "--json"]);
    assert_eq!((answer.code, answer.stderr.as_str()), (0, ""));
    let json: serde_json::Value = serde_json::from_str(&answer.stdout).unwrap();
    let outputs = json["comparison"]["outputs"].as_array().unwrap();
    assert!(outputs.len() > 3 && outputs.iter().all(|output| output["difference"].as_f64() == Some(0.0)), "{json}");
}

#[test]
fn what_cannot_be_compared_is_refused() {
    let folder = Folder::new("run-compare-wrong");
    let (csv, full) = (folder.path("out.csv"), full_truss(&folder));
    // An interface that the model joins is missing.
    let other = folder.path("other.rom.toml");
    fs::write(&other, fs::read_to_string(&full).unwrap().replace("name = \"load\"", "name = \"tip\"")).unwrap();
    let truss = "models/step_loaded_truss";
    // One output, of another name.
    let (renamed, text) =
        (folder.path("model.toml"), fs::read_to_string(Path::new(ROOT).join(truss).join("model.toml")));
    let text = text.unwrap().replace("truss.rom.toml", "full.rom.toml").replace("load.displacement", "tip");
    let parts: Vec<&str> = text.split("[[output]]").collect();
    fs::write(&renamed, parts[..2].join("[[output]]")).unwrap();
    for (model, compare, code, words) in [
        (truss, renamed.as_str(), 2, "no output with the same name and unit"),
        ("models/four_bar", full.as_str(), 2, "no flexible body of the model uses a reduced model"),
        (truss, other.as_str(), 1, "load"),
        (truss, "models/structures/truss", 2, "is a structure, not a model"),
        (truss, "no/such/model", 2, "cannot read"),
        (truss, "models/step_loaded_truss/truss.rom.toml.bak", 2, "cannot read"),
    ] {
        let answer = ballesta(["run", model, "--compare", compare, "--csv", &csv, "--stop", "0.01"]);
        assert_eq!((answer.code, answer.stdout.as_str()), (code, ""), "{compare}: {}", answer.stderr);
        assert!(answer.stderr.contains(words), "{compare}: {}", answer.stderr);
        assert!(!Path::new(&csv).exists(), "{compare}");
    }
    let over = ballesta(["run", truss, "--compare", &full, "--csv", &full, "--stop", "0.01"]);
    assert!(over.code == 2 && over.stderr.contains("full.rom.toml"), "{}", over.stderr);
}
