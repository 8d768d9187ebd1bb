//! Turns messages of MCP, of both protocol eras, into calls, and answers into messages: the only module that names `rmcp`.

mod patient;

use crate::change::Change;
use crate::fault::Fault;
use crate::lanes::Lane;
use crate::options::ServeOptions;
use crate::server::{Ended, Server};
use crate::{completion, extension, prompts, resources, tools};
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD as BASE64;
use patient::Patient;
use rmcp::model::{
    CallToolRequestParams, CallToolResponse, CallToolResult, CompleteRequestParams, CompleteResult,
    CompletionInfo, ContentBlock, CustomRequest, CustomResult, ErrorCode, ExtensionCapabilities,
    GetPromptRequestParams, GetPromptResponse, GetPromptResult, Implementation, ListPromptsResult,
    ListResourceTemplatesResult, ListResourcesResult, ListToolsResult, PaginatedRequestParams,
    Prompt, PromptArgument, PromptMessage, ProtocolVersion, ReadResourceRequestParams,
    ReadResourceResponse, ReadResourceResult, Reference, Resource, ResourceContents,
    ResourceTemplate, ResourceUpdatedNotificationParam, Role, ServerCapabilities, ServerConfig,
    SubscribeRequestParams, SubscriptionFilter, Tool, UnsubscribeRequestParams,
};
use rmcp::service::{
    NotificationContext, Peer, RequestContext, ServerInitializeError, SubscriptionContext,
};
use rmcp::transport::async_rw::AsyncRwTransport;
use rmcp::transport::streamable_http_server::session::local::LocalSessionManager;
use rmcp::transport::streamable_http_server::{StreamableHttpServerConfig, StreamableHttpService};
use rmcp::{ErrorData, RoleServer, ServerHandler, ServiceExt as _};
use serde_json::{Value as Json, json};
use std::collections::BTreeSet;
use std::io;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::sync::{broadcast, watch};
use tokio_util::sync::CancellationToken;

/// How many resources one client of the older protocols may subscribe to.
const MAX_SUBSCRIPTIONS: usize = 1_000;

/// One connection, or one request of a protocol without connections.
#[derive(Debug)]
pub(crate) struct Connection {
    server: Server,
    /// What a client of the older protocols subscribed to.
    subscriptions: Arc<Mutex<BTreeSet<String>>>,
    /// Gone with the connection: whoever forwards changes to it stops.
    alive: watch::Sender<()>,
}

/// Serves one client over a pair of streams until it hangs up or `stop` is cancelled.
pub(crate) async fn serve_streams(
    server: Server,
    read: impl AsyncRead + Send + Unpin + 'static,
    write: impl AsyncWrite + Send + Unpin + 'static,
    stop: CancellationToken,
) -> io::Result<Ended> {
    let max_message = server.options().max_message;
    let transport = AsyncRwTransport::new_server(read, write).with_max_line_length(max_message);
    let transport = Patient::new(transport);
    let running = match Connection::new(server).serve_with_ct(transport, stop.clone()).await {
        Ok(running) => running,
        Err(ServerInitializeError::ConnectionClosed(_)) => return Ok(Ended::Unused),
        Err(ServerInitializeError::Cancelled) => return Ok(Ended::Stopped),
        Err(error) => return Err(io::Error::other(error)),
    };
    running.waiting().await.map_err(io::Error::other)?;
    Ok(if stop.is_cancelled() { Ended::Stopped } else { Ended::HungUp })
}

/// The sessions of clients of the older protocols.
pub(crate) type Sessions = Arc<LocalSessionManager>;

/// What answers requests at `/mcp`.
pub(crate) type HttpEndpoint = StreamableHttpService<Connection, LocalSessionManager>;

/// Makes what answers requests at `/mcp`. Hosts, origins, tokens and sizes are checked before it.
pub(crate) fn http_endpoint(
    server: &Server,
    idle: Duration,
    stop: CancellationToken,
) -> (HttpEndpoint, Sessions) {
    let mut sessions = LocalSessionManager::default();
    sessions.session_config.keep_alive = Some(idle);
    // By default every answer is held for a minute, should the client want it again: at a thousand
    // answers a second that is all there is of memory. Ours can be asked for again.
    sessions.session_config.completed_cache_ttl = Duration::ZERO;
    let sessions = Arc::new(sessions);
    let config = StreamableHttpServerConfig::default()
        .disable_allowed_hosts()
        // One message needs no stream.
        .with_json_response(true)
        .with_max_request_body_bytes(server.options().max_message)
        .with_cancellation_token(stop);
    let server = server.clone();
    let connect = move || Ok(Connection::new(server.clone()));
    (StreamableHttpService::new(connect, sessions.clone(), config), sessions)
}

