use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, Instant};

use cotty_protocol::ApiError;
use regex::Regex;

use super::{Hub, HubOptions, Purpose, blocking};
use crate::durable::journal::disk::{
    Bounds, Capturing, Choice, Description, Folder, Keeping, RecordingQueue, SegmentWriter, Worker, complete,
    make_file, recordings, view,
};
use crate::error::{directory, invalid};
use crate::hub::meta::now_ms;
use crate::{Actor, Capture, Meta, Page, Purged, RecordingFormat, SearchedRecordings, Session, SessionError};

/// How long a search in recordings may take, and how many bytes of text it may read.
const SEARCH_TIME: Duration = Duration::from_secs(5);
const SEARCH_BYTES: u64 = 256 << 20;

/// The threads that write all recordings, and the limits that they apply.
#[derive(Debug)]
pub(super) struct Recorder {
    keeping: Arc<Keeping>,
    pub(super) writer: Worker,
    texts: Worker,
}

/// Which recordings to delete.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Purge {
    /// The recording of one session, by its id, number or name.
    Session(String),
    /// Recordings that have not changed for this many milliseconds.
    OlderThan(u64),
    /// All recordings.
    All,
}

impl Recorder {
    pub(super) fn start(options: &HubOptions) -> io::Result<Recorder> {
        let keeping = Arc::new(Keeping::new(options.recordings_dir.clone(), options.recording));
        let seldom = Arc::clone(&keeping);
        let writer = Worker::start("recordings", false, move || seldom.tidy())?;
        let texts = Worker::start("recordings' text", true, || {})?;
        Ok(Recorder { keeping, writer, texts })
    }

    /// Applies the limits, and completes the recordings of sessions that are gone. Called when all live sessions are known.
    pub(super) fn tidy(&self) {
        let (kept, ended) = (Arc::clone(&self.keeping), Arc::clone(&self.keeping));
        self.writer.hand_over(move || kept.tidy());
        self.texts.hand_over(move || complete(&ended));
    }

    pub(super) fn queue(&self, meta: &Meta) -> RecordingQueue {
        let writer = meta.record.then(|| {
            self.keeping.set_live(&meta.id, true);
            SegmentWriter::new(Description::of(meta), Arc::clone(&self.keeping), self.texts.clone())
        });
        RecordingQueue::new(writer, self.writer.clone())
    }

    pub(super) fn is_over(&self, id: &str) {
        self.keeping.set_live(id, false);
    }
}

impl Hub {
    /// Reads about `limit` bytes of a recording, from the end of the previous page or from the beginning. The session may
    /// be gone.
    pub async fn recording(
        &self,
        reference: &str,
        format: RecordingFormat,
        next: Option<String>,
        limit: usize,
        actor: &Actor,
    ) -> Result<(String, Page), SessionError> {
        let live = self.find_own(reference, actor);
        if let Some(session) = &live {
            session.flush().await?;
        }
        let id = live.map_or_else(|| reference.to_owned(), |session| session.meta().id.clone());
        let dir = self.inner.options.recordings_dir.clone();
        let actor = actor.clone();
        blocking(move || {
            let (id, folder) = find(&dir, &id, Some(&actor))?;
            let owner = folder.description().map(|about| about.owner).unwrap_or_default();
            if !actor.may_access(&id, &owner) {
                return Err(ApiError::NotYours { session: id, owner }.into());
            }
            let page = view(&folder, format, next.as_deref(), limit).map_err(|error| match error.kind() {
                io::ErrorKind::InvalidInput => invalid(error.to_string()),
                io::ErrorKind::NotFound => ApiError::NoRecording { session: id.clone() }.into(),
                _ => SessionError::Io(error),
            })?;
            Ok((id, page))
        })
        .await
    }

    /// The live session of that name, if the actor may access it.
    fn find_own(&self, reference: &str, actor: &Actor) -> Option<Session> {
        self.find(reference).ok().filter(|s| actor.may_access(&s.meta().id, &s.meta().actor.owner))
    }

