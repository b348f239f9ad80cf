{{/*
The gateway as a native sidecar, for the `initContainers` of your own chart:
  {{- include "gatehouse.sidecar.container" .Subcharts.gatehouse | nindent 8 }}
It starts before the application and ends after it. The container sets its own user, because the pod belongs to your chart.
*/}}
{{- define "gatehouse.sidecar.container" -}}
{{- $container := include "gatehouse.container" (dict "root" . "program" "gateway") | fromYaml -}}
{{- $runAs := pick (default dict .Values.gateway.podSecurityContext) "runAsNonRoot" "runAsUser" "runAsGroup" -}}
{{- $_ := set $container "securityContext" (merge (default dict $container.securityContext) $runAs) -}}
{{- list (set $container "restartPolicy" "Always") | toYaml -}}
{{- end -}}

{{/*
The containers of the application. The hooks of all containers of a pod run at once. Only the SIGTERM of a sidecar waits for the
other containers. So without its own hook, the application would stop while requests still arrive.
*/}}
{{- define "gatehouse.sidecar.application" -}}
{{- $seconds := .Values.gateway.preStopSeconds -}}
{{- $containers := list -}}
{{- range .Values.sidecar.containers -}}
{{- $lifecycle := default dict .lifecycle -}}
{{- if and $seconds (not $lifecycle.preStop) -}}
{{- $lifecycle = merge (dict "preStop" (dict "sleep" (dict "seconds" $seconds))) $lifecycle -}}
{{- end -}}
{{- $containers = append $containers (ternary (merge (dict "lifecycle" $lifecycle) .) . (gt (len $lifecycle) 0)) -}}
{{- end -}}
{{- include "gatehouse.tightened" (dict "root" . "containers" $containers) -}}
{{- end -}}

{{/* For the `volumes` of the same pod. */}}
{{- define "gatehouse.sidecar.volumes" -}}
{{- include "gatehouse.volumes" (dict "root" . "program" "gateway") -}}
{{- end -}}

{{/* For the `annotations` of the same pod: a changed configuration replaces the pod. Optional: the gateway reloads. */}}
{{- define "gatehouse.sidecar.checksum" -}}
checksum/gatehouse: {{ include "gatehouse.config" (dict "root" . "program" "gateway") | sha256sum }}
{{- end -}}
