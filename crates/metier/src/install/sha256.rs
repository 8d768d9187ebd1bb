//! Turns bytes into their SHA-256, and its text back into the value.

use serde::{Deserialize, Serialize};
use sha2::Digest as _;
use std::fmt;
use std::str::FromStr;

/// What every text of a digest starts with.
const PREFIX: &str = "sha256:";

/// A SHA-256, written as `sha256:` and 64 lower-case hexadecimal digits.
///
/// ```
/// use metier::install::Sha256;
///
/// let digest = Sha256::of(b"abc");
/// assert!(digest.to_string().starts_with("sha256:ba7816bf"));
/// assert_eq!(digest.to_string().parse(), Ok(digest));
/// ```
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct Sha256([u8; 32]);

/// Text that is not a digest.
///
/// One spelling is accepted and no other (security H05): a digest is compared, never interpreted.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("a digest is `sha256:` and 64 lower-case hexadecimal digits")]
#[non_exhaustive]
pub struct InvalidSha256;

impl Sha256 {
    /// The digest of these bytes.
    pub fn of(bytes: &[u8]) -> Self {
        Self(sha2::Sha256::digest(bytes).into())
    }

    /// The digest of what a hasher was fed.
    pub(crate) fn finish(hasher: sha2::Sha256) -> Self {
        Self(hasher.finalize().into())
    }

    /// The 32 bytes.
    pub fn as_bytes(&self) -> &[u8; 32] {
        &self.0
    }

    /// The 64 digits, without `sha256:`.
    pub fn hex(&self) -> String {
        self.to_string().split_off(PREFIX.len())
    }
}

impl FromStr for Sha256 {
    type Err = InvalidSha256;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let digits = text.strip_prefix(PREFIX).ok_or(InvalidSha256)?.as_bytes();
        let value = |digit: u8| match digit {
            b'0'..=b'9' => Ok(digit - b'0'),
            b'a'..=b'f' => Ok(digit - b'a' + 10),
            _ => Err(InvalidSha256),
        };
        let mut bytes = [0; 32];
        if digits.len() != 2 * bytes.len() {
            return Err(InvalidSha256);
        }
        for (byte, pair) in bytes.iter_mut().zip(digits.chunks(2)) {
            *byte = value(pair[0])? << 4 | value(pair[1])?;
        }
        Ok(Self(bytes))
    }
}

impl TryFrom<String> for Sha256 {
    type Error = InvalidSha256;

    fn try_from(text: String) -> Result<Self, Self::Error> {
        text.parse()
    }
}

impl From<Sha256> for String {
    fn from(digest: Sha256) -> Self {
        digest.to_string()
    }
}

impl fmt::Display for Sha256 {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(PREFIX)?;
        self.0.iter().try_for_each(|byte| write!(f, "{byte:02x}"))
    }
}

impl fmt::Debug for Sha256 {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Security H05.
    #[test]
    fn one_spelling_is_accepted() {
        let good = Sha256::of(b"").to_string();
        let hex = good.strip_prefix("sha256:").unwrap();
        assert_eq!(hex, "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
        for text in [
            hex.to_owned(),
            format!("md5:{hex}"),
            format!("SHA256:{hex}"),
            format!("sha256:{}", hex.to_uppercase()),
            format!("sha256:{}", &hex[1..]),
            format!("{good}0"),
            format!(" {good}"),
            format!("sha256:{}é", &hex[2..]),
            String::new(),
        ] {
            assert_eq!(text.parse::<Sha256>(), Err(InvalidSha256), "{text}");
        }
    }
}
