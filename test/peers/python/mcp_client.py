"""The official SDK for Python as a client of the MCP server that the environment names."""
import asyncio
from urllib.parse import parse_qs, urlsplit

import httpx2
from mcp import Client
from mcp.client.auth import OAuthClientProvider
from mcp.client.streamable_http import streamable_http_client
from mcp.shared.auth import AuthorizationCodeResult, OAuthClientInformationFull, OAuthClientMetadata
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

METADATA = {
    "client_name": CLIENT_NAME,
    "redirect_uris": [REDIRECT_URI],
    "grant_types": ["authorization_code", "refresh_token"],
    "token_endpoint_auth_method": "none",
}


class Storage:
    """Keeps tokens and the registration in memory."""

    tokens = None
    client = CLIENT_ID and OAuthClientInformationFull(client_id=CLIENT_ID, issuer=ISSUER, **METADATA)

    async def get_tokens(self):
        return self.tokens

    async def set_tokens(self, tokens):
        self.tokens = tokens

    async def get_client_info(self):
        return self.client

    async def set_client_info(self, client):
        self.client = client


class Browser:
    """Goes to the page of the service, and comes back with its answer."""

    answer = None

    async def go(self, url):
        self.answer = parse_qs(urlsplit(visit(url)).query)

    async def come_back(self):
        first = {name: values[0] for name, values in self.answer.items()}
        return AuthorizationCodeResult(code=first["code"], state=first["state"], iss=first["iss"])


async def main():
    browser = Browser()
    provider = OAuthClientProvider(
        server_url=URL,
        client_metadata=OAuthClientMetadata(**METADATA),
        storage=Storage(),
        redirect_handler=browser.go,
        callback_handler=browser.come_back,
        client_metadata_url=CLIENT_METADATA_URL,
    )
    async with httpx2.AsyncClient(auth=provider, timeout=20) as http:
        async with Client(streamable_http_client(URL, http_client=http), mode="auto") as client:
            tell("revision", client.protocol_version)
            tell_tools((await client.list_tools()).tools)
            tell_contents([await client.call_tool(*call) for call in CALLS])


asyncio.run(main())
