/** RFC 9110 §5.6.4. */
export function unescaped(text: string): string {
  return text.replace(/\\(.)/g, '$1');
}
