{{/* In a sidecar, only the container of the gateway counts: if a container of the pod has no resource requests, the pod has no utilization. */}}
{{- define "gatehouse.utilization" -}}
{{- if .isSidecar -}}
- type: ContainerResource
  containerResource: { container: gatehouse, name: {{ .resource }}, target: { type: Utilization, averageUtilization: {{ .target }} } }
{{- else -}}
- type: Resource
  resource: { name: {{ .resource }}, target: { type: Utilization, averageUtilization: {{ .target }} } }
{{- end -}}
{{- end -}}
