"""What the clients of Model Context Protocol have in common.

The program that starts a client plays the browser. A line {"visit": URL} on the output is answered by one line on the
input, the address at which the browser came back. Every other line is {"told": NAME, "value": WHAT}.
"""
import json
import os
import sys

URL = os.environ["MCP_URL"]
ISSUER = os.environ["ISSUER"]
REDIRECT_URI = os.environ["REDIRECT_URI"]
CLIENT_NAME = os.environ["CLIENT_NAME"]
# A client with an id is registered. A client with the address of a document describes itself there. Any other client
# registers at the service.
CLIENT_ID = os.environ.get("CLIENT_ID")
CLIENT_METADATA_URL = os.environ.get("CLIENT_METADATA_URL")
TOOL = os.environ["TOOL"]
ARGUMENTS = json.loads(os.environ["ARGUMENTS"])


def say(line):
    print(json.dumps(line), flush=True)


def tell(name, value):
    say({"told": name, "value": value})


def visit(url):
    say({"visit": url})
    return sys.stdin.readline().strip()


def tell_tools(tools):
    tell("tools", [tool.name for tool in tools])


def tell_content(content):
    tell("content", [block.model_dump(mode="json", exclude_none=True) for block in content])
