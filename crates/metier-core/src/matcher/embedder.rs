//! Turns texts into vectors: what a model outside does for us, and remembering what it said.

use sha2::{Digest as _, Sha256};
use std::collections::BTreeMap;
use std::fmt;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// A model that turns texts into vectors. Any function of that shape is one.
///
/// ```
/// use metier_core::{EmbedError, Embedder};
///
/// let lengths = |texts: &[&str]| Ok(texts.iter().map(|text| vec![text.len() as f32]).collect());
/// let vectors: Result<Vec<Vec<f32>>, EmbedError> = Embedder::embed(&lengths, &["a", "bcd"]);
/// assert_eq!(vectors?, [[1.0], [3.0]]);
/// # Ok::<(), EmbedError>(())
/// ```
pub trait Embedder: Send + Sync {
    /// One vector for each text, in order.
    fn embed(&self, texts: &[&str]) -> Result<Vec<Vec<f32>>, EmbedError>;
}

impl<F> Embedder for F
where
    F: Fn(&[&str]) -> Result<Vec<Vec<f32>>, EmbedError> + Send + Sync,
{
    fn embed(&self, texts: &[&str]) -> Result<Vec<Vec<f32>>, EmbedError> {
        self(texts)
    }
}

/// Why there are no vectors.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum EmbedError {
    /// The model failed, for this reason.
    Failed(String),
    /// The model gave another number of vectors than there were texts.
    WrongCount {
        /// How many texts there were.
        texts: usize,
        /// How many vectors came back.
        vectors: usize,
    },
}

impl fmt::Display for EmbedError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Failed(reason) => write!(f, "the texts cannot be embedded: {reason}"),
            Self::WrongCount { texts, vectors } => {
                write!(f, "the embedder gave {vectors} vectors for {texts} texts")
            }
        }
    }
}

impl std::error::Error for EmbedError {}

/// An embedder that asks for each text once, in batches, and remembers the vectors by the digest of
/// the text. Cheap to clone; clones remember together.
///
/// ```
/// use metier_core::{CachedEmbedder, EmbedError, Embedder};
/// use std::sync::atomic::{AtomicUsize, Ordering};
///
/// let asked = AtomicUsize::new(0);
/// let model = CachedEmbedder::new(|texts: &[&str]| {
///     asked.fetch_add(texts.len(), Ordering::SeqCst);
///     Ok(texts.iter().map(|text| vec![text.len() as f32]).collect())
/// });
/// model.embed(&["a", "bcd", "a"])?;
/// model.embed(&["a"])?;
/// assert_eq!(asked.load(Ordering::SeqCst), 2);
/// # Ok::<(), EmbedError>(())
/// ```
pub struct CachedEmbedder<E> {
    embedder: Arc<E>,
    batch: usize,
    limit: usize,
    known: Arc<Mutex<Known>>,
}

impl<E> Clone for CachedEmbedder<E> {
    fn clone(&self) -> Self {
        let Self { embedder, batch, limit, known } = self;
        Self { embedder: embedder.clone(), batch: *batch, limit: *limit, known: known.clone() }
    }
}

type Key = [u8; 32];

/// What is remembered: vectors by digest, and the digests in the order in which they came.
#[derive(Default)]
struct Known {
    vectors: BTreeMap<Key, (u64, Arc<[f32]>)>,
    ages: BTreeMap<u64, Key>,
    asked: u64,
}

impl<E: Embedder> CachedEmbedder<E> {
    /// Remembers up to 200 000 vectors, and asks for 64 texts at once.
    pub fn new(embedder: E) -> Self {
        Self { embedder: Arc::new(embedder), batch: 64, limit: 200_000, known: Arc::default() }
    }

    /// Asks for this many texts at once.
    pub fn batch(mut self, texts: usize) -> Self {
        self.batch = texts.max(1);
        self
    }

    /// Remembers this many vectors; the oldest are forgotten first.
    pub fn limit(mut self, vectors: usize) -> Self {
        self.limit = vectors;
        self
    }

    /// How many vectors are remembered.
    pub fn len(&self) -> usize {
        self.known().vectors.len()
    }

