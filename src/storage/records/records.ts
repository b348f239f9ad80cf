import type { WritableEngine } from '../engine/engine.ts';
import type { Seal } from '../engine/seal.ts';
import type { Verb } from '../engine/verb.ts';
import * as accessTokens from './access-tokens.ts';
import * as accounts from './accounts.ts';
import * as apiKeys from './api-keys.ts';
import * as registrations from './client-registrations.ts';
import * as clients from './clients.ts';
import * as codes from './codes.ts';
import * as connectedApps from './connected-apps.ts';
import { digestUsers, listDigestUsers, removeDigestUser } from './digest-users.ts';
import * as events from './events.ts';
import * as fileUsers from './file-users.ts';
import * as grants from './grants.ts';
import * as housekeeping from './housekeeping.ts';
import { saveImplicit } from './implicit-grants.ts';
import * as importedPasswords from './imported-passwords.ts';
import { useOnce } from './one-time.ts';
import * as openidSessions from './openid-sessions.ts';
import * as refreshTokens from './refresh-tokens.ts';
import { reseal } from './reseal.ts';
import { secrets } from './secrets.ts';
import * as securityEvents from './security-events.ts';
import { revokeSessionKey, sessionKeys } from './session-keys.ts';
import * as sessions from './sessions.ts';
import { signingKeys } from './signing-keys.ts';
import { isStillTheirs, rotateUserKey, userKeys } from './user-keys.ts';

export type { AccessTokenRecord, JwtOrigin, Revocation } from './access-tokens.ts';
export type { AccountRecord } from './accounts.ts';
export type { ApiKeyRecord, ApiKeyRotation } from './api-keys.ts';
export type { RegistrationRecord } from './client-registrations.ts';
export type { ClientRecord, ClientSecretRecord } from './clients.ts';
export type { CodeClaim, CodeRecord, CodeRefusal, Redemption } from './codes.ts';
export type { ConnectedApp } from './connected-apps.ts';
export type { DigestHash, DigestName, DigestUserRecord, ListedDigestUser } from './digest-users.ts';
export type { EventKind, EventRecord, FeedPosition } from './events.ts';
export type { FileUserRecord } from './file-users.ts';
export type { Consent, ConsentGiven, GrantRecord } from './grants.ts';
export type { ImportedPassword } from './imported-passwords.ts';
export type { OneTime } from './one-time.ts';
export type { OpenidFacts, OpenidOrigin } from './openid-facts.ts';
export type { LogoutNotice } from './openid-sessions.ts';
export type { Attempted, NoticeClaim } from './outbox.ts';
export type { Premises } from './preconditions.ts';
export type { Minted, NewRefreshToken, RefreshRotation, RefreshTokenRecord } from './refresh-tokens.ts';
export { noneSealed, type SealedCounts, type SealedKind, sealedKinds } from './reseal.ts';
export type { EventNotice, EventReceiver, SecurityEvent, SentEventName } from './security-events.ts';
export type { SessionKeyRecord } from './session-keys.ts';
export type { SessionRecord } from './sessions.ts';
export type { NewSigningKey, SigningKeyRecord } from './signing-keys.ts';
export { MOST_KIDS, type NewUserKey, type SignedBy, type UserKeyRecord } from './user-keys.ts';

/**
 * The data of the authorization service. Every verb is atomic, and named after its purpose. Its promise settles when the result
 * is durable, and rejects with `StorageUnavailable` if there is none. Times are NumericDates, seconds.
 */
export type Records = Bound<ReturnType<typeof reading>> &
  Bound<ReturnType<typeof writingOne>> &
  Bound<ReturnType<typeof writing>> &
  Pick<WritableEngine, 'watchEvents' | 'close'>;

type Verbs = Readonly<Record<string, (...args: never[]) => Verb<unknown>>>;
type Bound<Table extends Verbs> = {
  [Name in keyof Table]: (...args: Parameters<Table[Name]>) => Promise<OutcomeOf<Table[Name]>>;
};
type OutcomeOf<Make> = Make extends (...args: never[]) => Verb<infer Outcome> ? Outcome : never;

