import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { tellWhenRanOut } from './wrk.ts';

/**
 * For `wrk -s` in that folder: sends each header of a file once. The lines of the file are values of `Authorization`.
 */
export function onceScript(folder: string): string {
  const script = join(folder, 'once.lua');
  writeFileSync(script, headersInTurn + tellWhenRanOut);
  return script;
}

/** For `wrk -s`: sends in turn what the Lua code `fill` puts into `items` before the load begins. */
export const inTurnScript = (fill: string): string => `
local items, at = {}, 0
function init(args)
  ${fill}
end
function request()
  at = at % #items + 1
  return items[at]
end
`;

/** For `wrk -s`: sends the headers of a file in turn. */
export const headersInTurn = inTurnScript(
  'for line in io.lines(args[1]) do items[#items + 1] = wrk.format("GET", nil, { Authorization = line }) end',
);
