// biome-ignore-all lint/suspicious/noTemplateCurlyInString: variables of Grafana look like this
/** The Grafana dashboard of the chart: a row of this table a panel. */
interface Panel {
  readonly title: string;
  readonly description: string;
  readonly unit: 'reqps' | 's' | 'short' | 'percentunit';
  /** PromQL → the label of its lines. */
  readonly queries: Readonly<Record<string, string>>;
}

const where = 'namespace=~"$namespace", job=~"$job"';
const requests = (labels = '') => `rate(gatehouse_requests_total{${where}${labels}}[$__rate_interval])`;
const quantile = (of: number, name: string, by = '') =>
  `histogram_quantile(${of}, sum by (le${by}) (rate(${name}_bucket{${where}}[$__rate_interval])))`;

const panels: readonly Panel[] = [
  {
    title: 'Requests by route',
    description: 'All requests: forwarded, answered, refused or failed.',
    unit: 'reqps',
    queries: { [`sum by (route) (${requests()})`]: '{{route}}' },
  },
  {
    title: 'Not forwarded, by code',
    description: 'Refusals and outages. docs/errors.md explains each code.',
    unit: 'reqps',
    queries: { [`sum by (code) (${requests(', code!="forwarded"')})`]: '{{code}}' },
  },
  {
    title: 'Answers by class of status',
    description: 'Answers of the gateway and of the APIs. none: the client left before an answer.',
    unit: 'reqps',
    queries: { [`sum by (status_class) (${requests()})`]: '{{status_class}}' },
  },
  {
    title: 'Duration of requests',
    description: 'Time from the head of a request to the end of its answer.',
    unit: 's',
    queries: {
      [quantile(0.5, 'gatehouse_request_duration_seconds')]: 'p50',
      [quantile(0.95, 'gatehouse_request_duration_seconds')]: 'p95',
      [quantile(0.99, 'gatehouse_request_duration_seconds')]: 'p99',
    },
  },
  {
    title: 'First byte of upstreams, p95',
    description: 'Time from forwarding a request to the first byte of its answer.',
    unit: 's',
    queries: { [quantile(0.95, 'gatehouse_upstream_duration_seconds', ', route')]: '{{route}}' },
  },
  {
    title: 'Own work, p99',
    description:
      'gateway: the time that the gateway itself takes for a request. verification: the time that a decision waits for the verification of a credential.',
    unit: 's',
    queries: {
      [quantile(0.99, 'gatehouse_gateway_duration_seconds')]: 'gateway',
      [quantile(0.99, 'gatehouse_verification_duration_seconds')]: 'verification',
    },
  },
  {
    title: 'In flight to upstreams',
    description: 'Requests that have a connection to the upstream or wait for one.',
    unit: 'short',
    queries: { [`sum by (upstream) (gatehouse_upstream_requests_in_flight{${where}})`]: '{{upstream}}' },
  },
  {
    title: 'Share of tokens from the cache',
    description: 'Share of requests with a cached token, which needed no verification.',
    unit: 'percentunit',
    queries: {
      [`sum by (server) (rate(gatehouse_token_cache_hits{${where}}[$__rate_interval])) / (sum by (server) (rate(gatehouse_token_cache_hits{${where}}[$__rate_interval])) + sum by (server) (rate(gatehouse_token_cache_misses{${where}}[$__rate_interval])))`]:
        '{{server}}',
    },
  },
  {
    title: 'Introspection calls',
    description: 'Introspection calls, and look-ups in a shared store.',
    unit: 'reqps',
    queries: { [`sum by (server) (rate(gatehouse_introspections{${where}}[$__rate_interval]))`]: '{{server}}' },
  },
  {
    title: 'Age of keys',
    description: 'Time since the gateway last fetched the keys of an authorization server.',
    unit: 's',
    queries: { [`max by (server) (gatehouse_jwks_age_seconds{${where}})`]: '{{server}}' },
  },
  {
    title: 'Lag of revocation feeds',
    description: 'Time since the gateway last knew all revocations.',
    unit: 's',
    queries: { [`max by (server) (gatehouse_feed_lag_seconds{${where}})`]: '{{server}}' },
  },
  {
    title: 'Answers of the authorization service',
    description: 'Answers by endpoint and outcome. The outcome is ok or an error code.',
    unit: 'reqps',
    queries: {
      [`sum by (endpoint, outcome) (rate(gatehouse_authorization_answers_total{${where}}[$__rate_interval]))`]:
        '{{endpoint}} {{outcome}}',
    },
  },
  {
    title: 'Issued tokens',
    description: 'Issued tokens by grant type and format.',
    unit: 'reqps',
    queries: {
      [`sum by (grant_type, format) (rate(gatehouse_authorization_tokens_issued_total{${where}}[$__rate_interval]))`]:
        '{{grant_type}} {{format}}',
    },
  },
];

const datasource = { type: 'prometheus', uid: '${datasource}' };
const [WIDTH, HEIGHT, COLUMNS] = [12, 8, 2];

/** Every query of the dashboard. */
export const dashboardQueries: readonly string[] = panels.flatMap(({ queries }) => Object.keys(queries));

/** In the form that Grafana imports. */
export function dashboard(): object {
  return {
    uid: 'gatehouse',
    title: 'Gatehouse',
    tags: ['gatehouse'],
    schemaVersion: 39,
    editable: true,
    time: { from: 'now-1h', to: 'now' },
    refresh: '30s',
    templating: {
      list: [source(), variable('namespace', 'namespace'), variable('job', 'job', ', namespace=~"$namespace"')],
    },
    panels: panels.map(drawn),
  };
}

function source(): object {
  return { name: 'datasource', label: 'Data source', type: 'datasource', query: 'prometheus' };
}

function variable(name: string, label: string, filter = ''): object {
  const query = `label_values({__name__=~"gatehouse_.+"${filter}}, ${label})`;
  const all = { includeAll: true, multi: true, allValue: '.*', current: { text: 'All', value: '$__all' } };
  return { name, label, type: 'query', datasource, query: { query, refId: name }, refresh: 2, sort: 1, ...all };
}

function drawn({ title, description, unit, queries }: Panel, index: number): object {
  const gridPos = { x: (index % COLUMNS) * WIDTH, y: Math.floor(index / COLUMNS) * HEIGHT, w: WIDTH, h: HEIGHT };
  const targets = Object.entries(queries).map(([expr, legendFormat], at) => ({
    refId: String.fromCharCode(65 + at),
    datasource,
    expr,
    legendFormat,
  }));
  const fieldConfig = { defaults: { unit, min: 0 }, overrides: [] };
  return { id: index + 1, type: 'timeseries', title, description, datasource, gridPos, fieldConfig, targets };
}
