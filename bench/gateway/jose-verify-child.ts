// `node jose-verify-child.ts TASK`: prints what one jwtVerify of jose costs, including the helper threads of the
// process.
import { readFileSync } from 'node:fs';
import { importJWK, jwtVerify } from 'jose';
import type { Task, Verification } from './jose-verify.ts';

const WARM_UP = 2000;

const { tokens, algorithm, jwk, expected }: Task = JSON.parse(readFileSync(process.argv[2] ?? '', 'utf8'));
const key = await importJWK(jwk, algorithm);
const options = { ...expected, algorithms: [algorithm] };
const all = readFileSync(tokens, 'utf8').trim().split('\n');

for (const token of all.slice(0, WARM_UP)) await jwtVerify(token, key, options);
const rest = all.slice(WARM_UP);
const [cpuBefore, began] = [process.cpuUsage(), performance.now()];
for (const token of rest) await jwtVerify(token, key, options);
const cpu = process.cpuUsage(cpuBefore);
const seconds = (performance.now() - began) / 1000;

const [user, system] = [cpu.user / rest.length, cpu.system / rest.length];
const verification: Verification = { cpu: user + system, user, system, perSecond: rest.length / seconds };
process.stdout.write(JSON.stringify(verification));
