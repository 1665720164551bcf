"""Plays tasks with the Agent World Model environment's own client, which refuses observations with unknown keys."""

import asyncio
import json
import sys

from agent_world_model_env.client import AWMEnv
from openenv.core.env_server.mcp_types import CallToolAction


async def play(url, task):
    env = AWMEnv(base_url=url)
    env.use_production_mode = False
    async with env:
        async def call(tool, arguments={}):
            return await env.step(CallToolAction(tool_name=tool, arguments=arguments))

        reset = await env.reset(scenario=task["scenario"], task_idx=task["index"])
        tools = await env.list_tools()
        steps = [await call(gold["tool"], gold["arguments"]) for gold in task["calls"]]
        unknown = await call("nope")
        verdict = await call("verify", {"verifier_mode": "code", "final_answer": task["answer"]})
        scenarios = await call("__list_scenarios__")
        done = await call("done")
        over = await call("verify")
        return {
            "reset": reset.observation.reward_type,
            "instruction": reset.observation.task,
            "tools": len(tools),
            "steps": [step.observation.reward_type for step in steps],
            "unknown": [unknown.observation.reward_type, unknown.reward],
            "verdict": [verdict.observation.reward_type, verdict.reward, verdict.done],
            "scenarios": scenarios.observation.total,
            "done": [done.observation.reward_type, done.reward, done.done],
            "over": [over.observation.reward_type, over.done],
        }


async def main():
    url, tasks = sys.argv[1], json.load(sys.stdin)
    return await asyncio.gather(*(play(url, task) for task in tasks))


if __name__ == "__main__":
    json.dump(asyncio.run(main()), sys.stdout)
