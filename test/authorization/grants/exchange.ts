import { randomUUID } from 'node:crypto';
import type { Test } from 'tap';
import { takeUpFileUsers } from '../../../src/authorization/file-users.ts';
import { grants } from '../../../src/authorization/grants/grants.ts';
import { openService } from '../../../src/authorization/open-service.ts';
import type { Service } from '../../../src/authorization/service/service.ts';
import type { TokenResponse } from '../../../src/authorization/tokens/issue.ts';
import { makeOpaqueToken, tokenPrefixes } from '../../../src/authorization/tokens/opaque-token.ts';
import { buildLog } from '../../../src/base/log.ts';
import { sha256 } from '../../../src/base/secret.ts';
import { OAuthError } from '../../../src/oauth/errors.ts';
import { parseOAuthParameters } from '../../../src/oauth/parameters.ts';
import type { CodeRecord, Records } from '../../../src/storage/records/records.ts';
import { settableClock } from '../../support/settable-clock.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';
import { codeRecord, verifier } from '../grant-flow.ts';
import { type Changes, callback, collector, configuration } from '../running-service.ts';

export interface Audited {
  readonly event: string;
  readonly [fact: string]: unknown;
}

/** What a grant refused, and why: the code of the table, and the detail for the log. */
export interface Refusal {
  readonly code: string;
  readonly detail: string | undefined;
  readonly description: string;
}

type Form = Readonly<Record<string, string>>;

/** The grants of a service on a separate database, called without a socket. */
export async function exchange(t: Test, changes: Changes = {}) {
  const clock = settableClock(1_900_000_000_000);
  const log = buildLog({ level: 'silent' as 'fatal', format: 'json' }, collector().sink);
  const opened = await openService(configuration(changes), { directory: temporaryFolder(t), log, clock });
  t.teardown(() => opened.close());
  await takeUpFileUsers(opened.service);
  const audited: Audited[] = [];
  const audit = {
    ...opened.service.audit,
    record: (event: string, facts: object) => void audited.push({ event, ...facts }),
  };
  const issued: string[] = [];
  const metrics = {
    ...opened.service.metrics,
    issued: (grantType: string, format: string) => void issued.push(`${grantType} ${format}`),
  };
  let records: Records = opened.service.records;
  const now = () => Math.floor(clock.now() / 1000);

  async function ask(type: string, clientId: string, form: Form): Promise<TokenResponse> {
    const service: Service = { ...opened.service, audit, metrics, records };
    const client = await service.clients.find(clientId);
    const grant = grants.get(type);
    if (client === undefined || grant === undefined) throw new Error(`${type} by ${clientId}`);
    const asked = parseOAuthParameters(new URLSearchParams(form).toString(), service.config.compat);
    const parameters = asked.only(grant.parameters);
    return grant.handle({ client, parameters, caller: { ip: '192.0.2.1', id: 'r1', log } }, service);
  }

  return {
    clock,
    audited,
    /** Grant type and format of each access token, as the metrics count them. */
    issued,
    now,
    service: opened.service,
    ask,
    /** With a replacement for one verb of the store. */
    overtake: (verbs: Partial<Records>) => {
      records = new Proxy(opened.service.records, {
        get: (all, verb) => {
          const known: unknown = Reflect.get(verbs, verb) ?? Reflect.get(all, verb);
          return typeof known === 'function' ? known.bind(all) : known;
        },
      });
    },
    async refusal(type: string, clientId: string, form: Form): Promise<Refusal | undefined> {
      try {
        await ask(type, clientId, form);
        return undefined;
      } catch (error) {
        if (!(error instanceof OAuthError)) throw error;
        const { code, detail, description } = error;
        return { code, detail, description };
      }
    },
    async code(changes: Partial<CodeRecord> = {}): Promise<string> {
      const text = makeOpaqueToken(tokenPrefixes.code);
      const code = codeRecord(text, now(), { grantId: randomUUID(), ...changes });
      await opened.service.records.saveCode({ code, consent: undefined, transaction: undefined });
      return text;
    },
    access: (token: string) => opened.service.records.findAccessToken(sha256(token), now()),
    /** A valid exchange of a code, except for the changes; an empty value removes a parameter. */
    redeeming: (code: string, changes: Form = {}): Form => ({
      code,
      redirect_uri: callback,
      code_verifier: verifier,
      ...changes,
    }),
  };
}
