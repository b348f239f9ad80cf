import { once } from 'node:events';
import { connect } from 'node:net';
import t from 'tap';
import { until } from '../../support/until.ts';
import { basic, gateway, run, shop } from '../running-service.ts';

interface LoggedLine {
  readonly request_id?: string;
  readonly msg: string;
  readonly error?: string;
}

function lines(logged: string): readonly LoggedLine[] {
  return logged
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line) as LoggedLine);
}

/** RFC 9457. */
const problemMembers = ['type', 'title', 'status', 'detail', 'code', 'request_id'];

t.test("every JSON error carries the id of the request's log line", async (t) => {
  const service = await run(t);
  const grant = { grant_type: 'client_credentials' };
  const answers: Record<string, [Response, string]> = {
    'a wrong secret': [await service.post('/oauth2/token', grant, basic({ ...shop, secret: 'x' })), 'invalid_client'],
    'no such client': [await service.post('/oauth2/token', grant, basic({ ...shop, id: 'x' })), 'unregistered_client'],
    'an unknown grant': [
      await service.post('/oauth2/token', { grant_type: 'x' }, basic(shop)),
      'unsupported_grant_type',
    ],
    'no token to revoke': [await service.post('/oauth2/revoke', {}, basic(shop)), 'invalid_request'],
    'no token to introspect': [await service.post('/oauth2/introspect', {}, basic(gateway)), 'invalid_request'],
    'too large': [await service.post('/oauth2/token', 'x'.repeat(65_537)), 'content_too_large'],
    'another method': [await fetch(`${service.url}/oauth2/token`), 'method_not_allowed'],
  };
  const strays: typeof answers = {
    'no such path': [await fetch(`${service.url}/oauth2/nothing`), 'not_found'],
    'a path that is none': [await fetch(`${service.url}/%zz`), 'invalid_request'],
  };
  await service.service.records.close();
  answers.outage = [await service.post('/oauth2/token', grant, basic(shop)), 'temporarily_unavailable'];
  const lastId = answers.outage[0].headers.get('x-request-id');
  const isTold = () =>
    lines(service.logged()).some(({ request_id, error }) => request_id === lastId && error !== undefined);
  t.ok(await until(isTold));
  for (const [title, [response, code]] of Object.entries({ ...answers, ...strays })) {
    const body = (await response.json()) as { request_id: string };
    const members = title in strays ? problemMembers : ['error', 'error_description', 'request_id'];
    t.strictSame(Object.keys(body), members, title);
    t.equal(body.request_id, response.headers.get('x-request-id'));
    const told = lines(service.logged()).filter(({ request_id }) => request_id === body.request_id);
    t.ok(
      told.some(({ error }) => error === code),
      `${title}: ${JSON.stringify(told)}`,
    );
  }
});

t.test('bytes that are not a request also get an id', async (t) => {
  const service = await run(t);
  const { hostname, port } = new URL(service.url);
  const socket = connect(Number(port), hostname);
  let answer = '';
  socket.setEncoding('latin1').on('data', (text) => (answer += text));
  socket.write('GARBAGE\r\n\r\n');
  await once(socket, 'close');
  const [head = '', body = ''] = answer.split('\r\n\r\n');
  const { request_id } = JSON.parse(body) as { request_id: string };
  t.match(head, `X-Request-Id: ${request_id}`);
  t.match(head, `Content-Length: ${body.length}`);
  t.ok(lines(service.logged()).some((line) => line.request_id === request_id && line.msg === 'not a request'));
});

t.test('with an https issuer each answer, errors too, tells browsers to use only https', async (t) => {
  const paths = ['/oauth2/jwks', '/oauth2/nothing', '/oauth2/token', '/%zz', '/oauth2/login'];
  const told = async (issuer: string) => {
    const { url } = await run(t, { config: { issuer } });
    const answers = await Promise.all(paths.map((path) => fetch(url + path)));
    return answers.map(({ headers }) => headers.get('strict-transport-security'));
  };
  t.strictSame(
    await told('https://auth.example.com'),
    paths.map(() => 'max-age=31536000'),
  );
  t.strictSame(
    await told('http://localhost:8081'),
    paths.map(() => null),
  );
});
