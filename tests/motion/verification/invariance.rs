//! What must not change the physics: the order of the file, the world's axes, a mirror, a weld, who is called parent.

use crate::check::larger;
use crate::verification::support::{Run, add_body_output, body_names, gallery, in_parallel, load, times};
use crate::verification::transform::{can_be_mirrored, can_be_turned, exchanged, reordered, split, turned};
use crate::verification::verification_page::{figure, went_through};
use ballesta::math::{Mat3, Vec3};
use ballesta::model::schema::{Model, Quantity};

/// Compared up to here: long enough to move, short enough that chaos does not magnify round-off.
const END: f64 = 0.5;

fn with_body_outputs(model: &Model, names: &[String]) -> Model {
    let mut model = model.clone();
    model.outputs.clear();
    for name in names {
        add_body_output(&mut model, "position", name, Quantity::Position);
        add_body_output(&mut model, "spin", name, Quantity::AngularVelocity);
    }
    model
}

/// Largest deviation of positions (m) and angular velocities (rad/s, relative to the fastest) of the bodies of
/// `changed` from those of `model` after p → Q p + shift.
fn deviation(model: &Model, changed: &Model, q: &Mat3, shift: Vec3) -> f64 {
    let names = body_names(model);
    let (mut a, mut b) = (Run::new(&with_body_outputs(model, &names)), Run::new(&with_body_outputs(changed, &names)));
    let (mut worst, mut fastest) = (0.0_f64, 1.0_f64);
    let end = END.min(model.experiment.stop);
    for time in times(0.0, end, end / 25.0) {
        a.advance(time);
        b.advance(time);
        for name in &names {
            let (position, spin) = (format!("position.{name}"), format!("spin.{name}"));
            worst = larger(worst, (q * a.vector(&position) + shift - b.vector(&position)).norm());
            fastest = larger(fastest, a.vector(&spin).norm());
            worst = larger(worst, (q * a.vector(&spin) * q.determinant().signum() - b.vector(&spin)).norm() / fastest);
            assert!(worst.is_finite(), "{} at {time} s", model.general.name);
        }
    }
    worst
}

fn check(what: &str, change: impl Fn(&Model) -> Option<(Model, Mat3, Vec3)> + Sync, least: usize) {
    let names = gallery();
    let results = in_parallel(&names, |name| {
        let model = load(name);
        change(&model).map(|(changed, q, shift)| deviation(&model, &changed, &q, shift))
    });
    let mut compared = Vec::new();
    let mut most = (0.0, names[0].as_str());
    let mut complaints = Vec::new();
    for (name, worst) in names.iter().zip(&results) {
        let Some(worst) = worst else { continue };
        compared.push(name);
        if *worst > most.0 {
            most = (*worst, name);
        }
        println!("{name}, {what}: deviation {worst:.1e}");
        if *worst > 1e-8 {
            complaints.push(format!("{name}: {worst:.1e}"));
        }
    }
    assert!(compared.len() >= least, "only {} models were compared", compared.len());
    assert!(complaints.is_empty(), "{what}: {}", complaints.join(", "));
    went_through(what, &compared);
    figure("Invariance", |cells| cells[0].starts_with(what), 1, &format!("{:.1e} m", most.0));
}

fn unchanged(model: Model) -> Option<(Model, Mat3, Vec3)> {
    Some((model, Mat3::identity(), Vec3::zeros()))
}

#[test]
fn the_order_of_the_file_does_not_matter() {
    check("lists in the opposite order", |model| unchanged(reordered(model)), 25);
}

#[test]
fn the_axes_of_the_world_do_not_matter() {
    // A rotation by about 2 rad about no particular axis.
    let (w, v) = (0.5f64, Vec3::<f64>::new(0.3, -0.7, 0.41));
    let n = (w * w + v.norm_squared()).sqrt();
    let (w, v) = (w / n, v / n);
    let skew = Mat3::new(0.0, -v.z, v.y, v.z, 0.0, -v.x, -v.y, v.x, 0.0);
    let q = Mat3::identity() + skew * (2.0 * w) + skew * skew * 2.0;
    let shift = Vec3::new(3.0, -1.0, 7.0);
    let change = |model: &Model| can_be_turned(model).then(|| (turned(model, &q, shift), q, shift));
    check("world turned", change, 20);
}

#[test]
fn the_mirror_image_moves_as_the_mirror_image() {
    let q = Mat3::new(1.0, 0.0, 0.0, 0.0, -1.0, 0.0, 0.0, 0.0, 1.0);
    let change = |model: &Model| can_be_mirrored(model).then(|| (turned(model, &q, Vec3::zeros()), q, Vec3::zeros()));
    check("mirrored", change, 18);
}

#[test]
fn a_body_may_be_split_by_a_weld() {
    check("bodies split", |model| unchanged(split(model)), 25);
}

#[test]
fn it_does_not_matter_which_body_of_a_joint_comes_first() {
    check("bodies of the joints exchanged", |model| exchanged(model).and_then(unchanged), 20);
}
