import type { Texts } from './texts.ts';

const origins = {
  document: 'Dieser Name stammt von {host}. Dieser Dienst hat ihn nicht geprüft.',
  itself: 'Die Anwendung hat diesen Namen selbst gewählt. Dieser Dienst hat ihn nicht geprüft.',
};

const expired = 'Gehen Sie zurück zur Anwendung, und beginnen Sie noch einmal. Diese Seite braucht Cookies.';

export const german: Texts = {
  lang: 'de',
  dir: 'ltr',
  name: 'Deutsch',
  failed: 'Fehler: ',
  wait: 'Warten Sie {time}, und versuchen Sie es dann noch einmal.',
  inEffect: 'Zeitpunkt: {when}.',
  scopes: {
    openid: 'Erfahren, wer Sie sind',
    profile: 'Ihren Namen und Ihr Profil sehen',
    email: 'Ihre E-Mail-Adresse sehen',
    address: 'Ihre Postanschrift sehen',
    phone: 'Ihre Telefonnummer sehen',
    offline_access: 'Diesen Zugriff behalten, auch wenn Sie sich abmelden',
  },
  login: {
    title: 'Anmelden',
    asks: '{application} bittet Sie, sich anzumelden.',
    returns: {
      web: 'Danach kehren Sie zu {where} zurück.',
      loopback: 'Danach kehren Sie zu einem Programm auf diesem Gerät zurück ({where}).',
      app: 'Danach kehren Sie zu einer App auf diesem Gerät zurück ({where}).',
    },
    notThisUser:
      'Sie sind als {person} angemeldet, aber die Anwendung erwartet eine andere Person. Melden Sie sich als diese Person an, oder gehen Sie zurück zur Anwendung.',
    origins,
    username: 'Benutzername',
    password: 'Passwort',
    show: 'Passwort anzeigen',
    hide: 'Passwort verbergen',
    submit: 'Anmelden',
    refused: 'Der Benutzername oder das Passwort ist falsch.',
    throttled: 'Zu viele Versuche. {wait}',
  },
  consent: {
    title: 'Zugriff für {application} erlauben?',
    heading: '{application} bittet um Zugriff auf Ihr Konto',
    signedInAs: 'Angemeldet als',
    notYou: 'Nicht Sie?',
    scopes: 'Damit darf {application}:',
    noScopes: 'Die Anwendung möchte nur wissen, dass Sie sich angemeldet haben.',
    before: 'schon erlaubt',
    returns: {
      web: 'Ihre Antwort geht an {where}.',
      loopback:
        'Ihre Antwort geht an ein Programm auf diesem Gerät ({where}). Erlauben Sie den Zugriff nur, wenn Sie das Programm gerade selbst gestartet haben.',
      app: 'Ihre Antwort geht an eine App auf diesem Gerät ({where}). Erlauben Sie den Zugriff nur, wenn Sie die App gerade selbst gestartet haben.',
    },
    origins,
    anyProgram:
      'Jedes Programm auf diesem Gerät kann sich als diese Anwendung ausgeben. Lehnen Sie ab, wenn Sie die Anwendung nicht gerade selbst gestartet haben.',
    deny: 'Ablehnen',
    allow: 'Erlauben',
    nothingTicked: 'Sie haben nichts ausgewählt. Wählen Sie aus, was Sie erlauben möchten, oder lehnen Sie ab.',
    takeBack: 'Sie können diesen Zugriff jederzeit zurücknehmen:',
    account: 'Verbundene Apps',
  },
  error: {
    kinds: {
      unknown_client: {
        title: 'Unbekannte Anwendung',
        what: 'Die Anwendung, die Sie hierher geschickt hat, ist bei diesem Dienst nicht registriert.',
        remedy: 'Schließen Sie diese Seite. Wenn Sie der Anwendung vertrauen, melden Sie das Problem ihrem Betreiber.',
      },
      invalid_client_document: {
        title: 'Wir können diese Anwendung nicht erkennen',
        what: 'Die Anwendung, die Sie hierher geschickt hat, beschreibt sich unter einer eigenen Adresse. Dieser Dienst kann die Beschreibung nicht annehmen.',
        remedy:
          'Schließen Sie diese Seite. Wenn Sie der Anwendung vertrauen, melden Sie ihrem Betreiber die Einzelheit unten.',
      },
      invalid_client_host: {
        title: 'Wir können diese Anwendung nicht erreichen',
        what: 'Die Anwendung, die Sie hierher geschickt hat, beschreibt sich unter einer eigenen Adresse. Diese Adresse antwortet nicht.',
        remedy:
          'Versuchen Sie es in einer Minute noch einmal. Wenn das Problem bleibt, melden Sie es dem Betreiber der Anwendung.',
      },
      redirect_refused: {
        title: 'Wir können Sie nicht sicher zurückschicken',
        what: 'Die Anwendung hat eine Rücksprungadresse angegeben, die sie nicht registriert hat. Wir haben Sie nicht dorthin geschickt.',
        remedy: 'Schließen Sie diese Seite. Wenn Sie der Anwendung vertrauen, melden Sie das Problem ihrem Betreiber.',
      },
      bad_request: {
        title: 'Wir können diese Anfrage nicht lesen',
        what: 'Der Link oder das Formular, das Sie hierher geführt hat, ist beschädigt oder unvollständig.',
        remedy: 'Gehen Sie zurück zur Anwendung, und beginnen Sie noch einmal.',
      },
      expired_transaction: {
        title: 'Diese Seite ist abgelaufen',
        what: 'Sie haben zu lange gewartet, oder Sie haben diese Seite schon beantwortet.',
        remedy: expired,
      },
      forged_form: {
        title: 'Dieses Formular ist nicht gültig',
        what: 'Das Formular stammt nicht von einer Seite, die dieser Browser hier geöffnet hat.',
        remedy: expired,
      },
      too_many_attempts: {
        title: 'Zu viele Versuche',
        what: 'Es gab in kurzer Zeit zu viele Versuche. Neue Versuche sind vorerst gesperrt.',
        remedy: 'Wenn diese Versuche nicht von Ihnen stammen, müssen Sie nichts tun.',
      },
      not_found: {
        title: 'Hier ist keine Seite',
        what: 'Dieser Dienst hat unter dieser Adresse keine Seite.',
        remedy: 'Prüfen Sie die Adresse, oder gehen Sie zu Ihrem Konto.',
      },
      for_programs: {
        title: 'Nur für Programme',
        what: 'Programme schicken Anfragen an diese Adresse. Ein Browser kann sie nicht öffnen.',
        remedy: 'Gehen Sie zurück, oder gehen Sie zu Ihrem Konto.',
      },
      unavailable: {
        title: 'Im Moment nicht verfügbar',
        what: 'Ein System, das dieser Dienst braucht, ist nicht verfügbar. Es wurde nichts geändert.',
        remedy:
          'Versuchen Sie es gleich noch einmal. Wenn das Problem bleibt, melden Sie es dem Betreiber dieses Dienstes.',
      },
      server_error: {
        title: 'Hier ist etwas schiefgegangen',
        what: 'In diesem Dienst ist ein Fehler aufgetreten. Sie haben nichts falsch gemacht.',
        remedy:
          'Versuchen Sie es noch einmal. Wenn das Problem bleibt, schicken Sie dem Betreiber dieses Dienstes die Kennung unten.',
      },
    },
    code: 'Fehler',
    id: 'Kennung',
    detail: 'Einzelheit',
  },
  account: {
    title: 'Ihr Konto',
    signedInAs: 'Angemeldet als',
    signOut: 'Abmelden',
    apps: 'Verbundene Apps',
    noApps: 'Keine App hat Zugriff auf Ihr Konto.',
    returns: {
      web: 'Unter {where}',
      loopback: 'Ein Programm auf Ihrem Gerät ({where})',
      app: 'Eine App auf Ihrem Gerät ({where})',
    },
    origins,
    noScopes: 'Die App weiß nur, dass Sie sich angemeldet haben.',
    since: 'Seit',
    lastUsed: 'Zuletzt benutzt',
    never: 'Noch nicht',
    disconnect: 'Trennen',
    sessions: 'Wo Sie angemeldet sind',
    device: '{browser} auf {platform}',
    unknownDevice: 'Unbekanntes Gerät',
    thisSession: 'dieser Browser',
    address: 'Adresse',
    sameNetwork: 'gleiches Netz wie dieser Browser',
    signedIn: 'Angemeldet',
    lastSeen: 'Zuletzt aktiv',
    endSession: 'Abmelden',
    guesses: {
      one: 'Jemand hat in den letzten 24 Stunden in einem anderen Browser ein falsches Passwort für Ihr Konto eingegeben.',
      other: 'Andere Browser haben in den letzten 24 Stunden {count} falsche Passwörter für Ihr Konto geschickt.',
    },
    closedUntil:
      'Deshalb können sich neue Browser bis {when} nicht anmelden. Browser, die Sie hier schon benutzt haben, können es.',
    everywhere: 'Haben Sie ein Gerät verloren, oder wissen Sie nicht, wer Zugriff hat?',
    everywhereMeans:
      'Damit melden Sie sich auf allen Geräten ab, auch auf diesem. Alle Apps verlieren ihren Zugriff. Nach Ihrer nächsten Anmeldung können die Apps wieder darum bitten.',
    signOutEverywhere: 'Überall abmelden',
    done: {
      disconnected: 'Die App ist getrennt und hat ihren Zugriff verloren.',
      session_ended: 'Diese Sitzung ist beendet.',
    },
  },
  formPost: { title: 'Zurück zur Anwendung', go: 'Weiter' },
  logout: {
    title: 'Abmelden?',
    asks: '{application} bittet Sie, sich abzumelden.',
    means: 'Damit melden Sie sich auch von den Apps ab, in denen Sie dieses Konto in diesem Browser benutzt haben.',
    submit: 'Abmelden',
    stay: 'Angemeldet bleiben',
  },
  signedOut: {
    title: 'Sie sind abgemeldet',
    what: 'Sie sind in diesem Browser abgemeldet. Verbundene Apps behalten ihren Zugriff.',
    withClients: 'Sie sind in diesem Browser abgemeldet, auch von den Apps, die diese Anmeldung benutzt haben.',
    everywhere: 'Sie sind auf allen Geräten abgemeldet, und keine App hat Zugriff auf Ihr Konto.',
    signIn: 'Wieder anmelden',
  },
};
