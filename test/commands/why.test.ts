import { randomBytes } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import t, { type Test } from 'tap';
import { command, commandReading } from '../support/command.ts';
import { freePort } from '../support/free-port.ts';
import { behind, gateway, gatewayYaml } from '../support/gateway.ts';
import { ask as raw } from '../support/raw-client.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';
import { JWT_BEGINS, jwt } from '../support/tokens.ts';
import { userFile } from '../support/user-files.ts';
import { witness } from '../support/witness.ts';

/** Starts the program for each command: 9 s in .ci/run on a busy machine. */
t.setTimeout(60_000);

const key = randomBytes(32).toString('base64');
const upstream = 'http://127.0.0.1:9';

function write(t: Test, body: object): string {
  const file = join(temporaryFolder(t), 'gateway.yaml');
  writeFileSync(file, gatewayYaml(body));
  return file;
}

async function ticketOf(response: Response): Promise<string> {
  return ((await response.json()) as { ticket: string }).ticket;
}

t.test(
  'why shows route and line, step, missing scope, cache state and time; never the token or the query',
  async (t) => {
    const { url: api } = await witness(t);
    const body = behind(api, { ticket_keys: [key] });
    const { url } = await gateway(t, body);
    const token = await jwt({ scope: 'orders.read', sub: 'alice' }, { alg: 'HS256' });
    const asked = `${url}/admin/x?secret=1`;
    const response = await fetch(asked, { headers: { authorization: `Bearer ${token}` } });
    const ticket = await ticketOf(response);
    t.ok(ticket.length < 600, `${ticket.length} characters`);
    const file = write(t, body);
    const told = await command(t, ['why', ticket, '--config', file]).ended();
    t.equal(told.status, 0, told.stderr);
    t.match(told.stdout, /^403 scope_insufficient {3}GET 127\.0\.0\.1:\d+\/admin\/x\n/);
    t.match(told.stdout, /route +admin {2}gateway\.yaml:\d+\n/);
    t.match(told.stdout, /step +permit\n/);
    t.match(told.stdout, /needed scope +admin\n {2}missing scope +admin\n/);
    t.match(told.stdout, /cache +miss\n/);
    t.match(told.stdout, /held scope +orders\.read\n/);
    t.match(told.stdout, /to do +Request the scope that the challenge names/);
    t.match(told.stdout, new RegExp(`request id +${response.headers.get('x-request-id')}\n`));
    t.notMatch(told.stdout, /secret|alice/);
    t.notMatch(told.stdout, JWT_BEGINS);
    const record = JSON.parse((await command(t, ['why', ticket, '--config', file, '--json']).ended()).stdout);
    t.match(record, {
      route: 'admin',
      code: 'scope_insufficient',
      step: 'permit',
      scope_missing: 'admin',
      time: /^20/,
    });
  },
);

t.test('why shows what a token contains beside what the route expects, and the difference', async (t) => {
  const body = behind(upstream, { ticket_keys: [key] });
  const { url } = await gateway(t, body);
  const token = await jwt({ iss: 'https://auth.example.com/', jti: 'hidden-word' }, { alg: 'HS256' });
  const ticket = await ticketOf(await fetch(`${url}/orders/1`, { headers: { authorization: `Bearer ${token}` } }));
  const { stdout } = await command(t, ['why', ticket, '--config', write(t, body)]).ended();
  t.match(stdout, /^401 token_issuer/);
  t.match(stdout, /\n {2}claim +iss\n {2}found +"https:\/\/auth.example.com\/"\n/);
  t.match(stdout, /\n {2}expected +"https:\/\/auth.example.com"\n {2}difference +differs only by a slash at the end\n/);
  t.notMatch(stdout, /hidden-word/);
  t.notMatch(stdout, JWT_BEGINS);
});

