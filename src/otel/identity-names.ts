/** The attributes that say which build a service is, by their names in OpenTelemetry's semantic conventions. */
export const identityNames = ['service.version', 'vcs.ref.head.revision', 'vcs.repository.url.full'] as const;
