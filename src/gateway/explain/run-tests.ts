import type { Problem } from '../../config/load/load.ts';
import type { TestConfig } from '../../config/schema/test-case.ts';
import { didYouMean } from '../../config/words/closest.ts';
import { parseRequestLine } from '../../config/words/request-line.ts';
import type { Forward, Outcome } from '../decide/outcome.ts';
import { codes, entry, isCode } from '../message/codes.ts';
import { assumedVerifier } from './assumed.ts';
import { buildDryEngine, type CheckedGatewayFile, defaultHost, defaultSecure } from './dry-engine.ts';
import { enforced } from './enforced.ts';
import { answerInWords, routeInWords } from './explained-words.ts';
import { type SimulatedOutcome, simulate } from './simulate.ts';
import type { SimulatedRequest } from './simulated-request.ts';

type Tested = Pick<CheckedGatewayFile, 'config' | 'locate'> &
  Partial<Pick<CheckedGatewayFile, 'directory' | 'skipped'>>;

/** Runs the `tests:` of a file. Each failed test is a problem at its position. The tests connect to nothing. */
export async function runTests(file: Tested): Promise<readonly Problem[]> {
  const { config, locate } = file;
  const judged = await judgeTests(file);
  return config.tests.flatMap((test, index) => {
    const outcome = judged[index] as SimulatedOutcome;
    const at = (...key: string[]) => ({ severity: 'error' as const, ...locate(['tests', index, ...key]) });
    const fault = codeFault(test, outcome);
    if (fault !== undefined) return [{ ...at('expect', 'code'), ...fault }];
    const problem = problemOf(test, outcome);
    return problem === undefined ? [] : [{ ...at(), ...problem }];
  });
}

type Told = Pick<Problem, 'message' | 'hint'>;

/** A test that cannot pass, whatever the routes are. The loader cannot see this, because the codes belong to the gateway. */
function codeFault({ expect }: TestConfig, judged: SimulatedOutcome): Told | undefined {
  if (!('refuse' in expect) || expect.code === undefined) return undefined;
  const { refuse, code } = expect;
  if (!isCode(code)) return { message: `there is no code \`${code}\``, hint: hintFor(code, enforced(judged.outcome)) };
  const { status } = entry(code);
  if (status === refuse) return undefined;
  return {
    message: `the code \`${code}\` has the status ${status}, not ${refuse}`,
    hint: `write \`refuse: ${status}\``,
  };
}

function hintFor(code: string, outcome: Outcome): string {
  const gets = outcome.kind === 'refuse' ? `the request gets \`${outcome.code}\`; ` : '';
  return didYouMean(code, Object.keys(codes)) ?? `${gets}docs/errors.md lists all codes`;
}

/** The route that a test reaches. */
export interface TestedRoute {
  readonly id: string;
  /** The names of the authorization servers whose tokens the route accepts. */
  readonly servers: readonly string[];
}

/** One for each of the file's `tests`. Undefined: the test reaches no route. */
export async function testedRoutes(file: Tested): Promise<readonly (TestedRoute | undefined)[]> {
  const all = Object.keys(file.config.authorization_servers);
  return (await judgeTests(file)).map(({ route }) => {
    if (route === undefined) return undefined;
    const written = file.config.routes.find(({ id }) => id === route.id);
    return { id: route.id, servers: written?.authorization_servers ?? all };
  });
}

async function judgeTests({ config, locate, directory, skipped = [] }: Tested): Promise<readonly SimulatedOutcome[]> {
  const { tests } = config;
  if (tests.length === 0) return [];
  const tokens = new Map(tests.flatMap(({ token }, index) => (token === undefined ? [] : [[tokenOf(index), token]])));
  // Without secrets, no file of users can be read.
  const users = skipped.length === 0 ? { directory } : undefined;
  const { engine } = buildDryEngine({ config, locate }, assumedVerifier(config, tokens), users);
  const judged: SimulatedOutcome[] = [];
  for (const [index, test] of tests.entries()) judged.push(await simulate(engine, askedBy(test, index, config)));
  return judged;
}

function tokenOf(index: number): string {
  return `assumed-${index}`;
}

function askedBy(
  { request, headers = {}, mcp, token, user }: TestConfig,
  index: number,
  config: CheckedGatewayFile['config'],
): SimulatedRequest {
  const line = parseRequestLine(request);
  if (line === undefined) throw new Error(`the checks accepted the invalid request line \`${request}\``);
  return {
    ...line,
    host: line.host ?? defaultHost(config),
    secure: line.secure ?? defaultSecure(config),
    headers: Object.entries(headers),
    user,
    operation: mcp,
    token: token === undefined ? undefined : tokenOf(index),
  };
}

function problemOf(test: TestConfig, judged: SimulatedOutcome): Told | undefined {
  const outcome = enforced(judged.outcome);
  const met = 'forward' in test.expect ? isForwarded(test.expect, outcome) : isRefused(test.expect, outcome);
  if (met) return undefined;
  const message = `${test.request}: expected ${expectation(test.expect)}, but it is ${answerInWords(outcome)}`;
  return judged.route === undefined ? { message } : { message, hint: `the route is ${routeInWords(judged.route)}` };
}

type Expect<Key extends string> = Extract<TestConfig['expect'], Record<Key, unknown>>;

function isForwarded({ route }: Expect<'forward'>, outcome: Outcome): outcome is Forward {
  return outcome.kind === 'forward' && (route === undefined || outcome.route.id === route);
}

function isRefused({ refuse, code, error }: Expect<'refuse'>, outcome: Outcome): boolean {
  if (outcome.kind !== 'refuse') return false;
  const row = entry(outcome.code);
  return (
    row.status === refuse &&
    (code === undefined || code === outcome.code) &&
    (error === undefined || error === row.error)
  );
}

function expectation(expect: TestConfig['expect']): string {
  if ('forward' in expect) return expect.route === undefined ? 'forwarded' : `forwarded by \`${expect.route}\``;
  return ['refused with', expect.refuse, expect.code, expect.error].filter(Boolean).join(' ');
}
