import type { RequiredMember } from '../../gateway/verify/metadata.ts';
import { metadataUrls } from '../../oauth/metadata.ts';
import { remedyFor } from './connection-fault.ts';
import { bad, good, type Probe, type Seen } from './finding.ts';
import type { RemoteView } from './remote-view.ts';
import { membersNeeded } from './server-uses.ts';

/** RFC 8414 §3.3: it can be fetched, is of this issuer, and says what the file does not. */
export function serverMetadata(view: RemoteView): readonly Probe[] {
  const members = membersNeeded(view.config);
  if (members.length === 0) return [];
  return [{ about: `${view.name} metadata`, look: () => lookAt(view, members) }];
}

/** What is wrong with all of it is said once. */
async function lookAt({ config, about }: RemoteView, members: readonly RequiredMember[]): Promise<readonly Seen[]> {
  const seen = await Promise.all(
    members.map(async (member) => {
      const found = await about.endpoint(member);
      if (typeof found === 'string') return good(`of this issuer; ${member} is ${found}`);
      return bad(found.detail, remedyFor(found.detail, remedy(config.issuer, members)));
    }),
  );
  return [...new Map(seen.map((each) => [each.message, each])).values()];
}

function remedy(issuer: string, members: readonly RequiredMember[]): string {
  const [url] = URL.canParse(issuer) ? metadataUrls(issuer) : [issuer];
  const named = members.map((member) => `\`${member}\``).join(' and ');
  return `\`curl ${url}\` shows what is there: \`issuer\` must be what it says, byte by byte; without metadata write ${named} into the file`;
}
