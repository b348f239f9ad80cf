import { gzipSync } from 'node:zlib';
import t, { type Test } from 'tap';
import { behind } from '../support/gateway.ts';
import { sendAll } from '../support/many.ts';
import { startProcess, throws } from '../support/process.ts';
import { type Random, random } from '../support/random.ts';
import { requestText } from '../support/request-text.ts';
import { isCut } from './support/hostile-asking.ts';
import { FIN, type Piece, RST } from './support/played-answer.ts';
import { sized } from './support/size.ts';
import { type TaggedUpstream, taggedUpstream } from './support/tagged-upstream.ts';
import { upstreamEngines } from './support/upstream-engines.ts';

/** Repeats each fault, in the sizes of docs/promises.md. */
t.setTimeout(sized(600_000, 900_000, 3 * 3_600_000));

function chunked(body: string, dice: Random): string {
  let text = '';
  for (let at = 0; at < body.length; ) {
    const size = 1 + dice.below(dice.pick([20, 2000, 40_000]));
    const part = body.slice(at, at + size);
    text += `${part.length.toString(16)}\r\n${part}\r\n`;
    at += size;
  }
  return `${text}0\r\n\r\n`;
}

function content(dice: Random): string {
  return dice.text('abcdefgh\r\n', dice.below(dice.pick([10, 1000, 1000, 20_000])));
}

function withLength(body: string, ...lines: readonly string[]): string {
  return `HTTP/1.1 200 OK\r\n${lines.map((line) => `${line}\r\n`).join('')}content-length: ${body.length}\r\n\r\n${body}`;
}

function inChunks(body: string, dice: Random, ...lines: readonly string[]): string {
  return `HTTP/1.1 200 OK\r\n${lines.map((line) => `${line}\r\n`).join('')}transfer-encoding: chunked\r\n\r\n${chunked(body, dice)}`;
}

/** Whole answers, each with its own framing. */
const answers: Readonly<Record<string, (dice: Random) => string>> = {
  'with a length': (dice) => withLength(content(dice)),
  'with a length, saying close': (dice) => withLength(content(dice), 'connection: close'),
  'in chunks': (dice) => inChunks(content(dice), dice),
  'in chunks, saying close': (dice) => inChunks(content(dice), dice, 'connection: close'),
  'by gzip, with a length': (dice) => withLength(gzipSync(content(dice)).toString('latin1'), 'content-encoding: gzip'),
  'by gzip, in chunks': (dice) => inChunks(gzipSync(content(dice)).toString('latin1'), dice, 'content-encoding: gzip'),
};

/** A byte before the last: in the head, or in the body if there is one. */
function cutOf(text: string, isInHead: boolean, dice: Random): number {
  const head = text.indexOf('\r\n\r\n') + 4;
  return isInHead || head === text.length ? dice.below(head) : head + dice.below(text.length - head);
}

/** Cuts each answer at a byte before its last, or forwards it whole, as `isWhole` says. */
function cutting(
  t: Test,
  whole: (dice: Random) => string,
  dice: Random,
  isWhole: () => boolean,
): Promise<TaggedUpstream> {
  let count = 0;
  return taggedUpstream(t, (): Iterable<Piece> => {
    const text = whole(dice);
    // Alternating, so that both occur in whatever order the requests arrive.
    return isWhole() ? [text] : [text.slice(0, cutOf(text, count++ % 2 === 0, dice)), dice.pick([FIN, RST])];
  });
}

for (const engine of upstreamEngines) {
  for (const [name, whole] of Object.entries(answers)) {
    t.test(`${engine.name}: an answer ${name} that is cut at any byte is never complete for the client`, async (t) => {
      let isCutting = true;
      const { url } = await cutting(t, whole, random(name.length), () => !isCutting);
      const gateway = await startProcess({ config: behind(url, { upstreams: { api: { url, ...engine.block } } }) });
      t.teardown(() => gateway.stop());
      const taken: string[] = [];
      const seen = { cut: 0, refused: 0 };
      const send = (count: number, onAnswer: Parameters<typeof sendAll>[0]['onAnswer']) =>
        sendAll({
          port: gateway.port,
          items: Array.from({ length: count }, (_, index) => String(index)),
          bytes: () => requestText({ target: '/public/a' }),
          connections: 16,
          onAnswer,
        });
      await send(sized(50, 1_000, 20_000), (item, response) => {
        if (isCut(response)) seen.cut++;
        else if (response.status === 502) seen.refused++;
        else taken.push(`${item}: ${response.status} with ${response.body.length} bytes`);
      });
      t.same(taken.slice(0, 5), [], `${taken.length} were taken for whole`);
      t.ok(seen.cut > 0 && seen.refused > 0, `in the head and in the body: ${JSON.stringify(seen)}`);
      isCutting = false;
      await send(20, (_, response) =>
        t.notOk(isCut(response) || response.status !== 200, 'one that is not cut is whole'),
      );
      t.ok(gateway.running);
      t.same(throws(gateway.output()), []);
    });
  }
}
