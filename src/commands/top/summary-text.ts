import { printableJsonLine, printableValue } from '../../base/printable.ts';
import { table } from '../common/table.ts';
import type { GatewayState } from './gateway-states.ts';
import { results, type Tallied } from './tally.ts';
import type { View } from './watch.ts';

/** Rows of each table. */
const MOST = 10;

/** One JSON object a line, for programs. */
export function summaryJson({ gateways, summary }: View, filter: string): string {
  const { seconds, rates, described, left, routes, codes, clients } = summary;
  return printableJsonLine({
    time: Date.now(),
    filter,
    gateways,
    seconds,
    rates: Object.fromEntries(results.map((result) => [result, Number(rates[result].toFixed(3))])),
    described,
    left_out: left,
    routes: routes.map(({ name, ...counts }) => ({ route: name, ...counts })),
    codes: codes.map(({ name, requests }) => ({ code: name, requests })),
    clients: clients.map(({ name, ...counts }) => ({ client: name, ...counts })),
  });
}

/** One line. */
export function summaryLine({ gateways, summary }: View): string {
  const { now, routes, codes, left } = summary;
  const parts = [
    ...results.map((result) => `${result} ${perSecond(now[result])}/s`),
    ...listed('routes', routes.slice(0, 3)),
    ...listed('codes', codes.slice(0, 3)),
    ...(left > 0 ? [`left out ${left}`] : []),
    ...gateways.flatMap(faultOf),
  ];
  return `${printableValue(parts.join('  '))}\n`;
}

function listed(title: string, rows: readonly Tallied[]): readonly string[] {
  return rows.length === 0 ? [] : [`${title} ${rows.map(({ name, requests }) => `${name} ${requests}`).join(', ')}`];
}

/** Why a gateway is not counted. */
export function faultOf({ gateway, state, detail }: GatewayState): readonly string[] {
  return state === 'connected' ? [] : [`${gateway}: ${detail ?? 'no answer yet'}`];
}

/** A rate with one decimal, or with none if the rate is large. */
export function perSecond(rate: number): string {
  return rate >= 100 ? rate.toFixed(0) : rate.toFixed(1);
}

/** Several lines. */
export function summaryPage({ gateways, summary }: View): string {
  const { seconds, rates, routes, codes, clients, described, left } = summary;
  const names = gateways.filter(({ state }) => state === 'connected').map(({ gateway }) => gateway);
  return [
    `${printableValue(`${names.join(', ')}: the last ${seconds} seconds`)}\n`,
    ...gateways.flatMap(faultOf).map((fault) => `${printableValue(fault)}\n`),
    table(results.map((result) => [result, `${perSecond(rates[result])}/s`])),
    section(['route', 'requests', 'refused', 'failed'], routes),
    section(['client', 'requests', 'refused', 'failed'], clients),
    section(['code', 'requests'], codes),
    left > 0
      ? `\nThe tables count ${described} requests. The gateways left out ${left} more, which only the rates count.\n`
      : '',
  ].join('');
}

function section(heads: readonly string[], rows: readonly Tallied[]): string {
  if (rows.length === 0) return '';
  const cells = rows
    .slice(0, MOST)
    .map(({ name, ...counts }) => [name, String(counts.requests), String(counts.refused), String(counts.failed)]);
  return `\n${table([heads, ...cells.map((row) => row.slice(0, heads.length))])}`;
}
