//! `ballesta study`: results, statuses, interruptions, reports; and the library behind it as other machines use it.

use super::*;
use ballesta_study::{Journal, JournalState, Rows, Status, Study, read_table};
use std::sync::Arc;

/// Three values of the damping of [`RAIL`], pushed by inputs of a file.
const RAIL_STUDY: &str = r#"
[study]
model = "rail.toml"
inputs = "push.csv"

[[vary]]
name = "damper.damping"
values = [0, 1, 2.5]

[[keep]]
output = "cart.travel"
what = ["final", "min", "max", "max_abs", "mean", "rms"]
percentiles = [50]

[[keep]]
event = "passage"
output = "cart.travel"
crosses = 0.1
direction = "rising"

[[keep]]
trace = ["cart.speed"]
every = 2
"#;
const PUSH: &str = "time,push\n0,0\n0.3,3\n1,-1\n";

/// A folder with the study of the rail and the files it names.
fn rail(test: &str) -> Folder {
    let folder = Folder::new(test);
    folder.file("rail.toml", RAIL);
    folder.file("push.csv", PUSH);
    folder.file("study.toml", RAIL_STUDY);
    folder
}

/// The numbers of a column of a result.
fn column(path: &str, name: &str) -> Vec<f64> {
    let table = read_table(Path::new(path)).unwrap();
    table.columns.into_iter().find(|(column, _)| column == name).unwrap_or_else(|| panic!("no column {name}")).1
}

#[test]
fn kept_values_are_those_of_the_rows_of_run_to_the_bit() {
    let folder = rail("study-bits");
    let (result, csv) = (folder.path("r.parquet"), folder.path("r.csv"));
    let answer = ballesta(["study", &folder.path("study.toml"), "-o", &result, "--json"]);
    assert_eq!((answer.code, answer.stderr.as_str()), (0, ""));
    assert_eq!(answer.json()["done"], 3);
    for (run, damping) in ["0", "1", "2.5"].into_iter().enumerate() {
        let set = format!("damper.damping={damping}");
        let inputs = folder.path("push.csv");
        ballesta(["run", &folder.path("rail.toml"), "--inputs", &inputs, "--set", &set, "--csv", &csv, "-q"]);
        let text = fs::read_to_string(&csv).unwrap();
        let rows: Vec<Vec<f64>> =
            text.lines().skip(1).map(|line| line.split(',').map(|cell| cell.parse().unwrap()).collect()).collect();
        let travel: Vec<f64> = rows.iter().map(|row| row[1]).collect();
        let kept = |what: &str| column(&result, &format!("cart.travel.{what}"))[run];
        let mut sorted = travel.clone();
        sorted.sort_by(f64::total_cmp);
        assert_eq!(kept("final"), travel[10]);
        assert_eq!((kept("min"), kept("max"), kept("p50")), (sorted[0], sorted[10], sorted[5]));
        assert_eq!(kept("mean"), travel.iter().sum::<f64>() / 11.0);
        assert_eq!(kept("rms"), (travel.iter().map(|x| x * x).sum::<f64>() / 11.0).sqrt());
        let after = rows.iter().position(|row| row[1] >= 0.1).unwrap();
        let (before, after) = (&rows[after - 1], &rows[after]);
        let time = before[0] + (after[0] - before[0]) * ((0.1 - before[1]) / (after[1] - before[1]));
        assert_eq!(column(&result, "passage")[run], time);
    }
}

#[test]
fn a_study_trims_or_does_not_as_it_says_whatever_its_model_says() {
    let folder = Folder::new("study-trim");
    // 5 N on a spring of 100 N/m: 0.05 m at rest.
    let free = RAIL.replace("damping = \"damper.damping\"", "damping = \"damper.damping\"\nstiffness = 100");
    folder.file("free.toml", &free);
    folder.file("trimmed.toml", &free.replace("[experiment]", "[experiment]\ntrim = true"));
    let start = |name: &str, line: &str| {
        let text = format!(
            "[study]\nmodel = \"{name}.toml\"\nset = {{ push = 5 }}\n{line}\n[[vary]]\nname = \
             \"damper.damping\"\nvalues = [1]\n\
             [[keep]]\noutput = \"cart.travel\"\nwhat = [\"max_abs\"]\n"
        );
        folder.file("study.toml", &text);
        let result = folder.path("r.parquet");
        let answer = ballesta(["study", &folder.path("study.toml"), "-o", &result, "--restart"]);
        assert_eq!(answer.code, 0, "{}", answer.stderr);
        column(&result, "cart.travel.max_abs")[0]
    };
    let released = start("free", "");
    assert!(released > 0.06, "{released}");
    for trimmed in [start("free", "trim = true"), start("trimmed", "")] {
        assert!((trimmed - 0.05).abs() < 1e-9, "{trimmed}");
    }
    assert_eq!([start("free", "trim = false"), start("trimmed", "trim = false")], [released; 2]);
}

