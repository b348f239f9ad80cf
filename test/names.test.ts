import { globSync, readFileSync } from 'node:fs';
import t from 'tap';

const TYPE = /^export (?:abstract )?(?:class|interface|type|enum) (\w+)/gm;
const VALUE = /^export (?:async )?(?:function\*?|const|let) (\w+)/gm;

/** Exports that play the same part in several places, by design: a row of a table, a command, an engine, a language. */
const SAME_PART: readonly RegExp[] = [
  /^src\/commands\/[\w-]+\.ts$/,
  /^src\/storage\/(?:sqlite|postgres)\//,
  /^src\/storage\/(?:migrations|records)\//,
  /^src\/(?:config|gateway)\/schemes\/(?:\w+\/index|table)\.ts$/,
  /^src\/config\/(?:schema|schemes|words\/schema)/,
  /^src\/storage\/engine\/verb\.ts$/,
  /^src\/.*\/texts\/(?:en|de)\.ts$/,
];

function exportersOf(pattern: RegExp, files: readonly string[]): Map<string, string[]> {
  const exporters = new Map<string, string[]>();
  for (const file of files) {
    for (const [, name = ''] of readFileSync(file, 'utf8').matchAll(pattern)) {
      if (!exporters.get(name)?.includes(file)) exporters.set(name, [...(exporters.get(name) ?? []), file]);
    }
  }
  return exporters;
}

function homonyms(pattern: RegExp, files: readonly string[]): string[] {
  return [...exportersOf(pattern, files)]
    .filter(([, where]) => where.length > 1)
    .map(([name, where]) => `${name}: ${where.join(', ')}`);
}

const all = globSync('src/**/*.ts').sort();

t.test('no two exported types have the same name', (t) => {
  t.strictSame(homonyms(TYPE, all), []);
  t.end();
});

t.test('no two exported functions or values have the same name, except for the same part in several places', (t) => {
  const own = all.filter((file) => !SAME_PART.some((pattern) => pattern.test(file)));
  t.strictSame(homonyms(VALUE, own), []);
  t.end();
});
