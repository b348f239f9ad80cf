// Made by `npm run generate` from the schemas in src/config: do not edit.

/** `${NAME}`, `${NAME:-default}` or `${file:PATH}`, alone or within text, in any value. */
export type Variable = `${string}\${${string}}${string}`;

/** gateway.yaml as it is written: defaults left out, durations and sizes as text. */
export interface GatewayFile {
  /** The version of this file format. */
  version: 1 | Variable;
  /** true: issuers and other URLs of authorization servers may be http URLs on any host. false: they may be http URLs only on loopback. Default: `false`. */
  development?: boolean | Variable;
  /** Clients connect to this address: host:port, or { host, port, tls, http2 }. Default: `"127.0.0.1:8080"`. */
  listen?: string | {
    /** The listener has this name or IP address. */
    host: string;
    /** The listener has this port. 0 means any free port. */
    port: number | Variable;
    /** The listener speaks TLS 1.2 or newer. The gateway reads the files again when they change. */
    tls?: {
      /** This PEM file holds the certificate and its chain. */
      cert: string;
      /** This PEM file holds the private key. */
      key: string;
      /** This PEM file holds the certificate authorities that may issue client certificates. */
      client_ca?: string;
      /** none: the gateway requests no certificate. optional: a client may connect without a certificate, but a certificate that it presents must be valid. required: each client must present a valid certificate. The upstream gets the certificate in the header Client-Cert (RFC 9440). Default: `"none"`. */
      client_auth?: "none" | "optional" | "required" | Variable;
    };
    /** true: the listener offers HTTP/2 by ALPN. Clients without HTTP/2 use HTTP/1.1. This setting requires `tls`. Default: `false`. */
    http2?: boolean | Variable;
  };
  /** This setting chooses the code that reads HTTP/1.1 without TLS at `listen`. node: the server of Node.js. auto: the listener of the gateway, which needs less CPU. With auto, if the body of a request does not arrive together with its head, the server of Node.js reads this request. It also reads all later requests of this connection. Default: `"auto"`. */
  listener?: "node" | "auto" | Variable;
  /** The admin listener has this address: host:port, or { listen, tls, url, console, replicas, access }. Without `access`, never make this listener public. On a loopback address, the listener answers only if the Host header has a loopback name or the host of `url`. */
  admin?: string | {
    /** Operators connect to this address. */
    listen: string;
    /** The listener speaks TLS 1.2 or newer, without client certificates. */
    tls?: {
      /** This PEM file holds the certificate and its chain. */
      cert: string;
      /** This PEM file holds the private key. */
      key: string;
    };
    /** Browsers reach this listener at this origin, such as https://ops.example.com. If `admin.listen` is on loopback, the default is the origin of `admin.listen`. */
    url?: string;
    /** true: the listener serves the console. On a loopback address, the default is true. On any other address, the default is false. */
    console?: boolean | Variable;
    /** The list of decisions in the console also has the decisions of these other gateways. All other pages of the console show only the gateway of this file. */
    replicas?: ReadonlyArray<{
      /** The `admin` listener of the other gateway has this origin, such as https://10.0.0.7:9901. */
      url: string;
      /** The console sends this username to the other gateway with Basic authentication. */
      username?: string;
      /** This is the password for `username`. Use a variable. */
      password?: string;
      /** These settings apply to TLS connections to the other gateway. */
      tls?: {
        /** This PEM file holds certificate authorities. This gateway trusts only these authorities for the other gateway, and not the system's authorities. It reads the file at each connection. */
        ca: string;
      };
    }>;
    /** loopback: everyone who can connect to the listener may use it. With any other value, operators must log in for every path, such as /decisions, /routes, /why and /reload. Only /livez, /readyz and /metrics need no login. Default: `"loopback"`. */
    access?: "loopback" | {
      /** Operators log in at this authorization server, a name in `authorization_servers`. */
      authorization_server: string;
      /** The gateway requests these space-delimited scopes, and the token must have all of them. If `openid` is one of these scopes, the gateway also verifies an ID token. Default: `"gatehouse.admin"`. */
      scope?: string;
      /** The console uses this client id at the authorization server. Register `url`/console/callback as a redirect address of this client. The default is the `client_id` of this server in `authorization_servers`. */
      client_id?: string;
      /** This is the secret of `client_id`. Use a variable. Without a secret, the client is public. */
      client_secret?: string;
      /** The gateway requests a token for this resource (RFC 8707). By default, the authorization server chooses the resource. */
      resource?: string;
      /** Only these users (`sub`) may log in. By default, each user with the `scope` may log in. */
      users?: ReadonlyArray<string>;
    } | {
      /** These users may use the listener. The block means the same as on a route. */
      basic: {
        /** Write the path of a file with the users. For the users in the store of an authorization service, write { storage }. */
        users: string | {
          /** The gateway reads this store, which is the `storage` of an authorization service: sqlite:FILE, relative to the configuration file, or postgres://USER@HOST/DATABASE. A change in the store applies within a second. */
          storage: string;
        };
      };
    } | Variable;
  };
  /** The health listener has this address: host:port, or { listen, pass }. The listener serves only /livez, /readyz, /metrics and the paths in `pass`. The gateway forwards requests for the paths in `pass` to upstreams. The listener is off by default. */
  health?: string | {
    /** Probes connect to this address. */
    listen: string;
    /** The gateway forwards GET and HEAD requests for each of these paths to an upstream. Default: `{}`. */
    pass?: {
      [name: string]: {
        /** Requests go to this upstream, a name in `upstreams`. */
        upstream: string;
        /** The gateway requests this target from the upstream. */
        path: string;
      };
    };
  };
  /** At this endpoint, a proxy asks whether a request passes. If the request passes, the proxy forwards the request itself. The endpoint is off by default. */
  decision?: {
    /** Proxies ask at this address, under the paths /nginx, /nginx/uri, /forward-auth and /envoy/…. Only proxies in `trusted_proxies` may ask. Other callers get 403 `caller_untrusted`. Default: `"127.0.0.1:8082"`. */
    listen?: string;
    /** Envoy asks at this address by gRPC (`envoy.service.auth.v3.Authorization`): host:port, or { host, port, tls }. This listener is off by default. */
    grpc?: string | {
      /** The listener has this name or IP address. */
      host: string;
      /** The listener has this port. 0 means any free port. */
      port: number | Variable;
      /** The listener speaks TLS 1.2 or newer. The gateway reads the files again when they change. */
      tls?: {
        /** This PEM file holds the certificate and its chain. */
        cert: string;
        /** This PEM file holds the private key. */
        key: string;
        /** This PEM file holds the certificate authorities that may issue client certificates. */
        client_ca?: string;
        /** none: the gateway requests no certificate. optional: a client may connect without a certificate, but a certificate that it presents must be valid. required: each client must present a valid certificate. Default: `"none"`. */
        client_auth?: "none" | "optional" | "required" | Variable;
      };
    };
    /** A proxy may cache a positive answer for this long. The value must be a whole number of seconds. 0s forbids caching. Default: `"1s"`. */
    max_age?: string;
  };
  /** Authorization servers report logouts (OpenID Connect Back-Channel Logout) and security events (RFC 8935) at this listener. The listener is off by default. */
  receiver?: {
    /** Authorization servers send logout tokens and security events to this address: host:port, or { host, port, tls }. Default: `"127.0.0.1:8090"`. */
    listen?: string | {
      /** The listener has this name or IP address. */
      host: string;
      /** The listener has this port. 0 means any free port. */
      port: number | Variable;
      /** The listener speaks TLS 1.2 or newer. The gateway reads the files again when they change. */
      tls?: {
        /** This PEM file holds the certificate and its chain. */
        cert: string;
        /** This PEM file holds the private key. */
        key: string;
        /** This PEM file holds the certificate authorities that may issue client certificates. */
        client_ca?: string;
        /** none: the gateway requests no certificate. optional: a client may connect without a certificate, but a certificate that it presents must be valid. required: each client must present a valid certificate. Default: `"none"`. */
        client_auth?: "none" | "optional" | "required" | Variable;
      };
    };
    /** The gateway writes received events to this file, so that it still knows these events after a restart. If `counters` names a Redis, omit this key. Then the gateway keeps the events in this Redis, and all replicas get them. */
    file?: string;
  };
  /** This many processes (workers) serve requests at `listen`. With several workers, a primary process keeps their shared state. `auto` means one worker for each CPU core. Default: `1`. */
  workers?: number | "auto" | Variable;
  /** enforce: each route rejects requests that break its rules. shadow: each route forwards these requests, and the gateway records what the route would reject. Default: `"enforce"`. */
  mode?: "enforce" | "shadow" | Variable;
  /** These are the addresses (CIDR) of your proxies. The gateway trusts X-Forwarded-For, X-Forwarded-Proto and the request id from these proxies. Only these proxies may ask for decisions at `decision`. Write a list, or { from, host }. Default: `[]`. */
  trusted_proxies?: ReadonlyArray<string> | {
    /** The gateway trusts proxies in these CIDRs. This list means the same as a list directly in `trusted_proxies`. */
    from: ReadonlyArray<string>;
    /** forwarded: the gateway takes the host from X-Forwarded-Host and sends it to the upstream. The proxy must set this header on each request. If the header is invalid, repeated or a list, the answer is 400. By default, the gateway takes the host from `Host`. */
    host?: "forwarded" | Variable;
  };
  /** The program keeps the counters for rate limits, wrong passwords and Digest nonces here. Write `memory`, or the URL redis://HOST:PORT if several replicas share the counters. For TLS, write rediss://HOST:PORT. Default: `"memory"`. */
  counters?: string | {
    /** This is the URL of the Redis: redis://HOST:PORT, or rediss://HOST:PORT for TLS. */
    url: string;
    /** Set this key if a private certificate authority issued the certificate of the Redis. */
    tls?: {
      /** This PEM file holds certificate authorities. The program trusts only these authorities for this Redis, and not the system's authorities. */
      ca: string;
    };
  };
  /** These limits stop attackers who guess passwords or API keys. Default: `{}`. */
  login?: {
    /** One user may send this many wrong passwords from one address. All users together may send ten times as many from one address. A wrong API key counts as a wrong password. Default: `10`. */
    max_failures?: number | Variable;
    /** The first wrong password begins this window, which is from 1s to 1d. After `max_failures` wrong passwords, the gateway answers 429 to this user at this address until the window ends. Until then, the gateway checks no password of this user from this address. But a Basic password that the gateway accepted within the last minute still passes. An IPv6 /64 counts as one address. An IPv6 /56 may send twice as many wrong passwords, and a /48 four times as many. Default: `"15m"`. */
    window?: string;
  };
  /** These keys protect the nonces of Digest. Each key has 32 bytes, in base64. The gateway signs with the first key, and verifies with every key. Give all replicas the same keys. Without this setting, the gateway uses a random key, so a nonce is valid only until the process ends. */
  nonce_keys?: ReadonlyArray<string>;
  /** These keys protect the tickets of refusals. Each key has 32 bytes, in base64. The gateway seals with the first key, and can open tickets with every key. Give all replicas the same keys. Without this setting, the gateway uses a random key, so only the same process can open its tickets (GET /why/TICKET at `admin`). */
  ticket_keys?: ReadonlyArray<string>;
  /** These keys bind the session ids of `mcp` routes to their callers. Each key has 32 bytes, in base64. The gateway signs with the first key, and verifies with every key. Give all replicas the same keys. Without this setting, the gateway uses a random key, so clients must open new sessions after a restart. */
  session_keys?: ReadonlyArray<string>;
  /** These limits apply to the connections and requests of all clients. Default: `{}`. */
  limits?: {
    /** All header lines of a request together may have at most this size. A request with larger headers gets 431. Default: `"16KiB"`. */
    header_size?: string;
    /** A request may have at most this many header lines. A request with more header lines gets 431. Default: `100`. */
    header_count?: number | Variable;
    /** The whole head of a request must arrive within this time. Default: `"10s"`. */
    headers_timeout?: string;
    /** A request body may have at most this size. A larger body gets 413. Default: `"none"`. */
    body?: string;
    /** If a route accepts a token in a form, a form may have at most this size. A larger form gets 413, even without a token. Default: `"64KiB"`. */
    form_body?: string;
    /** If fewer than `bytes` of a body arrive within `over`, the gateway answers 408 and closes the connection. Default: `{}`. */
    body_rate?: {
      /** At least this much of a body must arrive within `over`. Default: `"1KiB"`. */
      bytes?: string;
      /** The gateway measures the rate over this time. Default: `"30s"`. */
      over?: string;
    };
    /** After the first request of a connection, the gateway closes the connection if it has no request for this time. Before the first request, `headers_timeout` applies. An HTTP/1.1 connection without a request then gets 408. So a TCP health check of a balancer that keeps its connection open appears as `request_timeout` in the metrics. If a client does not read an answer for this time, the gateway cuts the answer. If the connection uses HTTP/1.1 and the gateway already has the whole answer, it cuts the answer only after ten times as long. Default: `"75s"`. */
    idle?: string;
    /** At most this many client connections may be open. The gateway refuses further connections at once. Default: `10000`. */
    connections?: number | Variable;
    /** One client address may use at most this fraction of a shared resource at a time. The shared resources are the connections of an upstream, the memory for held bodies, and the queue for password checks. An IPv6 /64 counts as one address. In the queue for password checks, an IPv6 /48 counts as one address. If an address uses its whole share of the connections, its further requests wait. If an address uses its whole share of the memory or of the queue, its further requests for this resource get 503. 1 means no limit. Default: `0.5`. */
    share?: number | Variable;
  };
  /** The request id helps you to find a request in logs. Default: `{}`. */
  request_id?: {
    /** The gateway makes the id, or takes it from a trusted proxy. It sends the id in this header to the upstream and to the client. Default: `"X-Request-Id"`. */
    header?: string;
  };
  /** The program logs to standard output. Default: `{}`. */
  log?: {
    /** The program logs entries of this level and of higher levels. Default: `"info"`. */
    level?: "trace" | "debug" | "info" | "warn" | "error" | "fatal" | "silent" | Variable;
    /** auto means `pretty` on a terminal, and `json` elsewhere. Default: `"auto"`. */
    format?: "auto" | "json" | "pretty" | Variable;
  };
  /** The gateway writes one line for each request, even if it does not forward the request. It writes no line if the bytes are not a whole request. It also writes no line if the head of an HTTP/1.1 request is too large (431) or too late (408). The line does not contain the query. The access log is off by default. */
  access_log?: {
    /** The lines go to this file, relative to the configuration file. `-` is standard output. After a reload, such as by SIGHUP, the gateway opens the file again. Default: `"-"`. */
    file?: string;
    /** combined is the format of Apache and nginx. ecs is JSON by the Elastic Common Schema. Default: `"combined"`. */
    format?: "combined" | "ecs" | Variable;
  };
  /** These settings apply when the program stops. Default: `{}`. */
  shutdown?: {
    /** After SIGTERM, the program finishes requests in flight for at most this long. Default: `"30s"`. */
    deadline?: string;
  };
  /** This is the resource identifier of RFC 9728: the URL of the API as clients see it. */
  resource?: string;
  /** Web pages of these `origins` may call the API. Without `cors`, browsers do not let pages of other origins read the answers of the API. */
  cors?: {
    /** Pages of these origins may call the API. Each origin is scheme://host[:port], or `*` for every origin. */
    origins: ReadonlyArray<string>;
    /** Pages may send these request headers. If the file has an `mcp` route, pages may also send the headers of the Model Context Protocol, on all routes. Default: `["Authorization","Content-Type"]`. */
    headers?: ReadonlyArray<string>;
    /** true: pages may send cookies. true is not allowed with the origin `*`. Default: `false`. */
    credentials?: boolean | Variable;
    /** A browser may cache a preflight for this long. Default: `"10m"`. */
    max_age?: string;
  };
  /** Challenges name this realm (RFC 9110 §11.5). Default: `"api"`. */
  realm?: string;
  /** These are all scopes that routes may name. Any other scope in a route is an error. */
  scopes_supported?: ReadonlyArray<string>;
  /** These scopes imply other scopes, directly or through several steps. Headers, `when` and logs still show only the scopes that the token itself has. */
  scopes?: {
    [name: string]: {
      /** A token with the scope NAME also satisfies routes that require the scopes in this list. */
      implies: ReadonlyArray<string>;
    };
  };
  /** A bearer token may be in these places (RFC 6750 §2, RFC 9728). Default: `["header"]`. */
  bearer_methods_supported?: ReadonlyArray<"header" | "body" | "query" | Variable>;
  /** The gateway accepts the tokens of these authorization servers. Each server has a name. Default: `{}`. */
  authorization_servers?: {
    [name: string]: {
      /** This is the issuer identifier of the server. The `iss` of a token must equal this value, byte by byte. The gateway also finds the metadata of the server by this identifier (RFC 8414). */
      issuer: string;
      /** The gateway fetches the server's keys from this URL. The default comes from the metadata of the issuer. */
      jwks_uri?: string;
      /** This file holds a JWK Set and replaces `jwks_uri`. The gateway reads the file again when the file changes. */
      jwks_file?: string;
      /** These settings say how the gateway caches the server's keys. Default: `{}`. */
      jwks?: {
        /** The gateway fetches keys again after this time. Default: `"10m"`. */
        ttl?: string;
        /** Tokens with an unknown `kid` together cause at most one fetch in this time. Default: `"10s"`. */
        cooldown?: string;
        /** If the gateway cannot fetch keys, it uses the last good keys for this long after the end of `ttl`. Default: `"1h"`. */
        stale_if_error?: string;
      };
      /** The gateway fetches the keys of single users from this URL. It replaces `{kid}` by the key id of the token. The default comes from the metadata of the issuer. */
      user_key_uri_template?: string;
      /** The gateway introspects tokens at this URL (RFC 7662). The default comes from the metadata of the issuer. */
      introspection_endpoint?: string;
      /** The gateway authenticates at the introspection endpoint by this method (RFC 8414). client_secret_basic and client_secret_post: it sends `client_secret`. private_key_jwt: it sends a JWT that it signs with `client_key` (RFC 7523). Default: `"client_secret_basic"`. */
      introspection_endpoint_auth_method?: "client_secret_basic" | "client_secret_post" | "private_key_jwt" | Variable;
      /** The gateway authenticates as this client at the introspection endpoint. */
      client_id?: string;
      /** This is the secret of `client_id`. Use a variable. */
      client_secret?: string;
      /** This file holds the private key for private_key_jwt, as JWK or PEM. */
      client_key?: string;
      /** auto: the gateway verifies a JWT locally, and any other token by introspection. jwt: the gateway accepts only JWTs, and verifies them locally. introspection: the gateway introspects every token. both: the gateway introspects every token, and also verifies a JWT locally. store: the gateway looks up every token in the database of `storage`, and also verifies a JWT locally. Default: `"auto"`. */
      verify?: "auto" | "jwt" | "introspection" | "both" | "store" | Variable;
      /** The gateway reads this store, if `verify` is `store`. The store is the `storage` of an authorization service: sqlite:FILE, relative to the configuration file, or postgres://USER@HOST/DATABASE. */
      storage?: string;
      /** The `aud` of a token must contain this value. With `any`, the gateway does not check `aud`. */
      audience?: string;
      /** The gateway accepts these signature algorithms. HS256, HS384 and HS512 need `secret`, `secret_base64url` or `user_key_uri_template`. Default: `["EdDSA","ES256","RS256","PS256"]`. */
      algorithms?: ReadonlyArray<"EdDSA" | "Ed25519" | "ES256" | "ES384" | "ES512" | "RS256" | "RS384" | "RS512" | "PS256" | "PS384" | "PS512" | "HS256" | "HS384" | "HS512" | Variable>;
      /** This is the secret for HS256, HS384 and HS512, a text of at least 32 bytes. */
      secret?: string;
      /** This is the secret for HS256, HS384 and HS512 in base64url. Write either this key or `secret`. */
      secret_base64url?: string;
      /** The gateway accepts these `typ` headers (RFC 9068 §4). With `absent`, it also accepts tokens without `typ`. `JWT` and `absent` need `audience` or `required_claims`. Default: `["at+jwt"]`. */
      typ?: ReadonlyArray<string>;
      /** A JWT must have each of these claims, with one of the given values. Each key is the name or the path of a claim. Set this key if `typ` and `aud` cannot distinguish access tokens from other JWTs. Default: `{}`. */
      required_claims?: {
        [name: string]: ReadonlyArray<string>;
      };
      /** The values of these claims together are the token's scope. Each claim is a string or an array. Default: `["scope","scp"]`. */
      scope_claims?: ReadonlyArray<string>;
      /** Opaque tokens with this prefix belong to this server. */
      token_prefix?: string;
      /** Clocks may differ by this much when the gateway checks `exp`, `nbf` and `iat`. Default: `"30s"`. */
      clock_skew?: string;
      /** The gateway rejects a token if the time from its `iat` to its `exp` is longer. Default: `"24h"`. */
      max_token_lifetime?: string;
      /** The gateway follows the revocation feed at this URL. With `none`, the gateway follows no feed. If `client_id` and `client_secret` are set, the default comes from the metadata of the issuer. The server must allow this client to follow the feed. While the server refuses this, or does not answer, `on_stale` applies. Without `client_id` or without `client_secret`, the default is `none`. With `verify: store`, `backchannel_logout` or `security_events`, the default is also `none`. If the gateway verifies JWTs only locally and learns of no revocations, revoked JWTs pass until their `exp`. */
      events?: string;
      /** If the feed is silent for longer than this (15s to 1h), `on_stale` applies. Default: `"60s"`. */
      max_staleness?: string;
      /** This setting applies to JWTs while the feed is silent for longer than `max_staleness`. introspect: the gateway also introspects each JWT. deny: the gateway answers 503. allow: the gateway accepts JWTs, even revoked JWTs. Default: `"introspect"`. */
      on_stale?: "introspect" | "deny" | "allow" | Variable;
      /** The server reports logouts at `receiver`, under /backchannel-logout/NAME. The gateway rejects the tokens of an ended session at once. */
      backchannel_logout?: {
        /** The `aud` of a logout token must contain one of these client ids. */
        audiences: ReadonlyArray<string>;
        /** The gateway also sends each accepted logout token to this URL. A server stores only one logout address for each client, and this address is now the address of the gateway. Set this key if the client must also get logout tokens. */
        relay_to?: string;
      };
      /** The server sends security event tokens (RFC 8417) with the events of CAEP and RISC. */
      security_events?: {
        /** These values identify the gateway as a receiver. The `aud` of a security event token must contain one of these values. */
        audiences: ReadonlyArray<string>;
        /** This is the `iss` of the security event tokens. The default is the issuer of the server. */
        issuer?: string;
        /** The gateway fetches the keys of the security event tokens from this URL. The default is the key set of the server. Set this key if `issuer` is not the issuer of the server. */
        jwks_uri?: string;
        /** This claim of access tokens, such as `uid` or `email`, identifies the user whom an event names. Default: `"sub"`. */
        subject_claim?: string;
        /** The server pushes its events to `receiver`, under /security-events/NAME (RFC 8935). */
        push?: {
          /** The server sends this value in the Authorization header. If a request does not have this value, the gateway answers 401 and does not read the body. Use a variable. */
          authorization: string;
        };
        /** The gateway itself fetches the events from the server, with long polls. */
        poll?: {
          /** The gateway fetches events from this URL (RFC 8936). */
          url: string;
          /** The gateway sends this value in the Authorization header. Use a variable. */
          authorization?: string;
        };
        /** Each key is the name of an event, and each value says what such an event ends. session: the session that the event names, or all tokens of the user if the event names no session. subject: all tokens of the user that were issued before the event. none: nothing. These are the names and their defaults: session-revoked: session, credential-change: subject, token-claims-change: subject, account-disabled: subject, account-purged: subject, sessions-revoked: subject. Default: `{}`. */
        events?: {
          [name: string]: "session" | "subject" | "none" | Variable;
        };
      };
      /** These settings apply to TLS connections to this server. */
      tls?: {
        /** This PEM file holds certificate authorities. The gateway trusts only these authorities for this server, and not the system's authorities. The gateway reads the file again when the file changes. */
        ca: string;
      };
      /** The gateway caches facts about tokens. It never caches decisions. Default: `{}`. */
      cache?: {
        /** The gateway caches at most this many verified tokens. Default: `50000`. */
        size?: number | Variable;
        /** The gateway uses an answer of introspection or of a store for this long, but never after the `exp` of the token. Default: `"60s"`. */
        ttl?: string;
        /** The gateway caches the hashes of at most this many rejected tokens. Default: `10000`. */
        negative_size?: number | Variable;
        /** The gateway caches a rejection for this long. Default: `"5s"`. */
        negative_ttl?: string;
        /** While introspection fails, the gateway uses an active answer for this long after the end of `ttl`. It never uses an answer after the `exp` of the token. Default: `"0s"`. */
        stale_if_error?: string;
        /** At most this many introspection calls may run at a time. Further calls wait. Default: `64`. */
        max_concurrent?: number | Variable;
      };
    };
  };
  /** These are the APIs behind the gateway. Each upstream has a name. Default: `{}`. */
  upstreams?: {
    [name: string]: {
      /** The API has this URL: http: or https:, a host and a port, without a path. */
      url?: string;
      /** The API has these URLs. The gateway distributes requests among them. */
      urls?: ReadonlyArray<string>;
      /** round_robin: the gateway uses each of the `urls` in turn. least_connections: the gateway uses the URL with the fewest requests in flight. Default: `"round_robin"`. */
      balance?: "round_robin" | "least_connections" | Variable;
      /** The gateway sends this Host to the upstream. preserve: the Host that the client sent. upstream: the host of the URL. Any other text: this text. Default: `"preserve"`. */
      host?: string;
      /** false: the API treats /API and /api as equal, so the gateway ignores upper and lower case in the paths of routes to this upstream. Default: `true`. */
      case_sensitive?: boolean | Variable;
      /** The gateway authenticates at the upstream with { basic: { username, password } }, { digest: { username, password } } or { header: { name, value } }. */
      credentials?: {
        basic: {
          /** This is the username, without a colon. */
          username: string;
          /** This is the password. Use a variable. */
          password: string;
        };
      } | {
        /** The gateway uses Digest authentication (RFC 7616). */
        digest: {
          /** This is the username, without a colon. */
          username: string;
          /** This is the password. Use a variable. */
          password: string;
          /** The gateway accepts these algorithms. It uses the first algorithm in this list that the upstream also offers. Default: `["SHA-256","SHA-512-256","MD5"]`. */
          algorithms?: ReadonlyArray<"SHA-256" | "SHA-256-sess" | "SHA-512-256" | "SHA-512-256-sess" | "MD5-sess" | "MD5" | Variable>;
          /** The gateway accepts these values of qop. It uses the first value in this list that the upstream also offers. With auth-int, the gateway hashes the whole body before it sends the request, so it must hold the body. Default: `["auth","auth-int"]`. */
          qop?: ReadonlyArray<"auth" | "auth-int" | Variable>;
          /** true: the gateway sends a hash of the username if the upstream accepts a hash (RFC 7616 §3.4.4). Default: `true`. */
          userhash?: boolean | Variable;
          /** request: the gateway makes a new cnonce for each request. nonce: the gateway uses one cnonce for each nonce, because some servers require this. Default: `"request"`. */
          cnonce?: "request" | "nonce" | Variable;
        };
      } | {
        header: {
          /** The header has this name. */
          name: string;
          /** The header has this value. It is a secret, so use a variable. */
          value: string;
        };
      };
      /** These limits say how long the gateway waits for the upstream. After a limit, the gateway answers 504, or cuts an answer that has begun. Default: `{}`. */
      timeout?: {
        /** A connection must open within this time. Default: `"2s"`. */
        connect?: string;
        /** The first byte of the answer must arrive within this time. The default is 30s. If all routes of the upstream are in shadow mode, the default is no limit. */
        response?: string;
        /** The answer may pause for this long. `none` means no limit: write `none` for streams that may be silent for long. The default is 60s. For `mcp` routes, the default is no limit. If all routes of the upstream are in shadow mode, the default is no limit either. */
        idle?: string;
      };
      /** The gateway retries a failed request at most this many times. If no connection opened, the gateway retries the request, but only at another URL. The gateway also retries an idempotent request without a body in three other cases. First, the connection broke before an answer: the retry goes to another URL if there is one. Second, no answer arrived in time: the retry goes only to another URL. Third, `engine: own` cannot read the answer: the retry uses undici. Default: `1`. */
      retries?: number | Variable;
      /** The gateway checks the health of each URL. Without this key, every URL counts as healthy. */
      health?: {
        /** The health check sends a GET request for this target, without a credential. A check is successful if the answer has a 2xx status. */
        path: string;
        /** A check runs at this interval (at least 100ms), with a random change of at most 10 %. Default: `"5s"`. */
        interval?: string;
        /** A check fails if no answer arrives within this time. Default: `"2s"`. */
        timeout?: string;
        /** After this many failed checks in a row, the URL is unhealthy and gets no requests. Default: `3`. */
        unhealthy_after?: number | Variable;
        /** After this many successful checks in a row, the URL is healthy again. Default: `2`. */
        healthy_after?: number | Variable;
      };
      /** The gateway stops sending requests to a URL that does not answer. Any status counts as an answer. The circuit breaker is off by default. */
      circuit_breaker?: {
        /** After this many requests in a row without a valid answer, the circuit breaker opens and the URL gets no requests. Default: `5`. */
        failures?: number | Variable;
        /** The circuit breaker stays open for this long (at least 100ms). Then one request tests the URL. If the URL answers, the circuit breaker closes. Default: `"10s"`. */
        open_for?: string;
      };
      /** These settings apply to https URLs. The gateway always verifies certificates, and reads the files again when they change. */
      tls?: {
        /** This PEM file holds certificate authorities. The gateway trusts only these authorities for this upstream. By default, it trusts the system's authorities. */
        ca?: string;
        /** This PEM file holds the certificate that the gateway presents to the upstream. `cert` needs `key`. */
        cert?: string;
        /** This PEM file holds the private key of `cert`. */
        key?: string;
        /** The certificate of the upstream must have this name. The default is the host of the URL. */
        server_name?: string;
      };
      /** The gateway uses this HTTP client for HTTP/1.1 with the upstream. own: the small, strict client of the gateway. If this client does not understand the beginning of two answers within ten minutes, the gateway uses undici for ten minutes. undici: the gateway always uses undici, the HTTP client of the Node.js project. For a small request, undici needs about 1.5 times as much CPU. Default: `"own"`. */
      engine?: "own" | "undici" | Variable;
      /** true: the gateway uses HTTP/2. With https URLs, it negotiates HTTP/2 by ALPN. With http URLs, it uses HTTP/2 without negotiation. Default: `false`. */
      http2?: boolean | Variable;
      /** Each URL may have at most this many connections at a time. WebSockets do not count. With `http2`, this is the limit for requests at a time. Default: `256`. */
      max_connections?: number | Variable;
      /** At most this many requests to the upstream may wait for a connection. Further requests get 503. Default: `1024`. */
      max_pending?: number | Variable;
    };
  };
  /** These values apply to routes that do not set their own values. Default: `{}`. */
  defaults?: {
    /** Requests go to this upstream, a name in `upstreams`. */
    upstream?: string;
    /** These headers tell the upstream who the caller is. Default: `{}`. */
    identity_headers?: {
      /** The gateway removes each header of the client that begins with this prefix, in any spelling. Default: `"X-Auth-"`. */
      prefix?: string;
      /** Each key is a header, and each value is the claim that this header contains. Default: `{"X-Auth-Subject":"sub","X-Auth-Client":"client_id","X-Auth-Scope":"scope"}`. */
      set?: {
        [name: string]: string;
      };
    };
    /** The upstream gets these headers unchanged. A header in this list that names another path or method passes from every client. A header in this list that describes a certificate passes only from a proxy in `trusted_proxies`. If the name of a header begins with a certificate header in this list and a hyphen, this header passes in the same way. The gateway removes all other headers of these two kinds. This setting has no effect at `decision`: there the proxy forwards the request, so the proxy must remove the headers that the gateway would remove. Default: `[]`. */
    pass_headers?: ReadonlyArray<"X-Original-URL" | "X-Original-URI" | "X-Rewrite-URL" | "X-Override-URL" | "X-HTTP-Path-Override" | "X-HTTP-Method-Override" | "X-HTTP-Method" | "X-Method-Override" | "X-Original-Method" | "Client-Cert" | "Client-Certificate" | "Cert-Chain" | "X-SSL" | "SSL-Client" | "X-Client-Cert" | "X-Client-Certificate" | "X-Client-Verify" | "X-Client-DN" | "X-ARR-ClientCert" | "X-Amzn-Mtls" | "CF-Client-Cert" | "CF-Cert" | "WL-Proxy-Client-Cert" | Variable>;
  };
  /** Each route says which requests it applies to, and what these requests need. */
  routes: ReadonlyArray<{
    /** Logs and metrics show this id. By default, the gateway makes the id from `match`. */
    id?: string;
    /** The route applies to these requests. */
    match: {
      /** The host must match this name or pattern, such as {tenant}.api.example.com. */
      host?: string;
      /** The path must match this pattern. A segment of the pattern is literal text, {name} or {name*}. {name} matches one segment. {name*} matches the rest of the path, which may be empty. */
      path: string;
      /** The method must be one of these. The default is every method. */
      methods?: ReadonlyArray<string>;
      /** Each header must have the given value. If a header occurs twice, or in another spelling (X_Env for X-Env), the answer is 400. */
      headers?: {
        [name: string]: string;
      };
      /** Each query parameter must have the given value. If a parameter occurs twice, or in another spelling, the answer is 400. For example, op[], OP and ;op= are other spellings of op. f[a]x is another spelling of f[a]. */
      query?: {
        [name: string]: string;
      };
      /** The SOAPAction header of SOAP 1.1 or the action parameter of SOAP 1.2 must have this value. This rule also applies to messages with attachments. If different parsers could find different actions in the media type, the answer is 400. */
      soap_action?: string;
    };
    /** The route forwards requests to this upstream, a name in `upstreams`. The default is `defaults.upstream`. */
    upstream?: string;
    /** Requests must use this scheme: bearer (the default), basic, api_key, digest, or { any_of: [ … ] }. */
    auth?: "bearer" | "basic" | "api_key" | "digest" | {
      /** A request must use one of these schemes. */
      any_of: ReadonlyArray<"bearer" | "basic" | "api_key" | "digest" | Variable>;
    } | Variable;
    /** The route accepts Basic authentication (RFC 7617). */
    basic?: {
      /** The challenge names this realm. The default is `realm` of the file. */
      realm?: string;
      /** Write the path of a file with the users. For the users in the store of an authorization service, write { storage }. */
      users: string | {
        /** The gateway reads this store, which is the `storage` of an authorization service: sqlite:FILE, relative to the configuration file, or postgres://USER@HOST/DATABASE. A change in the store applies within a second. */
        storage: string;
      };
      /** The challenge asks clients for UTF-8 (RFC 7617 §2.1). */
      charset?: "UTF-8" | Variable;
      /** true: the route also accepts passwords from other machines over connections without TLS. Default: `false`. */
      allow_insecure?: boolean | Variable;
      /** Each key is a user, and each value is the space-delimited scope of this user. A user without an entry has no scope. Default: `{}`. */
      scopes?: {
        [name: string]: string;
      };
    };
    /** The route accepts API keys. */
    api_key?: {
      /** The challenge names this realm. The default is `realm` of the file. */
      realm?: string;
      /** Clients send the key in this place. If the key is in the query, the gateway keeps it out of logs and caches. Default: `"header"`. */
      in?: "header" | "query" | Variable;
      /** The header or query parameter has this name. Default: `"X-API-Key"`. */
      name?: string;
      /** Write the path of a file with the keys. For the keys in the store of an authorization service, write { storage }. */
      keys: string | {
        /** The gateway reads this store, which is the `storage` of an authorization service: sqlite:FILE, relative to the configuration file, or postgres://USER@HOST/DATABASE. A change in the store applies within a second. */
        storage: string;
      };
      /** This secret has 32 bytes, in base64. The gateway needs it for short API keys that `gatehouse api-key import --hmac-key` stored. */
      hmac_key?: string;
    };
    /** The route accepts Digest authentication (RFC 7616). */
    digest?: {
      /** The challenge and every stored hash contain this realm. If you change the realm, all hashes become invalid. */
      realm: string;
      /** Write the path of a file with the users. For the users in the store of an authorization service, write { storage, encryption_keys }. */
      users: string | {
        /** The gateway reads this store, which is the `storage` of an authorization service: sqlite:FILE, relative to the configuration file, or postgres://USER@HOST/DATABASE. A change in the store applies within a second. */
        storage: string;
        /** These keys of the authorization service decrypt its hashes. The default is the key file beside the SQLite database. The keys are required with `postgres`. */
        encryption_keys?: ReadonlyArray<string>;
      };
      /** The gateway offers these algorithms, with one challenge for each. Offer MD5 only for clients that do not support SHA-256. MD5 does not work with a FIPS module of OpenSSL. Default: `["SHA-256"]`. */
      algorithms?: ReadonlyArray<"SHA-256" | "SHA-256-sess" | "SHA-512-256" | "SHA-512-256-sess" | "MD5-sess" | "MD5" | Variable>;
      /** The gateway offers these values of qop. auth-int also protects the body. Default: `["auth"]`. */
      qop?: ReadonlyArray<"auth" | "auth-int" | Variable>;
      /** A nonce is valid for this long (10s to 1d). After that, the client gets a new nonce, and the user does not have to log in again. Default: `"5m"`. */
      nonce_ttl?: string;
      /** strict: the count of a nonce must increase with each request. window: counts may arrive in any order, but each count only once. Use window for clients that send several requests at a time. Default: `"strict"`. */
      nc?: "strict" | "window" | Variable;
      /** true: the route also accepts responses of RFC 2069, which use MD5 and have no qop. A nonce is valid for only one such response. Default: `false`. */
      legacy_no_qop?: boolean | Variable;
      /** true: clients may send a hash of the username (RFC 7616 §3.4.4). Default: `true`. */
      userhash?: boolean | Variable;
      /** true: a nonce is valid only from the address that got it. Default: `false`. */
      bind_ip?: boolean | Variable;
      /** exact: the parameter `uri` must equal the request target, byte by byte. normalized: the gateway decodes unreserved characters in `uri` and in the target before it compares the two. Default: `"exact"`. */
      uri_match?: "exact" | "normalized" | Variable;
      /** A trusted proxy that rewrites the target reports the original target in these headers. The parameter `uri` may then equal the original target instead of the rewritten target. The proxy must set each of these headers on every request. Otherwise a client could set them. Default: `[]`. */
      uri_from?: ReadonlyArray<"X-Original-URI" | "X-Forwarded-Uri" | "X-Forwarded-Prefix" | Variable>;
      /** This limit applies to the body of requests with auth-int. Default: `{}`. */
      auth_int?: {
        /** The gateway hashes bodies of at most this size. A larger body gets 413. Default: `"1MiB"`. */
        max_body?: string;
      };
      /** true: shortly before a nonce expires, an answer contains the next nonce. Default: `false`. */
      nextnonce?: boolean | Variable;
      /** true: the challenge has an opaque value, which clients return. Default: `true`. */
      opaque?: boolean | Variable;
      /** The challenge tells clients that the credentials are valid for these URIs. By default, the credentials are valid for every URI of this server. */
      domain?: ReadonlyArray<string>;
      /** Each key is a user, and each value is the space-delimited scope of this user. A user without an entry has no scope. Default: `{}`. */
      scopes?: {
        [name: string]: string;
      };
    };
    /** public: a request needs no credential. optional: a request needs no credential, but the gateway verifies a credential that the request has. authenticated: a request needs any valid credential. Without this key, the route must have `scope`, or `mcp.scope` with the key `*`. */
    access?: "public" | "optional" | "authenticated" | Variable;
    /** A token must have this scope: text (space-delimited, all required), { any_of: [ … ] } or { all_of: [ … ] }. */
    scope?: string | {
      any_of: ReadonlyArray<string>;
    } | {
      all_of: ReadonlyArray<string>;
    };
    /** Each key is the name or the path of a claim. Each of these claims must meet its condition. */
    claims?: {
      [name: string]: {
        /** text, a number, true or false */
        equals: string | number | boolean | Variable;
      } | {
        one_of: ReadonlyArray<string | number | boolean | Variable>;
      } | {
        /** text, a number, true or false */
        contains: string | number | boolean | Variable;
      };
    };
    /** This CEL expression over `request` and `identity` must be true. The pattern of `matches` must be a literal string in the syntax of RE2. A header or parameter that the expression reads may occur only once. If such a header or parameter occurs twice, or in another spelling, the answer is 400. For example, X_Env is another spelling of X-Env. op[], OP and ;op= are other spellings of op. If the expression reads headers without naming each of them, this rule applies to all headers. Only headers that contain a list, such as Accept, Via and X-Forwarded-For, may then occur several times. If the expression reads parameters without naming each of them, this rule applies to all parameters. */
    when?: string;
    /** The `aud` of the token must contain this value. The default is `audience` of the authorization server. */
    audience?: string;
    /** The route is a separate protected resource with this identifier (RFC 9728). */
    resource?: string;
    /** The upstream of this route is a Model Context Protocol server. The gateway reads each message, and applies rules to methods, tools, resources and prompts. */
    mcp?: {
      /** true: clients with a protocol revision before 2026-07-28 may open sessions. The gateway forwards GET, DELETE, Mcp-Session-Id and Last-Event-ID. Only the caller that got a session id may use this id. false: the gateway answers GET and DELETE with 405, and removes these headers in both directions. Default: `false`. */
      sessions?: boolean | Variable;
      /** Pages of these origins may send requests. If a request has another origin, the answer is 403. If this key is missing, `origins` of the route applies. If the route has no `origins`, `origins` of `cors` applies. If the file has no `cors` either, no page may send requests. */
      origins?: ReadonlyArray<string>;
      /** A request must have one of these protocol revisions in MCP-Protocol-Version. A request without this header counts as revision 2025-03-26. Any other revision gets 400. The answer lists the revisions of this list that the client can use, if the client accepts JSON. The default is every revision. */
      versions?: ReadonlyArray<string>;
      /** An operation needs this scope, and also the `scope` of the route. A key is `*`, a method such as tools/call, or a method and a name such as tools/call delete_user. A `*` at the end of a method or name matches any ending. The most specific key applies. A server may read a name in another way: it may ignore case, decode the name, or resolve dot segments. If a different key applies to such a reading, the answer is 400. */
      scope?: {
        [name: string]: string | {
          any_of: ReadonlyArray<string>;
        } | {
          all_of: ReadonlyArray<string>;
        };
      };
      /** The gateway rejects these operations with 403, whatever scope a token has. An entry has the form of a key in `scope`. Default: `[]`. */
      deny?: ReadonlyArray<string>;
      /** true: the gateway removes a tool, prompt or resource from the lists of the upstream if the token may not use it. To read these lists, the gateway asks the upstream for answers without compression. Default: `true`. */
      filter_lists?: boolean | Variable;
      /** require: Mcp-Method, Mcp-Name, Mcp-Param-* and MCP-Protocol-Version must match the body. A header that the protocol revision requires must be present. derive: the gateway compares these headers, and adds missing headers from the body. off: the gateway does not compare these headers. The rules for operations always apply to the body. Default: `"require"`. */
      mirror?: "require" | "derive" | "off" | Variable;
      /** A message, or a list in an answer, may have at most this size. A larger message gets 413, and a larger list gets 502. Default: `"1MiB"`. */
      body?: string;
    };
    /** This setting needs `mcp`. Each key is a header such as Mcp-Param-Tenant, and each value is a claim of the token. The header must equal the claim. The argument that the header repeats must also equal the claim. If either is different, the answer is 403. */
    claims_to_params?: {
      [name: string]: string;
    };
    /** Only pages of these origins may send requests. Each origin is scheme://host[:port] or null. A request with another origin, or with two Origin headers, gets 403. The gateway does not read the credential of such a request. This rule does not apply to a request without an Origin header. With `[]`, no page may send requests. */
    origins?: ReadonlyArray<string>;
    /** This limit says how many requests one client, user, address or claim value may send. */
    rate_limit?: {
      /** The gateway counts requests by this value: client_id, sub, address or claim:NAME. Requests with the same value count together. */
      by: string;
      /** At most this many requests pass within `per`. */
      requests: number | Variable;
      /** The limit applies to any time window of this length (1s to 1d). Further requests get 429. */
      per: string;
    };
    /** This value replaces the `mode` of the file for this route. */
    mode?: "enforce" | "shadow" | Variable;
    /** upstream: the upstream itself answers preflights and sets CORS headers. */
    cors?: "upstream" | Variable;
    /** The gateway changes the path before it forwards the request. */
    rewrite?: {
      /** The gateway removes this prefix from the path. */
      strip_prefix?: string;
      /** The gateway adds this prefix to the path, after it removed `strip_prefix`. */
      add_prefix?: string;
    };
    /** The route accepts the tokens of these authorization servers. The default is all servers. */
    authorization_servers?: ReadonlyArray<string>;
    /** A bearer token may be in these places (RFC 6750 §2, RFC 9728). */
    bearer_methods_supported?: ReadonlyArray<"header" | "body" | "query" | Variable>;
    /** true: the gateway also forwards the credential to the upstream. false: the gateway removes the credential. On a public route, the gateway reads no credentials, and forwards them unchanged. Default: `false`. */
    forward_credential?: boolean | Variable;
    /** refuse: the gateway rejects a path with %2f. keep: it accepts and forwards %2f. Default: `"refuse"`. */
    encoded_slashes?: "refuse" | "keep" | Variable;
    /** refuse: the gateway rejects a path with ; or %3b. keep: it accepts and forwards them. Default: `"refuse"`. */
    path_parameters?: "refuse" | "keep" | Variable;
    /** These headers tell the upstream who the caller is. */
    identity_headers?: {
      /** The gateway removes each header of the client that begins with this prefix, in any spelling. Default: `"X-Auth-"`. */
      prefix?: string;
      /** Each key is a header, and each value is the claim that this header contains. Default: `{"X-Auth-Subject":"sub","X-Auth-Client":"client_id","X-Auth-Scope":"scope"}`. */
      set?: {
        [name: string]: string;
      };
    };
    /** The upstream gets these headers unchanged. A header in this list that names another path or method passes from every client. A header in this list that describes a certificate passes only from a proxy in `trusted_proxies`. If the name of a header begins with a certificate header in this list and a hyphen, this header passes in the same way. The gateway removes all other headers of these two kinds. This setting has no effect at `decision`: there the proxy forwards the request, so the proxy must remove the headers that the gateway would remove. */
    pass_headers?: ReadonlyArray<"X-Original-URL" | "X-Original-URI" | "X-Rewrite-URL" | "X-Override-URL" | "X-HTTP-Path-Override" | "X-HTTP-Method-Override" | "X-HTTP-Method" | "X-Method-Override" | "X-Original-Method" | "Client-Cert" | "Client-Certificate" | "Cert-Chain" | "X-SSL" | "SSL-Client" | "X-Client-Cert" | "X-Client-Certificate" | "X-Client-Verify" | "X-Client-DN" | "X-ARR-ClientCert" | "X-Amzn-Mtls" | "CF-Client-Cert" | "CF-Cert" | "WL-Proxy-Client-Cert" | Variable>;
    /** Each limit here replaces the limit with the same name in `timeout` of the upstream. */
    timeout?: {
      /** The first byte of the answer must arrive within this time. */
      response?: string;
      /** The answer may pause for this long. */
      idle?: string;
    };
    /** on: the gateway waits before it uses an upstream connection for an upload. The wait ends when the whole upload or its first 64 KiB arrived, or when no byte arrived for 250 ms. off: the gateway uses an upstream connection at once. Default: `"on"`. */
    request_buffering?: "on" | "off" | Variable;
    /** token: WebSockets, event streams, downloads and uploads end when the token expires or is revoked. request: these streams continue. The default is request. For a route with `mcp` that is not public, the default is token. */
    end_with?: "token" | "request" | Variable;
    /** Each limit here replaces the limit with the same name in `limits` of the file. */
    limits?: {
      /** A request body may have at most this size. A larger body gets 413. */
      body?: string;
      /** If a route accepts a token in a form, a form may have at most this size. A larger form gets 413, even without a token. */
      form_body?: string;
    };
  }>;
  /** Each test is a request with its expected outcome. The gateway runs all tests at each start and reload, and `check` runs them too. Default: `[]`. */
  tests?: ReadonlyArray<{
    /** This is the request: GET /orders/7, or GET https://host/orders/7. Without a host, the test uses the host of `resource`, or localhost if `resource` is not set. */
    request: string;
    /** The request has these headers. */
    headers?: {
      [name: string]: string;
    };
    /** The request has a message with this operation, such as ping or tools/call delete_user. The route must have `mcp`. */
    mcp?: string;
    /** The test assumes that this token is verified. Without `aud`, the token is valid for every audience. */
    token?: {
      /** The token has this space-delimited scope. */
      scope?: string;
      /** The token belongs to this user. */
      sub?: string;
      /** The token belongs to this client. */
      client_id?: string;
      /** The token has this audience, or this list of audiences. */
      aud?: string | ReadonlyArray<string>;
      /** This authorization server issued the token. The default is the route's first server. */
      server?: string;
      /** The token also has these claims. */
      claims?: {
        [name: string]: unknown;
      };
    };
    /** The test assumes that this user sends valid credentials for Basic or Digest. On routes with API keys, this is the name of a client or the id of a key. This setting has no effect on routes without these schemes. */
    user?: string;
    /** The outcome must be { forward: true, route: … } or { refuse: STATUS, code: …, error: … }. */
    expect: {
      /** The request goes to an upstream. */
      forward: true | Variable;
      /** The route with this id forwards the request. */
      route?: string;
    } | {
      /** The gateway refuses the request with this status. */
      refuse: number | Variable;
      /** The refusal has this code of docs/errors.md. */
      code?: string;
      /** The challenge has this `error` (RFC 6750 §3.1). */
      error?: "invalid_request" | "invalid_token" | "insufficient_scope" | Variable;
    };
  }>;
}

