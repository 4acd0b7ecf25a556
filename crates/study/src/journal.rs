//! The rows computed so far, in a file in the folder of the result, so that a study continues after an interruption.
//!
//! `RESULT.part` begins with [`MAGIC`], the hash of the study and its number of runs. Each record has a length of 8
//! bytes, and the bytes of [`Rows`], which have their own checksum. Records are only added. Opening the file removes an
//! incomplete record at its end. If the program is killed, the incomplete record is lost; after a power failure, the
//! records of the last [`MAX_SYNC_INTERVAL`] are lost. The file is locked while it is open.

use super::plan::Study;
use super::result;
use super::rows::{Rows, Status};
use ballesta_files::failure::Failure;
use std::collections::BTreeMap;
use std::fs::{File, TryLockError};
use std::io::{self, BufReader, Read, Seek, SeekFrom, Write};
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, Instant};

const MAGIC: &[u8] = b"ballesta study journal 1\n";
/// Bytes before the first record.
const HEAD: u64 = MAGIC.len() as u64 + 32 + 8;
/// Maximum number of reasons in a summary.
const REASONS: usize = 5;

/// Longest time between synchronisations with the disk; the next record triggers them.
const MAX_SYNC_INTERVAL: Duration = Duration::from_secs(1);

/// Journal of a study, and the path of its result.
pub struct Journal {
    study: Arc<Study>,
    file: File,
    path: PathBuf,
    result: PathBuf,
    /// First run → number of rows, offset and length of the bytes.
    records: BTreeMap<u64, (u64, u64, u64)>,
    end: u64,
    stored: u64,
    synced: Instant,
}

/// State of the result file.
pub enum JournalState {
    /// The result of this study exists, with this outcome.
    Complete(Summary),
    /// A new journal, or a journal with rows.
    Journal(Journal),
}

/// Outcome of a study.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Summary {
    /// Number of runs of every status, in the order of [`Status::ALL`].
    pub counts: [u64; Status::ALL.len()],
    /// The first runs with a status other than done: number, status, reason.
    pub reasons: Vec<(u64, Status, String)>,
}

impl Summary {
    /// Number of runs with a status.
    pub fn count(&self, status: Status) -> u64 {
        self.counts[status as usize]
    }

    /// Counts a run. For each reason the first run is listed.
    pub(super) fn take(&mut self, run: u64, status: Status, reason: &str) {
        self.counts[status as usize] += 1;
        let new = !self.reasons.iter().any(|(_, other, known)| *other == status && known == reason);
        if status != Status::Done && self.reasons.len() < REASONS && new {
            self.reasons.push((run, status, reason.to_string()));
        }
    }
}

