import { readText } from '../../config/files/read-text.ts';
import { detectKind } from '../../config/yaml/detect.ts';

/** The error of a gateway command that got the file of the authorization service; undefined for any other file. */
export function ofAuthorization(file: string, instead: string): string | undefined {
  const read = readText(file, { waits: true });
  // The loader reports a file that cannot be read.
  if (!read.ok || detectKind(read.text) !== 'authorization') return undefined;
  return `gatehouse: ${file} is the file of the authorization service, and this command needs the file of the gateway: ${instead}\n`;
}
