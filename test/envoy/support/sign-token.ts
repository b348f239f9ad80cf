// A command for `--token-command`: reads claims from standard input, and prints a token that is signed with the first
// private key of the file.
import { readFileSync } from 'node:fs';
import { importJWK, SignJWT } from 'jose';

const [file = ''] = process.argv.slice(2);
const [jwk] = JSON.parse(readFileSync(file, 'utf8')).keys;
const claims = JSON.parse(readFileSync(0, 'utf8'));
const key = await importJWK(jwk, jwk.alg);
const header = { alg: jwk.alg, kid: jwk.kid, typ: 'at+jwt' };
console.log(await new SignJWT(claims).setProtectedHeader(header).sign(key));
