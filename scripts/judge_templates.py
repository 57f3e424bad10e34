#!/usr/bin/env python3
"""Compares rlx-chat with transformers: every chat template in llama.cpp's sources, rendered for a set of conversations.

    scripts/judge_templates.py SDIST [--only NAME] [--show N]

SDIST is the unpacked source of llama-cpp-python. Both sides get the same messages, in the forms that rlx-chat detects for the template. A
template that refuses a conversation must do so on both sides. If it fails only because of Python (a list where it expects a text), rlx-chat
may render it.
"""

import argparse
import copy
import datetime
import json
import pathlib
import subprocess
import sys
import tempfile

from transformers.utils import chat_template_utils

ROOT = pathlib.Path(__file__).resolve().parent.parent
NAMES = {"bos_token": "<s>", "eos_token": "</s>", "unk_token": "<unk>", "pad_token": "<pad>"}
WEATHER = {
    "type": "function",
    "function": {
        "name": "get_weather",
        "description": "Weather of a place, in °C & <html>.",
        "parameters": {
            "type": "object",
            "properties": {
                "location": {"type": "string", "description": 'A city, as "Zürich"'},
                "days": {"type": "integer", "minimum": 1, "default": 3},
                "unit": {"type": "string", "enum": ["celsius", "fahrenheit"]},
            },
            "required": ["location"],
        },
    },
}
NOTHING = {"type": "function", "function": {"name": "now", "description": "", "parameters": {"type": "object", "properties": {}}}}


def user(text):
    return {"role": "user", "content": text}


def assistant(text, **more):
    return {"role": "assistant", "content": text, **more}


def call(name, **arguments):
    return {"id": "call00001", "type": "function", "function": {"name": name, "arguments": arguments}}


def conversations():
    system = {"role": "system", "content": "You are a helpful assistant.\n\nAnswer in prose."}
    calls = [call("get_weather", location="Zürich", days=2, unit="celsius")]
    result = {"role": "tool", "name": "get_weather", "tool_call_id": "call00001", "content": '{"temperature": 21.5}'}
    asked = [user("How is the weather?"), assistant("", tool_calls=calls), result]
    generate = {"add_generation_prompt": True}
    yield {"messages": [user("Hello <b>&amp;</b> 'you' \"too\" 😀")], **generate}
    yield {"messages": [user("Hello")]}
    yield {"messages": [system, user("  spaces around \n"), assistant(" Hi. \n\n"), user("\n\nBye")], **generate}
    yield {"messages": [system, user("Hi"), assistant("Hello")]}
    yield {"messages": [user("a"), assistant("b"), user("c"), assistant("d"), user("e")], **generate}
    yield {"messages": [user("Weather?")], "tools": [WEATHER, NOTHING], **generate}
    yield {"messages": [system, user("Weather?")], "tools": [WEATHER], **generate}
    yield {"messages": asked, "tools": [WEATHER], **generate}
    yield {"messages": [*asked, assistant("It is warm."), user("And tomorrow?")], "tools": [WEATHER, NOTHING], **generate}
    yield {"messages": [system, *asked[:2]], "tools": [WEATHER]}
    yield {"messages": [user("Hi"), assistant("Hello", reasoning_content="They greet me."), user("Bye")], **generate}
    yield {"messages": [user("Hi"), assistant("<think>\nHm.\n</think>\n\nHello"), user("Bye")], **generate}
    yield {"messages": [user("Hi")], "variables": {"enable_thinking": False}, **generate}
    yield {"messages": [user("Hi")], "variables": {"enable_thinking": True, "reasoning_effort": "high"}, **generate}
    yield {"messages": [user("Write a poem"), assistant("Roses are")], "continue_final_message": True}
    yield {"messages": [user("a"), user("b")], **generate}
    yield {"messages": [assistant("first"), user("b")], **generate}
    yield {"messages": [user([{"type": "text", "text": "in parts"}])], **generate}
    parallel = [call("get_weather", location="Bern"), call("now")]
    parallel[1]["id"] = "call00002"
    results = [result, {**result, "name": "now", "tool_call_id": "call00002", "content": "noon"}]
    yield {"messages": [user("Both"), assistant("I look.", tool_calls=parallel), *results], "tools": [WEATHER, NOTHING], **generate}
    nested = call("get_weather", location={"lat": 47.0, "names": ["a", None, True]}, days=1e20)
    yield {"messages": [user("x"), assistant("", tool_calls=[nested]), result], "tools": [WEATHER], **generate}


