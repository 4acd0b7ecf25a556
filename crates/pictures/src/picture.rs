//! Pictures of commands: SVG or PNG, by the file extension.

use ballesta_files::failure::{Failure, not_built_in};
use ballesta_files::output_file;
use std::path::{Path, PathBuf};

/// Supported file extensions.
pub const FORMATS: [&str; 2] = ["svg", "png"];

#[cfg(feature = "png")]
/// Pixels of a PNG per unit of a drawing: sharp on screens of twice the usual density.
const SCALE: u8 = 2;

/// File name of a picture, for the command line; unknown extensions are rejected. Devices and pipes get SVG.
pub fn parse(text: &str) -> Result<PathBuf, String> {
    let path = PathBuf::from(text);
    if ending(&path).is_none() && !is_device(&path) {
        return Err(format!(
            "the picture name must end in {}",
            FORMATS.map(|format| format!(".{format}")).join(" or ")
        ));
    }
    if ending(&path) == Some("png") && !cfg!(feature = "png") {
        return Err(not_built_in("PNG"));
    }
    Ok(path)
}

/// Writes the drawing `svg` in the format of the file name.
pub fn write(path: &Path, svg: &str) -> Result<(), Failure> {
    if ending(path) != Some("png") {
        return output_file::write(path, svg);
    }
    let png = png(svg).map_err(|error| Failure::Usage(format!("{}: {error}", path.display())))?;
    output_file::write(path, png)
}

#[cfg(feature = "png")]
fn png(svg: &str) -> Result<Vec<u8>, String> {
    crate::raster::png(svg, SCALE).map(|png| png.bytes)
}

#[cfg(not(feature = "png"))]
fn png(_: &str) -> Result<Vec<u8>, String> {
    Err(not_built_in("PNG"))
}

/// Format of a file name.
fn ending(path: &Path) -> Option<&'static str> {
    let ending = path.extension()?.to_string_lossy().to_lowercase();
    FORMATS.into_iter().find(|format| *format == ending)
}

fn is_device(path: &Path) -> bool {
    std::fs::metadata(path).is_ok_and(|found| !found.is_file() && !found.is_dir())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_ending_decides_and_others_are_refused() {
        for name in ["a.svg", "b.PNG", "/dev/null"] {
            assert_eq!(parse(name), Ok(PathBuf::from(name)));
        }
        for name in ["a.pdf", "a", "svg", "a.svg.gz"] {
            assert_eq!(parse(name), Err("the picture name must end in .svg or .png".to_string()), "{name}");
        }
    }

    #[test]
    fn a_png_is_one() {
        let folder = tempfile::tempdir().unwrap();
        let (svg, png) = (folder.path().join("a.svg"), folder.path().join("a.png"));
        let drawing = "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"4\" height=\"2\"/>";
        write(&svg, drawing).unwrap();
        write(&png, drawing).unwrap();
        assert_eq!(std::fs::read_to_string(svg).unwrap(), drawing);
        assert_eq!(std::fs::read(png).unwrap()[..8], *b"\x89PNG\r\n\x1a\n");
    }
}
