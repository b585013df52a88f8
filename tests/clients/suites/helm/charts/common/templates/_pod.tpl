{{/* The arguments: top, name, outcome. The outcome is what the node of the suite makes of the pod. */}}
{{- define "common.task" -}}
metadata:
  annotations:
    suite/outcome: {{ .outcome | default "succeed" }}
spec:
  restartPolicy: Never
  containers:
    - name: {{ .name }}
      image: {{ .top.Values.image | default "tools:1" }}
      command: ["true"]
{{- end }}
