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
  {{- range $listener := include "gatehouse.ownListeners" . | fromJsonArray }}
  - name: {{ $listener }}
    containerPort: {{ get $values.ports $listener }}
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

{{/* By number: Kubernetes looks for a named port only in the container of the probe, and other containers use these lines too. */}}
{{- define "gatehouse.probe" -}}
httpGet:
  path: {{ .path }}
  port: {{ .values.ports.health }}
{{- with .how }}
{{ toYaml . }}
{{- end }}
{{- end -}}

{{/* The listeners of a gateway that exist only if its file names them, as a JSON list. */}}
{{- define "gatehouse.ownListeners" -}}
{{- $values := index .root.Values .program -}}
{{- $there := list -}}
{{- if eq .program "gateway" -}}
{{- range $listener := list "decision" "receiver" -}}
{{- if kindIs "map" (get (default dict $values.config) $listener) }}{{ $there = append $there $listener }}{{ end -}}
{{- end -}}
{{- end -}}
{{- toJson $there -}}
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

{{/* `configMap`: replaces the ConfigMap of the program. Only the group of `fsGroup` may read the files of a Secret. */}}
{{- define "gatehouse.volumes" -}}
{{- $values := index .root.Values .program -}}
- name: gatehouse-config
  configMap:
    name: {{ .configMap | default (include "gatehouse.configMapName" .) }}
{{- with $values.existingSecret }}
- name: gatehouse-secrets
  secret:
    secretName: {{ . }}
    defaultMode: 288 # 0440 in decimal, which all YAML parsers read alike
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
