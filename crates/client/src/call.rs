use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

use cotty_protocol::op::{Operation, status};
use cotty_protocol::text::random;
use cotty_protocol::{ActorKind, Answer, Call, Caller, Origin};
use http_body_util::{BodyExt, Full};
use hyper::body::Bytes;
use hyper::client::conn::http1;
use hyper_util::rt::TokioIo;
use serde::de::DeserializeOwned;
use tokio::net::UnixStream;

use crate::guard::Lifeline;
use crate::start::{connect_or_start, keeper_pid};
use crate::{ClientError, Home, View, Viewer};

/// How long the daemon may be unreachable before a call fails. The keeper restarts it at once.
const AWAY: Duration = Duration::from_secs(10);
/// How long a call may take before the client checks that the daemon still answers, and how long that check may take.
const PATIENCE: Duration = Duration::from_secs(5);

/// A client of one home's daemon.
#[derive(Debug)]
pub struct Client {
    home: Home,
    caller: Caller,
    origin: Origin,
    start: bool,
    /// Ends the daemon when this client ends.
    lifeline: Option<Arc<Lifeline>>,
    on_lost: fn(&[String]),
    instance: String,
    count: AtomicU64,
}

impl Client {
    /// A client that starts the daemon if none runs.
    pub fn new(home: Home, kind: ActorKind, name: &str) -> Result<Client, ClientError> {
        Ok(Client {
            home,
            caller: Caller { kind, client: name.to_owned() },
            origin: Origin::of_this_process(),
            start: true,
            lifeline: None,
            on_lost: |_| {},
            instance: instance()?,
            count: AtomicU64::new(0),
        })
    }

    /// A client with a private daemon that ends with this process.
    pub fn alone(kind: ActorKind, name: &str) -> Result<Client, ClientError> {
        let home = Home::private()?;
        let mut client = Client::new(home, kind, name)?;
        client.lifeline = Some(Arc::new(Lifeline::new()?));
        // Programs in its sessions use this daemon.
        let state = client.home.state().to_string_lossy().into_owned();
        client.origin.env.insert("COTTY_HOME".to_owned(), state);
        Ok(client)
    }

    /// The same client, but it does not start a daemon.
    #[must_use]
    pub fn without_start(mut self) -> Client {
        self.start = false;
        self
    }

    /// The same client, which reports sessions that ended with a killed keeper when it starts the next one.
    #[must_use]
    pub fn on_lost(mut self, report: fn(&[String])) -> Client {
        self.on_lost = report;
        self
    }

    /// The home of its daemon.
    pub fn home(&self) -> &Home {
        &self.home
    }

    /// The process that it reports as the origin of its calls.
    pub fn origin(&self) -> &Origin {
        &self.origin
    }

    /// Performs one operation. If the daemon dies meanwhile, the client repeats the call with the same retry id, so that it
    /// takes effect once.
    pub async fn call<O: Operation>(&self, params: &O) -> Result<O::Reply, ClientError> {
        let body = self.body(params)?;
        let ping = self.body(&status::Params {})?;
        tokio::select! {
            reply = self.until_answered(|| self.post(body.clone())) => reply?.map_err(invalid),
            () = self.hangs(ping) => Err(ClientError::Hangs),
        }
    }

    fn body<O: Operation>(&self, params: &O) -> Result<Bytes, ClientError> {
        let count = self.count.fetch_add(1, Ordering::Relaxed);
        let call = Call {
            op: O::NAME.to_owned(),
            retry_id: format!("{}:{count}", self.instance),
            caller: self.caller.clone(),
            origin: Some(self.origin.clone()),
            params: serde_json::to_value(params).map_err(std::io::Error::other)?,
        };
        Ok(Bytes::from(serde_json::to_vec(&call).map_err(std::io::Error::other)?))
    }

    /// Returns when the daemon is reachable but does not answer a status call in time. Until then a call may last.
    async fn hangs(&self, ping: Bytes) {
        loop {
            tokio::time::sleep(PATIENCE).await;
            let asked = self.until_answered(|| self.post::<status::Reply>(ping.clone()));
            if tokio::time::timeout(PATIENCE, asked).await.is_err() {
                return;
            }
        }
    }

    /// Watches a session.
    pub async fn view(&self, session: &str) -> Result<View, ClientError> {
        self.view_of(session, None).await
    }

