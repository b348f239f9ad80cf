import { normalizeHost } from '../../src/config/words/host.ts';
import type { PathSegment } from '../../src/config/words/path-pattern.ts';
import { judgeTarget } from '../../src/gateway/message/target.ts';
import { type RoutePattern, RouteTable } from '../../src/gateway/routing/routes.ts';
import { headOf } from '../gateway/head.ts';
import { type Answer, type Ask, type Asker, type Caller, headText, scopes } from './asker.ts';
import { pathsOf, type RuleFile } from './rule-files.ts';
import { octets } from './served.ts';

/** A judge made from the engine's parts, with one fault in it. */
export interface Judge {
  /** The forms of a path that must match the same route. */
  readonly readings: readonly Reading[];
  /** `;` and `%3B` do not matter for these routes. */
  readonly ignoresParameters?: boolean;
  /** How the URL from a proxy is read; undefined: it is unclear. */
  readonly told: (url: string) => Told | undefined;
}

type Reading = (path: string) => string;

interface Told {
  readonly host: string;
  readonly target: string;
}

const asItStands: Reading = (path) => path.replace(/%[0-9a-f]{2}/gi, (encoded) => encoded.toUpperCase());
const cut: Reading = (path) => path.replace(/(?:%3f|%23).*$/i, '');
const withoutBlanks: Reading = (path) => path.replace(/(?:%20|%c2%a0|\s)+(?=\/|$)/gi, '');
const withoutLastBlanks: Reading = (path) => path.replace(/(?:%20|%c2%a0|\s)+$/i, '');

/** How servers that decode a path read it: unchanged; cut, as a URL is; and without a blank at the end of a segment. */
const lenient = (decode: Reading): readonly Reading[] => [
  decode,
  (path) => decode(withoutLastBlanks(cut(path))),
  (path) => decode(withoutBlanks(cut(path))),
];
const butPchars: Reading = (path) => octets(path.replace(PCHAR, (text) => text.replace('%', '%25')));
const CONTROL = /%(?:[01][0-9a-f]|7f|c2%[89][0-9a-f])/i;
const DOTS = /\/\.{1,2}(?:\/|$)/;
const PCHAR = /%(?:2[146-9a-d]|3[ad]|40)/gi;

const exactly = (url: string): Told | undefined => {
  const [, host, target] = /^http:\/\/([^/?#]+)(\/.*|\*)$/.exec(url) ?? [];
  return host === undefined || target === undefined ? undefined : { host, target };
};

const guessed = (url: string): Told | undefined => {
  const [, host, rest] = /^http:\/\/([^/?#]+)(.*)$/.exec(url) ?? [];
  return host === undefined || rest === undefined
    ? undefined
    : { host, target: rest.startsWith('/') ? rest : `/${rest}` };
};

/** The judge without a fault, which shows that the parts do not cause the findings in the others. */
export const right: Judge = { readings: [asItStands, ...lenient(octets)], told: exactly };

export const planted: Readonly<Record<string, Judge>> = {
  'pchars are not decoded': { ...right, readings: [asItStands, ...lenient(butPchars)] },
  'blanks at the end of a segment are kept': { ...right, readings: [asItStands, octets, (path) => octets(cut(path))] },
  'there is one reading only': { ...right, readings: [octets] },
  'a path is matched as it stands only': { ...right, readings: [asItStands] },
  'who decodes is held to cut and to trim as well': { ...right, readings: [asItStands, ...lenient(octets).slice(2)] },
  'parameters are ignored': { ...right, ignoresParameters: true },
};

export const guessing: Judge = { ...right, told: guessed };

interface Ruled extends RoutePattern {
  readonly index: number;
}

function ruled(path: string, index: number, reading: Reading): Ruled {
  const segments = path
    .slice(1)
    .split('/')
    .map((piece) => segmentOf(piece, reading));
  return { index, segments, host: undefined, methods: undefined, conditions: [], caseSensitive: true, access: 'scope' };
}

function segmentOf(piece: string, reading: Reading): PathSegment {
  const [, name, many] = /^\{(\w+)(\*?)\}$/.exec(piece) ?? [];
  const text = reading(piece);
  if (name === undefined) return { kind: 'literal', text, strict: text, decoded: text };
  return { kind: many === '*' ? 'rest' : 'one', name };
}

/** Asked like the gateway; `asProxy`: through a proxy that sends the URL of the request, and forwards it unchanged. */
export function plantedAsker(file: RuleFile, judge: Judge, asProxy = false): Asker {
  const routeOf = routeByReadings(file, judge);
  const decide = (ask: Ask): Answer => {
    const { caller, host, target, fields } = ask;
    const told = asProxy ? judge.told(`http://${host}${target}`) : { host, target };
    if (told === undefined || normalizeHost(told.host) === undefined) return refused('question_unclear');
    const judged = judgeTarget('GET', told.target);
    if (judged.kind === 'refused') return refused(judged.code);
    if (judged.encodedSlash || hasBadShape(judge, judged.path)) return refused('shape');
    const route = routeOf(judged.path);
    if (route === undefined) return refused('target_ambiguous');
    if (!permits(route, caller)) return refused('scope_insufficient');
    const forwarded = asProxy ? target : judged.path + judged.query;
    return { kind: 'forwarded', head: headText(forwarded, [['Host', host], ...fields]) };
  };
  return async (asks) => asks.map(decide);
}

/** The route in all readings of a path; undefined: they differ, or there is none. */
function routeByReadings(file: RuleFile, { readings }: Judge): (path: string) => object | undefined {
  const tables = readings.map((reading) => ({
    reading,
    table: new RouteTable(pathsOf(file).map((path, index) => ruled(path, index, reading))),
  }));
  return (path) => {
    const found = tables.map(({ reading, table }) => {
      const match = table.match({ host: 'h', key: reading(path), method: 'GET', query: '', head: headOf() });
      return match.kind === 'route' ? match.route.index : -1;
    });
    const [first = -1] = found;
    return found.every((each) => each === first) ? file.routes[first] : undefined;
  };
}

function hasBadShape({ readings, ignoresParameters = false }: Judge, path: string): boolean {
  if (!ignoresParameters && /;|%3b/i.test(path)) return true;
  return CONTROL.test(path) || readings.some((reading) => DOTS.test(reading(path)));
}

const refused = (why: string): Answer => ({ kind: 'refused', why });

function permits(route: object, caller: Caller): boolean {
  const { scope } = route as { scope?: string };
  return scope === undefined || (scopes[caller]?.split(' ').includes(scope) ?? false);
}
