import type { Finding } from './problem.ts';
import { text } from './schema.ts';
import { parseUrl } from './url-rules.ts';

/** `counters:` of both files. `what`: who is counted. */
export function counters(what: string) {
  return text('memory', `memory, or redis://HOST:PORT shared by several processes (rediss: with TLS): ${what}.`);
}

const hint =
  'write `memory`, or `redis://127.0.0.1:6379` with a database number behind it where several things share it';

export function countersFaults(value: string): readonly Finding[] {
  if (value === 'memory') return [];
  const url = parseUrl(value);
  const pointer = ['counters'];
  if (url === undefined || !/^rediss?:$/.test(url.protocol) || url.hostname === '')
    return [{ pointer, message: 'counters are kept in memory or in Redis', hint }];
  if (!/^(\/\d{0,4})?$/.test(url.pathname) || url.search !== '' || url.hash !== '')
    return [{ pointer, message: 'behind the host of a Redis stands a database number and nothing else', hint }];
  return [];
}
