// A text field for a configuration file, with the errors beside its lines.
import { signal } from '@preact/signals';
import { useEffect, useRef } from 'preact/hooks';
import { ask } from './api.js';
import { fill, texts } from './language.js';
import { english, html } from './ui.js';

const words = texts.playground;

const problems = signal([]);
/** Why the gateway did not check this text. */
const fault = signal('');
/** Milliseconds after the last key. */
const PAUSE = 400;
/** Milliseconds before the next try. */
const AGAIN = 2000;
/** The status if the gateway checks too many texts. Every other refusal is final for this text. */
const BUSY = 503;

export function Editor({ text }) {
  const gutter = useRef(null);
  const field = useRef(null);
  useEffect(() => checking(text), [text.value]);
  const follow = () => {
    gutter.current.scrollTop = field.current.scrollTop;
  };
  const lines = text.value.split('\n').length;
  const faulty = new Map(problems.value.map((problem) => [problem.line, problem]));
  return html`<div class="editor">
    <ol class="gutter" ref=${gutter} aria-hidden="true">
      ${Array.from({ length: lines }, (_, index) => html`<li key=${index} class=${faulty.get(index + 1)?.severity ?? ''}></li>`)}
    </ol>
    <textarea ref=${field} aria-label=${words.editor} rows="16" spellcheck=${false} wrap="off" value=${text.value} onScroll=${follow}
      onInput=${(event) => {
        text.value = event.currentTarget.value;
      }}></textarea>
  </div>
  <${Problems} field=${field} />`;
}

/** Checks a text until the gateway answers about it. Returns how to stop. */
function checking(text) {
  const yaml = text.value;
  let isStopped = false;
  let timer = setTimeout(check, PAUSE);
  async function check() {
    const { ok, status, answer } = await ask('/api/check', { yaml });
    if (isStopped) return;
    const isLater = status === 0 || status === BUSY;
    // The marks of an older text are at other lines.
    problems.value = ok ? answer.problems : [];
    fault.value = ok ? '' : isLater ? words.unchecked : (answer.own ?? english(answer.error));
    if (isLater) timer = setTimeout(check, AGAIN);
  }
  return () => {
    isStopped = true;
    clearTimeout(timer);
  };
}

function Problems({ field }) {
  if (fault.value) return html`<p class="help" role="status">${fault.value}</p>`;
  if (problems.value.length === 0) return html`<p class="help" role="status">${words.noError}</p>`;
  return html`<ul class="problems" aria-label=${words.problems}>
    ${problems.value.map(
      (problem, index) => html`<li key=${index} class=${problem.severity}>
        <button type="button" class="link" onClick=${() => select(field.current, problem.line)}>${fill(words.line, { line: problem.line })}</button>
        ${' '}<span lang="en">${problem.message}${problem.hint ? html`<br /><span class="quiet-text">${problem.hint}</span>` : null}</span>
      </li>`,
    )}
  </ul>`;
}

function select(field, line) {
  const lines = field.value.split('\n');
  const start = lines.slice(0, line - 1).reduce((sum, each) => sum + each.length + 1, 0);
  field.focus();
  field.setSelectionRange(start, start + (lines[line - 1]?.length ?? 0));
}
