import t from 'tap';
import type { LiveGeneration } from '../../../../src/gateway/generation/generation.ts';
import { buildCheck } from '../../../../src/gateway/listener/grpc/check.ts';
import { CallConnection } from '../../../../src/gateway/listener/grpc/checked-message.ts';
import type { CheckResponse } from '../../../../src/gateway/listener/grpc/messages.ts';

t.test('a call whose reading throws is refused and logged, because the library would end the process', async (t) => {
  const logged: unknown[] = [];
  const log = { error: (facts: unknown) => logged.push(facts) };
  const broken = () => {
    throw new Error('a defect');
  };
  const live = { current: { engine: {}, shared: { log, originOf: broken } } } as unknown as LiveGeneration;
  const told = await new Promise<CheckResponse>((answer) => {
    buildCheck(live)({}, new CallConnection('127.0.0.1'), answer);
  });
  t.equal(told.deniedResponse?.status.code, 500);
  t.match(logged, [{ err: { message: 'a defect' } }]);
});
