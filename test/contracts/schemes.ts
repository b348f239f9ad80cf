import type { Test } from 'tap';
import { systemClock } from '../../src/base/clock.ts';
import { userStores } from '../../src/commands/doctor/stores.ts';
import { type Loaded, loadGatewayText } from '../../src/config/load/load.ts';
import type { GatewayConfig } from '../../src/config/schema/gateway.ts';
import { compare } from '../../src/gateway/diff/compare.ts';
import { compileFile } from '../../src/gateway/diff/compiled-file.ts';
import { assumedVerifier } from '../../src/gateway/explain/assumed.ts';
import { buildDryEngine } from '../../src/gateway/explain/dry-engine.ts';
import { explain } from '../../src/gateway/explain/explain.ts';
import type { Code } from '../../src/gateway/message/codes.ts';
import { type Echoed, echoUpstream } from '../support/echo-upstream.ts';
import { behind, gateway, gatewayYaml, type TestGateway } from '../support/gateway.ts';

/** A credential scheme, with some users, one of them known. */
export interface SchemeUnderTest {
  /** As in the tables. */
  readonly name: string;
  readonly challenge: RegExp;
  /** Its block of a route. */
  readonly block: (t: Test) => object;
  /** The same with other users. Absent: with another scope for the user. */
  readonly others?: (t: Test) => object;
  /**
   * The same with an unavailable store of users. Absent: the users are in a file, which is checked with the
   * configuration.
   */
  readonly unreachable?: (t: Test) => object;
  /** The refusal of credentials with a wrong secret. */
  readonly wrong: Code;
  /** The known user. */
  readonly user: string;
  /** What a client sends to request a path of this gateway, with the right secret or a wrong one. */
  readonly present: (url: string, path: string, secret: 'right' | 'wrong') => Promise<Presenting>;
}

export interface Presenting {
  /** With its query. */
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  /** The credential, as it was sent. */
  readonly credential: string;
}

const PATH = '/orders/7?x=1';

/** What every credential scheme guarantees, whatever its credentials are and wherever they are sent. */
export function schemeContract(t: Test, title: string, scheme: SchemeUnderTest): void {
  const { unreachable } = scheme;
  const held = unreachable === undefined ? rules : [...rules, ...rulesOfStores(unreachable)];
  for (const [rule, holds] of held) t.test(`${title}: ${rule}`, async (t) => holds(t, scheme));
}

type Rule = (t: Test, scheme: SchemeUnderTest) => Promise<void>;

function routeOf({ name }: SchemeUnderTest, block: object, more: object = {}): object {
  return { id: 'r', match: { path: '/{rest*}' }, access: 'authenticated', auth: name, [name]: block, ...more };
}

async function started(t: Test, scheme: SchemeUnderTest, route: object = {}, file: object = {}): Promise<TestGateway> {
  const routes = [routeOf(scheme, scheme.block(t), route)];
  return gateway(t, behind(await echoUpstream(t), { routes, ...file }));
}

interface Answered {
  readonly status: number;
  readonly challenge: string;
  readonly text: string;
  readonly sent: Presenting;
}

async function ask(
  { url }: TestGateway,
  scheme: SchemeUnderTest,
  secret: 'right' | 'wrong',
  more = '',
): Promise<Answered> {
  const sent = await scheme.present(url, PATH, secret);
  const response = await fetch(url + sent.path + more, { headers: sent.headers });
  const { status, headers } = response;
  return { status, challenge: headers.get('www-authenticate') ?? '', text: await response.text(), sent };
}

function loaded(routes: readonly object[]): Loaded<GatewayConfig> {
  return loadGatewayText(gatewayYaml(behind('http://127.0.0.1:9', { routes })));
}

function sound(routes: readonly object[]) {
  const found = loaded(routes);
  if (!found.ok) throw new Error(JSON.stringify(found.problems));
  return found;
}

