import t from 'tap';
import { pythonPlayer } from './python.ts';
import { tale } from './story.ts';

/** Installs the libraries first: half a minute and more on a busy machine. */
t.setTimeout(240_000);

const packaged = '@modelcontextprotocol/server-everything';
const own = 'a server with all revisions';

for (const [name, script] of [
  ['mcp from PyPI', 'mcp_client.py'],
  ['fastmcp', 'fastmcp_client.py'],
] as const) {
  tale(t, name, { server: packaged, revision: '2025-11-25', prepare: pythonPlayer(script) });
  tale(t, name, { server: own, revision: '2026-07-28', prepare: pythonPlayer(script) });
}
