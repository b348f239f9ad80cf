import { type Answer, exchange, type ToSend } from './exchange.ts';
import { type Field, type Form, formsOf } from './forms.ts';

/** The kinds of pages on which the user did something. */
export type SeenPage = 'login' | 'consent' | 'logout' | 'form_post';

/** Everything between the start and the last answer. */
export interface Visit {
  readonly seen: readonly SeenPage[];
  /** The address of the last answer. */
  readonly url: URL;
  readonly last: Answer;
}

export interface Step {
  readonly url: URL;
  readonly form?: readonly (readonly [string, string])[];
}

/** A browser of one user. The user logs in, allows everything and confirms a logout. */
export interface UserAgent {
  /** Goes on until there is nothing more to do. `stopAt`: or until this page. */
  visit(start: Step, stopAt?: SeenPage): Promise<Visit>;
}

const user = { username: 'alice', password: 'wonderland' } as const;
/** More steps than any flow has. */
const MOST = 12;

export function userAgent(): UserAgent {
  const cookies = new Map<string, string>();
  return {
    async visit(start, stopAt) {
      const seen: SeenPage[] = [];
      let step = start;
      for (let count = 0; count < MOST; count++) {
        const last = await take(cookies, step);
        const next = nextStep(step.url, last);
        if (next === undefined || (next.page !== undefined && next.page === stopAt))
          return { seen, url: step.url, last };
        if (next.page !== undefined) seen.push(next.page);
        step = next;
      }
      throw new Error(`the browser is sent around: ${seen.join(', ')}, then ${step.url}`);
    },
  };
}

async function take(cookies: Map<string, string>, step: Step): Promise<Answer> {
  const answer = await exchange(step.url, requestOf(cookies, step));
  for (const line of answer.headers['set-cookie'] ?? []) keep(cookies, line);
  return answer;
}

/**
 * A form has `Origin: null`, because the pages of the service send no referrer. Cookies belong to a host, so its ports share
 * them.
 */
function requestOf(cookies: ReadonlyMap<string, string>, { form }: Step): ToSend {
  const cookie = [...cookies].map(([name, value]) => `${name}=${value}`).join('; ');
  const headers = { accept: 'text/html', ...(cookie !== '' && { cookie }) };
  if (form === undefined) return { headers };
  const type = 'application/x-www-form-urlencoded';
  const body = new URLSearchParams(form.map(([name, value]): [string, string] => [name, value])).toString();
  return { method: 'POST', headers: { ...headers, 'content-type': type, origin: 'null' }, body };
}

function keep(cookies: Map<string, string>, line: string): void {
  const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(line) ?? [];
  if (/; Max-Age=0/.test(line)) cookies.delete(name);
  else cookies.set(name, value);
}

interface NextStep extends Step {
  /** Undefined for a redirect. */
  readonly page: SeenPage | undefined;
}

function nextStep(at: URL, { status, headers, body }: Answer): NextStep | undefined {
  if (status >= 300 && status < 400 && headers.location !== undefined)
    return { url: new URL(headers.location, at), page: undefined };
  for (const form of formsOf(body)) {
    const sent = filledIn(at, form, body);
    if (sent !== undefined) return sent;
  }
  return undefined;
}

/** Undefined: the user has no reason to send this form. */
function filledIn(at: URL, form: Form, body: string): NextStep | undefined {
  const send = (page: SeenPage, button?: Field): NextStep => ({
    page,
    url: new URL(form.action, at),
    form: [...form.fields.map(filled), ...(button === undefined || button.name === '' ? [] : [pairOf(button)])],
  });
  const [button, ...others] = form.buttons;
  if (form.fields.some(({ type }) => type === 'password')) return others.length === 0 ? send('login') : undefined;
  const allow = form.buttons.find(({ value }) => value === 'allow');
  if (allow !== undefined) return send('consent', allow);
  if (form.action.includes('/logout')) return others.length === 0 ? send('logout', button) : undefined;
  return body.includes('document.forms[0].submit()') ? send('form_post') : undefined;
}

function filled({ name, value }: Field): readonly [string, string] {
  return [name, Object.hasOwn(user, name) ? user[name as keyof typeof user] : value];
}

function pairOf({ name, value }: Field): readonly [string, string] {
  return [name, value];
}
