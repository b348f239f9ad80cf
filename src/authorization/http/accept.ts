/**
 * Says whether the caller prefers a page to JSON (RFC 9110 §12.5.1). Only a caller that names `text/html` does: Programs send
 * a range for all types.
 */
export function prefersHtml(accept: string | undefined): boolean {
  const weights = new Map((accept ?? '').split(',').map(weighted));
  const html = weights.get('text/html') ?? 0;
  return html > 0 && json.every((type) => html >= (weights.get(type) ?? 0));
}

const json = ['application/json', 'application/problem+json'];

function weighted(range: string): readonly [type: string, weight: number] {
  const [type = '', ...parameters] = range.split(';').map((part) => part.trim().toLowerCase());
  const weight = parameters.find((parameter) => parameter.startsWith('q='));
  return [type, weight === undefined ? 1 : Number(weight.slice(2)) || 0];
}
