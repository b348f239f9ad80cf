"""A stock WSGI server (wsgiref) that says what its application would go by: host, X-Env, op and PATH_INFO.

The environment of a request is made by wsgiref alone. Only its one request a connection is changed: a test asks
thousands, one behind the other.
"""
import sys
from socketserver import ThreadingMixIn
from urllib.parse import parse_qs, quote
from wsgiref.simple_server import ServerHandler, WSGIRequestHandler, WSGIServer


def application(environ, start_response):
    op = parse_qs(environ["QUERY_STRING"]).get("op", [""])[0]
    said = [environ.get("HTTP_HOST", ""), environ.get("HTTP_X_ENV", ""), quote(op, safe="")]
    # PEP 3333: text of the environment holds one octet a character.
    body = "\n".join([*said, environ["SCRIPT_NAME"] + environ["PATH_INFO"]]).encode("latin-1")
    start_response("200 OK", [("Content-Length", str(len(body)))])
    return [body]


class Handler(WSGIRequestHandler):
    wbufsize = -1
    disable_nagle_algorithm = True

    def handle(self):
        while True:
            self.raw_requestline = self.rfile.readline(65537)
            if not self.raw_requestline or not self.parse_request():
                return
            handler = ServerHandler(self.rfile, self.wfile, sys.stderr, self.get_environ(), multithread=False)
            handler.http_version = "1.1"
            handler.request_handler = self
            handler.run(self.server.get_app())

    def log_message(self, *_):
        pass


class Server(ThreadingMixIn, WSGIServer):
    daemon_threads = True


def main():
    with Server(("127.0.0.1", int(sys.argv[1])), Handler) as server:
        server.set_app(application)
        server.serve_forever()


if __name__ == "__main__":
    main()
