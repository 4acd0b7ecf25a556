//! Tables of numbers as the text of a CSV: CSV of any encoding that spreadsheets write, compressed CSV, Parquet.

use ballesta::document::file;
use ballesta_files::Failure;
use flate2::read::GzDecoder;
use std::io::{self, Read};
use std::path::Path;

/// Endings of files that Python libraries read better.
const OF_PYTHON: [&str; 6] = [".mat", ".mf4", ".mdf", ".xlsx", ".xls", ".ods"];

/// The text of a table with the ending `.csv.gz` or `.parquet`, or of a CSV with any other ending.
///
/// # Errors
/// Errors of the file system, damaged files, and formats that the Python package reads.
pub fn read_text(path: &Path) -> Result<String, Failure> {
    let name = path.to_string_lossy().to_lowercase();
    let failed = |error| Failure::file("read", path, error);
    if let Some(ending) = OF_PYTHON.iter().find(|ending| name.ends_with(**ending)) {
        let how = "use it from Python, `ballesta.load(MODEL).run(inputs=FILE)`, or write it as CSV or Parquet";
        return Err(Failure::Usage(format!("{}: the program does not read {ending} files; {how}", path.display())));
    }
    if name.ends_with(".parquet") {
        return parquet(path);
    }
    let bytes = file::read(path).map_err(failed)?;
    let bytes = if name.ends_with(".gz") { unpack(&bytes).map_err(failed)? } else { bytes };
    decode(bytes).map_err(failed)
}

#[cfg(feature = "parquet")]
fn parquet(path: &Path) -> Result<String, Failure> {
    let text = file::open(path).and_then(super::parquet::text);
    text.map_err(|error| Failure::file("read", path, error))
}

#[cfg(not(feature = "parquet"))]
fn parquet(path: &Path) -> Result<String, Failure> {
    Err(Failure::Usage(format!("{}: {}", path.display(), ballesta_files::failure::not_built_in("Parquet"))))
}

/// The content of a compressed file, up to the size of the largest file that is read.
fn unpack(bytes: &[u8]) -> io::Result<Vec<u8>> {
    let mut content = Vec::new();
    GzDecoder::new(bytes).take(file::MAX_FILE_BYTES).read_to_end(&mut content)?;
    Ok(content)
}

/// Text in UTF-8, or in UTF-16 with a byte order mark (`Unicode text` of spreadsheets).
fn decode(bytes: Vec<u8>) -> io::Result<String> {
    let unit = match bytes.get(..2) {
        Some([0xff, 0xfe]) => |pair: &[u8]| u16::from_le_bytes([pair[0], pair[1]]),
        Some([0xfe, 0xff]) => |pair: &[u8]| u16::from_be_bytes([pair[0], pair[1]]),
        _ => return file::text(bytes),
    };
    let units = bytes[2..].chunks_exact(2).map(unit);
    let text: Result<String, _> = char::decode_utf16(units).collect();
    text.map_err(|_| io::Error::new(io::ErrorKind::InvalidData, "the file is not valid UTF-16; save it as UTF-8"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use flate2::{Compression, write::GzEncoder};
    use std::io::Write;

    #[test]
    fn texts_of_all_encodings_are_the_same() {
        let folder = tempfile::tempdir().unwrap();
        let text = "time;Größe\n0;1,5\n";
        let mut packed = GzEncoder::new(Vec::new(), Compression::default());
        packed.write_all(text.as_bytes()).unwrap();
        let wide = |mark: u16, bytes: fn(u16) -> [u8; 2]| -> Vec<u8> {
            std::iter::once(mark).chain(text.encode_utf16()).flat_map(bytes).collect()
        };
        for (name, bytes) in [
            ("a.csv", text.as_bytes().to_vec()),
            ("marked.csv", ["\u{feff}".as_bytes(), text.as_bytes()].concat()),
            ("little.txt", wide(0xfeff, u16::to_le_bytes)),
            ("big.txt", wide(0xfeff, u16::to_be_bytes)),
            ("a.CSV.gz", packed.finish().unwrap()),
        ] {
            std::fs::write(folder.path().join(name), bytes).unwrap();
            assert_eq!(read_text(&folder.path().join(name)).unwrap(), text, "{name}");
        }
        std::fs::write(folder.path().join("damaged.csv.gz"), [0x1f, 0x8b, 8, 0]).unwrap();
        assert!(read_text(&folder.path().join("damaged.csv.gz")).is_err());
        let refused = read_text(&folder.path().join("a.mat")).unwrap_err().to_string();
        assert!(refused.contains("Python"), "{refused}");
    }
}
