import t from 'tap';
import {
  colorSchemesOf,
  logoFileFault,
  parseColor,
  themeNames,
  themeValueFault,
  themeVariables,
} from '../../../src/config/schema/theme.ts';
import fc from '../../support/properties.ts';

const taken: Readonly<Record<string, readonly string[]>> = {
  '--accent': [
    '#06c',
    '#0066CC',
    'rgb(0, 102, 204)',
    'rgb(0 102 204)',
    'hsl(210, 100%, 40%)',
    'hsl(210deg 100% 40%)',
    'light-dark(#06c, #6af)',
    'light-dark(rgb(0, 102, 204), hsl(210, 100%, 70%))',
  ],
  '--radius': ['0', '0px', '4px', '0.5rem', '32px', '2rem'],
  '--logo-height': ['24px', '6rem', '96px'],
  '--font': ['Georgia, serif', '"Source Sans 3", system-ui', 'Segoe UI', '-apple-system', 'ui-sans-serif'],
};

const refused: Readonly<Record<string, readonly string[]>> = {
  '--accent': [
    '',
    'blue',
    'currentColor',
    'transparent',
    '#06',
    '#06cf',
    '#0066cc80',
    '#06c;',
    '#06c}',
    ' #06c',
    '#06c\n',
    'rgb(256, 0, 0)',
    'rgb(0, 0, 0, 0.5)',
    'rgba(0, 0, 0, 1)',
    'hsl(400, 10%, 10%)',
    'hsl(10, 101%, 10%)',
    'var(--text)',
    'url(https://evil.example/)',
    'light-dark(#06c)',
    'light-dark(#06c, red)',
    'light-dark(#06c, light-dark(#06c, #06c))',
    '#06c; } body { display: none',
    '#06c/**/',
    '\\23 06c',
  ],
  '--radius': ['', '4', '-4px', '33px', '2.1rem', '1e3px', '4em', '50%', 'calc(1px)', '4px 4px', '4px;', '.5rem'],
  '--logo-height': ['97px', '100vh'],
  '--font': [
    '',
    ',',
    'Georgia,',
    'inherit',
    'Georgia, initial',
    'Noto Sans 3',
    '"unclosed',
    '"a"b',
    '"a\\"',
    '"a\n"',
    'Georgia\n',
    '\tGeorgia, serif',
    '"</style>"',
    'url(x)',
    'Georgia; color: red',
    "'Georgia'",
    'x'.repeat(301),
  ],
};

t.test('values of the grammar are accepted', async (t) => {
  for (const [name, values] of Object.entries(taken))
    for (const value of values) t.equal(themeValueFault(name, value), undefined, `${name}: ${value}`);
});

t.test('everything else is rejected, with what to write', async (t) => {
  for (const [name, values] of Object.entries(refused))
    for (const value of values) t.match(themeValueFault(name, value), /^this is not an? /, `${name}: ${value}`);
  t.match(themeValueFault('--accent', 'blue'), 'write for example "#0b5cad"');
  t.match(themeValueFault('--radius', '4em'), 'a length from 0 to 32px in px or rem: write for example "10px"');
});

t.test('an unknown variable is rejected with the most likely one, or all', async (t) => {
  t.match(themeValueFault('--acent', '#06c'), 'did you mean `--accent`?');
  t.match(themeValueFault('accent', '#06c'), 'did you mean `--accent`?');
  t.match(themeValueFault('constructor', '#06c'), 'known: --accent, --background');
});

t.test('the defaults follow the grammar themselves', async (t) => {
  for (const name of themeNames) {
    const { light, dark } = themeVariables[name];
    for (const value of [light, dark]) t.equal(themeValueFault(name, value), undefined, `${name}: ${value}`);
  }
});

t.test('a plain value applies in both schemes, and light-dark() sets them separately', async (t) => {
  t.strictSame(colorSchemesOf('--accent', '#06c'), { light: '#06c', dark: '#06c' });
  t.strictSame(colorSchemesOf('--accent', 'light-dark(rgb(1, 2, 3), #fff)'), { light: 'rgb(1, 2, 3)', dark: '#fff' });
});

t.test('every spelling of a color means the same color', async (t) => {
  for (const color of ['#06c', '#0066cc', 'rgb(0 102 204)', 'hsl(210, 100%, 40%)'])
    t.strictSame(parseColor(color), [0, 102, 204], color);
  t.strictSame(parseColor('hsl(360, 100%, 50%)'), [255, 0, 0]);
  t.strictSame(parseColor('hsl(0, 0%, 100%)'), [255, 255, 255]);
});

t.test('no accepted value can end a declaration, call a function, or begin a comment', async () => {
  const parts = [
    '#06c',
    '"',
    "'",
    ';',
    '}',
    '{',
    '\\',
    '/*',
    '*/',
    '\n',
    '@',
    '<',
    'url(',
    ')',
    ',',
    ' ',
    'rgb(1,2,3)',
    'a',
  ];
  const value = fc
    .array(fc.constantFrom(...parts, 'light-dark(', '4px'), { maxLength: 6 })
    .map((some) => some.join(''));
  fc.assert(
    fc.property(fc.constantFrom(...themeNames), fc.oneof(value, fc.string()), (name, text) => {
      const schemes = colorSchemesOf(name, text);
      return (
        schemes === undefined ||
        Object.values(schemes).every((one) => !/[;{}\\\n@<]|\/\*|url\(|^[^"]*"[^"]*$/.test(one))
      );
    }),
    { numRuns: 2000 },
  );
});

t.test('the logo is an SVG or a PNG, by its filename', async (t) => {
  for (const file of ['logo.svg', 'a/b.PNG']) t.equal(logoFileFault(file), undefined);
  for (const file of ['logo.jpg', 'svg', 'logo.svg.html', '']) t.match(logoFileFault(file), 'name a .svg or .png file');
});
