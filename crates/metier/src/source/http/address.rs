//! Turns an address from a caller, an index or a redirect into permission to go there, or the reason not to.

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};
use url::{Host, Url};

/// Which addresses may be reached. The default is public hosts over `https:` alone.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Reach {
    /// `http:` to this very machine.
    pub(super) loopback_http: bool,
    /// Private, loopback and link-local addresses over `https:`.
    pub(super) private: bool,
}

impl Reach {
    /// Whether `url` may be asked for. What a name resolves to is judged by [`Reach::connect`].
    pub(super) fn check(self, url: &Url) -> Result<(), String> {
        if !url.username().is_empty() || url.password().is_some() {
            // Text before an `@` reads like the host of the address (security H14).
            return Err("an address with a user name or password in it is refused".to_owned());
        }
        let tls = match url.scheme() {
            "https" => true,
            "http" => false,
            other => return Err(format!("`{other}:` is not a scheme that skills are read from")),
        };
        // Decimal, hexadecimal, octal and short forms are IPv4 addresses by now: `url` reads them
        // as browsers do (security H01).
        match url.host() {
            None => Err("the address has no host".to_owned()),
            Some(Host::Ipv4(ip)) => self.connect(tls, ip.into()),
            Some(Host::Ipv6(ip)) => self.connect(tls, ip.into()),
            Some(Host::Domain(name)) if is_localhost(name) => {
                self.connect(tls, Ipv4Addr::LOCALHOST.into())
            }
            Some(Host::Domain(_)) if tls => Ok(()),
            Some(Host::Domain(_)) => Err(PLAIN.to_owned()),
        }
    }

    /// Whether what was read at `from` may send us to `to`: a redirect, or an entry of an index.
    pub(super) fn follow(self, from: &Url, to: &Url) -> Result<(), String> {
        if from.scheme() == "https" && to.scheme() == "http" {
            return Err("going from `https:` to `http:` is refused".to_owned()); // security H04
        }
        self.check(to)
    }

    /// Whether a connection to `ip` may be made.
    pub(super) fn connect(self, tls: bool, ip: IpAddr) -> Result<(), String> {
        let ip = ip.to_canonical();
        match tls {
            false if self.loopback_http && ip.is_loopback() => Ok(()),
            false => Err(PLAIN.to_owned()),
            true if self.private || is_public(ip) => Ok(()),
            true => Err(format!("`{ip}` is not a public address")),
        }
    }
}

const PLAIN: &str = "`http:` is refused, use `https:`";

/// Whether a name means this machine without asking a resolver (RFC 6761 §6.3).
fn is_localhost(name: &str) -> bool {
    let name = name.strip_suffix('.').unwrap_or(name).to_ascii_lowercase();
    name == "localhost" || name.ends_with(".localhost")
}

/// Whether an address is one of the open internet. What is not known to be is not.
pub(super) fn is_public(ip: IpAddr) -> bool {
    match ip.to_canonical() {
        IpAddr::V4(ip) => is_public_v4(ip),
        IpAddr::V6(ip) => is_public_v6(ip),
    }
}

/// The special blocks of RFC 6890 and its successors, as IANA keeps them.
fn is_public_v4(ip: Ipv4Addr) -> bool {
    let [a, b, c, _] = ip.octets();
    let special = matches!(
        (a, b, c),
        (0 | 10 | 127 | 224..=255, _, _)
            | (100, 64..=127, _)
            | (169, 254, _)
            | (172, 16..=31, _)
            | (192, 0, 0 | 2)
            | (192, 88, 99)
            | (192, 168, _)
            | (198, 18 | 19, _)
            | (198, 51, 100)
            | (203, 0, 113)
    );
    !special
}

