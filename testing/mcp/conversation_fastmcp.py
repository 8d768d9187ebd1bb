"""Holds a whole conversation with the server through the client of FastMCP.

python conversation_fastmcp.py FOLDER METIER|URL
"""

import asyncio
import hashlib
import sys

from fastmcp import Client
from fastmcp.client.transports import StdioTransport
from fastmcp.skills import SkillsClientExtension


async def main(folder: str, target: str) -> None:
    server = target
    if not target.startswith("http"):
        server = StdioTransport(command=target, args=["serve", "--root", folder])
    async with Client(server, extensions=[SkillsClientExtension()]) as client:
        tools = [tool.name for tool in await client.list_tools()]
        assert tools == ["search_skills", "load_skill", "unload_skill", "read_skill_file"], tools
        loaded = await client.call_tool("load_skill", {"name": "csv-inspector"})
        assert "CSV inspector" in loaded.content[0].text
        skills = await client.list_skills()
        assert len(skills) == 9, skills
        for skill in skills:
            for resource in skill.resources:
                content = (await client.read_resource(str(resource.uri)))[0]
                data = content.text.encode()
                assert len(data) == resource.size, resource
                assert "sha256:" + hashlib.sha256(data).hexdigest() == resource.digest, resource
        one = await client.get_skill("skill://csv-inspector/SKILL.md")
        assert one.frontmatter.name == "csv-inspector", one
        prompts = await client.list_prompts()
        assert any(prompt.name == "changelog-writer" for prompt in prompts)


asyncio.run(main(*sys.argv[1:]))
