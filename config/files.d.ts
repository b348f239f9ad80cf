// Made by `npm run generate` from the schemas in src/config: do not edit.

/** `${NAME}`, `${NAME:-default}` or `${file:PATH}`, alone or within text: wherever a value may stand. */
export type Variable = `${string}\${${string}}${string}`;

/** gateway.yaml as it is written: defaults left out, durations and sizes as text. */
export interface GatewayFile {
  /** The version of this file format. */
  version: 1 | Variable;
  /** true: http issuers beyond loopback are allowed. Default: `false`. */
  development?: boolean | Variable;
  /** Where clients connect: host:port, or { host, port, tls, http2 }. Default: `"127.0.0.1:8080"`. */
  listen?: string | {
    /** A name or an IP address. */
    host: string;
    /** 0 takes any free port. */
    port: number | Variable;
    /** TLS 1.2 or newer. The files are read again when they change. */
    tls?: {
      /** File: the certificate and those that lead to a root, PEM. */
      cert: string;
      /** File: its private key, PEM. */
      key: string;
      /** File: who may issue the certificates of clients, PEM. */
      client_ca?: string;
      /** Clients must show a certificate (required), or may (optional). The upstream gets it in Client-Cert (RFC 9440). With `optional`, a client may show none, but a shown one must be valid. Default: `"none"`. */
      client_auth?: "none" | "optional" | "required" | Variable;
    };
    /** true: clients that ask for it by ALPN speak HTTP/2, all others HTTP/1.1. Needs `tls`. Default: `false`. */
    http2?: boolean | Variable;
  };
  /** Management listener: never on a public address. On loopback it answers to loopback names only. */
  admin?: string;
  /** Only /livez, /readyz, /metrics: host:port, or { listen, pass } with paths of upstreams. Off by default. */
  health?: string | {
    /** Where probes connect. */
    listen: string;
    /** Path → upstream and path there; GET, HEAD. Default: `{}`. */
    pass?: {
      [name: string]: {
        /** The name of one of `upstreams`. */
        upstream: string;
        /** The target of the health check. */
        path: string;
      };
    };
  };
  /** For a proxy that asks whether a request passes, and forwards it itself. Off by default. */
  decision?: {
    /** Where proxies ask: /nginx, /nginx/uri, /forward-auth, /envoy/…; only those in `trusted_proxies` are answered. Default: `"127.0.0.1:8082"`. */
    listen?: string;
    /** How long a proxy may remember that a request passed, in whole seconds; 0s: not at all. Default: `"1s"`. */
    max_age?: string;
  };
  /** Processes that serve at `listen`, under one that keeps what they share: a number, or `auto`, one for each core. Default: `1`. */
  workers?: number | "auto" | Variable;
  /** shadow: every route only records what it would refuse. Default: `"enforce"`. */
  mode?: "enforce" | "shadow" | Variable;
  /** CIDRs whose X-Forwarded-For, -Proto and request id are believed, and who may ask at `decision`; or { from, host }. Default: `[]`. */
  trusted_proxies?: ReadonlyArray<string> | {
    /** CIDRs, as in the short form. */
    from: ReadonlyArray<string>;
    /** forwarded: requests are judged by the host of X-Forwarded-Host, and the upstream is told it. The proxy must set it on each request; a bad or repeated value, or a list, is 400. Absent: the same with Host. */
    host?: "forwarded" | Variable;
  };
  /** memory, or redis://HOST:PORT shared by several processes (rediss: with TLS): how often rate limits were used. Default: `"memory"`. */
  counters?: string | {
    /** As in the short form. */
    url: string;
    /** For a Redis with an authority of its own. */
    tls?: {
      /** File: who may issue its certificate, PEM, in place of the authorities of the system. */
      ca: string;
    };
  };
  /** Against guessing of passwords of Basic and Digest. Default: `{}`. */
  login?: {
    /** Wrong passwords of one user from one address, and ten times as many from one address … Default: `10`. */
    max_failures?: number | Variable;
    /** The window for `max_failures`. After more failures, the gateway answers 429 and checks no password from that address. An IPv6 /64 counts as one address. A /56 has twice this limit, a /48 four times. Default: `"15m"`. */
    window?: string;
  };
  /** 32 bytes base64 each, for the nonces of Digest: the first signs, all verify. Absent: random per start, so that every nonce ends with the process. */
  nonce_keys?: ReadonlyArray<string>;
  /** 32 bytes base64 each: the first seals the ticket of each refusal, all open; share them between replicas. Absent: random per start, so that only that process opens its tickets (GET /why/TICKET at `admin`). */
  ticket_keys?: ReadonlyArray<string>;
  /** Limits on everything that a stranger can hold open. Default: `{}`. */
  limits?: {
    /** All header lines of a request together; above: 431. Default: `"16KiB"`. */
    header_size?: string;
    /** Header lines of a request; above: 431. Default: `100`. */
    header_count?: number | Variable;
    /** For the head of a request to arrive whole. Default: `"10s"`. */
    headers_timeout?: string;
    /** Request body; above: 413. Default: `"none"`. */
    body?: string;
    /** A form that is read for its access_token; above: 413. Default: `"64KiB"`. */
    form_body?: string;
    /** The slowest body that is waited for: fewer than `bytes` in `over` ends the connection. Default: `{}`. */
    body_rate?: {
      /** So much at least … Default: `"1KiB"`. */
      bytes?: string;
      /** … within this time. Default: `"30s"`. */
      over?: string;
    };
    /** A kept connection without a request is closed after this; so is a client that stopped reading, where its answer has ended after ten times this. Default: `"75s"`. */
    idle?: string;
    /** Open client connections; above: refused at once. Default: `10000`. */
    connections?: number | Variable;
    /** The largest part of a shared resource that one client address may use at a time. It applies to an upstream's connections and to the memory for held bodies, per IPv4 address or IPv6 /64. It also applies to the queue for password checks, per IPv4 address or IPv6 /48. Above it, a request waits for a connection. A body that must be held, or a password, gets 503. 1 means no limit. Default: `0.5`. */
    share?: number | Variable;
  };
  /** How a request is found again in logs. Default: `{}`. */
  request_id?: {
    /** Made here, sent upstream and back. Default: `"X-Request-Id"`. */
    header?: string;
  };
  /** How much the program logs to standard output. Default: `{}`. */
  log?: {
    /** The least that is written. Default: `"info"`. */
    level?: "trace" | "debug" | "info" | "warn" | "error" | "fatal" | "silent" | Variable;
    /** auto: pretty on a terminal. Default: `"auto"`. */
    format?: "auto" | "json" | "pretty" | Variable;
  };
  /** A line for each request, forwarded or not, without its query. Off by default. */
  access_log?: {
    /** Where the lines go, relative to this file; `-`: standard output. After a reload, as by SIGHUP, a file that was renamed is begun again. Default: `"-"`. */
    file?: string;
    /** combined: that of Apache and nginx; ecs: JSON by the Elastic Common Schema. Default: `"combined"`. */
    format?: "combined" | "ecs" | Variable;
  };
  /** How the program stops. Default: `{}`. */
  shutdown?: {
    /** SIGTERM: what is in flight may take this long. Default: `"30s"`. */
    deadline?: string;
  };
  /** The resource identifier of RFC 9728: where clients think the API is. */
  resource?: string;
  /** The pages of other origins that may call the API. By default, none may. */
  cors?: {
    /** Origins whose pages may call, each scheme://host[:port]. */
    origins: ReadonlyArray<string>;
    /** Request headers that pages may send. Default: `["Authorization","Content-Type"]`. */
    headers?: ReadonlyArray<string>;
    /** true: cookies may be sent; never with the origin `*`. Default: `false`. */
    credentials?: boolean | Variable;
    /** How long a browser remembers a preflight. Default: `"10m"`. */
    max_age?: string;
  };
  /** In challenges (RFC 9110 §11.5). Default: `"api"`. */
  realm?: string;
  /** A route that names another scope is an error. */
  scopes_supported?: ReadonlyArray<string>;
  /** Where a bearer token may stand (RFC 6750 §2, RFC 9728): header, body, query. Default: `["header"]`. */
  bearer_methods_supported?: ReadonlyArray<"header" | "body" | "query" | Variable>;
  /** Name → an authorization server whose tokens are accepted. Default: `{}`. */
  authorization_servers?: {
    [name: string]: {
      /** The issuer identifier; compared byte by byte with `iss`, and where metadata is found (RFC 8414). */
      issuer: string;
      /** Default: from the issuer's metadata. */
      jwks_uri?: string;
      /** A JWK Set in a file, reloaded when it changes; instead of jwks_uri. */
      jwks_file?: string;
      /** The cached key set. Default: `{}`. */
      jwks?: {
        /** Keys are fetched again after this. Default: `"10m"`. */
        ttl?: string;
        /** At most one fetch for unknown `kid`s in this time. Default: `"10s"`. */
        cooldown?: string;
        /** How long past `ttl` the last good keys serve when fetching fails. Default: `"1h"`. */
        stale_if_error?: string;
      };
      /** Where keys of single users are, with `{kid}` in it. Default: from the issuer's metadata. Their tokens are verified with a key that is fetched by its `kid`. */
      user_key_uri_template?: string;
      /** RFC 7662. Default: from the issuer's metadata. */
      introspection_endpoint?: string;
      /** How the gateway proves there who it is (RFC 8414): by `client_secret`, or by a JWT signed with `client_key` (RFC 7523). Default: `"client_secret_basic"`. */
      introspection_endpoint_auth_method?: "client_secret_basic" | "client_secret_post" | "private_key_jwt" | Variable;
      /** The credentials that the gateway uses at the introspection endpoint. */
      client_id?: string;
      /** The secret of `client_id`; best a variable. */
      client_secret?: string;
      /** For private_key_jwt: a file with the private key, JWK or PEM. */
      client_key?: string;
      /** auto: a JWT locally, anything else by introspection; both: a JWT locally and by introspection; store: a JWT locally, and everything by the database of `storage`. Default: `"auto"`. */
      verify?: "auto" | "jwt" | "introspection" | "both" | "store" | Variable;
      /** sqlite:FILE, relative to this file, or postgres://USER@HOST/DATABASE: the `storage` of a Gatehouse authorization service, for `verify: store`. It is only read. */
      storage?: string;
      /** The value that `aud` must contain. `any` turns the check off. */
      audience?: string;
      /** Signature algorithms that are accepted; HS256, HS384, HS512 only with a secret. Default: `["EdDSA","ES256","RS256","PS256"]`. */
      algorithms?: ReadonlyArray<"EdDSA" | "Ed25519" | "ES256" | "ES384" | "ES512" | "RS256" | "RS384" | "RS512" | "PS256" | "PS384" | "PS512" | "HS256" | "HS384" | "HS512" | Variable>;
      /** For HS256, HS384, HS512: text of 32 bytes at least. */
      secret?: string;
      /** The same as `secret`, in base64url. */
      secret_base64url?: string;
      /** Accepted `typ` headers (RFC 9068 §4). `JWT`, and `absent` for tokens that name no type, must be asked for, and need an audience or required_claims. Default: `["at+jwt"]`. */
      typ?: ReadonlyArray<string>;
      /** Claims that a JWT must also have, by name or path, each with one of the given values. They separate access tokens from other JWTs if `typ` and `aud` do not. Default: `{}`. */
      required_claims?: {
        [name: string]: ReadonlyArray<string>;
      };
      /** Claims that carry scope, all together: strings or arrays. Default: `["scope","scp"]`. */
      scope_claims?: ReadonlyArray<string>;
      /** Opaque tokens with this prefix are this server's. */
      token_prefix?: string;
      /** By how much the clocks may differ when `exp` and `nbf` are judged. Default: `"30s"`. */
      clock_skew?: string;
      /** A token that lives longer, from `iat` to `exp`, is refused. Default: `"24h"`. */
      max_token_lifetime?: string;
      /** The revocation feed of the server, or `none`. Default: from the issuer's metadata, where there are `client_id` and `client_secret` of a client that may follow it. Without a feed, revoked JWTs pass until their `exp`. */
      events?: string;
      /** When the feed says nothing for longer, `on_stale` applies. Default: `"60s"`. */
      max_staleness?: string;
      /** JWTs while the feed is silent. introspect: their server is asked about each; deny: 503; allow: they pass, revoked ones too. Default: `"introspect"`. */
      on_stale?: "introspect" | "deny" | "allow" | Variable;
      /** TLS towards its metadata, keys and introspection. */
      tls?: {
        /** A PEM file of the only certificate authorities that the gateway trusts for this server. It replaces the system's. The gateway reads the file again when it changes. */
        ca: string;
      };
      /** Facts about tokens. Decisions are never cached. Default: `{}`. */
      cache?: {
        /** Verified tokens kept. Default: `50000`. */
        size?: number | Variable;
        /** How long an answer of introspection or of a store serves; never past its `exp`. Default: `"60s"`. */
        ttl?: string;
        /** Refused tokens kept, by digest. Default: `10000`. */
        negative_size?: number | Variable;
        /** How long a refusal serves. Default: `"5s"`. */
        negative_ttl?: string;
        /** How long past `ttl` an active answer serves while introspection is out; never past `exp`. Default: `"0s"`. */
        stale_if_error?: string;
        /** Introspection calls at one time; further ones wait. Default: `64`. */
        max_concurrent?: number | Variable;
      };
    };
  };
  /** Name → an API behind the gateway. Default: `{}`. */
  upstreams?: {
    [name: string]: {
      /** http: or https:, host and port, no path. */
      url?: string;
      /** Several of the same, between which requests are shared out. */
      urls?: ReadonlyArray<string>;
      /** Between `urls`: one after the other, or where the fewest requests are in flight. Default: `"round_robin"`. */
      balance?: "round_robin" | "least_connections" | Variable;
      /** The Host that the upstream sees: preserve | upstream | a literal. Default: `"preserve"`. */
      host?: string;
      /** false: it treats /API and /api alike, so its routes match without case. Default: `true`. */
      case_sensitive?: boolean | Variable;
      /** { basic: { username, password } }, { digest: { username, password } } or { header: { name, value } } */
      credentials?: {
        basic: {
          /** Without a colon. */
          username: string;
          /** Best a variable. */
          password: string;
        };
      } | {
        /** Digest authentication (RFC 7616). */
        digest: {
          /** Without a colon. */
          username: string;
          /** Best a variable. */
          password: string;
          /** The accepted schemes. The gateway uses the first one that the upstream offers. Default: `["SHA-256","SHA-512-256","MD5"]`. */
          algorithms?: ReadonlyArray<"SHA-256" | "SHA-256-sess" | "SHA-512-256" | "SHA-512-256-sess" | "MD5-sess" | "MD5" | Variable>;
          /** The accepted values of qop. The gateway uses the first one that the upstream offers. auth-int hashes the body, so the gateway holds the body first. Default: `["auth","auth-int"]`. */
          qop?: ReadonlyArray<"auth" | "auth-int" | Variable>;
          /** Where the upstream takes it, a hash stands for the name (RFC 7616 §3.4.4). Default: `true`. */
          userhash?: boolean | Variable;
          /** request: a new one with each request. nonce: one as long as a nonce serves, for servers that want it so. Default: `"request"`. */
          cnonce?: "request" | "nonce" | Variable;
        };
      } | {
        header: {
          /** The value of the header. */
          name: string;
          /** Best a variable. */
          value: string;
        };
      };
      /** How long it is waited for; above: 504. Default: `{}`. */
      timeout?: {
        /** For a connection to open. Default: `"2s"`. */
        connect?: string;
        /** To the first byte of the answer. Absent: 30s; no limit while all its routes are in shadow. */
        response?: string;
        /** Between two bytes of the answer; none for quiet streams. Absent: 60s; no limit while all its routes are in shadow. */
        idle?: string;
      };
      /** How often a request is sent again, to another url where there is one: of an idempotent method without a body when its connection broke before an answer, any when no connection opened. Default: `1`. */
      retries?: number | Variable;
      /** Asks each url whether it is well. Absent: every url counts as well. */
      health?: {
        /** The target of the health check, a GET without a credential. 2xx is healthy. */
        path: string;
        /** Between two questions, a tenth more or less by chance. Default: `"5s"`. */
        interval?: string;
        /** For an answer; above: as if it had failed. Default: `"2s"`. */
        timeout?: string;
        /** So many failures in a row, and the url gets no requests … Default: `3`. */
        unhealthy_after?: number | Variable;
        /** … until it answered so many times in a row. Default: `2`. */
        healthy_after?: number | Variable;
      };
      /** Leaves a url alone that does not answer. An answer of any status is an answer. Absent: never. */
      circuit_breaker?: {
        /** So many requests in a row without an answer (refused, cut, garbage, silence), and the url gets none … Default: `5`. */
        failures?: number | Variable;
        /** … for so long; then one, and with its answer all again. Default: `"10s"`. */
        open_for?: string;
      };
      /** Towards https urls. Certificates are always verified; the files are read again when they change. */
      tls?: {
        /** A PEM file of the only certificate authorities that the gateway trusts for this upstream. By default, it trusts the system's. */
        ca?: string;
        /** File: the certificate that is shown to it, PEM; with `key`. */
        cert?: string;
        /** File: the private key of `cert`, PEM. */
        key?: string;
        /** The name that its certificate must have. Absent: the host of the url. */
        server_name?: string;
      };
      /** The client that speaks HTTP/1.1 with the upstream. own: a small, strict client; undici takes over for ten minutes if own does not understand how an answer begins. undici: always undici, which costs the gateway about half as much again for each request. Default: `"own"`. */
      engine?: "own" | "undici" | Variable;
      /** true: HTTP/2, by ALPN over https or at once over http. Default: `false`. */
      http2?: boolean | Variable;
      /** Connections to each url at one time, without those that became WebSockets; with `http2`, requests. Default: `256`. */
      max_connections?: number | Variable;
      /** Requests that wait for a connection; above: 503. Default: `1024`. */
      max_pending?: number | Variable;
    };
  };
  /** For routes that do not say otherwise. Default: `{}`. */
  defaults?: {
    /** The name of one of `upstreams`. */
    upstream?: string;
    /** The headers that tell the upstream who the caller is. Default: `{}`. */
    identity_headers?: {
      /** Every inbound header with this prefix, in any spelling, is dropped. Default: `"X-Auth-"`. */
      prefix?: string;
      /** Header name → claim. Default: `{"X-Auth-Subject":"sub","X-Auth-Client":"client_id","X-Auth-Scope":"scope"}`. */
      set?: {
        [name: string]: string;
      };
    };
    /** Headers that the upstream gets as they came. They name another path or method (from a client), or a certificate, with every name that continues with a hyphen (from a proxy in `trusted_proxies`). The gateway drops all others of these kinds. This has no effect at `decision`: there the proxy forwards, and must drop them. Default: `[]`. */
    pass_headers?: ReadonlyArray<"X-Original-URL" | "X-Original-URI" | "X-Rewrite-URL" | "X-Override-URL" | "X-HTTP-Path-Override" | "X-HTTP-Method-Override" | "X-HTTP-Method" | "X-Method-Override" | "X-Original-Method" | "Client-Cert" | "Client-Certificate" | "Cert-Chain" | "X-SSL" | "SSL-Client" | "X-Client-Cert" | "X-Client-Certificate" | "X-Client-Verify" | "X-Client-DN" | "X-ARR-ClientCert" | "X-Amzn-Mtls" | "CF-Client-Cert" | "CF-Cert" | "WL-Proxy-Client-Cert" | Variable>;
  };
  /** Which requests pass, and what they need. */
  routes: ReadonlyArray<{
    /** In logs and metrics. Default: made from methods and path. */
    id?: string;
    /** The requests that the route is for. */
    match: {
      /** A name, or a pattern such as {tenant}.api.example.com. */
      host?: string;
      /** literal, {name} (one segment), {name*} (the rest, also empty). */
      path: string;
      /** Absent: every method. */
      methods?: ReadonlyArray<string>;
      /** Header name → the value that it must have; twice, or as X_Env for X-Env: 400. */
      headers?: {
        [name: string]: string;
      };
      /** Query parameter → the value that it must have; twice, or as op[], OP or ;op= for op, or f[a]x for f[a]: 400. */
      query?: {
        [name: string]: string;
      };
      /** The SOAPAction header of SOAP 1.1, or the action parameter of SOAP 1.2, with attachments too; one that readers of a media type find in different places: 400. */
      soap_action?: string;
    };
    /** The name of one of `upstreams`. Default: that of `defaults`. */
    upstream?: string;
    /** bearer (the default), basic, api_key, digest, or { any_of: [ … ] } */
    auth?: "bearer" | "basic" | "api_key" | "digest" | {
      /** Schemes, of which a request uses one. */
      any_of: ReadonlyArray<"bearer" | "basic" | "api_key" | "digest" | Variable>;
    } | Variable;
    /** Basic authentication (RFC 7617) of a route. */
    basic?: {
      /** In the challenge. Default: `realm` of the file. */
      realm?: string;
      /** A file, or { storage } of an authorization service. */
      users: string | {
        /** sqlite:FILE, relative to this file, or postgres://USER@HOST/DATABASE: the `storage` of a Gatehouse authorization service. It is only read, and a change holds within a second. */
        storage: string;
      };
      /** Asks clients for UTF-8 (RFC 7617 §2.1). */
      charset?: "UTF-8" | Variable;
      /** true: passwords are taken without TLS too. Default: `false`. */
      allow_insecure?: boolean | Variable;
      /** User → the scope that the user holds, space-delimited. Without an entry a user holds none. Default: `{}`. */
      scopes?: {
        [name: string]: string;
      };
    };
    /** API keys of a route. */
    api_key?: {
      /** In the challenge. Default: `realm` of the file. */
      realm?: string;
      /** The place of the key. In a query it is kept out of logs and caches. Default: `"header"`. */
      in?: "header" | "query" | Variable;
      /** The name of the header or query parameter. Default: `"X-API-Key"`. */
      name?: string;
      /** A file, or { storage } of an authorization service. */
      keys: string | {
        /** sqlite:FILE, relative to this file, or postgres://USER@HOST/DATABASE: the `storage` of a Gatehouse authorization service. It is only read, and a change holds within a second. */
        storage: string;
      };
      /** Opens what `gatehouse api-key import` kept of short keys: 32 bytes in base64. */
      hmac_key?: string;
    };
    /** Digest authentication (RFC 7616) of a route. */
    digest?: {
      /** In the challenge, and in every stored hash: a change makes all of them worthless. */
      realm: string;
      /** A file, or { storage, encryption_keys } of an authorization service. */
      users: string | {
        /** sqlite:FILE, relative to this file, or postgres://USER@HOST/DATABASE: the `storage` of a Gatehouse authorization service. It is only read, and a change holds within a second. */
        storage: string;
        /** Those of the authorization service, which open its hashes. Absent: the key file beside the SQLite database; required with `postgres`. */
        encryption_keys?: ReadonlyArray<string>;
      };
      /** The offered algorithms, each with a challenge. Offer MD5 only for clients without SHA-256 (no FIPS module has it). Default: `["SHA-256"]`. */
      algorithms?: ReadonlyArray<"SHA-256" | "SHA-256-sess" | "SHA-512-256" | "SHA-512-256-sess" | "MD5-sess" | "MD5" | Variable>;
      /** auth, and auth-int, which also protects the body. Default: `["auth"]`. */
      qop?: ReadonlyArray<"auth" | "auth-int" | Variable>;
      /** A nonce serves this long; then the client gets a new one without asking its user. Default: `"5m"`. */
      nonce_ttl?: string;
      /** strict: the count of a nonce only grows. window: in any order, each once, for clients that send several requests at a time. Default: `"strict"`. */
      nc?: "strict" | "window" | Variable;
      /** true: also responses of RFC 2069, by MD5, each nonce once. Default: `false`. */
      legacy_no_qop?: boolean | Variable;
      /** Clients may send a hash in place of the name (RFC 7616 §3.4.4). Default: `true`. */
      userhash?: boolean | Variable;
      /** true: a nonce serves only the address that got it. Default: `false`. */
      bind_ip?: boolean | Variable;
      /** How `uri` is compared with the request target: byte by byte, or after decoding unreserved characters. Default: `"exact"`. */
      uri_match?: "exact" | "normalized" | Variable;
      /** By which fields a trusted proxy that rewrites tells what it received, so that `uri` may be that. It must set each of them itself, or a client could. Default: `[]`. */
      uri_from?: ReadonlyArray<"X-Original-URI" | "X-Forwarded-Uri" | "X-Forwarded-Prefix" | Variable>;
      /** For auth-int. Default: `{}`. */
      auth_int?: {
        /** A body that is read to be hashed; above: 413. Default: `"1MiB"`. */
        max_body?: string;
      };
      /** true: towards the end of its time a nonce is followed by the next one in the answer. Default: `false`. */
      nextnonce?: boolean | Variable;
      /** The challenge has an opaque value, which clients give back. Default: `true`. */
      opaque?: boolean | Variable;
      /** Where the credentials serve too; absent: everywhere on this server. */
      domain?: ReadonlyArray<string>;
      /** User → the scope that the user holds, space-delimited. Without an entry a user holds none. Default: `{}`. */
      scopes?: {
        [name: string]: string;
      };
    };
    /** Absent: scope is required. */
    access?: "public" | "optional" | "authenticated" | Variable;
    /** The scope that a token must carry: text (space-delimited, all required), { any_of: [ … ] } or { all_of: [ … ] }. */
    scope?: string | {
      any_of: ReadonlyArray<string>;
    } | {
      all_of: ReadonlyArray<string>;
    };
    /** Claim, or path of claims → what it must be. */
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
    /** A CEL expression over `request` and `identity` that must be true. The pattern of `matches` is RE2 in quotes. A header or parameter that it reads must occur once: twice, or as X_Env for X-Env, or as op[], OP or ;op= for op, is 400. If it may read any, this applies to each one except lists such as Accept, Via and X-Forwarded-For. */
    when?: string;
    /** The value that `aud` must contain. The default is the authorization server's. */
    audience?: string;
    /** RFC 9728: a protected resource of its own. */
    resource?: string;
    /** How often one client, user, address or holder of a claim may come. */
    rate_limit?: {
      /** client_id | sub | address | claim:NAME, whose requests are counted together. */
      by: string;
      /** So many pass … */
      requests: number | Variable;
      /** … in any window of this length, 1s to 1d; above: 429. */
      per: string;
    };
    /** Default: that of the file. */
    mode?: "enforce" | "shadow" | Variable;
    /** upstream: preflights and CORS headers are its own business. */
    cors?: "upstream" | Variable;
    /** The path that the upstream gets instead. */
    rewrite?: {
      /** Taken away from the beginning of the path. */
      strip_prefix?: string;
      /** Then put before it. */
      add_prefix?: string;
    };
    /** Names of those whose tokens are taken. Default: all. */
    authorization_servers?: ReadonlyArray<string>;
    /** Where a bearer token may stand (RFC 6750 §2, RFC 9728): header, body, query. */
    bearer_methods_supported?: ReadonlyArray<"header" | "body" | "query" | Variable>;
    /** true: the upstream sees the credential too. Default: `false`. */
    forward_credential?: boolean | Variable;
    /** %2f in a path. Default: `"refuse"`. */
    encoded_slashes?: "refuse" | "keep" | Variable;
    /** ; or %3b in a path. Default: `"refuse"`. */
    path_parameters?: "refuse" | "keep" | Variable;
    /** The headers that tell the upstream who the caller is. */
    identity_headers?: {
      /** Every inbound header with this prefix, in any spelling, is dropped. Default: `"X-Auth-"`. */
      prefix?: string;
      /** Header name → claim. Default: `{"X-Auth-Subject":"sub","X-Auth-Client":"client_id","X-Auth-Scope":"scope"}`. */
      set?: {
        [name: string]: string;
      };
    };
    /** Headers that the upstream gets as they came. They name another path or method (from a client), or a certificate, with every name that continues with a hyphen (from a proxy in `trusted_proxies`). The gateway drops all others of these kinds. This has no effect at `decision`: there the proxy forwards, and must drop them. */
    pass_headers?: ReadonlyArray<"X-Original-URL" | "X-Original-URI" | "X-Rewrite-URL" | "X-Override-URL" | "X-HTTP-Path-Override" | "X-HTTP-Method-Override" | "X-HTTP-Method" | "X-Method-Override" | "X-Original-Method" | "Client-Cert" | "Client-Certificate" | "Cert-Chain" | "X-SSL" | "SSL-Client" | "X-Client-Cert" | "X-Client-Certificate" | "X-Client-Verify" | "X-Client-DN" | "X-ARR-ClientCert" | "X-Amzn-Mtls" | "CF-Client-Cert" | "CF-Cert" | "WL-Proxy-Client-Cert" | Variable>;
    /** In place of the `timeout` of the upstream. */
    timeout?: {
      /** To the first byte of the answer. */
      response?: string;
      /** Between two bytes of the answer. */
      idle?: string;
    };
    /** on: an upload gets a connection of the upstream when its end or its first 64 KiB is here, or 250 ms after its last byte; off: at once. Default: `"on"`. */
    request_buffering?: "on" | "off" | Variable;
    /** token: WebSockets, event streams, downloads and uploads end when the token expires or is revoked. request: they continue. Default: `"request"`. */
    end_with?: "token" | "request" | Variable;
    /** In place of the `limits` of the file. */
    limits?: {
      /** Request body; above: 413. */
      body?: string;
      /** A form that is read for its access_token; above: 413. */
      form_body?: string;
    };
  }>;
  /** Requests and their expected outcomes. `check`, each start and each reload run them. Default: `[]`. */
  tests?: ReadonlyArray<{
    /** GET /orders/7, or GET https://host/orders/7; the host is that of `resource` unless given. */
    request: string;
    /** Header name → its value. */
    headers?: {
      [name: string]: string;
    };
    /** The token of the request, as if it had been verified; for every audience unless `aud` says otherwise. */
    token?: {
      /** Space-delimited. */
      scope?: string;
      /** The user. */
      sub?: string;
      /** The client. */
      client_id?: string;
      /** one audience, or a list */
      aud?: string | ReadonlyArray<string>;
      /** The authorization server that issued it. The default is the route's first. */
      server?: string;
      /** Further claims. */
      claims?: {
        [name: string]: unknown;
      };
    };
    /** An assumed user of Basic or Digest, or an assumed client or key id of an API key. Other routes have no user. */
    user?: string;
    /** { forward: true, route: … } or { refuse: STATUS, code: …, error: … } */
    expect: {
      /** The request goes to an upstream. */
      forward: true | Variable;
      /** The id of the route that forwards it. */
      route?: string;
    } | {
      /** The status. */
      refuse: number | Variable;
      /** One of docs/errors.md. */
      code?: string;
      /** The `error` of the challenge (RFC 6750 §3.1). */
      error?: "invalid_request" | "invalid_token" | "insufficient_scope" | Variable;
    };
  }>;
}

