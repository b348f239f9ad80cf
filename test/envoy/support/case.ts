export interface CompileCase {
  readonly name: string;
  readonly method: string;
  readonly target: string;
  readonly host: string;
  readonly headers: Lines;
  readonly body?: CaseBody | undefined;
}

export interface CaseBody {
  readonly bytes: Buffer;
  /** With these lengths, the last one for the rest. Undefined: the body has a Content-Length. */
  readonly chunks?: readonly number[];
}

export type Lines = readonly (readonly [string, string])[];

interface CaseParts {
  readonly host?: string;
  readonly body?: CaseBody;
}

export function caseOf(line: string, credential: string, headers: Lines, parts: CaseParts = {}): CompileCase {
  const { host = 'api.example.com', body } = parts;
  const [method = '', target = ''] = [line.slice(0, line.indexOf(' ')), line.slice(line.indexOf(' ') + 1)];
  return { name: `${line} at ${host} with ${credential}`, method, target, host, headers, body };
}
