{{- define "tidewater.name" -}}
{{- default .Chart.Name .Values.nameOverride | trunc 63 | trimSuffix "-" -}}
{{- end -}}
{{- define "tidewater.full" -}}
{{- printf "%s-%s" .Release.Name (include "tidewater.name" .) | trunc 63 | trimSuffix "-" -}}
{{- end -}}
{{- define "tidewater.selector" -}}
app.kubernetes.io/name: {{ include "tidewater.name" . }}
app.kubernetes.io/instance: {{ .Release.Name }}
{{- end -}}
{{- define "tidewater.labels" -}}
helm.sh/chart: {{ printf "%s-%s" .Chart.Name .Chart.Version | replace "+" "_" }}
{{ include "tidewater.selector" . }}
{{- with .Chart.AppVersion }}
app.kubernetes.io/version: {{ . | quote }}
{{- end }}
app.kubernetes.io/managed-by: {{ .Release.Service }}
{{- end -}}
{{- define "tidewater.account" -}}
{{- if .Values.serviceAccount.create -}}
{{- default (include "tidewater.full" .) .Values.serviceAccount.name -}}
{{- else -}}
{{- default "default" .Values.serviceAccount.name -}}
{{- end -}}
{{- end -}}
