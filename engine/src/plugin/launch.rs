//! Starts a provider, connects to it, and starts it again after it died.

use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use prost::Message;
use rustls::ClientConfig;

use super::address::{Address, Reattach};
use super::ask::read_diagnostics;
use super::error::{CallError, HandshakeError, LaunchError, end_of_log};
use super::handshake::Handshake;
use super::line::{Call, Cut, Line, words};
use super::tls::Identity;
use crate::process::{Allowance, Death, Kept, Runs, Wanted};
use crate::provider_address::Protocol;
use crate::wire::messages::plugin::{self, DynamicValue};

/// Without it a provider only prints a message for people.
const COOKIE: [&str; 2] =
    ["TF_PLUGIN_MAGIC_COOKIE", "d602bf8f470bc67ca7faa0386276bbdd4330efaf76d1a219cb4d6991ca9872b2"];

/// The environment of every provider.
const SETTINGS: [(&str, &str); 4] = [
    (COOKIE[0], COOKIE[1]),
    ("PLUGIN_PROTOCOL_VERSIONS", "5,6"),
    ("PLUGIN_MIN_PORT", "10000"),
    ("PLUGIN_MAX_PORT", "25000"),
];

/// How long it may take until a process whose connection broke is seen to be dead.
const DYING: Duration = Duration::from_millis(1500);

/// The limits of a provider.
#[derive(Clone, Copy, Debug)]
pub struct Limits {
    /// Time for its handshake.
    pub start: Duration,
    /// Time for an answer.
    pub call: Duration,
    /// Size of an answer, in bytes.
    pub answer: usize,
    /// Memory, processes and log.
    pub allowance: Allowance,
}

impl Default for Limits {
    /// Wide enough for what providers do, narrow enough for this machine.
    fn default() -> Limits {
        Limits {
            start: Duration::from_secs(60),
            call: Duration::from_secs(60),
            answer: 64 << 20,
            allowance: Allowance { memory: 2 << 30, processes: 64, log: 64 << 20 },
        }
    }
}

/// How to start a provider.
#[derive(Clone, Debug)]
pub struct Launch {
    /// The program.
    pub program: PathBuf,
    /// Its arguments: none for most.
    pub args: Vec<String>,
    /// Its environment beside that of every provider. Nothing is inherited.
    pub variables: Vec<(String, String)>,
    /// Its limits.
    pub limits: Limits,
    /// Whether TLS is offered to it, as engines do; it may decline.
    pub tls: bool,
    /// Set when the suite should stop.
    pub stop: &'static AtomicBool,
}

/// A provider that answers questions.
#[derive(Debug)]
pub struct Plugin {
    home: Home,
    limits: Limits,
    stop: &'static AtomicBool,
    live: Option<Live>,
    protocol: Protocol,
    /// Whether it has a schema for `provider_meta`, the data that modules pass to it.
    has_meta: bool,
    /// The configuration request, sent again to each new process.
    configured: Option<plugin::ConfigureRequest>,
    calls: u64,
    starts: u64,
}

/// How a provider is started or reached.
#[derive(Debug)]
enum Home {
    Binary { launch: Box<Launch>, runs: Runs },
    Running(Reattach),
}

/// A running provider. The connection is dropped before the process.
#[derive(Debug)]
struct Live {
    line: Line,
    kept: Option<Kept>,
}

impl Plugin {
    /// Starts a provider.
    ///
    /// # Errors
    /// It does not start, or makes no usable handshake.
    pub fn launch(launch: &Launch, runs: &Runs) -> Result<Plugin, LaunchError> {
        let home = Home::Binary { launch: Box::new(launch.clone()), runs: runs.clone() };
        Plugin::at(home, launch.limits, launch.stop)
    }

    /// Connects to a provider that already runs, and leaves it running.
    ///
    /// # Errors
    /// The connection failed.
    pub fn reattach(to: &Reattach, limits: Limits, stop: &'static AtomicBool) -> Result<Plugin, LaunchError> {
        Plugin::at(Home::Running(to.clone()), limits, stop)
    }

