//! Turns the session's tools, calls and replies into the shapes of each model API, and back.

use crate::{plain, session};
use metier::{SessionOptions, Tool, ToolFormat, ToolNames, ToolReply, ToolSet, block_on};
use proptest::prelude::*;
use serde_json::{Value, json};

/// Names that every API takes: OpenAI's and Anthropic's rule.
fn is_name(name: &str) -> bool {
    let is_plain = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '-');
    (1..=64).contains(&name.len()) && name.chars().all(is_plain)
}

/// What OpenAI's strict mode asks of a schema.
fn check_strict(schema: &Value) {
    assert_eq!(schema["type"], "object");
    assert_eq!(schema["additionalProperties"], false);
    let properties = schema["properties"].as_object().unwrap();
    let required: Vec<_> = schema["required"].as_array().unwrap().iter().collect();
    assert_eq!(properties.len(), required.len());
    for (name, property) in properties {
        assert!(required.contains(&&json!(name)), "{name} is not required");
        let kinds: Vec<&str> = match &property["type"] {
            Value::String(kind) => vec![kind],
            Value::Array(kinds) => kinds.iter().map(|kind| kind.as_str().unwrap()).collect(),
            other => panic!("{other} is no type"),
        };
        let known = ["string", "integer", "array", "null"];
        assert!(kinds.iter().all(|kind| known.contains(kind)), "{kinds:?}");
        if kinds.contains(&"array") {
            assert_eq!(property["items"]["type"], "string");
        }
    }
}

fn definition(format: ToolFormat, rendered: &Value, at: usize) -> &Value {
    match format {
        ToolFormat::OpenAiChat => &rendered[at]["function"],
        ToolFormat::Gemini => &rendered[0]["functionDeclarations"][at],
        _ => &rendered[at],
    }
}

#[test]
fn every_definition_has_the_shape_of_its_api() {
    for names in ToolNames::ALL {
        for list_names in [false, true] {
            let session = session(SessionOptions { names, list_names, ..Default::default() });
            for format in ToolFormat::ALL {
                check(format, &session.tools());
            }
        }
    }
}

fn check(format: ToolFormat, tools: &ToolSet) {
    let rendered = tools.render(format);
    for (at, tool) in tools.iter().enumerate() {
        let definition = definition(format, &rendered, at);
        assert_eq!(definition["name"], tool.name);
        assert!(is_name(&tool.name) && !tool.description.is_empty());
        let keys: Vec<&str> = definition.as_object().unwrap().keys().map(String::as_str).collect();
        match format {
            ToolFormat::OpenAiChat => {
                assert_eq!(rendered[at]["type"], "function");
                assert_eq!(keys, ["name", "description", "strict", "parameters"]);
                check_strict(&definition["parameters"]);
            }
            ToolFormat::OpenAiResponses => {
                assert_eq!(keys, ["type", "name", "description", "strict", "parameters"]);
                assert_eq!(
                    (&definition["type"], &definition["strict"]),
                    (&json!("function"), &json!(true))
                );
                check_strict(&definition["parameters"]);
            }
            ToolFormat::Anthropic => {
                assert_eq!(keys, ["name", "description", "input_schema"]);
                assert_eq!(definition["input_schema"], tool.schema());
            }
            ToolFormat::Gemini => {
                assert_eq!(keys, ["name", "description", "parametersJsonSchema"]);
                assert_eq!(definition["parametersJsonSchema"], tool.schema());
            }
            ToolFormat::Mcp => {
                assert_eq!(keys, ["name", "title", "description", "inputSchema", "annotations"]);
                assert_eq!(definition["inputSchema"]["type"], "object");
                assert!(
                    definition["annotations"].as_object().unwrap().values().all(Value::is_boolean)
                );
            }
            other => panic!("{other} has no check"),
        }
    }
}

#[test]
fn openai_chat_definitions_are_these() {
    let tools = plain().tools();
    let load: ToolSet = tools.get("load_skill").cloned().into_iter().collect();
    assert_eq!(
        load.to_openai_chat(),
        json!([{ "type": "function", "function": {
            "name": "load_skill",
            "description": "Load a skill's full instructions. Call it before you start a task that \
                            matches a skill's description, and follow what it says.",
            "strict": true,
            "parameters": {
                "type": "object",
                "properties": { "name": {
                    "type": "string", "description": "The skill's name, exactly as listed."
                } },
                "required": ["name"],
                "additionalProperties": false,
            },
        } }])
    );
    let hint = |tool: &str| {
        tools.to_mcp().as_array().unwrap().iter().find(|t| t["name"] == tool).unwrap()["annotations"]["readOnlyHint"].clone()
    };
    assert_eq!((hint("read_skill_file"), hint("load_skill")), (json!(true), json!(false)));
}

