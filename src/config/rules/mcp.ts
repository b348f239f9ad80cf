import type { RouteFile } from '../schema/gateway.ts';
import type { McpConfig } from '../schema/mcp.ts';
import { parseOperation } from '../words/mcp-operation.ts';
import type { Finding, Pointer } from '../words/problem.ts';
import type { Checks, Member } from './checks.ts';
import { scopeWordsOf } from './scope-words-at.ts';
import type { GatewaySubject } from './subject.ts';

interface McpMember extends Member<RouteFile> {
  readonly mcp: McpConfig;
}

/** Rules for routes in front of Model Context Protocol servers. */
export const mcpChecks: Checks<GatewaySubject> = {
  'operation of an mcp rule': each(operationFaults),
  'scope of a public mcp route': each(publicFaults),
  'methods of an mcp route': each(methodFaults),
  'place of a token for an mcp route': each(placeFaults),
  'claims in headers': ({ routes }) => routes.flatMap(claimFaults),
  'mcp headers that may differ from the body': each(uncomparedFaults),
  'offline_access as a scope of tools': each(offlineFaults),
  'host that an mcp server does not see': (subject) => mcpOf(subject).flatMap((one) => hostFaults(one, subject)),
  'an mcp route that a proxy asks about': (subject) =>
    subject.config.decision === undefined ? [] : mcpOf(subject).map(askedFault),
};

function mcpOf({ routes }: GatewaySubject): readonly McpMember[] {
  return routes.flatMap((route) => (route.value.mcp === undefined ? [] : [{ ...route, mcp: route.value.mcp }]));
}

function each(judge: (route: McpMember) => readonly Finding[]) {
  return (subject: GatewaySubject) => mcpOf(subject).flatMap(judge);
}

function operationFaults({ at, mcp }: McpMember): readonly Finding[] {
  const keys = Object.keys(mcp.scope ?? {}).map((text) => ({
    text,
    pointer: [...at, 'mcp', 'scope', text],
    atKey: true,
  }));
  const denied = mcp.deny.map((text, index) => ({ text, pointer: [...at, 'mcp', 'deny', index], atKey: false }));
  return [...keys, ...denied].flatMap(({ text, pointer, atKey }): Finding[] => {
    const parsed = parseOperation(text);
    const hint = 'write `*`, `tools/call`, `tools/*`, or `tools/call delete_*`';
    return parsed.kind === 'pattern' ? [] : [{ pointer, message: parsed.message, hint, atKey }];
  });
}

function publicFaults({ at, value, mcp }: McpMember): readonly Finding[] {
  if (mcp.scope === undefined || (value.access !== 'public' && value.access !== 'optional')) return [];
  return [
    {
      pointer: [...at, 'mcp', 'scope'],
      message: `with \`access: ${value.access}\`, a client without a token passes, so \`scope\` would not be checked`,
      hint: 'remove `access`, or write `deny` for operations that no client may use',
      atKey: true,
    },
  ];
}

const USED = ['POST', 'GET', 'DELETE'];

/** The gateway reads messages in POST. A message in a request of another method would avoid the rules. */
function methodFaults({ at, value, mcp }: McpMember): readonly Finding[] {
  return (value.match.methods ?? []).flatMap((method, index): Finding[] => {
    const pointer: Pointer = [...at, 'match', 'methods', index];
    if (!USED.includes(method))
      return [{ pointer, message: `a Model Context Protocol server does not use ${method}`, hint: 'remove it' }];
    return method === 'POST' || mcp.sessions
      ? []
      : [
          {
            pointer,
            message: `without sessions, no client sends ${method}`,
            hint: 'write `sessions: true`, or remove the method',
          },
        ];
  });
}

function placeFaults({ at, value }: McpMember): readonly Finding[] {
  const index = value.bearer_methods_supported?.findIndex((place) => place !== 'header') ?? -1;
  if (index === -1) return [];
  const message = 'a client of a Model Context Protocol server sends its token in the header only';
  return [{ pointer: [...at, 'bearer_methods_supported', index], message, hint: 'write [header]' }];
}

function claimFaults({ at, value }: Member<RouteFile>): readonly Finding[] {
  const { mcp, claims_to_params } = value;
  if (claims_to_params === undefined) return [];
  const pointer = [...at, 'claims_to_params'];
  if (mcp === undefined)
    return [{ pointer, message: '`claims_to_params` has no effect without `mcp`', hint: 'add `mcp`', atKey: true }];
  if (mcp.mirror === 'off')
    return [
      {
        pointer,
        message: 'with `mirror: off`, an argument could differ from the header that repeats it',
        hint: 'write `mirror: require`',
        atKey: true,
      },
    ];
  if (value.access === 'public')
    return [{ pointer, message: 'a public route has no token with claims', hint: 'remove it', atKey: true }];
  return Object.keys(claims_to_params)
    .filter((name) => !PARAM.test(name))
    .map((name) => ({
      pointer: [...pointer, name],
      message: `\`${name}\` is not a header that repeats an argument`,
      hint: 'such a header begins with Mcp-Param-',
      atKey: true,
    }));
}

const PARAM = /^mcp-param-[!#$%&'*+.^_`|~0-9A-Za-z-]+$/i;

function uncomparedFaults({ at, mcp }: McpMember): readonly Finding[] {
  if (mcp.mirror !== 'off') return [];
  return [
    {
      pointer: [...at, 'mcp', 'mirror'],
      severity: 'warning',
      message:
        'Mcp-Method and Mcp-Name may differ from the body, so no program behind this route may trust these headers',
      hint: 'write `mirror: require`',
    },
  ];
}

/** MCP authorization, refresh tokens: a server does not ask for this scope. */
function offlineFaults({ at, value }: McpMember): readonly Finding[] {
  return scopeWordsOf(at, value)
    .filter(({ word }) => word === 'offline_access')
    .map(({ pointer }) => ({
      pointer,
      severity: 'warning' as const,
      message: '`offline_access` is a scope for the authorization server, and gives no access to a tool',
      hint: 'remove it',
    }));
}

/** A server of tools compares Host with its own names, and Origin with its pages, against DNS rebinding. */
function hostFaults({ at, value, mcp }: McpMember, { config }: GatewaySubject): readonly Finding[] {
  const upstream = config.upstreams[value.upstream ?? config.defaults.upstream ?? ''];
  if (upstream?.host !== 'upstream' || value.match.host !== undefined || mcp.origins !== undefined) return [];
  return [
    {
      pointer: [...at, 'mcp'],
      severity: 'warning',
      message: 'the server sees its own name in every Host, so its protection from DNS rebinding has no effect',
      hint: 'write `match.host`, or `host: preserve` in the upstream, or `mcp.origins`',
      atKey: true,
    },
  ];
}

function askedFault({ at }: McpMember): Finding {
  return {
    pointer: [...at, 'mcp'],
    severity: 'warning',
    message:
      'the gateway cannot read all messages of this route at `decision`, so `decision` answers 403 for this route',
    hint: 'let the proxy forward this route to `listen`',
    atKey: true,
  };
}