#[test]
fn a_result_is_read_by_others_with_units_and_lists() {
    use parquet::file::reader::{FileReader, SerializedFileReader};
    use parquet::record::Field;
    let folder = rail("study-parquet");
    let result = folder.path("r.parquet");
    ballesta(["study", &folder.path("study.toml"), "-o", &result]);
    let reader = SerializedFileReader::new(fs::File::open(&result).unwrap()).unwrap();
    let metadata = reader.metadata().file_metadata().key_value_metadata().unwrap().clone();
    let units = metadata.iter().find(|entry| entry.key == "units").unwrap().value.clone().unwrap();
    let units: Value = serde_json::from_str(&units).unwrap();
    assert_eq!(
        (&units["cart.travel.rms"], &units["passage"], &units["cart.speed"]),
        (&"m".into(), &"s".into(), &"m/s".into())
    );
    let rows: Vec<_> = reader.get_row_iter(None).unwrap().map(Result::unwrap).collect();
    assert_eq!(rows.len(), 3);
    for (run, row) in rows.into_iter().enumerate() {
        let field = |name: &str| row.get_column_iter().find(|(column, _)| *column == name).unwrap().1.clone();
        assert_eq!(field("run"), Field::Long(run as i64));
        assert_eq!((field("status"), field("reason")), (Field::Str("done".into()), Field::Null));
        let Field::ListInternal(speeds) = field("cart.speed") else { panic!("no list") };
        assert_eq!((speeds.elements().len(), &speeds.elements()[0]), (6, &Field::Double(0.0)));
    }
}

#[test]
fn columns_are_scaled_and_input_files_chosen() {
    let folder = rail("study-inputs");
    folder.file("doubled.csv", "time,push\n0,0\n0.3,6\n1,-2\n");
    let head = "[study]\nmodel = \"rail.toml\"\n";
    folder.file("scaled.toml", &format!("{head}inputs = \"push.csv\"\n[[vary]]\nscale = \"push\"\nvalues = [1, 2]\n"));
    folder.file("chosen.toml", &format!("{head}[[vary]]\ninputs = [\"push.csv\", \"doubled.csv\"]\n"));
    let travel = |study: &str| {
        let result = folder.path(&format!("{study}.parquet"));
        let answer = ballesta(["study", &folder.path(study), "-o", &result]);
        assert_eq!((answer.code, answer.stderr.as_str()), (0, ""));
        column(&result, "cart.travel.final")
    };
    // Twice the number is the same number with another exponent.
    let (scaled, chosen) = (travel("scaled.toml"), travel("chosen.toml"));
    assert_eq!(scaled, chosen);
    assert!((scaled[1] / scaled[0] - 2.0).abs() < 1e-12, "{scaled:?}");
}

#[test]
fn a_run_that_fails_is_a_row_with_its_reason() {
    let folder = Folder::new("study-faults");
    let rate = "\n[[parameter]]\nname = \"rate\"\nvalue = 1\nmin = 0.01\nmax = 3\n";
    folder.file("model.toml", &(OUT_OF_REACH.replace("speed = 1 }", "speed = \"rate\" }") + rate));
    let study = folder.file(
        "study.toml",
        "[study]\nmodel = \"model.toml\"\nstop = 4\nruns = 16\nsampling = \"latin_hypercube\"\n\
         [[vary]]\nname = \"rate\"\ndistribution = \"normal\"\nmean = 1\nstandard_deviation = 2\n",
    );
    let result = folder.path("r.parquet");
    let answer = ballesta(["study", &study, "-o", &result, "--json"]);
    assert_eq!(answer.code, 0, "{}", answer.stderr);
    let (rates, angles) = (column(&result, "rate"), column(&result, "crank.angle.final"));
    let statuses = read_table(Path::new(&result)).unwrap().statuses;
    for (run, status) in statuses.iter().enumerate() {
        assert_eq!(status == "refused", !(0.01..=3.0).contains(&rates[run]), "{run}: {status}");
        assert_eq!(angles[run].is_nan(), status == "refused" || status == "fault", "{run}: {status}");
    }
    let json = answer.json();
    for status in ["refused", "fault", "done"] {
        let count = statuses.iter().filter(|word| *word == status).count();
        assert!(count > 0, "no run is {status}: {statuses:?}");
        assert_eq!(json[status], count, "{status}");
    }
    assert!(answer.stderr.contains("are not `done`"), "{}", answer.stderr);
    assert!(answer.stderr.contains("outside of the range 0.01 to 3"), "{}", answer.stderr);
    assert!(json["reasons"].as_array().unwrap().iter().any(|reason| reason["status"] == "fault"));
    let strict = ballesta(["study", &study, "-o", &folder.path("s.parquet"), "--strict"]);
    assert_eq!(strict.code, 3, "{}", strict.stderr);
    // A result that is there already says the same.
    let again = ballesta(["study", &study, "-o", &folder.path("s.parquet"), "--strict"]);
    assert_eq!((again.code, &again.stderr), (3, &strict.stderr));
    let again = ballesta(["study", &study, "-o", &result, "--json"]);
    assert_eq!((again.code, &again.stderr), (0, &answer.stderr));
    for key in ["done", "questionable", "fault", "refused", "reasons"] {
        assert_eq!(again.json()[key], json[key], "{key}");
    }
    assert_eq!(fs::read(&result).unwrap(), fs::read(folder.path("s.parquet")).unwrap());
}

