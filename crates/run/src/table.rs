//! Tables of outputs over time and other tables: CSV, compressed CSV or Parquet, by the file extension.
//!
//! CSV is written row by row, so `--csv -` has passed on its rows even if the run is killed. Parquet is written at the
//! end, column by column. [`read_text`] reads them.

#[cfg(feature = "parquet")]
mod parquet;
mod read;

pub use read::read_text;

use super::simulation::Recording;
use ballesta::system::Interface;
use ballesta_files::csv::CsvWriter;
use ballesta_files::failure::{Failure, not_built_in};
use ballesta_files::output_file::OutputFile;
use ballesta_files::stdout::stdout_is_open;
use flate2::Compression;
use flate2::write::GzEncoder;
use std::io::{self, BufWriter, ErrorKind, Write};
use std::path::{Path, PathBuf};

/// Format of a table.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Format {
    Csv,
    Gzip,
    Parquet,
}

impl Format {
    const ALL: [(&'static str, Format); 3] =
        [(".csv", Format::Csv), (".csv.gz", Format::Gzip), (".parquet", Format::Parquet)];

    /// Format for a file name; CSV for devices and pipes.
    fn of(path: &Path) -> Option<Format> {
        let name = path.to_string_lossy().to_lowercase();
        let named = Format::ALL.into_iter().find(|(ending, _)| name.ends_with(ending)).map(|(_, format)| format);
        let device = || std::fs::metadata(path).is_ok_and(|found| !found.is_file() && !found.is_dir());
        named.or_else(|| device().then_some(Format::Csv))
    }
}

/// Target of a table.
pub struct Target {
    /// None: stdout.
    file: Option<PathBuf>,
    format: Format,
    units: bool,
}

impl Target {
    /// The target of `--csv PATH`; `units`: a second header line of a CSV.
    pub fn new(path: &Path, units: bool) -> Result<Target, Failure> {
        if path == Path::new("-") {
            return Ok(Target { file: None, format: Format::Csv, units });
        }
        let Some(format) = Format::of(path) else {
            let known = Format::ALL.map(|(ending, _)| ending).join(", ");
            let message = format!("--csv {}: unknown file extension; expected {known}", path.display());
            return Err(Failure::Usage(message));
        };
        if format == Format::Parquet && !cfg!(feature = "parquet") {
            return Err(Failure::Usage(format!("--csv {}: {}", path.display(), not_built_in("Parquet"))));
        }
        Ok(Target { file: Some(path.to_path_buf()), format, units })
    }

    /// The file; `None` for stdout.
    pub fn file(&self) -> Option<&Path> {
        self.file.as_deref()
    }

    /// Name of the file, or `stdout`.
    pub fn name(&self) -> &Path {
        self.file().unwrap_or(Path::new("stdout"))
    }
}

/// Name and unit of a column.
pub type Column<'a> = (&'a str, &'a str);

/// A table that is being written.
pub struct Table {
    rows: Rows,
    name: PathBuf,
}

enum Rows {
    Csv(Box<CsvWriter<BufWriter<Sink>>>),
    #[cfg(feature = "parquet")]
    Parquet(parquet::Writer),
    /// The reader has closed the pipe (`--csv - | head`).
    Closed,
}

/// Destination of a CSV.
enum Sink {
    Stdout(io::Stdout),
    File(OutputFile),
    Gzip(Box<GzEncoder<OutputFile>>),
}

impl Write for Sink {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        match self {
            Sink::Stdout(out) => out.write(bytes),
            Sink::File(file) => file.write(bytes),
            Sink::Gzip(file) => file.write(bytes),
        }
    }

    fn flush(&mut self) -> io::Result<()> {
        match self {
            Sink::Stdout(out) => out.flush(),
            Sink::File(file) => file.flush(),
            Sink::Gzip(file) => file.flush(),
        }
    }
}

impl Sink {
    fn commit(self) -> io::Result<()> {
        match self {
            Sink::Stdout(_) => Ok(()),
            Sink::File(file) => file.commit(),
            Sink::Gzip(file) => file.finish()?.commit(),
        }
    }
}

impl Table {
    /// Writes a whole table; the times of `recording` are the first column.
    pub fn write(target: &Target, columns: &[Column], recording: &Recording) -> Result<(), Failure> {
        let mut table = Table::open(target, columns)?;
        let mut values = Vec::with_capacity(recording.series.len());
        for (i, first) in recording.times.iter().enumerate() {
            values.clear();
            values.extend(recording.series.iter().map(|series| series[i]));
            table.row(*first, &values)?;
        }
        table.finish(recording)
    }

