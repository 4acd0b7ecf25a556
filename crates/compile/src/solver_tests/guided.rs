#[test]
fn motions_of_half_a_period_per_step_and_more_are_not_resolved() {
    let text = |frequency: f64, amplitude: f64| {
        format!(
            "[model]\nname = \"shaker\"\n[[body]]\nname = \"table\"\nmass = 1\ncom = [0, 0, 0]\n[[joint]]\n\
             name = \"rail\"\ntype = \"prismatic\"\nbodies = [\"ground\", \"table\"]\naxis = [1, 0, 0]\n\
             [[guided]]\nname = \"shake\"\njoint = \"rail\"\n\
             motion = {{ amplitude = {amplitude}, frequency = {frequency} }}\n"
        )
    };
    for (frequency, amplitude, unresolved) in [(100.0, 0.01, true), (99.0, 0.01, false), (1600.0, 0.0, false)] {
        let document = ballesta_model::parse(&text(frequency, amplitude), "model.toml").expect("a model");
        let system = crate::compile(&document, &[]).expect("it compiles");
        let found = system.unresolved_motions(0.005);
        assert_eq!(!found.is_empty(), unresolved, "{frequency} {amplitude}: {found:?}");
        assert!(found.iter().all(|(name, f)| *name == "shake" && (f - frequency).abs() < 1e-9), "{found:?}");
    }
}