/** authorization.yaml as it is written: defaults left out, durations and sizes as text. */
export interface AuthorizationFile {
  /** The version of this file format. */
  version: 1 | Variable;
  /** true: an http issuer beyond loopback and plain passwords of users are allowed. Default: `false`. */
  development?: boolean | Variable;
  /** The issuer identifier (RFC 8414): never taken from the Host header. */
  issuer: string;
  /** Where clients connect; TLS ends before it. Default: `"127.0.0.1:8081"`. */
  listen?: string;
  /** Management listener: never on a public address. On loopback it answers to loopback names only. */
  admin?: string;
  /** Only /livez, /readyz, /metrics. Off by default. */
  health?: string;
  /** CIDRs whose X-Forwarded-For is believed. Default: `[]`. */
  trusted_proxies?: ReadonlyArray<string>;
  /** sqlite:FILE, relative to this file, or postgres://USER@HOST/DATABASE. Default: `"sqlite:data/gatehouse.db"`. */
  storage?: string;
  /** 32 bytes of base64 each; the first encrypts, all decrypt. Absent: made beside the database, mode 0600; required with `postgres`. */
  encryption_keys?: ReadonlyArray<string>;
  /** memory, or redis://HOST:PORT shared by several processes (rediss: with TLS): how often a wrong secret was given. Default: `"memory"`. */
  counters?: string | {
    /** As in the short form. */
    url: string;
    /** For a Redis with an authority of its own. */
    tls?: {
      /** File: who may issue its certificate, PEM, in place of the authorities of the system. */
      ca: string;
    };
  };
  /** How tokens are signed. Default: `{}`. */
  signing?: {
    /** How the service signs JWT access tokens. Default: `"ES256"`. */
    alg?: "EdDSA" | "ES256" | "RS256" | "HS256" | Variable;
    /** For HS256: 32 bytes at least, shared with every verifier, never published. */
    secret_base64url?: string;
    /** true: what a user grants is signed with a key of that user, so that rotating it ends the JWTs of one user; gateways fetch it by its `kid`. Default: `false`. */
    user_keys?: boolean | Variable;
    /** A new password rotates the key of the user, where there are `user_keys`. Default: `true`. */
    rotate_on_password_change?: boolean | Variable;
  };
  /** Resource indicators (RFC 8707); the first is the default `aud`. */
  resources: ReadonlyArray<string>;
  /** Form and lifetime of tokens. Default: `{}`. */
  tokens?: {
    /** Authorization codes. Default: `{}`. */
    code?: {
      /** How long an authorization code is valid, at most 5m. Default: `"60s"`. */
      ttl?: string;
    };
    /** Access tokens. Default: `{}`. */
    access?: {
      /** A client may override it. Default: `"opaque"`. */
      format?: "opaque" | "jwt" | Variable;
      /** How long an opaque access token is valid. Default: `"1h"`. */
      ttl?: string;
      /** How long a JWT access token is valid. Default: `"15m"`. */
      jwt_ttl?: string;
      /** Claim → `user.NAME` or `client.NAME`: the entry of `claims` that the claim takes its value from. Default: `{}`. */
      claims?: {
        [name: string]: string;
      };
    };
    /** Refresh tokens. Default: `{}`. */
    refresh?: {
      /** How long a refresh token is valid. Each use issues a new one. Default: `"7d"`. */
      ttl?: string;
      /** After this long the user logs in again, however often the token was used. Default: `"30d"`. */
      absolute_ttl?: string;
      /** A second use of a refresh token within this time is rejected. A later one revokes all tokens of its grant. Default: `"10s"`. */
      reuse_leeway?: string;
      /** For this long a client that lost the answer gets the same tokens again. Default: `"0s"`. */
      retry_window?: string;
      /** A refresh gives a new access token, or makes the old one last longer (opaque only). Default: `"new"`. */
      access_token?: "new" | "extend" | Variable;
    };
    /** Keys of the browserless exchange. Default: `{}`. */
    session_key?: {
      /** How long a session key is valid. Default: `"7d"`. */
      ttl?: string;
    };
    /** Requests for tokens and session keys of one client from one address (of IPv6: its /64) in any minute, and a twentieth of it for codes of one session to one client; above: 429. 0: no limit. Default: `6000`. */
    max_a_minute?: number | Variable;
  };
  /** Scope → what it allows, in words. Default: `{}`. */
  scopes?: {
    [name: string]: string;
  };
  /** A request for more than the client registered: invalid_scope, or granted in part. Default: `"reject"`. */
  scope_excess?: "reject" | "narrow" | Variable;
  /** The browserless exchange. Default: `{}`. */
  session?: {
    /** true: /oauth2/session exchanges a code for a session key. Default: `false`. */
    enabled?: boolean | Variable;
    /** Its parameters may stand in the query, secret included; they are kept out of the log. Default: `true`. */
    allow_query?: boolean | Variable;
    /** errcode: every refusal is status 200 with `errcode` and `errmsg`. Default: `"oauth"`. */
    errors?: "oauth" | "errcode" | Variable;
  };
  /** For clients and resource servers that cannot follow the specifications. Default: `{}`. */
  compat?: {
    /** Accept app_id, app_secret and their like. Default: `true`. */
    aliases?: boolean | Variable;
    /** true: tokens carry `app_id` beside `client_id`. Default: `false`. */
    app_id_claim?: boolean | Variable;
    /** The `typ` of JWT access tokens (RFC 9068 §2.1). Default: `"at+jwt"`. */
    jwt_typ?: "at+jwt" | "JWT" | Variable;
  };
  /** The clients that may request tokens. Default: `[]`. */
  clients?: ReadonlyArray<{
    /** Or app_id; one of them is required. */
    client_id?: string;
    /** The same as `client_id`. */
    app_id?: string;
    /** Or app_secret, or client_secret_sha256. Absent: a public client. */
    client_secret?: string;
    /** The same as `client_secret`. */
    app_secret?: string;
    /** SHA-256 of the secret, lower-case hex. */
    client_secret_sha256?: string;
    /** For people. */
    client_name?: string;
    /** Where a browser may be sent back to, compared byte by byte; only the port of a loopback address may differ. Default: `[]`. */
    redirect_uris?: ReadonlyArray<string>;
    /** Space-delimited: the upper bound of every later grant. */
    scope?: string;
    /** Grants that the client may use. Default: `[]`. */
    grant_types?: ReadonlyArray<"authorization_code" | "refresh_token" | "client_credentials" | "password" | "implicit" | Variable>;
    /** Default: `tokens.access.format`. */
    access_token_format?: "opaque" | "jwt" | Variable;
    /** false: a client with a secret may leave out PKCE (RFC 7636). Default: `true`. */
    require_pkce?: boolean | Variable;
    /** Default: `tokens.refresh.retry_window`. */
    retry_window?: string;
    /** true: may use the browserless exchange for a session key. Default: `false`. */
    session?: boolean | Variable;
    /** Facts about the client; `tokens.access.claims` says which go into tokens. Default: `{}`. */
    claims?: {
      [name: string]: unknown;
    };
    /** true: may ask the introspection endpoint about any token. Default: `false`. */
    introspect?: boolean | Variable;
    /** true: may follow the revocation feed, as a gateway does. Default: `false`. */
    events?: boolean | Variable;
    /** true: may fetch the keys of users, where they are secrets (`signing`: HS256 with `user_keys`). Default: `false`. */
    keys?: boolean | Variable;
  }>;
  /** The users that may log in. Default: `[]`. */
  users?: ReadonlyArray<{
    /** The name that the user types to log in. Upper and lower case are equal. */
    username: string;
    /** As `gatehouse hash-password` prints it: $argon2id$v=19$… */
    password_argon2?: string;
    /** The password itself; only with `development: true`. */
    password?: string;
    /** For people. */
    name?: string;
    /** Facts about the user; `tokens.access.claims` says which go into tokens. Default: `{}`. */
    claims?: {
      [name: string]: unknown;
    };
    /** The `sub` of tokens for this user, never given to another. Default: the username. */
    subject?: string;
  }>;
  /** Against guessing of secrets. Default: `{}`. */
  login?: {
    /** Wrong secrets of one client, or wrong passwords of one user, from one address; and ten times as many wrong passwords from one address … Default: `10`. */
    max_failures?: number | Variable;
    /** The window for `max_failures`. More failures are answered with 429. An IPv6 /64 counts as one address. A /56 has twice this limit, a /48 four times. Default: `"15m"`. */
    window?: string;
    /** Wrong passwords of one user in a day, from all addresses; above: 429. Browsers that this user logged in with before are not concerned, nor are addresses where the right password came from in the last 30 days. Default: `100`. */
    max_failures_a_day?: number | Variable;
  };
  /** How the hosted pages look. Default: `{}`. */
  theme?: {
    /** File: .svg or .png. */
    logo?: string;
    /** Variable → value: --accent, --background, --surface, --text, --muted, --border, --danger, --radius, --logo-height, --font. Default: `{}`. */
    css?: {
      [name: string]: string;
    };
  };
  /** Where the service logs who did what. */
  audit?: {
    /** One line of JSON for each event, relative to this file. */
    file: string;
    /** A file that has grown to this is put aside as `FILE.1`, and a new one begins; none: another program does that. Default: `"100MiB"`. */
    max_size?: string;
    /** Files that were put aside; with one more, the oldest is removed. Default: `9`. */
    max_files?: number | Variable;
    /** A file that was put aside is removed so long after its last line. Default: `"365d"`. */
    max_age?: string;
  };
  /** How much the program logs to standard output. Default: `{}`. */
  log?: {
    /** The least that is written. Default: `"info"`. */
    level?: "trace" | "debug" | "info" | "warn" | "error" | "fatal" | "silent" | Variable;
    /** auto: pretty on a terminal. Default: `"auto"`. */
    format?: "auto" | "json" | "pretty" | Variable;
  };
  /** How the program stops. Default: `{}`. */
  shutdown?: {
    /** SIGTERM: what is in flight may take this long. Default: `"30s"`. */
    deadline?: string;
  };
}
