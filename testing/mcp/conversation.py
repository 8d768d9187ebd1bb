"""Holds a whole conversation with the server through the Python SDK.

python conversation.py auto|legacy FOLDER METIER|URL

FOLDER is a copy of examples/skills, which is changed to see that the change is told.
"""

import asyncio
import sys

from mcp import Client, StdioServerParameters


async def main(mode: str, folder: str, target: str) -> None:
    server = target
    if not target.startswith("http"):
        server = StdioServerParameters(command=target, args=["serve", "--root", folder])
    told = asyncio.Event()

    async def on_message(message: object) -> None:
        if "ResourceListChanged" in type(message).__name__ or "resources/list_changed" in str(message):
            told.set()

    async with Client(server, mode=mode, message_handler=on_message, read_timeout_seconds=30) as client:
        modern = client.protocol_version == "2026-07-28"
        assert modern == (mode == "auto"), client.protocol_version
        assert "<name>csv-inspector</name>" in client.instructions
        tools = (await client.list_tools()).tools
        names = [tool.name for tool in tools]
        assert names == ["search_skills", "load_skill", "unload_skill", "read_skill_file"], names
        found = await client.call_tool("search_skills", {"query": "profile a table of numbers"})
        assert "csv-inspector" in found.content[0].text
        loaded = await client.call_tool("load_skill", {"name": "csv-inspector"})
        assert not loaded.is_error and "CSV inspector" in loaded.content[0].text
        read = await client.call_tool("read_skill_file", {"skill": "csv-inspector", "path": "references/pitfalls.md"})
        assert not read.is_error, read
        missing = await client.call_tool("load_skill", {"name": "nope"})
        assert missing.is_error
        resources = (await client.list_resources()).resources
        assert any(str(one.uri) == "skill://csv-inspector/SKILL.md" for one in resources)
        text = (await client.read_resource("skill://csv-inspector/SKILL.md")).contents[0].text
        assert text.startswith("---\n")
        try:
            await client.read_resource("skill://nope/SKILL.md")
        except Exception as error:
            assert "nope" in str(error), error
        else:
            raise AssertionError("a skill that is not there was read")
        prompts = (await client.list_prompts()).prompts
        assert any(prompt.name == "changelog-writer" for prompt in prompts)
        prompt = await client.get_prompt("changelog-writer", {"arguments": "v1.2.3"})
        assert "v1.2.3" in prompt.messages[0].content.text

        path = f"{folder}/csv-inspector/references/pitfalls.md"
        if modern:
            async with client.listen(resources_list_changed=True) as subscription:
                with open(path, "a", encoding="utf-8") as file:
                    file.write("\nTold to Python.\n")
                async with asyncio.timeout(20):
                    async for _ in subscription:
                        break
        else:
            with open(path, "a", encoding="utf-8") as file:
                file.write("\nTold to Python.\n")
            async with asyncio.timeout(20):
                await told.wait()


asyncio.run(main(*sys.argv[1:]))
