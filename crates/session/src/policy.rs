//! Decides whether a line may run. The shell asks before it runs a line, and `run` asks about its command.
//!
//! The policy is a guard rail, not a wall: it sees the text of a line, and a line can hide what it does. Use a sandbox to
//! prevent an action reliably. A failure of the policy never allows a line: without a valid policy nothing runs.

use regex::Regex;

/// What the policy decides about a line.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Verdict {
    /// The line may run.
    Allow,
    /// The line may not run.
    Deny {
        /// Why, for the person or agent that typed it.
        reason: String,
    },
}

/// A rule that cannot be parsed.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("cannot parse policy rule `{rule}`: {why}")]
pub struct PolicyError {
    rule: &'static str,
    why: String,
}

/// The rules, in order. The first one that matches decides.
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
    /// The rules that cotty ships with: one, against damage that cannot be undone.
    pub fn built_in() -> Result<Policy, PolicyError> {
        // A command is at the start of a line, after an operator, an opening bracket or a keyword, or after a command
        // that runs another one (`sudo -u root mkfs`). Its name may have a path.
        let start = r"(?m)(?:^|[;&|(){}`!])\s*(?:(?:if|then|elif|else|while|until|do)\s+)*(?:\w+=\S*\s+)*";
        let wrapper = r"(?:(?:sudo|doas|env|exec|command|nohup|time|xargs)\s(?:[^;&|\n]*\s)?\s*)?";
        let mkfs = format!(r"{start}{wrapper}(?:\S*/)?mkfs(?:\.[a-z0-9]+)?(?:[\s;&|)<>`]|$)");
        let reason = "making a file system destroys all data on the device (rule `mkfs`)";
        Policy::of(&[("mkfs", &mkfs, reason)])
    }

    /// Builds a policy from names, patterns and reasons. One invalid rule makes the whole policy invalid.
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

    /// Judges a program and its arguments. No shell reads them, so a `;` in an argument does not start a command. The
    /// argument after a `-c` is judged as a line.
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
    fn one_invalid_rule_makes_the_policy_invalid() {
        let error = Policy::of(&[("good", "mkfs", "no"), ("bad", "mkfs(", "no")]).unwrap_err();
        assert!(error.to_string().contains("`bad`"), "{error}");
        assert_eq!(Policy::of(&[("good", "mkfs", "no")]).unwrap().rules.len(), 1);
    }

    #[test]
    fn the_built_in_rule_matches_commands_and_not_arguments() {
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
    fn a_program_is_judged_with_its_arguments() {
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
