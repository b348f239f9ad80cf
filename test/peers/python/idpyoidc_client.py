"""idpyoidc as a relying party of the OpenID Provider that the environment names."""
import os
import tempfile
from urllib.parse import parse_qsl, urlsplit

from idpyoidc.client.defaults import DEFAULT_OIDC_SERVICES, DEFAULT_KEY_DEFS
from idpyoidc.client.exception import OidcServiceError
from idpyoidc.client.rp_handler import RPHandler
from told import tell, visit

ISSUER = os.environ["ISSUER"]
SIGNED_OUT_URI = os.environ["SIGNED_OUT_URI"]


def answer_of(url):
    return dict(parse_qsl(urlsplit(url).query))


def relying_party(folder):
    client = {
        "client_type": "oidc",
        "issuer": ISSUER,
        "client_id": os.environ["CLIENT_ID"],
        "client_secret": os.environ["CLIENT_SECRET"],
        "redirect_uris": [os.environ["REDIRECT_URI"]],
        "response_types_supported": ["code"],
        "scopes_supported": os.environ["SCOPE"].split(" "),
        "token_endpoint_auth_methods_supported": ["client_secret_basic"],
        "client_authn_methods": ["client_secret_basic", "bearer_header"],
        "add_ons": {
            "pkce": {
                "function": "idpyoidc.client.oauth2.add_on.pkce.add_support",
                "kwargs": {"code_challenge_length": 64, "code_challenge_method": "S256"},
            }
        },
    }
    logout = {"end_session": {"class": "idpyoidc.client.oidc.end_session.EndSession"}}
    keys = {"private_path": folder + "/private.json", "key_defs": DEFAULT_KEY_DEFS, "read_only": False}
    return RPHandler(
        client_configs={ISSUER: client},
        services={**DEFAULT_OIDC_SERVICES, **logout},
        key_conf=keys,
        httpc_params={"timeout": 20},
    )


def login(party, change=lambda url: url):
    return party.finalize(ISSUER, answer_of(visit(change(party.begin(ISSUER)))))


def other_nonce(url):
    nonce = answer_of(url)["nonce"]
    return url.replace(nonce, "x" * len(nonce))


def refusal(act, *arguments):
    try:
        act(*arguments)
    except (OidcServiceError, ValueError) as error:
        return str(error)
    return None


def main():
    with tempfile.TemporaryDirectory() as folder:
        party = relying_party(folder)
    result = login(party)
    state = result["state"]
    tell("discovered", result["issuer"])
    tell("ID token", result["id_token"].to_dict())
    tell("userinfo", result["userinfo"].to_dict())
    tell("ID token of another request", refusal(login, party, other_nonce))
    refreshed = party.refresh_access_token(state)
    tell("ID token of the refresh", refreshed["__verified_id_token"].to_dict())
    logout = party.logout(state, post_logout_redirect_uri=SIGNED_OUT_URI)
    tell("state of the logout", logout["request"]["state"])
    tell("signed out", visit(logout["url"]))
    tell("refresh after the logout", refusal(party.refresh_access_token, state))


main()
