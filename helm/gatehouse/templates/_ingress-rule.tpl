{{- define "gatehouse.ingressRule" -}}
- ports:
    - { port: {{ .port }}, protocol: TCP }
{{- with .from }}
  from:
    {{- toYaml . | nindent 4 }}
{{- end }}
{{- end -}}

{{- define "gatehouse.egress" -}}
egress:
  # DNS at any address: resolvers on the node have no labels
  - ports:
      - { port: 53, protocol: UDP }
      - { port: 53, protocol: TCP }
  {{- toYaml . | nindent 2 }}
{{- end -}}