    /// Opens the target of a run and writes the header.
    pub fn create(target: &Target, interface: &Interface) -> Result<Table, Failure> {
        let outputs = interface.outputs.iter().map(|output| (output.name.as_str(), output.unit.as_str()));
        Table::open(target, &std::iter::once(("time", "s")).chain(outputs).collect::<Vec<Column>>())
    }

    fn open(target: &Target, columns: &[Column]) -> Result<Table, Failure> {
        let name = target.name().to_path_buf();
        let failed = |error| Failure::file("write", &name, error);
        let rows = match &target.file {
            None => {
                stdout_is_open("the rows")?;
                Table::csv(Sink::Stdout(io::stdout()), target, columns).map_err(failed)?
            }
            Some(path) => {
                let file = OutputFile::create(path).map_err(failed)?;
                let rows = match target.format {
                    Format::Csv => Table::csv(Sink::File(file), target, columns),
                    Format::Gzip => {
                        Table::csv(Sink::Gzip(Box::new(GzEncoder::new(file, Compression::default()))), target, columns)
                    }
                    #[cfg(feature = "parquet")]
                    Format::Parquet => parquet::Writer::new(file, columns).map(Rows::Parquet),
                    #[cfg(not(feature = "parquet"))]
                    Format::Parquet => unreachable!("`Target::new` refuses it"),
                };
                rows.map_err(failed)?
            }
        };
        Ok(Table { rows, name })
    }

    fn csv(sink: Sink, target: &Target, columns: &[Column]) -> io::Result<Rows> {
        let (first, rest) = columns.split_first().map_or((("time", "s"), columns), |(first, rest)| (*first, rest));
        let mut csv = CsvWriter::along(first.0, BufWriter::new(sink), rest.iter().map(|column| column.0))?;
        if target.units {
            csv.units(first.1, rest.iter().map(|column| column.1))?;
        }
        Ok(Rows::Csv(Box::new(csv)))
    }

    /// Writes one row.
    pub fn row(&mut self, time: f64, outputs: &[f64]) -> Result<(), Failure> {
        let Rows::Csv(csv) = &mut self.rows else { return Ok(()) };
        match csv.row(time, outputs) {
            Err(error) if error.kind() == ErrorKind::BrokenPipe => {
                self.rows = Rows::Closed;
                Ok(())
            }
            written => written.map_err(|error| Failure::file("write", &self.name, error)),
        }
    }

    /// Writes the remaining rows of `recording` and renames the file to its final name.
    #[cfg_attr(not(feature = "parquet"), expect(unused_variables, reason = "CSV is written row by row"))]
    pub fn finish(self, recording: &Recording) -> Result<(), Failure> {
        let written = match self.rows {
            Rows::Closed => Ok(()),
            Rows::Csv(csv) => {
                csv.finish().and_then(|out| out.into_inner().map_err(|error| error.into_error())).and_then(Sink::commit)
            }
            #[cfg(feature = "parquet")]
            Rows::Parquet(writer) => writer.finish(recording).and_then(OutputFile::commit),
        };
        match written {
            Err(error) if error.kind() == ErrorKind::BrokenPipe => Ok(()),
            written => written.map_err(|error| Failure::file("write", &self.name, error)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_ending_says_the_format() {
        let of = |name: &str| Format::of(Path::new(name));
        assert_eq!(of("a.csv"), Some(Format::Csv));
        assert_eq!(of("a.b.CSV.gz"), Some(Format::Gzip));
        assert_eq!(of("a.parquet"), Some(Format::Parquet));
        for name in ["a.mat", "a", "csv", "a.gz"] {
            assert_eq!(of(name), None, "{name}");
        }
        assert!(matches!(Target::new(Path::new("x.mat"), false), Err(Failure::Usage(_))));
    }
}
