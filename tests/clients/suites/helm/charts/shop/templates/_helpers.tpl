{{- define "shop.password" -}}
{{- $found := lookup "v1" "Secret" .Release.Namespace (include "common.name" .) -}}
{{- if $found -}}{{ index $found.data "password" }}{{- else -}}{{ randAlphaNum 16 | b64enc }}{{- end -}}
{{- end }}
