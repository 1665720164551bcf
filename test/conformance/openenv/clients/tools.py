"""Plays one task with OpenEnv's MCPToolClient, by steps over the WebSocket and by JSON-RPC over HTTP."""

import asyncio
import json
import sys

from openenv.core.client_types import StepResult
from openenv.core.mcp_client import MCPToolClient


async def failure(env, name, arguments):
    try:
        await env.call_tool(name, **arguments)
    except RuntimeError as error:
        return str(error)
    return None


async def play(url, task, by_http):
    env = MCPToolClient(base_url=url)
    env.use_production_mode = by_http
    async with env:
        reset = await env.reset(task_id=task["id"])
        tools = await env.list_tools()
        results = [await env.call_tool(call["tool"], **call["arguments"]) for call in task["calls"]]
        return {
            "tools": [tool.name for tool in tools],
            "results": results,
            "metadata": reset.observation.metadata,
            "unknown": await failure(env, "nope", {}),
            "verify_as_tool": await failure(env, "verify", {}),
            "step": isinstance(reset, StepResult),
        }


async def main():
    url, task = sys.argv[1], json.load(sys.stdin)
    return {"steps": await play(url, task, False), "http": await play(url, task, True)}


if __name__ == "__main__":
    json.dump(asyncio.run(main()), sys.stdout)
