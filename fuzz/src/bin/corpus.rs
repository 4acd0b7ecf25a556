//! `corpus FOLDER`: writes the seeds of every target below FOLDER, one folder each, and prints for each the largest
//! length of inputs, bytes.

use std::path::PathBuf;

use ballesta_fuzz::shared::{seeds, targets};

fn main() -> std::io::Result<()> {
    let Some(folder) = std::env::args_os().nth(1).map(PathBuf::from) else {
        return Err(std::io::Error::other("usage: corpus FOLDER"));
    };
    for target in &targets::ALL {
        println!("{} {}", target.name, target.longest);
        let folder = folder.join(target.name);
        std::fs::create_dir_all(&folder)?;
        for (number, seed) in seeds::of(target).iter().enumerate() {
            std::fs::write(folder.join(format!("seed_{number:03}")), seed)?;
        }
    }
    Ok(())
}
