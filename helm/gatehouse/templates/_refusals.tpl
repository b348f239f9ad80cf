{{/* Values that would render but not work. Each message says what to set. */}}

{{- define "gatehouse.refusals" -}}
{{- $values := index .root.Values .program -}}
{{- if and $values.config $values.existingConfigMap -}}
{{- fail (printf "%s.config and %s.existingConfigMap are both set: keep one of them." .program .program) -}}
{{- end -}}
{{- if not (or $values.config $values.existingConfigMap) -}}
{{- fail (printf "%s.config is empty: set %s.config to the content of %s.yaml, or %s.existingConfigMap to the name of a ConfigMap with this file." .program .program .program .program) -}}
{{- end -}}
{{- if and $values.httpRoute.enabled (not $values.httpRoute.parentRefs) -}}
{{- fail (printf "%s.httpRoute.enabled needs %s.httpRoute.parentRefs: the Gateways that the route joins, such as [{ name: public, namespace: ingress }]." .program .program) -}}
{{- end -}}
{{- if and $values.ingress.enabled (not $values.ingress.hosts) -}}
{{- fail (printf "%s.ingress.enabled needs %s.ingress.hosts: its hostnames, such as [api.example.com]." .program .program) -}}
{{- end -}}
{{- if and (eq .root.Values.mode "sidecar") (not .root.Values.sidecar.containers) (not .root.Values.sidecar.selector) -}}
{{- fail "mode is sidecar, and the chart does not know the application: set sidecar.containers to its containers. If your own chart includes gatehouse.sidecar.container, set sidecar.selector to the labels of its pods." -}}
{{- end -}}
{{- if or (ne .root.Values.mode "sidecar") .root.Values.sidecar.containers -}}
{{- include "gatehouse.refusals.grace" . -}}
{{- end -}}
{{- include "gatehouse.refusals.names" . -}}
{{- include "gatehouse.refusals.secrets" (dict "program" .program "at" (printf "%s.config" .program) "key" "" "value" (default dict $values.config)) -}}
{{- if eq .root.Values.mode "sidecar" -}}
{{- include "gatehouse.refusals.sidecar" .root -}}
{{- end -}}
{{- if and $values.config (gt (include "gatehouse.mostReplicas" . | int) 1) -}}
{{- include (printf "gatehouse.refusals.%s" .program) (dict "values" $values "most" (include "gatehouse.mostReplicas" .)) -}}
{{- end -}}
{{- end -}}

{{/* The kubelet counts the hook, the requests in flight and the stop of the program together. */}}
{{- define "gatehouse.refusals.grace" -}}
{{- $values := index .root.Values .program -}}
{{- $written := get (default dict (get (default dict $values.config) "shutdown")) "deadline" -}}
{{- $told := include "gatehouse.told" (dict "values" $values "key" "shutdown__deadline") | default $written | default "30s" | toString -}}
{{- if regexMatch "^[0-9]+(ms|s|m|h|d)$" $told -}}
{{- $unit := get (dict "ms" 1 "s" 1000 "m" 60000 "h" 3600000 "d" 86400000) (regexFind "[a-z]+$" $told) -}}
{{- $needed := add (mul (regexFind "^[0-9]+" $told | int64) $unit) (mul $values.preStopSeconds 1000) -}}
{{- if ge $needed (mul $values.terminationGracePeriodSeconds 1000) -}}
{{- fail (printf "%s.terminationGracePeriodSeconds is %v, and preStopSeconds (%v) and shutdown.deadline (%s) may together take at least as long: set terminationGracePeriodSeconds to more than their sum, such as %d, or shorten %s.config.shutdown.deadline." .program $values.terminationGracePeriodSeconds $values.preStopSeconds $told (add (div (add $needed 999) 1000) 10) .program) -}}
{{- end -}}
{{- end -}}
{{- end -}}

