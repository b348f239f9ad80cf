import { randomBytes } from 'node:crypto';
import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import t from 'tap';
import { command } from '../support/command.ts';
import { behind, gateway, gatewayYaml } from '../support/gateway.ts';
import { ask as raw } from '../support/raw-client.ts';
import { jwt } from '../support/tokens.ts';
import { witness } from '../support/witness.ts';

const key = randomBytes(32).toString('base64');
const upstream = 'http://127.0.0.1:9';

function write(body: object): string {
  const file = join(mkdtempSync(join(tmpdir(), 'gatehouse-')), 'gateway.yaml');
  writeFileSync(file, gatewayYaml(body));
  return file;
}

async function ticketOf(response: Response): Promise<string> {
  return ((await response.json()) as { ticket: string }).ticket;
}

t.test(
  'why tells route and line, step, missing scope, cache state and time; never the token or the query',
  async (t) => {
    const { url: api } = await witness(t);
    const body = behind(api, { ticket_keys: [key] });
    const { url } = await gateway(t, body);
    const token = await jwt({ scope: 'orders.read', sub: 'alice' }, { alg: 'HS256' });
    const asked = `${url}/admin/x?secret=1`;
    const response = await fetch(asked, { headers: { authorization: `Bearer ${token}` } });
    const ticket = await ticketOf(response);
    t.ok(ticket.length < 600, `${ticket.length} characters`);
    const file = write(body);
    const told = await command(t, ['why', ticket, '--config', file]).ended();
    t.equal(told.status, 0, told.stderr);
    t.match(told.stdout, /^403 scope_insufficient {3}GET 127\.0\.0\.1:\d+\/admin\/x\n/);
    t.match(told.stdout, /route +admin {2}gateway\.yaml:\d+\n/);
    t.match(told.stdout, /step +permit\n/);
    t.match(told.stdout, /missing scope +admin\n/);
    t.match(told.stdout, /cache +miss\n/);
    t.match(told.stdout, new RegExp(`request id +${response.headers.get('x-request-id')}\n`));
    t.notMatch(told.stdout, /secret|alice|eyJ/);
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

t.test('a ticket of another key, or no ticket, is one clear sentence and exit 1', async (t) => {
  const { url } = await gateway(t, behind(upstream));
  const ticket = await ticketOf(await fetch(`${url}/orders/1`));
  const other = write(behind(upstream, { ticket_keys: [key] }));
  t.match(await command(t, ['why', ticket, '--config', other]).ended(), {
    status: 1,
    stderr: /sealed under another key/,
  });
  t.match(await command(t, ['why', 'hello', '--config', other]).ended(), { status: 1, stderr: /not a ticket/ });
  const none = write(behind(upstream, { admin: '127.0.0.1:9901' }));
  const told = await command(t, ['why', ticket, '--config', none]).ended();
  t.match(told, { status: 1, stderr: /only the process that sealed .* http:\/\/127\.0\.0\.1:9901\/why\// });
});

t.test('without keys the process that sealed a ticket opens it at its admin listener', async (t) => {
  const running = await gateway(t, behind(upstream, { admin: '127.0.0.1:0' }));
  const ticket = await ticketOf(await fetch(`${running.url}/orders/1`));
  const opened = await fetch(`${running.adminUrl}/why/${ticket}`);
  t.match(await opened.json(), { code: 'credential_missing', step: 'extract', route: 'orders' });
  t.equal((await fetch(`${running.adminUrl}/why/AAAA`)).status, 404);
});

t.test('every refusal and every outage carries a ticket, also what never became a request', async (t) => {
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

t.test('a long request makes no long ticket', async (t) => {
  const running = await gateway(t, behind(upstream));
  const { body } = await raw(running.port, `GET /${'a'.repeat(7000)} HTTP/1.1\r\nHost: a\r\n\r\n`);
  t.ok(JSON.parse(body.toString()).ticket.length < 1000);
});
