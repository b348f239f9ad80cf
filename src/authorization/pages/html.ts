/**
 * HTML that is escaped by construction. A template escapes every inserted value that is not `Html`, and only this file makes
 * `Html`. Attribute values are in double quotes in every template.
 */
export class Html {
  readonly #markup: string;

  private constructor(markup: string) {
    this.#markup = markup;
  }

  static template(strings: TemplateStringsArray, ...values: readonly HtmlPart[]): Html {
    return new Html(strings.map((literal, at) => (at === 0 ? '' : markupOf(values[at - 1])) + literal).join(''));
  }

  toString(): string {
    return this.#markup;
  }
}

/** The possible values in a template. `undefined` and `false` insert nothing, so that a part can be optional. */
export type HtmlPart = string | number | Html | readonly HtmlPart[] | undefined | false;

export const html = Html.template;

function markupOf(part: HtmlPart): string {
  if (part === undefined || part === false) return '';
  if (part instanceof Html) return part.toString();
  return typeof part === 'object' ? part.map(markupOf).join('') : escaped(String(part));
}

/**
 * Escapes text for elements and for quoted attributes. It also escapes CR, because a parser turns CR into LF (HTML §13.2.3.5).
 * HTML cannot express NUL or a lone surrogate, so U+FFFD replaces them.
 */
function escaped(text: string): string {
  return text
    .toWellFormed()
    .replaceAll('\0', '\ufffd')
    .replace(/[&<>"'`\r]/g, (character) => `&#${character.charCodeAt(0)};`);
}