    fn at(home: Home, limits: Limits, stop: &'static AtomicBool) -> Result<Plugin, LaunchError> {
        let live = home.start(&limits)?;
        let protocol = live.line.protocol();
        Ok(Plugin {
            home,
            limits,
            stop,
            live: Some(live),
            protocol,
            has_meta: false,
            configured: None,
            calls: 0,
            starts: 1,
        })
    }

    /// Sets whether its schema has a `provider_meta`: then each question has a field for it.
    pub fn expect_meta(&mut self, has_meta: bool) {
        self.has_meta = has_meta;
    }

    /// The `provider_meta` of a module that sets none, as engines send it: null if there is a schema for it, else absent.
    pub(super) fn meta(&self) -> Option<DynamicValue> {
        const NULL: u8 = 0xc0;
        self.has_meta.then(|| DynamicValue { msgpack: vec![NULL], json: Vec::new() })
    }

    /// Its protocol.
    pub fn protocol(&self) -> Protocol {
        self.protocol
    }

    /// How many calls were made.
    pub fn calls(&self) -> u64 {
        self.calls
    }

    /// How often it was started.
    pub fn starts(&self) -> u64 {
        self.starts
    }

    /// Ends the process, if there is one; the next question starts a new one.
    pub fn end(&mut self) {
        self.live = None;
    }

    /// Whether the suite should stop.
    pub fn is_stopped(&self) -> bool {
        self.stop.load(Ordering::Relaxed)
    }

    /// Configures this process, and every one after it.
    pub(super) fn keep_configured(&mut self, request: plugin::ConfigureRequest) {
        self.configured = Some(request);
    }

    /// Sends a question, to a new process if the old one has died.
    pub(super) fn call<Q, A>(&mut self, call: Call, question: Q) -> Result<A, CallError>
    where
        Q: Message + Send + Sync + 'static,
        A: Message + Default + Send + Sync + 'static,
    {
        self.revive()?;
        self.put(call, question)
    }

    fn revive(&mut self) -> Result<(), CallError> {
        if self.is_stopped() {
            return Err(CallError::Ended);
        }
        if self.live.is_some() {
            return Ok(());
        }
        self.live = Some(self.home.start(&self.limits).map_err(|problem| CallError::Gone(problem.to_string()))?);
        self.starts += 1;
        // The next question must not go to a process that is not configured.
        self.configure_again().inspect_err(|_| self.end())
    }

    /// Configures a new process as the first one was.
    fn configure_again(&mut self) -> Result<(), CallError> {
        let Some(request) = self.configured.clone() else { return Ok(()) };
        let answer: plugin::ConfigureAnswer = self.put(Call::CONFIGURE, request)?;
        match read_diagnostics(answer.diagnostics).iter().find(|it| it.is_error()) {
            Some(error) => Err(CallError::Gone(format!("it refuses its configuration: {}", error.summary))),
            None => Ok(()),
        }
    }

    fn put<Q, A>(&mut self, call: Call, question: Q) -> Result<A, CallError>
    where
        Q: Message + Send + Sync + 'static,
        A: Message + Default + Send + Sync + 'static,
    {
        let Some(live) = &mut self.live else { return Err(CallError::Ended) };
        if let Some(kept) = &live.kept {
            kept.turn_page();
        }
        self.calls += 1;
        let cut = match live.line.call(call, question, self.limits.call) {
            Ok(answer) => return Ok(answer),
            Err(cut) => cut,
        };
        let error = self.judge(cut);
        // After a late answer the connection is out of step, and a dead process must be replaced.
        if matches!(error, CallError::Late(_) | CallError::TooLarge(_) | CallError::Died { .. } | CallError::Ended) {
            self.end();
        }
        Err(error)
    }

