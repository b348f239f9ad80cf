/** Numbers in [0, 1) that are the same in every run (mulberry32). */
function seeded(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

export function shuffled<Item>(items: readonly Item[], seed: number): Item[] {
  const random = seeded(seed);
  const result = [...items];
  for (let left = result.length; left > 1; left--) {
    const chosen = Math.floor(random() * left);
    [result[left - 1], result[chosen]] = [result[chosen] as Item, result[left - 1] as Item];
  }
  return result;
}

export const ACCESSES = ['public', 'scope'] as const;
export type Access = (typeof ACCESSES)[number];

/** Every token of the benchmark has all of them. */
export const SCOPES = ['orders.read', 'orders.write', 'stock.read', 'stock.write', 'users.read', 'users.write'];
export const issuer = 'https://hs.example.com';
export const secret = '0123456789abcdef0123456789abcdef';

export interface FileOptions {
  readonly count: number;
  readonly access: Access;
  readonly port: number;
  readonly upstream: string;
  /** The engine with which the gateway talks to it. */
  readonly engine: 'own' | 'undici';
}

/** gateway.yaml with so many routes in no order: one first segment for all, names at three depths. */
export function routeFile({ count, access, port, upstream, engine }: FileOptions): string {
  const routes = Array.from({ length: count }, (_, index) => route(index, access));
  return `version: 1
listen: 127.0.0.1:${port}
log: { level: warn, format: json }
authorization_servers:
  hs: { issuer: ${issuer}, audience: https://api.example.com, algorithms: [HS256], secret: ${secret} }
upstreams:
  api: { url: ${upstream}, engine: ${engine} }
defaults: { upstream: api }
routes:
${shuffled(routes, count).join('')}`;
}

function route(index: number, access: Access): string {
  const rule = access === 'public' ? 'access: public' : `scope: ${SCOPES[index % SCOPES.length]}`;
  return `  - id: ${resource(index)}
    match: { methods: [GET, HEAD], path: "/api/{tenant}/${resource(index)}/{id}/parts/{part}" }
    ${rule}
`;
}

/** All have one length, so that paths of few routes are not shorter than paths of many. */
function resource(index: number): string {
  return `res${String(index).padStart(5, '0')}`;
}

/** So many different paths, spread evenly over the routes. */
export function pathsFor(count: number, paths: number): string[] {
  const all = Array.from({ length: paths }, (_, index) => {
    const number = String(index).padStart(5, '0');
    return `/api/tenant${number}/${resource(index % count)}/${number}/parts/7`;
  });
  return shuffled(all, paths);
}

/** For `wrk -s`: draws one of the paths for each request. All requests are prepared before the load begins. */
export const drawScript = `
local requests = {}
function init(args)
  math.randomseed(1)
  for path in io.lines(args[1]) do requests[#requests + 1] = wrk.format("GET", path) end
end
function request() return requests[math.random(#requests)] end
`;

export function upstreamConf(folder: string, port: number): string {
  return `worker_processes 1; pid ${folder}/up.pid; error_log ${folder}/up.err;
events { worker_connections 2048; }
http { access_log off; keepalive_requests 1000000000; server { listen 127.0.0.1:${port}; location / {
  default_type application/json; return 200 '{"id":1,"name":"hello world","items":[1,2,3,4,5,6,7,8,9,10]}'; } } }
`;
}
