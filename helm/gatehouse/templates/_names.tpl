{{- define "gatehouse.name" -}}
{{- default .Chart.Name .Values.nameOverride | trunc 63 | trimSuffix "-" -}}
{{- end -}}

{{/* 40 characters leave room for the longest suffix. */}}
{{- define "gatehouse.fullname" -}}
{{- $name := include "gatehouse.name" . -}}
{{- $full := ternary .Release.Name (printf "%s-%s" .Release.Name $name) (contains $name .Release.Name) -}}
{{- default $full .Values.fullnameOverride | trunc 40 | trimSuffix "-" -}}
{{- end -}}

{{/* The name of a program: (dict "root" $ "program" "gateway") */}}
{{- define "gatehouse.programName" -}}
{{- printf "%s-%s" (include "gatehouse.fullname" .root) .program -}}
{{- end -}}

{{- define "gatehouse.configMapName" -}}
{{- $values := index .root.Values .program -}}
{{- default (include "gatehouse.programName" .) $values.existingConfigMap -}}
{{- end -}}

{{- define "gatehouse.claimName" -}}
{{- default (include "gatehouse.programName" .) (index .root.Values .program).persistence.existingClaim -}}
{{- end -}}

{{- define "gatehouse.serviceAccountName" -}}
{{- $fallback := ternary (include "gatehouse.fullname" .) "default" .Values.serviceAccount.create -}}
{{- default $fallback .Values.serviceAccount.name -}}
{{- end -}}

{{- define "gatehouse.image" -}}
{{- $image := .Values.image -}}
{{- $host := splitList "/" $image.repository | first -}}
{{- if and (not $image.registry) (not (and (contains "/" $image.repository) (regexMatch "[.:]|^localhost$" $host))) -}}
{{- fail (printf "image.registry is empty, and no public registry has %s: set image.registry to the registry that has the image, such as registry.example.com (docs/cookbook/kubernetes.md#the-image)." $image.repository) -}}
{{- end -}}
{{- $name := ternary (printf "%s/%s" $image.registry $image.repository) $image.repository (ne $image.registry "") -}}
{{- if $image.digest -}}
{{- printf "%s@%s" $name $image.digest -}}
{{- else -}}
{{- printf "%s:%s" $name (default .Chart.AppVersion $image.tag) -}}
{{- end -}}
{{- end -}}

{{/* The programs that the mode installs, as a JSON list. */}}
{{- define "gatehouse.programs" -}}
{{- get (dict "gateway" (list "gateway") "authorization" (list "authorization") "both" (list "gateway" "authorization") "sidecar" (list "gateway")) .Values.mode | toJson -}}
{{- end -}}
