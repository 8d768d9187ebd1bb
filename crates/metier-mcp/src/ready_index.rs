//! Turns the index of a registry into one that is at hand: while the next one is made, the last one answers.

use metier::{Registry, SkillIndex};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;

/// A catalog of at most so many skills is indexed while somebody waits: that takes a tenth of a second.
const WAITED_FOR: usize = 2_000;

/// The index that was made last, and whether another one is on its way.
#[derive(Debug, Default)]
pub(crate) struct ReadyIndex {
    last: Mutex<Option<Made>>,
    is_making: AtomicBool,
}

/// An index, and the generation of the catalog that it is of, or an earlier one.
type Made = (u64, Arc<SkillIndex>);

impl ReadyIndex {
    /// Sees to it that a search need not make an index. `None` when the registry has that of its catalog;
    /// else an earlier one, to be searched until the next one is there.
    ///
    /// A large catalog takes seconds to index, and an edit of one file makes a new catalog: whoever
    /// searches then gets an answer at once that may lack the edit.
    pub(crate) fn get(self: &Arc<Self>, registry: &Registry) -> Option<Arc<SkillIndex>> {
        let catalog = registry.catalog();
        match self.last() {
            Some((generation, _)) if generation >= catalog.generation() => None,
            Some((_, index)) if catalog.len() > WAITED_FOR => {
                self.make_beside(registry);
                Some(index)
            }
            _ => {
                self.make(registry);
                None
            }
        }
    }

    /// Makes the next index if the last one was ever searched.
    pub(crate) fn renew(self: &Arc<Self>, registry: &Registry) {
        if self.last().is_some() {
            self.make_beside(registry);
        }
    }

    fn make_beside(self: &Arc<Self>, registry: &Registry) {
        if self.is_making.swap(true, Ordering::SeqCst) {
            return;
        }
        let making = Making(self.clone());
        let registry = registry.clone();
        // Without a thread there is no next index now; the next search tries again.
        let _ = thread::Builder::new().name("metier-index".to_owned()).spawn(move || {
            making.0.make(&registry);
        });
    }

    fn make(&self, registry: &Registry) {
        let generation = registry.catalog().generation();
        let index = registry.index();
        let mut last = self.last.lock().unwrap_or_else(PoisonError::into_inner);
        if last.as_ref().is_none_or(|(made, _)| *made < generation) {
            *last = Some((generation, index));
        }
    }

    fn last(&self) -> Option<Made> {
        self.last.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }
}

/// Whoever makes an index beside the searches, however that ends.
struct Making(Arc<ReadyIndex>);

impl Drop for Making {
    fn drop(&mut self) {
        self.0.is_making.store(false, Ordering::SeqCst);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use metier::{Blocking, Memory, parse};

    fn registry(skills: usize) -> Registry {
        let memory = (0..skills).fold(Memory::new("m"), |memory, n| {
            memory.inline(&format!("s{n}"), "Use it.", "Body.")
        });
        Registry::builder().source(Blocking(memory)).open()
    }

    fn add(registry: &Registry, name: &str) {
        let text = format!("---\nname: {name}\ndescription: Use for zebras.\n---\nStripes.\n");
        registry.register_skill(&parse(&text).skill.unwrap()).unwrap();
    }

    #[test]
    fn a_small_catalog_is_waited_for() {
        let (registry, ready) = (registry(3), Arc::new(ReadyIndex::default()));
        assert!(ready.get(&registry).is_none());
        add(&registry, "zebra");
        assert!(ready.get(&registry).is_none());
        assert_eq!(ready.last().unwrap().1.len(), 4);
    }

    #[test]
    fn a_large_one_is_answered_from_the_last_index_until_the_next_is_there() {
        let (registry, ready) = (registry(WAITED_FOR + 1), Arc::new(ReadyIndex::default()));
        ready.renew(&registry);
        assert!(ready.last().is_none(), "nobody has searched yet");
        assert!(ready.get(&registry).is_none());
        add(&registry, "zebra");
        // As while another thread makes it.
        ready.is_making.store(true, Ordering::SeqCst);
        assert_eq!(ready.get(&registry).unwrap().len(), WAITED_FOR + 1);
        ready.is_making.store(false, Ordering::SeqCst);
        ready.renew(&registry);
        while ready.get(&registry).is_some() {
            thread::yield_now();
        }
        assert_eq!(ready.last().unwrap().1.len(), WAITED_FOR + 2);
    }
}