/// What each API sends when a model calls `load_skill` twice, and one tool of the host.
fn message(format: ToolFormat) -> Value {
    match format {
        ToolFormat::OpenAiChat => json!({
            "role": "assistant", "content": null, "tool_calls": [
                { "id": "call_1", "type": "function",
                  "function": { "name": "load_skill", "arguments": "{\"name\":\"csv\"}" } },
                { "id": "call_2", "type": "function",
                  "function": { "name": "weather", "arguments": "{}" } },
                { "id": "call_3", "type": "function",
                  "function": { "name": "load_skill", "arguments": "{\"name\":" } },
            ]
        }),
        ToolFormat::OpenAiResponses => json!([
            { "type": "reasoning", "id": "rs_1", "summary": [] },
            { "type": "function_call", "id": "fc_1", "call_id": "call_1", "name": "load_skill",
              "arguments": "{\"name\":\"csv\"}" },
            { "type": "function_call", "id": "fc_2", "call_id": "call_2", "name": "weather",
              "arguments": "{}" },
            { "type": "function_call", "id": "fc_3", "call_id": "call_3", "name": "load_skill",
              "arguments": "{\"name\":" },
        ]),
        ToolFormat::Anthropic => json!({ "role": "assistant", "content": [
            { "type": "text", "text": "I will load it." },
            { "type": "tool_use", "id": "call_1", "name": "load_skill", "input": { "name": "csv" } },
            { "type": "tool_use", "id": "call_2", "name": "weather", "input": {} },
            { "type": "server_tool_use", "id": "call_9", "name": "load_skill", "input": {} },
            { "type": "tool_use", "id": "call_3", "name": "load_skill", "input": [] },
        ] }),
        ToolFormat::Gemini => json!({ "role": "model", "parts": [
            { "text": "I will load it." },
            { "functionCall": { "id": "call_1", "name": "load_skill", "args": { "name": "csv" } } },
            { "functionCall": { "id": "call_2", "name": "weather", "args": {} } },
            { "functionCall": { "id": "call_3", "name": "load_skill", "args": [] } },
        ] }),
        _ => json!({ "jsonrpc": "2.0", "id": 7, "method": "tools/call",
            "params": { "name": "load_skill", "arguments": { "name": "csv" } } }),
    }
}

#[test]
fn calls_are_found_in_what_each_api_sends() {
    for format in ToolFormat::ALL {
        let calls = format.calls(&message(format));
        let names: Vec<_> = calls.iter().map(|call| call.name.as_str()).collect();
        if format == ToolFormat::Mcp {
            assert_eq!(names, ["load_skill"]);
            assert_eq!(calls[0].id.as_deref(), Some("7"));
            continue;
        }
        assert_eq!(names, ["load_skill", "weather", "load_skill"], "{format}");
        let ids: Vec<_> = calls.iter().map(|call| call.id.as_deref().unwrap()).collect();
        assert_eq!(ids, ["call_1", "call_2", "call_3"], "{format}");
    }
}

#[test]
fn whole_responses_single_parts_and_nonsense_are_read_too() {
    let chat = message(ToolFormat::OpenAiChat);
    let response = json!({ "choices": [{ "index": 0, "message": chat }] });
    assert_eq!(ToolFormat::OpenAiChat.calls(&response).len(), 3);
    let output = json!({ "object": "response", "output": message(ToolFormat::OpenAiResponses) });
    assert_eq!(ToolFormat::OpenAiResponses.calls(&output).len(), 3);
    assert_eq!(
        ToolFormat::OpenAiResponses.calls(&message(ToolFormat::OpenAiResponses)[1]).len(),
        1
    );
    let blocks = &message(ToolFormat::Anthropic)["content"];
    assert_eq!(ToolFormat::Anthropic.calls(blocks).len(), 3);
    assert_eq!(ToolFormat::Anthropic.calls(&blocks[1]).len(), 1);
    let content = message(ToolFormat::Gemini);
    let candidates = json!({ "candidates": [{ "content": content }] });
    assert_eq!(ToolFormat::Gemini.calls(&candidates).len(), 3);
    assert_eq!(ToolFormat::Gemini.calls(&content["parts"][1]).len(), 1);
    let params = message(ToolFormat::Mcp)["params"].clone();
    assert_eq!(ToolFormat::Mcp.calls(&params)[0].id, None);
    for format in ToolFormat::ALL {
        for nonsense in [
            json!(null),
            json!(1),
            json!("text"),
            json!([]),
            json!({}),
            json!([[1]]),
            json!({ "tool_calls": [{ "function": 1 }], "content": 1, "parts": "x", "output": {} }),
            json!({ "role": "assistant", "content": "Hello." }),
        ] {
            assert!(format.calls(&nonsense).is_empty(), "{format}: {nonsense}");
        }
    }
}

