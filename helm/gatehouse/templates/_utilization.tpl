{{/* In a sidecar of the gateway alone: where a container of the pod has no requests, the pod has no utilization. */}}
{{- define "gatehouse.utilization" -}}
{{- if .isSidecar -}}
- type: ContainerResource
  containerResource: { container: gatehouse, name: {{ .resource }}, target: { type: Utilization, averageUtilization: {{ .target }} } }
{{- else -}}
- type: Resource
  resource: { name: {{ .resource }}, target: { type: Utilization, averageUtilization: {{ .target }} } }
{{- end -}}
{{- end -}}