{{/* `config` becomes a ConfigMap, which everyone with access to the namespace can read. A hash is no secret, and `client_key` names a file. */}}
{{- define "gatehouse.refusals.secrets" -}}
{{- if kindIs "map" .value -}}
{{- range $key, $value := .value -}}
{{- include "gatehouse.refusals.secrets" (dict "program" $.program "at" (printf "%s.%s" $.at $key) "key" $key "value" $value) -}}
{{- end -}}
{{- else if kindIs "slice" .value -}}
{{- range $index, $value := .value -}}
{{- include "gatehouse.refusals.secrets" (dict "program" $.program "at" (printf "%s[%d]" $.at $index) "key" $.key "value" $value) -}}
{{- end -}}
{{- else if not (or (kindIs "bool" .value) (kindIs "invalid" .value)) -}}
{{- $text := toString .value -}}
{{- $named := and (regexMatch "(?i)secr|passw|pwd|^authorization$|_keys$" .key) (not (regexMatch "_(sha256|argon2)$" .key)) -}}
{{- $sent := and (eq .key "value") (regexMatch "\\.credentials\\." .at) -}}
{{- $plain := or (not (contains "${" $text)) (regexMatch "\\$\\{[^}]*:-[^}]" $text) -}}
{{- if and (or $named $sent) $text $plain -}}
{{- fail (printf "%s is a secret in plain text, and would be in a ConfigMap: put it into the Secret of %s.existingSecret, and write ${file:/run/secrets/gatehouse/NAME} here, or ${NAME} with %s.extraEnv." .at .program .program) -}}
{{- end -}}
{{- if regexMatch "^[A-Za-z][A-Za-z0-9+.-]*://[^/?#@:]*:[^/?#@$]+@" $text -}}
{{- fail (printf "%s has a password in plain text, and would be in a ConfigMap: write ${NAME} instead, and set NAME with %s.extraEnv." .at .program) -}}
{{- end -}}
{{- end -}}
{{- end -}}

{{/* Names of containers in a pod must be unique. */}}
{{- define "gatehouse.refusals.names" -}}
{{- $values := index .root.Values .program -}}
{{- $containers := dict (printf "%s.initContainers" .program) $values.initContainers (printf "%s.extraContainers" .program) $values.extraContainers -}}
{{- if eq .root.Values.mode "sidecar" }}{{ $_ := set $containers "sidecar.containers" .root.Values.sidecar.containers }}{{ end -}}
{{- range $key, $each := $containers -}}
{{- range $each -}}
{{- if eq .name "gatehouse" -}}
{{- fail (printf "%s has a container named gatehouse, which is the name of the chart's container: give it another name." $key) -}}
{{- end -}}
{{- end -}}
{{- end -}}
{{- end -}}

{{/* All containers of a pod share one network, so each listener needs its own port. */}}
{{- define "gatehouse.refusals.sidecar" -}}
{{- $port := .Values.sidecar.port -}}
{{- range $key, $taken := .Values.gateway.ports -}}
{{- $named := include "gatehouse.ownListeners" (dict "root" $ "program" "gateway") | fromJsonArray -}}
{{- $isThere := or (not (has $key (list "decision" "receiver"))) (has $key $named) -}}
{{- if and $isThere (eq (int $port) (int $taken)) -}}
{{- fail (printf "sidecar.port is %v, and so is gateway.ports.%s: application and gateway are in one pod, so let the application listen on another port, or set gateway.ports.%s to another port." $port $key $key) -}}
{{- end -}}
{{- end -}}
{{- if and .Values.gateway.networkPolicy.enabled .Values.gateway.networkPolicy.egress (kindIs "invalid" .Values.sidecar.networkPolicy.egress) -}}
{{- fail "gateway.networkPolicy.egress applies to the whole pod, so it also limits the application: set sidecar.networkPolicy.egress to the destinations of the application, such as its database, or to [] if there are none." -}}
{{- end -}}
{{- range $path, $there := .Values.sidecar.probes -}}
{{- range list $path $there -}}
{{- if not (hasPrefix "/" .) -}}
{{- fail (printf "sidecar.probes has %q, which is not a path: write %q." . (printf "/%s" .)) -}}
{{- end -}}
{{- end -}}
{{- end -}}
{{- end -}}

{{- define "gatehouse.mostReplicas" -}}
{{- $values := index .root.Values .program -}}
{{- ternary $values.autoscaling.maxReplicas $values.replicaCount $values.autoscaling.enabled -}}
{{- end -}}

{{/* A key of the file, or the variable that replaces it. */}}
{{- define "gatehouse.told" -}}
{{- $told := get (default dict .values.config) .key -}}
{{- range .values.extraEnv -}}
{{- if or (eq (upper .name) (printf "GATEHOUSE__%s" (upper $.key))) (eq (upper .name) (printf "GATEHOUSE__%s__FILE" (upper $.key))) -}}
{{- $told = default "${variable}" .value -}}
{{- end -}}
{{- end -}}
{{- if kindIs "string" $told }}{{ $told }}{{ else if $told }}{{ toJson $told }}{{ end -}}
{{- end -}}

