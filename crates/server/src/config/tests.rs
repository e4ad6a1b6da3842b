use super::*;

fn env(pairs: &[(&str, &str)]) -> BTreeMap<String, String> {
    pairs.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect()
}

fn flag(key: &'static str, name: &'static str, value: &str) -> Flag {
    Flag { key, name, value: value.into() }
}

/// The problems of a file.
fn wrong(text: &str) -> Vec<String> {
    let (_, problems) = Config::read(Some((Path::new("c.toml"), text)), &env(&[]), &[]);
    problems.iter().map(Problem::to_string).collect()
}

fn right(text: &str) -> Settings {
    Config::read_strictly(Some((Path::new("c.toml"), text)), &env(&[]), &[]).unwrap().settings
}

// R-T08
#[test]
fn each_layer_overrides_the_one_below() {
    let path = Path::new("c.toml");
    let text = "[limits]\nmax_sessions = 20\n";
    let vars = env(&[("COTTY_LIMITS_MAX_SESSIONS", "30")]);
    let flags = [flag("limits.max_sessions", "--max-sessions", "40")];
    let read = |file, vars: &BTreeMap<String, String>, flags: &[Flag]| {
        let config = Config::read_strictly(file, vars, flags).unwrap();
        (config.settings.max_sessions, config.source("limits.max_sessions").to_string())
    };
    assert_eq!(read(None, &env(&[]), &[]), (1000, "built in".into()));
    assert_eq!(read(Some((path, text)), &env(&[]), &[]), (20, "c.toml:2".into()));
    assert_eq!(read(Some((path, text)), &vars, &[]), (30, "COTTY_LIMITS_MAX_SESSIONS".into()));
    assert_eq!(read(Some((path, text)), &vars, &flags), (40, "--max-sessions".into()));
    let empty = env(&[("COTTY_LIMITS_MAX_SESSIONS", "")]);
    assert_eq!(read(Some((path, text)), &empty, &[]).0, 20, "an empty variable is not set");
}

// R-T08
#[test]
fn a_client_overrides_settings_of_its_own_terminals() {
    let daemon = right("[terminal]\ndefault_rows = 30\n[limits]\nmax_sessions = 7\n");
    let theirs = daemon.for_client(&env(&[
        ("COTTY_TERMINAL_DEFAULT_ROWS", "50"),
        ("COTTY_TERMINAL_TERM", "vt100"),
        ("COTTY_LIMITS_MAX_PER_OWNER", "3"),
        ("COTTY_LIMITS_MAX_SESSIONS", "1"),
        ("COTTY_TERMINAL_PASS_ENV", "X"),
    ]));
    let theirs = theirs.unwrap();
    assert_eq!((theirs.terminal.rows, theirs.terminal.term.as_str(), theirs.max_per_owner), (50, "vt100", 3));
    assert_eq!(theirs.max_sessions, 7, "a client cannot change a setting of the whole daemon");
    assert!(theirs.terminal.pass_env.is_empty());
    // A placeholder that the host of a bundle did not fill in counts as unset.
    let unfilled = "${user_config.default_shell}";
    assert_eq!(daemon.for_client(&env(&[("COTTY_TERMINAL_DEFAULT_SHELL", unfilled)])).unwrap(), daemon);
    let bad = daemon.for_client(&env(&[("COTTY_TERMINAL_PROMPT_PATTERN", "(")])).unwrap_err();
    assert!(bad.is_pattern && bad.problem.place == "COTTY_TERMINAL_PROMPT_PATTERN");
}

