import { connect } from 'node:net';
import t from 'tap';
import { basic, run, shop } from '../authorization/running-service.ts';

// CVE-2026-33806, CVE-2026-25223, CVE-2025-32442, GHSA-573f-x89g-hqp9: two parsers read a media type differently.
const spellings: [string, 200 | 400][] = [
  ['application/x-www-form-urlencoded', 200],
  ['Application/X-WWW-Form-Urlencoded', 200],
  ['application/x-www-form-urlencoded;charset=utf-8', 200],
  ['application/x-www-form-urlencoded; charset=UTF-8', 200],
  ['application/x-www-form-urlencoded ; charset="utf-8"', 200],
  ['application/x-www-form-urlencoded;\tcharset=utf-8', 200],
  ['application/x-www-form-urlencoded; charset=ISO-8859-1', 200],
  ['application/x-www-form-urlencoded ', 200],
  ['application/x-www-form-urlencoded\t', 200],
  ['application/x-www-form-urlencoded;', 400],
  ['application/x-www-form-urlencoded;;', 400],
  ['application/x-www-form-urlencoded; charset=utf-7', 400],
  ['application/x-www-form-urlencoded; charset=utf-16', 400],
  ['application/x-www-form-urlencoded; charset="utf-8', 400],
  ['application/x-www-form-urlencoded; charset=utf-8; charset=utf-16', 400],
  ['application/x-www-form-urlencoded; boundary=x', 400],
  ['application/x-www-form-urlencoded, application/json', 400],
  ['application/x-www-form-urlencoded application/json', 400],
  ['application/x-www-form-urlencoded\x00', 400],
  ['application/x-www-form-urlencodedx', 400],
  ['application/x-www-form-urlencoded/json', 400],
  ['application /x-www-form-urlencoded', 400],
  ['application/ x-www-form-urlencoded', 400],
  ['application/x-www-form-urlencoded+json', 400],
  ['"application/x-www-form-urlencoded"', 400],
  ['application/json', 400],
  ['application/json; a=application/x-www-form-urlencoded', 400],
  ['multipart/form-data; boundary=x', 400],
  ['text/plain', 400],
  ['*/*', 400],
  [';', 400],
  ['', 400],
  ['application/x-www-form-urlencoded\xa0', 400],
];

t.test('advisory 44: every spelling of the media type clearly is a form or is not', async (t) => {
  const service = await run(t);
  const { hostname, port } = new URL(service.url);
  const body = 'grant_type=client_credentials';
  for (const [type, expected] of spellings) {
    const socket = connect(Number(port), hostname);
    const head = `POST /oauth2/token HTTP/1.1\r\nHost: a\r\nConnection: close\r\nAuthorization: ${basic(shop).authorization}\r\nContent-Type: ${type}\r\nContent-Length: ${body.length}\r\n\r\n`;
    socket.write(head + body, 'latin1');
    let answer = '';
    for await (const chunk of socket) answer += chunk;
    t.equal(Number(answer.slice(9, 12)), expected, JSON.stringify(type));
  }
});

t.test('advisory 44: a body without a media type is not a form', async (t) => {
  const service = await run(t);
  const response = await fetch(`${service.url}/oauth2/token`, {
    method: 'POST',
    headers: basic(shop),
    body: Buffer.from('grant_type=client_credentials'),
  });
  t.equal(response.status, 400);
});
