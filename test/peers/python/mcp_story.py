"""What the clients of Model Context Protocol have in common."""
import json
import os

from told import tell

URL = os.environ["MCP_URL"]
ISSUER = os.environ["ISSUER"]
REDIRECT_URI = os.environ["REDIRECT_URI"]
CLIENT_NAME = os.environ["CLIENT_NAME"]
# A client with an id is registered. A client with the address of a document describes itself there. Any other client
# registers at the service.
CLIENT_ID = os.environ.get("CLIENT_ID")
CLIENT_METADATA_URL = os.environ.get("CLIENT_METADATA_URL")
CALLS = [(call["name"], call["arguments"]) for call in json.loads(os.environ["CALLS"])]


def tell_tools(tools):
    tell("tools", [tool.name for tool in tools])


def tell_contents(results):
    contents = [[block.model_dump(mode="json", exclude_none=True) for block in result.content] for result in results]
    tell("contents", contents)
