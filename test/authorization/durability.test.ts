import { setTimeout as sleep } from 'node:timers/promises';
import t from 'tap';
import { isLong } from '../support/long.ts';
import { random } from '../support/random.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';
import { until } from '../support/until.ts';
import { basic, requests, shop } from './running-service.ts';
import { ready, spawnService, writeConfig } from './service-process.ts';

const cycles = isLong ? 200 : 10;
const clients = 20;
const pauses = random(1);

/** What the service answered before it was killed: the promises that it must keep. */
interface Answered {
  readonly active: Set<string>;
  readonly revoked: Set<string>;
}

/** Starts programs, and opens services: 18 s in .ci/run on a busy machine. */
t.setTimeout(3_600_000);

t.test(
  `\`kill -9\` under load, ${cycles} times: every answered token is active afterwards, and every revocation holds`,
  async (t) => {
    const config = writeConfig(temporaryFolder(t));
    const answered: Answered = { active: new Set(), revoked: new Set() };
    for (let cycle = 0; cycle < cycles; cycle++) {
      const service = spawnService(t, config);
      const url = await ready(service);
      const issued = answered.active.size;
      const load = Array.from({ length: clients }, () => issueAndRevoke(url, answered));
      t.ok(await until(() => answered.active.size > issued), 'tokens are issued');
      await sleep(50 + pauses.below(250));
      service.child.kill('SIGKILL');
      t.equal(await service.ended, 'SIGKILL');
      await Promise.all(load);
    }
    const { introspect } = requests(await ready(spawnService(t, config)));
    let lost = 0;
    let undead = 0;
    for (const token of answered.active) if ((await introspect(token)).active !== true) lost++;
    for (const token of answered.revoked) if ((await introspect(token)).active !== false) undead++;
    t.ok(
      answered.active.size > 0 && answered.revoked.size > 0,
      `${answered.active.size} issued, ${answered.revoked.size} revoked`,
    );
    t.strictSame({ lost, undead }, { lost: 0, undead: 0 });
  },
);

/** Until the connection breaks. A revocation without an answer promises nothing. */
async function issueAndRevoke(url: string, { active, revoked }: Answered): Promise<void> {
  const { token, post } = requests(url);
  for (let count = 0; ; count++) {
    try {
      const issued = await token();
      active.add(issued);
      if (count % 4 !== 0) continue;
      active.delete(issued);
      if ((await post('/oauth2/revoke', { token: issued }, basic(shop))).status === 200) revoked.add(issued);
    } catch {
      return;
    }
  }
}
