//! Turns requests into answers by their path, once they have passed the gate and every limit.

use super::gate::{Gate, Refusal};
use super::metrics::Metrics;
use super::rate::Rate;
use super::well_known;
use crate::adapter::{HttpEndpoint, Sessions, http_endpoint};
use crate::http_options::HttpOptions;
use crate::journal::Level;
use crate::server::Server;
use crate::web;
use axum::Router;
use axum::body::{Body, to_bytes};
use axum::extract::{Request, State};
use axum::http::header::{
    ACCESS_CONTROL_ALLOW_HEADERS, ACCESS_CONTROL_ALLOW_METHODS, ACCESS_CONTROL_ALLOW_ORIGIN,
    ACCESS_CONTROL_EXPOSE_HEADERS, CONTENT_TYPE, ORIGIN, RETRY_AFTER, VARY, WWW_AUTHENTICATE,
    X_CONTENT_TYPE_OPTIONS,
};
use axum::http::{HeaderValue, Method, StatusCode};
use axum::middleware::{Next, from_fn_with_state};
use axum::response::{IntoResponse as _, Response};
use axum::routing::{any_service, get};
use serde_json::{Value as Json, json};
use std::net::IpAddr;
use std::sync::{Arc, Mutex, PoisonError};
use tokio::sync::Semaphore;
use tokio::time::{Instant, timeout};
use tokio_util::sync::CancellationToken;

/// Who sent a request.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Client(pub(crate) IpAddr);

/// What all requests share.
#[derive(Clone)]
pub(crate) struct Front {
    shared: Arc<Shared>,
    endpoint: HttpEndpoint,
}

pub(crate) struct Shared {
    pub(crate) server: Server,
    options: HttpOptions,
    gate: Gate,
    rate: Option<Mutex<Rate>>,
    in_flight: Semaphore,
    metrics: Metrics,
    sessions: Sessions,
    start: Instant,
}

impl Front {
    pub(crate) fn new(
        server: &Server,
        address: IpAddr,
        options: HttpOptions,
        stop: CancellationToken,
    ) -> Self {
        let (endpoint, sessions) = http_endpoint(server, options.session_idle, stop);
        let shared = Shared {
            server: server.clone(),
            gate: Gate::new(address, &options),
            rate: options.rate.map(|rate| Mutex::new(Rate::new(rate))),
            in_flight: Semaphore::new(options.max_in_flight.max(1)),
            metrics: Metrics::default(),
            sessions,
            start: Instant::now(),
            options,
        };
        Self { shared: Arc::new(shared), endpoint }
    }
}

/// The paths that are answered.
pub(crate) fn router(front: Front) -> Router {
    Router::new()
        .route("/mcp", any_service(front.endpoint))
        .route("/healthz", get(|| async { "ok\n" }))
        .route("/metrics", get(metrics))
        .route("/.well-known/agent-skills/{*path}", get(well_known::read))
        .merge(web::routes(front.shared.server.clone()))
        .fallback(|| async { refuse(StatusCode::NOT_FOUND, "there is nothing here") })
        .layer(from_fn_with_state(front.shared.clone(), admit))
        .with_state(front.shared)
}

async fn metrics(State(shared): State<Arc<Shared>>) -> Response {
    let gauges = [
        ("skills", shared.server.store().served().addresses.all.len()),
        ("sessions", shared.sessions.sessions.read().await.len()),
        ("requests_in_flight", in_flight(&shared)),
    ];
    let text = shared.metrics.render(&gauges);
    ([(CONTENT_TYPE, "text/plain; version=0.0.4; charset=utf-8")], text).into_response()
}

fn in_flight(shared: &Shared) -> usize {
    let room = shared.options.max_in_flight.max(1);
    room.saturating_sub(shared.in_flight.available_permits())
}

/// Lets a request pass, or turns it away, and counts it.
async fn admit(State(shared): State<Arc<Shared>>, request: Request, next: Next) -> Response {
    let start = Instant::now();
    let route = route(request.uri().path());
    let method = request.method().clone();
    let origin = request.headers().get(ORIGIN).cloned();
    let mut response = match pass(&shared, request, next).await {
        Ok(response) => response,
        Err(turned_away) => {
            shared.metrics.refused(turned_away.why);
            let fields = [("route", route.to_owned()), ("reason", turned_away.why.to_owned())];
            shared.server.options().journal.record(Level::Warn, "refused", &fields);
            turned_away.response
        }
    };
    let headers = response.headers_mut();
    headers.insert(X_CONTENT_TYPE_OPTIONS, HeaderValue::from_static("nosniff"));
    if let Some(origin) = origin
        && origin.to_str().is_ok_and(|origin| shared.gate.allows_page(origin))
    {
        headers.insert(ACCESS_CONTROL_ALLOW_ORIGIN, origin);
        headers.insert(ACCESS_CONTROL_EXPOSE_HEADERS, HeaderValue::from_static("mcp-session-id"));
        headers.append(VARY, HeaderValue::from_static("origin"));
    }
    let (status, took) = (response.status().as_u16(), start.elapsed());
    shared.metrics.answered(route, status, took);
    let fields = [
        ("method", method.as_str().chars().take(16).collect()),
        ("route", route.to_owned()),
        ("status", status.to_string()),
        ("microseconds", took.as_micros().to_string()),
    ];
    shared.server.options().journal.record(Level::Debug, "request", &fields);
    response
}

