//! Turns a transport over streams into one that is patient: with what comes before the first request, and with the
//! answers that are due when the client has said its last word.

use rmcp::RoleServer;
use rmcp::model::{ClientNotification, ClientRequest, RequestId};
use rmcp::service::{RxJsonRpcMessage, TxJsonRpcMessage};
use rmcp::transport::Transport;
use std::collections::HashSet;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;
use tokio::sync::Notify;
use tokio::time::timeout;

/// How long the end is put off after the last answer, when others are due.
const PATIENCE: Duration = Duration::from_secs(10);

/// The transport.
///
/// A client may send what it has to send, close its end and read: `printf ... | metier serve` does. The end
/// of what it sends ends the conversation, and of requests that are under way then, only those would be
/// answered that are quick. So the end is kept back until all are answered.
pub(super) struct Patient<T> {
    transport: T,
    has_started: bool,
    due: Arc<Due>,
}

/// The requests that are to be answered.
#[derive(Default)]
struct Due {
    ids: Mutex<HashSet<RequestId>>,
    answered: Notify,
}

impl Due {
    fn ids(&self) -> MutexGuard<'_, HashSet<RequestId>> {
        self.ids.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Waits until nothing is due, or nothing happens any more.
    async fn settle(&self) {
        loop {
            let next = self.answered.notified();
            if self.ids().is_empty() || timeout(PATIENCE, next).await.is_err() {
                return;
            }
        }
    }

    fn remove(&self, id: &RequestId) {
        self.ids().remove(id);
        // Kept for one who comes late.
        self.answered.notify_one();
    }
}

impl<T> Patient<T> {
    pub(super) fn new(transport: T) -> Self {
        Self { transport, has_started: false, due: Arc::default() }
    }

    fn note(&mut self, message: &RxJsonRpcMessage<RoleServer>) {
        match message {
            RxJsonRpcMessage::<RoleServer>::Request(request) => {
                self.has_started = true;
                // A subscription has no answer, it has an end.
                if !matches!(request.request, ClientRequest::SubscriptionsListenRequest(_)) {
                    self.due.ids().insert(request.id.clone());
                }
            }
            RxJsonRpcMessage::<RoleServer>::Notification(notification) => {
                if let ClientNotification::CancelledNotification(cancelled) =
                    &notification.notification
                    && let Some(id) = &cancelled.params.request_id
                {
                    self.due.remove(id);
                }
            }
            _ => {}
        }
    }
}

impl<T: Transport<RoleServer>> Transport<RoleServer> for Patient<T> {
    type Error = T::Error;

    fn send(
        &mut self,
        message: TxJsonRpcMessage<RoleServer>,
    ) -> impl Future<Output = Result<(), Self::Error>> + Send + 'static {
        let id = match &message {
            TxJsonRpcMessage::<RoleServer>::Response(response) => Some(response.id.clone()),
            TxJsonRpcMessage::<RoleServer>::Error(error) => error.id.clone(),
            _ => None,
        };
        let due = self.due.clone();
        let sending = self.transport.send(message);
        async move {
            let sent = sending.await;
            if let Some(id) = id {
                due.remove(&id);
            }
            sent
        }
    }

    async fn receive(&mut self) -> Option<RxJsonRpcMessage<RoleServer>> {
        loop {
            let Some(message) = self.transport.receive().await else {
                self.due.settle().await;
                return None;
            };
            self.note(&message);
            if self.has_started {
                return Some(message);
            }
        }
    }

    async fn close(&mut self) -> Result<(), Self::Error> {
        self.transport.close().await
    }
}
