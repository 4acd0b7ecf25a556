//! A run as Parquet: groups of [`GROUP`] rows, uncompressed doubles, with the units as a JSON object in the metadata
//! `units`. Tables of other programs are read if their columns are numbers.

use super::Column;
use crate::simulation::Recording;
use ballesta_files::csv::CsvWriter;
use ballesta_files::output_file::OutputFile;
use parquet::basic::{Repetition, Type as Physical};
use parquet::data_type::DoubleType;
use parquet::errors::ParquetError;
use parquet::file::metadata::KeyValue;
use parquet::file::properties::WriterProperties;
use parquet::file::reader::{FileReader, SerializedFileReader};
use parquet::file::writer::SerializedFileWriter;
use parquet::record::Field;
use parquet::schema::types::Type;
use std::fs::File;
use std::io::{self, BufWriter};
use std::sync::Arc;

/// Number of rows of a group.
const GROUP: usize = 1 << 20;

/// A file that is being written.
pub struct Writer(Box<SerializedFileWriter<BufWriter<OutputFile>>>);

impl Writer {
    /// A Parquet file with columns of doubles.
    pub fn new(file: OutputFile, columns: &[Column]) -> io::Result<Writer> {
        open(file, columns).map(|writer| Writer(Box::new(writer))).map_err(io::Error::other)
    }

    /// Writes the rows.
    pub fn finish(self, recording: &Recording) -> io::Result<OutputFile> {
        columns(*self.0, recording).map_err(io::Error::other)
    }
}

fn open(file: OutputFile, named: &[Column]) -> Result<SerializedFileWriter<BufWriter<OutputFile>>, ParquetError> {
    let column = |name: &str| {
        let builder = Type::primitive_type_builder(name, Physical::DOUBLE).with_repetition(Repetition::REQUIRED);
        builder.build().map(Arc::new)
    };
    let columns = named.iter().map(|(name, _)| column(name)).collect::<Result<Vec<_>, _>>()?;
    let schema = Arc::new(Type::group_type_builder("run").with_fields(columns).build()?);
    let units = named.iter().map(|(name, unit)| (name.to_string(), (*unit).into())).collect();
    let units = KeyValue::new("units".to_string(), serde_json::Value::Object(units).to_string());
    let properties = WriterProperties::builder()
        .set_created_by(format!("ballesta {}", env!("CARGO_PKG_VERSION")))
        .set_key_value_metadata(Some(vec![units]))
        .build();
    SerializedFileWriter::new(BufWriter::new(file), schema, Arc::new(properties))
}

fn columns(
    mut writer: SerializedFileWriter<BufWriter<OutputFile>>,
    recording: &Recording,
) -> Result<OutputFile, ParquetError> {
    let rows = recording.times.len();
    for begin in (0..rows).step_by(GROUP) {
        let end = rows.min(begin + GROUP);
        let mut group = writer.next_row_group()?;
        for series in std::iter::once(&recording.times).chain(&recording.series) {
            let mut column = group.next_column()?.ok_or_else(|| ParquetError::General("a column is missing".into()))?;
            column.typed::<DoubleType>().write_batch(&series[begin..end], None, None)?;
            column.close()?;
        }
        group.close()?;
    }
    let out = writer.into_inner()?;
    out.into_inner().map_err(|error| ParquetError::External(Box::new(error.into_error())))
}

/// A table of numbers as the text of a CSV, with the units of the metadata; missing values are `NaN`.
pub fn text(file: File) -> io::Result<String> {
    let refused = |what: String| io::Error::new(io::ErrorKind::InvalidData, what);
    let reader = SerializedFileReader::new(file).map_err(io::Error::other)?;
    let metadata = reader.metadata().file_metadata();
    // Columns of numbers; pandas also stores its index.
    let columns = metadata.schema_descr().columns();
    let parts = columns.iter().map(|column| column.path().parts());
    let names: Vec<String> = parts.map(|parts| parts.join(".")).collect();
    let kept: Vec<bool> = names.iter().map(|name| !name.starts_with("__index_level_")).collect();
    let named: Vec<&str> = names.iter().zip(&kept).filter(|(_, kept)| **kept).map(|(name, _)| name.as_str()).collect();
    let Some((first, rest)) = named.split_first() else { return Err(refused("the table has no columns".into())) };
    let mut csv = CsvWriter::along(first, Vec::new(), rest.iter().copied())?;
    // Units as this program writes them.
    let stored = metadata.key_value_metadata().into_iter().flatten().find(|pair| pair.key == "units");
    let units = stored.and_then(|pair| pair.value.as_deref());
    let units: Option<serde_json::Map<String, serde_json::Value>> = units.and_then(|u| serde_json::from_str(u).ok());
    if let Some(units) = units {
        let unit = |name: &str| units.get(name).and_then(serde_json::Value::as_str).unwrap_or_default();
        csv.units(unit(first), rest.iter().map(|name| unit(name)))?;
    }
    let mut values = Vec::with_capacity(named.len());
    for row in reader.get_row_iter(None).map_err(io::Error::other)? {
        let row = row.map_err(|error| refused(format!("{error} (the compressions snappy, gzip and none are read)")))?;
        values.clear();
        for ((name, field), _) in row.get_column_iter().zip(&kept).filter(|(_, kept)| **kept) {
            let value =
                number(field).ok_or_else(|| refused(format!("the column `{name}` does not contain numbers")))?;
            values.push(value);
        }
        csv.row(values[0], &values[1..])?;
    }
    String::from_utf8(csv.finish()?).map_err(|_| refused("a name is not UTF-8".into()))
}

fn number(field: &Field) -> Option<f64> {
    match *field {
        Field::Null => Some(f64::NAN),
        Field::Double(value) => Some(value),
        Field::Float(value) => Some(value.into()),
        Field::Bool(value) => Some(value.into()),
        Field::Byte(value) => Some(value.into()),
        Field::Short(value) => Some(value.into()),
        Field::Int(value) => Some(value.into()),
        Field::UByte(value) => Some(value.into()),
        Field::UShort(value) => Some(value.into()),
        Field::UInt(value) => Some(value.into()),
        Field::Long(value) => Some(value as f64),
        Field::ULong(value) => Some(value as f64),
        _ => None,
    }
}
