import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

/** What the checks of the chart need, and `npm run chart:tools` installs. */
export const place: string = fileURLToPath(new URL('../../node_modules/.cache/gatehouse-chart', import.meta.url));

/** The programs that check the chart, and where they look Kubernetes objects up. */
export const [helm, kubeconform, schemas] = ['bin/helm', 'bin/kubeconform', 'schemas'].map((name) =>
  join(place, name),
) as [string, string, string];

/** The schema of the Compose specification, which compose.yaml must match. */
export const composeSchema: string = join(place, 'compose-spec.json');

/** For `t.test(title, { skip: skipWithoutHelm }, …)`. */
export const skipWithoutHelm: false | string = [helm, kubeconform, schemas].every((path) => existsSync(path))
  ? false
  : 'helm and kubeconform are not installed: npm run chart:tools (needs Go, takes some minutes)';
