import { spawnSync } from 'node:child_process';
import { peerFile } from '../../support/peer-place.ts';

export const peer = 'istio-validation-1.31';

export interface Verdict {
  readonly kind: string;
  readonly name: string;
  readonly errors: readonly string[];
  readonly warnings: readonly string[];
}

/** What Istio's validators say about each object of the YAML documents. */
export function istioVerdicts(objects: string): readonly Verdict[] {
  const { status, stdout, stderr } = spawnSync(peerFile(peer, 'istio-validation'), {
    input: objects,
    encoding: 'utf8',
  });
  if (status !== 0) throw new Error(`istio-validation: ${stderr}`);
  return stdout
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line));
}
