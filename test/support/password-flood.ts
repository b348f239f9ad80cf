import { Agent, request } from 'node:http';
import { text } from 'node:stream/consumers';

// `node password-flood.ts URL PER_SECOND`: sends wrong Basic passwords, each for a new user from a new address, at the
// given rate and without waiting for answers. At the end of its input, it prints how often each status was the answer.
const [url = '', perSecond = ''] = process.argv.slice(2);
/** Requests that wait for an answer: several times as many as a gateway allows to wait. No more are sent. */
const MOST = 300;
const agent = new Agent({ keepAlive: true, maxSockets: MOST });
const statuses: Record<string, number> = {};
const EVERY = 20;
let sent = 0;
let open = 0;

function guess(index: number): void {
  const user = `user${index % 100}:wrong${index}`;
  const headers = {
    authorization: `Basic ${Buffer.from(user).toString('base64')}`,
    'x-forwarded-for': `10.${(index >> 16) & 255}.${(index >> 8) & 255}.${index & 255}`,
  };
  const settle = (status: string) => {
    open--;
    statuses[status] = (statuses[status] ?? 0) + 1;
  };
  open++;
  request(url, { agent, headers }, (response) => {
    response.resume();
    settle(String(response.statusCode));
  })
    .on('error', () => settle('error'))
    .end();
}

const began = performance.now();
const timer = setInterval(() => {
  const due = ((performance.now() - began) / 1000) * Number(perSecond);
  for (; sent < due && open < MOST; sent++) guess(sent);
  sent = Math.max(sent, Math.floor(due));
}, EVERY);

await text(process.stdin);
clearInterval(timer);
process.stdout.write(JSON.stringify(statuses));
process.exit();
