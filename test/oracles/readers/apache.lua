-- Apache says what a handler would go by: host, X-Env, op (escaped) and r->uri.
function handle(r)
  local op = r:parseargs()["op"] or ""
  local host = r.hostname or ""
  -- Of an address it keeps what stands between the brackets.
  if host:find(":", 1, true) then host = "[" .. host .. "]" end
  local said = { host, r.headers_in["X-Env"] or "", r:escape(op), r.uri }
  r:puts(table.concat(said, "\n"))
  return apache2.OK
end