impl Journal {
    /// Opens or creates the journal of `result`. `restart`: first removes an existing result and journal of any study.
    ///
    /// # Errors
    /// A result or a journal of another study, a journal that another process has opened, and errors of the file
    /// system.
    pub fn open(study: &Arc<Study>, result: &Path, restart: bool) -> Result<JournalState, Failure> {
        let shown = result.display();
        let cure = "choose another result name (-o), or discard the existing result (--restart)";
        if result.exists() {
            match result::stored_hash(result) {
                None => {
                    let message = format!("{shown} is not a study result; choose another result name (-o)");
                    return Err(Failure::Usage(message));
                }
                Some(hash) if hash == study.hash() && !restart => {
                    let summary = result::stored_summary(result);
                    let summary = summary.map_err(|error| Failure::file("read", result, error))?;
                    return Ok(JournalState::Complete(summary));
                }
                Some(_) if !restart => {
                    let message = format!(
                        "{shown} belongs to another study, or to other versions of its files or of ballesta; {cure}"
                    );
                    return Err(Failure::Usage(message));
                }
                Some(_) => (),
            }
        }
        let path = journal_path(result);
        let failed = |action| {
            let path = path.clone();
            move |error| Failure::file(action, &path, error)
        };
        let mut file =
            File::options().read(true).write(true).create(true).truncate(false).open(&path).map_err(failed("open"))?;
        match file.try_lock() {
            Ok(()) => (),
            Err(TryLockError::WouldBlock) => {
                let message = format!("{} is in use by another process", path.display());
                return Err(Failure::Usage(message));
            }
            // A file system without locks.
            Err(TryLockError::Error(_)) => (),
        }
        let mut head = MAGIC.to_vec();
        head.extend_from_slice(&study.hash);
        head.extend_from_slice(&study.runs().to_le_bytes());
        let length = file.metadata().map_err(failed("read"))?.len();
        if restart && length > 0 {
            let mut found = vec![0; MAGIC.len()];
            let _ = file.read(&mut found).and_then(|_| file.seek(SeekFrom::Start(0))).map_err(failed("read"))?;
            if found != MAGIC {
                return Err(Failure::Usage(format!("{} is not a study journal; remove it", path.display())));
            }
            file.set_len(0).map_err(failed("write"))?;
        }
        if restart && result.exists() {
            std::fs::remove_file(result).map_err(|error| Failure::file("remove", result, error))?;
        }
        let length = if restart { 0 } else { length };
        let mut found = vec![0; head.len().min(length as usize)];
        file.read_exact(&mut found).map_err(failed("read"))?;
        // A process killed at its start may have written a part of the header.
        if length < HEAD && head.starts_with(&found) {
            file.set_len(0).and_then(|()| file.seek(SeekFrom::Start(0))).map_err(failed("write"))?;
            file.write_all(&head).map_err(failed("write"))?;
        } else if found != head {
            let what = if found.starts_with(MAGIC) {
                "has runs of another study, or of other versions of its files or of ballesta"
            } else {
                "is not a study journal"
            };
            return Err(Failure::Usage(format!("{} {what}; {cure}", path.display())));
        }
        let records = BTreeMap::new();
        let study = study.clone();
        let (end, stored, synced) = (HEAD, 0, Instant::now());
        let result = result.to_path_buf();
        let mut journal = Journal { study, file, path: path.clone(), result, records, end, stored, synced };
        journal.read().map_err(failed("read"))?;
        Ok(JournalState::Journal(journal))
    }

    /// The file.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Number of stored runs.
    pub fn stored(&self) -> u64 {
        self.stored
    }

    /// Finds the records and removes an incomplete record at the end.
    fn read(&mut self) -> io::Result<()> {
        let whole = self.file.metadata()?.len();
        self.file.seek(SeekFrom::Start(HEAD))?;
        let mut reader = BufReader::new(&self.file);
        let (mut end, mut records, mut stored) = (HEAD, BTreeMap::new(), 0);
        let mut bytes = Vec::new();
        loop {
            let mut length = [0; 8];
            if reader.read_exact(&mut length).is_err() {
                break;
            }
            let length = u64::from_le_bytes(length);
            if length > whole.saturating_sub(end + 8) {
                break;
            }
            bytes.clear();
            if (&mut reader).take(length).read_to_end(&mut bytes)? as u64 != length {
                break;
            }
            let Ok(rows) = Rows::from_bytes(&bytes, &self.study) else { break };
            let count = rows.rows().len() as u64;
            records.insert(rows.runs().start, (count, end + 8, length));
            stored += count;
            end += 8 + length;
        }
        (self.end, self.records, self.stored) = (end, records, stored);
        self.file.set_len(end)?;
        self.file.seek(SeekFrom::Start(end)).map(drop)
    }

    /// Ranges of missing runs, in order, each within one block.
    pub fn missing(&self) -> Vec<Range<u64>> {
        (0..self.study.blocks()).flat_map(|block| self.gaps(self.study.block(block))).collect()
    }

