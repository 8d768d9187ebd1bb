//! Turns a server into a page for people: what their agents see, and what is worth mending.

mod markdown;
mod view;

use crate::lanes::Lane;
use crate::server::Server;
use axum::Router;
use axum::body::Body;
use axum::extract::{Query, State};
use axum::http::header::{
    CACHE_CONTROL, CONTENT_SECURITY_POLICY, CONTENT_TYPE, REFERRER_POLICY, X_FRAME_OPTIONS,
};
use axum::http::{HeaderName, HeaderValue, StatusCode};
use axum::response::{IntoResponse as _, Response};
use axum::routing::get;
use serde::Deserialize;
use serde_json::{Value as Json, json};
use std::time::Duration;
use tokio::io::AsyncWriteExt as _;
use tokio::time::{Instant, sleep};
use tokio_util::io::ReaderStream;
use view::{Missing, View};

/// The paths that hold nothing but the page itself, so that nobody needs a token to get them.
pub(crate) const OPEN_PATHS: [&str; 4] = ["/", "/web/page.css", "/web/page.js", "/web/icon.svg"];

/// Nothing but our own files is loaded, nothing in the page is run, and nothing may frame it
/// (security U10): a skill's text has no way to become more than text.
const POLICY: &str = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; \
    connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'; \
    require-trusted-types-for 'script'";

/// How often a page is told that the server is still there.
const ALIVE: Duration = Duration::from_secs(15);

/// How soon a page hears of a change.
const BETWEEN: Duration = Duration::from_millis(250);

/// The page and what it asks for.
pub(crate) fn routes<S: Clone + Send + Sync + 'static>(server: Server) -> Router<S> {
    Router::new()
        .route(
            "/",
            get(async || file("text/html; charset=utf-8", include_str!("../web/page.html"))),
        )
        .route("/web/page.css", get(async || file("text/css", include_str!("../web/page.css"))))
        .route(
            "/web/page.js",
            get(async || file("text/javascript", include_str!("../web/page.js"))),
        )
        .route(
            "/web/icon.svg",
            get(async || file("image/svg+xml", include_str!("../web/icon.svg"))),
        )
        .route("/api/about", get(about))
        .route("/api/catalog", get(catalog))
        .route("/api/prompt", get(prompt))
        .route("/api/skill", get(skill))
        .route("/api/file", get(resource))
        .route("/api/problems", get(problems))
        .route("/api/events", get(events))
        .with_state(server)
}

/// What the page asks about.
#[derive(Debug, Default, Deserialize)]
struct Asked {
    #[serde(default)]
    q: String,
    #[serde(default)]
    id: String,
    #[serde(default)]
    path: String,
    budget: Option<usize>,
    #[serde(default)]
    from: usize,
    count: Option<usize>,
}

fn file(media: &'static str, text: &'static str) -> Response {
    shielded([(CONTENT_TYPE, media), (CACHE_CONTROL, "no-cache")], text)
}

async fn about(State(server): State<Server>) -> Response {
    answer(server, Lane::Look, |view| Ok(view.about())).await
}

async fn catalog(State(server): State<Server>, Query(asked): Query<Asked>) -> Response {
    let page = asked.from..asked.from.saturating_add(asked.count.unwrap_or(view::A_PAGE));
    answer(server, Lane::Look, move |view| Ok(view.catalog(&asked.q, asked.budget, page))).await
}

async fn prompt(State(server): State<Server>, Query(asked): Query<Asked>) -> Response {
    answer(server, Lane::Look, move |view| Ok(view.prompt(&asked.q, asked.budget))).await
}

async fn skill(State(server): State<Server>, Query(asked): Query<Asked>) -> Response {
    answer(server, Lane::Read, move |view| view.skill(&asked.id)).await
}

async fn resource(State(server): State<Server>, Query(asked): Query<Asked>) -> Response {
    answer(server, Lane::Read, move |view| view.file(&asked.id, &asked.path)).await
}

async fn problems(State(server): State<Server>) -> Response {
    answer(server, Lane::Look, |view| Ok(view.problems())).await
}

/// Looks at the skills where waiting for a disk holds nobody up.
async fn answer(
    server: Server,
    lane: Lane,
    look: impl FnOnce(&View) -> Result<Json, Missing> + Send + 'static,
) -> Response {
    let looking = move |server: &Server| look(&View::new(server.clone()));
    let (status, body) = match server.work(lane, looking).await {
        Some(Ok(body)) => (StatusCode::OK, body),
        Some(Err(missing)) => (StatusCode::NOT_FOUND, json!({ "error": missing.to_string() })),
        None => {
            let error = "the server could not look at its skills";
            (StatusCode::INTERNAL_SERVER_ERROR, json!({ "error": error }))
        }
    };
    let headers = [(CONTENT_TYPE, "application/json"), (CACHE_CONTROL, "no-store")];
    let mut response = shielded(headers, body.to_string());
    *response.status_mut() = status;
    response
}

/// Tells of each generation of the catalog, from the present one on, as server-sent events.
async fn events(State(server): State<Server>) -> Response {
    let (mut page, stream) = tokio::io::duplex(1024);
    tokio::spawn(async move {
        let mut told = (0, Instant::now());
        loop {
            let generation = server.store().registry.catalog().generation();
            // Saying the same again is how a page that is gone is noticed.
            if generation != told.0 || told.1.elapsed() > ALIVE {
                let event = format!("event: generation\ndata: {generation}\n\n");
                if page.write_all(event.as_bytes()).await.is_err() {
                    return;
                }
                told = (generation, Instant::now());
            }
            // A skill that breaks changes nothing for agents, and much for the person who edits it;
            // so the generation is asked for, not what agents are told.
            sleep(BETWEEN).await;
        }
    });
    let body = Body::from_stream(ReaderStream::new(stream));
    shielded([(CONTENT_TYPE, "text/event-stream"), (CACHE_CONTROL, "no-store")], body)
}

fn shielded(headers: [(HeaderName, &'static str); 2], body: impl Into<Body>) -> Response {
    let mut response = (headers, body.into()).into_response();
    let shield = [
        (CONTENT_SECURITY_POLICY, POLICY),
        (X_FRAME_OPTIONS, "DENY"),
        (REFERRER_POLICY, "no-referrer"),
        (HeaderName::from_static("cross-origin-resource-policy"), "same-origin"),
    ];
    for (name, value) in shield {
        response.headers_mut().insert(name, HeaderValue::from_static(value));
    }
    response
}