const rules: readonly (readonly [rule: string, holds: Rule])[] = [
  [
    'a request without credentials is refused with the challenge of the scheme',
    async (t, scheme) => {
      const { url } = await started(t, scheme);
      const response = await fetch(url + PATH);
      t.equal(response.status, 401);
      t.match(response.headers.get('www-authenticate') ?? '', scheme.challenge);
      t.match(await response.json(), { code: 'credential_missing' });
    },
  ],
  [
    'wrong credentials are refused with the challenge, and nothing is forwarded',
    async (t, scheme) => {
      const { status, challenge, text } = await ask(await started(t, scheme), scheme, 'wrong');
      t.equal(status, 401);
      t.match(challenge, scheme.challenge);
      t.match(JSON.parse(text), { code: scheme.wrong });
    },
  ],
  [
    'right credentials pass; the upstream gets the user, and no part of the credentials',
    async (t, scheme) => {
      const { status, text, sent } = await ask(await started(t, scheme), scheme, 'right');
      t.equal(status, 200);
      const { headers, url } = JSON.parse(text) as Echoed;
      t.equal(headers['x-auth-subject'], scheme.user);
      t.equal(url, PATH, 'the rest of the query stays');
      t.notOk(text.includes(sent.credential));
    },
  ],
  [
    'with forward_credential the upstream gets the credentials too',
    async (t, scheme) => {
      const { text, sent } = await ask(await started(t, scheme, { forward_credential: true }), scheme, 'right');
      t.match(JSON.parse(text).headers, { 'x-auth-subject': scheme.user });
      t.equal(JSON.parse(text).url, sent.path);
      for (const [name, value] of Object.entries(sent.headers)) t.equal(JSON.parse(text).headers[name], value);
    },
  ],
  [
    'in shadow mode a request is forwarded unchanged, with wrong credentials too',
    async (t, scheme) => {
      const { status, text, sent } = await ask(await started(t, scheme, { mode: 'shadow' }), scheme, 'wrong');
      t.equal(status, 200);
      t.equal(JSON.parse(text).url, sent.path);
      for (const [name, value] of Object.entries(sent.headers)) t.equal(JSON.parse(text).headers[name], value);
    },
  ],
  [
    'credentials beside a token count as two credentials, and are refused',
    async (t, scheme) => {
      const running = await started(t, scheme, { auth: { any_of: ['bearer', scheme.name] } });
      const { status, text } = await ask(running, scheme, 'right', '&access_token=a');
      t.equal(status, 400);
      t.match(JSON.parse(text), { code: 'credential_repeated' });
    },
  ],
  [
    'no log line contains the credentials',
    async (t, scheme) => {
      const running = await started(t, scheme);
      for (const secret of ['right', 'wrong'] as const) {
        const { sent } = await ask(running, scheme, secret);
        t.notOk(JSON.stringify(running.log).includes(sent.credential));
      }
      t.ok(
        running.log.some(({ code, msg }) => code === 'forwarded' || msg === 'forwarded'),
        'there are lines',
      );
    },
  ],
  [
    'a proxy that asks is told to remove the credentials, and to cache by them',
    async (t, scheme) => {
      const proxies = { decision: { listen: '127.0.0.1:0' }, trusted_proxies: ['127.0.0.1'] };
      const { url, decisionUrl = '' } = await started(t, scheme, {}, proxies);
      const { path, headers, credential } = await scheme.present(url, PATH, 'right');
      const forwarded = { 'x-forwarded-method': 'GET', 'x-forwarded-host': 'a', 'x-forwarded-uri': path };
      const response = await fetch(`${decisionUrl}/forward-auth`, { headers: { ...headers, ...forwarded } });
      t.equal(response.status, 200);
      const [cleared, vary] = ['x-gatehouse-clear', 'vary'].map(
        (name) => response.headers.get(name)?.split(', ') ?? [],
      );
      for (const name of Object.keys(headers)) {
        t.ok(cleared?.includes(name), `${name} is cleared`);
        t.ok(vary?.includes(name), `${name} is in Vary`);
      }
      t.equal(response.headers.get('x-gatehouse-target'), PATH);
      t.notOk(JSON.stringify([...response.headers]).includes(credential));
    },
  ],
  [
    'explain assumes a user, names scheme and users, and shows no credentials',
    async (t, scheme) => {
      const found = sound([routeOf(scheme, scheme.block(t), { forward_credential: true })]);
      const dry = buildDryEngine(found, assumedVerifier(found.config, new Map()));
      const asked = { method: 'GET', host: 'a', target: PATH, secure: true };
      const told = await explain(found, dry, { ...asked, user: scheme.user });
      t.match(told.answer, { kind: 'forward' });
      const detailOf = (name: string) => told.steps.find(({ step }) => step === name)?.detail ?? '';
      t.equal(detailOf('credential'), `credentials of ${scheme.name}`);
      t.match(detailOf('verify'), new RegExp(`^${scheme.user}, scope .*${scheme.name}:`));
      t.match(Object.fromEntries(told.upstream?.headers ?? []), { 'x-auth-subject': scheme.user });
      t.notOk(JSON.stringify(told).includes('assumed-'));
      const { answer } = await explain(found, dry, asked);
      t.match(answer, { status: 401, code: 'credential_missing', challenges: [scheme.challenge] });
    },
  ],
  [
    'diff names the route whose block or scheme changed',
    async (t, scheme) => {
      const block = scheme.block(t);
      const settings = async (before: object, now: object) =>
        (await compare(compileFile(sound([before])), compileFile(sound([now])))).settings;
      const changed = scheme.others?.(t) ?? { ...block, scopes: { [scheme.user]: 'more' } };
      const [old, other] = [block, changed].map((of) => routeOf(scheme, of));
      const bearer = { id: 'r', match: { path: '/{rest*}' }, access: 'authenticated' };
      t.strictSame(await settings(old ?? {}, old ?? {}), []);
      t.strictSame(await settings(old ?? {}, other ?? {}), ['routes.r.auth']);
      t.strictSame(await settings(bearer, old ?? {}), ['routes.r.auth']);
    },
  ],
  [
    'check refuses a block without its name in auth, a name without its block, and either on a public route',
    async (t, { name, ...scheme }) => {
      const block = scheme.block(t);
      const route = { id: 'r', match: { path: '/a' }, access: 'authenticated' };
      const messages = (more: object) => {
        const found = loaded([{ ...route, ...more }]);
        return found.ok ? [] : found.problems.map(({ message }) => message);
      };
      t.match(messages({ [name]: block }), [`the route does not accept \`${name}\``]);
      t.match(messages({ auth: name }), [`\`${name}\` needs a \`${name}:\` block in the route`]);
      t.ok(
        messages({ auth: name, [name]: block, access: 'public' }).some((text) =>
          text.includes(`\`${name}\` would not`),
        ),
      );
      t.strictSame(messages({ auth: name, [name]: block }), []);
    },
  ],
];