t.test('a ticket of another key, or a text that is not a ticket, is one clear sentence and exit 1', async (t) => {
  const { url } = await gateway(t, behind(upstream));
  const ticket = await ticketOf(await fetch(`${url}/orders/1`));
  const other = write(t, behind(upstream, { ticket_keys: [key] }));
  t.match(await command(t, ['why', ticket, '--config', other]).ended(), {
    status: 1,
    stderr: /none of the `ticket_keys` .* opens the ticket/,
  });
  t.match(await command(t, ['why', 'hello', '--config', other]).ended(), { status: 1, stderr: /not a whole ticket/ });
  const id = 'AbCdEfGh-_12-1z';
  t.match(await command(t, ['why', id, '--config', other]).ended(), {
    status: 1,
    stderr: new RegExp(`a request id: find the line with "request_id":"${id}"`),
  });
  const neither = await command(t, ['why', ticket, '--config', write(t, behind(upstream))]).ended();
  t.match(neither, { status: 1, stderr: /For later tickets, run: openssl rand .* ticket_keys: .* `admin`/ });
});

t.test('without keys the process that sealed a ticket opens it at its admin listener', async (t) => {
  const running = await gateway(t, behind(upstream, { admin: '127.0.0.1:0' }));
  const ticket = await ticketOf(await fetch(`${running.url}/orders/1`));
  const opened = await fetch(`${running.adminUrl}/why/${ticket}`);
  t.match(await opened.json(), { code: 'credential_missing', step: 'extract', route: 'orders' });
  t.equal((await fetch(`${running.adminUrl}/why/AAAA`)).status, 404);
});

t.test('without keys `why` asks the admin listener of the file', async (t) => {
  const running = await gateway(t, behind(upstream, { admin: '127.0.0.1:0' }));
  const ticket = await ticketOf(await fetch(`${running.url}/orders/1`));
  const { host } = new URL(String(running.adminUrl));
  const file = write(t, behind(upstream, { admin: host }));
  const told = await command(t, ['why', ticket, '--config', file]).ended();
  t.match(told, { status: 0, stdout: /^401 credential_missing {3}GET 127\.0\.0\.1:\d+\/orders\/1\n/ });
  const other = await gateway(t, behind(upstream));
  const foreign = await ticketOf(await fetch(`${other.url}/orders/1`));
  t.match(await command(t, ['why', foreign, '--config', file]).ended(), {
    status: 1,
    stderr: new RegExp(
      `the gateway at http://${host} is another process, or has restarted since it made the ticket\\. For later tickets, run: openssl`,
    ),
  });
});

t.test('if the admin listener needs a login, `why` says where the ticket opens, and needs no secret', async (t) => {
  const users = userFile(t, 'alice:{SHA}y/waJdy9m/a+D8VTRQ/e2awAzpQ=\n');
  const admin = { listen: '127.0.0.1:0', access: { basic: { users } } };
  const { url, adminUrl = '' } = await gateway(t, behind(upstream, { admin }));
  const ticket = await ticketOf(await fetch(`${url}/admin/x`));
  // biome-ignore lint/suspicious/noTemplateCurlyInString: a variable of the file that this machine does not have
  const access = { authorization_server: 'main', client_id: 'a', client_secret: '${ABSENT}' };
  const file = write(t, behind(upstream, { admin: { listen: new URL(adminUrl).host, access } }));
  const told = await command(t, ['why', ticket, '--config', file]).ended();
  t.equal(told.status, 1);
  t.match(told.stderr, `answers only to operators who are logged in: open ${adminUrl}/why/${ticket}`);
});

t.test('if no gateway answers at the admin listener, `why` says what to do', async (t) => {
  const { url } = await gateway(t, behind(upstream));
  const ticket = await ticketOf(await fetch(`${url}/orders/1`));
  const nobody = `127.0.0.1:${await freePort()}`;
  const told = await command(t, ['why', ticket, '--config', write(t, behind(upstream, { admin: nobody }))]).ended();
  t.match(told, { status: 1, stderr: new RegExp(`no gateway answers at http://${nobody}\\. Run this command on`) });
  const { url: stranger } = await witness(t);
  const file = write(t, behind(upstream, { admin: new URL(stranger).host }));
  t.match(await command(t, ['why', ticket, '--config', file]).ended(), { status: 1, stderr: /no gateway answers/ });
});

t.test('`why -` accepts the whole answer, or its ticket, from standard input', async (t) => {
  const { url } = await gateway(t, behind(upstream, { ticket_keys: [key] }));
  const answer = await (await fetch(`${url}/orders/1`)).text();
  const file = write(t, behind(upstream, { ticket_keys: [key] }));
  for (const input of [answer, `${JSON.parse(answer).ticket}\n`])
    t.match(await commandReading(input, ['why', '-', '-c', file]), { status: 0, stdout: /^401 credential_missing/ });
  t.match(await commandReading('{"code":"x"}', ['why', '-', '-c', file]), { status: 1, stderr: /not a whole ticket/ });
});

