import type { FileContext } from '../files/referred-file.ts';
import { type CountersConfig, type CountersFile, countersParts } from '../schema/counters.ts';
import type { Finding } from '../words/problem.ts';
import { parseUrl } from '../words/url-rules.ts';
import { tlsFileFaults } from './tls-files.ts';

const hint =
  'write `memory`, or `redis://127.0.0.1:6379`; if several programs share this Redis, add a database number: `redis://127.0.0.1:6379/1`';

export function countersFaults(written: CountersFile, place: FileContext): readonly Finding[] {
  const { url: value, tls } = countersParts(written);
  const pointer = typeof written === 'string' ? ['counters'] : ['counters', 'url'];
  return [...urlFaults(value).map((fault) => ({ pointer, ...fault })), ...tlsFaults(value, tls, place)];
}

type Fault = Omit<Finding, 'pointer'>;

function urlFaults(value: string): readonly Fault[] {
  if (value === 'memory') return [];
  const url = parseUrl(value);
  if (url === undefined || !/^rediss?:$/.test(url.protocol) || url.hostname === '')
    return [{ message: 'counters are kept in memory or in Redis', hint }];
  if (!/^(\/\d{0,4})?$/.test(url.pathname) || url.search !== '' || url.hash !== '')
    return [{ message: 'only a database number may follow the Redis host', hint }];
  return [];
}

function tlsFaults(url: string, tls: CountersConfig['tls'], place: FileContext): readonly Finding[] {
  if (tls === undefined) return [];
  if (!url.startsWith('rediss:'))
    return [{ pointer: ['counters', 'tls'], message: 'only `rediss:` has TLS', hint: 'write `url: rediss://…`' }];
  return tlsFileFaults(['counters', 'tls'], tls, place);
}
