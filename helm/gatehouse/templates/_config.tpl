{{/* The mounted file of a program: the settings of the chart, overridden by `config`. */}}
{{- define "gatehouse.config" -}}
{{- $values := index .root.Values .program -}}
{{- $config := default dict $values.config -}}
{{- $at := ternary "[::]" "0.0.0.0" (eq $values.bindAddress "::") -}}
{{- $own := dict
      "version" 1
      "listen" (printf "%s:%v" $at $values.ports.http)
      "health" (printf "%s:%v" $at $values.ports.health)
      "admin" (printf "127.0.0.1:%v" $values.ports.admin) -}}
{{- if eq .program "authorization" -}}
{{- $_ := set $own "storage" "sqlite:/data/gatehouse.db" -}}
{{- else -}}
{{- range $listener := list "decision" "receiver" -}}
{{- if kindIs "map" (get $config $listener) -}}
{{- $_ := set $own $listener (dict "listen" (printf "%s:%v" $at (get $values.ports $listener))) -}}
{{- end -}}
{{- end -}}
{{- end -}}
{{- if eq .root.Values.mode "sidecar" -}}
{{- $own = mustMergeOverwrite $own (include "gatehouse.sidecar.config" .root | fromYaml) -}}
{{- end -}}
{{- range $key, $port := $values.ports -}}
{{- $listener := ternary "listen" $key (eq $key "http") -}}
{{- with get $config $listener -}}
{{- include "gatehouse.samePort" (dict "program" $.program "listener" $listener "key" $key "port" $port "told" .) -}}
{{- end -}}
{{- end -}}
{{- toYaml (mustMergeOverwrite $own (deepCopy $config)) -}}
{{- end -}}

{{/* Settings of a gateway beside an application: requests go to the loopback address, and probes through `health`. */}}
{{- define "gatehouse.sidecar.config" -}}
{{- $sidecar := .Values.sidecar -}}
{{- $values := .Values.gateway -}}
{{- $at := ternary "[::]" "0.0.0.0" (eq $values.bindAddress "::") -}}
upstreams:
  application:
    url: http://127.0.0.1:{{ $sidecar.port }}
defaults:
  upstream: application
{{- with $sidecar.probes }}
health:
  listen: {{ printf "%s:%v" $at $values.ports.health | quote }}
  pass:
    {{- range $path, $there := . }}
    {{ $path | quote }}: { upstream: application, path: {{ $there | quote }} }
    {{- end }}
{{- end }}
{{- end -}}

{{/* Service, probes and policies use `ports`, so a listener in `config` must have the same port. */}}
{{- define "gatehouse.samePort" -}}
{{- $address := .told -}}
{{- range until 2 -}}
{{- if kindIs "map" $address -}}
{{- $address = ternary (get $address "port") (get $address "listen") (hasKey $address "port") -}}
{{- end -}}
{{- end -}}
{{- $port := regexFind "[0-9]+$" (toString $address) -}}
{{- if and $address (not (contains "${" (toString $address))) (ne $port (toString .port)) -}}
{{- fail (printf "%s.config.%s is at port %s, and %s.ports.%s is %v: write the same port in both." .program .listener $port .program .key .port) -}}
{{- end -}}
{{- end -}}
