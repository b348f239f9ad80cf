"""Authlib as a client of the authorization service that the environment names.

Whoever started it plays the browser: a line {"visit": URL, "decision": WORD} on the output is answered by one line on
the input, the address at which the browser came back. Every other line is {"told": NAME, "value": WHAT}.
"""
import json
import os
import sys
from urllib.parse import parse_qs, urlsplit

import requests
from authlib.common.errors import AuthlibBaseError
from authlib.common.security import generate_token
from authlib.integrations.requests_client import OAuth2Session
from authlib.oauth2.rfc8414 import AuthorizationServerMetadata, get_well_known_url

ISSUER = os.environ["ISSUER"]
CLIENT_ID = os.environ["CLIENT_ID"]
SECRET = os.environ.get("CLIENT_SECRET")
REDIRECT_URI = os.environ["REDIRECT_URI"]
SCOPE = os.environ["SCOPE"]
TIMEOUT = 20


def say(line):
    print(json.dumps(line), flush=True)


def tell(name, value):
    say({"told": name, "value": value})


def visit(url, decision="allow"):
    say({"visit": url, "decision": decision})
    return sys.stdin.readline().strip()


def discover():
    url = get_well_known_url(ISSUER, external=True, suffix="oauth-authorization-server")
    response = requests.get(url, timeout=TIMEOUT)
    response.raise_for_status()
    metadata = AuthorizationServerMetadata(response.json())
    metadata.validate()
    if metadata["issuer"] != ISSUER:
        raise ValueError("the metadata is of another issuer (RFC 8414, section 3.3)")
    return metadata


def session(metadata, secret=SECRET):
    return OAuth2Session(
        CLIENT_ID,
        secret,
        scope=SCOPE,
        redirect_uri=REDIRECT_URI,
        code_challenge_method="S256",
        token_endpoint=metadata["token_endpoint"],
        default_timeout=TIMEOUT,
    )


def ask(metadata, decision="allow"):
    """One authorization request and its answer; Authlib leaves `iss` (RFC 9207) to its user."""
    client, verifier = session(metadata), generate_token(48)
    url, state = client.create_authorization_url(metadata["authorization_endpoint"], code_verifier=verifier)
    back = visit(url, decision)
    if parse_qs(urlsplit(back).query)["iss"] != [ISSUER]:
        raise ValueError("an answer of another issuer")
    return client, {"authorization_response": back, "state": state, "code_verifier": verifier}


def granted(token):
    return {"token_type": token["token_type"], "scope": token["scope"], "fresh": not token.is_expired(leeway=0)}


def refusal(act, *arguments, **named):
    try:
        act(*arguments, **named)
    except AuthlibBaseError as error:
        return error.error
    return None


def user_grant(metadata):
    client, answer = ask(metadata)
    first = client.fetch_token(**answer)
    tell("code", granted(first))
    tell("code twice", refusal(client.fetch_token, **answer))

    client, answer = ask(metadata)
    first = dict(client.fetch_token(**answer))
    second = dict(client.refresh_token())
    tell("rotated", second["refresh_token"] != first["refresh_token"])
    if SECRET is not None:
        introspect(metadata, client, second)
    revoked = client.revoke_token(metadata["revocation_endpoint"], second["refresh_token"], "refresh_token")
    tell("revoked", revoked.status_code)
    tell("refresh after revocation", refusal(client.refresh_token, refresh_token=second["refresh_token"]))


def introspect(metadata, client, token):
    def about(text):
        return client.introspect_token(metadata["introspection_endpoint"], text).json()

    tell("introspected", about(token["access_token"]))
    client.revoke_token(metadata["revocation_endpoint"], token["access_token"], "access_token")
    tell("introspected after revocation", about(token["access_token"]))


def refusals(metadata):
    client, answer = ask(metadata, "deny")
    tell("denied", parse_qs(urlsplit(answer["authorization_response"]).query)["error"][0])
    client, answer = ask(metadata)
    tell("wrong verifier", refusal(client.fetch_token, **{**answer, "code_verifier": generate_token(48)}))
    tell("other state", refusal(client.fetch_token, **{**answer, "state": generate_token()}))


def client_credentials(metadata):
    token = session(metadata).fetch_token(grant_type="client_credentials")
    tell("client credentials", granted(token))
    stranger = session(metadata, "wrong")
    tell("wrong secret", refusal(stranger.fetch_token, grant_type="client_credentials"))


def main():
    metadata = discover()
    tell("discovered", metadata["issuer"])
    refusals(metadata)
    user_grant(metadata)
    if SECRET is not None:
        client_credentials(metadata)


main()
