//! Turns what is left of a conversation into the skills it lost, and those into text that brings them back.

use crate::session::Session;
use crate::session::active::{Active, Given, Presence};
use crate::session::error::SessionError;
use crate::session::given;
use crate::session::state::Vanished;
use std::borrow::Cow;
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
        for (id, active) in before {
            let given = match active.given {
                Some(given) => Some(given),
                None => self.given_before(&id, &active).await,
            };
            let digest = active.digest;
            let is_held = given.as_ref().is_some_and(|given| history.holds(given));
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
        let absent: Vec<(Arc<str>, Active)> = {
            let live = self.live();
            let rows = live.table.in_order();
            let absent = rows.into_iter().filter(|row| row.1.presence != Presence::Held);
            absent.map(|(id, active, ..)| (id.clone(), active.clone())).collect()
        };
        for (id, active) in absent {
            match self.read_again(&id, &active).await {
                Ok((digest, given)) => {
                    let mut live = self.live();
                    if let Some(active) = live.table.get_mut(&id) {
                        texts.push(given.whole.clone());
                        active.digest = digest;
                        active.given = Some(given);
                        active.presence = Presence::Given;
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
    async fn given_before(&self, id: &str, active: &Active) -> Option<Given> {
        let (digest, given) = self.read_again(id, active).await.ok()?;
        (digest == active.digest).then_some(given)
    }

    /// The digest of a skill as it is now, and what a model receives of it.
    async fn read_again(&self, id: &str, active: &Active) -> Result<(String, Given), SessionError> {
        let entry = self.find(id, active.by)?;
        let skill = self.registry().load(&entry.id).await?;
        let arguments = active.arguments.as_deref();
        let (_, activation) = self.whole(&entry, &skill, active.by, arguments).await;
        let instructions = skill.instructions().into();
        Ok((skill.digest(), Given { whole: activation.text.into(), instructions }))
    }
}

/// How often a conversation may have been written in JSON: a message, and the arguments in it.
const LEVELS: usize = 2;

/// What is left of a conversation: as it is, and as it was before someone wrote it in JSON.
struct History<'h> {
    forms: Vec<Cow<'h, str>>,
}

impl<'h> History<'h> {
    fn new(text: &'h str) -> Self {
        let mut forms = vec![Cow::Borrowed(text)];
        // Writers differ in what they escape, so their escapes are undone, not foreseen.
        while forms.len() <= LEVELS
            && let Some(last) = forms.last().filter(|last| last.contains('\\'))
        {
            forms.push(Cow::Owned(unescape(last)));
        }
        Self { forms }
    }

    /// Whether the instructions are there, wrapped or alone.
    fn holds(&self, given: &Given) -> bool {
        let is_alone = !given.instructions.is_empty() && self.has(&given.instructions);
        is_alone || self.has(&given.whole)
    }

    fn has(&self, text: &str) -> bool {
        self.forms.iter().any(|form| form.len() >= text.len() && form.contains(text))
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
            // JSON in JSON.
            serde_json::json!({ "content": serde_json::json!({ "instructions": text }).to_string() })
                .to_string(),
        ] {
            assert!(History::new(&history).has(text), "{history}");
        }
        for history in ["", "Fülle das", r"F\u00fclle das\n\ud83d", "Fülle das \"Formular\" <b> 😀"]
        {
            assert!(!History::new(history).has(text), "{history}");
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
