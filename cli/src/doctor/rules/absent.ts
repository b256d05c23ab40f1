import { isStore, servesClients } from '../traits.js';
import type { Need } from '../workload.js';
import { ofRole } from './paths.js';
import type { Rule } from './rule.js';

export const noReadiness: Rule = {
  id: 'no-readiness',
  level: 'hazard',
  source:
    'https://kubernetes.io/docs/concepts/configuration/liveness-readiness-startup-probes/#readiness-probe',
  judge: (workload) => {
    const { format, line, unchecked } = workload;
    if (format === 'nomad' && unchecked !== undefined && workload.lasting !== false) {
      return {
        line: unchecked,
        sentence:
          'The service is registered without a check: it gets requests before it listens, and after it has failed.',
      };
    }
    if (format !== 'kubernetes' || !servesClients(workload)) return [];
    if (ofRole(workload, 'readiness').length > 0) return [];
    return {
      line,
      sentence:
        'The container has a port and no readiness probe: it gets requests as soon as its process runs, before it listens, and a rollout replaces all instances with ones that never answer.',
    };
  },
};

/** Programs for people, which can wait for their data. */
const viewers =
  /adminer|pgadmin|phpmyadmin|mongo-express|redis-?(?:commander|insight)|kafka-ui|akhq|exporter|mailhog|grafana|kibana|dashboard/i;

/** Programs that wait themselves. */
const waiters = /wait-?for|wait-?on|wait4|dockerize|\bnc -z/i;

export const dependsOn: Rule = {
  id: 'depends-on',
  level: 'advice',
  source: 'https://docs.docker.com/compose/how-tos/startup-order/',
  judge: ({ needs = [], image = '', start }) => {
    if (viewers.test(image) || waiters.test(start?.words.join(' ') ?? '')) return [];
    const never = needs.filter(
      (need) =>
        need.condition === 'service_healthy' && (need.off === true || (!need.checked && isStore(need))),
    );
    if (never.length > 0)
      return never.map(({ line, name, off }) => ({
        line,
        level: 'hazard' as const,
        sentence: `depends_on waits until ${name} is healthy, but ${off === true ? 'its health check is turned off' : 'neither this file nor its image has a health check'}: the service never starts.`,
      }));
    const bare = needs.filter((need) => need.condition === undefined && (need.checked || isStore(need)));
    const [first] = bare;
    if (first === undefined) return [];
    const unchecked = bare.filter(({ checked }) => !checked).map(({ name }) => name);
    return {
      line: first.line,
      sentence: `depends_on waits only until ${namesOf(bare)} ${bare.length === 1 ? 'is' : 'are'} started, not until ${bare.length === 1 ? 'it answers' : 'they answer'}: the service starts into refused connections.${unchecked.length === 0 ? '' : ` Give ${unchecked.join(', ')} a healthcheck, too.`} Write condition: service_healthy.`,
    };
  },
};

const namesOf = (needs: readonly Need[]): string => needs.map(({ name }) => name).join(', ');
