// Playground: what would happen to a request, and why. The same as `gatehouse explain`.
import { computed, signal } from '@preact/signals';
import { useEffect, useRef } from 'preact/hooks';
import { inOrder, onlyLast } from './api.js';
import { Explanation } from './explanation.js';
import { fill, parts, texts } from './language.js';
import { keep, state, visits } from './state.js';
import { testEntry } from './test-entry.js';
import { Alert, english, faultOf, html } from './ui.js';
import { Editor } from './yaml-editor.js';

const words = texts.playground;

const result = signal({});
/** The running file, and the text in its place. Undefined: the running file is asked. */
const running = signal({});
const pasted = signal(undefined);

const value = (name, otherwise = '') => state.value.get(name) ?? otherwise;
const as = computed(() => value('as', 'nobody'));

/** Headers whose values may be in the address. Any other may hold a credential, whatever its name is. */
const SHARED = new Set(['accept', 'accept-language', 'content-type', 'host', 'origin', 'range', 'user-agent']);

/**
 * The page uses only these headers of an address: a link of someone else must not make the gateway ask a server about a
 * token.
 */
function sharedHeaders(text) {
  const lines = text.split('\n');
  return lines.filter((line) => SHARED.has(line.split(':', 1)[0].trim().toLowerCase())).join('\n');
}

export function Playground() {
  const form = useRef(null);
  useEffect(() => void fetchFile(), []);
  // A different address makes a new form, with its own question.
  useEffect(() => {
    clear();
    if (value('url') !== '' && as.value !== 'token') void submit(form.current);
  }, [visits.value]);
  useEffect(() => clear, []);
  const send = (event) => {
    event.preventDefault();
    void submit(form.current);
  };
  return html`
    <h1>${words.title}</h1>
    <p class="quiet-text">${words.intro}</p>
    <div class="split wide">
      <form ref=${form} key=${visits.value} onSubmit=${send} class="question">
        <div class="pair">
          <${Field} name="method" label=${words.method} otherwise="GET" list="methods" />
          <${Field} name="url" label=${words.url} placeholder="/orders/7" required />
        </div>
        <datalist id="methods">${['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'].map((name) => html`<option value=${name} />`)}</datalist>
        <${As} />
        <label for="headers">${words.headers}</label>
        <textarea id="headers" name="headers" rows="2" spellcheck=${false} placeholder="Accept: application/json" defaultValue=${sharedHeaders(value('headers'))}></textarea>
        <${Field} name="mcp" label=${words.mcp} placeholder="tools/call delete_user" />
        <${File} />
        <button>${words.explain}</button>
      </form>
      <${Result} />
    </div>
  `;
}

function Field({ name, label, otherwise = '', ...more }) {
  return html`<div class="field"><label for=${name}>${label}</label>
    <input id=${name} name=${name} defaultValue=${value(name, otherwise)} autocomplete="off" spellcheck=${false} ...${more} /></div>`;
}

function As() {
  return html`<fieldset>
    <legend>${words.caller}</legend>
    ${Object.entries(words.callers).map(
      ([
        name,
        label,
      ]) => html`<label class="choice"><input type="radio" name="as" value=${name} checked=${as.value === name}
        onChange=${() => keep({ as: name })} /> ${label}</label>`,
    )}
    ${
      as.value === 'scope'
        ? html`<div class="pair"><${Field} name="scope" label=${words.scopes} placeholder="orders.read" />
          <${Field} name="claims" label=${words.claims} placeholder=${'{"sub":"alice"}'} /></div>`
        : null
    }
    ${as.value === 'token' ? html`<${TokenField} />` : null}
    ${as.value === 'user' ? html`<${Field} name="user" label=${words.user} />` : null}
  </fieldset>`;
}

/** The field is emptied when the page is left, and its value is never in the address. */
function TokenField() {
  const input = useRef(null);
  useEffect(() => {
    const field = input.current;
    const clear = () => {
      field.value = '';
    };
    addEventListener('pagehide', clear);
    return () => {
      removeEventListener('pagehide', clear);
      clear();
    };
  }, []);
  return html`<label for="token">${words.token}</label>
    <textarea id="token" ref=${input} name="token" rows="3" autocomplete="off" spellcheck=${false}></textarea>`;
}

