import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import t from 'tap';
import { parse } from 'yaml';
import { leaves } from '../../tools/chart/files.ts';
import { skipWithoutHelm } from '../../tools/chart/programs.ts';
import { staleFiles } from '../../tools/generate.ts';
import { authorizationConfig, chart, gatewayConfig, refusal } from './chart.ts';

const file = (name: string) => readFileSync(join(chart, name), 'utf8');
const templates = readdirSync(join(chart, 'templates')).map((name) => file(`templates/${name}`));

t.test('values.yaml, its schema and the dashboard are what tools/chart generates', async (t) => {
  t.strictSame(
    staleFiles().filter((name) => name.startsWith('helm/')),
    [],
    'npm run generate',
  );
});

t.test('the chart and the package have the same version', async (t) => {
  const { version } = JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8'));
  const { appVersion, ...rest } = parse(file('Chart.yaml'));
  t.equal(appVersion, version);
  t.equal(rest.version, version);
});

t.test('every value is used by a template', async (t) => {
  const unused = leaves().filter(([path]) => {
    const name = path.split('.').at(-1) ?? '';
    return path !== 'enabled' && !path.includes('.ports.') && !templates.some((text) => text.includes(`.${name}`));
  });
  t.strictSame(
    unused.map(([path]) => path),
    [],
  );
});

/** Maps of Kubernetes, Helm or the operator. Their names are not ours to check. */
const OPEN = 'The chart passes this value to Kubernetes unchanged.';

t.test('the schema rejects unknown keys, except in maps for Kubernetes', async (t) => {
  const schema = JSON.parse(file('values.schema.json'));
  const open: string[] = [];
  walk(schema, '', (each, path) => {
    const names = each.additionalProperties;
    const isClosed = names === false || (names !== null && typeof names === 'object');
    const isAny = JSON.stringify(each).includes(OPEN);
    if (each.type === 'object' && !isClosed && !isAny) open.push(path);
  });
  t.strictSame(
    open.filter(
      (path) => !/^\.properties\.(global|gateway\.properties\.config|authorization\.properties\.config)/.test(path),
    ),
    [
      '.properties.gateway.properties.autoscaling.properties.behavior',
      '.properties.gateway.properties.strategy',
      '.properties.authorization.properties.autoscaling.properties.behavior',
      '.properties.authorization.properties.strategy',
    ],
  );
});

// biome-ignore lint/suspicious/noExplicitAny: a JSON Schema, walked
function walk(schema: any, path: string, see: (schema: any, path: string) => void): void {
  if (schema === null || typeof schema !== 'object') return;
  if (!Array.isArray(schema)) see(schema, path);
  for (const [key, each] of Object.entries(schema)) if (key !== 'default') walk(each, `${path}.${key}`, see);
}

const slips: Readonly<Record<string, object>> = {
  'at the top': { replicas: 2 },
  'of a program': { gateway: { config: gatewayConfig, replicas: 2 } },
  'of a Service': { gateway: { config: gatewayConfig, service: { prot: 80 } } },
  'of a variable': { gateway: { config: gatewayConfig, extraEnv: [{ name: 'A', valueFromm: {} }] } },
  'of a security context': {
    gateway: { config: gatewayConfig, securityContext: { privileged: false, readOnly: true } },
  },
  'of a toleration': { gateway: { config: gatewayConfig, tolerations: [{ kee: 'x' }] } },
  'of gateway.yaml': { gateway: { config: { ...gatewayConfig, upstream: {} } } },
  'of a route': { gateway: { config: { ...gatewayConfig, routes: [{ match: { path: '/a' }, scopes: 'a' }] } } },
  'of authorization.yaml': {
    mode: 'authorization',
    authorization: { config: { ...authorizationConfig, isuer: 'https://auth.example.com' } },
  },
};

for (const [where, values] of Object.entries(slips))
  t.test(`an unknown key ${where} is rejected`, { skip: skipWithoutHelm }, async (t) => {
    t.match(refusal(values), /additional properties '\w+' not allowed/i);
  });

t.test('a parent chart may disable this one with `enabled`, and share values', { skip: skipWithoutHelm }, async (t) => {
  t.equal(refusal({ enabled: true, global: { imageRegistry: 'x' }, gateway: { config: gatewayConfig } }), '');
});
