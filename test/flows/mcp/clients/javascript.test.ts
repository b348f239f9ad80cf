import t from 'tap';
import { client2, sdk1 } from './javascript.ts';
import { tale } from './story.ts';

const packaged = '@modelcontextprotocol/server-everything';
const own = 'a server with all revisions';

tale(t, '@modelcontextprotocol/client', { server: packaged, revision: '2025-11-25', prepare: () => client2 });
tale(t, '@modelcontextprotocol/client', { server: own, revision: '2026-07-28', prepare: () => client2 });
tale(t, '@modelcontextprotocol/sdk', {
  server: packaged,
  revision: '2025-11-25',
  prepare: () => sdk1('authorization_code', 'refresh_token'),
});
tale(t, '@modelcontextprotocol/sdk', {
  server: own,
  revision: '2025-11-25',
  prepare: () => sdk1('authorization_code', 'refresh_token'),
});
