import t from 'tap';
import { knownClients, rowOf } from '../flows/mcp/clients/known-client-rows.ts';

for (const { client, kind, sends, shown } of knownClients)
  t.test(`the page of MCP says what ${client} sends: ${kind}, ${sends}`, async (t) => {
    const row = rowOf(client);
    t.ok(row, 'the table has a row of this client');
    for (const part of shown) t.match(row, part);
  });