impl Connection {
    fn new(server: Server) -> Self {
        Self { server, subscriptions: Arc::default(), alive: watch::Sender::new(()) }
    }

    fn options(&self) -> &ServeOptions {
        self.server.options()
    }

    /// Runs what may read files on a thread where that holds up nobody.
    async fn run<T: Send + 'static>(
        &self,
        work: impl FnOnce(&Server) -> Result<T, Fault> + Send + 'static,
    ) -> Result<T, ErrorData> {
        self.run_in(Lane::Read, work).await
    }

    async fn run_in<T: Send + 'static>(
        &self,
        lane: Lane,
        work: impl FnOnce(&Server) -> Result<T, Fault> + Send + 'static,
    ) -> Result<T, ErrorData> {
        match self.server.work(lane, work).await {
            Some(answer) => answer.map_err(error_data),
            None => Err(ErrorData::internal_error("the request could not be answered", None)),
        }
    }
}

impl ServerHandler for Connection {
    fn get_info(&self) -> ServerConfig {
        let mut extensions = ExtensionCapabilities::new();
        let settings = json!({ "directoryRead": true }).as_object().cloned().unwrap_or_default();
        extensions.insert(extension::ID.to_owned(), settings);
        let capabilities = ServerCapabilities::builder()
            .enable_completions()
            .enable_prompts()
            .enable_prompts_list_changed()
            .enable_resources()
            .enable_resources_list_changed()
            .enable_resources_subscribe()
            .enable_tools()
            .enable_tool_list_changed()
            .enable_extensions_with(extensions)
            .build();
        let name = self.options().name.clone();
        ServerConfig::new(capabilities)
            .with_server_info(Implementation::new(name, env!("CARGO_PKG_VERSION")))
            .with_instructions(self.server.instructions())
    }

    async fn list_resources(
        &self,
        request: Option<PaginatedRequestParams>,
        context: RequestContext<RoleServer>,
    ) -> Result<ListResourcesResult, ErrorData> {
        let cursor = request.and_then(|request| request.cursor);
        let (listed, next_cursor) = self
            .run(move |server| resources::list(server.store(), server.options(), cursor.as_deref()))
            .await?;
        let resource = |listed: resources::ListedResource| {
            Resource::new(listed.uri, listed.name)
                .with_description(listed.description)
                .with_mime_type(listed.media)
        };
        let resources = listed.into_iter().map(resource).collect();
        let mut result = ListResourcesResult::with_all_items(resources);
        result.next_cursor = next_cursor;
        result.ttl_ms = is_modern(&context).then_some(self.options().ttl_ms);
        Ok(result)
    }

    async fn list_resource_templates(
        &self,
        _: Option<PaginatedRequestParams>,
        _: RequestContext<RoleServer>,
    ) -> Result<ListResourceTemplatesResult, ErrorData> {
        let template = ResourceTemplate::new(completion::TEMPLATE, "skill-file")
            .with_title("A file of a skill")
            .with_description("`SKILL.md` or any other file of a skill, by its path");
        Ok(ListResourceTemplatesResult::with_all_items(vec![template]))
    }

    async fn read_resource(
        &self,
        request: ReadResourceRequestParams,
        _: RequestContext<RoleServer>,
    ) -> Result<ReadResourceResponse, ErrorData> {
        let uri = request.uri;
        let contents = self
            .run(move |server| {
                let read = resources::read(server.store(), server.options(), &uri)?;
                Ok(match std::str::from_utf8(&read.bytes) {
                    Ok(text) => ResourceContents::text(text, uri),
                    Err(_) => ResourceContents::blob(BASE64.encode(&read.bytes), uri),
                }
                .with_mime_type(read.media))
            })
            .await?;
        Ok(ReadResourceResult::new(vec![contents]).into())
    }

