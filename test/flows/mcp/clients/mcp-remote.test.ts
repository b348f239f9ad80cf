import t from 'tap';
import { mcpRemote } from './mcp-remote.ts';
import { tale } from './story.ts';

const packaged = '@modelcontextprotocol/server-everything';
const own = 'a server with all revisions';

tale(t, 'mcp-remote', { server: packaged, prepare: () => mcpRemote() });
tale(t, 'mcp-remote --protocol auto', { server: own, prepare: () => mcpRemote('--protocol', 'auto') });
