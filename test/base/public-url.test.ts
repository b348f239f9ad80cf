import t from 'tap';
import { publicUrl } from '../../src/base/public-url.ts';

t.test('a URL for logs has no query, fragment or credentials', async (t) => {
  const rows: readonly (readonly [url: string | undefined, shown: string | undefined])[] = [
    ['https://user:pass@login.example.com:8443/a/keys?token=hush#hush', 'https://login.example.com:8443/a/keys'],
    ['http://127.0.0.1:9', 'http://127.0.0.1:9/'],
    ['postgres://user:pass@db/gateway', undefined],
    ['no address', undefined],
    [undefined, undefined],
  ];
  for (const [url, shown] of rows) t.equal(publicUrl(url), shown);
});
