import { createHash } from 'node:crypto';
import type { Html } from './html.ts';

/** A script of a page. Pages load no script file: the policy names the hash of this one, so no other script runs. */
export interface OwnScript {
  readonly element: Html;
  /** The source expression of the policy (CSP 3 §2.3.1). */
  readonly source: string;
}

/** `element`: `<script>…</script>`, without attributes. */
export function ownScript(element: Html): OwnScript {
  const text = element.toString().slice('<script>'.length, -'</script>'.length);
  return { element, source: `'sha256-${createHash('sha256').update(text).digest('base64')}'` };
}

export function allowScript(headers: Readonly<Record<string, string>>, { source }: OwnScript) {
  return { ...headers, 'content-security-policy': `${headers['content-security-policy']}; script-src ${source}` };
}