/** For schemes whose users can become unavailable while the gateway runs. */
function rulesOfStores(unreachable: (t: Test) => object): readonly (readonly [rule: string, holds: Rule])[] {
  return [
    [
      'an unavailable store of users is an outage, with right credentials and with wrong ones',
      async (t, scheme) => {
        const running = await started(t, scheme, { [scheme.name]: unreachable(t) });
        for (const secret of ['right', 'wrong'] as const) {
          const { status, challenge, text } = await ask(running, scheme, secret);
          t.equal(status, 503);
          t.equal(challenge, '');
          t.match(JSON.parse(text), { code: 'users_unavailable' });
        }
      },
    ],
    [
      'doctor reports that its store of users is unavailable',
      async (t, scheme) => {
        const { config } = sound([routeOf(scheme, unreachable(t))]);
        await using opened = new AsyncDisposableStack();
        const subject = { kind: 'gateway', file: 'gateway.yaml', config, directory: '/', values: [] } as const;
        const probes = userStores(subject, { clock: systemClock, node: '24.0.0', opened });
        const seen = await Promise.all(probes.map(({ look }) => look(new AbortController().signal)));
        t.match(seen, [{ verdict: 'bad' }]);
        t.match(probes, [{ about: new RegExp(scheme.name) }]);
      },
    ],
  ];
}
