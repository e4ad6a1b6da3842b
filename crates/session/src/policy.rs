//! Whether a line may run. Asked by the shell before it runs one, and by `run` for its parameter.
//!
//! A guard rail, not a wall: it reads a line as the shell is given it, and a line can hide what it does. What must
//! not happen belongs in a sandbox. But what goes wrong in it never lets a line through: a policy that cannot be built is
//! none, and nothing runs without one.

use regex::Regex;

/// What the policy says to a line.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Verdict {
    /// Run it.
    Allow,
    /// Do not.
    Deny {
        /// Why, in words for whoever typed it.
        reason: String,
    },
}

/// A rule that cannot be understood.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("the policy's rule `{rule}` cannot be read, so no line could be judged: {why}")]
pub struct PolicyError {
    rule: &'static str,
    why: String,
}

/// The rules, in order; the first that matches decides.
#[derive(Debug)]
pub struct Policy {
    rules: Vec<Rule>,
}

#[derive(Debug)]
struct Rule {
    pattern: Regex,
    reason: &'static str,
}

impl Policy {
    /// The rules that cotty ships with: so far the one whose damage nobody can undo.
    pub fn built_in() -> Result<Policy, PolicyError> {
        // A command stands at the start of a line, behind an operator, an opening bracket or a keyword, or behind a
        // command that runs another (`sudo -u root mkfs`); a path may stand before its name.
        let start = r"(?m)(?:^|[;&|(){}`!])\s*(?:(?:if|then|elif|else|while|until|do)\s+)*(?:\w+=\S*\s+)*";
        let wrapper = r"(?:(?:sudo|doas|env|exec|command|nohup|time|xargs)\s(?:[^;&|\n]*\s)?\s*)?";
        let mkfs = format!(r"{start}{wrapper}(?:\S*/)?mkfs(?:\.[a-z0-9]+)?(?:[\s;&|)<>`]|$)");
        let reason = "making a file system destroys what is on the device (rule `mkfs`)";
        Policy::of(&[("mkfs", &mkfs, reason)])
    }

    /// Rules by their names, with what they match and why that is not to run. All of them or none.
    fn of(rules: &[(&'static str, &str, &'static str)]) -> Result<Policy, PolicyError> {
        let rule = |&(rule, pattern, reason): &(&'static str, &str, &'static str)| {
            let pattern =
                Regex::new(pattern).map_err(|error| PolicyError { rule, why: error.to_string() })?;
            Ok(Rule { pattern, reason })
        };
        Ok(Policy { rules: rules.iter().map(rule).collect::<Result<_, _>>()? })
    }

    /// Judges a line as the shell would run it.
    pub fn judge(&self, line: &str) -> Verdict {
        match self.rules.iter().find(|rule| rule.pattern.is_match(line)) {
            Some(rule) => Verdict::Deny { reason: rule.reason.to_owned() },
            None => Verdict::Allow,
        }
    }

    /// Judges a program and its arguments. No shell reads them, so a `;` among them begins nothing; but what stands
    /// behind a `-c` is a line of its own.
    pub fn judge_words(&self, program: &str, args: &[String]) -> Verdict {
        let harmless = |word: &str| word.replace(|c: char| ";&|(){}`!\n".contains(c), "_");
        let words: Vec<String> =
            std::iter::once(program).chain(args.iter().map(String::as_str)).map(harmless).collect();
        let is_flag = |word: &str| word.len() > 1 && word.starts_with('-') && word.ends_with('c');
        let lines = args.windows(2).filter(|pair| is_flag(&pair[0])).map(|pair| pair[1].as_str());
        let verdicts =
            std::iter::once(self.judge(&words.join(" "))).chain(lines.map(|line| self.judge(line)));
        verdicts.into_iter().find(|verdict| *verdict != Verdict::Allow).unwrap_or(Verdict::Allow)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_rule_that_cannot_be_read_is_no_policy() {
        let error = Policy::of(&[("good", "mkfs", "no"), ("bad", "mkfs(", "no")]).unwrap_err();
        assert!(error.to_string().contains("`bad`"), "{error}");
        assert_eq!(Policy::of(&[("good", "mkfs", "no")]).unwrap().rules.len(), 1);
    }

    #[test]
    fn the_built_in_rule_sees_the_command_and_not_the_word() {
        let policy = Policy::built_in().unwrap();
        assert_eq!(policy.rules.len(), 1);
        for denied in [
            "mkfs /dev/sdz",
            "  mkfs.ext4 -F /dev/sdz",
            "sudo mkfs.xfs /dev/sdz",
            "sudo -u root /sbin/mkfs.xfs /dev/sdz",
            "true && mkfs.ext4 /dev/sdz",
            "for d in a b; do mkfs.ext4 $d; done",
            "echo $(mkfs.ext4 /dev/sdz)",
            "echo hi\nmkfs.ext4 /dev/sdz",
            "(mkfs)",
            "X=1 mkfs.ext4 /dev/sdz",
            "if mkfs.ext4 /dev/sdz; then :; fi",
            "mkfs.ext4</dev/null",
            "for d in a\ndo\n  mkfs.ext4 $d\ndone",
        ] {
            assert!(matches!(policy.judge(denied), Verdict::Deny { .. }), "{denied}");
        }
        for allowed in [
            "man mkfs.ext4",
            "echo mkfs",
            "ls mkfs.d",
            "grep mkfs /var/log/syslog",
            "mkfsx",
            "echo do mkfs",
            "echo sudo mkfs",
        ] {
            assert_eq!(policy.judge(allowed), Verdict::Allow, "{allowed}");
        }
    }

    #[test]
    fn a_program_is_judged_by_its_words() {
        let policy = Policy::built_in().unwrap();
        let judge = |words: &[&str]| {
            let args: Vec<String> = words[1..].iter().map(|&word| word.to_owned()).collect();
            policy.judge_words(words[0], &args)
        };
        for denied in [
            &["mkfs.ext4", "/dev/sdz"][..],
            &["/sbin/mkfs", "/dev/sdz"],
            &["sudo", "mkfs.ext4", "/dev/sdz"],
            &["bash", "-c", "true; mkfs.ext4 /dev/sdz"],
            &["sh", "-lc", "mkfs.ext4 /dev/sdz"],
            &["sudo", "sh", "-c", "mkfs.ext4 /dev/sdz"],
        ] {
            assert!(matches!(judge(denied), Verdict::Deny { .. }), "{denied:?}");
        }
        for allowed in [
            &["man", "mkfs.ext4"][..],
            &["grep", "a; mkfs b"],
            &["echo", "a\nmkfs b"],
            &["bash", "-c", "echo mkfs"],
        ] {
            assert_eq!(judge(allowed), Verdict::Allow, "{allowed:?}");
        }
    }
}
