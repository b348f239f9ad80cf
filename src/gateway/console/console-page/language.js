// The language of the pages: `lang` in the address, otherwise the browser's first language that has texts, otherwise English.
// What the API answers stays English, and is marked as English.
import { effect } from '@preact/signals';
import { state } from './state.js';

const known = ['en', 'de'];

/** RFC 4647 §3.4: `de-AT` finds `de`. */
function primaryOf(tag) {
  return tag.split('-')[0].toLowerCase();
}

function wanted() {
  const tags = [state.value.get('lang') ?? '', ...navigator.languages];
  return tags.map(primaryOf).find((language) => known.includes(language)) ?? 'en';
}

const language = wanted();
/** With the region of the user, which decides about numbers and times. */
const locale = navigator.languages.find((tag) => primaryOf(tag) === language) ?? language;

document.documentElement.lang = language;

/** Only the texts of this language are loaded. */
export const { texts } = await import(`./texts/${language}.js`);

effect(() => {
  if (wanted() !== language) location.reload();
});

/** The text with the values in place of the names in braces. */
export function fill(text, values) {
  return parts(text, values).join('');
}

/** The same for values that are elements: a list for a template. */
export function parts(text, values) {
  return text.split(/\{(\w+)\}/).map((part, index) => (index % 2 === 0 ? part : values[part]));
}

const plural = new Intl.PluralRules(locale);

/** A text that depends on a count, in the plural form of the language. `{count}` is the count. */
export function countText(forms, count, values = {}) {
  return fill(forms[plural.select(count)] ?? forms.other, { ...values, count: numberText(count) });
}

const numbers = new Intl.NumberFormat(locale);

export function numberText(value) {
  return numbers.format(value);
}

const percents = new Intl.NumberFormat(locale, { style: 'percent', maximumFractionDigits: 1 });

/** A share from 0 to 1. */
export function percentText(share) {
  return percents.format(share);
}

const time = new Intl.DateTimeFormat(locale, { timeStyle: 'medium' });
const minute = new Intl.DateTimeFormat(locale, { timeStyle: 'short' });
const day = new Intl.DateTimeFormat(locale, { dateStyle: 'short' });

/** Milliseconds since the epoch, here and below. */
export function timeText(milliseconds) {
  return time.format(milliseconds);
}

export function minuteText(milliseconds) {
  return minute.format(milliseconds);
}

export function dayText(milliseconds) {
  return day.format(milliseconds);
}
