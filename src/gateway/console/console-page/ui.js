// What all pages share: templates without a compiler, and small parts.
import htm from 'htm';
import { h } from 'preact';

/** JSX as a tagged template. Values become text or properties, never markup. */
export const html = htm.bind(h);

/** A status with its color and in words for a screen reader. */
export function Verdict({ kind, children }) {
  return html`<span class=${`verdict ${kind}`}>${children}</span>`;
}

/** A text that the API wrote. Its steps, reasons and codes are the same in each language. */
export function english(text) {
  return text ? html`<span lang="en">${text}</span>` : text;
}

/** What is wrong with an answer: in the page's own words, or in the API's. */
export function faultOf({ own, error }) {
  return own ?? english(error);
}

/** What is wrong, in words. */
export function Alert({ text }) {
  return text ? html`<p class="alert" role="alert">${text}</p>` : null;
}

/** Names and values of the API; an absent value leaves out its row. */
export function Facts({ rows }) {
  const given = rows.filter(([, value]) => value !== undefined && value !== null && value !== '');
  return html`<dl class="facts" lang="en">
    ${given.map(([name, value]) => html`<div key=${name}><dt>${name}</dt><dd>${value}</dd></div>`)}
  </dl>`;
}
