{{/* The container of a program. */}}
{{- define "gatehouse.container" -}}
{{- $root := .root -}}
{{- $values := index $root.Values .program -}}
name: gatehouse
image: {{ include "gatehouse.image" $root | quote }}
imagePullPolicy: {{ $root.Values.image.pullPolicy }}
args:
  - {{ .program }}
  - --config
  - /etc/gatehouse/{{ .program }}.yaml
  {{- with $values.extraArgs }}
  {{- toYaml . | nindent 2 }}
  {{- end }}
{{- with $values.extraEnv }}
env:
  {{- toYaml . | nindent 2 }}
{{- end }}
{{- with $values.extraEnvFrom }}
envFrom:
  {{- toYaml . | nindent 2 }}
{{- end }}
ports:
  - name: http
    containerPort: {{ $values.ports.http }}
  - name: health
    containerPort: {{ $values.ports.health }}
  {{- if include "gatehouse.hasDecision" . }}
  - name: decision
    containerPort: {{ $values.ports.decision }}
  {{- end }}
startupProbe:
  {{- include "gatehouse.probe" (dict "path" "/livez" "values" $values "how" $values.startupProbe) | nindent 2 }}
livenessProbe:
  {{- include "gatehouse.probe" (dict "path" "/livez" "values" $values "how" $values.livenessProbe) | nindent 2 }}
readinessProbe:
  {{- include "gatehouse.probe" (dict "path" "/readyz" "values" $values "how" $values.readinessProbe) | nindent 2 }}
{{- with $values.preStopSeconds }}
lifecycle:
  preStop:
    sleep:
      seconds: {{ . }}
{{- end }}
resources:
  {{- toYaml $values.resources | nindent 2 }}
securityContext:
  {{- toYaml $values.securityContext | nindent 2 }}
volumeMounts:
  {{- include "gatehouse.volumeMounts" . | nindent 2 }}
{{- end -}}

{{/* By number: a named port is looked for in the container of the probe only, and other containers use these lines too. */}}
{{- define "gatehouse.probe" -}}
httpGet:
  path: {{ .path }}
  port: {{ .values.ports.health }}
{{- with .how }}
{{ toYaml . }}
{{- end }}
{{- end -}}

{{- define "gatehouse.hasDecision" -}}
{{- $values := index .root.Values .program -}}
{{- if and (eq .program "gateway") (default dict $values.config).decision }}yes{{ end -}}
{{- end -}}

{{- define "gatehouse.volumeMounts" -}}
{{- $values := index .root.Values .program -}}
- name: gatehouse-config
  mountPath: /etc/gatehouse
  readOnly: true
{{- if $values.existingSecret }}
- name: gatehouse-secrets
  mountPath: /run/secrets/gatehouse
  readOnly: true
{{- end }}
{{- if include "gatehouse.onVolume" . }}
- name: data
  mountPath: /data
{{- end }}
{{- with $values.extraVolumeMounts }}
{{ toYaml . }}
{{- end }}
{{- end -}}

{{/* `configMap`: in place of that of the program. Files of a Secret are readable by the group of `fsGroup` and by nobody else. */}}
{{- define "gatehouse.volumes" -}}
{{- $values := index .root.Values .program -}}
- name: gatehouse-config
  configMap:
    name: {{ .configMap | default (include "gatehouse.configMapName" .) }}
{{- with $values.existingSecret }}
- name: gatehouse-secrets
  secret:
    secretName: {{ . }}
    defaultMode: 288 # 0440, in the way that every reader of YAML takes the same
{{- end }}
{{- if include "gatehouse.onVolume" . }}
- name: data
  {{- if $values.persistence.enabled }}
  persistentVolumeClaim:
    claimName: {{ include "gatehouse.claimName" . }}
  {{- else }}
  emptyDir: {}
  {{- end }}
{{- end }}
{{- with $values.extraVolumes }}
{{ toYaml . }}
{{- end }}
{{- end -}}