    fn judge(&self, cut: Cut) -> CallError {
        let kept = self.live.as_ref().and_then(|live| live.kept.as_ref());
        // Only a failed call can come from a death that is not detected yet.
        let wait = match &cut {
            Cut::Failed(status) if is_broken(status) => DYING,
            _ => Duration::ZERO,
        };
        if let Some((kept, death)) = kept.and_then(|kept| Some((kept, kept.death(wait)?))) {
            return match death {
                Death::Ended if self.is_stopped() => CallError::Ended,
                death => CallError::Died { death, log: end_of_log(&kept.log()) },
            };
        }
        match cut {
            Cut::Late => CallError::Late(self.limits.call),
            Cut::TooLarge => CallError::TooLarge(self.limits.answer),
            Cut::Failed(status) => {
                // For a broken connection, the message of this side does not name the cause.
                let cause = std::error::Error::source(&status).map(words);
                let message = cause.unwrap_or_else(|| status.message().to_owned());
                CallError::Status { code: format!("{:?}", status.code()), message }
            }
        }
    }
}

/// Whether this side made the status because the other side is gone: a status from the provider has no source here.
fn is_broken(status: &tonic::Status) -> bool {
    status.code() == tonic::Code::Unavailable || std::error::Error::source(status).is_some()
}

impl Home {
    fn start(&self, limits: &Limits) -> Result<Live, LaunchError> {
        match self {
            Home::Binary { launch, runs } => start(launch, runs, limits),
            Home::Running(to) => {
                let line = connect(&to.source, &to.address, to.protocol, None, limits)?;
                Ok(Live { line, kept: None })
            }
        }
    }
}

fn start(launch: &Launch, runs: &Runs, limits: &Limits) -> Result<Live, LaunchError> {
    let program = launch.program.display().to_string();
    let settings = SETTINGS.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned()));
    let mut variables: Vec<_> = settings.chain(launch.variables.iter().cloned()).collect();
    let identity = if launch.tls { Some(Identity::new().map_err(LaunchError::Identity)?) } else { None };
    variables.extend(identity.iter().map(|own| ("PLUGIN_CLIENT_CERT".to_owned(), own.pem().to_owned())));
    let wanted = Wanted {
        program: &launch.program,
        args: &launch.args,
        variables: &variables,
        allowance: limits.allowance,
        stop: launch.stop,
    };
    let begun = Instant::now();
    let mut kept = Kept::start(&wanted, runs.make()?).map_err(LaunchError::Thread)?;
    let Some(line) = kept.first_line(limits.start) else {
        return Err(no_handshake(kept, program, begun.elapsed(), limits.start));
    };
    let parsed = Handshake::parse(&line);
    let handshake = parsed.map_err(|problem| LaunchError::Handshake { program: program.clone(), problem })?;
    let tls = secured(&handshake, identity.as_ref());
    let tls = tls.map_err(|problem| LaunchError::Handshake { program: program.clone(), problem })?;
    let left = limits.start.saturating_sub(begun.elapsed()).max(Duration::from_secs(1));
    let line = connect(&program, &handshake.address, handshake.protocol, tls, &Limits { start: left, ..*limits })?;
    Ok(Live { line, kept: Some(kept) })
}

fn no_handshake(mut kept: Kept, program: String, waited: Duration, limit: Duration) -> LaunchError {
    // Its output may be closed shortly before its end is detected.
    let death = kept.death(if waited < limit { DYING } else { Duration::ZERO });
    let log = end_of_log(&kept.log());
    kept.end();
    match death {
        Some(death) => LaunchError::Died { program, death, log },
        None => LaunchError::Silent { program, limit, log },
    }
}

/// How to connect: over TLS if the provider shows a certificate, else without.
fn secured(handshake: &Handshake, identity: Option<&Identity>) -> Result<Option<Arc<ClientConfig>>, HandshakeError> {
    if handshake.certificate.is_empty() {
        return Ok(None);
    }
    let unasked = HandshakeError::Certificate("it shows a certificate, and was not asked for one");
    let identity = identity.ok_or(unasked)?;
    identity.towards(&handshake.certificate).map(Some).map_err(HandshakeError::Certificate)
}

fn connect(
    program: &str,
    address: &Address,
    protocol: Protocol,
    tls: Option<Arc<ClientConfig>>,
    limits: &Limits,
) -> Result<Line, LaunchError> {
    Line::open(address, protocol, tls, limits.answer, limits.start).map_err(|problem| LaunchError::Connect {
        program: program.to_owned(),
        address: address.to_string(),
        problem,
    })
}