export function buildRecords(engine: WritableEngine, seal: Seal): Records {
  return {
    ...bind(reading(seal), (verb) => engine.read(verb)),
    ...bind(writingOne(seal), (verb) => engine.writeOne(verb)),
    ...bind(writing(seal), (verb) => engine.write(verb)),
    watchEvents: engine.watchEvents,
    close: () => engine.close(),
  };
}

function reading(seal: Seal) {
  const { listSigningKeys, listSigningKids } = signingKeys(seal);
  const { findSessionKey, findSessionKeyByOpenid } = sessionKeys(seal);
  const { findCurrentUserKey, findUserKey, findUserKeys } = userKeys(seal);
  return {
    findAccessToken: accessTokens.findAccessToken,
    isJwtDenied: accessTokens.isJwtDenied,
    findCode: codes.findCode,
    findRefreshToken: refreshTokens.findRefreshToken,
    findConsent: grants.findConsent,
    findOpenidFacts: grants.findOpenidFacts,
    countLogoutNotices: openidSessions.countLogoutNotices,
    countSecurityEvents: securityEvents.countSecurityEvents,
    listConnectedApps: connectedApps.listConnectedApps,
    findSession: sessions.findSession,
    listSessions: sessions.listSessions,
    findAccount: accounts.findAccount,
    findAccountBySubject: accounts.findAccountBySubject,
    listAccounts: accounts.listAccounts,
    listApiKeys: apiKeys.listApiKeys,
    samplePasswordHashes: accounts.samplePasswordHashes,
    findClient: clients.findClient,
    listClients: clients.listClients,
    listSelfRegistered: clients.listSelfRegistered,
    listDigestUsers,
    listFileUsers: fileUsers.listFileUsers,
    listImportedPasswords: importedPasswords.listImportedPasswords,
    listEvents: events.listEvents,
    findFeedPosition: events.findFeedPosition,
    findSessionKey,
    findSessionKeyByOpenid,
    findCurrentUserKey,
    findUserKey,
    findUserKeys,
    listSigningKeys,
    listSigningKids,
    countUnderOtherKeys: reseal(seal).countUnderOtherKeys,
  };
}

/** Each of these has only one statement, whatever its rows. The engine enforces this. */
function writingOne(seal: Seal) {
  const { announceSigningKey, removeSigningKeys } = signingKeys(seal);
  return {
    saveAccessToken: accessTokens.saveAccessToken,
    seeSession: sessions.seeSession,
    useOnce,
    changeRegistration: registrations.changeRegistration,
    useRegistration: registrations.useRegistration,
    takeLogoutNotices: openidSessions.takeLogoutNotices,
    dropLogoutNotice: openidSessions.dropLogoutNotice,
    delayLogoutNotice: openidSessions.delayLogoutNotice,
    takeSecurityEvents: securityEvents.takeSecurityEvents,
    dropSecurityEvent: securityEvents.dropSecurityEvent,
    delaySecurityEvent: securityEvents.delaySecurityEvent,
    removeApiKey: apiKeys.removeApiKey,
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
    endSession: sessions.endSession,
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
    disconnectApp: connectedApps.disconnectApp,
    signOutEverywhere: accounts.endAllSessions,
    setPassword: accounts.setPassword,
    removeAccount: accounts.removeAccount,
    addApiKeys: apiKeys.addApiKeys,
    rotateApiKey: apiKeys.rotateApiKey,
    addFileUsers: fileUsers.addFileUsers,
    changeFileUser: fileUsers.changeFileUser,
    removeFileUser: fileUsers.removeFileUser,
    changeTokenClaims: fileUsers.changeTokenClaims,
    setEventReceivers: securityEvents.setEventReceivers,
    setDigestUser,
    addDigestUser,
    addImportedPassword: importedPasswords.addImportedPassword,
    setImportedPassword: importedPasswords.setImportedPassword,
    addClient: clients.addClient,
    rotateClientSecret: clients.rotateClientSecret,
    removeClient: clients.removeClient,
    revokeTokensOfClient: clients.revokeTokensInStore,
    unregisterClient: clients.unregisterClient,
    reapRegistrations: registrations.reapRegistrations,
    redeemSessionCode,
    revokeSessionKey,
    adoptSigningKey,
    promoteSigningKey,
    replaceSigningKeys,
    adoptUserKey,
    rotateUserKey,
    adoptSecret,
    resealSome: reseal(seal).resealSome,
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
