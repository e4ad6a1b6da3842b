//! The journal on disk: a thread writes finished spans of the live journal to files.
//!
//! A session's folder holds `meta.json` and numbered segments. A segment begins with a whole state. [Frames](frame) follow,
//! each with how much output and index it covers. After a kill or a full disk, the next frame begins exactly where the last
//! complete one ends; its output comes from the ring. Output that the ring no longer holds is a gap, and counted. A session
//! waits for a disk at most for moments, in a flood of output.
//!
//! | to change | open |
//! |---|---|
//! | what a frame is, how an incomplete one is found | `frame.rs` |
//! | a session's files: names, description, reading | `folder.rs` |
//! | writing them: opening, appending, the next segment | `segment_writer.rs` |
//! | what waits to be written, and when it is written | `queue.rs` |
//! | one job at a time on a session's files | `job.rs` |
//! | the threads | `worker.rs` |
//! | a segment as plain text | `text.rs` |
//! | how much is kept, and for how long | `retention.rs` |
//! | a recording as asciicast, text or JSON lines | `view.rs`, `cast.rs` |
//! | searching recordings | `search.rs` |
//! | captures | `capture.rs` |

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
