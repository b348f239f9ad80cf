import type { Test } from 'tap';
import { packagedServer } from '../../../support/mcp/packaged-server.ts';
import { mcpServer } from '../../../support/mcp/server.ts';
import { type Registration, registered } from './registration.ts';
import { extra, type Stage, type StageOptions, scope, stage } from './stage.ts';

export interface Call {
  readonly name: string;
  readonly arguments: Record<string, unknown>;
}

/** What a client got from the MCP server. */
export interface Told {
  readonly revision?: string | undefined;
  readonly tools: readonly string[];
  /** The contents of the results, in the order of the calls. */
  readonly contents: readonly unknown[];
}

/** From nothing: learns everything from the first 401, logs in, lists the tools, and calls some of them. */
export type Player = (stage: Stage, registration: Registration, calls: readonly Call[], t: Test) => Promise<Told>;

/** A player, or why it is not available here. */
export type Prepared = Player | { readonly missing: string };

/** A call, and the first text of its result. */
interface Known extends Call {
  readonly text: string;
}

interface Server {
  readonly start: (t: Test) => Promise<string>;
  /** A tool that every token may call. */
  readonly everyday: Known;
  /** A tool that also needs the scope `extra`. */
  readonly dangerous: Known;
  /** A tool that nobody may call. */
  readonly denied: string;
}

const servers = {
  '@modelcontextprotocol/server-everything': {
    start: packagedServer,
    everyday: { name: 'echo', arguments: { message: 'hello' }, text: 'Echo: hello' },
    dangerous: { name: 'get-sum', arguments: { a: 2, b: 3 }, text: 'The sum of 2 and 3 is 5.' },
    denied: 'get-env',
  },
  'a server with all revisions': {
    start: mcpServer,
    everyday: { name: 'test_simple_text', arguments: {}, text: 'This is a simple text response for testing.' },
    dangerous: { name: 'test_multiple_content_types', arguments: {}, text: 'Multiple content types test:' },
    denied: 'test_error_handling',
  },
} satisfies Record<string, Server>;

export type ServerName = keyof typeof servers;

interface Tale {
  readonly server: ServerName;
  /** The revision that both ends speak, if the client says it. */
  readonly revision?: string;
  readonly prepare: () => Prepared;
  readonly registration?: Registration;
  readonly options?: StageOptions;
  /** The client also calls the dangerous tool. */
  readonly stepsUp?: boolean;
}

const steps = '401, metadata, login, token, tools/list, tools/call';

export function tale(t: Test, name: string, told: Tale): void {
  const { server, prepare, registration = registered, options, revision, stepsUp = false } = told;
  t.test(`${name} reaches a tool of ${server}: ${steps}${stepsUp ? ', step-up' : ''}`, async (t) => {
    const play = prepare();
    if ('missing' in play) return t.plan(0, play.missing);
    const { start, everyday, dangerous, denied }: Server = servers[server];
    const calls = stepsUp ? [everyday, dangerous, everyday] : [everyday];
    const scene = await stage(t, await start(t), options);
    const got = await play(scene, registration, calls.map(bare), t);
    const contents = calls.map(({ text }) => [{ type: 'text', text }]);
    t.match(got, { ...(revision !== undefined && { revision }), contents });
    t.ok(got.tools.includes(everyday.name));
    const hidden = got.tools.filter((name) => name === dangerous.name || name === denied);
    t.strictSame(hidden, [], 'the list has only what the token may call');
    const logins = (stepsUp ? [scope, `${scope} ${extra}`] : [scope]).map((asked) => ({
      request: requestOf(scene, registration, asked),
      answer: { iss: scene.issuer },
    }));
    t.equal(scene.visits.length, logins.length);
    t.match(scene.visits, logins);
  });
}

const bare = ({ name, arguments: given }: Known): Call => ({ name, arguments: given });

const requestOf = ({ url }: Stage, registration: Registration, scope: string) => ({
  response_type: 'code',
  code_challenge_method: 'S256',
  resource: url,
  scope,
  ...(registration.by === 'operator' && { client_id: registration.id }),
});
