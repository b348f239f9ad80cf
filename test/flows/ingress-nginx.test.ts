import t from 'tap';
import { nginxOf, programAt } from '../support/front-proxy.ts';
import { bearer } from '../support/request-text.ts';
import { jwt } from '../support/tokens.ts';
import { fronted, type Starts } from './asked-by.ts';

const options = { skip: programAt('nginx') === undefined && 'nginx not present' };

/** The lines about external authentication in ingress-nginx's template. The path is forwarded as the client sent it. */
const template = `
server {
  listen 80;
  server_name api.example.com;
  location = /_external-auth {
    internal;
    proxy_pass_request_body off;
    proxy_set_header Content-Length "";
    proxy_set_header X-Forwarded-Proto "";
    proxy_set_header X-Request-ID $request_id;
    proxy_set_header Host gatehouse.shop.svc.cluster.local;
    proxy_set_header X-Original-URL $scheme://$http_host$request_uri;
    proxy_set_header X-Original-Method $request_method;
    proxy_set_header X-Sent-From "nginx-ingress-controller";
    proxy_set_header X-Real-IP $remote_addr;
    proxy_set_header X-Forwarded-For $remote_addr;
    proxy_pass http://DECISION/nginx;
  }
  location / {
    auth_request /_external-auth;
    proxy_set_header Host $http_host;
    proxy_pass http://UPSTREAM;
  }
}
`;

const start: Starts = (t, _page, { decision, upstream }) =>
  nginxOf(t, template.replace('DECISION', decision).replace('UPSTREAM', upstream));

const routes = [
  { id: 'home', match: { path: '/{rest*}' }, access: 'public' },
  { id: 'admin', match: { path: '/admin/{rest*}' }, scope: 'admin' },
];

t.test('behind ingress-nginx no Host changes which path is judged', options, async (t) => {
  const { send, upstream, proxy } = await fronted(t, 'behind-nginx.md', start, { routes });
  const target = '/admin/users';
  t.equal((await send({ target })).status, 401, proxy.log());
  for (const host of [
    'api.example.com:80?',
    'api.example.com:80?/public',
    'api.example.com:80#',
    'api.example.com:80*',
  ])
    for (const headers of [[], [bearer(await jwt({ scope: 'read' }, { alg: 'HS256' }))]]) {
      const { status } = await send({ target, host, headers });
      t.ok(status >= 400, `${host}: ${status}`);
    }
  t.strictSame(upstream.seen, [], 'the upstream saw nothing');
  t.equal((await send({ target: '/', host: 'api.example.com:80' })).status, 200);
  t.equal((await send({ target, headers: [bearer(await jwt({ scope: 'admin' }, { alg: 'HS256' }))] })).status, 200);
  t.strictSame(
    upstream.seen.map((seen) => seen.target),
    ['/', target],
  );
});
