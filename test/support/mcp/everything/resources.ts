import { type McpServer, type ReadResourceResult, ResourceTemplate } from '@modelcontextprotocol/server';
import { png } from './samples.ts';

type Contents = ReadResourceResult['contents'][number];

const fixed: Readonly<Record<string, Contents>> = {
  'static-text': {
    uri: 'test://static-text',
    mimeType: 'text/plain',
    text: 'This is the content of the static text resource.',
  },
  'static-binary': { uri: 'test://static-binary', mimeType: 'image/png', blob: png },
  'watched-resource': { uri: 'test://watched-resource', mimeType: 'text/plain', text: 'This resource never changes.' },
};

export function addResources(server: McpServer): void {
  for (const [name, { uri, mimeType = '', ...content }] of Object.entries(fixed))
    server.registerResource(name, uri, { description: `The resource ${name}`, mimeType }, () => ({
      contents: [{ uri, mimeType, ...content } as Contents],
    }));
  addTemplate(server);
}

function addTemplate(server: McpServer): void {
  const template = new ResourceTemplate('test://template/{id}/data', { list: undefined });
  const about = { description: 'One resource for each id', mimeType: 'application/json' };
  server.registerResource('template', template, about, ({ href: uri }, { id }) => {
    const text = JSON.stringify({ id, templateTest: true, data: `Data for ID: ${id}` });
    return { contents: [{ uri, mimeType: 'application/json', text }] };
  });
}