/// Global unicast without its special blocks. Forms that carry an IPv4 address are judged by it.
fn is_public_v6(ip: Ipv6Addr) -> bool {
    let carried = |high: u16, low: u16| {
        let [[a, b], [c, d]] = [high.to_be_bytes(), low.to_be_bytes()];
        is_public_v4(Ipv4Addr::new(a, b, c, d))
    };
    match ip.segments() {
        [0x64, 0xff9b, 0, 0, 0, 0, high, low] | [0x2002, high, low, ..] => carried(high, low),
        [0x2001, 0..=0x1ff | 0xdb8, ..] | [0x3fff, 0..=0xfff, ..] => false,
        [first, ..] => first & 0xe000 == 0x2000,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    const LOCAL: Reach = Reach { loopback_http: true, private: false };
    const PRIVATE: Reach = Reach { loopback_http: false, private: true };

    fn check(reach: Reach, address: &str) -> Result<(), String> {
        reach.check(&address.parse().unwrap())
    }

    /// Every spelling of a machine that is not on the open internet (security H01).
    const INSIDE: &[&str] = &[
        "169.254.169.254",
        "127.1",
        "127.0.0.%31",
        "0x7f000001",
        "0x7f.1",
        "0177.0.0.1",
        "2130706433",
        "0",
        "10.0.0.1",
        "172.16.0.1",
        "172.31.255.255",
        "192.168.1.1",
        "100.64.0.1",
        "100.127.255.255",
        "198.18.0.1",
        "224.0.0.1",
        "255.255.255.255",
        "[::1]",
        "[::]",
        "[::ffff:10.0.0.1]",
        "[::ffff:7f00:1]",
        "[::7f00:1]",
        "[64:ff9b::a00:1]",
        "[2002:7f00:1::]",
        "[fd00::1]",
        "[fe80::1]",
        "[ff02::1]",
        "[2001:db8::1]",
        "localhost",
        "localhost.",
        "LOCALHOST",
        "a.localhost",
        "１２７.0.0.1",
    ];

    #[test]
    fn addresses_inside_are_refused_in_every_spelling() {
        for host in INSIDE {
            let error = check(Reach::default(), &format!("https://{host}/x")).unwrap_err();
            assert!(error.ends_with("is not a public address"), "{host}: {error}");
            assert_eq!(check(PRIVATE, &format!("https://{host}/x")), Ok(()), "{host}");
        }
    }

    #[test]
    fn public_addresses_are_reached() {
        for host in [
            "example.com",
            "notlocalhost",
            "1.1.1.1",
            "172.15.0.1",
            "172.32.0.1",
            "100.63.0.1",
            "100.128.0.1",
            "192.0.1.1",
            "[2606:4700::1111]",
            "[::ffff:1.1.1.1]",
            "[64:ff9b::101:101]",
            "[2001:200::1]",
        ] {
            assert_eq!(check(Reach::default(), &format!("https://{host}/x")), Ok(()), "{host}");
        }
    }

    #[test]
    fn plain_http_is_for_this_machine_and_only_when_asked_for() {
        for host in ["127.1", "[::1]", "localhost", "[::ffff:127.0.0.1]"] {
            let address = format!("http://{host}:8080/x");
            assert_eq!(check(LOCAL, &address), Ok(()), "{address}");
            assert_eq!(check(Reach::default(), &address), Err(PLAIN.to_owned()), "{address}");
            assert_eq!(check(PRIVATE, &address), Err(PLAIN.to_owned()), "{address}");
        }
        for address in ["http://10.0.0.1/", "http://example.com/", "http://169.254.169.254/"] {
            assert_eq!(check(LOCAL, address), Err(PLAIN.to_owned()), "{address}");
        }
        assert!(check(LOCAL, "https://127.0.0.1/").is_err());
    }

    #[test]
    fn other_schemes_and_user_names_are_refused() {
        for address in ["file:///etc/passwd", "ftp://example.com/", "data:,x", "skill://a/SKILL.md"]
        {
            assert!(check(Reach::default(), address).unwrap_err().contains("not a scheme"));
        }
        for address in ["https://github.com@evil.example/", "https://:x@evil.example/"] {
            assert!(check(Reach::default(), address).unwrap_err().contains("user name"));
        }
    }

    #[test]
    fn a_safe_place_does_not_send_to_an_open_one() {
        let from = "https://example.com/".parse().unwrap();
        let to = |address: &str| LOCAL.follow(&from, &address.parse().unwrap());
        assert!(to("http://127.0.0.1/").unwrap_err().contains("from `https:` to `http:`"));
        assert!(to("https://10.0.0.1/").unwrap_err().contains("not a public address"));
        assert_eq!(to("https://other.example/"), Ok(()));
    }

    proptest! {
        #[test]
        fn any_text_is_judged_without_a_panic(address in ".{0,60}") {
            if let Ok(url) = Url::parse(&address) {
                let _ = Reach::default().check(&url);
            }
        }

        #[test]
        fn an_address_is_judged_alike_in_both_families(bits: u32) {
            let ip = Ipv4Addr::from_bits(bits);
            prop_assert_eq!(is_public(ip.into()), is_public(ip.to_ipv6_mapped().into()));
            let decimal = check(Reach::default(), &format!("https://{bits}/"));
            prop_assert_eq!(decimal.is_ok(), is_public(ip.into()));
        }
    }
}
