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
  # allow DNS at any address, because a policy cannot select resolvers on the node by label
  - ports:
      - { port: 53, protocol: UDP }
      - { port: 53, protocol: TCP }
  {{- toYaml . | nindent 2 }}
{{- end -}}
