//! Updates for a front end that draws lines, over a WebSocket: `GET /v1/updates?session=NAME`. The client sends
//! nothing.

use axum::extract::ws::{Message, WebSocket, WebSocketUpgrade};
use axum::extract::{Extension, Query, State};
use axum::http::HeaderMap;
use axum::response::Response;
use cotty_protocol::update::Update::Gone;
use cotty_session::counts::Counted;
use cotty_session::{Session, Update};
use serde::Deserialize;

use crate::app::{App, refuse, shared_text};
use crate::auth::UPDATES_PROTOCOL;
use crate::metrics::VIEWERS;
use crate::trust::{Trust, introduction};
use crate::updates::to_wire;

/// Largest message from a client: only close frames are expected.
const MESSAGE: usize = 4096;

/// Which session.
#[derive(Debug, Deserialize)]
pub(crate) struct Which {
    #[serde(default)]
    session: String,
}

pub(crate) async fn updates(
    State(app): State<App>,
    Extension(trust): Extension<Trust>,
    Query(which): Query<Which>,
    headers: HeaderMap,
    upgrade: WebSocketUpgrade,
) -> Response {
    let found = introduction(&headers).and_then(|(caller, cwd)| {
        let actor = trust.actor(caller, cwd.as_deref());
        Ok(app.hub.show_to(&which.session, &actor)?)
    });
    let session = match found {
        Ok(session) => session,
        Err(error) => return refuse(error),
    };
    let revoked = app.daemon.revocation(&trust);
    upgrade.protocols([UPDATES_PROTOCOL]).max_message_size(MESSAGE).on_upgrade(move |socket| async move {
        let _counted = Counted::new(&VIEWERS);
        // The session goes on when the connection ends.
        tokio::select! {
            _ = serve(socket, session) => {}
            () = revoked => {}
        }
    })
}

async fn serve(mut socket: WebSocket, session: Session) -> Result<(), axum::Error> {
    let Ok(mut subscription) = session.subscribe().await else { return gone(&mut socket).await };
    let mut exited = false;
    loop {
        tokio::select! {
            batch = subscription.next() => match batch {
                Some(batch) => for update in batch.iter() {
                    let encode = |update: &Update| {
                        serde_json::to_vec(&to_wire(update, &session.meta().id)).unwrap_or_default()
                    };
                    socket.send(shared_text(update.wire(encode))?).await?;
                    exited |= matches!(**update, Update::Exited(_));
                },
                None if exited => return socket.send(Message::Close(None)).await,
                None => return gone(&mut socket).await,
            },
            received = socket.recv() => match received {
                Some(Ok(Message::Close(_))) | None => return Ok(()),
                Some(Ok(_)) => {}
                Some(Err(error)) => return Err(error),
            },
        }
    }
}

async fn gone(socket: &mut WebSocket) -> Result<(), axum::Error> {
    let text = serde_json::to_string(&Gone).map_err(axum::Error::new)?;
    socket.send(Message::Text(text.into())).await?;
    socket.send(Message::Close(None)).await
}
