import type { Described } from './fake.js';

const [minute, hour, day] = [60, 3600, 86_400];
const old = { version: '1.4.1', commit: '0123456789abcdef0123456789abcdef01234567', started: 3 * day };
const young = { version: '1.4.2', commit: '9f3c21a4b0d19f3c21a4b0d19f3c21a4b0d19f3c', started: 4 * minute };

/** Two services in the middle of a rollout that goes wrong: the one of docs/fleet.md. */
export const shop: readonly Described[] = [
  { job: 'shop', instance: '10.0.0.1:8000', ...old },
  { job: 'shop', instance: '10.0.0.2:8000', ...old, draining: true },
  {
    job: 'shop',
    instance: '10.0.0.3:8000',
    ...young,
    checks: { check_database_connected: [40, 'health.E001'], disk: [20, 'shop.I001'] },
  },
  { job: 'shop', instance: '10.0.0.4:8000', ...young, up: false },
  { job: 'shop', instance: '10.0.0.5:8000', ...old, gone: 5 * minute },
  { job: 'mail', instance: '10.0.1.1:8000', version: '2.0.0', commit: 'cafe'.repeat(10), started: 2 * hour },
];

/** A thousand instances of ten services: each hundredth fails, some leave, some are gone. */
export function thousand(count = 1000): readonly Described[] {
  return Array.from({ length: count }, (_, index): Described => {
    const base = {
      job: `service-${index % 10}`,
      instance: `10.1.${Math.floor(index / 250)}.${index % 250}:8000`,
      ...(index % 4 === 0 ? young : old),
    };
    if (index % 100 === 3) return { ...base, checks: { check_redis_connected: [40, 'health.E004'] } };
    if (index % 250 === 5) return { ...base, up: false };
    if (index % 250 === 6) return { ...base, gone: 10 * minute };
    return index % 200 === 7 ? { ...base, draining: true } : base;
  });
}
