import t from 'tap';
import { generated, staleFiles } from '../../tools/generate.ts';

t.test('no generated file is stale: `npm run generate` writes them', async (t) => {
  t.strictSame(staleFiles(), []);
});

t.test('the schemas hold nothing that editors do not know', async (t) => {
  t.notMatch(generated()['config/gateway.schema.json'], /"unit"|"keys"|~kind/);
  t.match(generated()['config/gateway.schema.json'], /"description"/);
});
