/** The result of a request. */
export interface Told {
  /** `200`, or the status and the code of a refusal or an outage: `503 authorization_server_unavailable`. */
  readonly said: string;
  readonly status: number;
  readonly retryAfter: string | null;
  readonly challenge: string | null;
  /** Milliseconds until the answer was complete. */
  readonly took: number;
}

export async function tell(url: string, init: RequestInit = {}): Promise<Told> {
  const start = performance.now();
  const response = await fetch(url, { redirect: 'manual', ...init });
  const text = await response.text();
  const took = performance.now() - start;
  const { status, headers } = response;
  const said = status < 300 ? String(status) : `${status} ${codeOf(text)}`.trim();
  return {
    said,
    status,
    retryAfter: headers.get('retry-after'),
    challenge: headers.get('www-authenticate'),
    took,
  };
}

function codeOf(text: string): string {
  try {
    const body = JSON.parse(text) as { code?: string; error?: string };
    return body.code ?? body.error ?? '';
  } catch {
    return '';
  }
}

export function tellWith(url: string, token: string): Promise<Told> {
  return tell(url, { headers: { authorization: `Bearer ${token}` } });
}