    /// Watches a session as a viewer that the others see.
    pub async fn view_as(&self, session: &str, viewer: &Viewer) -> Result<View, ClientError> {
        self.view_of(session, Some(viewer)).await
    }

    async fn view_of(&self, session: &str, viewer: Option<&Viewer>) -> Result<View, ClientError> {
        self.until_answered(|| async {
            let stream = self.connect().await?;
            View::open(stream, session, viewer, &self.caller, &self.origin.cwd).await
        })
        .await
    }

    /// Tries until the daemon answers or refuses, or has been unreachable for too long.
    pub(crate) async fn until_answered<T, F: Future<Output = Result<T, ClientError>>>(
        &self,
        attempt: impl Fn() -> F,
    ) -> Result<T, ClientError> {
        let mut lost: Option<Instant> = None;
        loop {
            let error = match attempt().await {
                Err(error @ (ClientError::NoAnswer(_) | ClientError::Io(_))) => error,
                answered => return answered,
            };
            if lost.get_or_insert_with(Instant::now).elapsed() > AWAY {
                return Err(error);
            }
            if !self.comes_back().await {
                return Err(ClientError::Stopped);
            }
            tokio::time::sleep(Duration::from_millis(20)).await;
        }
    }

    /// Waits until the next daemon is reachable. `false`: the keeper was stopped. A client with an open call does not start
    /// it again.
    pub(crate) async fn comes_back(&self) -> bool {
        loop {
            if self.connect_to_any().await.is_ok() {
                return true;
            }
            if keeper_pid(&self.home).is_none() {
                return false;
            }
            tokio::time::sleep(Duration::from_millis(20)).await;
        }
    }

    pub(crate) async fn connect(&self) -> Result<UnixStream, ClientError> {
        if !self.start {
            return self.connect_to_any().await.map_err(|_| ClientError::NotRunning);
        }
        // The keeper owns the socket, so connecting works even while the daemon is being replaced.
        if let Ok(stream) = self.connect_to_any().await {
            return Ok(stream);
        }
        let (home, lifeline, on_lost) = (self.home.clone(), self.lifeline.clone(), self.on_lost);
        let started =
            tokio::task::spawn_blocking(move || connect_or_start(&home, lifeline.as_deref(), on_lost)).await;
        let stream = started.map_err(std::io::Error::other)??;
        stream.set_nonblocking(true)?;
        Ok(UnixStream::from_std(stream)?)
    }

    /// Connects to the first socket that answers.
    async fn connect_to_any(&self) -> std::io::Result<UnixStream> {
        let mut failed = std::io::ErrorKind::NotFound.into();
        for socket in self.home.sockets() {
            match UnixStream::connect(socket).await {
                Ok(stream) => return Ok(stream),
                Err(error) => failed = error,
            }
        }
        Err(failed)
    }

    /// The reply. The inner error: a whole answer that this client does not understand, and would not understand again.
    async fn post<R: DeserializeOwned>(
        &self,
        body: Bytes,
    ) -> Result<Result<R, serde_json::Error>, ClientError> {
        let lost = |e: hyper::Error| ClientError::NoAnswer(e.to_string());
        let stream = self.connect().await?;
        let (mut sender, connection) = http1::handshake(TokioIo::new(stream)).await.map_err(lost)?;
        let driver = tokio::spawn(connection);
        let request = hyper::Request::post("/v1/call")
            .header("host", "cotty")
            .header("content-type", "application/json")
            .body(Full::new(body))
            .map_err(std::io::Error::other)?;
        let response = sender.send_request(request).await.map_err(lost)?;
        let bytes = response.into_body().collect().await.map_err(lost)?.to_bytes();
        driver.abort();
        match serde_json::from_slice(&bytes) {
            Ok(Answer::Ok(reply)) => Ok(Ok(reply)),
            Ok(Answer::Error(error)) => Err(error.into()),
            Err(error) if error.is_data() => Ok(Err(error)),
            Err(error) => Err(invalid(error)),
        }
    }
}

#[expect(clippy::needless_pass_by_value, reason = "for map_err")]
fn invalid(error: serde_json::Error) -> ClientError {
    ClientError::NoAnswer(format!("invalid answer: {error}"))
}

/// A unique name for this client.
pub(crate) fn instance() -> Result<String, ClientError> {
    Ok(random::<24>()?)
}
