import t from 'tap';
import { mcpRemote } from './mcp-remote.ts';
import { tale } from './story.ts';

tale(t, 'mcp-remote', { server: '@modelcontextprotocol/server-everything', prepare: () => mcpRemote });
