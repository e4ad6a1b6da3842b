//! Searches recordings for a pattern, newest first, in bounded time and memory: one segment's text at a time.

use std::time::Instant;

use regex::Regex;

use super::folder::Folder;
use super::text;

/// After how many lines the clock is checked.
const LINES: usize = 1000;

/// A line of a recording that matches a pattern.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Recorded {
    /// The session's id.
    pub session_id: String,
    /// The text that matched.
    pub text: String,
    /// The whole line.
    pub line: String,
}

/// The matches, and whether the search was complete.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct SearchedRecordings {
    /// Newest first, recording by recording.
    pub matches: Vec<Recorded>,
    /// Whether there are more matches than the limit.
    pub more: bool,
    /// Whether the search stopped early because its time or bytes were used up.
    pub gave_up: bool,
    /// How many recordings were searched.
    pub recordings: usize,
}

/// The limits of a search.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Bounds {
    pub(crate) limit: usize,
    pub(crate) until: Instant,
    pub(crate) bytes: u64,
}

impl SearchedRecordings {
    /// Searches one more recording; `false` if a limit is reached.
    pub(crate) fn search(&mut self, id: &str, folder: &Folder, pattern: &Regex, bounds: &mut Bounds) -> bool {
        self.recordings += 1;
        for segment in folder.segments().iter().rev() {
            if bounds.bytes == 0 || Instant::now() >= bounds.until {
                self.gave_up = true;
                return false;
            }
            let sidecar = std::fs::read_to_string(folder.text(segment.number));
            // Skip a segment that is being deleted.
            let Ok(text) = sidecar.or_else(|_| text::read(folder, segment.number)) else { continue };
            bounds.bytes = bounds.bytes.saturating_sub(text.len() as u64);
            if !self.search_text(id, &text, pattern, *bounds) {
                return false;
            }
        }
        true
    }

    fn search_text(&mut self, id: &str, text: &str, pattern: &Regex, bounds: Bounds) -> bool {
        for (at, line) in text.lines().rev().enumerate() {
            if at % LINES == LINES - 1 && Instant::now() >= bounds.until {
                self.gave_up = true;
                return false;
            }
            let Some(found) = pattern.find(line) else { continue };
            if self.matches.len() == bounds.limit {
                self.more = true;
                return false;
            }
            let (session_id, text) = (id.to_owned(), found.as_str().to_owned());
            self.matches.push(Recorded { session_id, text, line: line.to_owned() });
        }
        true
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::time::Duration;

    fn bounds(limit: usize) -> Bounds {
        Bounds { limit, until: Instant::now() + Duration::from_secs(60), bytes: u64::MAX }
    }

    #[test]
    fn newest_matches_come_first_and_more_is_set_when_some_are_left_out() {
        let pattern = Regex::new("l.ne [0-9]").unwrap();
        let mut searched = SearchedRecordings::default();
        assert!(searched.search_text("a", "line 1\nother\nline 2\n", &pattern, bounds(2)));
        let lines: Vec<&str> = searched.matches.iter().map(|m| m.line.as_str()).collect();
        assert_eq!(lines, ["line 2", "line 1"]);
        assert!(!searched.more);
        assert!(!searched.search_text("b", "line 3\n", &pattern, bounds(2)));
        assert!(searched.more && !searched.gave_up);
    }

    #[test]
    fn a_search_stops_when_its_time_is_over() {
        let pattern = Regex::new("never").unwrap();
        let over = Bounds { until: Instant::now(), ..bounds(5) };
        let mut searched = SearchedRecordings::default();
        assert!(!searched.search_text("a", &"x\n".repeat(LINES + 1), &pattern, over));
        assert!(searched.gave_up);
    }
}