    /// Searches the recordings that the actor may access, or that of one session, newest first. It runs on a separate thread,
    /// within limits of time and bytes.
    pub async fn search_recordings(
        &self,
        reference: Option<&str>,
        pattern: Regex,
        limit: usize,
        actor: &Actor,
    ) -> Result<SearchedRecordings, SessionError> {
        let until = Instant::now() + SEARCH_TIME;
        let live: Vec<Session> = match reference {
            Some(reference) => self.find_own(reference, actor).into_iter().collect(),
            None => self.state().sessions.iter().cloned().collect(),
        };
        let own = live.iter().filter(|s| actor.may_access(&s.meta().id, &s.meta().actor.owner));
        // Wait until the newest output is on disk, but only for a part of the search's time.
        let _ = tokio::time::timeout(SEARCH_TIME / 4, async {
            for session in own {
                let _ = session.flush().await;
            }
        })
        .await;
        let one =
            reference.map(|given| live.first().map_or_else(|| given.to_owned(), |s| s.meta().id.clone()));
        let (dir, actor) = (self.inner.options.recordings_dir.clone(), actor.clone());
        blocking(move || {
            let named = one.as_deref().map(|one| find(&dir, one, Some(&actor))).transpose()?;
            let asked = named.is_some();
            let all = named.map_or_else(|| recordings(&dir), |one| vec![one]);
            let mut own = Vec::new();
            for (id, folder) in all {
                let about = match folder.description() {
                    Ok(about) => about,
                    // The owner is unknown. Skip a recording that the call does not name.
                    Err(error) if asked => return Err(SessionError::Io(error)),
                    Err(_) => continue,
                };
                match actor.may_access(&id, &about.owner) {
                    true => own.push((about.created_ms, id, folder)),
                    false if asked => {
                        return Err(ApiError::NotYours { session: id, owner: about.owner }.into());
                    }
                    false => {}
                }
            }
            own.sort_by_key(|(created_ms, ..)| std::cmp::Reverse(*created_ms));
            let mut searched = SearchedRecordings::default();
            let mut bounds = Bounds { limit, until, bytes: SEARCH_BYTES };
            for (_, id, folder) in own {
                if !searched.search(&id, &folder, &pattern, &mut bounds) {
                    break;
                }
            }
            Ok(searched)
        })
        .await
    }

    /// Deletes recordings; those of live sessions only with `include_live`, and then all but the newest segment.
    pub async fn purge(&self, purge: Purge, include_live: bool) -> Result<Purged, SessionError> {
        let keeping = Arc::clone(&self.inner.recorder.keeping);
        let live = match &purge {
            Purge::Session(reference) => self.find(reference).ok().map(|session| session.meta().id.clone()),
            _ => None,
        };
        blocking(move || {
            let choice = match purge {
                Purge::Session(reference) => {
                    let (id, _) = find(&keeping.dir, live.as_ref().unwrap_or(&reference), None)?;
                    Choice::One(id)
                }
                Purge::OlderThan(age) => Choice::Before(now_ms().saturating_sub(age)),
                Purge::All => Choice::All,
            };
            Ok(keeping.sweep(&choice, include_live))
        })
        .await
    }

    /// Starts to write all output of a session to a file. A repeated `retry_id` returns the same answer.
    pub async fn start_capture(
        &self,
        reference: &str,
        dir: Option<PathBuf>,
        actor: &Actor,
        retry_id: &str,
    ) -> Result<Capture, SessionError> {
        let session = self.find_for(reference, actor, retry_id, Purpose::Act).await?;
        if let Some((asked, running)) = session.capturing().await? {
            return if asked == retry_id {
                Ok(running)
            } else {
                Err(ApiError::CaptureRunning { file: running.file.display().to_string() }.into())
            };
        }
        let dir = dir.unwrap_or_else(|| self.inner.options.captures_dir.clone());
        let (number, started_ms) = (session.meta().number, now_ms());
        let path = blocking(move || {
            let refused = |error| directory(&dir, &error);
            make_file(&dir, number, started_ms).map_err(refused)
        })
        .await?;
        let retry_id = retry_id.to_owned();
        let started =
            session.start_capture(Capturing { path: path.clone(), retry_id, since: 0, started_ms }).await;
        if started.is_err() {
            let _ = blocking(move || Ok(std::fs::remove_file(&path)?)).await;
        }
        started
    }
}

/// The recording of a session that may be gone: by its id, or the newest of that number or name. The actor's own recordings
/// come before those of others.
fn find(dir: &Path, reference: &str, actor: Option<&Actor>) -> Result<(String, Folder), SessionError> {
    let all = recordings(dir);
    if let Some(found) = all.iter().find(|(id, _)| id == reference) {
        return Ok(found.clone());
    }
    let number = reference.parse::<u32>().ok();
    let mut named: Vec<_> = all
        .into_iter()
        .filter_map(|(id, folder)| Some((folder.description().ok()?, id, folder)))
        .filter(|(about, ..)| Some(about.number) == number || about.name.as_deref() == Some(reference))
        .collect();
    let own = |id: &str, owner: &str| actor.is_none_or(|actor| actor.may_access(id, owner));
    named.sort_by_key(|(about, id, _)| (own(id, &about.owner), about.created_ms));
    let newest = named.pop().map(|(_, id, folder)| (id, folder));
    newest.ok_or_else(|| ApiError::NoRecording { session: reference.to_owned() }.into())
}
