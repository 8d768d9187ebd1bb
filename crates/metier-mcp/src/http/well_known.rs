//! Turns requests for the web index and its files into answers that can be cached and cannot do harm.

use super::front::{Shared, refuse};
use crate::lanes::Lane;
use axum::extract::{Path, State};
use axum::http::header::{
    CACHE_CONTROL, CONTENT_SECURITY_POLICY, CONTENT_TYPE, ETAG, IF_NONE_MATCH,
};
use axum::http::{HeaderMap, StatusCode};
use axum::response::{IntoResponse as _, Response};
use std::sync::Arc;

/// The bytes of a file below the index. Its digest is its tag, so whoever has it is told so.
pub(crate) async fn read(
    State(shared): State<Arc<Shared>>,
    Path(path): Path<String>,
    headers: HeaderMap,
) -> Response {
    let asked = headers.get(IF_NONE_MATCH).and_then(|value| value.to_str().ok());
    let asked = asked.unwrap_or_default().to_owned();
    let reading = shared.server.work(Lane::Read, move |server| {
        let index = server.web_index();
        let tag = format!("\"{}\"", index.digest(&path)?);
        let is_known = asked.split(',').any(|known| {
            let known = known.trim();
            known == "*" || known.strip_prefix("W/").unwrap_or(known) == tag
        });
        let bytes = if is_known { None } else { Some(index.read(&path)?) };
        Some((tag, index.media(&path), bytes))
    });
    let Some(Some((tag, media, bytes))) = reading.await else {
        return refuse(StatusCode::NOT_FOUND, "there is nothing here");
    };
    let media = match media {
        text if text.starts_with("text/") => format!("{text}; charset=utf-8"),
        media => media.to_owned(),
    };
    let headers = [
        (CONTENT_TYPE, media),
        (ETAG, tag),
        (CACHE_CONTROL, "no-cache".to_owned()),
        // A file of a skill may be a page with scripts: here it is neither run nor framed.
        (CONTENT_SECURITY_POLICY, "default-src 'none'; sandbox; frame-ancestors 'none'".to_owned()),
    ];
    match bytes {
        Some(bytes) => (headers, bytes.to_vec()).into_response(),
        None => (StatusCode::NOT_MODIFIED, headers).into_response(),
    }
}
