import { parseAuthenticationInfo } from '../../src/http-auth/authentication-info.ts';
import { parseBasic } from '../../src/http-auth/basic.ts';
import { parseBearer } from '../../src/http-auth/bearer.ts';
import { splitChallenges } from '../../src/http-auth/challenge-list.ts';
import { parseDigest } from '../../src/http-auth/digest.ts';
import { digestAlgorithmNames, qops } from '../../src/http-auth/digest-algorithms.ts';
import { chooseOffer } from '../../src/http-auth/digest-offer.ts';
import { parseParameters } from '../../src/http-auth/parameters.ts';
import { splitCredentials } from '../../src/http-auth/scheme.ts';

/** The challenges of a line, with their parameters read. */
export function understood(line: string) {
  return splitChallenges(line).map(({ scheme, rest }) => {
    const parsed = parseParameters(rest);
    return { scheme, values: parsed.kind === 'parameters' ? parsed.values : parsed.detail };
  });
}

/** Everything that reads a field of a peer. */
export const readers: Readonly<Record<string, (text: string) => unknown>> = {
  parseParameters,
  splitChallenges,
  splitCredentials,
  understood,
  parseAuthenticationInfo,
  parseBearer,
  parseBasic,
  'parseBasic of something': (text) => parseBasic(`Basic ${text}`),
  'parseDigest of something': (text) => parseDigest(`Digest ${text}`),
  'chooseOffer of something': (text) =>
    chooseOffer([text, `Digest ${text}`], { algorithms: digestAlgorithmNames, qop: qops }),
};
