import { globSync, readFileSync } from 'node:fs';
import t from 'tap';
import { findingsIn, LONGEST_SENTENCE } from '../tools/style/findings.ts';
import { heldFiles } from '../tools/style/held.ts';
import { pageProse } from '../tools/style/page-prose.ts';
import { readabilityOf, termsIn } from '../tools/style/readability.ts';
import { sentencesOf, wordsOf } from '../tools/style/sentences.ts';
import { sourceProse } from '../tools/style/source-prose.ts';

/** Flesch's reading ease: 60 is plain English, 50 is fairly difficult. */
const LEAST_EASE = 55;
/** Words. */
const LONGEST_MEDIAN = 14;

const read = (file: string) => readFileSync(file, 'utf8');
const found = (file: string, text: string) => findingsIn(file, text).map((each) => each.found);

t.test('no page, message or comment has a word that the style page forbids', (t) => {
  const findings = heldFiles().flatMap((file) => findingsIn(file, read(file)));
  t.strictSame(
    findings.map(({ file, line, found, write }) => `${file}:${line}: ${found} → ${write}`),
    [],
  );
  t.end();
});

t.test(`the pages that a newcomer reads first have a reading ease of at least ${LEAST_EASE}`, (t) => {
  const terms = termsIn(read('docs/concepts.md'));
  const pages = ['README.md', 'docs/quick-start.md', 'docs/in-front-of-my-api.md', ...globSync('docs/cookbook/*.md')];
  for (const page of pages) {
    const { ease } = readabilityOf(read(page), terms);
    t.ok(ease >= LEAST_EASE, `${page}: ${ease.toFixed(1)}`);
  }
  t.end();
});

t.test(`half of all sentences of the documentation have at most ${LONGEST_MEDIAN} words`, (t) => {
  const pages = ['README.md', ...globSync('docs/**/*.md')];
  const { median, sentences } = readabilityOf(pages.map(read).join('\n\n'), new Set());
  t.comment(`${sentences} sentences, ${median} words`);
  t.ok(median <= LONGEST_MEDIAN, `${median} words`);
  t.end();
});

t.test('a word of the avoid list is found in prose, in a comment and in a message, and not in code', (t) => {
  t.strictSame(found('a.md', 'Whoever asks.\n\n```sh\nwhoever\n```\n\nThe key `whoever` is fine.'), ['Whoever']);
  t.strictSame(found('a.ts', "// Whoever asks again.\nconst whoever = 'whoever';"), ['Whoever']);
  t.strictSame(found('a.ts', "fail('it is asked anew by the client');"), ['anew']);
  t.strictSame(found('a.ts', 'fail(`it is asked ' + '$' + '{what} anew by the client`);'), ['anew']);
  t.strictSame(found('a.yaml', '# Whoever asks again.\nwhoever: 1'), ['Whoever']);
  t.end();
});

t.test('a comment in a code block of a page is checked', (t) => {
  t.strictSame(found('a.md', '```yaml\nlisten: 1 # whoever asks\n```'), ['whoever']);
  t.strictSame(found('a.md', '```yaml\nwhoever: 1 # a client that asks\n```'), []);
  t.end();
});

t.test('a word that only a reader of the code understands is found in pages and messages, not in comments', (t) => {
  const text = 'It replaces those of the server.';
  t.strictSame(found('a.md', text), ['those of the']);
  t.strictSame(found('a.ts', `fail('${text}');`), ['those of the']);
  t.strictSame(found('a.ts', `// ${text}`), []);
  t.end();
});

t.test('a sentence that begins with its object is found', (t) => {
  t.match(found('a.md', 'What is not JSON is refused.'), [/^What is not JSON/]);
  t.strictSame(found('a.md', 'What is a token?'), []);
  t.match(found('a.md', 'Of two with one name the first counts.'), [/^Of two/]);
  t.end();
});

t.test(`a sentence of more than ${LONGEST_SENTENCE} words is found`, (t) => {
  const words = (count: number) => `${'word '.repeat(count - 1)}word.`;
  t.strictSame(found('a.md', words(LONGEST_SENTENCE)), []);
  t.equal(found('a.md', words(LONGEST_SENTENCE + 1)).length, 1);
  t.end();
});

t.test('the column of a table that shows what not to write is not checked', (t) => {
  t.strictSame(found('a.md', '| before | after |\n|---|---|\n| whoever asks | a client that asks |'), []);
  t.strictSame(found('a.md', '| one | after |\n|---|---|\n| whoever asks | a client that asks |'), ['whoever']);
  t.end();
});

t.test('markup, code and addresses do not count as words of a sentence', (t) => {
  const [sentence = ''] = sentencesOf('See [the page](https://a.example/x y) of `a b c` *now*, e.g. here.');
  t.equal(sentence, 'See the page of codeword now, e.g. here.');
  t.equal(wordsOf(sentence).length, 8);
  t.end();
});

t.test('a comment over several lines is one text, and an insertion of a template is one word', (t) => {
  const source = [
    '/**',
    ' * One line',
    ' * and the next.',
    ' */',
    // biome-ignore lint/suspicious/noTemplateCurlyInString: source text
    'const a = `the ${b ? `x` : c} is wrong`;',
    '/[\'"]/.test(a);',
    "fail('it is not here')",
  ];
  t.strictSame(
    sourceProse(source.join('\n')).map(({ line, text }) => [line, text.replace(/\s+/g, ' ').trim()]),
    [
      [1, 'One line and the next.'],
      [5, 'the X is wrong'],
      [7, 'it is not here'],
    ],
  );
  t.end();
});

t.test('a page is read item by item and cell by cell, with the line of each', (t) => {
  const page = '# Head\n\nOne\ntwo.\n\n- an item\n- another\n\n| a | b |\n|---|---|\n| c | d |\n';
  t.strictSame(
    pageProse(page).map(({ line, text }) => `${line} ${text}`),
    ['1 Head', '3 One two.', '6 an item', '7 another', '9 a', '9 b', '11 c', '11 d'],
  );
  t.end();
});
