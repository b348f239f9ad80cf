import { readFileSync } from 'node:fs';
import { detectKind } from '../config/detect.ts';

/** What a command for the gateway says of the file of the authorization service; undefined for any other file. */
export function ofAuthorization(file: string, instead: string): string | undefined {
  const text = read(file);
  if (text === undefined || detectKind(text) !== 'authorization') return undefined;
  return `gatehouse: ${file} is the file of the authorization service, and this command is for that of the gateway: ${instead}\n`;
}

/** A file that cannot be read is judged where it is loaded. */
function read(file: string): string | undefined {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return undefined;
  }
}
