//! A viewer over a WebSocket: paints go out, keys come in.

use std::sync::Arc;

use axum::extract::ws::{Message, WebSocket, WebSocketUpgrade};
use axum::extract::{Extension, Path, Query, State};
use axum::http::HeaderMap;
use axum::response::Response;
use cotty_protocol::ApiError;
use cotty_protocol::op::keyboard::{Action, Holder};
use cotty_protocol::op::{answer, keyboard, resize, send};
use cotty_protocol::text::acts;
use cotty_protocol::view::{self, FromViewer, Paint, ToViewer};
use cotty_session::counts::Counted;
use cotty_session::{ActorKind, Frame, HeldBy, Origin, Presence, Session, Shared, Typist, Viewer, Watcher};
use serde::Deserialize;
use tokio::sync::broadcast::error::RecvError;

use crate::app::{App, in_plain_words, refuse, shared_text, without_process};
use crate::auth::{VIEW_PROTOCOL, origin};
use crate::metrics::VIEWERS;
use crate::ops::{Access, Context, Viewing, handoff_state, perform, random_id};
use crate::proof::Proofs;
use crate::trust::{Trust, introduction};

/// Longest message from a viewer: a large paste.
const MESSAGE: usize = 4 << 20;
/// Most other viewers that are listed by name.
const NAMED: usize = 16;

/// Who connects. A viewer that reconnects with the same id still has the keyboard if it had it.
#[derive(Debug, Deserialize)]
pub(crate) struct Who {
    viewer: Option<String>,
    name: Option<String>,
    /// The kind of viewer: `attach`, `page`.
    kind: Option<String>,
    /// From the page: the first message must prove that this is the daemon.
    nonce: Option<String>,
}

pub(crate) async fn view(
    State(app): State<App>,
    Extension(trust): Extension<Trust>,
    Path(name): Path<String>,
    Query(who): Query<Who>,
    headers: HeaderMap,
    upgrade: WebSocketUpgrade,
) -> Response {
    let nonce = who.nonce.clone();
    let kind = who.kind.clone().unwrap_or_else(|| "viewer".to_owned());
    let found = introduction(&headers).and_then(|(caller, cwd)| {
        let mut context = app.context(&trust, caller, Some(without_process(cwd)), String::new());
        // Only a person may reconnect with an id: other callers could pass for the keyboard's holder.
        let may_reconnect = context.may(Access::Write).is_ok() && context.actor.kind == ActorKind::Person;
        let who = if may_reconnect { who } else { Who { viewer: None, ..who } };
        // A viewer starts no programs, and the context is cloned for every key.
        context.origin = Origin::default();
        let session = app.hub.show_to(&name, &context.actor)?;
        let typist = typist(who, context.actor.kind)?;
        context.viewer = Some(Arc::new(Viewing { session: session.clone(), typist: typist.clone() }));
        Ok((context, session, typist))
    });
    let (context, session, typist) = match found {
        Ok(found) => found,
        Err(error) => return refuse(error),
    };
    let proof = match (&trust, nonce) {
        (Trust::Page, Some(nonce)) => {
            let (key, origin) = (app.daemon.page.key(), origin(&headers));
            Proofs { key: &key, origin: &origin }.on_socket(&nonce)
        }
        _ => None,
    };
    let revoked = app.daemon.revocation(&trust);
    upgrade.protocols([VIEW_PROTOCOL]).max_message_size(MESSAGE).on_upgrade(move |socket| async move {
        // The session goes on when the connection ends.
        let _counted = Counted::new(&VIEWERS);
        let watcher = Watcher { who: typist.who.clone(), name: typist.name.clone(), kind };
        let _ = session.viewer_connected(watcher).await;
        tokio::select! {
            _ = serve(socket, proof, &session, &typist, &context) => {}
            () = revoked => {}
        }
        let _ = session.viewer_disconnected(&typist.who).await;
    })
}

/// The typist of a viewer. Its names must be short, without characters that act on a terminal.
fn typist(who: Who, kind: ActorKind) -> Result<Typist, ApiError> {
    let plain = |text: &String| !text.is_empty() && text.len() <= 64 && !text.chars().any(acts);
    if !who.viewer.iter().chain(&who.name).chain(&who.kind).all(plain) {
        return Err(ApiError::invalid("`viewer`, `name` and `kind` must have 1 to 64 printable characters"));
    }
    let name = who.name.or(who.kind).unwrap_or_else(|| "viewer".to_owned());
    Ok(Typist { kind, who: who.viewer.unwrap_or_else(random_id), name })
}

async fn serve(
    mut socket: WebSocket,
    proof: Option<String>,
    session: &Session,
    typist: &Typist,
    context: &Context,
) -> Result<(), axum::Error> {
    if let Some(proof) = proof {
        tell(&mut socket, &ToViewer::Proof { proof }).await?;
    }
    let Some(mut viewer) = begin(&mut socket, session, typist).await? else { return Ok(()) };
    loop {
        tokio::select! {
            frame = viewer.frames.recv() => match frame {
                Ok(frame) => show(&mut socket, &frame, session).await?,
                // The viewer is too slow for the changes: it gets the current screen instead.
                Err(RecvError::Lagged(_)) => match begin(&mut socket, session, typist).await? {
                    Some(fresh) => viewer = fresh,
                    None => return Ok(()),
                },
                Err(RecvError::Closed) => return tell(&mut socket, &ToViewer::Gone).await,
            },
            Ok(()) = viewer.presence.changed() => {
                let presence = seen_by(&viewer.presence.borrow_and_update().clone(), typist);
                tell(&mut socket, &ToViewer::Presence(presence)).await?;
            }
            received = socket.recv() => match received {
                Some(Ok(Message::Text(text))) => {
                    if let Err(refused) = handle(context, &session.meta().id, &text).await {
                        tell(&mut socket, &ToViewer::Refused(in_plain_words(refused))).await?;
                    }
                }
                Some(Ok(Message::Close(_))) | None => return Ok(()),
                Some(Ok(_)) => {}
                Some(Err(error)) => return Err(error),
            },
        }
    }
}

