// biome-ignore-all lint/suspicious/noTemplateCurlyInString: variables in configuration files look like this
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import t from 'tap';
import { loadGatewayText } from '../../../src/config/load/load.ts';
import { interpolate } from '../../../src/config/yaml/interpolate.ts';
import fc from '../../support/properties.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';
import { gatewayBase } from '../base-config.ts';

const directory = temporaryFolder(t);
const env = { NAME: 'value', EMPTY: '' };
const fill = (text: string) => interpolate(text, { env, directory });
const filled = (text: string) => {
  const result = fill(text);
  return result.ok ? result.text : result.message;
};

t.test('a variable is replaced, alone and within text', async (t) => {
  t.equal(filled('${NAME}'), 'value');
  t.equal(filled('a ${NAME} b ${NAME}'), 'a value b value');
});

t.test('the default replaces a variable that is unset or empty', async (t) => {
  t.equal(filled('${OTHER:-else}'), 'else');
  t.equal(filled('${EMPTY:-else}'), 'else');
  t.equal(filled('${EMPTY}'), '');
  t.equal(filled('${OTHER:-}'), '');
});

t.test('a file is inserted without its one final newline', async (t) => {
  writeFileSync(join(directory, 'one'), 'secret\n');
  writeFileSync(join(directory, 'two'), 'secret\r\n\r\n');
  t.equal(filled('${file:one}'), 'secret');
  t.equal(filled('${file:two}'), 'secret\r\n');
  t.match(filled('${file:none}'), /the file none does not exist/);
  t.match(filled('${file:.}'), /cannot be read/);
  t.match(filled('${file:a\0b}'), /cannot be read/);
});

t.test('two dollar signs produce a literal one', async (t) => {
  t.equal(filled('$${NAME}'), '${NAME}');
  t.equal(filled('costs $5 {NAME} $NAME'), 'costs $5 {NAME} $NAME');
});

t.test('text that is not a valid variable is reported', async (t) => {
  t.match(filled('${UNSET}'), /UNSET is not set/);
  t.match(filled('${toString}'), /toString is not set/);
  t.match(filled('${1x}'), /does not contain the name of a variable/);
  t.match(filled('${NAME'), /without `}`/);
});

t.test('whatever a variable contains, the result is one value and no line moves', async (t) => {
  const base = gatewayBase();
  base.realm = '${REALM}';
  const text = JSON.stringify(base, null, 1);
  const plain = loadGatewayText(text, { env: { REALM: 'x' } });
  if (!plain.ok) return t.fail();
  fc.assert(
    fc.property(fc.string({ unit: 'binary' }), (value) => {
      const loaded = loadGatewayText(text, { env: { REALM: `x${value}` } });
      if (!loaded.ok) return !/^[\x20-\x7e]*$/.test(value);
      t.strictSame({ ...loaded.config, realm: 'x' }, plain.config);
      return loaded.config.realm === `x${value}` && loaded.locate(['routes']).line === plain.locate(['routes']).line;
    }),
    { examples: [['\nadmin: 0.0.0.0:1'], ['"}, "a": {"'], ['${NAME}']] },
  );
});

t.test('it never throws', async () => {
  const text = fc
    .array(fc.oneof(fc.constantFrom('${', '}', ':-', 'file:', '$', 'NAME', '\0', '/'), fc.string()))
    .map((parts) => parts.join(''));
  fc.assert(fc.property(text, (value) => typeof fill(value).ok === 'boolean'));
});
