{{/* For NOTES: settings that work, but may not be intended. Each warning says what to set. */}}
{{- define "gatehouse.warnings" -}}
{{- range $program := include "gatehouse.programs" . | fromJsonArray -}}
{{- $scope := dict "root" $ "program" $program "values" (index $.Values $program) -}}
{{- include "gatehouse.warnings.proxies" $scope -}}
{{- include "gatehouse.warnings.egress" $scope -}}
{{- end -}}
{{- if and (eq .Values.mode "sidecar") .Values.gateway.networkPolicy.enabled -}}
{{- include "gatehouse.warnings.ports" . -}}
{{- end -}}
{{- if and .Values.metrics.serviceMonitor.enabled (not .Values.metrics.serviceMonitor.labels) }}

metrics.serviceMonitor.labels is empty. Prometheus usually selects monitors by labels, so it does not find this one. Set labels, such as release: kube-prometheus-stack.
{{- end -}}
{{- end -}}

{{/* A proxy of the cluster is in front, so every client would have its address. */}}
{{- define "gatehouse.warnings.proxies" -}}
{{- $in := ternary "ingress" (ternary "httpRoute" "" .values.httpRoute.enabled) .values.ingress.enabled -}}
{{- if and $in .values.config (not (include "gatehouse.told" (dict "values" .values "key" "trusted_proxies"))) }}

{{ .program }}.{{ $in }} is enabled, and {{ .program }}.config.trusted_proxies is not set. Every client then has the address of the proxy in limits and logs. Set trusted_proxies to the addresses of the proxy's pods, such as [10.244.3.0/24].
{{- end -}}
{{- end -}}

{{/* Only by port: the chart does not know the pods behind a hostname. */}}
{{- define "gatehouse.warnings.egress" -}}
{{- $policy := .values.networkPolicy -}}
{{- if and $policy.enabled $policy.egress .values.config -}}
{{- $rules := $policy.egress -}}
{{- if eq .root.Values.mode "sidecar" }}{{ $rules = concat $rules (default list .root.Values.sidecar.networkPolicy.egress) }}{{ end -}}
{{- range $key := list "counters" "storage" -}}
{{- $url := include "gatehouse.told" (dict "values" $.values "key" $key) -}}
{{- $port := include "gatehouse.portOf" $url -}}
{{- if and $port (not (include "gatehouse.reaches" (dict "rules" $rules "port" $port))) }}

No rule of {{ $.program }}.networkPolicy.egress has port {{ $port }}, which {{ $.program }}.config.{{ $key }} needs. Add a rule with this port, unless another NetworkPolicy allows it, or the Service forwards this port to another port.
{{- end -}}
{{- end -}}
{{- end -}}
{{- end -}}

{{/* The port of the URL of a Redis or a PostgreSQL; empty if it is neither, or comes from a variable. */}}
{{- define "gatehouse.portOf" -}}
{{- $default := get (dict "redis" "6379" "rediss" "6379" "postgres" "5432" "postgresql" "5432") (regexFind "^[a-z]+" .) -}}
{{- $host := regexReplaceAll "^[a-z]+://([^@/]*@)?([^/?]*).*$" . "${2}" -}}
{{- if and $default (contains "://" .) (not (contains "$" $host)) -}}
{{- regexFind ":[0-9]+$" $host | trimPrefix ":" | default $default -}}
{{- end -}}
{{- end -}}

{{- define "gatehouse.reaches" -}}
{{- $port := int .port -}}
{{- range .rules -}}
{{- if not .ports }}yes{{ end -}}
{{- range .ports -}}
{{- $isNumber := regexMatch "^[0-9]+$" (toString .port) -}}
{{- if and (eq (default "TCP" .protocol) "TCP") (or (not $isNumber) (and (ge $port (int .port)) (le $port (int (default .port .endPort))))) }}yes{{ end -}}
{{- end -}}
{{- end -}}
{{- end -}}

{{/* Ports that the application declares, but that the policy of its pod closes. */}}
{{- define "gatehouse.warnings.ports" -}}
{{- $open := dict "rules" .Values.sidecar.networkPolicy.ingress -}}
{{- range $container := .Values.sidecar.containers -}}
{{- range .ports -}}
{{- $isOurs := has (int .containerPort) (list (int $.Values.sidecar.port)) -}}
{{- if not (or $isOurs (include "gatehouse.reaches" (merge (dict "port" .containerPort) $open))) }}

The NetworkPolicy closes port {{ .containerPort }} of the container {{ $container.name }}: add a rule to sidecar.networkPolicy.ingress if other pods must connect to it.
{{- end -}}
{{- end -}}
{{- end -}}
{{- end -}}
