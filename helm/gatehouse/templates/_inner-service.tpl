{{/* A listener that clients must not reach has a separate Service, which no load balancer publishes. */}}
{{- define "gatehouse.innerService" }}
{{- $port := get (index .root.Values .program).ports .listener }}
---
apiVersion: v1
kind: Service
metadata:
  name: {{ include "gatehouse.programName" . }}-{{ .listener }}
  labels:
    {{- include "gatehouse.labels" . | nindent 4 }}
    gatehouse/listener: {{ .listener }}
  {{- include "gatehouse.annotations" .root.Values.commonAnnotations }}
spec:
  type: ClusterIP
  selector:
    {{- include "gatehouse.selector" . | nindent 4 }}
  ports:
    - name: {{ .listener }}
      port: {{ $port }}
      targetPort: {{ $port }}
{{- end }}
