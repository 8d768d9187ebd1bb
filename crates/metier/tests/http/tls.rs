//! Turns certificates into trust: that of the system, and no other.
//!
//! The roots of the system are those of the process, so what needs roots of its own runs in a child:
//! this test program again, for the one test `the_child_lists`, with the roots in its environment.

use crate::server::{Reply, Server};
use metier::{BlockingSource, Http, HttpOptions};
use rcgen::{BasicConstraints, CertificateParams, CertifiedIssuer, IsCa, KeyPair};
use rustls::ServerConfig;
use rustls::pki_types::PrivateKeyDer;
use std::process::Command;
use std::sync::Arc;

const INDEX: &str = r#"[{"name": "pdf", "description": "Use for PDFs."}]"#;
/// The environment that tells the child what to list.
const ADDRESS: &str = "METIER_TEST_ADDRESS";

/// A TLS server for this machine, and the certificate of the authority that vouches for it.
fn server() -> (Server, String) {
    let mut params = CertificateParams::new([]).unwrap();
    params.is_ca = IsCa::Ca(BasicConstraints::Unconstrained);
    let authority = CertifiedIssuer::self_signed(params, KeyPair::generate().unwrap()).unwrap();
    let key = KeyPair::generate().unwrap();
    let params = CertificateParams::new(["127.0.0.1".to_owned()]).unwrap();
    let certificate = params.signed_by(&key, &authority).unwrap();
    let key = PrivateKeyDer::try_from(key.serialize_der()).unwrap();
    let provider = Arc::new(rustls::crypto::ring::default_provider());
    let config = ServerConfig::builder_with_provider(provider)
        .with_safe_default_protocol_versions()
        .unwrap()
        .with_no_client_auth()
        .with_single_cert(vec![certificate.der().clone()], key)
        .unwrap();
    (Server::with_tls(Arc::new(config)), authority.pem())
}

/// What a process whose system trusts `authority` says of `address`.
fn list_in_child(address: &str, authority: &str) -> String {
    let directory = tempfile::tempdir().unwrap();
    let roots = directory.path().join("roots.pem");
    metier::write_atomically(&roots, authority.as_bytes()).unwrap();
    let output = Command::new(std::env::current_exe().unwrap())
        .args(["--ignored", "--exact", "--nocapture", "tls::the_child_lists"])
        .env("SSL_CERT_FILE", &roots)
        .env_remove("SSL_CERT_DIR")
        .env(ADDRESS, address)
        .output()
        .unwrap();
    String::from_utf8(output.stdout).unwrap()
}

#[test]
#[ignore = "run by the other tests, in a process with roots of its own"]
#[expect(clippy::disallowed_methods, reason = "a child is told by its environment what to do")]
fn the_child_lists() {
    let options = HttpOptions {
        allow_private: true,
        allow_loopback_http: true,
        token: Some("secret".to_owned()),
        ..HttpOptions::default()
    };
    let Ok(address) = std::env::var(ADDRESS) else { return };
    match Http::new(&address, options).unwrap().list() {
        Ok(listing) => println!("{} skills, {:?}", listing.skills.len(), listing.problems),
        Err(error) => println!("{error}"),
    }
}

#[test]
#[cfg_attr(not(target_os = "linux"), ignore = "other systems have no roots for a process")]
fn a_server_that_the_system_trusts_is_read() {
    let (server, authority) = server();
    server.on("/index.json", Reply::ok(INDEX));
    let said = list_in_child(&server.tls_url("/index.json"), &authority);
    assert!(said.contains("1 skills"), "{said}");
    assert_eq!(server.requests()[0].header("authorization"), Some("Bearer secret"));
}

/// Security H15.
#[test]
fn a_server_that_nobody_vouches_for_is_not_read() {
    let (server, _) = server();
    server.on("/index.json", Reply::ok(INDEX));
    let options = HttpOptions { allow_private: true, ..HttpOptions::default() };
    let source = Http::new(&server.tls_url("/index.json"), options).unwrap();
    let error = source.list().unwrap_err().to_string();
    assert!(error.contains("certificate"), "{error}");
    assert!(server.paths().is_empty());
}

/// Security H04.
#[test]
#[cfg_attr(not(target_os = "linux"), ignore = "other systems have no roots for a process")]
fn tls_is_not_given_up_by_a_redirect() {
    let (server, authority) = server();
    let plain = Server::new();
    plain.on("/index.json", Reply::ok(INDEX));
    server.on("/index.json", Reply::moved(301, &plain.url("/index.json")));
    let said = list_in_child(&server.tls_url("/index.json"), &authority);
    assert!(said.contains("going from `https:` to `http:` is refused"), "{said}");
    assert!(plain.paths().is_empty());
}

#[test]
#[cfg_attr(not(target_os = "linux"), ignore = "other systems have no roots for a process")]
fn an_index_read_over_tls_does_not_send_to_a_plain_artifact() {
    let (server, authority) = server();
    let digest = "sha256:e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855";
    let index = serde_json::json!({
        "$schema": "https://schemas.agentskills.io/discovery/0.2.0/schema.json",
        "skills": [{
            "name": "pdf", "type": "skill-md", "description": "x", "digest": digest,
            "url": "http://127.0.0.1/SKILL.md",
        }],
    });
    server.on("/index.json", Reply::ok(index.to_string()));
    let said = list_in_child(&server.tls_url("/index.json"), &authority);
    assert!(said.contains("0 skills"), "{said}");
    assert!(said.contains("going from `https:` to `http:` is refused"), "{said}");
}
