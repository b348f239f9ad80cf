import { existsSync } from 'node:fs';
import { basename, join } from 'node:path';
import { fileURLToPath } from 'node:url';

/** What the checks of the chart need. `npm run chart:tools` installs it. */
export const place: string = fileURLToPath(new URL('../../node_modules/.cache/gatehouse-chart', import.meta.url));

/** The programs that check the chart, and where they find the schemas of Kubernetes objects. */
export const [helm, kubeconform, schemas] = ['bin/helm', 'bin/kubeconform', 'schemas'].map((name) =>
  join(place, name),
) as [string, string, string];

/** The program that renders the component for Kustomize, and the one that checks workflows. */
export const [kustomize, actionlint] = ['bin/kustomize', 'bin/actionlint'].map((name) => join(place, name)) as [
  string,
  string,
];

/** Our own programs around libraries. The sources are in the folder `checkers`. */
export const checkers: string = join(place, 'checkers');

/** Checks pods against the Pod Security Standard *restricted*, and a Compose file as Docker Compose loads it. */
export const [restricted, composeLoader] = ['restricted', 'compose'].map((name) => join(checkers, name)) as [
  string,
  string,
];

/** For `t.test(title, { skip: skipWithout(program) }, …)`. */
export function skipWithout(...programs: readonly string[]): false | string {
  const missing = programs.find((path) => !existsSync(path));
  return missing !== undefined && `${basename(missing)} is not installed: npm run chart:tools (needs Go)`;
}

/** The schema of the Compose specification, which compose.yaml must match. */
export const composeSchema: string = join(place, 'compose-spec.json');

/** For `t.test(title, { skip: skipWithoutHelm }, …)`. */
export const skipWithoutHelm: false | string = [helm, kubeconform, schemas].every((path) => existsSync(path))
  ? false
  : 'helm and kubeconform are not installed: npm run chart:tools (needs Go, takes some minutes)';
