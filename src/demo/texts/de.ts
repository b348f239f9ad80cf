import type { DemoTexts } from './texts.ts';

/** German. */
export const demoGerman: DemoTexts = {
  lang: 'de',
  document: {
    site: 'Gatehouse-Demo',
    title: 'Eine Seite, die die API aufruft',
    intro:
      'Diese Seite ist ein öffentlicher Client: Sie hat kein Secret. Sie bekommt ein Token mit einem Authorization Code und PKCE und behält es im Speicher, bis Sie die Seite schließen.',
    gone: 'Sie sind abgemeldet. Die Sitzung ist beendet, und ihre Token gelten nicht mehr: Die API lehnt das Token dieser Seite jetzt ab. Die nächste Anmeldung fragt nach dem Passwort.',
    begin: 'Melden Sie sich als {user} mit dem Passwort {password} an. Lassen Sie einen Scope weg, wenn Sie möchten.',
    signIn: 'Anmelden',
    signedIn: 'Angemeldet als',
    facts: 'Subject {sub}, Scope {scope}',
    signOut: 'Abmelden',
    way: 'Der Weg zu einem Token',
    steps: {
      redirect: { name: 'Weiterleitung', text: 'Die Seite schickt Ihren Browser zum Autorisierungsdienst.' },
      consent: { name: 'Zustimmung', text: 'Sie melden sich dort an und wählen, was die Seite darf.' },
      code: {
        name: 'Authorization Code',
        text: 'Ihr Browser kommt mit einem Code zurück. Er gilt einmal und nur für diese Seite.',
      },
      token: { name: 'Access-Token', text: 'Die Seite tauscht den Code gegen ein Access-Token und ein ID-Token.' },
      api: { name: 'API-Aufruf', text: 'Das Gateway prüft das Token und seinen Scope und leitet die Anfrage weiter.' },
    },
    api: 'Die API hinter dem Gateway',
    calls: {
      read: 'mit dem Token, verlangt {scope}',
      anonymous: 'ohne Token',
      admin: 'verlangt {scope}, den diese Seite nie bekommt',
      write: 'verlangt {scope}',
    },
    answer: 'Die Antwort der API',
  },
  script: {
    states: { now: 'läuft', done: 'erledigt', failed: 'fehlgeschlagen' },
    asked: 'Die Seite fragt nach {scope}, mit dem State {state} und einer Code Challenge.',
    answered: 'Die Antwort hat denselben State und kommt von {issuer}.',
    code: '{code} Er steht nicht mehr in der Adresse.',
    token: '{token} Es gilt {seconds} Sekunden. Das ID-Token ist für {sub}.',
    status: 'Die letzte Antwort hat den Status {status}.',
    meanings: {
      200: 'Das Token hat den Scope, deshalb hat die API geantwortet.',
      204: 'Die API hat die Anfrage erledigt.',
      401: 'Das Gateway hat keine Zugangsdaten akzeptiert, deshalb hat die API nichts gesehen.',
      403: 'Das Token ist gültig, aber ihm fehlt ein Scope, deshalb hat die API nichts gesehen.',
    },
    noBody: 'Die Antwort hat keinen Inhalt.',
    faults: {
      audience: 'Das ID-Token ist für einen anderen Client.',
      nonce: 'Das ID-Token gehört zu einer anderen Anmeldung: Seine Nonce weicht ab.',
      expired: 'Das ID-Token ist abgelaufen.',
      signOut: 'Diese Antwort gehört zu keiner Abmeldung dieser Seite: Ihr State weicht ab.',
      state: 'Diese Antwort gehört zu keiner Anfrage dieser Seite: Ihr State weicht ab.',
      issuer: 'Diese Antwort ist nicht vom Autorisierungsdienst: Ihr iss weicht ab.',
      type: 'Ein Token von unbekannter Art: {type}',
      metadata: 'Die Metadaten gehören zu {issuer}.',
    },
  },
};
