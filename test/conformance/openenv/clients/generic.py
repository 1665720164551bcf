"""Plays tasks with OpenEnv's GenericEnvClient: argv[1] is the address, stdin the tasks, stdout what came of them."""

import asyncio
import json
import sys

from openenv.core import GenericEnvClient


async def play(url, task):
    async with GenericEnvClient(base_url=url) as env:
        reset = await env.reset(task_id=task["id"], seed=3, episode_id="ep-1")
        listed = await env.step({"type": "list_tools"})
        errors = []
        for call in task["calls"]:
            step = await env.step({"type": "call_tool", "tool_name": call["tool"], "arguments": call["arguments"]})
            errors.append(step.observation["error"])
        refused = await env.step({"type": "call_tool", "tool_name": "verify", "arguments": {}})
        verdict = await env.step({"type": "verify", "answer": task["answer"]})
        state = await env.state()
        return {
            "instruction": reset.observation["task"],
            "tools": len(listed.observation["tools"]),
            "errors": errors,
            "verify_as_tool": refused.observation["error"]["error_type"],
            "untouched": reset.reward,
            "reward": verdict.reward,
            "done": verdict.done,
            "state": state,
        }


def play_synchronously(url, task):
    with GenericEnvClient(base_url=url).sync() as env:
        env.reset(task_id=task["id"])
        verdict = env.step({"type": "verify"})
        return {"reward": verdict.reward, "done": verdict.done}


async def play_all(url, tasks):
    return await asyncio.gather(*(play(url, task) for task in tasks))


if __name__ == "__main__":
    url, tasks = sys.argv[1], json.load(sys.stdin)
    played = asyncio.run(play_all(url, tasks))
    json.dump({"played": played, "synchronous": play_synchronously(url, tasks[0])}, sys.stdout)
