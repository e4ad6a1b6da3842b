//! Progress notifications during a call, for clients that ask for them: clients that honour them do not cut off a
//! long call.

use std::pin::pin;
use std::time::Duration;

use cotty_session::{Activity, Session};
use rmcp::RoleServer;
use rmcp::model::ProgressNotificationParam;
use rmcp::service::RequestContext;
use tokio::time::{Instant, MissedTickBehavior, interval_at};

const EVERY: Duration = Duration::from_secs(1);

/// Runs the call, and meanwhile reports how long it has lasted and what its session is doing. No notification
/// follows the answer: one that is being sent goes first. `spent` is how long the call lasted in an earlier daemon.
pub(crate) async fn reported<T>(
    context: &RequestContext<RoleServer>,
    session: Option<Session>,
    spent: Duration,
    calling: impl Future<Output = T>,
) -> T {
    let Some(token) = context.meta.get_progress_token() else { return calling.await };
    let mut calling = pin!(calling);
    let began = Instant::now();
    let mut ticks = interval_at(began + EVERY, EVERY);
    // A slow reader does not get several notifications at once.
    ticks.set_missed_tick_behavior(MissedTickBehavior::Delay);
    loop {
        tokio::select! {
            biased;
            done = &mut calling => return done,
            _ = ticks.tick() => {}
        }
        let lasted = spent.saturating_add(began.elapsed());
        let seconds = lasted.as_secs();
        let message = match &session {
            Some(session) => match session.info().await {
                Ok(info) => format!("{seconds} s: {}", doing(&info.activity)),
                Err(_) => format!("{seconds} s"),
            },
            None => format!("{seconds} s"),
        };
        let note = ProgressNotificationParam::new(token.clone(), lasted.as_secs_f64());
        if context.peer.notify_progress(note.with_message(message)).await.is_err() {
            return calling.await;
        }
    }
}

fn doing(activity: &Activity) -> String {
    match activity {
        Activity::Prompt => "at the prompt".to_owned(),
        Activity::Running { program: Some(program) } => format!("{program} runs"),
        Activity::Running { program: None } => "a program runs".to_owned(),
        Activity::WaitingForInput { program: Some(program) } => format!("{program} waits for input"),
        Activity::WaitingForInput { program: None } => "a program waits for input".to_owned(),
        Activity::Pager { program } | Activity::Editor { program } => format!("{program} waits for keys"),
        Activity::SecretInput | Activity::SecretSuspected => "a program asks for a secret".to_owned(),
        Activity::Exited => "ended".to_owned(),
    }
}
