// An explanation: the steps of a decision, and what follows from them.
import { fill, parts, texts } from './language.js';
import { Alert, english, Facts, html, Verdict } from './ui.js';

const words = texts.explanation;

const kinds = {
  passed: 'pass',
  refused: 'refuse',
  unavailable: 'fail',
  undecided: 'fail',
  skipped: 'none',
  'not reached': 'none',
};

export function Steps({ steps }) {
  if (steps.length === 0) return html`<p class="quiet-text">${words.noStep}</p>`;
  return html`<ol class="steps" aria-label=${words.steps}>
    ${steps.map(
      ({ step, verdict, detail, at }) => html`<li key=${step} class=${kinds[verdict]} lang="en">
        <span class="step">${step}</span> <${Verdict} kind=${kinds[verdict]}>${verdict}<//>
        <span class="detail">${detail}</span> <${Place} at=${at} />
      </li>`,
    )}
  </ol>`;
}

/** The file has its name only. Its folder is in the title. */
export function Place({ at }) {
  return at ? html`<span class="at" title=${at}>${at.slice(at.lastIndexOf('/') + 1)}</span>` : null;
}

export function Explanation({ explanation, warnings }) {
  const { steps, answer, would_be: wouldBe, candidates, upstream, token } = explanation;
  return html`<section class="explanation" aria-label=${words.answer}>
    <h2><${AnswerText} answer=${answer} /></h2>
    ${wouldBe ? html`<p>${parts(words.wouldBe, { answer: html`<${AnswerText} answer=${wouldBe} />` })}</p>` : null}
    ${warnings.map((warning) => html`<${Alert} key=${warning} text=${english(warning)} />`)}
    <${Steps} steps=${steps} />
    <${Challenges} answer=${answer} />
    <${Checks} token=${token} />
    <${Candidates} candidates=${candidates} />
    <${Upstream} upstream=${upstream} />
  </section>`;
}

const answers = { forward: 'pass', reply: 'pass', refuse: 'refuse', unavailable: 'fail', undecided: 'fail' };
const answered = { forward: words.forwarded, reply: words.replied, undecided: words.undecided };

function AnswerText({ answer: { kind, status, code, text } }) {
  const short = status === undefined ? answered[kind] : String(status);
  return html`<${Verdict} kind=${answers[kind]}>${short}<//> ${code ? html`<code lang="en">${code}</code> ` : null}${english(text ?? '')}`;
}

function Challenges({ answer }) {
  const lines = answer.challenges ?? [];
  const rows = [
    ['WWW-Authenticate', lines.length === 0 ? undefined : lines.join('\n')],
    ['Allow', answer.allow?.join(', ')],
    ['Retry-After', answer.retry_after],
    ['detail', answer.detail],
  ];
  return html`<${Facts} rows=${rows} />`;
}

/** The checks of one token. */
export function Checks({ token, heading = 'h3' }) {
  if (!token) return null;
  const kind = english(token.kind);
  const title = token.server ? parts(words.judgedToken, { kind, server: token.server }) : parts(words.token, { kind });
  return html`<${heading}>${title}<//>
    <ul class="checks">
      ${token.checks.map(
        ({ name, mark, found, expected, note }) => html`<li key=${name}>
          <${Verdict} kind=${checkKinds[mark]}>${checkWords[mark]}<//> <b>${name}</b>
          <span lang="en"> ${found}</span> <span class="quiet-text">${parts(words.expected, { value: english(`${expected}${note ? ` (${note})` : ''}`) })}</span>
        </li>`,
      )}
    </ul>`;
}

const checkKinds = { fits: 'pass', fails: 'refuse', unknown: 'none' };
const checkWords = { fits: words.fits, fails: words.misfits, unknown: words.unknown };

function Candidates({ candidates }) {
  if (candidates.length === 0) return null;
  return html`<h3>${words.considered}</h3>
    <ul class="candidates">
      ${candidates.map(
        ({ route, at, misfits }) => html`<li key=${route}>
          <b>${route}</b> <${Place} at=${at} />
          ${misfits.length === 0 ? html` <${Verdict} kind="pass">${words.matches}<//>` : html` <span lang="en">${misfits.join('; ')}</span>`}
        </li>`,
      )}
    </ul>`;
}

function Upstream({ upstream }) {
  if (!upstream) return null;
  const { method, target, authority, headers } = upstream;
  const lines = [`${method} ${target}`, ...headers.map(([name, value]) => `${name}: ${value}`)];
  return html`<h3>${fill(words.upstream, { upstream: upstream.upstream, authority })}</h3><pre lang="en">${lines.join('\n')}</pre>`;
}
