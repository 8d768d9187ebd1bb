//! Turns addresses that must not be reached into refusals, before and after a name is resolved.

use crate::server::{Reply, Server, local};
use metier::{BlockingSource, Http, HttpOptions};

/// Security H01.
#[test]
fn this_machine_is_not_reached_unless_asked_for() {
    let server = Server::new();
    server.on("/index.json", Reply::ok("[]"));
    let port = server.port();
    for host in
        ["127.0.0.1", "127.1", "0x7f000001", "2130706433", "0177.0.0.1", "localhost", "localhost."]
    {
        for scheme in ["http", "https"] {
            let address = format!("{scheme}://{host}:{port}/index.json");
            let error = Http::new(&address, HttpOptions::default()).unwrap_err().to_string();
            let expected = if scheme == "http" { "use `https:`" } else { "not a public address" };
            assert!(error.ends_with(expected), "{address}: {error}");
        }
        let source = Http::new(&format!("http://{host}:{port}/index.json"), local()).unwrap();
        // Not every system knows `localhost` with a dot.
        assert!(source.list().is_ok() || host == "localhost.", "{host}");
    }
    assert!(server.paths().len() >= 6);
}

#[test]
fn other_addresses_inside_are_not_reached() {
    for host in
        ["169.254.169.254", "10.0.0.1", "192.168.1.1", "[::1]", "[::ffff:10.0.0.1]", "[fd00::1]"]
    {
        for scheme in ["http", "https"] {
            let address = format!("{scheme}://{host}/");
            assert!(Http::new(&address, HttpOptions::default()).is_err(), "{address}");
        }
        let options = HttpOptions { allow_private: true, ..HttpOptions::default() };
        assert!(Http::new(&format!("https://{host}/"), options.clone()).is_ok(), "{host}");
        assert!(Http::new(&format!("http://{host}/"), options).is_err(), "{host}");
    }
}

#[test]
fn a_private_address_that_is_allowed_is_asked_over_tls() {
    // A server without TLS does not get a request, let alone answer one.
    let server = Server::new();
    let options = HttpOptions { allow_private: true, ..HttpOptions::default() };
    let address = format!("https://127.0.0.1:{}/index.json", server.port());
    let error = Http::new(&address, options).unwrap().list().unwrap_err().to_string();
    assert!(error.contains("cannot be read"), "{error}");
    assert!(server.paths().iter().all(|path| path != "/index.json"));
}

/// Security H14.
#[test]
fn an_address_with_a_user_name_is_refused_and_its_password_not_shown() {
    let address = "https://github.com:hidden@evil.example/";
    let error = Http::new(address, HttpOptions::default()).unwrap_err().to_string();
    assert_eq!(
        error,
        "`https://evil.example/` cannot be read: an address with a user name or password in it is refused"
    );
}

/// Security H14: letters that look like others are shown as what they are.
#[test]
fn a_host_is_shown_in_ascii() {
    let source = Http::new("https://g\u{456}thub.com/", HttpOptions::default()).unwrap();
    assert_eq!(source.label(), "xn--gthub-n2e.com");
}

#[test]
fn what_is_no_address_is_refused() {
    for address in ["", "skills", "//x", "file:///skills", "https://", "mailto:a@b.example"] {
        assert!(Http::new(address, HttpOptions::default()).is_err(), "{address}");
    }
}
