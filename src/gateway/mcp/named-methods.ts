/** The parameter that names what a method is about. */
export interface NamedMethod {
  readonly member: 'name' | 'uri' | 'taskId';
  /** Whether `Mcp-Name` is required (Streamable HTTP, standard request headers). */
  readonly isMirrored: boolean;
  /** Methods whose access it also needs, for the same name. */
  readonly also?: readonly string[];
}

/** Methods whose parameters name a tool, a prompt, a resource or a task. */
export const namedMethods: ReadonlyMap<string, NamedMethod> = new Map<string, NamedMethod>([
  ['tools/call', { member: 'name', isMirrored: true }],
  ['prompts/get', { member: 'name', isMirrored: true }],
  ['resources/read', { member: 'uri', isMirrored: true }],
  ['resources/subscribe', { member: 'uri', isMirrored: false, also: ['resources/read'] }],
  ['resources/unsubscribe', { member: 'uri', isMirrored: false }],
  // SEP-2663, request headers.
  ['tasks/get', { member: 'taskId', isMirrored: true }],
  ['tasks/result', { member: 'taskId', isMirrored: false }],
  ['tasks/update', { member: 'taskId', isMirrored: true }],
  ['tasks/cancel', { member: 'taskId', isMirrored: true }],
]);
