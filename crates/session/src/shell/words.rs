//! Command lines: a line of plain words runs directly, any other line runs in a shell.

use crate::SessionError;
use crate::error::invalid;

/// The shell that runs lines that are more than plain words.
const SHELL: &str = "sh";
/// Characters that have a meaning to a shell outside quotes.
const SYNTAX: &[char] =
    &['|', '&', ';', '<', '>', '(', ')', '$', '`', '*', '?', '[', ']', '{', '}', '\n', '\r'];
/// Command names that only a shell knows.
const SHELLS_OWN: &[&str] = &[
    "!", ".", ":", "alias", "bg", "break", "case", "cd", "command", "continue", "eval", "exec", "exit",
    "export", "fg", "for", "if", "jobs", "read", "readonly", "return", "set", "shift", "source", "times",
    "trap", "type", "ulimit", "umask", "unset", "until", "wait", "while",
];

/// Splits a command line into a program and its arguments. Quotes and backslashes work as in a shell.
pub(crate) fn parse(line: &str) -> Result<(String, Vec<String>), SessionError> {
    let mut words = match words(line)? {
        Some(words) if !words.first().is_some_and(|first| is_shells_own(first)) => words.into_iter(),
        _ => vec![SHELL.to_owned(), "-c".to_owned(), line.to_owned()].into_iter(),
    };
    match words.next() {
        Some(program) => Ok((program, words.collect())),
        None => Err(invalid("the command is empty")),
    }
}

/// A program, without its path, and its arguments as a line that [`parse`] understands.
pub(crate) fn write(program: &str, args: &[String]) -> String {
    let name = program.rsplit('/').next().unwrap_or(program);
    match args {
        [flag, line] if name == SHELL && flag == "-c" => line.clone(),
        _ => {
            let words = std::iter::once(name).chain(args.iter().map(String::as_str));
            words.map(quoted).collect::<Vec<_>>().join(" ")
        }
    }
}

fn quoted(word: &str) -> String {
    let plain = |c: char| c.is_ascii_alphanumeric() || "_-./:=,+@%".contains(c) || !c.is_ascii();
    match !word.is_empty() && word.chars().all(plain) {
        true => word.to_owned(),
        false => format!("'{}'", word.replace('\'', r"'\''")),
    }
}

fn is_shells_own(word: &str) -> bool {
    // `NAME=value command` sets a variable.
    SHELLS_OWN.contains(&word) || word.contains('=')
}

/// The words of a line; `None` if it needs a shell.
fn words(line: &str) -> Result<Option<Vec<String>>, SessionError> {
    let mut words = Vec::new();
    // `Some`: inside a word, which may be empty ('').
    let mut word: Option<String> = None;
    let mut chars = line.trim().chars().peekable();
    while let Some(c) = chars.next() {
        match c {
            ' ' | '\t' => words.extend(word.take()),
            '\'' => {
                let word = word.get_or_insert_default();
                loop {
                    match chars.next() {
                        Some('\'') => break,
                        Some(c) => word.push(c),
                        None => return Err(open("'")),
                    }
                }
            }
            '"' => {
                let word = word.get_or_insert_default();
                loop {
                    match chars.next() {
                        Some('"') => break,
                        Some('$' | '`') => return Ok(None),
                        Some('\\') => match chars.next() {
                            Some(c @ ('"' | '\\' | '$' | '`')) => word.push(c),
                            Some('\n') => {}
                            Some(c) => word.extend(['\\', c]),
                            None => return Err(open("\"")),
                        },
                        Some(c) => word.push(c),
                        None => return Err(open("\"")),
                    }
                }
            }
            '\\' => match chars.next() {
                Some('\n') => {}
                Some(c) => word.get_or_insert_default().push(c),
                None => word.get_or_insert_default().push('\\'),
            },
            '#' | '~' if word.is_none() => return Ok(None),
            c if SYNTAX.contains(&c) => return Ok(None),
            c => word.get_or_insert_default().push(c),
        }
    }
    words.extend(word);
    Ok(Some(words))
}

fn open(quote: &str) -> SessionError {
    invalid(format!("the command has a {quote} that is not closed"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parsed(line: &str) -> Vec<String> {
        let (program, args) = parse(line).unwrap();
        std::iter::once(program).chain(args).collect()
    }

    // R-P01
    #[test]
    fn plain_words_run_without_a_shell() {
        assert_eq!(parsed("gdb ./myprogram"), ["gdb", "./myprogram"]);
        assert_eq!(parsed("  a\t b  "), ["a", "b"]);
        assert_eq!(parsed(r#"printf %s 'a; b $(c) `d`' "e f""#), ["printf", "%s", "a; b $(c) `d`", "e f"]);
        assert_eq!(parsed(r#"x "a\"b\\c\d" e\ f '' """#), ["x", r#"a"b\c\d"#, "e f", "", ""]);
        assert_eq!(parsed(r#"x a'b'"c" \; \$HOME"#), ["x", "abc", ";", "$HOME"]);
        assert_eq!(parsed("grep a#b c=d ~x~"), ["sh", "-c", "grep a#b c=d ~x~"]);
        assert_eq!(parsed("grep a#b c=d x~"), ["grep", "a#b", "c=d", "x~"]);
        assert_eq!(parsed("echo 漢字 é"), ["echo", "漢字", "é"]);
    }

    #[test]
    fn any_other_line_goes_to_a_shell_unchanged() {
        for line in [
            "a | b",
            "a && b",
            "a;b",
            "a > f",
            "echo $HOME",
            "echo `a`",
            "ls *.c",
            "ls ?",
            "ls [ab]",
            "a\nb",
            "(a)",
            "echo \"$HOME\"",
            "echo \"`a`\"",
            "X=1 a",
            "cd /",
            "exit 3",
            "! a",
            "ls ~",
            "a # b",
            "a &",
            "echo {a,b}",
        ] {
            assert_eq!(parsed(line), ["sh", "-c", line], "{line}");
        }
    }

    #[test]
    fn empty_and_unclosed_lines_are_refused_with_the_reason() {
        for (line, why) in [("", "empty"), ("  ", "empty"), ("a 'b", "not closed"), ("a \"b", "not closed")] {
            let error = parse(line).unwrap_err().to_string();
            assert!(error.contains(why), "{line}: {error}");
        }
    }

    #[test]
    fn a_program_and_its_arguments_become_a_line() {
        let line = |program: &str, args: &[&str]| {
            write(program, &args.iter().map(|&arg| arg.to_owned()).collect::<Vec<_>>())
        };
        assert_eq!(line("/usr/bin/bash", &[]), "bash");
        assert_eq!(line("/bin/sh", &["-c", "a | b"]), "a | b");
        assert_eq!(line("/usr/bin/vim", &["-n", "my file", "it's", ""]), r"vim -n 'my file' 'it'\''s' ''");
        let (program, args) = parse(r"vim -n 'my file' 'it'\''s' ''").unwrap();
        assert_eq!(
            (program.as_str(), args),
            ("vim", vec!["-n".into(), "my file".into(), "it's".into(), String::new()])
        );
    }
}
