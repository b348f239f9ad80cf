import type { RouteFile } from '../schema/gateway.ts';
import { didYouMean } from '../words/closest.ts';
import { compileExpression } from '../words/expression.ts';
import { isToken } from '../words/header-name.ts';
import { parseHostPattern } from '../words/host-pattern.ts';
import { parsePathPattern } from '../words/path-pattern.ts';
import type { Finding, Pointer } from '../words/problem.ts';
import type { Checks, Member } from './checks.ts';
import type { GatewaySubject } from './subject.ts';

type Route = Member<RouteFile>;

/** Rules for the other requirements of a route, and for rewrites of its path. */
export const ruleChecks: Checks<GatewaySubject> = {
  'capture of a claim': ({ routes }) => routes.flatMap(captureFaults),
  expression: ({ routes }) => routes.flatMap(expressionFaults),
  'path that does not begin with strip_prefix': ({ routes }) => routes.flatMap(rewriteFaults),
  'condition header': ({ routes }) => routes.flatMap(headerFaults),
  'soap_action with methods other than POST': ({ routes }) => routes.flatMap(soapFaults),
};

function captureFaults(route: Route): readonly Finding[] {
  const known = captureNames(route.value);
  return claimTexts(route).flatMap(({ pointer, text }): Finding[] => {
    if (!/^(host|path)\.[A-Za-z_][A-Za-z0-9_]*$/.test(text) || known.includes(text)) return [];
    return [{ pointer, message: `the match of this route captures no \`${text}\``, hint: didYouMean(text, known) }];
  });
}

function captureNames({ match }: RouteFile): readonly string[] {
  const host = match.host === undefined ? undefined : parseHostPattern(match.host);
  const path = parsePathPattern(match.path);
  const names = (host?.labels ?? []).flatMap((label) => (label.kind === 'one' ? [`host.${label.name}`] : []));
  const segments = path.kind === 'pattern' ? path.segments : [];
  return [...names, ...segments.flatMap((segment) => (segment.kind === 'literal' ? [] : [`path.${segment.name}`]))];
}

function claimTexts({ at, value }: Route): readonly { pointer: Pointer; text: string }[] {
  return Object.entries(value.claims ?? {}).flatMap(([claim, condition]) =>
    Object.entries(condition).flatMap(([key, wanted]) => {
      const values: readonly unknown[] = Array.isArray(wanted) ? wanted : [wanted];
      return values.flatMap((text, index) => {
        const pointer = [...at, 'claims', claim, key, ...(Array.isArray(wanted) ? [index] : [])];
        return typeof text === 'string' ? [{ pointer, text }] : [];
      });
    }),
  );
}

function expressionFaults({ at, value }: Route): readonly Finding[] {
  if (value.when === undefined) return [];
  const compiled = compileExpression(value.when);
  if (typeof compiled === 'function') return [];
  const { message, hint = CONDITION } = compiled;
  return [{ pointer: [...at, 'when'], message: `this is not a condition: ${message}`, hint }];
}

const CONDITION =
  'a CEL expression over `request` and `identity`, such as request.headers["x-env"] == identity.claims.env';

/** A stripped prefix must be the start of every path of the route, and end at a slash. */
function rewriteFaults({ at, value }: Route): readonly Finding[] {
  const { strip_prefix, add_prefix } = value.rewrite ?? {};
  const pointer = (key: string) => [...at, 'rewrite', key];
  const faults: Finding[] = [];
  for (const [key, prefix] of Object.entries({ strip_prefix, add_prefix })) {
    const parsed = prefix === undefined ? undefined : parsePathPattern(prefix);
    if (parsed?.kind === 'fault') faults.push({ pointer: pointer(key), message: parsed.message, hint: parsed.hint });
    else if (parsed?.segments.some((segment) => segment.kind !== 'literal')) {
      faults.push({ pointer: pointer(key), message: 'a prefix is plain text, without `{name}`' });
    }
  }
  if (faults.length > 0 || strip_prefix === undefined || beginsWith(value.match.path, strip_prefix)) return faults;
  const message = `the path \`${value.match.path}\` does not begin with \`${strip_prefix}\``;
  return [
    { pointer: pointer('strip_prefix'), message, hint: 'strip only the part of the pattern before its first `{name}`' },
  ];
}

function beginsWith(path: string, prefix: string): boolean {
  const bare = prefix.endsWith('/') ? prefix.slice(0, -1) : prefix;
  return path === bare || path.startsWith(`${bare}/`);
}

const FRAMING = ['host', 'connection', 'content-length', 'transfer-encoding', 'authorization'];

function headerFaults({ at, value }: Route): readonly Finding[] {
  return Object.keys(value.match.headers ?? {}).flatMap((name): Finding[] => {
    const pointer = [...at, 'match', 'headers', name];
    if (!isToken(name)) return [{ pointer, message: `\`${name}\` is not a header name`, atKey: true }];
    if (!FRAMING.includes(name.toLowerCase())) return [];
    return [
      {
        pointer,
        message: `\`${name}\` cannot choose a route`,
        hint: name.toLowerCase() === 'host' ? 'use the key `host` of `match`' : 'remove it',
        atKey: true,
      },
    ];
  });
}

/** A SOAP action names the operation in the body. So a method without a body is probably a mistake. */
function soapFaults({ at, value }: Route): readonly Finding[] {
  const { soap_action, methods } = value.match;
  if (soap_action === undefined || methods?.every((method) => method === 'POST')) return [];
  return [
    {
      pointer: [...at, 'match', 'soap_action'],
      severity: 'warning',
      message: 'SOAP uses POST, and this route accepts other methods too',
      hint: 'write `methods: [POST]`, and make sure that the application chooses the operation by the SOAP action, not by the body',
    },
  ];
}
