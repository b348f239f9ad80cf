"""Finds the file of a resource as servers in Python do, each in its own way.

Each line of the input is a URI in Base64, and each line of the output is a list of paths.
"""

import base64
import json
import posixpath
import re
import sys
from urllib.parse import unquote, unquote_plus, urljoin, urlparse, urlsplit
from urllib.request import url2pathname


def without_scheme(uri):
    return re.sub("^file:(?://)?", "", uri, flags=re.IGNORECASE)


WAYS = [
    lambda uri: urlparse(uri).path,
    lambda uri: unquote(urlparse(uri).path),
    lambda uri: unquote(unquote(urlsplit(uri).path)),
    lambda uri: url2pathname(urlparse(uri).path),
    lambda uri: unquote_plus(urlparse(uri).path),
    lambda uri: urlparse(unquote(uri)).path,
    lambda uri: urlparse(urljoin("file:///", uri)).path,
    lambda uri: unquote(urlparse(uri.strip()).path),
    lambda uri: urlparse(uri.replace("\\", "/")).path,
    lambda uri: unquote(urlparse(uri).path).replace("\\", "/"),
    lambda uri: unquote(uri.removeprefix("file://")),
    lambda uri: uri.removeprefix("file:"),
    lambda uri: "/" + unquote(without_scheme(uri)),
    lambda uri: unquote(urlparse(uri).netloc + urlparse(uri).path),
]


def paths(uri):
    found = []
    for way in WAYS:
        try:
            found.append(posixpath.normpath("/" + way(uri)))
        except ValueError:
            pass
    return found


for line in sys.stdin.buffer:
    if line == b"\n":
        sys.stdout.flush()
    else:
        sys.stdout.write(json.dumps(paths(base64.b64decode(line).decode())) + "\n")
