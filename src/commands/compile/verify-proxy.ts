import { Client } from 'undici';
import type { Loaded } from '../../config/load/load.ts';
import type { GatewayConfig } from '../../config/schema/gateway.ts';
import type { TestConfig } from '../../config/schema/test-case.ts';
import { parseRequestLine, type RequestLine } from '../../config/words/request-line.ts';
import { defaultHost } from '../../gateway/explain/dry-engine.ts';
import { type TestedRoute, testedRoutes } from '../../gateway/explain/run-tests.ts';
import type { TokenSource } from './test-tokens.ts';

/** What a running proxy did with one of the file's `tests`. */
export interface VerifiedTest {
  /** FILE:LINE. */
  readonly at: string;
  readonly request: string;
  readonly result: 'passed' | 'failed' | 'skipped';
  /** The answer, or why the test was skipped. */
  readonly detail: string;
}

export type VerifiedFile = Extract<Loaded<GatewayConfig>, { ok: true }>;

/** Sends the requests of the file's `tests` to a proxy at this URL. Rejects if the proxy or the token source fails. */
export async function verifyProxy(
  file: VerifiedFile,
  url: string,
  tokens: TokenSource,
): Promise<readonly VerifiedTest[]> {
  const routes = await testedRoutes(file);
  const client = new Client(url);
  try {
    const results: VerifiedTest[] = [];
    for (const [index, test] of file.config.tests.entries()) {
      const { file: name, line } = file.locate(['tests', index]);
      const judged = await verifyTest({ client, config: file.config, tokens, test, route: routes[index] });
      results.push({ at: `${name}:${line}`, request: test.request, ...judged });
    }
    return results;
  } finally {
    await client.close();
  }
}

interface Verifying {
  readonly client: Client;
  readonly config: GatewayConfig;
  readonly tokens: TokenSource;
  readonly test: TestConfig;
  readonly route: TestedRoute | undefined;
}

type Result = Pick<VerifiedTest, 'result' | 'detail'>;

async function verifyTest({ client, config, tokens, test, route }: Verifying): Promise<Result> {
  const { user, mcp, request, token } = test;
  if (user !== undefined) return skipped('the test has `user`, and this command sends no password');
  if (mcp !== undefined) return skipped('the test has `mcp`, and this command sends no message');
  const line = parseRequestLine(request);
  if (line === undefined) return skipped('the request cannot be sent');
  const server = token?.server ?? route?.servers[0] ?? Object.keys(config.authorization_servers)[0] ?? '';
  const text = token === undefined ? undefined : await tokens(token, server);
  return judge(test, await send(client, line, headersOf(config, test, line, text)));
}

function skipped(detail: string): Result {
  return { result: 'skipped', detail };
}

function headersOf(config: GatewayConfig, { headers = {} }: TestConfig, { host }: RequestLine, token?: string) {
  const authorization = token === undefined ? {} : { authorization: `Bearer ${token}` };
  return { host: host ?? defaultHost(config), ...headers, ...authorization };
}

interface ProxyAnswer {
  readonly status: number;
  readonly isForwarded: boolean;
}

/** The router of Envoy adds this header to each answer of an upstream. */
const FORWARDED = 'x-envoy-upstream-service-time';

/** The target goes out as it is, so that a proxy shows what it makes of a dot segment. */
async function send(client: Client, { method, target: path }: RequestLine, headers: Record<string, string>) {
  const answer = await client.request({ method: method as 'GET', path, headers });
  await answer.body.dump();
  return { status: answer.statusCode, isForwarded: FORWARDED in answer.headers };
}

/** A proxy may refuse with a different status. It must never forward what the file refuses. */
function judge({ expect }: TestConfig, { status, isForwarded }: ProxyAnswer): Result {
  const said = isForwarded ? `forwarded, the upstream answered ${status}` : `refused with ${status}`;
  // An outage is no refusal: the same proxy may forward the request once it can ask again.
  const isRefused = !isForwarded && (status < 500 || ('refuse' in expect && expect.refuse === status));
  const isExpected = 'forward' in expect ? isForwarded : isRefused;
  if (!isExpected) return { result: 'failed', detail: `${said}, but the file expects ${expected(expect)}` };
  const differs = 'refuse' in expect && expect.refuse !== status;
  return { result: 'passed', detail: differs ? `${said} instead of ${expect.refuse}` : said };
}

function expected(expect: TestConfig['expect']): string {
  return 'forward' in expect ? 'forwarding' : `a refusal with ${expect.refuse}`;
}