#[test]
fn replies_go_back_in_the_shape_of_each_api() {
    for format in ToolFormat::ALL {
        let session = plain();
        let replies = block_on(session.answer(format, &message(format)));
        let text = block_on(plain().activate("csv")).unwrap().text;
        let error = "the arguments of `load_skill` are no object: send one JSON object";
        let cut = "the arguments of `load_skill` are not JSON (EOF while parsing a value at line 1 \
                   column 8): send one JSON object";
        let expected = match format {
            ToolFormat::OpenAiChat => vec![
                json!({ "role": "tool", "tool_call_id": "call_1", "content": text }),
                json!({ "role": "tool", "tool_call_id": "call_3", "content": cut }),
            ],
            ToolFormat::OpenAiResponses => vec![
                json!({ "type": "function_call_output", "call_id": "call_1", "output": text }),
                json!({ "type": "function_call_output", "call_id": "call_3", "output": cut }),
            ],
            ToolFormat::Anthropic => vec![json!({ "role": "user", "content": [
                { "type": "tool_result", "tool_use_id": "call_1",
                  "content": [{ "type": "text", "text": text }], "is_error": false },
                { "type": "tool_result", "tool_use_id": "call_3",
                  "content": [{ "type": "text", "text": error }], "is_error": true },
            ] })],
            ToolFormat::Gemini => vec![json!({ "role": "user", "parts": [
                { "functionResponse": {
                    "id": "call_1", "name": "load_skill", "response": { "result": text } } },
                { "functionResponse": {
                    "id": "call_3", "name": "load_skill", "response": { "error": error } } },
            ] })],
            _ => vec![json!({
                "content": [{ "type": "text", "text": text }],
                "isError": false,
                "structuredContent": {
                    "name": "csv", "repeated": false, "tools": ["Read", "Write"],
                    "added_tools": ["Read", "Write"], "resources": [],
                },
            })],
        };
        assert_eq!(replies, expected, "{format}");
        assert!(block_on(session.answer(format, &json!({}))).is_empty());
    }
}

#[test]
fn formats_are_called_by_name() {
    for format in ToolFormat::ALL {
        assert_eq!(format.to_string().parse::<ToolFormat>().unwrap(), format);
    }
    let error = "openai".parse::<ToolFormat>().unwrap_err();
    assert_eq!(error.to_string(), "there is no tool format `openai`");
    assert_eq!(Tool::new("x", "").schema()["required"], json!([]));
}

/// Any JSON, with the keys that calls are made of more often than not.
fn any_json() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        any::<i64>().prop_map(Value::from),
        "[a-z_]{0,8}".prop_map(Value::from),
        prop_oneof![Just("tool_use"), Just("function_call"), Just("load_skill")]
            .prop_map(Value::from),
    ];
    let key = prop_oneof![
        Just("type"),
        Just("name"),
        Just("input"),
        Just("content"),
        Just("tool_calls"),
        Just("id"),
        Just("function"),
        Just("arguments"),
        Just("output"),
        Just("parts"),
        Just("functionCall"),
        Just("args"),
        Just("params"),
        Just("choices"),
        Just("message"),
        Just("candidates"),
    ];
    leaf.prop_recursive(5, 40, 5, move |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..5).prop_map(Value::from),
            prop::collection::vec((key.clone(), inner), 0..5).prop_map(|entries| {
                entries.into_iter().map(|(key, value)| (key.to_owned(), value)).collect()
            }),
        ]
    })
}

proptest! {
    #[test]
    fn any_message_is_read_and_every_call_is_answered_in_its_shape(message in any_json()) {
        for format in ToolFormat::ALL {
            let calls = format.calls(&message);
            let replies: Vec<_> = calls
                .into_iter()
                .map(|call| {
                    assert!(message.to_string().contains(&call.name));
                    (call, ToolReply::ok("done"))
                })
                .collect();
            let messages = format.messages(&replies);
            prop_assert_eq!(messages.is_empty(), replies.is_empty());
            let said = Value::from(messages).to_string().matches("\"done\"").count();
            prop_assert_eq!(said, replies.len());
        }
    }
}
