import t from 'tap';
import { LARGEST_FILE } from '../../../src/config/files/read-text.ts';
import { detectKind } from '../../../src/config/yaml/detect.ts';

const route = { match: { path: '/' }, upstream: 'a', access: 'public' };
const edge = { version: 1, upstreams: { a: { url: 'http://127.0.0.1:9000' } }, routes: [route] };
const service = { version: 1, issuer: 'https://a.example.com', resources: ['https://b.example.com'] };

t.test('a JSON file has a kind, on one line and with indentation', async (t) => {
  for (const space of [undefined, 2, '\t']) {
    t.equal(detectKind(JSON.stringify(edge, undefined, space)), 'gateway');
    t.equal(detectKind(JSON.stringify(service, undefined, space)), 'authorization');
  }
});

t.test('a YAML file in flow style has a kind', async (t) => {
  for (const text of [
    '{ version: 1, routes: [] }\n',
    "---\n# issuer: { }\n{ 'routes': [] }\n",
    '%YAML 1.2\n---\n{\n  # it isn\'t "issuer: x"\n  log: { level: info },\n  routes: [],\n}\n',
    "{ realm: don't, routes: [] }\n",
  ])
    t.equal(detectKind(text), 'gateway', text);
});

t.test('only the top-level keys of a file in braces give it its kind', async (t) => {
  t.equal(detectKind('{ "routes": [{ "issuer": 1, "resources": 1, "clients": 1 }] }'), 'gateway');
  t.equal(detectKind('{ "routes": 1, "log": "issuer: 1, clients: 1, {" }'), 'gateway');
  t.equal(detectKind('{ "log": { "routes": 1 } }'), undefined);
});

t.test('a file with mistakes keeps its kind', async (t) => {
  const text = JSON.stringify(edge, undefined, 2);
  t.equal(detectKind(text.slice(0, -1)), 'gateway', 'without its last brace');
  t.equal(detectKind(text.replace('9000"', '9000')), 'gateway', 'without a quotation mark');
  t.equal(detectKind('{ log: {\nroutes: [],\nupstreams: {}\n'), 'gateway', 'with its keys at the beginning of lines');
  t.equal(detectKind('routes: [{ match: }\nupstreams: {\n'), 'gateway', 'in block style');
});

t.test('the time to find the kind grows only with the length of the file', async (t) => {
  for (const sign of ['{', '"', "'", '\\"', 'a', 'a ', ' ', '\n', '#', '# ', '---\n', '{"', '"\\'])
    for (const begin of ['', '{ ', '{ "']) detectKind(`${begin}${sign.repeat(LARGEST_FILE / 4 / sign.length)}`);
  t.pass('in the time that a file has');
});
