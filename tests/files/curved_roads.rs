//! OpenCRG roads whose headings pass a whole turn: every notation of the angle gives one road.

use ballesta::force::road::HeightMap;
use std::f64::consts::TAU;

/// A flat bend with the given rad per metre, 4 m wide, from a heading on, each as `written`.
fn crg(start: f64, bend: f64, written: fn(f64) -> f64) -> String {
    let mut text = "$CT\nA bend\n$\n$ROAD_CRG\nreference_line_start_u = 0.0\nreference_line_end_u = 40.0\n\
        reference_line_increment = 1.0\nlong_section_v_right = -2.0\nlong_section_v_left = 2.0\n\
        long_section_v_increment = 2.0\n$\n$KD_DEFINITION\n#:LDFI\nU:reference line u,m,0,1.0\n\
        D:reference line phi,rad\nD:long section 1,m\nD:long section 2,m\nD:long section 3,m\n$\n"
        .to_string();
    text += &format!("{}\n", "$".repeat(72));
    for row in 0..=40 {
        let heading = written(start + bend * f64::from(row));
        let heading = if row == 0 { format!("{:>20}", "**unused**") } else { format!("{heading:20.12}") };
        text += &format!("{heading}{:20.9}{:20.9}{:20.9}\n", 0.0, 0.1, 0.0);
    }
    text
}

/// The map that a model reads from the file, or the message.
fn read(text: &str) -> Result<HeightMap, String> {
    let folder = tempfile::tempdir().expect("a folder");
    std::fs::write(folder.path().join("road.crg"), text).expect("a file");
    let model = "[model]\nname = \"m\"\n[[road]]\nname = \"road\"\nheight_map = \"road.crg\"\n[[body]]\nname = \"b\"\n\
        mass = 1\ncom = [0, 0, 0]\n[[joint]]\nname = \"j\"\ntype = \"prismatic\"\nbodies = [\"ground\", \"b\"]\naxis = [1, 0, 0]\n";
    let path = folder.path().join("model.toml");
    std::fs::write(&path, model).expect("a file");
    let document = ballesta::model::load(&path).map_err(|wrong| wrong.to_string())?;
    Ok(document.height_maps[0].as_ref().expect("a map").as_ref().clone())
}

#[test]
fn headings_that_pass_a_whole_turn_are_the_same_road() {
    let ways: [fn(f64) -> f64; 3] = [|a| a, |a| a - TAU * (a / TAU).round(), |a| a - TAU * (a / TAU).floor()];
    let mut wrapped = 0;
    for start in [-9.0, -3.1, -0.1, 0.1, 1.01, 3.01, 6.2, 12.5] {
        for bend in [0.02, -0.02, 0.2, -0.2] {
            let [plain, others @ ..] = ways.map(|written| {
                wrapped += usize::from((written(start + 40.0 * bend) - written(start + bend)) * bend < 0.0);
                read(&crg(start, bend, written)).unwrap_or_else(|wrong| panic!("{start} {bend}: {wrong}"))
            });
            for other in others {
                assert_eq!(other.heights, plain.heights);
                let lines = [&plain, &other].map(|map| map.line.clone().expect("a bend"));
                for (a, b) in lines[0].iter().zip(&lines[1]) {
                    assert!((a[0] - b[0]).hypot(a[1] - b[1]) < 1e-9, "{start} {bend}: {a:?} {b:?}");
                }
            }
        }
    }
    assert!(wrapped >= 9, "{wrapped}");
    // A bend whose centre is on the road is rejected for every heading.
    for start in [0.0, 3.0] {
        let wrong = read(&crg(start, 0.5, ways[1])).expect_err("its centre is at v = 2 m");
        assert!(wrong.contains("0.9 of the radius"), "{wrong}");
    }
}
