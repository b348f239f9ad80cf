import type { Finding } from '../../config/words/problem.ts';
import { scopeTokenFault, scopeWords } from '../../config/words/scope-words.ts';
import { issuerFaults, parseUrl } from '../../config/words/url-rules.ts';
import { apiUrlFault } from '../common/api-url.ts';

/** The answers that the files need. */
export interface Answers {
  readonly api: string;
  /** Absent: Gatehouse's own service, whose file is written too. */
  readonly issuer?: string | undefined;
  readonly audience: string;
  /** Absent: any valid token passes. */
  readonly scope?: string | undefined;
  /** The gateway's client at `issuer`; absent: the gateway does not introspect tokens. */
  readonly clientId?: string | undefined;
}

export type AnswerName = keyof Answers;

/** The known answers. An empty text is an answer. */
export type Given = { readonly [Name in AnswerName]?: string | undefined };

/** The value of `issuer` for Gatehouse's own service. */
export const OWN = '';

/** All answers, if no required one is missing. */
export function answersFrom(given: Given): Answers {
  return Object.fromEntries(
    Object.entries(given).filter(([, text]) => text !== undefined && text !== ''),
  ) as unknown as Answers;
}

export interface InitQuestion {
  readonly name: AnswerName;
  /** The flag that gives the answer without a terminal. */
  readonly flag: string;
  readonly text: string;
  /** True if the answer may be empty. */
  readonly mayBeEmpty: boolean;
  /** The fault of an answer that is not empty, in a sentence. */
  fault(text: string): string | undefined;
  /** Absent: the question is always asked. */
  isAsked?(answers: Given): boolean;
}

/** In the order of the questions. */
export const questions: readonly InitQuestion[] = [
  {
    name: 'api',
    flag: '--api <url>',
    text: 'The API, such as http://127.0.0.1:9000',
    mayBeEmpty: false,
    fault: apiFault,
  },
  {
    name: 'issuer',
    flag: '--issuer <url>',
    text: 'The authorization server that issues the tokens (empty: the authorization service of Gatehouse, and this command also writes authorization.yaml)',
    mayBeEmpty: true,
    fault: (text) => inWords(issuerFaults([], text, false)),
  },
  {
    name: 'audience',
    flag: '--audience <uri>',
    text: 'The audience of the tokens (`aud`), such as https://api.example.com',
    mayBeEmpty: false,
    fault: audienceFault,
  },
  {
    name: 'scope',
    flag: '--scope <scope>',
    text: 'The scope that every request needs (empty: `api` if Gatehouse is the server; with another server, any valid token passes)',
    mayBeEmpty: true,
    fault: (text) =>
      scopeWords(text)
        .map(scopeTokenFault)
        .find((fault) => fault !== undefined),
  },
  {
    name: 'clientId',
    flag: '--client-id <id>',
    text: 'The client id of the gateway at the authorization server, for introspection of opaque tokens (empty: the gateway accepts no opaque tokens)',
    mayBeEmpty: true,
    fault: () => undefined,
    isAsked: ({ issuer = OWN }) => issuer !== OWN,
  },
];

function apiFault(text: string): string | undefined {
  const url = parseUrl(text);
  const isWeb = url !== undefined && /^https?:$/.test(url.protocol);
  return apiUrlFault(text) ?? (isWeb ? undefined : 'the API must be an http: or https: URL');
}

function audienceFault(text: string): string | undefined {
  return parseUrl(text) === undefined || text.includes('#')
    ? 'the audience must be a URI without a fragment (RFC 8707 §2), such as https://api.example.com'
    : undefined;
}

function inWords([first]: readonly Finding[]): string | undefined {
  return first && [first.message, first.hint].filter(Boolean).join(': ');
}
