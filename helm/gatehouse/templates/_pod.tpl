{{- define "gatehouse.podMetadata" -}}
{{- $values := index .root.Values .program -}}
{{- $annotations := merge (dict) $values.podAnnotations .root.Values.commonAnnotations -}}
{{- if and $values.restartOnConfigChange $values.config -}}
{{- $_ := set $annotations "checksum/config" (include "gatehouse.config" . | sha256sum) -}}
{{- end -}}
labels:
  {{- include "gatehouse.labels" . | nindent 2 }}
  {{- with $values.podLabels }}
  {{- toYaml . | nindent 2 }}
  {{- end }}
{{- with $annotations }}
annotations:
  {{- toYaml . | nindent 2 }}
{{- end }}
{{- end -}}

{{/* The common settings of all pods of the chart. */}}
{{- define "gatehouse.podBase" -}}
{{- $root := .root -}}
{{- $values := index $root.Values .program -}}
automountServiceAccountToken: false
enableServiceLinks: false
securityContext:
  {{- toYaml $values.podSecurityContext | nindent 2 }}
{{- with $root.Values.image.pullSecrets }}
imagePullSecrets:
  {{- toYaml . | nindent 2 }}
{{- end }}
{{- with $values.priorityClassName }}
priorityClassName: {{ . }}
{{- end }}
{{- with $values.nodeSelector }}
nodeSelector:
  {{- toYaml . | nindent 2 }}
{{- end }}
{{- with $values.tolerations }}
tolerations:
  {{- toYaml . | nindent 2 }}
{{- end }}
{{- with $values.affinity }}
affinity:
  {{- toYaml . | nindent 2 }}
{{- end }}
{{- end -}}

{{- define "gatehouse.podSpec" -}}
{{- $root := .root -}}
{{- $values := index $root.Values .program -}}
{{- $isSidecar := eq $root.Values.mode "sidecar" -}}
serviceAccountName: {{ include "gatehouse.serviceAccountName" $root }}
{{ include "gatehouse.podBase" . }}
terminationGracePeriodSeconds: {{ $values.terminationGracePeriodSeconds }}
{{- with $values.topologySpreadConstraints }}
topologySpreadConstraints:
  {{- range . }}
  {{- $own := dict "labelSelector" (dict "matchLabels" (include "gatehouse.podLabels" $ | fromYaml)) "maxSkew" 1 "whenUnsatisfiable" "ScheduleAnyway" }}
  - {{ toYaml (merge (dict) . $own) | nindent 4 | trim }}
  {{- end }}
{{- end }}
{{- if or $isSidecar $values.initContainers }}
initContainers:
  {{- with $values.initContainers }}
  {{- include "gatehouse.tightened" (dict "root" $root "containers" .) | nindent 2 }}
  {{- end }}
  {{- if $isSidecar }}
  {{- include "gatehouse.sidecar.container" $root | nindent 2 }}
  {{- end }}
{{- end }}
containers:
  {{- if $isSidecar }}
  {{- include "gatehouse.sidecar.application" $root | nindent 2 }}
  {{- else }}
  - {{ include "gatehouse.container" . | nindent 4 | trim }}
  {{- end }}
  {{- with $values.extraContainers }}
  {{- include "gatehouse.tightened" (dict "root" $root "containers" .) | nindent 2 }}
  {{- end }}
volumes:
  {{- include "gatehouse.volumes" . | nindent 2 }}
{{- end -}}

{{/* Containers of the user with security defaults: a strict cluster rejects the whole pod because of one container. */}}
{{- define "gatehouse.tightened" -}}
{{- $containers := list -}}
{{- range .containers -}}
{{- $context := deepCopy (default dict .securityContext) -}}
{{- include "gatehouse.filled" (dict "into" $context "from" (default dict $.root.Values.containerSecurityContext)) -}}
{{- $containers = append $containers (ternary (set (deepCopy .) "securityContext" $context) . (gt (len $context) 0)) -}}
{{- end -}}
{{- toYaml $containers -}}
{{- end -}}

{{/* Sets each key of `from` that `into` lacks. `merge` would replace a `false`. */}}
{{- define "gatehouse.filled" -}}
{{- range $key, $value := .from -}}
{{- if not (hasKey $.into $key) -}}
{{- $_ := set $.into $key $value -}}
{{- else if and (kindIs "map" $value) (kindIs "map" (get $.into $key)) -}}
{{- include "gatehouse.filled" (dict "into" (get $.into $key) "from" $value) -}}
{{- end -}}
{{- end -}}
{{- end -}}
