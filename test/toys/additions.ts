import type { Addition } from './program-copy.ts';

/**
 * What a contributor does by hand to add one of each. Files that `npm run generate` writes do not count, and neither do
 * tests and pages.
 */
export const additions = {
  grant: {
    added: { from: './narrow.ts', to: 'src/authorization/grants/narrow.ts' },
    edits: [
      {
        file: 'src/authorization/grants/grants.ts',
        behind: "import type { Grant } from './grant.ts';",
        add: "import { narrow } from './narrow.ts';",
      },
      {
        file: 'src/authorization/grants/grants.ts',
        behind: '  client_credentials: clientCredentials,',
        add: "  'urn:example:narrow': narrow,",
      },
      {
        file: 'src/config/words/grant-types.ts',
        behind: '  refresh_token: {},',
        add: "  'urn:example:narrow': { confidential: 'RFC 8693 §2.1' },",
      },
    ],
  },
  'refusal code': {
    edits: [
      {
        file: 'src/gateway/message/codes.ts',
        behind: 'const framing = {',
        add: `  method_of_webdav: {
    status: 403,
    text: 'This gateway does not speak WebDAV.',
    step: 'message',
    remedy: 'Ask the API itself for its WebDAV address.',
  },`,
      },
      {
        file: 'src/gateway/decide/framing.ts',
        behind: 'export function findFrameFault(head: RequestHead): Code | undefined {',
        add: "  if (head.method === 'PROPFIND') return 'method_of_webdav';",
      },
    ],
  },
  metric: {
    edits: [
      {
        file: 'src/gateway/lifecycle/metrics.ts',
        behind: 'const reloadGauges: readonly GaugeMetric<ReloadStats>[] = [',
        add: "  { name: 'gatehouse_toy_failed_reloads', help: 'Rejected files.', read: ({ failure }) => failure },",
      },
    ],
  },
  'configuration key': {
    edits: [
      {
        file: 'src/config/schema/gateway.ts',
        behind: "    headers_timeout: duration('10s', 'The whole head of a request must arrive within this time.'),",
        add: "    toy_slack: duration('2s', 'An idle connection stays open for this time longer than clients are told.'),",
      },
      {
        file: 'src/config/rules/timers.ts',
        behind: "    ...timerFaults(['limits'], config.limits),",
        add: "    ...timerFaults(['limits'], config.limits, ['toy_slack']),",
      },
      {
        file: 'src/gateway/listener/server.ts',
        behind: '    headersTimeout: limits.headers_timeout,',
        add: '    keepAliveTimeoutBuffer: limits.toy_slack,',
      },
      { file: 'tools/examples/gateway.yaml', behind: '  headers_timeout: 5s', add: '  toy_slack: 3s' },
    ],
  },
  'storage engine': {
    added: { from: './file-log', to: 'src/storage/file-log' },
    edits: [
      {
        file: 'src/base/storage-urls.ts',
        behind: 'export const storageUrls = {',
        add: `  filelog: {
    name: 'filelog',
    schemes: ['filelog'],
    pattern: 'filelog:',
    written: 'filelog:FILE, relative to this file',
    place: (location) => ({ kind: 'file', path: location }),
  },`,
      },
      {
        file: 'src/storage/engines.ts',
        behind: "import type { OpenOptions } from './engine/open-options.ts';",
        add: "import { readFileLog } from './file-log/read.ts';",
      },
      {
        file: 'src/storage/engines.ts',
        behind: 'const rows = {',
        add: `  filelog: {
    ...storageUrls.filelog,
    title: 'the log',
    open: async (location, options) => (await import('./file-log/open.ts')).openFileLog(location, options),
    read: readFileLog,
    check: { journal: "SELECT 1 FROM sqlite_master WHERE type = 'table' AND name = 'migration'" },
  },`,
      },
    ],
  },
} as const satisfies Readonly<Record<string, Addition>>;
