import type { Pointer, Position } from '../../config/load/load.ts';
import type { GatewayConfig } from '../../config/schema/gateway.ts';
import type { AccessLog } from '../telemetry/access-log.ts';
import { CannotStart } from './kept-nonces.ts';

export interface Opening {
  readonly config: GatewayConfig;
  readonly access: AccessLog | undefined;
  readonly locate?: ((pointer: Pointer) => Position) | undefined;
}

/** Reports an unwritable log at the start, and not only when it is needed. Rejects with the remedy. */
export async function openAccessLog({ config, access, locate }: Opening): Promise<void> {
  try {
    await access?.open();
  } catch (error) {
    const { message } = error as Error;
    const place = locate?.(['access_log', 'file']);
    const where = place === undefined ? '' : `${place.file}:${place.line}:${place.column}: `;
    const file = config.access_log?.file;
    throw new CannotStart(
      `${where}the access log ${file} cannot be written: ${message}; choose a regular file that the user of the gateway can write, or set \`file: '-'\` for standard output`,
    );
  }
}
