import { request } from 'undici';
import { listenerConnection } from '../common/listener-connection.ts';
import { type AskedListener, listenerUrl } from '../common/listener-url.ts';
import { bad, type DoctorProbe, doubtful, good, type Seen } from './finding.ts';
import type { LoadedGatewayFile, LoadedServiceFile } from './subject.ts';

/** Reads /metrics of a gateway that runs with this file. Undefined: none runs, which the check of listeners reports. */
export type RunningMetrics = (signal: AbortSignal) => Promise<string | undefined>;

/** Undefined: the file has no listener with a known port. */
export function runningMetrics({
  config: { health, admin },
  directory,
}: Pick<LoadedGatewayFile | LoadedServiceFile, 'config' | 'directory'>): RunningMetrics | undefined {
  const asked: AskedListener | undefined = health ?? admin;
  if (asked === undefined || asked.port === 0) return undefined;
  const url = listenerUrl(asked, '/metrics');
  const connection = listenerConnection(asked, directory);
  return async (signal) => {
    try {
      const { statusCode, body } = await request(url, { ...connection, signal });
      const text = await body.text();
      return statusCode === 200 ? text : undefined;
    } catch {
      return undefined;
    }
  };
}

/** A proxy may set X-Forwarded-Host while the gateway judges by Host. The running gateway counts such requests. */
export function forwardedHost(subject: LoadedGatewayFile): readonly DoctorProbe[] {
  const { trusted_proxies, is_host_forwarded } = subject.config;
  const metrics = runningMetrics(subject);
  if (trusted_proxies.length === 0 || is_host_forwarded || metrics === undefined) return [];
  const look = async (signal: AbortSignal) => judge(ignoredIn((await metrics(signal)) ?? ''), trusted_proxies);
  return [{ about: 'trusted_proxies', look }];
}

/** Requests since the start whose `X-Forwarded-Host` was ignored. Undefined: no gateway reports the number. */
function ignoredIn(metrics: string): number | undefined {
  const [, count] = SAMPLE.exec(metrics) ?? [];
  return count === undefined ? undefined : Number(count);
}

const SAMPLE = /^gatehouse_forwarded_host_ignored_total (\d+)$/m;

function judge(count: number | undefined, proxies: readonly string[]): readonly Seen[] {
  if (count === undefined) return [];
  if (count === 0) return [good('no request had different hosts in X-Forwarded-Host and Host')];
  const remedy = `if the proxy sets X-Forwarded-Host on every request, write \`trusted_proxies: { from: [${proxies.join(', ')}], host: forwarded }\`; if it forwards the client's header, let it remove the header`;
  const what = `${count} requests had different hosts in X-Forwarded-Host and Host; the gateway judged them by Host`;
  return [doubtful(what, remedy)];
}

/** Whether the running gateway has loaded the file on the disk. Nothing is found if no gateway runs. */
export function activeFile(subject: LoadedGatewayFile): readonly DoctorProbe[] {
  const metrics = runningMetrics(subject);
  if (metrics === undefined) return [];
  return [{ about: 'the running gateway', look: async (signal) => judgeActive((await metrics(signal)) ?? '') }];
}

function judgeActive(metrics: string): readonly Seen[] {
  if (/^gatehouse_config_reload_waiting 1$/m.test(metrics))
    return [
      doubtful(
        'the file on the disk is not active: it may allow more access, and was written in place',
        'check the file, and load it with POST /reload or SIGHUP',
      ),
    ];
  if (!/^gatehouse_config_last_reload_successful 0$/m.test(metrics)) return [];
  return [
    bad(
      'the file on the disk is not active: the gateway rejected it at the last reload',
      'see the log of the gateway for the reason, correct the file, and load it with POST /reload or SIGHUP',
    ),
  ];
}

/** The effect of an untrusted proxy, whose clients all count as one, and the remedy. */
const harms = {
  gateway: {
    what: 'all its clients count as one client, which used its whole share or reached a limit',
    remedy: 'if the proxy is yours, name it in `trusted_proxies`, or write `limits: { share: 1 }`',
  },
  authorization: {
    what: '`trusted_proxies` does not name it: its clients count as one, and wrong passwords of one client lock out all others',
    remedy: 'if the proxy is yours, name it in `trusted_proxies`',
  },
} as const;

/** Proxies that a running program treats as clients, because no file trusts them. */
export function untrustedProxies(subject: LoadedGatewayFile | LoadedServiceFile): readonly DoctorProbe[] {
  const { kind } = subject;
  const metrics = runningMetrics(subject);
  if (metrics === undefined) return [];
  const look = async (signal: AbortSignal) => namedIn((await metrics(signal)) ?? '', harms[kind]);
  return [{ about: 'trusted_proxies', look }];
}

function namedIn(metrics: string, { what, remedy }: { what: string; remedy: string }): readonly Seen[] {
  const named = [
    ...metrics.matchAll(/^gatehouse_(?:authorization_)?untrusted_proxy\{[^}]*\baddress="([0-9a-f.:]+)"[^}]*\} 1$/gm),
  ];
  return named.map(([, address]) => doubtful(`${address} says that it is a proxy, and ${what}`, remedy));
}
