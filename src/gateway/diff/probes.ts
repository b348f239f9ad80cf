import type { RouteConfig } from '../../config/schema/gateway.ts';
import type { Route } from '../decide/route.ts';
import { pathFits } from '../explain/candidates.ts';
import type { SimulatedRequest } from '../explain/simulated-request.ts';
import type { CompiledFile } from './compiled-file.ts';
import { type HostSample, hostSamples } from './host-samples.ts';
import { operationSamples } from './operation-samples.ts';
import { originSamples } from './origin-samples.ts';
import { type PathSample, pathSamples, unique } from './path-samples.ts';

/** A request to try on both files, and the requests that it represents. */
export interface ProbeRequest {
  readonly asked: SimulatedRequest;
  readonly host: string;
  readonly method: string;
  readonly path: string;
}

const OTHER_METHOD = 'OTHER';

/** A finite set that covers every difference that hosts, paths, methods and conditions of the two files can make. */
export function* probes(sides: readonly CompiledFile[]): Iterable<ProbeRequest> {
  const routes = sides.flatMap((side) => side.routes);
  const paths = variants(pathSamples(routes.map(({ segments }) => segments)), sides);
  const methods = [...new Set(routes.flatMap((route) => [...(route.methods ?? [])])), OTHER_METHOD];
  const hosts = hostSamples(routes);
  const conditional = sides.flatMap(conditionalOf);
  const guarded = routes.filter(({ origins }) => origins !== undefined);
  const tools = routes.filter(({ mcp }) => mcp !== undefined);
  const operations = tools.length === 0 ? [] : operationSamples(sides);
  for (const sample of paths) {
    const plain = fromPages(conditionsFor(sample, conditional), sample, guarded);
    const isForTools = tools.some((route) => pathFits(route, sample.path));
    const conditions = isForTools ? withOperations(plain, operations) : plain;
    for (const host of hosts) {
      for (const method of methods) {
        for (const condition of conditions) yield probe(host, method, sample, condition);
      }
    }
  }
}

function probe(host: HostSample, method: string, sample: PathSample, condition: Condition): ProbeRequest {
  const { headers, query, operation, label } = condition;
  return {
    asked: { method, host: host.text, target: sample.path + query, headers, operation },
    host: host.label,
    method: method === OTHER_METHOD ? '(any other method)' : method,
    path: sample.label + label,
  };
}

interface PathVariant {
  readonly label: string;
  /** Tried only if a setting of a file makes it relevant. */
  readonly matters: (side: CompiledFile) => boolean;
  readonly change: (path: string) => readonly string[];
}

/** The text after each segment of the path in turn. */
function afterEach(path: string, text: string): readonly string[] {
  const parts = path.split('/');
  return parts.slice(1).map((_, index) => parts.map((part, at) => (at === index + 1 ? part + text : part)).join('/'));
}

const pathVariants: readonly PathVariant[] = [
  {
    label: ' (in other letters)',
    matters: ({ routes }) => routes.some(({ caseSensitive }) => !caseSensitive),
    change: (path) => [path.toUpperCase(), path.toLowerCase()],
  },
  {
    label: ' (with %2F)',
    matters: ({ routes }) => routes.some(({ keepEncodedSlashes }) => keepEncodedSlashes),
    change: (path) => afterEach(path, '%2Fx'),
  },
  {
    label: ' (with ;)',
    matters: ({ routes }) => routes.some(({ keepParameters }) => keepParameters),
    change: (path) => afterEach(path, ';x=1'),
  },
];

function variants(samples: readonly PathSample[], sides: readonly CompiledFile[]): readonly PathSample[] {
  const wanted = pathVariants.filter(({ matters }) => sides.some(matters));
  const changed = samples.flatMap(({ path, label }) =>
    wanted.flatMap((variant) => variant.change(path).map((each) => ({ path: each, label: label + variant.label }))),
  );
  return unique([...samples, ...changed], ({ path }) => path);
}

export interface Condition {
  readonly headers: readonly (readonly [string, string])[];
  /** With its `?`. */
  readonly query: string;
  /** For an `mcp` route: the operation of the message. */
  readonly operation?: string;
  readonly label: string;
}

const UNCONDITIONAL: Condition = { headers: [], query: '', label: '' };

interface Conditional {
  readonly route: Route;
  readonly condition: Condition;
}

function conditionalOf(side: CompiledFile): readonly Conditional[] {
  return side.routes.flatMap((route) => {
    const written = route.conditions.length > 0 ? side.written(route) : undefined;
    return written === undefined ? [] : [{ route, condition: conditionOf(written) }];
  });
}

/** A path with more conditions than this gets no request for each two of them. */
const MOST_PAIRED = 12;

/** Without conditions, with the conditions of each route for this path, and of each two. */
function conditionsFor({ path }: PathSample, conditional: readonly Conditional[]): readonly Condition[] {
  const found = conditional.flatMap(({ route, condition }) => (pathFits(route, path) ? [condition] : []));
  const single = unique([UNCONDITIONAL, ...found], ({ label }) => label);
  const few = single.length > MOST_PAIRED ? [] : single.slice(1);
  return [...single, ...few.flatMap((one, index) => few.slice(index + 1).flatMap((other) => both(one, other)))];
}

/** Empty: a header would occur twice, which the gateway refuses or which no route needs. */
function both(one: Condition, other: Condition): readonly Condition[] {
  const names = [...one.headers, ...other.headers].map(([name]) => name.toLowerCase());
  if (new Set(names).size < names.length) return [];
  const query = [one.query, other.query].map((text) => text.slice(1)).filter((text) => text !== '');
  return [
    {
      headers: [...one.headers, ...other.headers],
      query: query.length === 0 ? '' : `?${query.join('&')}`,
      label: one.label + other.label,
    },
  ];
}

/**
 * Each condition twice or more: without a page, and from a page of each kind. `guarded`: the routes that list origins.
 */
function fromPages(
  conditions: readonly Condition[],
  { path }: PathSample,
  guarded: readonly Route[],
): readonly Condition[] {
  const samples = originSamples(guarded.filter((route) => pathFits(route, path)));
  const pages = samples.flatMap(({ origin, label }) =>
    conditions.map(({ headers, query, label: before }) => ({
      headers: [...headers, ['Origin', origin] as const],
      query,
      label: `${before} [Origin: ${label}]`,
    })),
  );
  return [...conditions, ...pages];
}

/** Each condition with each operation. A request without a message is always refused. */
function withOperations(conditions: readonly Condition[], operations: readonly string[]): readonly Condition[] {
  return operations.flatMap((operation) =>
    conditions.map((condition) => ({ ...condition, operation, label: `${condition.label} [${operation}]` })),
  );
}

/** The headers and query that meet a route's header, query and SOAP conditions. */
export function conditionOf({ match }: RouteConfig): Condition {
  const { headers = {}, query = {}, soap_action } = match;
  const soap = soap_action === undefined ? [] : [['SOAPAction', `"${soap_action}"`] as const];
  const lines = [...Object.entries(headers), ...soap];
  const text = new URLSearchParams(query).toString();
  const words = [...lines.map(([name, value]) => `${name}: ${value}`), ...(text === '' ? [] : [`?${text}`])];
  return {
    headers: lines,
    query: text === '' ? '' : `?${text}`,
    label: words.length === 0 ? '' : ` [${words.join(', ')}]`,
  };
}
