//! The result as a Parquet file: one row per run, one row group per block.
//!
//! | column | type |
//! |---|---|
//! | `run` | INT64, from 0 |
//! | every factor | DOUBLE; input files as strings |
//! | every kept value | optional DOUBLE: null where the run did not come to its end, or an event did not happen |
//! | `status` | `done`, `questionable`, `fault`, `refused`, `wrong` |
//! | `reason` | optional string |
//! | `exit_code` | INT64: as `ballesta run` |
//! | every trace | optional LIST of DOUBLE |
//!
//! Uncompressed; metadata `units` (JSON: column → unit) and `study` (JSON: the study). The bytes depend only on the
//! study, not on time, machine or number of threads.

use super::journal::Summary;
use super::plan::{Levels, Study};
use super::rows::{Row, Status};
use ballesta_files::output_file::OutputFile;
use parquet::basic::{ConvertedType, LogicalType, Repetition, Type as Physical};
use parquet::column::reader::ColumnReader;
use parquet::data_type::{ByteArray, ByteArrayType, DoubleType, Int64Type};
use parquet::errors::ParquetError;
use parquet::file::metadata::KeyValue;
use parquet::file::properties::WriterProperties;
use parquet::file::reader::{FileReader, SerializedFileReader};
use parquet::file::writer::{SerializedFileWriter, SerializedRowGroupWriter};
use parquet::schema::types::Type;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::fs::File;
use std::io::{self, BufWriter};
use std::path::Path;
use std::sync::Arc;

/// Metadata `study` of a result, which describes the study.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ResultFacts {
    /// Name of the model.
    pub model: String,
    /// Description of the study.
    pub description: String,
    /// SHA-256 of the files, and of version and sources of the program.
    pub hash: String,
    /// Version of the program.
    pub ballesta: String,
    /// Number of runs.
    pub runs: u64,
    /// Names of the columns with factors.
    pub factors: Vec<String>,
    /// Names of the columns with kept values.
    pub kept: Vec<String>,
    /// Sampling method of distributions; `None` without distributions.
    pub sampling: Option<super::study_schema::Sampling>,
    /// Seed of the sampling.
    pub seed: Option<u64>,
    /// First communication point, s.
    pub start_s: f64,
    /// Last communication point, s.
    pub stop_s: f64,
    /// Interval of the communication points, s.
    pub step_s: f64,
    /// Columns with lists: time of their first value and interval between values, s.
    pub traces: BTreeMap<String, [f64; 2]>,
}

impl ResultFacts {
    /// The columns of a study.
    pub fn of(study: &Study) -> ResultFacts {
        let sampling = study.sampling();
        let grid = study.grid;
        let trace = |trace: &super::keep::Trace| {
            (trace.name.clone(), [grid.point(trace.window.0), trace.every as f64 * grid.step])
        };
        ResultFacts {
            model: study.model_name().to_string(),
            description: study.file.study.description.clone(),
            hash: study.hash(),
            ballesta: env!("CARGO_PKG_VERSION").to_string(),
            runs: study.runs,
            factors: study.factors.iter().map(|factor| factor.name.clone()).collect(),
            kept: study.kept.iter().map(|kept| kept.name.clone()).collect(),
            sampling: sampling.map(|(sampling, _)| sampling),
            seed: sampling.map(|(_, seed)| seed),
            start_s: grid.start,
            stop_s: grid.stop,
            step_s: grid.step,
            traces: study.traces.iter().map(trace).collect(),
        }
    }
}

/// A result that is being written.
pub struct Writer<'a> {
    study: &'a Study,
    writer: SerializedFileWriter<BufWriter<OutputFile>>,
}