    async fn complete(
        &self,
        request: CompleteRequestParams,
        _: RequestContext<RoleServer>,
    ) -> Result<CompleteResult, ErrorData> {
        let Reference::Resource(template) = &request.r#ref else {
            // What follows the name of a skill is for its author to say, and only as a hint.
            return Ok(CompleteResult::default());
        };
        if template.uri != completion::TEMPLATE || request.argument.name != completion::VARIABLE {
            let fault = Fault::invalid_uri("there is no such template or variable", &template.uri);
            return Err(error_data(fault));
        }
        let typed = request.argument.value;
        let (values, total) =
            self.run(move |server| Ok(completion::paths(server.store(), &typed))).await?;
        let has_more = total > values.len();
        let found = u32::try_from(total).ok();
        let completion = CompletionInfo::with_pagination(values, found, has_more);
        let completion = completion.map_err(|message| ErrorData::internal_error(message, None))?;
        Ok(CompleteResult::new(completion))
    }

    async fn list_prompts(
        &self,
        request: Option<PaginatedRequestParams>,
        context: RequestContext<RoleServer>,
    ) -> Result<ListPromptsResult, ErrorData> {
        let cursor = request.and_then(|request| request.cursor);
        let (listed, next_cursor) = self
            .run(move |server| prompts::list(server.store(), server.options(), cursor.as_deref()))
            .await?;
        let prompt = |listed: prompts::ListedPrompt| {
            let argument = PromptArgument::new(prompts::ARGUMENT)
                .with_description(listed.hint)
                .with_required(false);
            Prompt::new(listed.name, Some(listed.description), Some(vec![argument]))
        };
        let mut result =
            ListPromptsResult::with_all_items(listed.into_iter().map(prompt).collect());
        result.next_cursor = next_cursor;
        result.ttl_ms = is_modern(&context).then_some(self.options().ttl_ms);
        Ok(result)
    }

    async fn get_prompt(
        &self,
        request: GetPromptRequestParams,
        _: RequestContext<RoleServer>,
    ) -> Result<GetPromptResponse, ErrorData> {
        let (description, text) = self
            .run(move |server| {
                let given = request.arguments.map(Json::Object).unwrap_or_default();
                let arguments = extension::text(&given, prompts::ARGUMENT)?;
                prompts::get(server.store(), &request.name, arguments)
            })
            .await?;
        let message = PromptMessage::new_text(Role::User, text);
        Ok(GetPromptResult::new(vec![message]).with_description(description).into())
    }

    async fn list_tools(
        &self,
        _: Option<PaginatedRequestParams>,
        context: RequestContext<RoleServer>,
    ) -> Result<ListToolsResult, ErrorData> {
        let listed = self.run(|server| Ok(tools::list(server.store()))).await?;
        let tools: Result<Vec<Tool>, _> = listed.into_iter().map(serde_json::from_value).collect();
        let tools = tools.map_err(|_| ErrorData::internal_error("the tools have no form", None))?;
        let mut result = ListToolsResult::with_all_items(tools);
        result.ttl_ms = is_modern(&context).then_some(self.options().ttl_ms);
        Ok(result)
    }

    async fn call_tool(
        &self,
        request: CallToolRequestParams,
        _: RequestContext<RoleServer>,
    ) -> Result<CallToolResponse, ErrorData> {
        let arguments = request.arguments.map_or_else(|| json!({}), Json::Object);
        let name = request.name;
        let lane = if name == tools::SEARCH { Lane::Search } else { Lane::Read };
        let work = move |server: &Server| tools::call(server.store(), &name, arguments);
        let reply = self.run_in(lane, work).await?;
        let content = vec![ContentBlock::text(reply.content)];
        let mut result = if reply.is_error {
            CallToolResult::error(content)
        } else {
            CallToolResult::success(content)
        };
        result.structured_content = Some(reply.data).filter(Json::is_object);
        Ok(result.into())
    }

    async fn on_custom_request(
        &self,
        request: CustomRequest,
        context: RequestContext<RoleServer>,
    ) -> Result<CustomResult, ErrorData> {
        let params = request.params.unwrap_or_default();
        let mut result = self
            .run(move |server| {
                extension::answer(server.store(), server.options(), &request.method, &params)
            })
            .await?;
        // Clients want the hints on `resources/directory/read` too, although no rule does.
        if is_modern(&context) {
            result["resultType"] = "complete".into();
            result["ttlMs"] = self.options().ttl_ms.into();
            result["cacheScope"] = "private".into();
        }
        Ok(CustomResult::new(result))
    }

    async fn on_initialized(&self, context: NotificationContext<RoleServer>) {
        let changes = self.server.store().changes();
        let subscriptions = self.subscriptions.clone();
        tokio::spawn(forward(context.peer, changes, subscriptions, self.alive.subscribe()));
    }

    async fn subscribe(
        &self,
        request: SubscribeRequestParams,
        _: RequestContext<RoleServer>,
    ) -> Result<(), ErrorData> {
        let uri = request.uri.clone();
        self.run(move |server| resources::read(server.store(), server.options(), &uri)).await?;
        let mut subscriptions = lock(&self.subscriptions);
        if subscriptions.len() >= MAX_SUBSCRIPTIONS {
            return Err(error_data(Fault::invalid("there are too many subscriptions")));
        }
        subscriptions.insert(request.uri);
        Ok(())
    }

    async fn unsubscribe(
        &self,
        request: UnsubscribeRequestParams,
        _: RequestContext<RoleServer>,
    ) -> Result<(), ErrorData> {
        lock(&self.subscriptions).remove(&request.uri);
        Ok(())
    }

    fn accepted_subscription_filter(
        &self,
        requested: &SubscriptionFilter,
    ) -> Option<SubscriptionFilter> {
        let mut accepted = requested.supported_by(&ServerHandler::get_info(self).capabilities);
        if let Some(uris) = &mut accepted.resource_subscriptions {
            uris.truncate(MAX_SUBSCRIPTIONS);
        }
        Some(accepted)
    }

    async fn listen(&self, context: SubscriptionContext) -> Result<(), ErrorData> {
        let mut changes = self.server.store().changes();
        let accepted = context.accepted();
        let uris: BTreeSet<_> = accepted.resource_subscriptions.iter().flatten().cloned().collect();
        self.watch_for(&uris);
        loop {
            let change = tokio::select! {
                () = context.cancelled() => return Ok(()),
                change = changes.recv() => change,
            };
            let Some(change) = whatever_changed(change, &uris) else { return Ok(()) };
            let sink = context.sink();
            let mut is_open = true;
            if change.list && accepted.resources_list_changed == Some(true) {
                is_open &= sink.notify_resource_list_changed().await.is_ok();
            }
            if change.list && accepted.prompts_list_changed == Some(true) {
                is_open &= sink.notify_prompt_list_changed().await.is_ok();
            }
            if change.tools && accepted.tools_list_changed == Some(true) {
                is_open &= sink.notify_tool_list_changed().await.is_ok();
            }
            for uri in change.updated.intersection(&uris) {
                is_open &= sink.notify_resource_updated(uri).await.is_ok();
            }
            if !is_open {
                return Ok(());
            }
        }
    }
}

