//! Tests of when a wait is over, with a simulated clock.

use super::*;

struct Fake {
    start: Instant,
    text: String,
    newest: String,
    over: bool,
    secret: bool,
    reads: bool,
    shell_waits: bool,
    asks: bool,
    perhaps_prompt: bool,
    keyboard_free: bool,
    exited: bool,
}

impl Fake {
    fn new() -> Fake {
        Fake {
            start: Instant::now(),
            text: String::new(),
            newest: String::new(),
            over: false,
            secret: false,
            reads: false,
            shell_waits: false,
            asks: false,
            perhaps_prompt: false,
            keyboard_free: true,
            exited: false,
        }
    }
    fn at(&self, ms: u64) -> Instant {
        self.start + Duration::from_millis(ms)
    }
    fn check(&self, running: &mut Running, now: u64, output: Option<u64>, seq: u64) -> Option<Met> {
        self.check_with(running, now, output, seq, None, None)
    }
    fn check_with(
        &self,
        running: &mut Running,
        now: u64,
        output: Option<u64>,
        seq: u64,
        prompt: Option<Prompt>,
        half_drawn_until: Option<u64>,
    ) -> Option<Met> {
        self.look(now, output, seq, prompt, half_drawn_until, |seen| running.check(seen))
    }
    fn wakeup(&self, running: &Running, now: u64, output: Option<u64>) -> Instant {
        self.look(now, output, 5, None, None, |seen| running.wakeup(seen))
    }
    fn look<T>(
        &self,
        now: u64,
        output: Option<u64>,
        seq: u64,
        prompt: Option<Prompt>,
        half_drawn_until: Option<u64>,
        decide: impl FnOnce(&Evidence<'_>) -> T,
    ) -> T {
        decide(&Evidence {
            now: self.at(now),
            last_output: output.map(|ms| self.at(ms)),
            seq,
            prompt,
            exited: self.exited,
            half_drawn_until: half_drawn_until.map(|ms| self.at(ms)),
            last_change: output.map(|ms| self.at(ms)),
            keyboard_free: self.keyboard_free,
            asks_secret: &|| self.secret,
            reads: &|| self.reads,
            shell_waits: &|| self.shell_waits,
            asks: &|| self.asks,
            perhaps_prompt: self.perhaps_prompt,
            text_since: &|_, after| if after.is_some() { self.newest.clone() } else { self.text.clone() },
            is_over: &|_| self.over,
        })
    }
}

#[test]
fn text_that_is_already_there_ends_a_wait_at_once() {
    let mut fake = Fake::new();
    let wait = Conditions { text: Some("done".into()), ..Conditions::default() };
    let mut running = Running::new(wait, fake.at(0));
    assert_eq!(fake.check(&mut running, 0, None, 0), None);
    fake.text = "all done".into();
    assert_eq!(fake.check(&mut running, 1, Some(1), 8), None);
    assert_eq!(fake.check(&mut running, 3, Some(1), 8), Some(Met::Text));
    assert_eq!(running.found(Met::Text).as_deref(), Some("all done"));
    // After a long silence the match counts at once.
    let mut running =
        Running::new(Conditions { text: Some("done".into()), ..Conditions::default() }, fake.at(50));
    assert_eq!(fake.check(&mut running, 50, Some(1), 8), Some(Met::Text));
}

#[test]
fn a_condition_that_holds_right_after_a_check_is_checked_again() {
    let mut fake = Fake::new();
    let mut running =
        Running::new(Conditions { text: Some("done".into()), ..Conditions::default() }, fake.at(0));
    fake.text = "all done".into();
    assert_eq!(fake.check(&mut running, 1, Some(1), 8), None);
    // The caller was delayed between `check` and `wakeup`.
    assert_eq!(fake.wakeup(&running, 4, Some(1)), fake.at(2));
}

#[test]
fn a_shell_that_reads_its_input_is_checked_repeatedly() {
    let mut fake = Fake::new();
    let mut running = Running::new(Conditions { shell: true, ..Conditions::default() }, fake.at(0));
    assert_eq!(fake.check(&mut running, 0, Some(0), 5), None);
    assert_eq!(fake.wakeup(&running, 0, Some(0)), fake.at(2));
    assert_eq!(fake.check(&mut running, 300, Some(0), 5), None);
    assert_eq!(fake.wakeup(&running, 300, Some(0)), fake.at(550));
    fake.shell_waits = true;
    assert_eq!(fake.check(&mut running, 550, Some(0), 5), Some(Met::Prompt));
}

#[test]
fn a_wait_without_a_limit_ends_after_thirty_seconds() {
    let fake = Fake::new();
    let mut running =
        Running::new(Conditions { text: Some("x".into()), ..Conditions::default() }, fake.at(0));
    assert_eq!(fake.check(&mut running, 29_999, None, 0), None);
    assert_eq!(fake.check(&mut running, 30_000, None, 0), Some(Met::Timeout));
}

#[test]
fn idle_after_input_means_output_and_then_silence() {
    let fake = Fake::new();
    let wait = Conditions { idle: Some(Duration::from_millis(100)), since: Some(5), ..Conditions::default() };
    let mut running = Running::new(wait, fake.at(0));
    // A long silence before the input does not count.
    assert_eq!(fake.check(&mut running, 200, Some(0), 5), None);
    assert_eq!(fake.check(&mut running, 250, Some(250), 9), None);
    assert_eq!(fake.check(&mut running, 349, Some(250), 9), None);
    assert_eq!(fake.check(&mut running, 350, Some(250), 9), Some(Met::Idle));
    // Without any output the wait ends, too, but later.
    let wait = Conditions { idle: Some(Duration::from_millis(100)), since: Some(5), ..Conditions::default() };
    let mut running = Running::new(wait, fake.at(0));
    assert_eq!(fake.check(&mut running, 500, Some(0), 5), Some(Met::Idle));
}

#[test]
fn a_half_drawn_frame_is_not_idle() {
    let fake = Fake::new();
    let wait = Conditions { idle: Some(Duration::from_millis(10)), ..Conditions::default() };
    let mut running = Running::new(wait, fake.at(0));
    assert_eq!(fake.check_with(&mut running, 100, Some(0), 5, None, Some(150)), None);
    assert_eq!(fake.check_with(&mut running, 150, Some(0), 5, None, Some(150)), Some(Met::Idle));
}

#[test]
fn an_old_prompt_does_not_end_a_wait_and_a_guessed_one_must_settle() {
    let fake = Fake::new();
    let wait = Conditions { prompt: true, since: Some(10), ..Conditions::default() };
    let mut running = Running::new(wait, fake.at(0));
    let prompt = |seq, guessed| Some(Prompt { seq, guessed });
    assert_eq!(fake.check_with(&mut running, 100, Some(0), 20, prompt(10, false), None), None);
    assert_eq!(fake.check_with(&mut running, 100, Some(90), 20, prompt(20, true), None), None);
    assert_eq!(fake.check_with(&mut running, 140, Some(90), 20, prompt(20, true), None), Some(Met::Prompt));
    assert_eq!(fake.check_with(&mut running, 90, Some(90), 20, prompt(20, false), None), Some(Met::Prompt));
}

#[test]
fn a_match_lets_the_program_finish_drawing() {
    let mut fake = Fake::new();
    fake.text = "x".into();
    let mut running =
        Running::new(Conditions { text: Some("x".into()), ..Conditions::default() }, fake.at(0));
    for ms in 0..50 {
        // The program keeps writing.
        assert_eq!(fake.check(&mut running, ms, Some(ms), ms + 1), None, "{ms}");
    }
    assert_eq!(fake.check(&mut running, 50, Some(50), 60), Some(Met::Text));
}

#[test]
fn a_match_of_stop_ends_a_wait() {
    let mut fake = Fake::new();
    let stop = Some(pattern("error|failed").unwrap());
    let wait = Conditions { text: Some("done".into()), stop, ..Conditions::default() };
    let mut running = Running::new(wait, fake.at(0));
    fake.text = "one\nit failed here\ntwo".into();
    assert_eq!(fake.check(&mut running, 8, Some(8), 5), None);
    assert_eq!(fake.check(&mut running, 9, Some(8), 5), Some(Met::Stop));
    assert_eq!(running.found(Met::Stop).as_deref(), Some("it failed here"));
}

#[test]
fn all_needs_every_condition_at_once() {
    let mut fake = Fake::new();
    let wait = Conditions { text: Some("x".into()), secret: true, all: true, ..Conditions::default() };
    let mut running = Running::new(wait, fake.at(0));
    fake.text = "x".into();
    assert_eq!(fake.check(&mut running, 20, Some(0), 5), None);
    fake.secret = true;
    assert_eq!(fake.check(&mut running, 30, Some(0), 5), None);
    assert_eq!(fake.check(&mut running, 50, Some(0), 5), Some(Met::All));
    // `all` without conditions never holds.
    let mut running = Running::new(Conditions { all: true, ..Conditions::default() }, fake.at(0));
    assert_eq!(fake.check(&mut running, 30, Some(0), 5), None);
}

#[test]
fn the_kernel_is_asked_at_intervals_and_the_keyboard_is_not() {
    let mut fake = Fake::new();
    let mut running =
        Running::new(Conditions { secret: true, reads: true, ..Conditions::default() }, fake.at(0));
    for (now, due) in [(3, 5), (5, 13), (13, 53), (53, 253), (253, 503), (503, 753)] {
        assert_eq!(fake.check(&mut running, now, Some(3), 5), None);
        assert_eq!(fake.wakeup(&running, now, Some(3)), fake.at(due), "at {now}");
    }
    fake.reads = true;
    assert_eq!(fake.check(&mut running, 753, Some(3), 5), Some(Met::Reads));
    fake.keyboard_free = false;
    let mut running = Running::new(Conditions { keyboard: true, ..Conditions::default() }, fake.at(0));
    assert_eq!(fake.check(&mut running, 5, None, 5), None);
    fake.keyboard_free = true;
    assert_eq!(fake.check(&mut running, 5, None, 5), Some(Met::Keyboard));
}

#[test]
fn an_echo_that_is_off_briefly_is_no_question_for_a_secret() {
    let mut fake = Fake::new();
    let mut running = Running::new(Conditions { secret: true, ..Conditions::default() }, fake.at(0));
    fake.secret = true;
    assert_eq!(fake.check(&mut running, 3, Some(1), 5), None);
    assert_eq!(fake.wakeup(&running, 3, Some(1)), fake.at(11));
    fake.secret = false;
    assert_eq!(fake.check(&mut running, 11, Some(1), 5), None);
    fake.secret = true;
    assert_eq!(fake.check(&mut running, 51, Some(1), 5), None);
    assert_eq!(fake.wakeup(&running, 51, Some(1)), fake.at(71));
    assert_eq!(fake.check(&mut running, 71, Some(1), 5), Some(Met::Secret));
}

#[test]
fn a_program_asks_once_it_has_only_waited_for_a_while() {
    let mut fake = Fake::new();
    let asks = || Conditions { asks: Some(Duration::from_millis(500)), ..Conditions::default() };
    let mut running = Running::new(asks(), fake.at(0));
    assert_eq!(fake.check(&mut running, 1000, Some(0), 5), None);
    // It is seen reading, between other work.
    fake.asks = true;
    assert_eq!(fake.check(&mut running, 1010, Some(0), 5), None);
    fake.asks = false;
    assert_eq!(fake.check(&mut running, 1250, Some(0), 5), None);
    fake.asks = true;
    assert_eq!(fake.check(&mut running, 1600, Some(0), 5), None);
    // It writes output.
    assert_eq!(fake.check(&mut running, 2000, Some(1900), 9), None);
    assert_eq!(fake.check(&mut running, 2499, Some(1900), 9), None);
    assert_eq!(fake.check(&mut running, 2500, Some(1900), 9), Some(Met::Reads));
}

#[test]
fn a_screen_that_looks_like_a_prompt_is_checked_again() {
    let mut fake = Fake::new();
    let prompt = || Conditions { prompt: true, ..Conditions::default() };
    let mut running = Running::new(prompt(), fake.at(0));
    assert_eq!(fake.check(&mut running, 3, Some(3), 5), None);
    assert_eq!(fake.wakeup(&running, 3, Some(3)), fake.at(30_000));
    fake.perhaps_prompt = true;
    assert_eq!(fake.wakeup(&running, 3, Some(3)), fake.at(5));
}

#[test]
fn much_output_is_searched_piece_by_piece() {
    let mut fake = Fake::new();
    let mut running =
        Running::new(Conditions { text: Some("x".into()), ..Conditions::default() }, fake.at(0));
    assert_eq!(fake.check(&mut running, 0, None, MUCH + 1), None);
    fake.text = "never searched: x".into();
    assert_eq!(fake.check(&mut running, 100, Some(0), MUCH + 2), None);
    fake.newest = "x".into();
    assert_eq!(fake.check(&mut running, 200, Some(0), MUCH + 3), Some(Met::Text));
}

#[test]
fn exit_ends_a_wait_unless_its_condition_was_met_first() {
    let mut fake = Fake::new();
    fake.exited = true;
    let idle = Conditions { idle: Some(Duration::from_millis(1)), ..Conditions::default() };
    assert_eq!(fake.check(&mut Running::new(idle, fake.at(0)), 10, Some(0), 5), Some(Met::Exit));
    fake.text = "done".into();
    let text = Conditions { text: Some("done".into()), ..Conditions::default() };
    assert_eq!(fake.check(&mut Running::new(text, fake.at(9)), 10, Some(10), 5), Some(Met::Text));
}

#[test]
fn an_empty_text_or_pattern_is_refused() {
    for wait in [
        Wait { text: Some(String::new()), ..Wait::default() },
        Wait { regex: Some(String::new()), ..Wait::default() },
        Wait { stop: Some(String::new()), ..Wait::default() },
        Wait { regex: Some("(".into()), ..Wait::default() },
    ] {
        assert!(Conditions::new(wait.clone()).is_err(), "{wait:?}");
    }
    let idle = Conditions::new(Wait { idle_ms: Some(0), ..Wait::default() }).unwrap();
    assert_eq!(idle.idle, None, "an idle time of 0 is no condition");
}
