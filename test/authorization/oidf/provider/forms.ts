/** A form of a page, as a browser reads it. */
export interface Form {
  readonly action: string;
  readonly method: string;
  readonly fields: readonly Field[];
  /** All ways to send the form. */
  readonly buttons: readonly Field[];
}

export interface Field {
  readonly name: string;
  readonly id: string;
  readonly type: string;
  readonly value: string;
}

/** The pages of the service quote every attribute, so patterns are enough. */
export function formsOf(page: string): readonly Form[] {
  return [...page.matchAll(/<form\b([^>]*)>(.*?)<\/form>/gs)].map(([, head = '', body = '']) => {
    const { action = '', method = 'get' } = attributesOf(head);
    const inputs = [...body.matchAll(/<input\b([^>]*)>/g)].map(([, text = '']) => fieldOf(text, 'text'));
    const buttons = [...body.matchAll(/<button\b([^>]*)>/g)].map(([, text = '']) => fieldOf(text, 'submit'));
    const isButton = ({ type }: Field) => type === 'submit' || type === 'image';
    return {
      action,
      method: method.toUpperCase(),
      fields: inputs.filter((input) => !isButton(input)),
      buttons: [...inputs, ...buttons].filter(isButton),
    };
  });
}

function fieldOf(text: string, byDefault: string): Field {
  const { name = '', id = '', type = byDefault, value = '' } = attributesOf(text);
  return { name, id, type, value };
}

function attributesOf(text: string): Readonly<Record<string, string | undefined>> {
  const pairs = [...text.matchAll(/([a-z-]+)(?:="([^"]*)")?/g)];
  return Object.fromEntries(pairs.map(([, name = '', value = '']) => [name, plain(value)]));
}

function plain(value: string): string {
  return value.replace(/&#([0-9]+);/g, (_, code) => String.fromCodePoint(Number(code)));
}
