import t from 'tap';
import { isNearText, nearName } from '../../../src/gateway/mcp/near-names.ts';

const ours = new Set(['method', 'params', 'id', 'uri', 'notifications', 'taskId', '_meta', 'ask']);

t.test('a name that a reader without case takes for ours is near', async (t) => {
  for (const name of [
    'Method',
    'METHOD',
    'mEtHoD',
    'param\u017f',
    'PARAM\u017f',
    'ta\u017fkId',
    'as\u212a',
    'a\u017fk',
    'ID',
    'Id',
    '\u0130d',
    '\u0131d',
    'ur\u0130',
    'UR\u0131',
    'uri\u0307',
    'not\u0130f\u0131cations',
    'taskid',
    '_Meta',
    '__proto__',
  ])
    t.equal(nearName([name], ours), name, name);
});

t.test('our own names and unlike names are not near', async (t) => {
  t.equal(nearName([...ours, 'methods', 'meta', 'u-ri', 'm\u0435thod', 'constructor', 'x'], ours), undefined);
  t.equal(nearName([], ours), undefined);
});

t.test('a text that differs from one of ours only in case or blanks is near', async (t) => {
  const methods = new Set(['tools/call']);
  for (const text of [
    'Tools/Call',
    'TOOLS/CALL',
    'tool\u017f/call',
    ' tools/call',
    'tools/call\u00a0',
    '\ufefftools/call',
  ])
    t.ok(isNearText(text, methods), text);
  for (const text of ['tools/call', 'tools/list', 'tools/call/', 'tools /call'])
    t.notOk(isNearText(text, methods), text);
});
