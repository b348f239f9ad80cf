import * as Type from 'typebox';
import { flag, list, named, oneOf, record, size, text } from '../words/schema.ts';
import { Scope } from './scope.ts';

export const mirrorModes = ['require', 'derive', 'off'] as const;

export const McpSchema = record(
  {
    sessions: flag(
      false,
      'true: clients with a protocol revision before 2026-07-28 may open sessions. The gateway forwards GET, DELETE, Mcp-Session-Id and Last-Event-ID. Only the caller that got a session id may use this id. false: the gateway answers GET and DELETE with 405, and removes these headers in both directions.',
    ),
    origins: Type.Optional(
      Type.Array(text(), {
        description:
          'Pages of these origins may send requests. If a request has another origin, the answer is 403. If this key is missing, `origins` of the route applies. If the route has no `origins`, `origins` of `cors` applies. If the file has no `cors` either, no page may send requests.',
      }),
    ),
    versions: Type.Optional(
      Type.Array(text(), {
        minItems: 1,
        description:
          'A request must have one of these protocol revisions in MCP-Protocol-Version. A request without this header counts as revision 2025-03-26. Any other revision gets 400. The answer lists the revisions of this list that the client can use, if the client accepts JSON. The default is every revision.',
      }),
    ),
    scope: Type.Optional(
      named(
        Scope,
        undefined,
        'An operation needs this scope, and also the `scope` of the route. A key is `*`, a method such as tools/call, or a method and a name such as tools/call delete_user. A `*` at the end of a method or name matches any ending. The most specific key applies. A server may read a name in another way: it may ignore case, decode the name, or resolve dot segments. If a different key applies to such a reading, the answer is 400.',
      ),
    ),
    deny: list(
      text(),
      [],
      'The gateway rejects these operations with 403, whatever scope a token has. An entry has the form of a key in `scope`.',
    ),
    filter_lists: flag(
      true,
      'true: the gateway removes a tool, prompt or resource from the lists of the upstream if the token may not use it. To read these lists, the gateway asks the upstream for answers without compression.',
    ),
    mirror: oneOf(
      mirrorModes,
      'require',
      'require: Mcp-Method, Mcp-Name, Mcp-Param-* and MCP-Protocol-Version must match the body. A header that the protocol revision requires must be present. derive: the gateway compares these headers, and adds missing headers from the body. off: the gateway does not compare these headers. The rules for operations always apply to the body.',
    ),
    body: size(
      '1MiB',
      'A message, or a list in an answer, may have at most this size. A larger message gets 413, and a larger list gets 502.',
    ),
  },
  undefined,
  'The upstream of this route is a Model Context Protocol server. The gateway reads each message, and applies rules to methods, tools, resources and prompts.',
);

export type McpConfig = Type.Static<typeof McpSchema>;
