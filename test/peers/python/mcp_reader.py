"""Reads messages as a server in Python does: json.loads, and then by key.

Each line of the input is a body in Base64, and each line of the output is what was found in it.
"""

import base64
import json
import sys

MEMBERS = {
    "tools/call": "name",
    "prompts/get": "name",
    "resources/read": "uri",
    "resources/subscribe": "uri",
    "resources/unsubscribe": "uri",
    "tasks/get": "taskId",
    "tasks/result": "taskId",
    "tasks/update": "taskId",
    "tasks/cancel": "taskId",
}


def named(method, params):
    if method in MEMBERS:
        return [params[MEMBERS[method]]]
    if method == "completion/complete":
        ref = params["ref"]
        return [ref["uri"] if ref["type"] == "ref/resource" else ref["name"]]
    if method == "subscriptions/listen":
        return (params.get("notifications") or {}).get("resourceSubscriptions") or []
    return []


def read(body):
    message = json.loads(body)
    method = message.get("method", "")
    params = message.get("params") or {}
    version = (params.get("_meta") or {}).get("io.modelcontextprotocol/protocolVersion", "")
    names = named(method, params)
    if not all(isinstance(text, str) for text in [method, version, *names]):
        raise TypeError("not text")
    return {"method": method, "names": names, "version": version}


def main():
    for line in sys.stdin.buffer:
        if line == b"\n":
            sys.stdout.flush()
            continue
        try:
            found = read(base64.b64decode(line))
        except Exception as error:
            found = {"fault": repr(error)[:200]}
        sys.stdout.write(json.dumps(found) + "\n")


main()
