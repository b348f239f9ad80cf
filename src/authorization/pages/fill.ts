import { type Html, type HtmlPart, html } from './html.ts';
import type { Plural } from './texts/plural.ts';
import type { Texts } from './texts/texts.ts';

/** The text with these values in place of the names in braces. */
export function filled(text: string, values: Readonly<Record<string, HtmlPart>>): Html {
  return html`${text.split(/\{(\w+)\}/).map((part, at) => (at % 2 === 0 ? part : values[part]))}`;
}

/** Does the same without markup. */
export function filledText(text: string, values: Readonly<Record<string, string>>): string {
  return text.replace(/\{(\w+)\}/g, (_, name: string) => values[name] ?? '');
}

/** The plural form for this count, in the language of the page. */
export function counted(forms: Plural, count: number, { lang }: Texts): string {
  const text = forms[new Intl.PluralRules(lang).select(count)] ?? forms.other;
  return filledText(text, { count: new Intl.NumberFormat(lang).format(count) });
}
