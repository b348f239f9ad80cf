/** The headers with which a client asks for a WebSocket, with the example key of RFC 6455 §1.3. */
export const handshake = [
  ['Connection', 'Upgrade'],
  ['Upgrade', 'websocket'],
  ['Sec-WebSocket-Key', 'dGhlIHNhbXBsZSBub25jZQ=='],
  ['Sec-WebSocket-Version', '13'],
] as const;
