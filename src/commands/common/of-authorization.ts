import { readText } from '../../config/files/read-text.ts';
import { detectKind } from '../../config/yaml/detect.ts';

/** What a command for the gateway says of the file of the authorization service; undefined for any other file. */
export function ofAuthorization(file: string, instead: string): string | undefined {
  const read = readText(file, { waits: true });
  // A file that cannot be read is judged where it is loaded.
  if (!read.ok || detectKind(read.text) !== 'authorization') return undefined;
  return `gatehouse: ${file} is the file of the authorization service, and this command needs the file of the gateway: ${instead}\n`;
}
