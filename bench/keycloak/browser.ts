import { challenge, clients, redirectUri, scope, subject } from '../grants.ts';
import { PASSWORD } from './realm.ts';

/** Codes at one time. */
const AT_ONCE = 16;

/** Requests that change one session wait for each other. So each connection of the load has another session. */
const SESSIONS = 64;

/** As many browsers as sessions, which take turns. */
export class Browsers {
  readonly #all: readonly Browser[];
  #next = 0;

  /** `page`: the authorization endpoint. */
  constructor(page: string) {
    this.#all = Array.from({ length: SESSIONS }, () => new Browser(page));
  }

  async codes(count: number): Promise<readonly string[]> {
    const codes: string[] = [];
    while (codes.length < count) {
      const some = Math.min(AT_ONCE, count - codes.length);
      codes.push(...(await Promise.all(Array.from({ length: some }, () => this.#code()))));
    }
    return codes;
  }

  #code(): Promise<string> {
    const browser = this.#all[this.#next] as Browser;
    this.#next = (this.#next + 1) % SESSIONS;
    return browser.code();
  }
}

/** The browser of a user who signs in once. Each further visit then gets a code without a page. */
class Browser {
  readonly #page: string;
  readonly #cookies = new Map<string, string>();
  #isSignedIn = false;

  constructor(page: string) {
    const request = new URLSearchParams({
      response_type: 'code',
      client_id: clients.web.id,
      redirect_uri: redirectUri,
      scope,
      code_challenge: challenge,
      code_challenge_method: 'S256',
    });
    this.#page = `${page}?${request}`;
  }

  async code(): Promise<string> {
    return this.#isSignedIn ? codeIn(await this.#send(this.#page)) : this.#signIn();
  }

  async #signIn(): Promise<string> {
    const form = await this.#send(this.#page);
    const [, action = ''] = /action="([^"]+)"/.exec(await form.text()) ?? [];
    const body = new URLSearchParams({ username: subject, password: PASSWORD });
    const answer = await this.#send(action.replaceAll('&amp;', '&'), { method: 'POST', body });
    this.#isSignedIn = true;
    return codeIn(answer);
  }

  async #send(url: string, init: RequestInit = {}): Promise<Response> {
    const cookie = [...this.#cookies].map(([name, value]) => `${name}=${value}`).join('; ');
    const answer = await fetch(url, { ...init, redirect: 'manual', headers: { cookie } });
    if (!this.#isSignedIn) this.#keep(answer.headers.getSetCookie());
    return answer;
  }

  #keep(lines: readonly string[]): void {
    for (const line of lines) {
      const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(line) ?? [];
      this.#cookies.set(name, value);
    }
  }
}

function codeIn({ status, headers }: Response): string {
  const code = new URL(headers.get('location') ?? '', 'http://none.invalid').searchParams.get('code');
  if (code === null) throw new Error(`Keycloak sent no code: ${status} ${headers.get('location')}`);
  return code;
}