/// An answer that says no, and the word under which it is counted.
struct TurnedAway {
    why: &'static str,
    response: Response,
}

async fn pass(shared: &Shared, request: Request, next: Next) -> Result<Response, TurnedAway> {
    let away = |why, status, reason| TurnedAway { why, response: refuse(status, reason) };
    let is_preflight =
        request.method() == Method::OPTIONS && request.headers().contains_key(ORIGIN);
    match shared.gate.check(request.uri(), request.headers()) {
        Ok(()) => {}
        // A browser asks without a token first.
        Err(Refusal::Token) if is_preflight => {}
        Err(refusal) => {
            let why = match refusal {
                Refusal::Host => "host",
                Refusal::Origin => "origin",
                Refusal::Token => "token",
            };
            let mut turned_away = away(why, refusal.status(), refusal.reason());
            if refusal == Refusal::Token {
                let scheme = HeaderValue::from_static("Bearer");
                turned_away.response.headers_mut().insert(WWW_AUTHENTICATE, scheme);
            }
            return Err(turned_away);
        }
    }
    if let (Some(rate), Some(Client(from))) = (&shared.rate, request.extensions().get()) {
        let now = shared.start.elapsed();
        if !rate.lock().unwrap_or_else(PoisonError::into_inner).admit(*from, now) {
            let status = StatusCode::TOO_MANY_REQUESTS;
            return Err(later(away("rate", status, "too many requests from this address")));
        }
    }
    if is_preflight {
        return Ok(preflight());
    }
    let Ok(_permit) = shared.in_flight.try_acquire() else {
        let status = StatusCode::SERVICE_UNAVAILABLE;
        return Err(later(away("busy", status, "too many requests are under way")));
    };
    let request = if request.method() == Method::POST {
        let (head, body) = request.into_parts();
        let reading = to_bytes(body, shared.server.options().max_message);
        let body = match timeout(shared.options.body_timeout, reading).await {
            Ok(Ok(body)) => body,
            Ok(Err(_)) => {
                let status = StatusCode::PAYLOAD_TOO_LARGE;
                return Err(away("size", status, "the request is too large or was cut off"));
            }
            Err(_) => {
                let status = StatusCode::REQUEST_TIMEOUT;
                return Err(away("slow", status, "the request took too long to arrive"));
            }
        };
        if !head.headers.contains_key("mcp-session-id") && is_initialize(shared, &body).await {
            let status = StatusCode::SERVICE_UNAVAILABLE;
            return Err(later(away("sessions", status, "there are too many sessions")));
        }
        Request::from_parts(head, Body::from(body))
    } else {
        request
    };
    match timeout(shared.options.answer_timeout, next.run(request)).await {
        Ok(response) => Ok(response),
        Err(_) => Err(away("late", StatusCode::GATEWAY_TIMEOUT, "there was no answer in time")),
    }
}

/// Whether a request wants a session when there is no room for one.
async fn is_initialize(shared: &Shared, body: &[u8]) -> bool {
    shared.sessions.sessions.read().await.len() >= shared.options.max_sessions
        && serde_json::from_slice::<Json>(body).is_ok_and(|json| json["method"] == "initialize")
}

fn preflight() -> Response {
    let headers = [
        (ACCESS_CONTROL_ALLOW_METHODS, "GET, POST, DELETE"),
        (
            ACCESS_CONTROL_ALLOW_HEADERS,
            "authorization, content-type, last-event-id, mcp-method, mcp-name, mcp-protocol-version, mcp-session-id",
        ),
    ];
    (StatusCode::NO_CONTENT, headers).into_response()
}

/// An answer that says no: JSON, without anything about this machine.
pub(crate) fn refuse(status: StatusCode, reason: &str) -> Response {
    let body = json!({ "error": reason }).to_string();
    (status, [(CONTENT_TYPE, "application/json")], body).into_response()
}

fn later(mut turned_away: TurnedAway) -> TurnedAway {
    turned_away.response.headers_mut().insert(RETRY_AFTER, HeaderValue::from_static("1"));
    turned_away
}

/// The name of a path in records and numbers: one of a few, whatever strangers ask for.
fn route(path: &str) -> &'static str {
    match path {
        "/mcp" => "/mcp",
        "/healthz" => "/healthz",
        "/metrics" => "/metrics",
        "/" => "/",
        path if path.starts_with("/api/") => "/api",
        path if path.starts_with("/web/") => "/web",
        path if path.starts_with("/.well-known/") => "/.well-known",
        _ => "other",
    }
}
