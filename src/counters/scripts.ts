/**
 * Each method is one script. Redis runs it atomically and by its own clock, so processes with different clocks count the same.
 * A key expires with the last thing that it counts. If a key has foreign content, it is reset: an error there must not stop the
 * counting of all other keys.
 */
export const scripts = {
  /**
   * KEYS: key. ARGV: requests, window in milliseconds, parts. Returns 0, or the milliseconds to wait. The field of a part has
   * its number of accepted requests, and the time of the last one in microseconds.
   */
  gatehouseTake: `
local time = redis.call('TIME')
local now = time[1] * 1000000 + time[2]
local requests, window, parts = tonumber(ARGV[1]), tonumber(ARGV[2]) * 1000, tonumber(ARGV[3])
local length = window / parts
local part = string.format('%.0f', math.floor(now / length))
local fields = redis.pcall('HGETALL', KEYS[1])
if fields.err then
  redis.call('DEL', KEYS[1])
  fields = {}
end
local total, current, live = 0, 0, {}
for i = 1, #fields, 2 do
  local count, last = string.match(fields[i + 1], '^(%d+) (%d+)$')
  count, last = tonumber(count), tonumber(last)
  if not last or last + window <= now then
    redis.call('HDEL', KEYS[1], fields[i])
  else
    if fields[i] == part then current = count end
    live[#live + 1] = { last, count }
    total = total + count
  end
end
if total < requests then
  redis.call('HSET', KEYS[1], part, string.format('%.0f %.0f', current + 1, now))
  redis.call('PEXPIRE', KEYS[1], math.ceil((window + length) / 1000))
  return 0
end
table.sort(live, function(one, other) return one[1] < other[1] end)
local most = math.ceil(window / 1000)
for _, each in ipairs(live) do
  total = total - each[2]
  if total < requests then
    return math.min(most, math.max(1, math.ceil((each[1] + window - now) / 1000)))
  end
end
return most
`,
  /**
   * KEYS: key. ARGV: time of issue, lifetime, count, 1 for a window, 1 for the last use, the policy if it is known. Returns 0
   * fresh, 1 repeated, 2 forgotten. Or it returns the eviction policy and accepts nothing: a used nonce may disappear at any
   * moment. An emptied Redis has also lost the floor. A restarted Redis, a replica that replaces it, or a Redis that evicted
   * keys may lack the last uses. The floor is then set above every nonce that may have been used, plus five seconds for
   * differing clocks. Without permission for INFO, only the first case is detected. A key with another type counts as unused.
   */
  gatehouseNonce: `
local issued, lifetime, count = tonumber(ARGV[1]), tonumber(ARGV[2]), tonumber(ARGV[3])
local window, last = ARGV[4] == '1', ARGV[5] == '1'
local function told(section, pattern)
  local info = redis.pcall('INFO', section)
  return type(info) == 'string' and string.match(info, pattern) or nil
end
local policy = told('memory', 'maxmemory_policy:([%w-]+)') or ARGV[6]
if policy ~= 'noeviction' then return policy end
local function kept(key)
  local text = redis.pcall('GET', key)
  return type(text) == 'string' and text or ''
end
local run, evicted = told('server', 'run_id:(%w+)') or '', told('stats', 'evicted_keys:(%d+)') or ''
local floor, since = string.match(kept('gatehouse:nonces-since'), '^(%d+) (%w*)$')
if since ~= run or kept('gatehouse:nonces-evicted') ~= evicted then
  local time = redis.call('TIME')
  floor = string.format('%.0f', time[1] * 1000 + math.floor(time[2] / 1000) + 5000)
  redis.call('SET', 'gatehouse:nonces-since', floor .. ' ' .. run)
  redis.call('SET', 'gatehouse:nonces-evicted', evicted)
end
local used = redis.pcall('HMGET', KEYS[1], 'max', 'seen')
if used.err then return 2 end
local max, seen = tonumber(used[1]), used[2] or ','
if not max then
  if issued <= tonumber(floor) then return 2 end
  if count == 0 then return 1 end
  max = 0
elseif last or count == 0 then
  return 1
end
local item = string.format('%.0f,', count)
if count <= max then
  if not window or max - count >= 64 or string.find(seen, ',' .. item, 1, true) then return 1 end
end
max = math.max(max, count)
local recent = ','
for each in string.gmatch(seen .. item, '%d+') do
  if max - tonumber(each) < 64 then recent = recent .. each .. ',' end
end
redis.call('HSET', KEYS[1], 'max', string.format('%.0f', max), 'seen', recent)
if redis.call('PTTL', KEYS[1]) < lifetime then redis.call('PEXPIRE', KEYS[1], lifetime) end
return 0
`,
  /** KEYS: key. Returns the count, and the remaining milliseconds. */
  gatehouseFailures: `
local count = redis.pcall('GET', KEYS[1])
return { type(count) == 'string' and tonumber(count) or 0, math.max(0, redis.call('PTTL', KEYS[1])) }
`,
  /** KEYS: key. ARGV: window in milliseconds from the first failure. */
  gatehouseFail: `
local count = redis.pcall('INCR', KEYS[1])
if type(count) == 'table' and (string.find(count.err, 'WRONGTYPE', 1, true) or string.find(count.err, 'not an integer', 1, true)) then
  redis.call('DEL', KEYS[1])
  count = redis.call('INCR', KEYS[1])
elseif type(count) == 'table' then
  return count
end
if count == 1 then redis.call('PEXPIRE', KEYS[1], ARGV[1]) end
return { count, math.max(0, redis.call('PTTL', KEYS[1])) }
`,
} as const;
