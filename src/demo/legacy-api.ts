import Fastify, { type FastifyInstance } from 'fastify';
import { withoutSchemas } from '../base/no-schemas.ts';

interface Order {
  id: number;
  item: string;
  quantity: number;
}

/** The sample API of the demo. It does not support OAuth, and shows the gateway's headers about the caller. */
export function buildLegacyApi(): FastifyInstance {
  const app = Fastify({ ...withoutSchemas, forceCloseConnections: true });
  const orders = new Map<number, Order>([
    [7, { id: 7, item: 'A copper kettle', quantity: 1 }],
    [8, { id: 8, item: 'Tea, loose, 100 g', quantity: 3 }],
  ]);
  app.get('/health', () => ({ status: 'fine' }));
  app.get('/orders', () => [...orders.values()]);
  app.get<{ Params: { id: string } }>('/orders/:id', ({ params, headers }, reply) => {
    const order = orders.get(Number(params.id));
    return order === undefined
      ? reply.code(404).send({ error: 'no such order' })
      : { ...order, asked_by: caller(headers) };
  });
  app.delete<{ Params: { id: string } }>('/orders/:id', ({ params }, reply) => {
    orders.delete(Number(params.id));
    return reply.code(204).send();
  });
  app.delete('/orders', (_request, reply) => {
    orders.clear();
    return reply.code(204).send();
  });
  return app;
}

function caller(headers: Record<string, unknown>) {
  return {
    subject: headers['x-auth-subject'],
    client: headers['x-auth-client'],
    scope: headers['x-auth-scope'],
    token_seen: 'authorization' in headers,
  };
}
