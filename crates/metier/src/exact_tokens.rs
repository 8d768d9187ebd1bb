//! Turns text into the number of tokens that OpenAI's models read.

use metier_core::TokenCounter;
use tiktoken_rs::{CoreBPE, cl100k_base_singleton, o200k_base_singleton};

/// Counts tokens exactly as OpenAI's models do (feature `tokens`). The vocabulary is read on the first
/// count, once for the whole program.
///
/// ```
/// use metier::{Budget, Counter, ExactTokens, Render, TokenCounter as _};
///
/// assert_eq!(ExactTokens::O200k.count("Fill in a PDF form"), 5);
/// let counter = Counter::new(ExactTokens::default());
/// let render = Render { budget: Budget::Tokens(2_000), counter, ..Render::default() };
/// # assert_eq!(render.render(&[]).tokens, 0);
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
#[non_exhaustive]
pub enum ExactTokens {
    /// The vocabulary of GPT-4o and all later models.
    #[default]
    O200k,
    /// The vocabulary of GPT-4 and GPT-3.5.
    Cl100k,
}

/// Text is counted in pieces of about this many bytes: the matcher below gives up on long runs.
const PIECE: usize = 4096;

/// A piece that has no line end to be cut at is cut anyhow; none of ours comes near.
const LONGEST: usize = 4 * PIECE;

impl ExactTokens {
    fn vocabulary(self) -> &'static CoreBPE {
        match self {
            Self::O200k => o200k_base_singleton(),
            Self::Cl100k => cl100k_base_singleton(),
        }
    }
}

impl TokenCounter for ExactTokens {
    fn count(&self, text: &str) -> usize {
        let vocabulary = self.vocabulary();
        let mut rest = text;
        let mut tokens = 0;
        while !rest.is_empty() {
            let (piece, after) = rest.split_at(piece_end(rest));
            tokens += vocabulary.count_ordinary(piece);
            rest = after;
        }
        tokens
    }
}

/// Where the first piece ends: between a line end and a letter or digit, where every token ends too.
fn piece_end(text: &str) -> usize {
    let ends = text.match_indices('\n').map(|(at, _)| at + 1).skip_while(|at| *at < PIECE);
    let is_free = |at: &usize| text[*at..].starts_with(char::is_alphanumeric);
    let end = ends.take_while(|at| *at < LONGEST).find(is_free);
    let longest = LONGEST.min(text.len());
    let cut = || (0..=longest).rev().find(|at| text.is_char_boundary(*at));
    end.or_else(cut).unwrap_or(text.len())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pieces_count_as_the_whole() {
        let line = "Fills in PDF forms; reads `them`, too:\n\n- one\n- two // three\n/four\n  5\n";
        let text = line.repeat(400);
        for counter in [ExactTokens::O200k, ExactTokens::Cl100k] {
            assert_eq!(counter.count(&text), counter.vocabulary().count_ordinary(&text));
        }
        assert!(piece_end(&text) < text.len());
    }

    #[test]
    fn hostile_texts_are_counted() {
        // So many blanks in one piece end in a panic.
        assert!(ExactTokens::O200k.count(&" ".repeat(1 << 20)) > 0);
        for piece in ["a", "\n", "\t ", "\u{1f600}", "'s", "9", "A", "\u{301}", " \n", "-"] {
            let text = piece.repeat((1 << 15) / piece.len());
            assert!(ExactTokens::O200k.count(&text) > 0, "{piece:?}");
        }
    }
}
