import type { LoginTexts } from './texts.ts';

const log = 'Den Grund nennt das Protokoll des Gateways.';

/** German. */
export const loginGerman: LoginTexts = {
  lang: 'de',
  again: 'Erneut anmelden',
  arrived: { title: 'Sie sind angemeldet', text: 'Die Konsole wird geöffnet.', link: 'Konsole öffnen' },
  needed: { title: 'Sie müssen sich anmelden', text: 'Die Anmeldung wird geöffnet.', link: 'Anmelden' },
  loggedOut: {
    title: 'Sie sind von der Konsole abgemeldet',
    text: 'Beim Autorisierungsserver sind Sie möglicherweise noch angemeldet.',
  },
  faults: {
    state: {
      title: 'Diese Antwort gehört zu keiner offenen Anmeldung',
      text: 'Die Anmeldung begann in einem anderen Browser oder unter einer anderen Adresse der Konsole, ist schon beendet oder dauerte länger als zehn Minuten. Manche Browser behalten kein Cookie einer http-Adresse: Verwenden Sie dann https.',
    },
    issuer: {
      title: 'Die Antwort kam von einem anderen Server',
      text: 'Die Antwort nennt nicht den Autorisierungsserver dieses Gateways. Das Gateway hat sie nicht verwendet.',
    },
    denied: {
      title: 'Der Autorisierungsserver hat die Anmeldung abgelehnt',
      text: 'Sie oder der Server haben den Zugriff verweigert. Melden Sie sich erneut an und erlauben Sie ihn, oder fragen Sie den Betreiber des Servers.',
    },
    scope: {
      title: 'Sie dürfen diese Konsole nicht verwenden',
      text: 'Sie sind angemeldet, aber Ihr Konto hat den Scope nicht bekommen, den diese Konsole verlangt. Fragen Sie den Betreiber des Autorisierungsservers danach.',
    },
    user: {
      title: 'Sie dürfen diese Konsole nicht verwenden',
      text: 'Sie sind angemeldet, aber Ihr Konto steht nicht in der Liste der Personen, die diese Konsole verwenden dürfen.',
    },
    token: { title: 'Das Gateway konnte die Anmeldung nicht prüfen', text: log },
    server: {
      title: 'Der Autorisierungsserver hat kein Token ausgestellt',
      text: `${log} Prüfen Sie den Client, sein Secret und seine Redirect-Adresse.`,
    },
    outage: { title: 'Der Autorisierungsserver antwortet nicht', text: `Melden Sie sich später erneut an. ${log}` },
  },
};
