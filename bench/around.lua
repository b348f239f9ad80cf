-- For `wrk -s`: runs the script that BENCH_SCRIPT names, if any, and prints in the end what `--latency` leaves out.
local file = os.getenv("BENCH_SCRIPT")
if file and file ~= "" then dofile(file) end

local before = done
function done(summary, latency, requests)
  if before then before(summary, latency, requests) end
  print(string.format("99.9%%: %.1f us", latency:percentile(99.9)))
end
