import { createServer } from 'node:http';
import t from 'tap';
import { request } from 'undici';
import { lateAgent } from '../../../src/gateway/server-client/late-agent.ts';
import { serving } from '../../support/serving.ts';

t.test('an agent is created on first use, and not after its release, even if it was never used', async (t) => {
  let asked = 0;
  const url = await serving(
    t,
    createServer((_request, response) => {
      asked++;
      response.end('keys');
    }),
  );
  const used = lateAgent({});
  t.equal(used.dispatcher(), used.dispatcher());
  t.equal(await (await request(url, { dispatcher: used.dispatcher() })).body.text(), 'keys');
  const unused = lateAgent({});
  for (const agent of [used, unused]) {
    await agent.release();
    await t.rejects(request(url, { dispatcher: agent.dispatcher() }), { code: 'UND_ERR_DESTROYED' });
  }
  t.equal(asked, 1);
});
