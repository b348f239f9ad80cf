import type { Engine } from './engine.ts';
import * as accessTokens from './records/access-tokens.ts';
import * as accounts from './records/accounts.ts';
import * as clients from './records/clients.ts';
import * as codes from './records/codes.ts';
import * as grants from './records/grants.ts';
import * as housekeeping from './records/housekeeping.ts';
import { saveImplicit } from './records/implicit-grants.ts';
import { useOnce } from './records/one-time.ts';
import * as refreshTokens from './records/refresh-tokens.ts';
import { secrets } from './records/secrets.ts';
import { revokeSessionKey, sessionKeys } from './records/session-keys.ts';
import * as sessions from './records/sessions.ts';
import { signingKeys } from './records/signing-keys.ts';
import type { Seal } from './seal.ts';
import type { Verb } from './verb.ts';

export type { AccessTokenRecord, Revocation } from './records/access-tokens.ts';
export type { AccountRecord } from './records/accounts.ts';
export type { ClientRecord, ClientSecretRecord } from './records/clients.ts';
export type { CodeClaim, CodeRecord, CodeRefusal, Redemption } from './records/codes.ts';
export type { ConnectedApp, Consent, ConsentGiven, GrantRecord } from './records/grants.ts';
export type { OneTime } from './records/one-time.ts';
export type { Premises } from './records/premises.ts';
export type { Minted, NewRefreshToken, RefreshTokenRecord, Rotation } from './records/refresh-tokens.ts';
export type { SessionKeyRecord } from './records/session-keys.ts';
export type { SessionRecord } from './records/sessions.ts';
export type { NewSigningKey, SigningKeyRecord } from './records/signing-keys.ts';

/**
 * What the authorization service keeps. Every verb is atomic and named for its intent; its promise settles when the
 * outcome is durable, and is rejected with `StorageUnavailable` when there is none. Times are NumericDates, seconds.
 */
export type Records = Bound<ReturnType<typeof reading>> &
  Bound<ReturnType<typeof writingOne>> &
  Bound<ReturnType<typeof writing>> &
  Pick<Engine, 'close'>;

type Verbs = Readonly<Record<string, (...args: never[]) => Verb<unknown>>>;
type Bound<Table extends Verbs> = {
  [Name in keyof Table]: (...args: Parameters<Table[Name]>) => Promise<OutcomeOf<Table[Name]>>;
};
type OutcomeOf<Make> = Make extends (...args: never[]) => Verb<infer Outcome> ? Outcome : never;

export function buildRecords(engine: Engine, seal: Seal): Records {
  return {
    ...bind(reading(seal), (verb) => engine.read(verb)),
    ...bind(writingOne(seal), (verb) => engine.writeOne(verb)),
    ...bind(writing(seal), (verb) => engine.write(verb)),
    close: () => engine.close(),
  };
}

function reading(seal: Seal) {
  const { listSigningKeys } = signingKeys(seal);
  const { findSessionKey, findSessionKeyByOpenid } = sessionKeys(seal);
  return {
    findAccessToken: accessTokens.findAccessToken,
    isJwtDenied: accessTokens.isJwtDenied,
    findCode: codes.findCode,
    findRefreshToken: refreshTokens.findRefreshToken,
    findConsent: grants.findConsent,
    listConnectedApps: grants.listConnectedApps,
    findSession: sessions.findSession,
    listSessions: sessions.listSessions,
    findAccount: accounts.findAccount,
    findAccountBySubject: accounts.findAccountBySubject,
    listAccounts: accounts.listAccounts,
    findClient: clients.findClient,
    listClients: clients.listClients,
    findSessionKey,
    findSessionKeyByOpenid,
    listSigningKeys,
  };
}

/** Each has one statement, whatever the rows say: the engine holds them to it. */
function writingOne(seal: Seal) {
  const { announceSigningKey, removeSigningKeys } = signingKeys(seal);
  return {
    saveAccessToken: accessTokens.saveAccessToken,
    revokeAccessToken: accessTokens.revokeAccessToken,
    denyJwt: accessTokens.denyJwt,
    useOnce,
    revokeGrant: grants.revokeGrant,
    revokeGrantsOfSubject: grants.revokeGrantsOfSubject,
    endSession: sessions.endSession,
    endSessionsOfSubject: sessions.endSessionsOfSubject,
    addAccount: accounts.addAccount,
    rehashPassword: accounts.rehashPassword,
    announceSigningKey,
    removeSigningKeys,
    ping: housekeeping.ping,
  };
}

function writing(seal: Seal) {
  const { adoptSigningKey, promoteSigningKey, replaceSigningKeys } = signingKeys(seal);
  const { adoptSecret } = secrets(seal);
  const { redeemSessionCode } = sessionKeys(seal);
  return {
    saveSession: sessions.saveSession,
    saveCode: codes.saveCode,
    saveImplicit,
    redeemCode: codes.redeemCode,
    refuseCode: codes.refuseCode,
    saveTokens: refreshTokens.saveTokens,
    rotateRefreshToken: refreshTokens.rotateRefreshToken,
    revokeRefreshToken: refreshTokens.revokeRefreshToken,
    disconnectApp: grants.disconnectApp,
    setPassword: accounts.setPassword,
    removeAccount: accounts.removeAccount,
    addClient: clients.addClient,
    rotateClientSecret: clients.rotateClientSecret,
    removeClient: clients.removeClient,
    unregisterClient: clients.unregisterClient,
    redeemSessionCode,
    revokeSessionKey,
    adoptSigningKey,
    promoteSigningKey,
    replaceSigningKeys,
    adoptSecret,
    sweep: housekeeping.sweep,
  };
}

function bind<Table extends Verbs>(
  table: Table,
  carryOut: (verb: () => Verb<unknown>) => Promise<unknown>,
): Bound<Table> {
  const bound = Object.entries(table).map(([name, verb]) => [
    name,
    (...args: never[]) => carryOut(() => verb(...args)),
  ]);
  return Object.fromEntries(bound);
}