    /// Missing parts of a range of runs.
    fn gaps(&self, runs: Range<u64>) -> Vec<Range<u64>> {
        let (mut gaps, mut at) = (Vec::new(), runs.start);
        let before = self.records.range(..=runs.start).next_back();
        let within = self.records.range(runs.start + 1..runs.end.max(runs.start + 1));
        for (first, (count, ..)) in before.into_iter().chain(within) {
            if *first > at {
                gaps.push(at..*first);
            }
            at = at.max(first + count);
        }
        if at < runs.end {
            gaps.push(at..runs.end);
        }
        gaps
    }

    /// Stores rows. Skips rows of runs that are stored already. Returns the number of new rows.
    ///
    /// # Errors
    /// Rows of another study, and errors of the file system; the journal then remains unchanged.
    pub fn add(&mut self, rows: &Rows) -> Result<u64, Failure> {
        if rows.hash != self.study.hash || rows.runs().end > self.study.runs() {
            return Err(Failure::Usage("the rows belong to another study".into()));
        }
        let mut added = 0;
        for gap in self.gaps(rows.runs()) {
            let (first, count) = (gap.start, gap.end - gap.start);
            let bytes = if gap == rows.runs() { rows.to_bytes() } else { rows.part(gap).to_bytes() };
            let length = bytes.len() as u64;
            let record = [&length.to_le_bytes()[..], &bytes].concat();
            if let Err(error) = self.file.write_all(&record) {
                let _ = self.file.set_len(self.end).and_then(|()| self.file.seek(SeekFrom::Start(self.end)));
                return Err(Failure::file("write", &self.path, error));
            }
            self.records.insert(first, (count, self.end + 8, length));
            self.end += 8 + length;
            self.stored += count;
            added += count;
        }
        if self.synced.elapsed() >= MAX_SYNC_INTERVAL {
            self.file.sync_data().map_err(|error| Failure::file("write", &self.path, error))?;
            self.synced = Instant::now();
        }
        Ok(added)
    }

    /// Rows of a record.
    fn record(&mut self, place: u64, length: u64) -> io::Result<Rows> {
        self.file.seek(SeekFrom::Start(place))?;
        let mut bytes = vec![0; length as usize];
        self.file.read_exact(&mut bytes)?;
        Rows::from_bytes(&bytes, &self.study).map_err(io::Error::other)
    }

    /// Writes the result block by block and removes the journal.
    ///
    /// # Errors
    /// Missing runs, and errors of the file system; the journal is kept.
    pub fn finish(mut self) -> Result<Summary, Failure> {
        if self.stored < self.study.runs() {
            let missing = self.study.runs() - self.stored;
            return Err(Failure::Usage(format!("{missing} of {} runs are missing", self.study.runs())));
        }
        let mut summary = Summary::default();
        let written = self.write(&mut summary);
        written.map_err(|error| Failure::file("write", &self.result, error))?;
        drop(self.file);
        std::fs::remove_file(&self.path).map_err(|error| Failure::file("remove", &self.path, error))?;
        Ok(summary)
    }

    fn write(&mut self, summary: &mut Summary) -> io::Result<()> {
        let study = self.study.clone();
        let mut writer = result::Writer::create(&self.result, &study)?;
        let records: Vec<(u64, u64)> = self.records.values().map(|(_, place, length)| (*place, *length)).collect();
        let mut rows = Vec::new();
        let mut first = 0;
        for (place, length) in records {
            let more = self.record(place, length)?;
            for (run, row) in more.runs().zip(more.rows()) {
                summary.take(run, row.status, &row.reason);
            }
            rows.extend(more.rows);
            // A record may cross the end of a block.
            let mut block = first..(first + self.study.block).min(self.study.runs);
            while !block.is_empty() && rows.len() as u64 >= block.end - block.start {
                let whole: Vec<_> = rows.drain(..(block.end - block.start) as usize).collect();
                writer.block(first, &whole)?;
                first = block.end;
                block = first..(first + self.study.block).min(self.study.runs);
            }
        }
        writer.finish()
    }
}

/// `RESULT.part`.
fn journal_path(result: &Path) -> PathBuf {
    let mut name = result.as_os_str().to_owned();
    name.push(".part");
    PathBuf::from(name)
}