    /// Whether no vector is remembered.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    fn known(&self) -> MutexGuard<'_, Known> {
        self.known.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn remember(&self, key: Key, vector: Arc<[f32]>) {
        let mut known = self.known();
        known.asked += 1;
        let age = known.asked;
        if let Some((old, _)) = known.vectors.insert(key, (age, vector)) {
            known.ages.remove(&old);
        }
        known.ages.insert(age, key);
        while known.vectors.len() > self.limit {
            let Some((_, oldest)) = known.ages.pop_first() else { break };
            known.vectors.remove(&oldest);
        }
    }
}

impl<E: Embedder> Embedder for CachedEmbedder<E> {
    fn embed(&self, texts: &[&str]) -> Result<Vec<Vec<f32>>, EmbedError> {
        let keys: Vec<Key> = texts.iter().map(|text| Sha256::digest(text).into()).collect();
        let mut here: BTreeMap<Key, Option<Arc<[f32]>>> = BTreeMap::new();
        let mut missing: Vec<(Key, &str)> = Vec::new();
        {
            let known = self.known();
            for (key, text) in keys.iter().zip(texts) {
                here.entry(*key).or_insert_with(|| {
                    let vector = known.vectors.get(key).map(|(_, vector)| vector.clone());
                    if vector.is_none() {
                        missing.push((*key, text));
                    }
                    vector
                });
            }
        }
        // The lock is free while the model works: two who ask for the same may both wait for it.
        for part in missing.chunks(self.batch) {
            let texts: Vec<&str> = part.iter().map(|(_, text)| *text).collect();
            let vectors = self.embedder.embed(&texts)?;
            if vectors.len() != texts.len() {
                let (texts, vectors) = (texts.len(), vectors.len());
                return Err(EmbedError::WrongCount { texts, vectors });
            }
            for ((key, _), vector) in part.iter().zip(vectors) {
                let vector: Arc<[f32]> = vector.into();
                self.remember(*key, vector.clone());
                here.insert(*key, Some(vector));
            }
        }
        let vector = |key| here.get(key).cloned().flatten().unwrap_or_default().to_vec();
        Ok(keys.iter().map(vector).collect())
    }
}

impl<E> fmt::Debug for CachedEmbedder<E> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("CachedEmbedder").field("batch", &self.batch).finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Says how many texts it is asked for at once, and embeds each as its length.
    fn counting(calls: &Mutex<Vec<usize>>) -> impl Embedder {
        |texts: &[&str]| {
            calls.lock().unwrap().push(texts.len());
            Ok(texts.iter().map(|text| vec![f32::from(text.len() as u8)]).collect())
        }
    }

    #[test]
    fn each_text_is_asked_for_once_in_batches() {
        let calls = Mutex::default();
        let model = CachedEmbedder::new(counting(&calls)).batch(2);
        let vectors = model.embed(&["a", "bb", "a", "ccc", "dddd", "eeeee"]).unwrap();
        assert_eq!(vectors, [[1.0], [2.0], [1.0], [3.0], [4.0], [5.0]]);
        assert_eq!(model.embed(&["eeeee", "a"]).unwrap(), [[5.0], [1.0]]);
        assert_eq!(*calls.lock().unwrap(), [2, 2, 1]);
        assert_eq!(model.len(), 5);
    }

    #[test]
    fn the_oldest_are_forgotten() {
        let calls = Mutex::default();
        let model = CachedEmbedder::new(counting(&calls)).limit(1);
        for text in ["a", "b", "b", "a"] {
            model.embed(&[text]).unwrap();
        }
        assert_eq!(calls.lock().unwrap().len(), 3);
        assert_eq!(model.len(), 1);
    }

    #[test]
    fn a_wrong_number_of_vectors_is_refused_and_nothing_is_kept() {
        let model = CachedEmbedder::new(|_: &[&str]| Ok(vec![vec![1.0]]));
        let error = model.embed(&["a", "b"]).unwrap_err();
        assert_eq!(error, EmbedError::WrongCount { texts: 2, vectors: 1 });
        assert!(model.is_empty());
        let model = CachedEmbedder::new(|_: &[&str]| Err(EmbedError::Failed("down".into())));
        assert_eq!(
            model.embed(&["a"]).unwrap_err().to_string(),
            "the texts cannot be embedded: down"
        );
        assert!(model.embed(&[]).unwrap().is_empty());
    }
}
