import t from 'tap';
import { importOpenApi } from '../../src/commands/openapi/import-openapi.ts';
import { loadGatewayText } from '../../src/config/load/load.ts';
import type { Route } from '../../src/gateway/decide/route.ts';
import { assumedVerifier } from '../../src/gateway/explain/assumed.ts';
import { buildDryEngine } from '../../src/gateway/explain/dry-engine.ts';
import { simulatedHead } from '../../src/gateway/explain/simulated-request.ts';
import { isFullSize } from '../support/long.ts';
import { type Random, random } from '../support/random.ts';

/** Requests 1,110 paths from each of 500 documents in .ci/run: 24 s on a machine with nothing else to do. */
t.setTimeout(120_000);

const DOCUMENTS = isFullSize ? 500 : 120;
const SEED = 24;
const WORDS = ['a', 'b', 'me', 'a.png', 'v-1', '1-2', 'z', 'q.png', 'a*b', ':x'];
const PIECES = ['a', 'b', 'me', 'a.png', '{x}', '{x}', '{x}', '{x}.png', 'v-{x}', '{x}-{y}', 'a*b', 'a{x}', ':x'];
const METHODS = ['get', 'post'] as const;

const deeper = (paths: readonly string[]) => paths.flatMap((path) => WORDS.map((word) => `${path}/${word}`));
const [one, two] = [deeper(['']), deeper(deeper(['']))];
/** 1,110 of them: every path of up to three words. */
const askedPaths = [...one, ...two, ...deeper(two)];

type Security = readonly Readonly<Record<string, readonly string[]>>[];
type Paths = Readonly<Record<string, Readonly<Record<string, { readonly security?: Security }>>>>;

function securityFrom({ pick }: Random): Security {
  const bearer = (...scopes: string[]) => ({ oauth: scopes });
  return pick<Security>([
    [],
    [],
    [{}, bearer('r')],
    [bearer()],
    [bearer('r')],
    [bearer('w')],
    [bearer('r', 'w')],
    [bearer('r'), bearer('admin')],
    [bearer('admin'), { key: [] }],
    [{ oauth: ['admin'], key: [] }],
  ]);
}

function documentFrom(numbers: Random): { readonly paths: Paths; readonly security?: Security } {
  const count = 2 + numbers.below(12);
  const paths = Array.from({ length: count }, () => {
    const pieces = Array.from({ length: 1 + numbers.below(3) }, () => numbers.pick(PIECES));
    const template = pieces
      .map((piece, index) => `/${piece.replaceAll(/[xy]\}/g, (name) => `${index}${name}`)}`)
      .join('');
    const said = METHODS.filter(() => numbers.chance(0.7)).map((method) => [
      method,
      numbers.chance(0.1) ? {} : { security: securityFrom(numbers) },
    ]);
    return [template, Object.fromEntries(said)];
  });
  return { paths: Object.fromEntries(paths), ...(numbers.chance(0.7) && { security: securityFrom(numbers) }) };
}

/** What a template matches, according to its own text. */
const matched = new Map<string, ReadonlySet<string>>();

function pathsOf(template: string): ReadonlySet<string> {
  const known = matched.get(template);
  if (known !== undefined) return known;
  const source = template.replaceAll(/[.*]/g, String.raw`\$&`).replaceAll(/\{\w+\}/g, '[^/]+');
  const found = new Set(askedPaths.filter((path) => new RegExp(`^${source}$`).test(path)));
  matched.set(template, found);
  return found;
}

/**
 * If two templates match a path, the narrower one counts: narrower by what they match, among these paths and others.
 */
function isNarrower(one: string, other: string): boolean {
  const rank = (piece: string) => (piece.includes('{') ? (/^\{\w+\}$/.test(piece) ? 2 : 1) : 0);
  const [mine, theirs] = [one, other].map((template) => template.split('/')) as [string[], string[]];
  if (mine.length !== theirs.length) return false;
  const bare = (piece: string) => piece.replaceAll(/\{\w+\}/g, '{}');
  const isNone = mine.every((piece, index) => bare(piece) === bare(theirs[index] as string));
  return (
    !isNone &&
    mine.every((piece, index) => {
      const their = theirs[index] as string;
      return bare(piece) === bare(their) || rank(piece) === 0 || rank(their) === 2;
    })
  );
}

