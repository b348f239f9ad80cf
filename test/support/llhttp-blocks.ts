export interface LlhttpBlock {
  readonly name: string;
  /** As latin1. */
  readonly bytes: string;
}

/** As llhttp's own runner reads them: a line end is CRLF unless it is written out, or removed by a backslash. */
export function llhttpBlocks(text: string, file: string): LlhttpBlock[] {
  return [...text.matchAll(/```http\n([\s\S]*?)\n```/g)].map(([, block = ''], index) => ({
    name: `${file} ${index + 1}`,
    bytes: block
      .replace(/\\\n/g, '')
      .replace(/\n/g, '\r\n')
      .replace(/\\([rntf])/g, (_, letter: string) => ({ r: '\r', n: '\n', t: '\t', f: '\f' })[letter] ?? '')
      .replace(/\\x([0-9a-fA-F]{2})/g, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16))),
  }));
}