{{- define "gatehouse.refusals.gateway" -}}
{{- $replicas := printf "the gateway may have %s replicas" .most -}}
{{- $counted := include "gatehouse.counted" .values.config | fromJsonArray | uniq -}}
{{- $counters := include "gatehouse.told" (dict "values" .values "key" "counters") | default "memory" -}}
{{- if and $counted (eq $counters "memory") -}}
{{- fail (printf "%s, and each would count %s alone, in memory: set gateway.config.counters to redis://HOST:6379, or gateway.replicaCount to 1 without autoscaling." $replicas (join ", " $counted)) -}}
{{- end -}}
{{- if and (has "Digest nonces" $counted) (not (include "gatehouse.told" (dict "values" .values "key" "nonce_keys"))) -}}
{{- fail (printf "%s, and each would sign Digest nonces with a random key that the others do not know: set gateway.config.nonce_keys to [\"${file:/run/secrets/gatehouse/nonce.key}\"], with that key in the Secret of gateway.existingSecret (openssl rand -base64 32)." $replicas) -}}
{{- end -}}
{{- if not (include "gatehouse.told" (dict "values" .values "key" "ticket_keys")) -}}
{{- fail (printf "%s, and each would seal tickets with a random key that the others do not know: set gateway.config.ticket_keys to [\"${file:/run/secrets/gatehouse/ticket.key}\"], with that key in the Secret of gateway.existingSecret (openssl rand -base64 32)." $replicas) -}}
{{- end -}}
{{- range $name, $server := .values.config.authorization_servers -}}
{{- if and (or $server.backchannel_logout $server.security_events) (eq $counters "memory") -}}
{{- fail (printf "%s, and only one of them would hear of a logout that gateway.config.authorization_servers.%s reports: set gateway.config.counters to redis://HOST:6379, or gateway.replicaCount to 1 without autoscaling." $replicas $name) -}}
{{- end -}}
{{- if hasPrefix "sqlite:" (toString $server.storage) -}}
{{- fail (printf "%s, and gateway.config.authorization_servers.%s.storage is a SQLite file, which they cannot share: set it to postgres://USER@HOST/DATABASE, or gateway.replicaCount to 1 without autoscaling." $replicas $name) -}}
{{- end -}}
{{- end -}}
{{- end -}}

{{/* The things that the routes of a gateway count, as a JSON list. */}}
{{- define "gatehouse.counted" -}}
{{- $counted := list -}}
{{- range .routes -}}
{{- if .rate_limit }}{{ $counted = append $counted "rate limits" }}{{ end -}}
{{- $kinds := list -}}
{{- if kindIs "map" .auth }}{{ $kinds = .auth.any_of }}{{ else if .auth }}{{ $kinds = list .auth }}{{ end -}}
{{- if has "digest" $kinds }}{{ $counted = append $counted "Digest nonces" }}{{ end -}}
{{- if has "basic" $kinds }}{{ $counted = append $counted "wrong passwords" }}{{ end -}}
{{- end -}}
{{- $counted | toJson -}}
{{- end -}}

{{- define "gatehouse.refusals.authorization" -}}
{{- $replicas := printf "the authorization service may have %s replicas" .most -}}
{{- $storage := include "gatehouse.told" (dict "values" .values "key" "storage") | default "sqlite:" -}}
{{- if hasPrefix "sqlite:" $storage -}}
{{- fail (printf "%s, and storage is SQLite, which they cannot share: set authorization.config.storage to postgres://USER@HOST/DATABASE and authorization.config.encryption_keys, or authorization.replicaCount to 1 without autoscaling." $replicas) -}}
{{- end -}}
{{- if not (include "gatehouse.told" (dict "values" .values "key" "encryption_keys")) -}}
{{- fail (printf "%s, and they need a common encryption key: set authorization.config.encryption_keys to [\"${file:/run/secrets/gatehouse/encryption.key}\"], with that key in the Secret of authorization.existingSecret (openssl rand -base64 32)." $replicas) -}}
{{- end -}}
{{- if eq (include "gatehouse.told" (dict "values" .values "key" "counters") | default "memory") "memory" -}}
{{- fail (printf "%s, and each would count wrong secrets alone, in memory: set authorization.config.counters to redis://HOST:6379, or authorization.replicaCount to 1 without autoscaling." $replicas) -}}
{{- end -}}
{{- end -}}

{{/* Not empty if two pods, even for a moment during an update, would write to the same file. */}}
{{- define "gatehouse.onlyOnePod" -}}
{{- $values := index .root.Values .program -}}
{{- include "gatehouse.onVolume" . -}}
{{- if eq .program "gateway" -}}
{{- if get (default dict (get (default dict $values.config) "receiver")) "file" }}yes{{ end -}}
{{- end -}}
{{- end -}}

{{/* Not empty if the database is a file on the volume of the pod. */}}
{{- define "gatehouse.onVolume" -}}
{{- if eq .program "authorization" -}}
{{- $values := index .root.Values .program -}}
{{- if hasPrefix "sqlite:" (include "gatehouse.told" (dict "values" $values "key" "storage") | default (ternary "" "sqlite:" (ne $values.existingConfigMap ""))) }}yes{{ end -}}
{{- end -}}
{{- end -}}