t.test(
  'the ticket of a 401 says that a token was in a place that the route does not read, and never shows it',
  async (t) => {
    const { routes } = behind(upstream) as { routes: object[] };
    const form = { id: 'form', match: { path: '/form' }, access: 'authenticated', bearer_methods_supported: ['body'] };
    const body = behind(upstream, { ticket_keys: [key], routes: [...routes, form] });
    const { url } = await gateway(t, body);
    const places = {
      'this route does not read a token in the query': fetch(`${url}/orders/1?access_token=not-for-the-log`),
      'this route does not read a token in the body': fetch(`${url}/orders/1`, {
        method: 'POST',
        body: new URLSearchParams({ access_token: 'not-for-the-log' }),
      }),
      'a body with a token must be a form: application/x-www-form-urlencoded (RFC 6750 §2.2)': fetch(`${url}/form`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ access_token: 'not-for-the-log' }),
      }),
    };
    for (const [reason, response] of Object.entries(places)) {
      const answer = await response;
      t.equal(answer.status, 401);
      t.notMatch(answer.headers.get('www-authenticate') ?? '', /not read|RFC|error/);
      const { ticket, ...sent } = (await answer.json()) as { ticket: string };
      t.notMatch(JSON.stringify(sent), /not read|RFC \d/);
      const { stdout } = await command(t, ['why', ticket, '--config', write(t, body)]).ended();
      t.match(stdout, `reason        ${reason}\n`);
      t.notMatch(stdout, /not-for-the-log/);
    }
  },
);

t.test(
  'the ticket of a 404 lists the conditions that failed although host and path match, without their values',
  async (t) => {
    const soap = (action: string) => ({ match: { path: '/soap', soap_action: action }, access: 'public' });
    const given = behind(upstream, { ticket_keys: [key] });
    const body = { ...given, routes: ['a', 'b', 'c', 'd', 'e'].map((id) => ({ id, ...soap(`urn:${id}`) })) };
    const { url } = await gateway(t, body);
    const reasonOf = async (headers: Record<string, string>, path = '/soap') => {
      const answer = await fetch(url + path, { method: 'POST', headers });
      t.match(answer.status, 404);
      const { ticket, detail } = (await answer.json()) as { ticket: string; detail: string };
      t.equal(detail, 'No route matches this request.');
      const { stdout } = await command(t, ['why', ticket, '--config', write(t, body), '--json']).ended();
      return JSON.parse(stdout).reason;
    };
    const another =
      'host and path match, but not the conditions: a (another soap action), b (another soap action), c (another soap action), and more';
    t.equal(await reasonOf({ soapaction: 'urn:sent' }), another);
    t.match(await reasonOf({}), /^host and path match, but not the conditions: a \(no soap action\), /);
    t.equal(await reasonOf({}, '/elsewhere'), undefined);
  },
);

t.test('every refusal and every outage carries a ticket, also for bytes that never became a request', async (t) => {
  const running = await gateway(t, behind(upstream, { admin: '127.0.0.1:0' }));
  const requests = {
    route_not_found: 'GET /nowhere HTTP/1.1\r\nHost: a\r\n\r\n',
    upstream_unreachable: 'GET /public/x HTTP/1.1\r\nHost: a\r\n\r\n',
    target_dot_segment: 'GET /a/../b HTTP/1.1\r\nHost: a\r\n\r\n',
    message_malformed: 'GET / HTTP/1.1\r\nHost : a\r\n\r\n',
  };
  for (const [code, text] of Object.entries(requests)) {
    const { body } = await raw(running.port, text);
    const { ticket } = JSON.parse(body.toString());
    t.match(
      await (await fetch(`${running.adminUrl}/why/${ticket}`)).json(),
      { code, step: String, time: String },
      code,
    );
  }
});

t.test('the ticket of a long request is not long', async (t) => {
  const running = await gateway(t, behind(upstream));
  const { body } = await raw(running.port, `GET /${'a'.repeat(7000)} HTTP/1.1\r\nHost: a\r\n\r\n`);
  t.ok(JSON.parse(body.toString()).ticket.length < 1000);
});
