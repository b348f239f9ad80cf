import type { Test } from 'tap';
import { loadAuthorizationText } from '../../../../src/config/load/load.ts';
import { freePort } from '../../../support/free-port.ts';
import { type SettableClock, settableClock } from '../../../support/settable-clock.ts';
import { type Changes, run } from '../../running-service.ts';
import { type ClientSite, clientSite } from './client-site.ts';
import { providerFile } from './provider-file.ts';
import { type Fault, tlsTerminator } from './tls-terminator.ts';

/** A running OpenID Provider behind TLS, and the site of its clients. */
export interface Provider {
  readonly issuer: string;
  readonly clock: SettableClock;
  readonly site: ClientSite;
}

export async function startProvider(t: Test, fault: () => Fault = () => ({})): Promise<Provider> {
  const altered = (form: string) => fault().posted?.(form) ?? form;
  const [outside, port, site] = [await freePort(), await freePort(), await clientSite(t, altered)];
  const issuer = `https://localhost:${outside}`;
  const clock = settableClock();
  const config = configOf(providerFile({ issuer, port, site }));
  await run(t, { config, clock });
  await tlsTerminator(t, { port: outside, service: `http://127.0.0.1:${port}`, fault });
  return { issuer, clock, site };
}

function configOf(text: string): Changes {
  const loaded = loadAuthorizationText(text);
  if (!loaded.ok) throw new Error(JSON.stringify(loaded.problems));
  return loaded.config;
}
