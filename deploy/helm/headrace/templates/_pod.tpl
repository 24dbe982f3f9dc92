{{/* Selector labels. Takes root, component and name. */}}
{{- define "headrace.selector" -}}
app.kubernetes.io/name: headrace
app.kubernetes.io/instance: {{ .root.Release.Name }}
app.kubernetes.io/component: {{ .component }}
headrace/name: {{ .name }}
{{- end }}

{{- define "headrace.labels" -}}
{{ include "headrace.selector" . }}
app.kubernetes.io/version: {{ .root.Chart.AppVersion | quote }}
app.kubernetes.io/managed-by: {{ .root.Release.Service }}
helm.sh/chart: {{ .root.Chart.Name }}-{{ .root.Chart.Version }}
{{- end }}

{{/* The image of the command, or one of its own. */}}
{{- define "headrace.image" -}}
{{- $image := .image | default .root.Values.image -}}
{{ $image.repository }}:{{ $image.tag | default .root.Chart.AppVersion }}
{{- end }}

{{- define "headrace.podSettings" -}}
automountServiceAccountToken: false
{{- with .Values.serviceAccountName }}
serviceAccountName: {{ . }}
{{- end }}
{{- with .Values.imagePullSecrets }}
imagePullSecrets: {{ toYaml . | nindent 2 }}
{{- end }}
{{- with .Values.nodeSelector }}
nodeSelector: {{ toYaml . | nindent 2 }}
{{- end }}
{{- with .Values.tolerations }}
tolerations: {{ toYaml . | nindent 2 }}
{{- end }}
securityContext:
  runAsNonRoot: true
  fsGroup: 65532
  fsGroupChangePolicy: OnRootMismatch
  seccompProfile: { type: RuntimeDefault }
{{- end }}

{{- define "headrace.containerSecurity" -}}
allowPrivilegeEscalation: false
readOnlyRootFilesystem: true
capabilities: { drop: [ALL] }
{{- end }}

{{/* Variables of the queue, and those of secrets. Takes root, kafkaSecret and envSecrets. */}}
{{- define "headrace.env" -}}
env:
  - { name: HEADRACE_QUEUE, value: {{ .root.Values.queue.url | quote }} }
  {{- if .kafkaSecret | default .root.Values.queue.secret }}
  - { name: HEADRACE_KAFKA_CONFIG, value: /etc/headrace/client.properties }
  {{- end }}
{{- with .envSecrets }}
envFrom:
  {{- range . }}
  - secretRef: { name: {{ . | quote }} }
  {{- end }}
{{- end }}
{{- end }}
