"""FastMCP as a client of the MCP server that the environment names."""
import asyncio
import threading
import time
import webbrowser
from urllib.error import URLError
from urllib.parse import urlsplit
from urllib.request import urlopen

from fastmcp import Client
from fastmcp.client.auth import OAuth
from mcp_story import (
    CALLS,
    CLIENT_ID,
    CLIENT_METADATA_URL,
    CLIENT_NAME,
    ISSUER,
    REDIRECT_URI,
    URL,
    tell_contents,
    tell_tools,
)
from told import tell, visit


class Browser(webbrowser.BaseBrowser):
    """FastMCP opens it, and listens for the answer after that."""

    def open(self, url, new=0, autoraise=True):
        threading.Thread(target=self.come_back, args=[visit(url)], daemon=True).start()
        return True

    def come_back(self, answer):
        while True:
            try:
                return urlopen(answer, timeout=20).read()
            except URLError as error:
                if not isinstance(error.reason, ConnectionRefusedError):
                    raise
                time.sleep(0.02)


def login():
    address = urlsplit(REDIRECT_URI)
    identity = {"client_id": CLIENT_ID, "issuer": ISSUER} if CLIENT_ID else {"client_metadata_url": CLIENT_METADATA_URL}
    return OAuth(
        client_name=CLIENT_NAME,
        callback_host=address.hostname,
        callback_port=address.port,
        **identity,
    )


async def main():
    webbrowser.register("test", None, Browser(), preferred=True)
    async with Client(URL, auth=login()) as client:
        tell("revision", client.protocol_version)
        tell_tools(await client.list_tools())
        tell_contents([await client.call_tool(*call) for call in CALLS])


asyncio.run(main())
