//! Serves folders of skills: over standard input and output, or at an address given first.
//!
//! ```text
//! cargo run -p metier-mcp --example serve -- 127.0.0.1:7331 examples/skills
//! cargo run -p metier-mcp --example serve -- examples/skills
//! ```

use metier::Registry;
use metier_mcp::{CancellationToken, HttpOptions, HttpServer, ServeOptions, Server};
use std::net::SocketAddr;

#[expect(clippy::disallowed_methods, reason = "a program reads its arguments")]
#[tokio::main]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut roots: Vec<String> = std::env::args().skip(1).collect();
    let address: Option<SocketAddr> = roots.first().and_then(|first| first.parse().ok());
    if address.is_some() {
        roots.remove(0);
    }
    let server = Server::new(Registry::open(roots), ServeOptions::default());
    let stop = CancellationToken::new();
    match address {
        Some(address) => {
            let http = HttpServer::bind(&server, address, HttpOptions::default()).await?;
            http.serve(stop).await;
        }
        None => {
            server.serve(tokio::io::stdin(), tokio::io::stdout(), stop).await?;
        }
    }
    Ok(())
}
