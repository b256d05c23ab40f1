import { printableJson } from '../../../src/core/scrub/printable.js';
import type { Fleet } from './fleet.js';

/** For programs. Times are ISO 8601. */
export function json({ at, counts, warnings, services }: Fleet, address: string): string {
  return printableJson({
    prometheus: address,
    time: iso(at),
    warnings,
    counts,
    services: services.map((service) => ({
      ...service,
      builds: service.builds.map((build) => ({ ...build, since: iso(build.since) })),
      instances: service.instances.map((instance) => ({
        ...instance,
        since: iso(instance.since),
        seen: iso(instance.seen),
        findings: instance.findings.map((finding) => ({ ...finding, passed: iso(finding.passed) })),
      })),
    })),
  });
}

function iso(time: number | undefined): string | undefined {
  return time === undefined ? undefined : new Date(time).toISOString();
}
