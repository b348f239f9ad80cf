{{- define "gatehouse.ingressRule" -}}
- ports:
    - { port: {{ .port }}, protocol: TCP }
{{- with .from }}
  from:
    {{- toYaml . | nindent 4 }}
{{- end }}
{{- end -}}
