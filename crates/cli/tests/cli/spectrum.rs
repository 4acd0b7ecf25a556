//! `ballesta spectrum`: what it finds in results of known content, what it writes, and what it refuses.

use super::*;
use std::f64::consts::TAU;

/// A file of 4 s at 1 kHz: sines of 50.3 Hz and 120.7 Hz in `a`, nothing but a constant in `b`.
fn results(folder: &Folder) -> String {
    let row = |k: u32| {
        let t = f64::from(k) * 1e-3;
        format!("{t},{},2\n", 1.0 + 0.2 * (TAU * 50.3 * t).sin() + 1e-3 * (TAU * 120.7 * t).cos())
    };
    let text = format!("time,a,b\n{}", (0..4000).map(row).collect::<String>());
    folder.file("out.csv", &text)
}

#[test]
fn the_peaks_of_a_file_are_the_sines_in_it() {
    let folder = Folder::new("spectrum-sines");
    let file = results(&folder);
    for window in ["hann", "blackman-harris"] {
        let found = ballesta(["spectrum", &file, "--window", window, "--json"]).json();
        let columns = found["columns"].as_array().unwrap();
        assert_eq!(columns.len(), 1, "a column that does not vary has no spectrum");
        assert_eq!((found["line_hz"].as_f64().unwrap() * 1e6).round(), 250_000.0);
        let peaks = columns[0]["peaks"].as_array().unwrap();
        assert_eq!(peaks.len(), 2, "{peaks:?}");
        for (peak, (hz, amplitude)) in peaks.iter().zip([(50.3, 0.2), (120.7, 1e-3)]) {
            assert!((peak["hz"].as_f64().unwrap() - hz).abs() < 1e-3, "{window}: {peak}");
            assert!((peak["amplitude"].as_f64().unwrap() / amplitude - 1.0).abs() < 1e-3, "{window}: {peak}");
            assert!((peak["db"].as_f64().unwrap() - 20.0 * f64::log10(amplitude)).abs() < 0.01, "{window}: {peak}");
        }
    }
    let strongest = ballesta(["spectrum", &file, "--peaks", "1", "--json"]).json();
    assert_eq!(strongest["columns"][0]["peaks"].as_array().unwrap().len(), 1);
    let page = ballesta(["spectrum", &file, "--floor-db", "20"]).stdout;
    assert!(page.contains("1 peak\n") && page.contains("50.3000") && !page.contains("120.7"), "{page}");
}

#[test]
fn the_spectrum_is_drawn_and_written_up_to_a_frequency() {
    let folder = Folder::new("spectrum-files");
    let file = results(&folder);
    let (svg, csv) = (folder.path("a.svg"), folder.path("a.csv"));
    let answer = ballesta(["spectrum", &file, "--column", "a", "--up-to", "200", "--svg", &svg, "--csv", &csv]);
    assert_eq!((answer.code, answer.stderr.as_str()), (0, ""));
    let picture = fs::read_to_string(&svg).unwrap();
    assert!(picture.contains("amplitude (dB re 1)") && picture.contains("frequency (Hz)"), "{picture}");
    assert!(picture.contains("peaks at 50.3, 120.7 Hz"), "{picture}");
    let table = fs::read_to_string(&csv).unwrap();
    let mut lines = table.lines();
    assert_eq!(lines.next(), Some("frequency,a"));
    let rows: Vec<Vec<f64>> = lines.map(|l| l.split(',').map(|word| word.parse().unwrap()).collect()).collect();
    assert!((rows.last().unwrap()[0] - 200.0).abs() < 0.05, "{:?}", rows.last());
    let top = rows.iter().max_by(|a, b| a[1].total_cmp(&b[1])).unwrap();
    assert!((top[0] - 50.3).abs() < 0.05 && (top[1] - 0.2).abs() < 1e-3, "{top:?}");
}

#[test]
fn wrong_files_and_options_are_refused_and_nothing_is_written() {
    let folder = Folder::new("spectrum-refused");
    let file = results(&folder);
    let uneven = folder.file("uneven.csv", "time,a\n0,1\n1,2\n2,1\n3,2\n4.5,1\n5,2\n6,1\n7,2\n");
    let constant = folder.file("constant.csv", "time,a\n0,1\n1,1\n2,1\n3,1\n4,1\n5,1\n6,1\n7,1\n");
    let svg = folder.path("none.svg");
    for (arguments, code, hint) in [
        (vec![uneven.as_str()], 1, "uneven.csv:6:1: error: time: found time 4.5 s"),
        (vec![constant.as_str()], 2, "all columns are constant"),
        (vec![&file, "--column", "c"], 2, "has no column `c`"),
        (vec![&file, "--up-to", "600"], 2, "allow at most 500 Hz"),
        (vec![&file, "--after", "3.999"], 1, "1 row from 3.999 s on; expected 8 or more"),
        (vec![&file, "--window", "hamming"], 2, "possible values"),
        (vec![&file, "--padding", "0"], 2, "1..=1024"),
        (vec!["none.csv"], 2, "cannot read none.csv"),
    ] {
        let answer = ballesta(["spectrum", "--svg", &svg].into_iter().chain(arguments.iter().copied()));
        assert_eq!((answer.code, answer.stdout.as_str()), (code, ""), "{arguments:?}: {}", answer.stderr);
        assert!(answer.stderr.contains(hint), "{arguments:?}: {}", answer.stderr);
        assert!(!Path::new(&svg).exists(), "{arguments:?}");
    }
}
