//! The journal on disk: behind the live journal a thread writes finished spans to files.
//!
//! A session's folder holds `meta.json` and numbered segments. A segment begins with a whole state and goes on in
//! [frames](frame) that say how much output and index they cover, so after a kill, or after a disk that was full, the
//! next frame begins exactly where the last whole one ends: what lies between comes from the ring. What the ring no
//! longer holds by then is a gap, and counted. A session never waits for a disk.
//!
//! | to change | open |
//! |---|---|
//! | what a frame is, how a torn one is found | `frame.rs` |
//! | a session's files: names, description, reading | `folder.rs` |
//! | writing them: beginning, going on, the next segment | `segment_writer.rs` |
//! | what is not written yet, and when it is | `queue.rs` |
//! | one job at a time on a session's files | `job.rs` |
//! | the threads | `worker.rs` |
//! | a segment as plain text | `text.rs` |
//! | how much is kept, and for how long | `retention.rs` |
//! | a recording for others: asciicast, text, lines of JSON | `view.rs`, `cast.rs` |
//! | a pattern in recordings | `search.rs` |
//! | a session's output in a file of its own | `capture.rs` |

mod capture;
mod cast;
mod folder;
mod frame;
mod job;
mod queue;
mod retention;
mod search;
mod segment_writer;
mod text;
mod view;
mod worker;

pub use capture::Capture;
pub(crate) use capture::{CaptureWriter, Capturing, make_file};
pub(crate) use folder::{Description, Folder, recordings};
pub(crate) use frame::Note;
pub use queue::RecordingState;
pub(crate) use queue::{Adopted, Late, RecordingQueue, Written};
pub(crate) use retention::{Choice, Keeping};
pub(crate) use segment_writer::SegmentWriter;
pub(crate) use text::complete;
pub(crate) use view::view;
pub(crate) use worker::Worker;

pub(crate) use search::Bounds;
pub use search::{Recorded, SearchedRecordings};

pub use retention::{Purged, RecordingLimits};
pub use view::{Page, RecordingFormat};
