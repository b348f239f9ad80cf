{{/*
The gateway as a native sidecar, for the `initContainers` of a chart of your own:
  {{- include "gatehouse.sidecar.container" .Subcharts.gatehouse | nindent 8 }}
It starts before the application and ends after it.
*/}}
{{- define "gatehouse.sidecar.container" -}}
{{- $container := include "gatehouse.container" (dict "root" . "program" "gateway") | fromYaml -}}
{{- list (set $container "restartPolicy" "Always") | toYaml -}}
{{- end -}}

{{/* For the `volumes` of the same pod. */}}
{{- define "gatehouse.sidecar.volumes" -}}
{{- include "gatehouse.volumes" (dict "root" . "program" "gateway") -}}
{{- end -}}

{{/* For the `annotations` of the same pod: replaces it when the configuration changes. Not needed, as the gateway follows. */}}
{{- define "gatehouse.sidecar.checksum" -}}
checksum/gatehouse: {{ include "gatehouse.config" (dict "root" . "program" "gateway") | sha256sum }}
{{- end -}}
