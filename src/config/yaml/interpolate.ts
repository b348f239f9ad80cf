// biome-ignore-all lint/suspicious/noTemplateCurlyInString: variables in configuration files look like this
import { type FileContext, readReferred } from '../files/referred-file.ts';
import { placeholderFor } from '../words/placeholder.ts';

/** The sources of variables: the environment, and files relative to the configuration file. */
export interface Sources extends FileContext {
  readonly env: Readonly<Record<string, string | undefined>>;
}

export type Filled =
  | {
      readonly ok: true;
      readonly text: string;
      /** True if the text is only one variable. */
      readonly whole: boolean;
      /** True if the text contains a placeholder for a value that was not read. */
      readonly withheld: boolean;
    }
  | Unfilled;
interface Unfilled {
  readonly ok: false;
  readonly message: string;
  readonly hint?: string;
}

/** Names of settings that must not have a public default. */
const SECRET = /secret|password|passwd|token|key|credential/i;

const variable = /\$\$\{|\$\{([^}]*)(\}?)/g;

/**
 * Replaces `${NAME}`, `${NAME:-default}` and `${file:PATH}` in one scalar; `$${` is a literal `${`. This happens after YAML is
 * parsed, so the result is always one scalar.
 */
export function interpolate(text: string, sources: Sources): Filled {
  let failed: Unfilled | undefined;
  let withheld = false;
  const filled = text.replace(variable, (found, inner: string | undefined, end: string) => {
    if (inner === undefined) return '${';
    const value = end === '' ? unclosed : lookUp(inner, sources);
    if (typeof value === 'string') return value;
    if ('placeholder' in value) withheld = true;
    else failed ??= value;
    return 'placeholder' in value ? value.placeholder : found;
  });
  return failed ?? { ok: true, text: filled, whole: isWhole(text), withheld };
}

function isWhole(text: string): boolean {
  return /^\$\{[^}]*\}$/.test(text);
}

/** The text around a variable. */
interface Beside {
  readonly before: string;
  readonly after: string;
}

/** The same text with other placeholders. Defaults stay unchanged. */
export function refill(text: string, placeholder: (variable: string, beside: Beside) => string): string {
  return text.replace(variable, (found: string, inner: string | undefined, _end, at: number) => {
    if (inner === undefined) return '${';
    return defaultOf(inner) ?? placeholder(inner, { before: text.slice(0, at), after: text.slice(at + found.length) });
  });
}

function defaultOf(inner: string): string | undefined {
  return inner.startsWith('file:') ? undefined : NAMED.exec(inner)?.[2];
}

const NAMED = /^([A-Za-z_][A-Za-z0-9_]*)(?::-(.*))?$/s;

const unclosed: Unfilled = { ok: false, message: '`${` without `}`', hint: 'for a literal `${`, write `$${`' };

interface Withheld {
  readonly placeholder: string;
}

function lookUp(inner: string, sources: Sources): string | Unfilled | Withheld {
  if (inner.startsWith('file:')) return withheld(inner, sources) ?? fromFile(inner.slice('file:'.length), sources);
  const [, name, fallback] = NAMED.exec(inner) ?? [];
  if (name === undefined) {
    return {
      ok: false,
      message: '`${…}` does not contain the name of a variable',
      hint: 'write ${NAME}, ${NAME:-default} or ${file:PATH}; for a literal `${`, write `$${`',
    };
  }
  const unread = fallback === undefined ? withheld(inner, sources) : undefined;
  if (unread !== undefined) return unread;
  const value = Object.hasOwn(sources.env, name) ? sources.env[name] : undefined;
  if (fallback !== undefined) return value === undefined || value === '' ? fallback : value;
  return (
    value ?? {
      ok: false,
      message: `the environment variable ${name} is not set`,
      hint: SECRET.test(name)
        ? `set it, or read it from a file: \${file:PATH}; if you do not have the secret, use \`check --no-secrets\``
        : `set it, or give it a default: \${${name}:-…}`,
    }
  );
}

/** Without secrets, the placeholder of a value. `skipped` gets the variable or file. */
function withheld(inner: string, { skipped }: Sources): Withheld | undefined {
  skipped?.add(`\${${inner}}`);
  return skipped && { placeholder: placeholderFor(inner) };
}

/** The content of a file without its one final newline. */
export function fromFile(path: string, place: FileContext): string | Unfilled {
  const file = readReferred(path, place);
  return file.ok ? file.bytes.toString('utf8').replace(/\r?\n$/, '') : file;
}
