import type { EventId, EventStore, JSONRPCMessage, StreamId } from '@modelcontextprotocol/server';

interface Event {
  readonly stream: StreamId;
  readonly message: JSONRPCMessage;
}

/** Keeps every event in memory, so that a client can ask for the events after one that it knows. */
export function eventStore(): EventStore {
  const events: Event[] = [];
  return {
    async storeEvent(stream, message) {
      return String(events.push({ stream, message }) - 1);
    },
    async getStreamIdForEventId(id: EventId) {
      return events[Number(id)]?.stream;
    },
    async replayEventsAfter(last, { send }) {
      const stream = events[Number(last)]?.stream ?? '';
      for (const [id, event] of events.entries())
        if (id > Number(last) && event.stream === stream) await send(String(id), event.message);
      return stream;
    },
  };
}
