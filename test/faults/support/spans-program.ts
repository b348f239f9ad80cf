import { isMainThread } from 'node:worker_threads';
import { NodeTracerProvider, type ReadableSpan, SimpleSpanProcessor } from '@opentelemetry/sdk-trace-node';

// For `node --import`: prints every exported span as a line of standard error.
const spanExporter = {
  export(spans: readonly ReadableSpan[], done: (result: { code: number }) => void): void {
    for (const { name, attributes, events, status, links, resource } of spans)
      process.stderr.write(
        `span ${JSON.stringify({ name, attributes, events, status, links, resource: resource.attributes })}\n`,
      );
    done({ code: 0 });
  },
  shutdown: async () => {},
};
if (isMainThread) new NodeTracerProvider({ spanProcessors: [new SimpleSpanProcessor(spanExporter)] }).register();
