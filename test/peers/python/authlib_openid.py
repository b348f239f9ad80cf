"""Authlib as a relying party of the OpenID Provider that the environment names."""
import os
from urllib.parse import parse_qsl, urlsplit

from authlib.common.errors import AuthlibBaseError
from authlib.common.security import generate_token
from authlib.integrations.base_client import FrameworkIntegration
from authlib.integrations.base_client.sync_app import BaseApp, OAuth2Mixin
from authlib.integrations.base_client.sync_openid import OpenIDMixin
from authlib.integrations.requests_client import OAuth2Session
from joserfc.errors import JoseError
from told import tell, visit

ISSUER = os.environ["ISSUER"]
REDIRECT_URI = os.environ["REDIRECT_URI"]
SIGNED_OUT_URI = os.environ["SIGNED_OUT_URI"]


class RelyingParty(OAuth2Mixin, OpenIDMixin, BaseApp):
    """The client of Authlib's integrations for web frameworks, without a framework."""

    client_cls = OAuth2Session

    def _on_update_token(self, token, refresh_token=None, access_token=None):
        """A framework would keep the new token of a session here."""

    def refresh(self, token):
        metadata = self.load_server_metadata()
        with self._get_oauth_client(**metadata) as session:
            return session.refresh_token(metadata["token_endpoint"], token["refresh_token"])


def refusal(act, *arguments, **named):
    try:
        act(*arguments, **named)
    except AuthlibBaseError as error:
        return error.error
    except JoseError as error:
        return str(error)
    return None


def relying_party():
    return RelyingParty(
        FrameworkIntegration("gatehouse"),
        client_id=os.environ["CLIENT_ID"],
        client_secret=os.environ.get("CLIENT_SECRET"),
        server_metadata_url=ISSUER + "/.well-known/openid-configuration",
        client_kwargs={"scope": os.environ["SCOPE"], "code_challenge_method": "S256", "default_timeout": 20},
    )


def login(party):
    """The token, and the nonce of the request."""
    asked = party.create_authorization_url(REDIRECT_URI)
    answer = dict(parse_qsl(urlsplit(visit(asked["url"])).query))
    if answer["state"] != asked["state"] or answer["iss"] != ISSUER:
        raise ValueError("an answer to another request, or of another issuer")
    token = party.fetch_access_token(REDIRECT_URI, code=answer["code"], code_verifier=asked["code_verifier"])
    return token, asked["nonce"]


def main():
    party = relying_party()
    tell("discovered", party.load_server_metadata()["issuer"])
    token, nonce = login(party)
    tell("ID token", party.parse_id_token(token, nonce))
    tell("ID token of another request", refusal(party.parse_id_token, token, generate_token(20)))
    tell("userinfo", party.userinfo(token=token))
    refreshed = party.refresh(token)
    tell("ID token of the refresh", party.parse_id_token(refreshed, None))
    logout = party.create_logout_url(SIGNED_OUT_URI, refreshed["id_token"])
    tell("state of the logout", logout["state"])
    tell("signed out", visit(logout["url"]))
    tell("refresh after the logout", refusal(party.refresh, refreshed))


main()
