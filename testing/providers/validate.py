#!/usr/bin/env python3
"""Holds what metier writes for model APIs against the types of their own SDKs.

    validate.py create DIR    makes a virtual environment with the SDKs of requirements.txt
    validate.py calls         prints, for each format, a model's message as its SDK writes it
    validate.py check         reads {format: {"tools": [..], "replies": [..]}} from stdin and
                              checks each against the types; prints what was checked

The last two run inside the environment. Keys that an SDK does not know are errors.
"""

import json
import pathlib
import subprocess
import sys
import venv


def create(directory):
    here = pathlib.Path(__file__).resolve().parent
    venv.create(directory, with_pip=True)
    pip = pathlib.Path(directory, "bin", "python")
    command = [pip, "-m", "pip", "install", "--quiet", "-r", here / "requirements.txt"]
    subprocess.run([str(part) for part in command], check=True)


# Inside the environment.


def forbid_unknown_keys(kind, seen):
    """Makes every typed dictionary that can be reached refuse keys it does not name."""
    from typing_extensions import get_args, get_type_hints, is_typeddict
    from pydantic import ConfigDict

    if id(kind) in seen:
        return
    seen.add(id(kind))
    for argument in get_args(kind):
        forbid_unknown_keys(argument, seen)
    if is_typeddict(kind):
        kind.__pydantic_config__ = ConfigDict(extra="forbid", arbitrary_types_allowed=True)
        for hint in get_type_hints(kind, include_extras=True).values():
            forbid_unknown_keys(hint, seen)


def exhaust(value):
    """Reads iterables to their end: pydantic looks at their items only then."""
    if isinstance(value, dict):
        return {key: exhaust(item) for key, item in value.items()}
    if isinstance(value, (str, bytes, int, float, bool, type(None))):
        return value
    return [exhaust(item) for item in value]


def typed(kind, value):
    from pydantic import TypeAdapter

    forbid_unknown_keys(kind, set())
    # The adapter must outlive the iterables that it hands out.
    adapter = TypeAdapter(kind)
    exhaust(adapter.validate_python(value))


def check_schema(schema):
    from jsonschema import Draft202012Validator

    Draft202012Validator.check_schema(schema)


def check_openai_chat(tools, replies):
    from openai.types.chat import ChatCompletionFunctionToolParam, ChatCompletionToolMessageParam

    for tool in tools:
        typed(ChatCompletionFunctionToolParam, tool)
        check_schema(tool["function"]["parameters"])
    for reply in replies:
        typed(ChatCompletionToolMessageParam, reply)


def check_openai_responses(tools, replies):
    from openai.types.responses import FunctionToolParam
    from openai.types.responses.response_input_item_param import FunctionCallOutput

    for tool in tools:
        typed(FunctionToolParam, tool)
        check_schema(tool["parameters"])
    for reply in replies:
        typed(FunctionCallOutput, reply)


def check_anthropic(tools, replies):
    from anthropic.types import MessageParam, ToolParam, ToolResultBlockParam

    for tool in tools:
        typed(ToolParam, tool)
        check_schema(tool["input_schema"])
    for reply in replies:
        typed(MessageParam, reply)
        for block in reply["content"]:
            typed(ToolResultBlockParam, block)


def check_gemini(tools, replies):
    from google.genai import types

    for tool in tools:
        # The SDK's models refuse keys that they do not know.
        declarations = types.Tool.model_validate(tool).function_declarations
        for declaration in declarations:
            check_schema(declaration.parameters_json_schema)
    for reply in replies:
        content = types.Content.model_validate(reply)
        for part in content.parts:
            assert part.function_response.response is not None, reply


def check_mcp(tools, replies):
    from mcp.types import CallToolResult, Tool

    for tool in tools:
        known = Tool.model_validate(tool)
        assert not known.model_extra, known.model_extra
        annotations = known.annotations
        assert not annotations.model_extra, annotations.model_extra
        check_schema(tool["inputSchema"])
    for reply in replies:
        result = CallToolResult.model_validate(reply)
        assert not result.model_extra, result.model_extra
        assert [block.type for block in result.content] == ["text"], reply


CHECKS = {
    "openai-chat": check_openai_chat,
    "openai-responses": check_openai_responses,
    "anthropic": check_anthropic,
    "gemini": check_gemini,
    "mcp": check_mcp,
}


def check():
    written = json.load(sys.stdin)
    assert sorted(written) == sorted(CHECKS), sorted(written)
    for name, values in written.items():
        CHECKS[name](values["tools"], values["replies"])
        print(f"{name}: {len(values['tools'])} tools, {len(values['replies'])} replies")


def calls():
    from anthropic.types import Message
    from google.genai import types
    from mcp.types import CallToolRequest
    from openai.types.chat import ChatCompletionMessage
    from openai.types.responses import ResponseFunctionToolCall

    good, bad = {"name": "pdf"}, {"name": "pfd"}
    function = lambda given: {"name": "load_skill", "arguments": json.dumps(given)}
    chat = ChatCompletionMessage(
        role="assistant",
        content=None,
        tool_calls=[
            {"id": "call_1", "type": "function", "function": function(good)},
            {"id": "call_2", "type": "function", "function": function(bad)},
        ],
    )
    items = [
        ResponseFunctionToolCall(type="function_call", call_id=f"call_{n}", **function(given))
        for n, given in [(1, good), (2, bad)]
    ]
    block = lambda n, given: {"type": "tool_use", "id": f"call_{n}", "name": "load_skill", "input": given}
    message = Message(
        id="msg_1",
        type="message",
        role="assistant",
        model="scripted",
        content=[{"type": "text", "text": "I will load it."}, block(1, good), block(2, bad)],
        stop_reason="tool_use",
        stop_sequence=None,
        usage={"input_tokens": 1, "output_tokens": 1},
    )
    part = lambda n, given: {"function_call": {"id": f"call_{n}", "name": "load_skill", "args": given}}
    content = types.Content.model_validate({"role": "model", "parts": [part(1, good), part(2, bad)]})
    request = CallToolRequest.model_validate(
        {"method": "tools/call", "params": {"name": "load_skill", "arguments": good}}
    )
    print(
        json.dumps(
            {
                "openai-chat": chat.model_dump(mode="json"),
                "openai-responses": [item.model_dump(mode="json") for item in items],
                "anthropic": message.model_dump(mode="json"),
                "gemini": content.model_dump(mode="json", by_alias=True, exclude_none=True),
                "mcp": request.model_dump(mode="json", by_alias=True),
            }
        )
    )


if __name__ == "__main__":
    match sys.argv[1:]:
        case ["create", directory]:
            create(directory)
        case ["calls"]:
            calls()
        case ["check"]:
            check()
        case _:
            sys.exit(__doc__)
