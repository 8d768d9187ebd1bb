//! Turns what is left of a conversation into the skills it lost, and those into text that brings them back.

use crate::active::{Active, Invoker, Presence};
use crate::given;
use crate::session::Session;
use crate::session_error::SessionError;
use crate::session_state::Vanished;
use metier_core::Skill;
use std::sync::Arc;

/// What brings skills back into a conversation.
#[derive(Debug, Default)]
#[non_exhaustive]
pub struct Restated {
    /// The text to put in; empty when there is nothing to bring back.
    pub text: String,
    /// The skills in it, in the order in which they became active.
    pub skills: Vec<String>,
    /// The active skills that could not be read. They are not active any more.
    pub vanished: Vec<Vanished>,
}

impl Session {
    /// Finds the active skills whose text is not in what is left of the conversation, and remembers
    /// them: their ids, sorted. The next activation gives their instructions again, and
    /// [`restate`](Self::restate) brings them back at once.
    ///
    /// `history` is the text that the model will see: messages joined in any way, or their JSON. A
    /// skill that was cut counts as lost. With an empty history all are lost.
    pub async fn reconcile(&self, history: &str) -> Vec<String> {
        let mut lost = Vec::new();
        let history = History::new(history);
        let before: Vec<(Arc<str>, Active)> =
            self.live().table.iter().map(|(id, active)| (id.clone(), active.clone())).collect();
        for (id, Active { digest, by, given, .. }) in before {
            let given = match given {
                Some(text) => Some(text),
                None => self.given_before(&id, by, &digest).await,
            };
            let is_held = given.as_ref().is_some_and(|text| history.holds(text));
            let presence = if is_held { Presence::Held } else { Presence::Lost };
            let mut live = self.live();
            // It may have been given anew, or let go, while it was read.
            if let Some(active) = live.table.get_mut(&id).filter(|a| a.digest == digest) {
                active.presence = presence;
                active.given = given;
                if presence == Presence::Lost {
                    lost.push(id.to_string());
                }
            }
        }
        lost.sort();
        lost
    }

    /// The text that brings the active skills back after a compaction: all of them, but for those
    /// that [`reconcile`](Self::reconcile) found still there. They are read anew, so that edits are
    /// seen.
    pub async fn restate(&self) -> Restated {
        let mut restated = Restated::default();
        let mut texts = Vec::new();
        let absent: Vec<(Arc<str>, _)> = {
            let live = self.live();
            let rows = live.table.in_order();
            let absent = rows.into_iter().filter(|row| row.1.presence != Presence::Held);
            absent.map(|(id, active, ..)| (id.clone(), active.by)).collect()
        };
        for (id, by) in absent {
            match self.read_again(&id, by).await {
                Ok((skill, text)) => {
                    let mut live = self.live();
                    if let Some(active) = live.table.get_mut(&id) {
                        active.digest = skill.digest();
                        active.given = Some(text.as_str().into());
                        active.presence = Presence::Given;
                        texts.push(text);
                        restated.skills.push(id.to_string());
                    }
                }
                Err(reason) => {
                    self.live().table.take(&id);
                    restated.vanished.push(Vanished { id: id.to_string(), reason });
                }
            }
        }
        restated.text = given::restated(&texts);
        restated
    }

    /// What was given before a restart, if the skill is still the same.
    async fn given_before(&self, id: &str, by: Invoker, digest: &str) -> Option<Arc<str>> {
        let (skill, text) = self.read_again(id, by).await.ok()?;
        (skill.digest() == digest).then(|| text.into())
    }

    /// A skill as it is now, and what a model receives of it.
    async fn read_again(&self, id: &str, by: Invoker) -> Result<(Skill, String), SessionError> {
        let entry = self.find(id, by)?;
        let skill = self.registry().load(&entry.id).await?;
        let (_, activation) = self.whole(&entry, &skill, by, None).await;
        Ok((skill, activation.text))
    }
}

/// What is left of a conversation: as it is, and as it was if someone wrote it in JSON.
struct History<'h> {
    text: &'h str,
    unescaped: Option<String>,
}

impl<'h> History<'h> {
    fn new(text: &'h str) -> Self {
        // Writers differ in what they escape, so their escapes are undone, not foreseen.
        Self { text, unescaped: text.contains('\\').then(|| unescape(text)) }
    }

    fn holds(&self, text: &str) -> bool {
        let is_in = |history: &str| history.len() >= text.len() && history.contains(text);
        is_in(self.text) || self.unescaped.as_deref().is_some_and(is_in)
    }
}

/// Replaces JSON's escapes with what they stand for, and leaves alone what is none.
fn unescape(json: &str) -> String {
    let mut text = String::with_capacity(json.len());
    let mut rest = json;
    while let Some(at) = rest.find('\\') {
        text.push_str(&rest[..at]);
        let escape = &rest[at + 1..];
        let (meant, length) = match escape.chars().next() {
            Some('n') => ('\n', 1),
            Some('r') => ('\r', 1),
            Some('t') => ('\t', 1),
            Some(c @ ('"' | '\\' | '/')) => (c, 1),
            Some('u') => code_point(escape).unwrap_or(('\\', 0)),
            _ => ('\\', 0),
        };
        text.push(meant);
        rest = &escape[length..];
    }
    text.push_str(rest);
    text
}

/// Reads `u00e9`, or `ud83d\ude00`: the character and how many bytes it took.
fn code_point(escape: &str) -> Option<(char, usize)> {
    let unit = |text: &str| u16::from_str_radix(text.get(1..5)?, 16).ok();
    let first = unit(escape)?;
    if let Some(c) = char::from_u32(u32::from(first)) {
        return Some((c, 5));
    }
    let second = unit(escape.get(5..)?.strip_prefix('\\')?)?;
    let pair = char::decode_utf16([first, second]).next()?.ok()?;
    Some((pair, 11))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_text_is_found_however_the_conversation_is_written() {
        let text = "Fülle das\n\"Formular\" <b> 😀 C:\\x";
        for history in [
            format!("before {text} after"),
            serde_json::json!({ "content": format!("a {text}") }).to_string(),
            // Python's writer.
            r#"{"content": "a F\u00fclle das\n\"Formular\" <b> \ud83d\ude00 C:\\x"}"#.to_owned(),
            // Go's writer.
            r#"{"content":"F\u00fclle das\n\"Formular\" \u003cb\u003e 😀 C:\\x"}"#.to_owned(),
        ] {
            assert!(History::new(&history).holds(text), "{history}");
        }
        for history in ["", "Fülle das", r"F\u00fclle das\n\ud83d", "Fülle das \"Formular\" <b> 😀"]
        {
            assert!(!History::new(history).holds(text), "{history}");
        }
    }

    #[test]
    fn what_is_no_escape_stays() {
        for (json, text) in [
            (r"a\u00e9b", "aéb"),
            (r"\ud83d\ude00!", "😀!"),
            (r"\ud83d", r"\ud83d"),
            (r"\ud83d\u0041", r"\ud83dA"),
            (r"\u00", r"\u00"),
            (r"\x\", r"\x\"),
            ("é\\u00é", "é\\u00é"),
        ] {
            assert_eq!(unescape(json), text, "{json}");
        }
    }
}
