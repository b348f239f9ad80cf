import t from 'tap';
import { skipWithoutHelm } from '../../tools/chart/programs.ts';
import { authorizationConfig, gatewayConfig, type Manifest, rendered } from './chart.ts';

/** The endpoint of each ServiceMonitor that the chart makes for both programs with these values. */
function endpoints(serviceMonitor: object): readonly Manifest[] {
  const programs = { gateway: { config: gatewayConfig }, authorization: { config: authorizationConfig } };
  return rendered({ mode: 'both', ...programs, metrics: { serviceMonitor: { enabled: true, ...serviceMonitor } } })
    .filter(({ kind }) => kind === 'ServiceMonitor')
    .map(({ spec }) => spec.endpoints[0]);
}

const where = { port: 'health', path: '/metrics' };

t.test('each ServiceMonitor has the interval and the timeout of the values', { skip: skipWithoutHelm }, async (t) => {
  const own = { ...where, interval: '1m', scrapeTimeout: '25s' };
  t.strictSame(endpoints({ interval: '1m', scrapeTimeout: '25s' }), [own, own]);
  const byDefault = { ...where, interval: '30s', scrapeTimeout: '10s' };
  t.strictSame(endpoints({}), [byDefault, byDefault]);
});

t.test('an empty interval or timeout is left to Prometheus', { skip: skipWithoutHelm }, async (t) => {
  t.strictSame(endpoints({ interval: '', scrapeTimeout: '' }), [where, where]);
});
