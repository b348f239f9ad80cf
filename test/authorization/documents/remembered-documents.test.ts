import { setImmediate as turn } from 'node:timers/promises';
import t from 'tap';
import type { FetchLimits } from '../../../src/authorization/documents/fetch-limits.ts';
import { type DocumentSource, RememberedDocuments } from '../../../src/authorization/documents/remembered-documents.ts';
import { systemClock } from '../../../src/base/clock.ts';

const URL = 'https://client.example/metadata';

t.test('a caller above the limit of its address limits no other caller, and the others share a request', async (t) => {
  const seen = { fetched: 0, asked: [] as string[] };
  const within: FetchLimits['within'] = async ({ address }, get) => {
    seen.asked.push(address);
    await turn();
    return address === 'stranger' ? 30 : get();
  };
  const get = async () => {
    seen.fetched++;
    await turn();
    return { kind: 'answered', status: 200, headers: {}, body: new Uint8Array() } as const;
  };
  const documents = new RememberedDocuments<string>({
    outbound: { get },
    limits: { within },
    read: async () => ({ value: 'the document' }),
    clock: systemClock,
    count() {},
    ...{ largest: 1_000, name: 'document', ttl: 60_000, max_ttl: 60_000 },
  } as unknown as DocumentSource<string>);
  const callers = ['stranger', 'alice', 'stranger', 'bob'];
  const found = await Promise.all(callers.map((address) => documents.get(URL, address)));
  t.strictSame(
    found.map(({ kind }) => kind),
    ['limited', 'read', 'read', 'read'],
  );
  t.strictSame(seen, { fetched: 1, asked: ['stranger', 'alice'] });
});
