// An explanation: the steps of a decision, and what follows from them.
import { Alert, Facts, html, Verdict } from './ui.js';

const kinds = {
  passed: 'pass',
  refused: 'refuse',
  unavailable: 'fail',
  undecided: 'fail',
  skipped: 'none',
  'not reached': 'none',
};

export function Steps({ steps }) {
  if (steps.length === 0) return html`<p class="quiet-text">The request ended before the first step.</p>`;
  return html`<ol class="steps" aria-label="Steps">
    ${steps.map(
      ({ step, verdict, detail, at }) => html`<li key=${step} class=${kinds[verdict]}>
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
  return html`<section class="explanation" aria-label="Answer">
    <h2><${AnswerText} answer=${answer} /></h2>
    ${wouldBe ? html`<p>If the route enforced: <${AnswerText} answer=${wouldBe} /></p>` : null}
    ${warnings.map((warning) => html`<${Alert} key=${warning} text=${warning} />`)}
    <${Steps} steps=${steps} />
    <${Challenges} answer=${answer} />
    <${Checks} token=${token} />
    <${Candidates} candidates=${candidates} />
    <${Upstream} upstream=${upstream} />
  </section>`;
}

const answers = { forward: 'pass', reply: 'pass', refuse: 'refuse', unavailable: 'fail', undecided: 'fail' };
const words = { forward: 'forwarded', reply: 'answered by the gateway', undecided: 'undecided' };

function AnswerText({ answer: { kind, status, code, text } }) {
  const short = status === undefined ? words[kind] : String(status);
  return html`<${Verdict} kind=${answers[kind]}>${short}<//> ${code ? html`<code>${code}</code> ` : null}${text ?? ''}`;
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
  return html`<${heading}>Token: ${token.kind}${token.server ? `, judged by ${token.server}` : ''}<//>
    <ul class="checks">
      ${token.checks.map(
        ({ name, mark, found, expected, note }) => html`<li key=${name}>
          <${Verdict} kind=${checkKinds[mark]}>${checkWords[mark]}<//> <b>${name}</b>
          <span> ${found}</span> <span class="quiet-text">expected: ${expected}${note ? ` (${note})` : ''}</span>
        </li>`,
      )}
    </ul>`;
}

const checkKinds = { fits: 'pass', fails: 'refuse', unknown: 'none' };
const checkWords = { fits: '✓ fits', fails: '✗ does not fit', unknown: '? not known' };

function Candidates({ candidates }) {
  if (candidates.length === 0) return null;
  return html`<h3>Routes that were considered</h3>
    <ul class="candidates">
      ${candidates.map(
        ({ route, at, misfits }) => html`<li key=${route}>
          <b>${route}</b> <${Place} at=${at} />
          ${misfits.length === 0 ? html` <${Verdict} kind="pass">matches<//>` : html` <span>${misfits.join('; ')}</span>`}
        </li>`,
      )}
    </ul>`;
}

function Upstream({ upstream }) {
  if (!upstream) return null;
  const { method, target, authority, headers } = upstream;
  const lines = [`${method} ${target}`, ...headers.map(([name, value]) => `${name}: ${value}`)];
  return html`<h3>The request that ${upstream.upstream} (${authority}) would get</h3><pre>${lines.join('\n')}</pre>`;
}
