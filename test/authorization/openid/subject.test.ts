import t from 'tap';
import { subjectFor } from '../../../src/authorization/openid/subject.ts';
import { configuration } from '../running-service.ts';

const { openid, ...others } = configuration();
const service = {
  config: { ...others, openid: { ...openid, subject: 'pairwise' as const } },
  secrets: { pairwise: Buffer.alloc(32, 7) } as never,
};

function seen(id: string, redirectUri: string): string {
  const client = {
    id,
    source: 'file' as const,
    redirectUris: [redirectUri],
    subjectType: undefined,
    sectorIdentifierUri: undefined,
  };
  return subjectFor(service, client, 'alice');
}

t.test('clients with the same https host see the same pairwise `sub`', async (t) => {
  t.equal(seen('a', 'https://shop.example.com/a'), seen('b', 'https://shop.example.com/b'));
});

t.test('an app is its own sector, whatever host its address names', async (t) => {
  const subjects = [
    seen('a', 'https://shop.example.com/a'),
    seen('b', 'com.example.app://shop.example.com/b'),
    seen('c', 'com.example.app://shop.example.com/b'),
    seen('d', 'http://127.0.0.1/callback'),
    seen('e', 'http://127.0.0.1/callback'),
    seen('shop.example.com', 'com.example.app:/callback'),
  ];
  t.equal(new Set(subjects).size, subjects.length);
});
