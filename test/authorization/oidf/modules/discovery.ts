import { checkMetadata } from '../checks/discovery.ts';
import type { PlanModule } from '../module.ts';
import type { Party } from '../party.ts';
import { exchange, shown } from '../provider/exchange.ts';

export const discoveryModules: readonly PlanModule[] = [
  {
    name: 'oidcc-discovery-endpoint-verification',
    section: 'OpenID Connect Discovery §3, §4',
    judges: 'The metadata has every mandatory member, each in its form, and the key set has only public keys.',
    run: verify,
  },
];

async function verify({ judge, provider, metadata }: Party): Promise<void> {
  const answer = await exchange(new URL(`${provider.issuer}/.well-known/openid-configuration`));
  judge.must(/^application\/json\b/.test(answer.headers['content-type'] ?? ''), 'the metadata is JSON', shown(answer));
  checkMetadata(judge, metadata, provider.issuer);
}
