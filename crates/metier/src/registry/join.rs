//! Turns many futures into the list of their results, all under way at once.

use crate::BoxFuture;
use std::future::poll_fn;
use std::task::Poll;

/// Waits for all of them; the results come in the order of the futures.
pub(crate) async fn join_all<'a, T>(futures: impl IntoIterator<Item = BoxFuture<'a, T>>) -> Vec<T> {
    let mut waiting: Vec<_> = futures.into_iter().map(Some).collect();
    let mut results: Vec<Option<T>> = waiting.iter().map(|_| None).collect();
    poll_fn(|context| {
        for (slot, result) in waiting.iter_mut().zip(&mut results) {
            if let Some(future) = slot
                && let Poll::Ready(value) = future.as_mut().poll(context)
            {
                *result = Some(value);
                *slot = None;
            }
        }
        if waiting.iter().all(Option::is_none) { Poll::Ready(()) } else { Poll::Pending }
    })
    .await;
    results.into_iter().flatten().collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::thread;

    /// Is ready on its second poll, woken from another thread.
    fn later(number: u32) -> BoxFuture<'static, u32> {
        let mut polled = false;
        Box::pin(poll_fn(move |context| {
            if polled {
                return Poll::Ready(number);
            }
            polled = true;
            let waker = context.waker().clone();
            thread::spawn(move || waker.wake());
            Poll::Pending
        }))
    }

    #[test]
    fn results_keep_the_order_whoever_is_first() {
        let futures = [later(1), Box::pin(async { 2 }), later(3)];
        assert_eq!(crate::block_on(join_all(futures)), [1, 2, 3]);
        assert!(crate::block_on(join_all::<u32>([])).is_empty());
    }
}
