import t from 'tap';
import {
  type StorageUrl,
  splitStorageUrl,
  storagePattern,
  storagePlace,
  storageServer,
  storageServerSchemes,
  storageServers,
  storageUrls,
  storageWritten,
} from '../../src/base/storage-urls.ts';

t.test('the pattern of the schemas accepts exactly the URLs of the table', async (t) => {
  const pattern = new RegExp(storagePattern());
  for (const url of ['sqlite:a.db', 'sqlite::memory:', 'postgres://h/d', 'postgresql://h/d']) t.match(url, pattern);
  for (const url of ['', 'sqlite:', 'postgres:h/d', 'postgres://', 'mysql://h/d', 'Sqlite:a', ' sqlite:a'])
    t.notMatch(url, pattern, url);
});

t.test('the pattern accepts every scheme of the table', async (t) => {
  for (const { schemes, pattern } of Object.values(storageUrls))
    for (const scheme of schemes) t.match(`${scheme}://h/d`, new RegExp(`^(${pattern})`));
});

t.test('a URL says where its store is', async (t) => {
  t.strictSame(storagePlace('sqlite:data/a:b.db'), { kind: 'file', path: 'data/a:b.db' });
  t.strictSame(storagePlace('sqlite::memory:'), { kind: 'memory' });
  t.strictSame(storagePlace('postgres://h/d'), { kind: 'server' });
  t.strictSame(storagePlace('postgresql://h/d'), { kind: 'server' });
  t.equal(storageServer('postgresql://h/d')?.name, 'postgres');
  for (const url of ['mysql://h/d', 'constructor:x', 'x', '', ':']) t.equal(storagePlace(url), undefined, url);
});

const toy: StorageUrl = {
  name: 'toy',
  schemes: ['toy'],
  pattern: 'toy://',
  written: 'toy://HOST',
  place: () => ({ kind: 'server' }),
};

t.test('everything that reads the table knows a new row', async (t) => {
  const urls = [...Object.values(storageUrls), toy];
  t.match('toy://h', new RegExp(storagePattern(urls)));
  t.match(storageWritten(urls), / or toy:\/\/HOST$/);
  t.equal(storageServers(urls), 'postgres or toy');
  t.strictSame(storageServerSchemes(urls), ['postgres', 'postgresql', 'toy']);
  t.strictSame(storagePlace('toy://h', urls), { kind: 'server' });
  t.equal(storageServer('toy://h', urls), toy);
  t.equal(splitStorageUrl('toy://h', urls)?.row, toy);
});
