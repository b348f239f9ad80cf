import { TLSSocket } from 'node:tls';
import type { UpstreamConfig } from '../../config/schema/upstream.ts';
import { connectOnce } from '../../gateway/upstreams/connect-once.ts';
import { upstreamTrust } from '../../gateway/upstreams/upstream-trust.ts';
import { judgeDays } from './certificates.ts';
import { errorCodeOf, faultRemedy } from './faults.ts';
import { bad, type DoctorProbe, good, type Seen } from './finding.ts';
import type { DoctorContext, LoadedGatewayFile } from './subject.ts';

/** Each URL resolves and connects, and the gateway accepts its certificate. */
export function upstreams({ config, directory }: LoadedGatewayFile, around: DoctorContext): readonly DoctorProbe[] {
  return Object.entries(config.upstreams).flatMap(([name, upstream]) =>
    upstream.urls.map((url) => ({
      about: `upstreams.${name} ${url}`,
      look: (signal: AbortSignal) => lookAt(new URL(url), upstream, { directory, signal, around }),
    })),
  );
}

interface Circumstances {
  readonly directory: string;
  readonly signal: AbortSignal;
  readonly around: DoctorContext;
}

async function lookAt(url: URL, upstream: UpstreamConfig, { directory, signal, around }: Circumstances): Promise<Seen> {
  try {
    const socket = await connectOnce(url, upstream, upstreamTrust(upstream.tls, { directory }));
    signal.addEventListener('abort', () => socket.destroy());
    const certificate = socket instanceof TLSSocket ? socket.getPeerX509Certificate() : undefined;
    socket.destroy();
    if (certificate === undefined) return good('connects');
    const seen = judgeDays(certificate, around.clock, 'it there');
    return { ...seen, message: `connects, the certificate verifies, ${seen.message}` };
  } catch (error) {
    const code = errorCodeOf(error);
    return bad(`no connection: ${code}`, faultRemedy(code, 'check that the upstream runs, or correct `url`'));
  }
}
