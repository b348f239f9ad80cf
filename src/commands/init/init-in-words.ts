import { join } from 'node:path';
import { printableJson, printableValue } from '../../base/printable.ts';
import { shellWord } from '../../base/shell-word.ts';
import { programName } from '../common/program-name.ts';
import { FIRST_CLIENT, type NewFile, OWN_ISSUER } from './files.ts';
import type { Answers } from './questions.ts';

/** The files in the folder after the command. */
export interface InitOutcome {
  readonly written: readonly NewFile[];
  /** Existing secrets. */
  readonly kept: readonly NewFile[];
}

export function initAsJson(folder: string, { written, kept }: InitOutcome, answers: Answers): string {
  const told = (files: readonly NewFile[]) =>
    files.map(({ path, isSecret }) => ({ path: join(folder, path), secret: isSecret }));
  return printableJson({ written: told(written), kept: told(kept), next: nextSteps(folder, answers) });
}

/** The written files, and the next steps. */
export function initInWords(folder: string, { written, kept }: InitOutcome, answers: Answers): string {
  const lines = written.map(({ path, isSecret }) => `  ${join(folder, path)}${isSecret ? '   (0600)' : ''}`);
  const old = kept.map(({ path }) => `  ${join(folder, path)}`);
  const keptLines = old.length === 0 ? [] : ['', 'Kept unchanged (--new-secrets makes new ones):', ...old];
  const steps = nextSteps(folder, answers).map((step) => `  ${step}`);
  return `${['Written:', ...lines, ...keptLines, '', 'Next:', ...steps].map(printableValue).join('\n')}\n`;
}

function nextSteps(folder: string, { issuer }: Answers): readonly string[] {
  const gatehouse = programName();
  const [gateway, authorization, secret] = ['gateway.yaml', 'authorization.yaml', `secrets/${FIRST_CLIENT}`].map(
    (path) => shellWord(join(folder, path)),
  );
  if (issuer !== undefined)
    return [`${gatehouse} check ${gateway}`, `${gatehouse} doctor -c ${gateway}`, `${gatehouse} gateway -c ${gateway}`];
  return [
    `${gatehouse} check ${gateway} ${authorization}`,
    `${gatehouse} authorization -c ${authorization} &`,
    `${gatehouse} gateway -c ${gateway} &`,
    `curl -s --retry 5 --retry-connrefused -u ${FIRST_CLIENT}:$(cat ${secret}) -d grant_type=client_credentials ${OWN_ISSUER}/oauth2/token`,
  ];
}
