import type { Engine } from './engine.ts';
import * as accessTokens from './records/access-tokens.ts';
import * as accounts from './records/accounts.ts';
import * as clients from './records/clients.ts';
import * as codes from './records/codes.ts';
import { digestUsers, listDigestUsers, removeDigestUser } from './records/digest-users.ts';
import * as events from './records/events.ts';
import * as grants from './records/grants.ts';
import * as housekeeping from './records/housekeeping.ts';
import { saveImplicit } from './records/implicit-grants.ts';
import * as importedPasswords from './records/imported-passwords.ts';
import { useOnce } from './records/one-time.ts';
import * as refreshTokens from './records/refresh-tokens.ts';
import { secrets } from './records/secrets.ts';
import { revokeSessionKey, sessionKeys } from './records/session-keys.ts';
import * as sessions from './records/sessions.ts';
import { signingKeys } from './records/signing-keys.ts';
import { isStillTheirs, rotateUserKey, userKeys } from './records/user-keys.ts';
import type { Seal } from './seal.ts';
import type { Verb } from './verb.ts';

export type { AccessTokenRecord, JwtOrigin, Revocation } from './records/access-tokens.ts';
export type { AccountRecord } from './records/accounts.ts';
export type { ClientRecord, ClientSecretRecord } from './records/clients.ts';
export type { CodeClaim, CodeRecord, CodeRefusal, Redemption } from './records/codes.ts';
export type { DigestHash, DigestName, DigestUserRecord, ListedDigestUser } from './records/digest-users.ts';
export type { EventKind, EventRecord, FeedPosition } from './records/events.ts';
export type { ConnectedApp, Consent, ConsentGiven, GrantRecord } from './records/grants.ts';
export type { ImportedPassword } from './records/imported-passwords.ts';
export type { OneTime } from './records/one-time.ts';
export type { Premises } from './records/premises.ts';
export type { Minted, NewRefreshToken, RefreshTokenRecord, Rotation } from './records/refresh-tokens.ts';
export type { SessionKeyRecord } from './records/session-keys.ts';
export type { SessionRecord } from './records/sessions.ts';
export type { NewSigningKey, SigningKeyRecord } from './records/signing-keys.ts';
export { MOST_KIDS, type NewUserKey, type SignedBy, type UserKeyRecord } from './records/user-keys.ts';

/**
 * What the authorization service keeps. Every verb is atomic and named for its intent; its promise settles when the
 * outcome is durable, and is rejected with `StorageUnavailable` when there is none. Times are NumericDates, seconds.
 */
export type Records = Bound<ReturnType<typeof reading>> &
  Bound<ReturnType<typeof writingOne>> &
  Bound<ReturnType<typeof writing>> &
  Pick<Engine, 'watchEvents' | 'close'>;

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
    watchEvents: engine.watchEvents,
    close: () => engine.close(),
  };
}

function reading(seal: Seal) {
  const { listSigningKeys } = signingKeys(seal);
  const { findSessionKey, findSessionKeyByOpenid } = sessionKeys(seal);
  const { findCurrentUserKey, findUserKey, findUserKeys } = userKeys(seal);
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
    listDigestUsers,
    listImportedPasswords: importedPasswords.listImportedPasswords,
    listEvents: events.listEvents,
    findFeedPosition: events.findFeedPosition,
    findSessionKey,
    findSessionKeyByOpenid,
    findCurrentUserKey,
    findUserKey,
    findUserKeys,
    listSigningKeys,
  };
}

/** Each has one statement, whatever the rows say: the engine holds them to it. */
function writingOne(seal: Seal) {
  const { announceSigningKey, removeSigningKeys } = signingKeys(seal);
  return {
    saveAccessToken: accessTokens.saveAccessToken,
    useOnce,
    endSession: sessions.endSession,
    endSessionsOfSubject: sessions.endSessionsOfSubject,
    removeDigestUser,
    removeImportedPassword: importedPasswords.removeImportedPassword,
    addAccount: accounts.addAccount,
    rehashPassword: accounts.rehashPassword,
    announceSigningKey,
    removeSigningKeys,
    isStillTheirs,
    ping: housekeeping.ping,
  };
}

function writing(seal: Seal) {
  const { adoptSigningKey, promoteSigningKey, replaceSigningKeys } = signingKeys(seal);
  const { adoptSecret } = secrets(seal);
  const { setDigestUser, addDigestUser } = digestUsers(seal);
  const { redeemSessionCode } = sessionKeys(seal);
  const { adoptUserKey } = userKeys(seal);
  return {
    saveSession: sessions.saveSession,
    saveCode: codes.saveCode,
    saveImplicit,
    redeemCode: codes.redeemCode,
    refuseCode: codes.refuseCode,
    saveTokens: refreshTokens.saveTokens,
    rotateRefreshToken: refreshTokens.rotateRefreshToken,
    revokeRefreshToken: refreshTokens.revokeRefreshToken,
    endStolenFamily: refreshTokens.endStolenFamily,
    revokeAccessToken: accessTokens.revokeAccessToken,
    denyJwt: accessTokens.denyJwt,
    revokeGrant: grants.revokeGrant,
    revokeGrantsOfSubject: grants.revokeGrantsOfSubject,
    disconnectApp: grants.disconnectApp,
    signOutEverywhere: accounts.signOutEverywhere,
    setPassword: accounts.setPassword,
    removeAccount: accounts.removeAccount,
    setDigestUser,
    addDigestUser,
    addImportedPassword: importedPasswords.addImportedPassword,
    setImportedPassword: importedPasswords.setImportedPassword,
    addClient: clients.addClient,
    rotateClientSecret: clients.rotateClientSecret,
    removeClient: clients.removeClient,
    revokeTokensOfClient: clients.revokeTokensOfClient,
    unregisterClient: clients.unregisterClient,
    redeemSessionCode,
    revokeSessionKey,
    adoptSigningKey,
    promoteSigningKey,
    replaceSigningKeys,
    adoptUserKey,
    rotateUserKey,
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
