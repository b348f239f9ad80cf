import { printableValue } from '../../base/printable.ts';
import type { ExplainedAnswer, ExplainedCandidate, Explanation } from '../../gateway/explain/explain.ts';
import type { ExplainedStep } from '../../gateway/explain/explained-steps.ts';
import type { UpstreamRequest } from '../../gateway/explain/upstream-request.ts';
import { tokenLines, tokenTitle } from './token-in-words.ts';

export function explanationInWords(explanation: Explanation): string {
  const { request, candidates, steps, token, answer, would_be, upstream } = explanation;
  return [
    `${request.method} ${request.host}${request.target}`,
    ...section('Routes, most specific first', candidates.map(candidateLine)),
    ...section('Steps', steps.map(stepLine)),
    ...(token === undefined ? [] : section(tokenTitle(token), tokenLines(token))),
    ...section('Answer', [
      ...answerLines(answer),
      ...(would_be === undefined ? [] : ['shadow mode; enforce mode would answer:', ...answerLines(would_be)]),
    ]),
    ...(upstream === undefined
      ? []
      : section(`To ${upstream.upstream} (${upstream.authority})`, requestLines(upstream))),
    '',
  ]
    .map(printableValue)
    .join('\n');
}

function section(title: string, lines: readonly string[]): readonly string[] {
  return lines.length === 0 ? [] : ['', title, ...lines.map((line) => `  ${line}`)];
}

function candidateLine({ route, at, misfits }: ExplainedCandidate): string {
  const place = at === undefined ? '' : `  ${at}`;
  return misfits.length === 0 ? `fits     ${route}${place}` : `no match   ${route}${place}  ${misfits.join('; ')}`;
}

/** A step, as this or another version of the gateway names it. */
type StepWords = { readonly [Member in keyof ExplainedStep]: string | Extract<ExplainedStep[Member], undefined> };

export function stepLine({ step, verdict, detail, at }: StepWords): string {
  return `${step.padEnd(11)}${verdict.padEnd(13)}${detail}${at === undefined ? '' : `  ${at}`}`.trimEnd();
}

function answerLines(answer: ExplainedAnswer): readonly string[] {
  const { kind, status, code, text, detail, challenges = [], allow, retry_after } = answer;
  if (kind === 'forward') return ["the upstream's answer"];
  if (kind === 'undecided') return [`undecided: ${text}`];
  return [
    [status, code].filter(Boolean).join(' '),
    ...(text === undefined ? [] : [text]),
    ...(detail === undefined || detail === '' ? [] : [detail]),
    ...challenges.map((challenge) => `WWW-Authenticate: ${challenge}`),
    ...(allow === undefined ? [] : [`Allow: ${allow.join(', ')}`]),
    ...(retry_after === undefined ? [] : [`Retry-After: ${retry_after}`]),
  ];
}

function requestLines({ method, target, headers }: UpstreamRequest): readonly string[] {
  return [`${method} ${target}`, ...headers.map(([name, value]) => `${name}: ${value}`)];
}
