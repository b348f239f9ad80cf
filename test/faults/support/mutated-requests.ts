import type { Random } from '../../support/random.ts';

/** Requests that are nearly right, from a seed. */
export interface Seeds {
  readonly heads: readonly string[];
  /** Text that is inserted at a change. */
  readonly words: readonly string[];
}

const STRANGE = [
  '\0',
  '\r',
  '\n',
  '\r\n',
  '\r\n\r\n',
  '%00',
  '%',
  '%ff',
  '\xff',
  '\xc0\xae',
  '"',
  '\\',
  ';',
  ',',
  ' ',
  '\t',
  ':',
  '=',
  '&',
  '..',
  '//',
  '[]',
  '{}',
  '__proto__',
  'constructor',
  'toString',
  '-1',
  '0',
  '99999999999999999999',
  'NaN',
  'null',
  'undefined',
  '\u00e9',
  'a'.repeat(300),
  'a'.repeat(9_000),
  ' HTTP/1.1',
  'Transfer-Encoding: chunked',
  'Content-Length: 5',
  'Expect: 100-continue',
  'Upgrade: websocket',
  'Connection: close',
] as const;

type Change = (text: string, dice: Random, words: readonly string[]) => string;

const changes: readonly Change[] = [
  (text, dice, words) => splice(text, dice.below(text.length), 0, dice.pick(words)),
  (text, dice) => splice(text, dice.below(text.length), 1, String.fromCharCode(dice.below(256))),
  (text, dice) => splice(text, dice.below(text.length), 1 + dice.below(20), ''),
  (text, dice) => {
    const from = dice.below(text.length);
    return splice(text, dice.below(text.length), 0, text.slice(from, from + 1 + dice.below(60)));
  },
  (text, dice, words) => {
    const parts = text.split(/([=&\r\n:/ ?]+)/);
    parts[dice.below(parts.length)] = dice.pick(words);
    return parts.join('');
  },
  (text, dice) => {
    const lines = text.split('\r\n');
    const [line] = lines.splice(dice.below(lines.length), 1);
    lines.splice(dice.below(lines.length), 0, line ?? '', ...(dice.chance(0.5) ? [line ?? ''] : []));
    return lines.join('\r\n');
  },
  (text, dice) => text.slice(0, dice.below(text.length)),
];

function splice(text: string, at: number, drop: number, put: string): string {
  return text.slice(0, at) + put + text.slice(at + drop);
}

/** Changes that keep the message whole, so that they reach the code that reads it. */
const gentle = changes.slice(0, 4);

/** Either the target, or one value, or the body. `Content-Length` is right. */
function inside(text: string, dice: Random, words: readonly string[]): string {
  const end = text.indexOf('\r\n\r\n');
  const [[method = '', target = '', version = ''] = [], ...fields] = text
    .slice(0, end)
    .split('\r\n')
    .map((line, index) => (index === 0 ? line.split(' ') : line.split(': ')));
  const body = text.slice(end + 4);
  const change = (value: string) => plain(dice.pick(gentle)(value, dice, words.filter(isPlain)));
  const place = dice.below(fields.length + 2);
  const changedBody = place === fields.length && body !== '' ? change(body) : body;
  const lines = fields.map(([name = '', value = ''], index) => {
    if (name === 'Content-Length') return `${name}: ${changedBody.length}`;
    return `${name}: ${index === place ? change(value) : value}`;
  });
  const first = `${method} ${place > fields.length ? change(target).replaceAll(' ', '+') : target} ${version}`;
  return `${[first, ...lines].join('\r\n')}\r\n\r\n${changedBody}`;
}

const isPlain = (text: string) => plain(text) === text;

/** Without characters that no field value may have (RFC 9110 §5.5). */
function plain(text: string): string {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what is taken out
  return text.replace(/[\x00-\x1f\x7f]/g, '');
}

/** Bytes as latin1; one to three changes each, two thirds of them inside the values. */
export function mutated({ heads, words }: Seeds, dice: Random): string {
  const all = [...STRANGE, ...words];
  const isGentle = dice.chance(0.67);
  let text = dice.pick(heads);
  for (let count = 1 + dice.below(3); count > 0; count--)
    text = isGentle ? inside(text, dice, all) : dice.pick(changes)(text, dice, all);
  return text;
}
