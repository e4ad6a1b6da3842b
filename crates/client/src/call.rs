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
use tokio::net::UnixStream;

use crate::guard::Lifeline;
use crate::start::{connect_or_start, keeper_pid};
use crate::{ClientError, Home, View, Viewer};

/// How long a daemon may be away before a call gives up. The keeper starts it again at once.
const AWAY: Duration = Duration::from_secs(10);
/// How long a call may take before the daemon is asked whether it is well, and how long it may take to say so.
const PATIENCE: Duration = Duration::from_secs(5);

/// A client of the daemon of one home.
#[derive(Debug)]
pub struct Client {
    home: Home,
    caller: Caller,
    origin: Origin,
    start: bool,
    /// Its daemon ends with it.
    lifeline: Option<Arc<Lifeline>>,
    instance: String,
    count: AtomicU64,
}

impl Client {
    /// A client that starts the daemon if there is none.
    pub fn new(home: Home, kind: ActorKind, name: &str) -> Result<Client, ClientError> {
        Ok(Client {
            home,
            caller: Caller { kind, client: name.to_owned() },
            origin: Origin::of_this_process(),
            start: true,
            lifeline: None,
            instance: instance()?,
            count: AtomicU64::new(0),
        })
    }

    /// A client with a daemon of its own that nobody else knows, and that ends with this process.
    pub fn alone(kind: ActorKind, name: &str) -> Result<Client, ClientError> {
        let home = Home::private()?;
        let mut client = Client::new(home, kind, name)?;
        client.lifeline = Some(Arc::new(Lifeline::new()?));
        // What is started in its sessions finds this daemon, and no other.
        let state = client.home.state().to_string_lossy().into_owned();
        client.origin.env.insert("COTTY_HOME".to_owned(), state);
        Ok(client)
    }

    /// The same, but it only speaks to a daemon that runs already.
    #[must_use]
    pub fn without_start(mut self) -> Client {
        self.start = false;
        self
    }

    /// Where its daemon is.
    pub fn home(&self) -> &Home {
        &self.home
    }

    /// What it says of where it stands.
    pub fn origin(&self) -> &Origin {
        &self.origin
    }

    /// Does one operation. If the daemon dies meanwhile, the next one is asked under the same id: it happens once.
    pub async fn call<O: Operation>(&self, params: &O) -> Result<O::Reply, ClientError> {
        let body = self.body(params)?;
        let is_well = self.body(&status::Params {})?;
        let value = tokio::select! {
            value = self.until_answered(|| self.post(body.clone())) => value?,
            () = self.hangs(is_well) => return Err(ClientError::Hangs),
        };
        serde_json::from_value(value)
            .map_err(|e| ClientError::NoAnswer(format!("it answered strangely: {e}")))
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

    /// Ends when the daemon can be reached but says nothing, not even that it is well. Until then a call may last.
    async fn hangs(&self, is_well: Bytes) {
        loop {
            tokio::time::sleep(PATIENCE).await;
            let asked = self.until_answered(|| self.post(is_well.clone()));
            if tokio::time::timeout(PATIENCE, asked).await.is_err() {
                return;
            }
        }
    }

    /// Watches a session.
    pub async fn view(&self, session: &str) -> Result<View, ClientError> {
        self.view_of(session, None).await
    }

    /// Watches a session as somebody that others are told of.
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

    /// Tries until there is an answer, a refusal, or too much time has passed since the daemon was last there.
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

    /// After a daemon went away: waits until the next one can be asked. `false`: there is no keeper to start one, because
    /// somebody ended it. That is not undone only because somebody else was in the middle of something.
    pub(crate) async fn comes_back(&self) -> bool {
        loop {
            if UnixStream::connect(self.home.socket()).await.is_ok() {
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
            return UnixStream::connect(self.home.socket()).await.map_err(|_| ClientError::NotRunning);
        }
        // The socket is the keeper's: it can be connected to even while the daemon is being replaced.
        if let Ok(stream) = UnixStream::connect(self.home.socket()).await {
            return Ok(stream);
        }
        let (home, lifeline) = (self.home.clone(), self.lifeline.clone());
        let started = tokio::task::spawn_blocking(move || connect_or_start(&home, lifeline.as_deref())).await;
        let stream = started.map_err(std::io::Error::other)??;
        stream.set_nonblocking(true)?;
        Ok(UnixStream::from_std(stream)?)
    }

    async fn post(&self, body: Bytes) -> Result<serde_json::Value, ClientError> {
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
            Ok(Answer::Ok(value)) => Ok(value),
            Ok(Answer::Error(error)) => Err(error.into()),
            Err(e) => Err(ClientError::NoAnswer(format!("it answered strangely: {e}"))),
        }
    }
}

/// A name for this client that no other has.
pub(crate) fn instance() -> Result<String, ClientError> {
    Ok(random::<24>()?)
}