function File() {
  const { text, remark } = running.value;
  const toggle = (event) => {
    pasted.value = event.currentTarget.checked ? (text ?? '') : undefined;
  };
  return html`<label class="choice"><input type="checkbox" checked=${pasted.value !== undefined} onChange=${toggle} /> ${words.file}</label>
    <${Alert} text=${english(remark)} />
    ${
      pasted.value === undefined
        ? null
        : html`<p class="help">${words.fileHelp}</p>
          <${Editor} text=${pasted} />`
    }`;
}

const askFile = inOrder('/api/file');

async function fetchFile() {
  const told = await askFile();
  if (told?.ok) running.value = told.answer;
}

const explaining = onlyLast();

function clear() {
  explaining.forget();
  result.value = {};
}

async function submit(form) {
  const question = questionOf(new FormData(form));
  if (question.fault !== undefined) {
    explaining.forget();
    result.value = { own: question.fault };
    return;
  }
  const told = await explaining.ask('/api/explain', question);
  if (told !== undefined) result.value = resultOf(question, told);
}

/** Nothing of a token stays after the question. */
function resultOf({ token, ...kept }, { ok, answer }) {
  return ok ? { ...answer, question: { ...kept, hadToken: token !== undefined } } : answer;
}

function questionOf(data) {
  const text = (name) => data.get(name)?.trim() ?? '';
  const headers = headersOf(text('headers'));
  if (headers.fault !== undefined) return headers;
  const shared = headers.filter(([name]) => SHARED.has(name.toLowerCase())).map((pair) => pair.join(': '));
  const told = Object.fromEntries(
    ['method', 'url', 'mcp', 'scope', 'claims', 'user'].map((name) => [name, text(name)]),
  );
  // A query may hold a token.
  keep({ ...told, url: told.url.replace(/[?#].*$/, ''), headers: shared.join('\n') });
  const caller = callerOf(text('as'), text);
  if (caller.fault !== undefined) return caller;
  const { method, url, mcp } = told;
  return {
    method,
    url,
    ...caller,
    headers,
    ...(mcp !== '' && { mcp }),
    ...(pasted.value !== undefined && { yaml: pasted.value }),
  };
}

function callerOf(kind, text) {
  switch (kind) {
    case 'token':
      return text('token') === '' ? { fault: words.noToken } : { token: text('token') };
    case 'user':
      return text('user') === '' ? { fault: words.noUser } : { user: text('user') };
    case 'scope':
      return { scope: text('scope'), ...claimsOf(text('claims')) };
    default:
      return {};
  }
}

function claimsOf(text) {
  if (text === '') return {};
  try {
    const claims = JSON.parse(text);
    if (typeof claims === 'object' && claims !== null && !Array.isArray(claims)) return { claims };
  } catch {
    // The return below reports text that is not JSON in the same way as JSON that is not an object.
  }
  return { fault: fill(words.badClaims, { example: '{"sub":"alice"}' }) };
}

function headersOf(text) {
  const lines = text
    .split('\n')
    .map((line) => line.trim())
    .filter(Boolean);
  const pairs = lines.map((line) => /^([^\s:]+):\s*(.*)$/.exec(line));
  const wrong = pairs.indexOf(null);
  if (wrong !== -1) return { fault: fill(words.badHeader, { line: wrong + 1 }) };
  return pairs.map(([, name, content]) => [name, content]);
}

function Result() {
  const { own, error, problems, explanation, warnings, question } = result.value;
  if (problems !== undefined) return html`<section><${Alert} text=${words.badFile} /></section>`;
  if (own !== undefined || error !== undefined)
    return html`<section><${Alert} text=${faultOf(result.value)} /></section>`;
  if (explanation === undefined) return html`<section class="details empty"><p>${words.empty}</p></section>`;
  return html`<div role="status"><${Explanation} explanation=${explanation} warnings=${warnings} />
    ${testEntry(question, explanation) === undefined ? null : html`<${TestEntry} text=${testEntry(question, explanation)} />`}</div>`;
}

function TestEntry({ text }) {
  return html`<details class="remedy"><summary>${parts(words.testEntry, { tests: html`<code>tests:</code>` })}</summary><pre lang="en">${text}</pre></details>`;
}
