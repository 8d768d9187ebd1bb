//! Turns a listening socket into connections, not more than there is room for, each with its time limits.

use super::front::Client;
use super::steady::Steady;
use crate::http_options::HttpOptions;
use crate::journal::{Journal, Level};
use axum::Router;
use axum::extract::Request;
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper_util::rt::{TokioIo, TokioTimer};
use hyper_util::server::graceful::GracefulShutdown;
use std::sync::Arc;
use std::time::Duration;
use tokio::net::TcpListener;
use tokio::sync::Semaphore;
use tokio_util::sync::CancellationToken;
use tower_service::Service as _;

/// How long to wait after the system had no connection to give, as when there are no descriptors left.
const AFTER_FAILURE: Duration = Duration::from_millis(50);

/// The longest head of a request.
const MAX_HEAD: usize = 64 * 1024;

/// Accepts connections until `stop` is cancelled, then lets those that are open finish.
pub(crate) async fn accept(
    listener: TcpListener,
    router: Router,
    options: &HttpOptions,
    stop: &CancellationToken,
    journal: &Journal,
) {
    let room = Arc::new(Semaphore::new(options.max_connections.max(1)));
    let open = GracefulShutdown::new();
    let mut builder = http1::Builder::new();
    builder
        .timer(TokioTimer::new())
        .header_read_timeout(options.head_timeout)
        .max_buf_size(MAX_HEAD);
    loop {
        // Without room, others wait in the queue of the system until somebody leaves.
        let next = async {
            let permit = room.clone().acquire_owned().await;
            (permit, listener.accept().await)
        };
        let (permit, accepted) = tokio::select! {
            () = stop.cancelled() => break,
            next = next => next,
        };
        let (stream, peer) = match accepted {
            Ok(accepted) => accepted,
            Err(error) => {
                journal.record(Level::Warn, "no connection", &[("reason", error.to_string())]);
                tokio::time::sleep(AFTER_FAILURE).await;
                continue;
            }
        };
        // An answer that comes in parts would wait for the other end to confirm each part.
        let _ = stream.set_nodelay(true);
        let stream = Steady::new(stream, options.write_timeout);
        let router = router.clone();
        let answer = service_fn(move |request: hyper::Request<hyper::body::Incoming>| {
            let mut request: Request = request.map(axum::body::Body::new);
            request.extensions_mut().insert(Client(peer.ip()));
            router.clone().call(request)
        });
        let connection = open.watch(builder.serve_connection(TokioIo::new(stream), answer));
        tokio::spawn(async move {
            // What goes wrong with a connection concerns the other end alone.
            let _ = connection.await;
            drop(permit);
        });
    }
    drop(listener);
    let _ = tokio::time::timeout(options.grace, open.shutdown()).await;
}
