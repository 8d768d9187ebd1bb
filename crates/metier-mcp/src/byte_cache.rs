//! Turns keys into bytes that were read or made before, as many as fit.

use std::collections::{BTreeMap, HashMap};
use std::hash::Hash;
use std::sync::Arc;

/// Bytes by a key, such as their digest; those that were asked for longest ago go first.
#[derive(Debug)]
pub(crate) struct ByteCache<K> {
    room: usize,
    used: usize,
    clock: u64,
    held: HashMap<K, (Arc<[u8]>, u64)>,
    order: BTreeMap<u64, K>,
}

impl<K: Copy + Eq + Hash> ByteCache<K> {
    /// A cache for this many bytes.
    pub(crate) fn new(room: usize) -> Self {
        Self { room, used: 0, clock: 0, held: HashMap::new(), order: BTreeMap::new() }
    }

    pub(crate) fn get(&mut self, key: &K) -> Option<Arc<[u8]>> {
        self.clock += 1;
        let (bytes, at) = self.held.get_mut(key)?;
        self.order.remove(at);
        *at = self.clock;
        self.order.insert(self.clock, *key);
        Some(bytes.clone())
    }

    pub(crate) fn put(&mut self, key: K, bytes: &Arc<[u8]>) {
        if bytes.len() > self.room || self.get(&key).is_some() {
            return;
        }
        self.clock += 1;
        self.used += bytes.len();
        self.held.insert(key, (bytes.clone(), self.clock));
        self.order.insert(self.clock, key);
        while self.used > self.room
            && let Some((_, oldest)) = self.order.pop_first()
        {
            self.used -= self.held.remove(&oldest).map_or(0, |(bytes, _)| bytes.len());
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::digest::digest;

    #[test]
    fn what_was_asked_for_last_stays() {
        let mut cache = ByteCache::new(10);
        let bytes: Vec<Arc<[u8]>> = (0..3).map(|n| vec![n; 4].into()).collect();
        let digests: Vec<_> = bytes.iter().map(|bytes| digest(bytes)).collect();
        cache.put(digests[0], &bytes[0]);
        cache.put(digests[1], &bytes[1]);
        assert!(cache.get(&digests[0]).is_some());
        cache.put(digests[2], &bytes[2]);
        let held: Vec<_> = digests.iter().map(|digest| cache.get(digest).is_some()).collect();
        assert_eq!(held, [true, false, true]);
        assert_eq!(cache.used, 8);
        let large: Arc<[u8]> = vec![9; 11].into();
        cache.put(digest(&large), &large);
        assert_eq!((cache.used, cache.held.len(), cache.order.len()), (8, 2, 2));
    }
}
