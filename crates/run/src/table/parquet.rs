//! A run as Parquet: groups of [`GROUP`] rows, uncompressed doubles, with the units as a JSON object in the metadata
//! `units`.

use super::Column;
use crate::simulation::Recording;
use ballesta_files::output_file::OutputFile;
use parquet::basic::{Repetition, Type as Physical};
use parquet::data_type::DoubleType;
use parquet::errors::ParquetError;
use parquet::file::metadata::KeyValue;
use parquet::file::properties::WriterProperties;
use parquet::file::writer::SerializedFileWriter;
use parquet::schema::types::Type;
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