impl<'a> Writer<'a> {
    /// Opens a temporary file for `path`.
    pub fn create(path: &Path, study: &'a Study) -> io::Result<Writer<'a>> {
        let file = BufWriter::new(OutputFile::create(path)?);
        let schema = schema(study).map_err(io::Error::other)?;
        let units = units(study).into_iter().map(|(name, unit)| (name, unit.into()));
        let units = serde_json::Value::Object(serde_json::Map::from_iter(units)).to_string();
        let facts = serde_json::to_string(&ResultFacts::of(study)).map_err(io::Error::other)?;
        let metadata = vec![KeyValue::new("units".to_string(), units), KeyValue::new("study".to_string(), facts)];
        let properties = WriterProperties::builder()
            .set_created_by(format!("ballesta {}", env!("CARGO_PKG_VERSION")))
            .set_key_value_metadata(Some(metadata))
            .build();
        let writer = SerializedFileWriter::new(file, Arc::new(schema), Arc::new(properties));
        Ok(Writer { study, writer: writer.map_err(io::Error::other)? })
    }

    /// Writes the rows of a block, beginning with run `first`.
    pub fn block(&mut self, first: u64, rows: &[Row]) -> io::Result<()> {
        self.group(first, rows).map_err(io::Error::other)
    }

    fn group(&mut self, first: u64, rows: &[Row]) -> Result<(), ParquetError> {
        let study = self.study;
        let mut group = self.writer.next_row_group()?;
        let runs: Vec<u64> = (first..first + rows.len() as u64).collect();
        let numbers: Vec<i64> = runs.iter().map(|run| *run as i64).collect();
        next::<Int64Type>(&mut group, &numbers, None, None)?;
        let points: Vec<Vec<f64>> = runs.iter().map(|run| study.point(*run)).collect();
        for (index, factor) in study.factors.iter().enumerate() {
            let values = points.iter().map(|point| point[index]);
            match &factor.levels {
                Levels::Files(files) => {
                    let names: Vec<ByteArray> = values.map(|value| files[value as usize].as_str().into()).collect();
                    next::<ByteArrayType>(&mut group, &names, None, None)?;
                }
                _ => next::<DoubleType>(&mut group, &values.collect::<Vec<f64>>(), None, None)?,
            }
        }
        for index in 0..study.kept.len() {
            let values = || rows.iter().map(|row| row.numbers[index]);
            let there: Vec<i16> = values().map(|value| i16::from(!value.is_nan())).collect();
            let values: Vec<f64> = values().filter(|value| !value.is_nan()).collect();
            next::<DoubleType>(&mut group, &values, Some(&there), None)?;
        }
        let statuses: Vec<ByteArray> = rows.iter().map(|row| row.status.word().into()).collect();
        next::<ByteArrayType>(&mut group, &statuses, None, None)?;
        let there: Vec<i16> = rows.iter().map(|row| i16::from(!row.reason.is_empty())).collect();
        let reasons = rows.iter().filter(|row| !row.reason.is_empty()).map(|row| row.reason.as_str().into());
        next::<ByteArrayType>(&mut group, &reasons.collect::<Vec<ByteArray>>(), Some(&there), None)?;
        let codes: Vec<i64> = rows.iter().map(|row| i64::from(row.status.exit_code())).collect();
        next::<Int64Type>(&mut group, &codes, None, None)?;
        for index in 0..study.traces.len() {
            let (mut values, mut there, mut repeated) = (Vec::new(), Vec::new(), Vec::new());
            for row in rows {
                let trace = &row.traces[index];
                if trace.is_empty() {
                    there.push(0);
                    repeated.push(0);
                }
                for (place, value) in trace.iter().enumerate() {
                    values.push(*value);
                    there.push(2);
                    repeated.push(i16::from(place > 0));
                }
            }
            next::<DoubleType>(&mut group, &values, Some(&there), Some(&repeated))?;
        }
        group.close().map(drop)
    }

    /// Renames the file to its final name.
    pub fn finish(self) -> io::Result<()> {
        let out = self.writer.into_inner().map_err(io::Error::other)?;
        out.into_inner().map_err(|error| error.into_error())?.commit_synced()
    }
}

/// Writes the next column of a group.
fn next<T: parquet::data_type::DataType>(
    group: &mut SerializedRowGroupWriter<'_, BufWriter<OutputFile>>,
    values: &[T::T],
    there: Option<&[i16]>,
    repeated: Option<&[i16]>,
) -> Result<(), ParquetError> {
    let mut column = group.next_column()?.ok_or_else(|| ParquetError::General("a column is missing".into()))?;
    column.typed::<T>().write_batch(values, there, repeated)?;
    column.close()
}

fn schema(study: &Study) -> Result<Type, ParquetError> {
    let number =
        |name: &str, kind, repetition| Type::primitive_type_builder(name, kind).with_repetition(repetition).build();
    let text = |name: &str, repetition| {
        Type::primitive_type_builder(name, Physical::BYTE_ARRAY)
            .with_repetition(repetition)
            .with_logical_type(Some(LogicalType::String))
            .with_converted_type(ConvertedType::UTF8)
            .build()
    };
    let list = |name: &str| {
        let element = Arc::new(number("element", Physical::DOUBLE, Repetition::REQUIRED)?);
        let list = Type::group_type_builder("list").with_repetition(Repetition::REPEATED).with_fields(vec![element]);
        Type::group_type_builder(name)
            .with_repetition(Repetition::OPTIONAL)
            .with_logical_type(Some(LogicalType::List))
            .with_converted_type(ConvertedType::LIST)
            .with_fields(vec![Arc::new(list.build()?)])
            .build()
    };
    let mut columns = vec![number("run", Physical::INT64, Repetition::REQUIRED)?];
    for factor in &study.factors {
        columns.push(match factor.levels {
            Levels::Files(_) => text(&factor.name, Repetition::REQUIRED)?,
            _ => number(&factor.name, Physical::DOUBLE, Repetition::REQUIRED)?,
        });
    }
    for kept in &study.kept {
        columns.push(number(&kept.name, Physical::DOUBLE, Repetition::OPTIONAL)?);
    }
    columns.push(text("status", Repetition::REQUIRED)?);
    columns.push(text("reason", Repetition::OPTIONAL)?);
    columns.push(number("exit_code", Physical::INT64, Repetition::REQUIRED)?);
    for trace in &study.traces {
        columns.push(list(&trace.name)?);
    }
    Type::group_type_builder("study").with_fields(columns.into_iter().map(Arc::new).collect()).build()
}

/// Unit of every column of numbers.
fn units(study: &Study) -> Vec<(String, String)> {
    let factors = study.factors.iter().filter(|factor| !matches!(factor.levels, Levels::Files(_)));
    let factors = factors.map(|factor| (factor.name.clone(), factor.unit.clone()));
    let kept = study.kept.iter().map(|kept| (kept.name.clone(), kept.unit.clone()));
    let traces = study.traces.iter().map(|trace| (trace.name.clone(), trace.unit.clone()));
    factors.chain(kept).chain(traces).collect()
}

fn metadata(reader: &SerializedFileReader<File>, name: &str) -> Option<String> {
    let all = reader.metadata().file_metadata().key_value_metadata()?;
    all.iter().find(|entry| entry.key == name)?.value.clone()
}

/// A Parquet file of any size; only the requested parts are read.
fn open(path: &Path) -> io::Result<SerializedFileReader<File>> {
    SerializedFileReader::new(ballesta::document::file::open_within(path, u64::MAX)?).map_err(io::Error::other)
}

/// Metadata of a result about its study; `None` for a file that is not a study result.
pub fn stored_facts(path: &Path) -> Option<ResultFacts> {
    let reader = open(path).ok()?;
    serde_json::from_str(&metadata(&reader, "study")?).ok()
}

/// Hash of the study of a result.
pub fn stored_hash(path: &Path) -> Option<String> {
    stored_facts(path).map(|facts| facts.hash)
}

/// Status of the runs of a result.
///
/// # Errors
/// Errors of the file system, and a file that is not a study result.
pub fn stored_summary(path: &Path) -> io::Result<Summary> {
    let other = || io::Error::new(io::ErrorKind::InvalidData, "the file is not a study result");
    let reader = open(path)?;
    let schema = reader.metadata().file_metadata().schema_descr_ptr();
    let place = |name: &str| schema.columns().iter().position(|column| column.path().parts() == [name]);
    let (status, reason) = place("status").zip(place("reason")).ok_or_else(other)?;
    let (mut summary, mut run) = (Summary::default(), 0);
    for index in 0..reader.num_row_groups() {
        let group = reader.get_row_group(index).map_err(io::Error::other)?;
        let rows = group.metadata().num_rows() as usize;
        let texts = |column: usize| -> io::Result<(Vec<i16>, Vec<ByteArray>)> {
            let (mut there, mut values) = (Vec::new(), Vec::new());
            match group.get_column_reader(column).map_err(io::Error::other)? {
                ColumnReader::ByteArrayColumnReader(mut column) => {
                    column.read_records(rows, Some(&mut there), None, &mut values).map_err(io::Error::other)?;
                    Ok((there, values))
                }
                _ => Err(other()),
            }
        };
        let ((_, statuses), (there, reasons)) = (texts(status)?, texts(reason)?);
        if statuses.len() != rows || there.len() != rows {
            return Err(other());
        }
        let mut reasons = reasons.iter();
        for (word, there) in statuses.iter().zip(there) {
            let status = Status::ALL.into_iter().find(|status| status.word().as_bytes() == word.data());
            let reason = if there == 1 { reasons.next().map(ByteArray::data) } else { None };
            let reason = String::from_utf8_lossy(reason.unwrap_or_default());
            summary.take(run, status.ok_or_else(other)?, &reason);
            run += 1;
        }
    }
    Ok(summary)
}

/// Data of a result.
pub struct Table {
    /// Description of the study.
    pub facts: ResultFacts,
    /// Unit of every column of numbers.
    pub units: BTreeMap<String, String>,
    /// Columns with factors and kept values in the order of the file: name, and one number per run, NaN for missing
    /// values. For a factor with input files the number is the index of the file in the order of appearance in the
    /// result.
    pub columns: Vec<(String, Vec<f64>)>,
    /// Status of each run, as in the file.
    pub statuses: Vec<String>,
}

/// Reads a result without its traces. Memory: 8 bytes per run and column.
///
/// # Errors
/// Errors of the file system, and a file that is not a study result.
pub fn read_table(path: &Path) -> io::Result<Table> {
    let other = || io::Error::new(io::ErrorKind::InvalidData, "the file is not a study result");
    let reader = open(path)?;
    let facts: ResultFacts =
        metadata(&reader, "study").and_then(|text| serde_json::from_str(&text).ok()).ok_or_else(other)?;
    let units = metadata(&reader, "units").and_then(|text| serde_json::from_str(&text).ok()).ok_or_else(other)?;
    let wanted: Vec<&String> = facts.factors.iter().chain(&facts.kept).collect();
    let mut columns: Vec<(String, Vec<f64>)> = wanted.iter().map(|name| ((*name).clone(), Vec::new())).collect();
    let mut statuses = Vec::new();
    let mut files: Vec<String> = Vec::new();
    let schema = reader.metadata().file_metadata().schema_descr_ptr();
    for index in 0..reader.num_row_groups() {
        let group = reader.get_row_group(index).map_err(io::Error::other)?;
        let rows = group.metadata().num_rows() as usize;
        for (place, column) in schema.columns().iter().enumerate() {
            let name = column.path().parts().first().cloned().unwrap_or_default();
            let wanted = columns.iter_mut().find(|(wanted, _)| *wanted == name && column.path().parts().len() == 1);
            if wanted.is_none() && name != "status" {
                continue;
            }
            let column = group.get_column_reader(place).map_err(io::Error::other)?;
            match (column, wanted) {
                (ColumnReader::DoubleColumnReader(mut column), Some((_, numbers))) => {
                    let (mut there, mut values) = (Vec::new(), Vec::new());
                    column.read_records(rows, Some(&mut there), None, &mut values).map_err(io::Error::other)?;
                    if there.is_empty() {
                        numbers.extend(values);
                    } else {
                        let mut values = values.into_iter();
                        numbers.extend(there.iter().map(|there| match there {
                            1 => values.next().unwrap_or(f64::NAN),
                            _ => f64::NAN,
                        }));
                    }
                }
                (ColumnReader::ByteArrayColumnReader(mut column), _) => {
                    let mut values: Vec<ByteArray> = Vec::new();
                    column.read_records(rows, None, None, &mut values).map_err(io::Error::other)?;
                    for value in values {
                        let text = String::from_utf8_lossy(value.data()).into_owned();
                        let Some((_, numbers)) = &mut columns.iter_mut().find(|(wanted, _)| *wanted == name) else {
                            statuses.push(text);
                            continue;
                        };
                        let known = files.iter().position(|file| *file == text);
                        let place = known.unwrap_or_else(|| {
                            files.push(text);
                            files.len() - 1
                        });
                        numbers.push(place as f64);
                    }
                }
                _ => return Err(other()),
            }
        }
    }
    if columns.iter().any(|(_, numbers)| numbers.len() as u64 != facts.runs) || statuses.len() as u64 != facts.runs {
        return Err(other());
    }
    Ok(Table { facts, units, columns, statuses })
}
