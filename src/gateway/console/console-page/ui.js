// What all pages share: templates without a compiler, and small parts.
import htm from 'htm';
import { h } from 'preact';

/** JSX as a tagged template. Values become text or properties, never markup. */
export const html = htm.bind(h);

/** A status with its color and in words for a screen reader. */
export function Verdict({ kind, children }) {
  return html`<span class=${`verdict ${kind}`}>${children}</span>`;
}

/** What is wrong, in words. */
export function Alert({ text }) {
  return text ? html`<p class="alert" role="alert">${text}</p>` : null;
}

/** Names and values; an absent value leaves out its row. */
export function Facts({ rows }) {
  const given = rows.filter(([, value]) => value !== undefined && value !== null && value !== '');
  return html`<dl class="facts">
    ${given.map(([name, value]) => html`<div key=${name}><dt>${name}</dt><dd>${value}</dd></div>`)}
  </dl>`;
}

const clock = new Intl.DateTimeFormat(undefined, { timeStyle: 'medium' });

export function timeText(milliseconds) {
  return clock.format(milliseconds);
}

const numbers = new Intl.NumberFormat();

export function numberText(value) {
  return numbers.format(value);
}
