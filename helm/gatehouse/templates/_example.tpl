{{/* For NOTES: a route that accepts a GET with a scope, as JSON { path, scope, host }; empty if the file has none. */}}
{{- define "gatehouse.exampleRoute" -}}
{{- $found := dict -}}
{{- range .routes -}}
{{- $methods := default (list "GET") .match.methods -}}
{{- $isPlain := and (kindIs "string" .scope) (has "GET" $methods) (eq (default "bearer" .auth | toString) "bearer") -}}
{{- $hasOthers := or .match.headers .match.query .match.soap_action .claims .when (contains "{" (default "" .match.host)) -}}
{{- if and $isPlain (not $hasOthers) (not $found) -}}
{{- $found = dict "path" (regexReplaceAll "\\{[^}]*\\}" .match.path "1") "scope" .scope "host" (default "" .match.host) -}}
{{- end -}}
{{- end -}}
{{- if $found }}{{ toJson $found }}{{ end -}}
{{- end -}}

{{/* A client that may request this scope for itself, as JSON { id, secret }. (dict "config" … "scope" …) */}}
{{- define "gatehouse.exampleClient" -}}
{{- $found := dict -}}
{{- range .config.clients -}}
{{- $client := . -}}
{{- $may := and (has "client_credentials" (default list .grant_types)) (or .client_secret .app_secret) -}}
{{- range splitList " " $.scope -}}
{{- if not (has . (splitList " " (default "" $client.scope))) }}{{ $may = false }}{{ end -}}
{{- end -}}
{{- if and $may (not $found) -}}
{{- $found = dict "id" (default .app_id .client_id) "secret" (default .app_secret .client_secret) -}}
{{- end -}}
{{- end -}}
{{- if $found }}{{ toJson $found }}{{ end -}}
{{- end -}}

{{/* The command that reads a secret which the file names. (dict "root" $ "secret" "${NAME}") */}}
{{- define "gatehouse.readSecret" -}}
{{- $values := .root.Values.authorization -}}
{{- $key := regexFind "/run/secrets/gatehouse/[^}]+" .secret | base -}}
{{- $name := trimAll "${}" .secret -}}
{{- $from := dict -}}
{{- if and $values.existingSecret (contains "${file:/run/secrets/gatehouse/" .secret) -}}
{{- $from = dict "name" $values.existingSecret "key" $key -}}
{{- end -}}
{{- range $values.extraEnv -}}
{{- if and (eq .name $name) .valueFrom }}{{ $from = default dict .valueFrom.secretKeyRef }}{{ end -}}
{{- end -}}
{{- if $from -}}
$(kubectl --namespace {{ .root.Release.Namespace }} get secret {{ $from.name }} --output jsonpath='{.data.{{ $from.key | replace "." "\\." }}}' | base64 --decode)
{{- else -}}
'the secret of this client'
{{- end -}}
{{- end -}}
