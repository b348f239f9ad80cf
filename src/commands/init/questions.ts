import type { Finding } from '../../config/words/problem.ts';
import { scopeTokenFault, scopeWords } from '../../config/words/scope-words.ts';
import { issuerFaults, parseUrl } from '../../config/words/url-rules.ts';
import { apiUrlFault } from '../common/api-url.ts';

/** The questions before the files can be written. */
export interface Answers {
  readonly api: string;
  /** Absent: the service of Gatehouse, whose file is written too. */
  readonly issuer?: string | undefined;
  readonly audience: string;
  /** Absent: any valid token passes. */
  readonly scope?: string | undefined;
  /** Who the gateway is at `issuer`; absent: it asks about no token. */
  readonly clientId?: string | undefined;
}

export type AnswerName = keyof Answers;

/** What is known already; an empty text is an answer. */
export type Given = { readonly [Name in AnswerName]?: string | undefined };

/** As `issuer`: the service of Gatehouse. */
export const OWN = '';

/** All questions with a required answer. */
export function answersFrom(given: Given): Answers {
  return Object.fromEntries(
    Object.entries(given).filter(([, text]) => text !== undefined && text !== ''),
  ) as unknown as Answers;
}

export interface InitQuestion {
  readonly name: AnswerName;
  /** By which it is answered without a terminal. */
  readonly flag: string;
  readonly text: string;
  /** Whether nothing is an answer. */
  readonly mayBeEmpty: boolean;
  /** What is wrong with an answer that is not empty, in a sentence. */
  fault(text: string): string | undefined;
  /** Absent: it is always asked. */
  isAsked?(answers: Given): boolean;
}

/** In the order in which they are asked. */
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
    text: 'The authorization server whose tokens count (empty: one of our own, whose file is written too)',
    mayBeEmpty: true,
    fault: (text) => inWords(issuerFaults([], text, false)),
  },
  {
    name: 'audience',
    flag: '--audience <uri>',
    text: 'The audience of its tokens (`aud`), such as https://api.example.com',
    mayBeEmpty: false,
    fault: audienceFault,
  },
  {
    name: 'scope',
    flag: '--scope <scope>',
    text: 'The scope that every request needs (empty: `api` of our own service, of another any valid token passes)',
    mayBeEmpty: true,
    fault: (text) =>
      scopeWords(text)
        .map(scopeTokenFault)
        .find((fault) => fault !== undefined),
  },
  {
    name: 'clientId',
    flag: '--client-id <id>',
    text: "The gateway's client id there, for introspection of opaque tokens (empty: there are none)",
    mayBeEmpty: true,
    fault: () => undefined,
    isAsked: ({ issuer = OWN }) => issuer !== OWN,
  },
];

function apiFault(text: string): string | undefined {
  const url = parseUrl(text);
  const isWeb = url !== undefined && /^https?:$/.test(url.protocol);
  return apiUrlFault(text) ?? (isWeb ? undefined : 'the API is an http: or https: URL');
}

function audienceFault(text: string): string | undefined {
  return parseUrl(text) === undefined || text.includes('#')
    ? 'the audience is a URI without a fragment (RFC 8707 §2), such as https://api.example.com'
    : undefined;
}

function inWords([first]: readonly Finding[]): string | undefined {
  return first && [first.message, first.hint].filter(Boolean).join(': ');
}
