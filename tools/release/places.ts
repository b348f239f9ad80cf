import { readFileSync } from 'node:fs';
import { join } from 'node:path';

/** A place that names the version of this program. */
export interface Place {
  readonly file: string;
  readonly line: number;
  readonly found: string;
}

const VERSION = String.raw`\d+\.\d+\.\d+(?:-[0-9A-Za-z.-]+)?`;

/** File → the text right before our version in it. A file without that text is an error. */
const rows: Readonly<Record<string, readonly string[]>> = {
  'package.json': ['^  "version": "'],
  'package-lock.json': ['^  "version": "', String.raw`^  "packages": \{\n    "": \{\n.*\n      "version": "`],
  'helm/gatehouse/Chart.yaml': ['^version: ', '^appVersion: '],
  Dockerfile: ['^ARG VERSION='],
  'kustomize/sidecar/gateway.yaml': ['image: gatehouse:'],
  'docs/production.md': ['gatehouse-oauth-'],
  'docs/cookbook/kubernetes.md': ['gatehouse:', '--version '],
  'docs/cookbook/kubernetes-sidecar.md': ['gatehouse:', 'newTag: ', String.raw`- name: gatehouse\n    version: `],
};

/** Every place below `root`, in the order of the table. Throws if a row of the table finds nothing. */
export function placesIn(root: string): readonly Place[] {
  return Object.entries(rows).flatMap(([file, before]) => {
    const text = readFileSync(join(root, file), 'utf8');
    return before.flatMap((each) => {
      const found = [...text.matchAll(pattern(each))].map((match) => placeOf(file, text, match));
      if (found.length === 0) throw new Error(`${file}: no version after /${each}/: correct tools/release/places.ts`);
      return found;
    });
  });
}

/** The texts of all files with `version` in every place: file → text. */
export function withVersion(root: string, version: string): Readonly<Record<string, string>> {
  return Object.fromEntries(
    Object.entries(rows).map(([file, before]) => [
      file,
      before.reduce(
        (text, each) => text.replace(pattern(each), (_, head: string) => `${head}${version}`),
        readFileSync(join(root, file), 'utf8'),
      ),
    ]),
  );
}

function pattern(before: string): RegExp {
  return new RegExp(`(${before})(${VERSION})`, 'gm');
}

function placeOf(file: string, text: string, match: RegExpExecArray): Place {
  const [, head = '', found = ''] = match;
  return { file, found, line: text.slice(0, match.index + head.length).split('\n').length };
}
