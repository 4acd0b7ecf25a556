//! Keyframes: start positions of all joints, by name.

use super::Reader;
use crate::xml::Element;
use ballesta::math::{Vec3, rotation};
use ballesta::model::schema::JointKind as Kind;

impl<'e> Reader<'e> {
    pub fn keyframes(&mut self, root: &'e Element) {
        let keys: Vec<&Element> = root.all("keyframe").flat_map(|keyframe| keyframe.all("key")).collect();
        let Some(wanted) = &self.options.keyframe else {
            for key in keys {
                key.mark_all();
                self.files.note(key.place, "<key>: use --keyframe NAME to start from a keyframe");
            }
            return;
        };
        let names: Vec<&str> = keys.iter().filter_map(|key| key.text("name")).collect();
        let Some(key) = keys.iter().find(|key| key.text("name") == Some(wanted.as_str())) else {
            let found = format!("there is no keyframe \"{wanted}\"");
            let cure = ballesta::document::nearest::did_you_mean(wanted, &names);
            return self.files.wrong(root.place, "keyframe", found, &cure);
        };
        let Some(all) = key.list(self.files, "qpos") else { return };
        let count: usize = self.order.iter().map(|joint| joint.zero.len()).sum();
        if all.len() != count {
            let found = format!("{} numbers", all.len());
            return self.files.wrong(
                key.place_of("qpos"),
                "key.qpos",
                found,
                &format!("give one number for each of the {count} positions"),
            );
        }
        let mut rest = all.as_slice();
        for joint in &self.order {
            let (own, others) = rest.split_at(joint.zero.len());
            rest = others;
            let position = match joint.kind {
                Kind::Floating => {
                    // The frame rotates by R R₀ᵀ from its zero orientation.
                    let zero = [joint.zero[3], -joint.zero[4], -joint.zero[5], -joint.zero[6]];
                    let turned = rotation::product(&rotation::normalized(&[own[3], own[4], own[5], own[6]]), &zero);
                    let moved = [0, 1, 2].map(|i| own[i] - joint.zero[i]);
                    moved.into_iter().chain(turned).collect()
                }
                Kind::Spherical => {
                    let [w, x, y, z] = rotation::normalized(&[own[0], own[1], own[2], own[3]]);
                    let turned = joint.turn * Vec3::new(x, y, z);
                    vec![w, turned.x, turned.y, turned.z]
                }
                _ => vec![own[0] - joint.zero[0]],
            };
            if let Some(found) = self.robot.joints.iter_mut().find(|found| found.name == joint.name) {
                found.position = position;
            }
        }
    }
}
