{{- define "gatehouse.chartLabels" -}}
helm.sh/chart: {{ printf "%s-%s" .Chart.Name .Chart.Version | replace "+" "_" | trunc 63 | trimSuffix "-" }}
app.kubernetes.io/name: {{ include "gatehouse.name" . }}
app.kubernetes.io/instance: {{ .Release.Name }}
app.kubernetes.io/version: {{ .Chart.AppVersion | quote }}
app.kubernetes.io/managed-by: {{ .Release.Service }}
{{- with .Values.commonLabels }}
{{ toYaml . }}
{{- end }}
{{- end -}}

{{/* Labels of an object of a program: (dict "root" $ "program" "gateway") */}}
{{- define "gatehouse.labels" -}}
{{ include "gatehouse.chartLabels" .root }}
app.kubernetes.io/component: {{ .program }}
{{- end -}}

{{/* Labels that only the pods of a program have. */}}
{{- define "gatehouse.podLabels" -}}
app.kubernetes.io/name: {{ include "gatehouse.name" .root }}
app.kubernetes.io/instance: {{ .root.Release.Name }}
app.kubernetes.io/component: {{ .program }}
{{- end -}}

{{/* The selector of these pods. Beside an application of another chart, the selector of the application. */}}
{{- define "gatehouse.selector" -}}
{{- $root := .root -}}
{{- if and (eq $root.Values.mode "sidecar") (not $root.Values.sidecar.containers) -}}
{{- toYaml $root.Values.sidecar.selector -}}
{{- else -}}
{{- include "gatehouse.podLabels" . -}}
{{- end -}}
{{- end -}}

{{/* Annotations below `metadata:`, with a line break before them; empty if there are none. */}}
{{- define "gatehouse.annotations" }}
{{- with . }}
  annotations:
    {{- toYaml . | nindent 4 }}
{{- end }}
{{- end -}}