// R-P09
#[test]
fn any_setting_overrides_the_defaults_of_a_face() {
    let usual = Usual { history_lines: Some(1000), max_per_owner: Some(15) };
    let path = Path::new("c.toml");
    let of = |text: &str, vars: &[(&str, &str)], usual| {
        let config = Config::read_strictly(Some((path, text)), &env(&[]), &[]).unwrap();
        let theirs = config.for_client(&env(vars), usual).unwrap();
        (theirs.terminal.history_lines, theirs.max_per_owner)
    };
    assert_eq!(of("", &[], Usual::default()), (10_000, 10));
    assert_eq!(of("", &[], usual), (1000, 15));
    assert_eq!(of("[terminal]\nscrollback_limit = 10_000\n", &[], usual), (10_000, 15));
    assert_eq!(of("[limits]\nmax_per_owner = 4\n", &[], usual), (1000, 4));
    assert_eq!(of("", &[("COTTY_TERMINAL_SCROLLBACK_LIMIT", "7")], usual), (7, 15));
    assert_eq!(of("", &[("COTTY_LIMITS_MAX_PER_OWNER", "3")], usual), (1000, 3));
}

#[test]
fn values_of_every_kind_are_read() {
    let settings = right(
        r#"
        [http]
        listen = "[::1]:0"
        [terminal]
        default_shell = "/bin/zsh"
        scrollback_limit = 1_000
        prompt_pattern = 'λ $'
        pass_env = ["SSH_AUTH_SOCK", "AWS_*"]
        [retention]
        ended = "90s"
        idle = "2h"
        [recording]
        enabled = false
        session_size = 100000
        total_size = "3 GB"
        keep = "2d"
        directory = "/var/r"
        [attach]
        prefix = "C-a"
        detach_key = "f12"
        [log]
        level = "warn,cotty_session=debug"
        "#,
    );
    assert_eq!(settings.listen.to_string(), "[::1]:0");
    assert_eq!(settings.terminal.shell.as_deref(), Some("/bin/zsh"));
    assert_eq!((settings.terminal.history_lines, settings.terminal.prompt_pattern.as_str()), (1000, "λ $"));
    assert_eq!(settings.terminal.pass_env, ["SSH_AUTH_SOCK", "AWS_*"]);
    assert_eq!((settings.retention.ended.as_secs(), settings.retention.idle.as_secs()), (90, 7200));
    assert_eq!((settings.record, settings.recording.session_bytes), (false, 100_000));
    assert_eq!((settings.recording.total_bytes, settings.recording.age_ms), (3_000_000_000, 172_800_000));
    assert_eq!(settings.recordings_dir.as_deref(), Some(Path::new("/var/r")));
    assert_eq!(
        (settings.attach_prefix.as_str(), settings.detach_key.as_str(), settings.log_level.as_str()),
        ("C-a", "f12", "warn,cotty_session=debug")
    );
}

#[test]
fn unknown_names_are_refused_with_the_nearest_known_name() {
    assert_eq!(
        wrong("[limit]\nmax_sessions = 1"),
        ["c.toml:1: there is no section [limit]; did you mean [limits]?"]
    );
    assert_eq!(
        wrong("[limits]\n\nmax_sesions = 1"),
        ["c.toml:3: [limits] has no `max_sesions`; did you mean `max_sessions`?"]
    );
    assert_eq!(
        wrong("[http]\nmax_sessions = 1"),
        ["c.toml:2: [http] has no `max_sessions`; it belongs in [limits]"]
    );
    assert_eq!(wrong("max_sessions = 1"), ["c.toml:1: `max_sessions` belongs in [limits]"]);
    assert_eq!(wrong("http = 1"), ["c.toml:1: [http] is a section: put its keys below it"]);
    assert!(wrong("[zzzzzzzz]")[0].contains("the sections are http, limits, terminal"));
    let (_, problems) =
        Config::read(None, &env(&[("COTTY_HTTP_LISTN", "x"), ("COTTY_SESSION", "sess_a")]), &[]);
    assert_eq!(problems.len(), 1);
    assert_eq!(
        problems[0].to_string(),
        "COTTY_HTTP_LISTN: there is no such key; did you mean `COTTY_HTTP_LISTEN`?"
    );
}

