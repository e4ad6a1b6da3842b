//! Cuts long text to its head and tail, and counts the part that is left out.

/// A text that was cut to size.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Cut {
    /// The text that is kept.
    pub text: String,
    /// The part that is not.
    pub left_out: Option<LeftOut>,
}

/// The part of a text that was left out.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct LeftOut {
    /// Bytes of the whole text before it.
    pub after: usize,
    /// Lines of [`Cut::text`] before it.
    pub after_lines: usize,
    /// Its bytes.
    pub bytes: usize,
    /// Its lines.
    pub lines: usize,
}

impl Cut {
    /// At most about `most` bytes of a text: two fifths from its beginning, the rest from its end, in whole lines unless they
    /// are too long. The tail begins on a new line, so that it does not seem to continue the head.
    pub fn head_and_tail(text: String, most: usize) -> Cut {
        if text.len() <= most {
            return Cut { text, left_out: None };
        }
        let head = line_end_before(&text, most * 2 / 5);
        let tail = line_start_after(&text, text.len() - (most - most * 2 / 5)).max(head);
        let gone = &text[head..tail];
        let left_out = LeftOut {
            after: head,
            after_lines: text[..head].lines().count(),
            bytes: gone.len(),
            lines: gone.lines().count(),
        };
        let joint = if head == 0 || text[..head].ends_with('\n') { "" } else { "\n" };
        let joined = format!("{}{joint}{}", &text[..head], &text[tail..]);
        Cut { text: joined, left_out: Some(left_out) }
    }

    /// At most about `most` bytes of a text, starting at `from`, in whole lines unless they are too long.
    pub fn page(text: &str, from: usize, most: usize) -> Cut {
        let from = text.ceil_char_boundary(from.min(text.len()));
        let rest = &text[from..];
        if rest.len() <= most {
            return Cut { text: rest.to_owned(), left_out: None };
        }
        // A page has at least one character, even if that is longer than `most`.
        let end = line_end_before(rest, most).max(rest.ceil_char_boundary(1));
        let gone = &rest[end..];
        let left_out = LeftOut {
            after: from + end,
            after_lines: rest[..end].lines().count(),
            bytes: gone.len(),
            lines: gone.lines().count(),
        };
        Cut { text: rest[..end].to_owned(), left_out: (!gone.is_empty()).then_some(left_out) }
    }
}

/// The end of the last whole line within this many bytes, or of the last character if the cut line is very long.
fn line_end_before(text: &str, bytes: usize) -> usize {
    let cut = text.floor_char_boundary(bytes);
    match text[..cut].rfind('\n') {
        Some(at) if at + 1 >= cut / 2 => at + 1,
        _ => cut,
    }
}

/// The beginning of the first whole line after this many bytes, likewise.
fn line_start_after(text: &str, bytes: usize) -> usize {
    let cut = text.ceil_char_boundary(bytes);
    match text[cut..].find('\n') {
        Some(at) if at < (text.len() - cut) / 2 => cut + at + 1,
        _ => cut,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn short_text_is_not_cut() {
        let cut = Cut::head_and_tail("a\nb\n".into(), 4);
        assert_eq!(cut, Cut { text: "a\nb\n".into(), left_out: None });
    }

    #[test]
    fn long_text_keeps_whole_lines_of_both_ends_and_counts_the_rest() {
        let text: String = (1..=1000).map(|n| format!("line {n}\n")).collect();
        let cut = Cut::head_and_tail(text.clone(), 200);
        assert!(cut.text.len() <= 200);
        assert!(cut.text.starts_with("line 1\nline 2\n") && cut.text.ends_with("line 999\nline 1000\n"));
        let left_out = cut.left_out.unwrap();
        assert_eq!(cut.text.len() + left_out.bytes, text.len());
        assert_eq!(cut.text.lines().count() + left_out.lines, 1000);
        let seam = cut.text.lines().nth(left_out.after_lines).unwrap();
        assert_eq!(seam, format!("line {}", left_out.after_lines + left_out.lines + 1));
        // The middle can be read, page by page.
        let (mut pages, mut from) = (text[..left_out.after].to_owned(), left_out.after);
        while from < left_out.after + left_out.bytes {
            let page = Cut::page(&text[..left_out.after + left_out.bytes], from, 300);
            assert!(page.text.len() <= 300 && page.text.ends_with('\n'));
            from += page.text.len();
            assert_eq!(
                page.left_out.map(|rest| rest.after),
                (from < left_out.after + left_out.bytes).then_some(from)
            );
            pages.push_str(&page.text);
        }
        pages.push_str(&text[left_out.after + left_out.bytes..]);
        assert_eq!(pages, text);
    }

    #[test]
    fn a_very_long_line_is_cut_between_characters() {
        let text = "日".repeat(1000);
        let cut = Cut::head_and_tail(text.clone(), 100);
        assert!(cut.text.len() <= 101 && cut.text.chars().filter(|&c| c == '\n').count() == 1);
        assert_eq!(cut.left_out.map(|l| l.bytes + cut.text.len()), Some(text.len() + 1));
        let page = Cut::page(&text, 1, 1);
        assert_eq!(page.text, "日");
        assert_eq!(page.left_out.map(|rest| rest.after), Some(6));
    }
}
