/** A pattern that blocked a real service, and the subject, of any length, that did it. */
export interface Redos {
  readonly from: string;
  readonly pattern: string;
  readonly subject: (length: number) => string;
}

const filled =
  (part: string, end = '', begin = '') =>
  (length: number): string =>
    `${begin}${part.repeat(Math.ceil(length / part.length))}`.slice(0, length - end.length) + end;

const EMAIL =
  '^([a-zA-Z0-9])(([\\-.]|[_]+)?([a-zA-Z0-9]+))*(@){1}[a-z0-9]+[.]{1}(([a-z]{2,3})|([a-z]{2,3}[.]{1}[a-z]{2,3}))$';
const CLOUDFLARE =
  '(?:(?:"|\'|\\]|\\}|\\\\|\\d|(?:nan|infinity|true|false|null|undefined|symbol|math)|`|-|\\+)+[)]*;?((?:\\s|-|~|!|\\{\\}|\\|\\||\\+)*.*(?:.*=.*)))';
const ANSI =
  '[\\x1b\\x{9b}][\\[\\]()#;?]*(?:(?:(?:[a-zA-Z\\d]*(?:;[-a-zA-Z\\d/#&.:=?%@~_]*)*)?\\x07)|(?:(?:\\d{1,4}(?:;\\d{0,4})*)?[\\dA-PR-TZcf-ntqry=><~]))';

/** The subject contains the required parts of a pattern, because an engine may search for them first and stop. */
export const redosPatterns: readonly Redos[] = [
  { from: 'the attack on the gateway', pattern: '^([a-z]+,?)+$', subject: filled('a', '!') },
  { from: 'OWASP', pattern: '^(a+)+$', subject: filled('a', '!') },
  { from: 'OWASP', pattern: '^([a-zA-Z]+)*$', subject: filled('a', '!') },
  { from: 'OWASP', pattern: '^(a|aa)+$', subject: filled('a', '!') },
  { from: 'OWASP', pattern: '^(a|a?)+$', subject: filled('a', '!') },
  { from: 'OWASP', pattern: '^(.*a){20}$', subject: filled('a', '!') },
  { from: 'OWASP, an e-mail of regexlib', pattern: EMAIL, subject: filled('a', '!', 'a@a.') },
  { from: 'OWASP, a class of Java', pattern: '^(([a-z])+.)+[A-Z]([a-z])+$', subject: filled('a', '!', 'A') },
  { from: 'regular-expressions.info', pattern: '(x+x+)+y', subject: filled('x', '', 'y') },
  { from: 'regular-expressions.info', pattern: '^(.*?,){11}P', subject: filled('1,', 'P') },
  { from: 'javascript.info', pattern: '^(\\w+\\s?)*$', subject: filled('word ', '!') },
  { from: 'javascript.info', pattern: '^(\\d+)*$', subject: filled('0', 'z') },
  { from: 'Stack Overflow, 2016', pattern: '^[\\s\\x{200c}]+|[\\s\\x{200c}]+$', subject: filled(' ', 'a', 'a') },
  { from: 'Cloudflare, 2019', pattern: CLOUDFLARE, subject: filled('x', '\n=', '\\') },
  { from: 'CVE-2016-4055, moment', pattern: 'D[oD]?(\\[[^\\[\\]]*\\]|\\s+)+MMMM?', subject: filled(' ', 'M', 'MMMD') },
  { from: 'CVE-2017-20162, ms', pattern: '^((?:\\d+)?\\.?\\d+) *(ms|seconds?|s)?$', subject: filled('5', '!') },
  {
    from: 'CVE-2016-10539, negotiator',
    pattern: '^\\s*(\\S+?)(?:-(\\S+?))?\\s*(?:;(.*))?$',
    subject: filled('-', ' !'),
  },
  {
    from: 'CVE-2017-15010, tough-cookie',
    pattern: '^(([^=;]+))\\s*=\\s*([^\\n\\r\\x00]*)$',
    subject: filled(' ', '\n='),
  },
  {
    from: 'CVE-2017-16098, charset',
    pattern: '(?:charset|encoding)\\s*=\\s*[\'"]? *([\\w\\-]+)$',
    subject: filled(' ', '!', 'charset='),
  },
  { from: 'CVE-2021-3807, ansi-regex', pattern: ANSI, subject: filled(';', '', '\x1b[') },
  {
    from: 'CVE-2021-29060, color-string',
    pattern: '^hwb\\(\\s*([+-]?\\d*[.]?\\d+)(?:deg)?\\s*,\\s*([+-]?[\\d.]+)%\\s*$',
    subject: filled('1', '%', 'hwb(1,'),
  },
  { from: 'trailing blanks, of many', pattern: '\\s+$', subject: filled(' ', 'a') },
];