interface Caller {
  /** Undefined: no token is required. */
  readonly scopes: readonly string[] | undefined;
}

const callers: readonly Caller[] = [
  { scopes: undefined },
  ...[[], ['r'], ['w'], ['admin'], ['r', 'w'], ['r', 'admin'], ['w', 'admin'], ['r', 'w', 'admin']].map((scopes) => ({
    scopes,
  })),
];

/**
 * The gateway does not know the document's API keys. If a key and a token are required, the token alone must not be
 * weaker than the document.
 */
function documentLetsIn(security: Security | undefined, { scopes }: Caller): boolean {
  if (security === undefined) return scopes !== undefined;
  if (security.length === 0 || security.some((each) => Object.keys(each).length === 0)) return true;
  return scopes !== undefined && security.some(({ oauth = [] }) => oauth.every((scope) => scopes.includes(scope)));
}

function gatewayLetsIn(route: Route, closed: ReadonlySet<string>, { scopes }: Caller): boolean {
  if (closed.has(route.id)) return false;
  if (route.access === 'public' || route.access === 'optional') return true;
  if (scopes === undefined) return false;
  const { scope: needed } = route.requirements;
  return needed?.alternatives.some((all) => all.every((scope) => scopes.includes(scope))) ?? true;
}

const components = {
  securitySchemes: { oauth: { type: 'oauth2', flows: {} }, key: { type: 'apiKey', in: 'header', name: 'k' } },
};

function engineOf(document: object) {
  const imported = importOpenApi(JSON.stringify({ openapi: '3.1.0', components, ...document }));
  if (imported.kind === 'fault') return undefined;
  const loaded = loadGatewayText(imported.text);
  if (!loaded.ok) throw new Error(`${JSON.stringify(loaded.problems)} in ${imported.text}`);
  const closed = new Set(loaded.config.routes.filter(({ when }) => when === 'false').map(({ id }) => id));
  const { engine } = buildDryEngine(loaded, assumedVerifier(loaded.config, new Map()));
  return { engine, closed, text: imported.text };
}

t.test('no imported route is more open than any operation of the document whose requests it accepts', async (t) => {
  let [compared, opened, documents] = [0, 0, 0];
  for (let index = 0; index < DOCUMENTS; index++) {
    const document = documentFrom(random(SEED + index));
    const built = engineOf(document);
    if (built === undefined) continue;
    documents++;
    for (const method of METHODS) {
      const operations = Object.entries(document.paths).flatMap(([template, item]) => {
        const said = item[method];
        return said === undefined ? [] : [{ template, security: said.security ?? document.security }];
      });
      for (const path of askedPaths) {
        const routed = built.engine.route(
          simulatedHead({ method: method.toUpperCase(), host: 'localhost', target: path }),
        );
        if (routed.kind !== 'routed') continue;
        const fitting = operations.filter(({ template }) => pathsOf(template).has(path));
        const meant = fitting.filter(({ template }) => !fitting.some((other) => isNarrower(other.template, template)));
        for (const caller of callers) {
          compared++;
          if (!gatewayLetsIn(routed.route, built.closed, caller)) continue;
          opened++;
          const refused = meant.find(({ security }) => !documentLetsIn(security, caller));
          if (meant.length > 0 && refused === undefined) continue;
          if (meant.length === 0 && caller.scopes !== undefined) continue;
          t.fail(`${method} ${path} for ${caller.scopes}: ${refused?.template}, seed ${SEED + index}`, {
            document: JSON.stringify(document),
            imported: built.text,
          });
          return;
        }
      }
    }
  }
  t.ok(
    documents > DOCUMENTS * 0.95 && compared > DOCUMENTS * 2_000 && opened > DOCUMENTS * 200,
    `${[documents, compared, opened]}`,
  );
  t.comment(`${documents} documents, ${compared} judgements, ${opened} let in`);
});