/** authorization.yaml as it is written: defaults left out, durations and sizes as text. */
export interface AuthorizationFile {
  /** The version of this file format. */
  version: 1 | Variable;
  /** true: the issuer and the URLs of clients and receivers may be http URLs on any host. Users may have plain-text passwords. false: such URLs may be http URLs only on loopback. Default: `false`. */
  development?: boolean | Variable;
  /** This is the issuer identifier (RFC 8414). The service never takes it from the Host header. */
  issuer: string;
  /** Clients connect to this address. The service does not speak TLS, so a proxy in front of it must end TLS. Default: `"127.0.0.1:8081"`. */
  listen?: string;
  /** The admin listener has this address. Never make this listener public. On a loopback address, the listener answers only if the Host header has a loopback name. */
  admin?: string;
  /** The health listener has this address. It serves only /livez, /readyz and /metrics. The listener is off by default. */
  health?: string;
  /** The service trusts X-Forwarded-For and X-Forwarded-Proto from proxies in these CIDRs. Default: `[]`. */
  trusted_proxies?: ReadonlyArray<string>;
  /** The service keeps its data here: sqlite:FILE, relative to the configuration file, or postgres://USER@HOST/DATABASE. Default: `"sqlite:data/gatehouse.db"`. */
  storage?: string;
  /** These keys protect secrets in the database. Each key has 32 bytes, in base64. The service encrypts with the first key, and can decrypt with every key. By default, it makes a key file beside the SQLite database, with mode 0600. The keys are required with `postgres`. */
  encryption_keys?: ReadonlyArray<string>;
  /** The program keeps the counters for wrong secrets and passwords, token requests and registrations here. Write `memory`, or the URL redis://HOST:PORT if several replicas share the counters. For TLS, write rediss://HOST:PORT. Default: `"memory"`. */
  counters?: string | {
    /** This is the URL of the Redis: redis://HOST:PORT, or rediss://HOST:PORT for TLS. */
    url: string;
    /** Set this key if a private certificate authority issued the certificate of the Redis. */
    tls?: {
      /** This PEM file holds certificate authorities. The program trusts only these authorities for this Redis, and not the system's authorities. */
      ca: string;
    };
  };
  /** These settings say how the service signs tokens. Default: `{}`. */
  signing?: {
    /** The service signs JWT access tokens with this algorithm. Default: `"ES256"`. */
    alg?: "EdDSA" | "ES256" | "RS256" | "HS256" | Variable;
    /** This is the secret for HS256, with at least 32 bytes. Share it with every verifier, and never publish it. */
    secret_base64url?: string;
    /** true: each user has a separate key. The service signs the JWTs of a user with the key of this user. If you rotate the key of one user, only the JWTs of this user become invalid. Gateways fetch the key by its `kid`. Default: `false`. */
    user_keys?: boolean | Variable;
    /** true: with `user_keys`, the service rotates the key of a user who gets a new password. Default: `true`. */
    rotate_on_password_change?: boolean | Variable;
  };
  /** Clients may request tokens for these resources (RFC 8707). The first resource is the default `aud`. */
  resources: ReadonlyArray<string>;
  /** These settings define the form and the lifetime of tokens. Default: `{}`. */
  tokens?: {
    /** These settings apply to authorization codes. Default: `{}`. */
    code?: {
      /** An authorization code is valid for this long, from 1s to 5m. Default: `"60s"`. */
      ttl?: string;
    };
    /** These settings apply to access tokens. Default: `{}`. */
    access?: {
      /** Access tokens have this format. `access_token_format` of a client replaces this value. Default: `"opaque"`. */
      format?: "opaque" | "jwt" | Variable;
      /** An opaque access token is valid for this long, at least 1s. Default: `"1h"`. */
      ttl?: string;
      /** A JWT access token is valid for this long, at least 1s. Default: `"15m"`. */
      jwt_ttl?: string;
      /** Each claim takes its value from an entry in `claims` of the user (`user.NAME`) or of the client (`client.NAME`). Default: `{}`. */
      claims?: {
        [name: string]: string;
      };
    };
    /** These settings apply to refresh tokens. Default: `{}`. */
    refresh?: {
      /** A refresh token is valid for this long. Each use issues a new refresh token. The value must be longer than `ttl` and `jwt_ttl` in `tokens.access`. Default: `"7d"`. */
      ttl?: string;
      /** A grant with refresh tokens ends this long after the service issued the first tokens of the grant. No access token or refresh token of the grant is valid longer. After that, the user must log in again. The value is at least `ttl`. Default: `"30d"`. */
      absolute_ttl?: string;
      /** This time begins when a client uses a refresh token. If the client uses the same token again within this time, the service rejects the request and revokes nothing. After this time, a second use revokes all tokens of the grant. The service counts in whole seconds, so this time may last up to one second longer. Default: `"10s"`. */
      reuse_leeway?: string;
      /** A client that lost the answer may send the used refresh token again within this time. The service then sends the same tokens again. Default: `"0s"`. */
      retry_window?: string;
      /** new: a refresh returns a new access token. extend: a refresh extends the lifetime of the old access token. Only opaque tokens can be extended. Default: `"new"`. */
      access_token?: "new" | "extend" | Variable;
    };
    /** These settings apply to session keys of the browserless exchange. Default: `{}`. */
    session_key?: {
      /** A session key is valid for this long, at least 1s. Default: `"7d"`. */
      ttl?: string;
    };
    /** One client at one address (or IPv6 /64) may request this many tokens and session keys in any minute. In any minute, one session may request at most a twentieth of this number of authorization codes for one client. Further requests get 429. 0 means no limit. Default: `6000`. */
    max_a_minute?: number | Variable;
  };
  /** Each scope has a text that tells users what the scope allows. Default: `{}`. */
  scopes?: {
    [name: string]: string;
  };
  /** This setting applies if a client requests a scope that it did not register. reject: the service answers invalid_scope. narrow: the service grants only the registered scopes. Default: `"reject"`. */
  scope_excess?: "reject" | "narrow" | Variable;
  /** These settings apply to OpenID Connect. Default: `{}`. */
  openid?: {
    /** true: the service is an OpenID Provider. A client gets ID tokens if its `scope` contains `openid`. Default: `false`. */
    enabled?: boolean | Variable;
    /** These settings apply to ID tokens. Default: `{}`. */
    id_token?: {
      /** An ID token is valid for this long, at least 1s. Default: `"10m"`. */
      ttl?: string;
      /** The service signs ID tokens with this algorithm. `id_token_signed_response_alg` of a client replaces this value. Default: `"RS256"`. */
      alg?: "RS256" | "ES256" | "EdDSA" | Variable;
    };
    /** public: all clients see the same `sub` of a user. pairwise: each client sees a different `sub`, so clients cannot compare their users. `subject_type` of a client replaces this value. Default: `"public"`. */
    subject?: "public" | "pairwise" | Variable;
    /** Each claim takes its value from an entry of the user's `claims`: `user.NAME`. Standard claims, such as `email`, need no key here. Without a key, a standard claim takes its value from the user's entry with the same name. Default: `{}`. */
    claims?: {
      [name: string]: string;
    };
    /** These are the authentication context classes (`acr`) of this service. Default: `{}`. */
    acr?: {
      /** ID tokens have this `acr` after a login with a password. */
      pwd?: string;
    };
    /** true: the answer of /oauth2/userinfo is a signed JWT for every client. If only some clients need a JWT, set `userinfo_signed_response_alg` of these clients instead. Default: `false`. */
    userinfo_signed?: boolean | Variable;
  };
  /** These settings let clients register themselves. No operator checked such a client, so the service shows the consent page for each of its requests. Default: `{}`. */
  registration?: {
    /** These settings apply to clients that publish their own metadata. Default: `{}`. */
    cimd?: {
      /** true: a client may use the https URL of its metadata document as its client id (OAuth Client ID Metadata Document). The service reads the document when it first gets this client id. Default: `false`. */
      enabled?: boolean | Variable;
      /** The service reads only documents whose URL matches one of these patterns. `https://*` matches every host, and `https://*.example.com` matches every name below example.com. A pattern may have a port, and a path, which may end in `/*`. Default: `["https://*"]`. */
      allow?: ReadonlyArray<string>;
      /** A client with such a document may request at most this space-delimited scope. By default, such a client is not allowed to request any scope, so it gets no token. */
      scope?: string;
      /** If the host's answer has no lifetime (`Cache-Control` or `Expires`), the service reads the document again after this time (at least 5m). Default: `"1h"`. */
      ttl?: string;
      /** The service reads a document again after at most this time. If the host's answer has a shorter lifetime, the service uses the shorter lifetime, but at least 5m. While the host does not answer, the service uses an old document for at most `max_ttl`. The value is at least `ttl`. Default: `"24h"`. */
      max_ttl?: string;
      /** The service rejects a larger document. The value is from 1KiB to 64KiB. Default: `"5KiB"`. */
      size?: string;
      /** A host must send its document within this time (100ms to 1m). Default: `"5s"`. */
      timeout?: string;
      /** deny: the service reads documents and keys of these clients only at public addresses. outbound: the service may also use the private addresses in `outbound.private_addresses`. Default: `"deny"`. */
      private_addresses?: "deny" | "outbound" | Variable;
    };
    /** These settings apply to dynamic client registration. Default: `{}`. */
    dynamic?: {
      /** true: clients may register at /oauth2/register (RFC 7591). Default: `false`. */
      enabled?: boolean | Variable;
      /** required: a registration needs an access token of this service with the scope `clients.register`. none: anyone may register. Default: `"required"`. */
      initial_access_token?: "required" | "none" | Variable;
      /** A client that registered itself may request at most this space-delimited scope. By default, such a client is not allowed to request any scope, so it gets no token. */
      scope?: string;
      /** The service removes a client that got no token for this long (at least 1h). A client with a valid grant stays. Default: `"30d"`. */
      ttl_unused?: string;
      /** This is the limit for registrations. Further requests get 429. Default: `{}`. */
      per_address?: {
        /** One address may register this many clients in the window. Default: `10`. */
        requests?: number | Variable;
        /** This is the length of the window (1s to 1d). An IPv6 /64 counts as one address. An IPv6 /56 may register twice as many clients, and a /48 four times as many. All addresses together may register a hundred times as many clients as one address. Default: `"1h"`. */
        per?: string;
      };
    };
  };
  /** The service reports ended sessions, new passwords and changed claims to other programs. It sends security event tokens (RFC 8417) with the events of CAEP. Default: `{}`. */
  security_events?: {
    /** The service pushes its security events to these receivers. Default: `[]`. */
    receivers?: ReadonlyArray<{
      /** Metrics and the audit log show this name. The service stores the name with each event until the receiver gets the event. After you change the name, the receiver does not get the events that have the old name. */
      id: string;
      /** The service posts each event to this URL (RFC 8935). */
      url: string;
      /** The security event tokens have this `aud`. This value may be the id of a client. Then the tokens have the same `sub` and `sid` values as the ID tokens of this client. */
      audience: string;
      /** The service sends this value in the Authorization header, such as `Bearer …`. Use a variable. */
      authorization?: string;
      /** The receiver gets these events. session-revoked: a session, or the access of one application, ended. credential-change: a user has a new password. token-claims-change: the claims in access tokens of a user changed. Default: `["session-revoked","credential-change","token-claims-change"]`. */
      events?: ReadonlyArray<"session-revoked" | "credential-change" | "token-claims-change" | Variable>;
    }>;
  };
  /** These settings apply to requests that the service sends to the receivers of `security_events` and to URLs of clients, such as `backchannel_logout_uri` and metadata documents. Default: `{}`. */
  outbound?: {
    /** The service may connect to private addresses in these CIDRs. By default, it connects only to public addresses. Default: `[]`. */
    private_addresses?: ReadonlyArray<string>;
    /** A request may take this long. Default: `"5s"`. */
    timeout?: string;
    /** Set this key if a private certificate authority issued the certificates of the receivers or of the clients' servers. */
    tls?: {
      /** This PEM file holds certificate authorities. The service trusts only these authorities for these requests, and not the system's authorities. */
      ca: string;
    };
  };
  /** These settings apply to the browserless exchange. Default: `{}`. */
  session?: {
    /** true: /oauth2/session exchanges a code for a session key. Default: `false`. */
    enabled?: boolean | Variable;
    /** true: the parameters of the browserless exchange may be in the query, including the secret. The service never logs the query. Default: `true`. */
    allow_query?: boolean | Variable;
    /** oauth: refusals have the form of RFC 6749. errcode: every refusal has status 200, `errcode` and `errmsg`, except a wrong method (405). Default: `"oauth"`. */
    errors?: "oauth" | "errcode" | Variable;
  };
  /** These settings help clients and resource servers that cannot follow the specifications. Default: `{}`. */
  compat?: {
    /** true: the service also accepts app_id, app_secret and similar names. Default: `true`. */
    aliases?: boolean | Variable;
    /** true: JWT access tokens, and introspection answers about access tokens, also have `app_id`, with the value of `client_id`. Answers with a token also have `rscope`, with the value of `scope`. Answers to registrations also have `app_id`, and `app_secret` if they have `client_secret`. Default: `false`. */
    app_id_claim?: boolean | Variable;
    /** JWT access tokens have this `typ` (RFC 9068 §2.1). Default: `"at+jwt"`. */
    jwt_typ?: "at+jwt" | "JWT" | Variable;
  };
  /** These clients may request tokens. Default: `[]`. */
  clients?: ReadonlyArray<{
    /** The client has this identifier. Either `client_id` or `app_id` is required. */
    client_id?: string;
    /** This is another name for `client_id`. */
    app_id?: string;
    /** The client has this secret. A client without a secret is a public client, unless it uses private_key_jwt. */
    client_secret?: string;
    /** This is another name for `client_secret`. */
    app_secret?: string;
    /** This is the SHA-256 hash of the secret in lowercase hex. Write this key in place of `client_secret`. */
    client_secret_sha256?: string;
    /** The client authenticates by this method. By default, a client with a secret may send the secret by Basic or in the form. private_key_jwt: the client signs a JWT for each request (RFC 7523), and has no secret. */
    token_endpoint_auth_method?: "client_secret_basic" | "client_secret_post" | "none" | "private_key_jwt" | Variable;
    /** This is the JWK Set with the public keys of the client, for private_key_jwt. */
    jwks?: unknown;
    /** The service reads the JWK Set of the client at this URL. */
    jwks_uri?: string;
    /** Pages show this name. */
    client_name?: string;
    /** The service may send the browser back to these addresses. An address must match byte by byte. Only the port of a loopback address (127.0.0.1 or [::1]) may differ. Default: `[]`. */
    redirect_uris?: ReadonlyArray<string>;
    /** The client may request at most this space-delimited scope. */
    scope?: string;
    /** The client may use these grants. Default: `[]`. */
    grant_types?: ReadonlyArray<"authorization_code" | "refresh_token" | "client_credentials" | "password" | "implicit" | Variable>;
    /** Access tokens of this client have this format. The default is `tokens.access.format`. */
    access_token_format?: "opaque" | "jwt" | Variable;
    /** false: a confidential client may omit PKCE (RFC 7636). A public client must always use PKCE. Default: `true`. */
    require_pkce?: boolean | Variable;
    /** This value replaces `tokens.refresh.retry_window` for this client. */
    retry_window?: string;
    /** true: the client may get session keys by the browserless exchange. Default: `false`. */
    session?: boolean | Variable;
    /** The service may send the browser to these addresses after a logout. An address must match byte by byte. Default: `[]`. */
    post_logout_redirect_uris?: ReadonlyArray<string>;
    /** The service sends a logout token to this URL when a session of a user ends. */
    backchannel_logout_uri?: string;
    /** This setting changes nothing: logout tokens of this service always have a `sid`. Default: `false`. */
    backchannel_logout_session_required?: boolean | Variable;
    /** Users must log in again if their login is older than this (at least 1s). `max_age` in a request replaces this value. */
    default_max_age?: string;
    /** This value replaces `openid.id_token.alg` for this client. */
    id_token_signed_response_alg?: "RS256" | "ES256" | "EdDSA" | Variable;
    /** The answer of /oauth2/userinfo for this client is a JWT, signed with this algorithm. By default, the answer is JSON. */
    userinfo_signed_response_alg?: "RS256" | "ES256" | "EdDSA" | Variable;
    /** This value replaces `openid.subject` for this client. */
    subject_type?: "public" | "pairwise" | Variable;
    /** The document at this URL is a JSON array with all `redirect_uris` of the client. Clients whose `sector_identifier_uri` has the same host see the same pairwise `sub` of a user. Without this key, the service uses the host of the https `redirect_uris`. A client without such a host sees a `sub` that no other client sees. */
    sector_identifier_uri?: string;
    /** These are facts about the client. `tokens.access.claims` says which facts tokens contain. Default: `{}`. */
    claims?: {
      [name: string]: unknown;
    };
    /** true: the client may introspect any token. Default: `false`. */
    introspect?: boolean | Variable;
    /** true: the client may follow the revocation feed, as a gateway does. Default: `false`. */
    events?: boolean | Variable;
    /** true: the client may fetch the keys of users, even if these keys are secrets (`signing`: HS256 with `user_keys`). Default: `false`. */
    keys?: boolean | Variable;
  }>;
  /** These users may log in. Default: `[]`. */
  users?: ReadonlyArray<{
    /** The user types this name to log in. Upper and lower case do not matter. */
    username: string;
    /** This is the password hash that `gatehouse hash-password` prints: $argon2id$v=19$…. */
    password_argon2?: string;
    /** This is the password itself. It is valid only with `development: true`. */
    password?: string;
    /** Pages show this name. */
    name?: string;
    /** These are facts about the user. `tokens.access.claims` says which facts tokens contain. Default: `{}`. */
    claims?: {
      [name: string]: unknown;
    };
    /** Tokens for this user have this `sub`. No other user ever gets the same `sub`. The default is the username. */
    subject?: string;
  }>;
  /** These limits stop attackers who guess secrets. Default: `{}`. */
  login?: {
    /** One client or user may send this many wrong secrets from one address. All users together may send ten times as many wrong passwords from one address. Default: `10`. */
    max_failures?: number | Variable;
    /** The first wrong secret begins this window, which is from 1s to 1d. After `max_failures` wrong secrets, the service answers 429 until the window ends. During this time, it still accepts the right secret of a client, but it rejects the right password of a user. An IPv6 /64 counts as one address. An IPv6 /56 may send twice as many wrong secrets, and a /48 four times as many. Default: `"15m"`. */
    window?: string;
    /** The service allows this many wrong passwords for one user in a day, from all addresses together. After that, it answers 429 for this user. The service remembers an address that sent the right password of this user for 30 to 60 days. The limit does not apply to such an address. A browser in which this user logged in before has a separate count with the same limit. Default: `100`. */
    max_failures_a_day?: number | Variable;
  };
  /** Pages show this name at the top and in the title of the tab. A logo replaces the name at the top. The name is then the alternative text of the logo. The default is the host of the issuer. */
  site_name?: string;
  /** These settings change how the hosted pages look. Default: `{}`. */
  theme?: {
    /** Pages show the picture in this .svg or .png file at the top. */
    logo?: string;
    /** Pages use these CSS variables: --accent, --background, --surface, --text, --muted, --border, --danger, --radius, --logo-height, --font. Default: `{}`. */
    css?: {
      [name: string]: string;
    };
  };
  /** The audit log records who did what. */
  audit?: {
    /** The service writes one line of JSON for each event to this file, relative to the configuration file. */
    file: string;
    /** When the file reaches this size, the service renames it to `FILE.1` and begins a new file. With `none`, another program must rotate the file. Default: `"100MiB"`. */
    max_size?: string;
    /** The service keeps at most this many rotated files, and removes older files. Default: `9`. */
    max_files?: number | Variable;
    /** The service removes a rotated file this long after its last line. Default: `"365d"`. */
    max_age?: string;
  };
  /** The program logs to standard output. Default: `{}`. */
  log?: {
    /** The program logs entries of this level and of higher levels. Default: `"info"`. */
    level?: "trace" | "debug" | "info" | "warn" | "error" | "fatal" | "silent" | Variable;
    /** auto means `pretty` on a terminal, and `json` elsewhere. Default: `"auto"`. */
    format?: "auto" | "json" | "pretty" | Variable;
  };
  /** These settings apply when the program stops. Default: `{}`. */
  shutdown?: {
    /** After SIGTERM, the program finishes requests in flight for at most this long. Default: `"30s"`. */
    deadline?: string;
  };
}
