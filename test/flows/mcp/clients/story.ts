import type { Test } from 'tap';
import { packagedServer } from '../../../support/mcp/packaged-server.ts';
import { mcpServer } from '../../../support/mcp/server.ts';
import { type Registration, registered } from './registration.ts';
import { type Stage, type StageOptions, scope, stage } from './stage.ts';

export interface Call {
  readonly name: string;
  readonly arguments: Record<string, string>;
}

/** What a client got from the MCP server. */
export interface Told {
  readonly revision?: string | undefined;
  readonly tools: readonly string[];
  readonly content: unknown;
}

/** From nothing: learns everything from the first 401, logs in, lists the tools, and calls one. */
export type Player = (stage: Stage, registration: Registration, call: Call, t: Test) => Promise<Told>;

/** A player, or why it is not available here. */
export type Prepared = Player | { readonly missing: string };

const servers = {
  '@modelcontextprotocol/server-everything': {
    start: packagedServer,
    call: { name: 'echo', arguments: { message: 'hello' } },
    text: 'Echo: hello',
  },
  'a server with all revisions': {
    start: mcpServer,
    call: { name: 'test_simple_text', arguments: {} },
    text: 'This is a simple text response for testing.',
  },
};

export type ServerName = keyof typeof servers;

interface Tale {
  readonly server: ServerName;
  /** The revision that both ends speak, if the client says it. */
  readonly revision?: string;
  readonly prepare: () => Prepared;
  readonly registration?: Registration;
  readonly options?: StageOptions;
}

export function tale(
  t: Test,
  name: string,
  { server, revision, prepare, registration = registered, options }: Tale,
): void {
  t.test(`${name} reaches a tool of ${server}: 401, metadata, login, token, tools/list, tools/call`, async (t) => {
    const play = prepare();
    if ('missing' in play) return t.plan(0, play.missing);
    const { start, call, text } = servers[server];
    const scene = await stage(t, await start(t), options);
    const told = await play(scene, registration, call, t);
    t.match(told, { ...(revision !== undefined && { revision }), content: [{ type: 'text', text }] });
    t.ok(told.tools.includes(call.name));
    t.equal(scene.visits.length, 1);
    t.match(scene.visits, [{ request: requestOf(scene, registration), answer: { iss: scene.issuer } }]);
  });
}

const requestOf = ({ url }: Stage, registration: Registration) => ({
  response_type: 'code',
  code_challenge_method: 'S256',
  resource: url,
  scope,
  ...(registration.by === 'operator' && { client_id: registration.id }),
});
