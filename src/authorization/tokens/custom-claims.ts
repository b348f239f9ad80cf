import type { Service } from '../service.ts';
import type { Granted } from './granted.ts';

/** `tokens.access.claims`: facts about the user and the client, in JWTs and introspection alike. An absent one is left out. */
export function customClaims(
  { config }: Pick<Service, 'config'>,
  { account, client }: Pick<Granted, 'account' | 'client'>,
): Readonly<Record<string, unknown>> {
  const sources = { user: account?.claims ?? {}, client: client.claims };
  const entries = Object.entries(config.tokens.access.claims).map(
    ([claim, { of, name }]) => [claim, own(sources[of], name)] as const,
  );
  return Object.fromEntries(entries.filter(([, value]) => value !== undefined));
}

function own(claims: Readonly<Record<string, unknown>>, name: string): unknown {
  return Object.hasOwn(claims, name) ? claims[name] : undefined;
}
