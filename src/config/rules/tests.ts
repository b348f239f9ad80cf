import type { TestConfig } from '../schema/test-case.ts';
import { defaultId } from '../validate/complete.ts';
import { didYouMean } from '../words/closest.ts';
import type { Finding } from '../words/problem.ts';
import { parseRequestLine } from '../words/request-line.ts';
import { type Checks, type Member, membersOf } from './checks.ts';
import type { GatewaySubject } from './subject.ts';

type Test = Member<TestConfig>;

/** Rules for the tests of a file. They check names and forms. Running the tests shows whether they pass. */
export const testChecks: Checks<GatewaySubject> = {
  'request of a test': ({ config }) => testsOf(config).flatMap(requestFaults),
  'header of a test': ({ config }) => testsOf(config).flatMap(headerFaults),
  'who asks in a test': ({ config }) => testsOf(config).flatMap(callerFaults),
  'server of a test': ({ config, known }) => testsOf(config).flatMap((test) => serverFaults(test, known.servers)),
  'route of a test': ({ config, routes }) => {
    const ids = routes.map(({ value }) => value.id ?? defaultId(value));
    // A faulty route is missing from the list, so its id is unknown.
    const isWhole = routes.length === config.routes.length;
    return isWhole ? testsOf(config).flatMap((test) => routeFaults(test, ids)) : [];
  },
};

function testsOf({ tests }: GatewaySubject['config']): readonly Test[] {
  return membersOf('tests', tests ?? []);
}

function requestFaults({ at, value }: Test): readonly Finding[] {
  if (parseRequestLine(value.request) !== undefined) return [];
  const message = `\`${value.request}\` is not a request`;
  return [{ pointer: [...at, 'request'], message, hint: 'write `GET /orders/7`, or `GET https://host/orders/7`' }];
}

function headerFaults({ at, value }: Test): readonly Finding[] {
  return Object.entries(value.headers ?? {}).flatMap(([name, text]): Finding[] => {
    const pointer = [...at, 'headers', name];
    if (!/^[A-Za-z0-9!#$%&'*+.^_`|~-]+$/.test(name))
      return [{ pointer, message: `\`${name}\` is not a header name`, atKey: true }];
    // biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what must not pass
    return /[\x00-\x08\x0a-\x1f\x7f]/.test(text) ? [{ pointer, message: 'the value has a control character' }] : [];
  });
}

function callerFaults({ at, value }: Test): readonly Finding[] {
  if (value.user === undefined || value.token === undefined) return [];
  return [
    {
      pointer: [...at, 'user'],
      message: 'a request has only one credential: write either `token` or `user`',
      atKey: true,
    },
  ];
}

function serverFaults({ at, value }: Test, known: readonly string[]): readonly Finding[] {
  const server = value.token?.server;
  if (server === undefined || known.includes(server)) return [];
  const message = `there is no authorization server \`${server}\``;
  return [{ pointer: [...at, 'token', 'server'], message, hint: didYouMean(server, known) }];
}

function routeFaults({ at, value }: Test, ids: readonly string[]): readonly Finding[] {
  const route = 'route' in value.expect ? value.expect.route : undefined;
  if (route === undefined || ids.includes(route)) return [];
  return [
    { pointer: [...at, 'expect', 'route'], message: `there is no route \`${route}\``, hint: didYouMean(route, ids) },
  ];
}