/// Sends the current screen and, if the program has ended, its exit. `None`: the session is gone, and the viewer
/// was told.
async fn begin(
    socket: &mut WebSocket,
    session: &Session,
    typist: &Typist,
) -> Result<Option<Viewer>, axum::Error> {
    let Ok(mut viewer) = session.view().await else {
        tell(socket, &ToViewer::Gone).await?;
        return Ok(None);
    };
    show(socket, &viewer.first, session).await?;
    let presence = seen_by(&viewer.presence.borrow_and_update().clone(), typist);
    tell(socket, &ToViewer::Presence(presence)).await?;
    // The exit may have come before the first frame, or in a frame that was missed.
    if let Some(ended) = session.info().await.ok().and_then(|info| info.ended) {
        let (exit_code, signal) = (ended.exit_code, ended.signal);
        tell(socket, &ToViewer::Exited { exit_code, signal }).await?;
    }
    Ok(Some(viewer))
}

/// The presence as one viewer sees it.
fn seen_by(presence: &Presence, typist: &Typist) -> view::Presence {
    let (holder, by, yours) = match &presence.holder {
        HeldBy::Agent => (Holder::Agent, None, false),
        HeldBy::Person { who, name } => (Holder::Person, Some(name.clone()), *who == typist.who),
        HeldBy::Nobody => (Holder::Nobody, None, false),
    };
    let others = || presence.watchers.iter().filter(|watcher| watcher.who != typist.who);
    let named = |watcher: &Watcher| view::Watcher { name: watcher.name.clone(), kind: watcher.kind.clone() };
    view::Presence {
        holder: Some(holder),
        by,
        yours,
        agent: presence.agent.clone(),
        others: others().take(NAMED).map(named).collect(),
        count: others().count(),
        mouse: presence.mouse,
        alternate: presence.alternate,
        fitted: presence.fitted,
        turned_away: presence.turned_away.as_ref().map(|turned| view::TurnedAway {
            count: turned.count,
            name: turned.name.clone(),
            secret: turned.secret,
        }),
        handoff: presence.handoff.as_ref().map(|asked| {
            Box::new(view::HandoffNotice {
                request_id: asked.id.clone(),
                from: asked.from.clone(),
                message: asked.message.clone(),
                state: handoff_state(
                    asked.ended.as_ref().map(|(outcome, _)| *outcome),
                    holder == Holder::Person,
                ),
                by: asked.ended.as_ref().and_then(|(_, by)| by.clone()),
            })
        }),
    }
}

/// Runs a message from a viewer's keyboard, mouse or buttons.
async fn handle(context: &Context, session: &str, text: &str) -> Result<(), ApiError> {
    let message: FromViewer =
        serde_json::from_str(text).map_err(|e| ApiError::invalid(format!("not a message: {e}")))?;
    let context = Context { retry_id: random_id(), ..context.clone() };
    let session = session.to_owned();
    match message {
        FromViewer::Key { key, ctrl, alt, shift } => {
            let key = Some(key);
            let params = send::Params { session, key, ctrl, alt, shift, ..send::Params::default() };
            perform(context, params).await.map(drop)
        }
        FromViewer::Text { text, paste } => {
            let params = send::Params { session, text: Some(text), paste, ..send::Params::default() };
            perform(context, params).await.map(drop)
        }
        FromViewer::Mouse { mouse, ctrl, alt, shift } => {
            let mouse = Some(mouse);
            let params = send::Params { session, mouse, ctrl, alt, shift, ..send::Params::default() };
            perform(context, params).await.map(drop)
        }
        FromViewer::Take => hold(context, session, Action::Take).await,
        FromViewer::Give => hold(context, session, Action::Give).await,
        FromViewer::Leave => hold(context, session, Action::Leave).await,
        FromViewer::Answer { request_id, decline, note } => {
            perform(context, answer::Params { request_id, decline, note }).await.map(drop)
        }
        FromViewer::Fit { size } => {
            let (cols, rows) = (size.map(|size| size.cols), size.map(|size| size.rows));
            perform(context, resize::Params { session, cols, rows, fit: true }).await.map(drop)
        }
    }
}

async fn hold(context: Context, session: String, action: Action) -> Result<(), ApiError> {
    perform(context, keyboard::Params { session, action, lease_ms: None }).await.map(drop)
}

fn message(frame: &Frame, session: &Session) -> ToViewer {
    match frame {
        Frame::Paint { seq, full, size, data, title, activity: doing } => ToViewer::Paint(Paint {
            seq: *seq,
            full: *full,
            cols: size.0,
            rows: size.1,
            data: data.clone(),
            session_id: session.meta().id.clone(),
            title: title.clone(),
            activity: doing.clone(),
        }),
        Frame::Exited(ended) => ToViewer::Exited { exit_code: ended.exit_code, signal: ended.signal },
    }
}

/// Sends a frame, encoded once for all viewers.
async fn show(socket: &mut WebSocket, frame: &Shared<Frame>, session: &Session) -> Result<(), axum::Error> {
    let wire = frame.wire(|frame| serde_json::to_vec(&message(frame, session)).unwrap_or_default());
    socket.send(shared_text(wire)?).await
}

async fn tell(socket: &mut WebSocket, message: &ToViewer) -> Result<(), axum::Error> {
    let text = serde_json::to_string(message).map_err(axum::Error::new)?;
    socket.send(Message::Text(text.into())).await
}