#[test]
fn invalid_values_are_refused_with_the_allowed_ones() {
    let check = |text: &str, parts: &[&str]| {
        let problems = wrong(text);
        assert_eq!(problems.len(), 1, "{text}: {problems:?}");
        assert!(problems[0].starts_with("c.toml:2: "), "{}", problems[0]);
        for part in parts {
            assert!(problems[0].contains(part), "{part} is not in {}", problems[0]);
        }
    };
    check("[limits]\nmax_sessions = 0", &["0 is not valid", "from 1 to"]);
    check("[limits]\nmax_sessions = \"many\"", &["\"many\"", "a number"]);
    check("[limits]\nmax_sessions = 99999999999999999999", &["a number"]);
    check("[terminal]\ndefault_cols = 1.5", &["a float", "from 2 to 1000"]);
    check("[retention]\nidle = 30", &["30 is not valid", "with a unit"]);
    check("[retention]\nidle = \"0s\"", &["from 1s"]);
    check("[recording]\nsession_size = \"64 bits\"", &["64MiB"]);
    check("[recording]\nenabled = \"yes\"", &["true or false"]);
    check("[recording]\ndirectory = \"here\"", &["absolute"]);
    check("[terminal]\nprompt_pattern = '('", &["'('".trim_matches('\''), "unclosed"]);
    check("[terminal]\npass_env = [\"A B\"]", &["list of names"]);
    check("[attach]\ndetach_key = \"ctrl+escap\"", &["escap", "did you mean"]);
    check("[log]\nlevel = \"loud\"", &["off, error, warn"]);
    check("[http]\nlisten = \"0.0.0.0:7420\"", &["not a loopback address", "TLS"]);
    check("[http]\nlisten = \"localhost\"", &["127.0.0.1:7420"]);
    check("[limits]\nmax_sessions = = 3", &["not TOML"]);
}

#[test]
fn invalid_settings_are_ignored_and_the_rest_applies() {
    let text = "[limits]\nmax_sessions = 0\nmax_per_owner = 4\nmax = 1\n";
    let (config, problems) = Config::read(Some((Path::new("c.toml"), text)), &env(&[]), &[]);
    assert_eq!((config.settings.max_sessions, config.settings.max_per_owner), (1000, 4));
    assert_eq!(problems.iter().map(|p| p.place.as_str()).collect::<Vec<_>>(), ["c.toml:2", "c.toml:4"]);
    let broken = Config::read_strictly(Some((Path::new("c.toml"), text)), &env(&[]), &[]).unwrap_err();
    assert_eq!(broken.to_string().lines().count(), 3);
}

#[test]
fn the_log_level_has_a_short_variable() {
    let level = |vars: &[(&str, &str)]| {
        let config = Config::read_strictly(None, &env(vars), &[]).unwrap();
        (config.settings.log_level.clone(), config.source("log.level").to_string())
    };
    assert_eq!(level(&[("COTTY_LOG", "debug")]), ("debug".into(), "COTTY_LOG".into()));
    let both = [("COTTY_LOG", "debug"), ("COTTY_LOG_LEVEL", "info")];
    assert_eq!(level(&both), ("info".into(), "COTTY_LOG_LEVEL".into()));
}

#[test]
fn the_template_is_the_built_in_configuration() {
    assert_eq!(right(&template()), Settings::default());
    let uncommented: String = template()
        .lines()
        .map(|line| match line.strip_prefix('#') {
            Some(rest) if !rest.starts_with(' ') => format!("{rest}\n"),
            _ => format!("{line}\n"),
        })
        .collect();
    let config = Config::read_strictly(Some((Path::new("c.toml"), &uncommented)), &env(&[]), &[]).unwrap();
    assert_eq!(config.settings, Settings::default());
    assert!(
        config.entries().iter().all(|entry| entry.source.layer() == "file"),
        "the template has every key"
    );
}

#[test]
fn the_reference_page_is_up_to_date() {
    let path = "../../docs/configuration.md";
    if std::env::var_os("UPDATE_DOCS").is_some() {
        std::fs::write(path, reference()).unwrap();
    }
    let page = std::fs::read_to_string(path).unwrap();
    assert!(page == reference(), "UPDATE_DOCS=1 cargo test -p cotty-server config");
}