def joined(conversation):
    """The conversation with multi-part texts joined to one text."""
    conversation = copy.deepcopy(conversation)
    for message in conversation["messages"]:
        if isinstance(message.get("content"), list):
            message["content"] = "\n".join(part["text"] for part in message["content"])
    return conversation


def written(conversation):
    """The conversation with the arguments of calls as JSON texts."""
    conversation = copy.deepcopy(conversation)
    for message in conversation["messages"]:
        for made in message.get("tool_calls", []):
            made["function"]["arguments"] = json.dumps(made["function"]["arguments"], ensure_ascii=False)
    return conversation


def theirs(source, conversation):
    conversation = copy.deepcopy(conversation)
    conversation.update(conversation.pop("variables", {}), **NAMES)
    # transformers makes these changes to messages before a template sees them.
    messages = chat_template_utils._normalize_chat_messages(conversation.pop("messages"))
    try:
        return chat_template_utils.render_jinja_template([messages], chat_template=source, **conversation)[0][0]
    except Exception as error:  # Templates and the library raise whatever they like.
        return {"error": f"{type(error).__name__}: {error}"}


class Then(datetime.datetime):
    @classmethod
    def now(cls, tz=None):
        return datetime.datetime(2024, 2, 29, 13, 12, 25)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("sdist", type=pathlib.Path)
    parser.add_argument("--only", default="")
    parser.add_argument("--show", type=int, default=1)
    args = parser.parse_args()
    chat_template_utils.datetime = Then
    subprocess.run(["cargo", "build", "-q", "-p", "rlx-chat", "--example", "render_conversations"], cwd=ROOT, check=True)
    given = list(conversations())
    same = refused = stumbles = different = 0
    with tempfile.TemporaryDirectory() as name:
        file = pathlib.Path(name) / "conversations.json"
        file.write_text(json.dumps(given))
        for path in sorted((args.sdist / "vendor/llama.cpp/models/templates").glob("*.jinja")):
            if args.only not in path.name:
                continue
            command = [str(ROOT / "target/debug/examples/render_conversations"), str(path), str(file)]
            lines = subprocess.run(command, capture_output=True, text=True, check=True).stdout.split("\n")
            shown = 0
            for i, (conversation, line) in enumerate(zip(given, lines)):
                mine, other = json.loads(line), theirs(path.read_text(), conversation)
                forms = [theirs(path.read_text(), form(conversation)) for form in (joined, written)]
                if isinstance(mine, dict) and isinstance(other, dict):
                    refused += 1
                elif mine == other or mine in forms:
                    same += 1
                elif isinstance(other, dict) and other["error"].startswith(("TypeError", "UndefinedError")):
                    stumbles += 1
                else:
                    different += 1
                    if shown < args.show:
                        at = next((k for k, (a, b) in enumerate(zip(mine, other)) if a != b), min(len(mine), len(other)))
                        where = 0 if isinstance(mine, dict) or isinstance(other, dict) else max(0, at - 60)
                        cut = lambda out: out if isinstance(out, dict) else out[where : at + 80]
                        print(f"{path.name}, conversation {i}:\n  ours   {cut(mine)!r}\n  theirs {cut(other)!r}")
                    shown += 1
            if shown:
                print(f"{path.name}: {shown} differ")
    print(f"{same} prompts are the same, {refused} are refused by both, {stumbles} are rendered by rlx-chat alone, {different} differ")
    sys.exit(different > 0)


if __name__ == "__main__":
    main()