impl Connection {
    /// Packs the skills of some files, so that changes of the files are seen.
    fn watch_for(&self, uris: &BTreeSet<String>) {
        let (server, uris) = (self.server.clone(), uris.clone());
        tokio::task::spawn_blocking(move || {
            for uri in uris {
                let _ = server.store().file(&uri);
            }
        });
    }
}

/// Tells a client of the older protocols what changes, for as long as its connection is there.
async fn forward(
    peer: Peer<RoleServer>,
    mut changes: broadcast::Receiver<Change>,
    subscriptions: Arc<Mutex<BTreeSet<String>>>,
    mut alive: watch::Receiver<()>,
) {
    loop {
        let change = tokio::select! {
            _ = alive.changed() => return,
            change = changes.recv() => change,
        };
        let uris = lock(&subscriptions).clone();
        let Some(change) = whatever_changed(change, &uris) else { return };
        let mut is_open = true;
        if change.list {
            is_open &= peer.notify_resource_list_changed().await.is_ok();
            is_open &= peer.notify_prompt_list_changed().await.is_ok();
        }
        if change.tools {
            is_open &= peer.notify_tool_list_changed().await.is_ok();
        }
        for uri in change.updated.intersection(&uris) {
            let params = ResourceUpdatedNotificationParam::new(uri);
            is_open &= peer.notify_resource_updated(params).await.is_ok();
        }
        if !is_open {
            return;
        }
    }
}

/// The change; everything, for a client that missed some; `None` when there will be no more.
fn whatever_changed(
    change: Result<Change, broadcast::error::RecvError>,
    uris: &BTreeSet<String>,
) -> Option<Change> {
    match change {
        Ok(change) => Some(change),
        Err(broadcast::error::RecvError::Lagged(_)) => {
            Some(Change { list: true, tools: true, updated: uris.clone() })
        }
        Err(broadcast::error::RecvError::Closed) => None,
    }
}

fn lock(subscriptions: &Mutex<BTreeSet<String>>) -> std::sync::MutexGuard<'_, BTreeSet<String>> {
    subscriptions.lock().unwrap_or_else(PoisonError::into_inner)
}

fn is_modern(context: &RequestContext<RoleServer>) -> bool {
    let modern = ProtocolVersion::V_2026_07_28;
    context.protocol_version().is_some_and(|version| version.as_str() >= modern.as_str())
}

fn error_data(fault: Fault) -> ErrorData {
    let message = fault.to_string();
    match fault {
        Fault::UnknownMethod(_) => ErrorData::new(ErrorCode::METHOD_NOT_FOUND, message, None),
        Fault::Invalid { data, .. } => ErrorData::invalid_params(message, data),
        // Becomes -32602 for those who speak 2026-07-28.
        Fault::NotFound { uri, .. } => {
            ErrorData::resource_not_found(message, Some(json!({ "uri": uri })))
        }
        Fault::Unavailable(_) => ErrorData::internal_error(message, None),
    }
}