#[test]
fn a_result_that_is_there_is_kept_and_that_of_another_study_is_not_overwritten() {
    let folder = rail("study-again");
    let (study, result) = (folder.path("study.toml"), folder.path("r.parquet"));
    ballesta(["study", &study, "-o", &result]);
    let before = fs::metadata(&result).unwrap().modified().unwrap();
    let again = ballesta(["study", &study, "-o", &result]);
    assert_eq!(again.code, 0);
    assert!(again.stdout.contains("exists already"), "{}", again.stdout);
    assert_eq!(fs::metadata(&result).unwrap().modified().unwrap(), before);
    folder.file("push.csv", "time,push\n0,0\n0.3,4\n");
    let other = ballesta(["study", &study, "-o", &result]);
    assert_eq!(other.code, 2);
    assert!(other.stderr.contains("another study") && other.stderr.contains("--restart"), "{}", other.stderr);
    assert_eq!(ballesta(["study", &study, "-o", &result, "--restart"]).code, 0);
    folder.file("text.parquet", "no result");
    let no_result = ballesta(["study", &study, "-o", &folder.path("text.parquet"), "--restart"]);
    assert_eq!(no_result.code, 2, "{}", no_result.stderr);
}

#[test]
fn a_dry_run_tells_the_runs_and_writes_nothing() {
    let folder = rail("study-dry");
    let answer =
        ballesta(["study", &folder.path("study.toml"), "-o", &folder.path("r.parquet"), "--dry-run", "--json"]);
    let json = answer.json();
    assert_eq!((&json["runs"], &json["points"][2]["factors"][0]), (&3.into(), &2.5.into()));
    assert!(!Path::new(&folder.path("r.parquet")).exists() && !Path::new(&folder.path("r.parquet.part")).exists());
}

#[test]
fn a_report_has_charts_of_every_kept_value() {
    let folder = rail("study-report");
    let (result, page) = (folder.path("r.parquet"), folder.path("r.html"));
    ballesta(["study", &folder.path("study.toml"), "-o", &result, "--report", &page]);
    let text = fs::read_to_string(&page).unwrap();
    // A histogram, a tornado and a scatter plot of each of eight values.
    assert_eq!(text.matches("<svg").count(), 3 * 8);
    assert!(!text.contains("NaN") && !text.contains("{{"), "{text}");
    // Pictures first: correlations at a glance, charts, and tables of numbers last.
    let places = ["class=\"heat\"", "<svg", "<h2>Factors</h2>"].map(|word| text.find(word).expect(word));
    assert!(places.is_sorted(), "{places:?}");
    let again = ballesta(["study", &result, "--report", &folder.path("again.html")]);
    assert_eq!((again.code, again.stderr.as_str()), (0, ""));
    assert_eq!(text, fs::read_to_string(folder.path("again.html")).unwrap());
    assert_eq!(ballesta(["study", &result]).code, 2);
}

#[test]
fn rows_come_back_from_a_folder_elsewhere_and_count_once() {
    let (folder, elsewhere) = (rail("study-home"), Folder::new("study-elsewhere"));
    let study = Arc::new(Study::read(Path::new(&folder.path("study.toml"))).unwrap());
    for (path, bytes) in study.files() {
        fs::write(elsewhere.path(path), bytes).unwrap();
    }
    let there = Study::read(Path::new(&elsewhere.path(study.entry()))).unwrap();
    assert_eq!((there.hash(), there.blocks()), (study.hash(), 3));
    let result = PathBuf::from(folder.path("r.parquet"));
    let open = || match Journal::open(&study, &result, false).unwrap() {
        JournalState::Journal(journal) => journal,
        JournalState::Complete(_) => panic!("complete"),
    };
    let mut journal = open();
    let bytes: Vec<Vec<u8>> = (0..3).map(|block| there.work(there.block(block), || false).to_bytes()).collect();
    let rows = |block: usize| Rows::from_bytes(&bytes[block], &study).unwrap();
    assert_eq!((journal.add(&rows(2)).unwrap(), journal.add(&rows(2)).unwrap()), (1, 0));
    assert_eq!(journal.missing(), [0..1, 1..2]);
    // Two processes do not work on one journal.
    assert!(Journal::open(&study, &result, false).is_err());
    drop(journal);
    // A record that was not written to its end is cut off.
    let part = folder.path("r.parquet.part");
    let mut torn = fs::read(&part).unwrap();
    torn.extend_from_slice(&bytes[0][..50]);
    fs::write(&part, &torn).unwrap();
    let mut journal = open();
    assert_eq!(journal.stored(), 1);
    assert!(open_with_other_study(&folder, &result).contains("another study"));
    journal.add(&there.work(0..2, || false)).unwrap();
    let summary = journal.finish().unwrap();
    assert_eq!(summary.count(Status::Done), 3);
    assert!(!Path::new(&part).exists());
    let at_home = folder.path("home.parquet");
    ballesta(["study", &folder.path("study.toml"), "-o", &at_home]);
    assert_eq!(fs::read(&result).unwrap(), fs::read(&at_home).unwrap());
    // Damage of any byte is found.
    for at in (0..bytes[0].len()).step_by(7) {
        let mut damaged = bytes[0].clone();
        damaged[at] ^= 1;
        assert!(Rows::from_bytes(&damaged, &study).is_err(), "byte {at}");
    }
}

/// What is said of the journal of one study when another one is given its name.
fn open_with_other_study(folder: &Folder, result: &Path) -> String {
    let copy = result.with_file_name("copy.parquet");
    fs::copy(result.with_extension("parquet.part"), copy.with_extension("parquet.part")).unwrap();
    folder.file("other.toml", &RAIL_STUDY.replace("2.5", "3"));
    let other = Arc::new(Study::read(Path::new(&folder.path("other.toml"))).unwrap());
    match Journal::open(&other, &copy, false) {
        Err(failure) => failure.to_string(),
        Ok(_) => panic!("accepted"),
    }
}

#[cfg(unix)]
#[test]
fn threads_and_interruptions_change_no_byte() {
    use std::thread::sleep;
    use std::time::Duration;
    let folder = Folder::new("study-threads");
    for name in ["pendulum.toml", "study.toml"] {
        let text = fs::read_to_string(Path::new(ROOT).join("models/studies/pendulum").join(name)).unwrap();
        folder.file(name, &text.replace("runs = 40", "runs = 300"));
    }
    let study = folder.path("study.toml");
    let [one, two, broken] = ["one", "two", "broken"].map(|name| folder.path(&format!("{name}.parquet")));
    for (threads, result) in [("1", &one), ("2", &two)] {
        let answer = ballesta(["study", &study, "-o", result, "--threads", threads]);
        assert_eq!((answer.code, answer.stderr.as_str()), (0, ""));
    }
    let part = format!("{broken}.part");
    let length = || fs::metadata(&part).map_or(0, |found| found.len());
    for signal in ["-INT", "-KILL"] {
        let before = length();
        let mut child = Command::new(PROGRAM);
        let mut child = child.args(["study", &study, "-o", &broken, "--threads", "1", "-q"]).spawn().unwrap();
        while length() < before + 1000 {
            assert!(child.try_wait().unwrap().is_none(), "ended before the signal");
            sleep(Duration::from_millis(2));
        }
        assert!(Command::new("kill").args([signal, &child.id().to_string()]).status().unwrap().success());
        let code = child.wait().unwrap().code();
        assert_eq!(code, if signal == "-INT" { Some(130) } else { None });
        assert!(!Path::new(&broken).exists());
    }
    let answer = ballesta(["study", &study, "-o", &broken, "--json"]).json();
    assert!(answer["made"].as_u64().unwrap() < 900, "{answer}");
    let [one, two, broken] = [one, two, broken].map(|path| fs::read(path).unwrap());
    assert!(one == two, "two threads give other bytes");
    assert!(one == broken, "an interruption gives other bytes");
}
