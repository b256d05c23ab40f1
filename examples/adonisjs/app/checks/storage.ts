import { checks } from 'lifesign/adonisjs';

/** Reports a warning while STORAGE is "slow". */
export function storageReachable() {
  if (process.env['STORAGE'] !== 'slow') return [];
  return [new checks.Warning('Storage answers slowly', { id: 'shop.health.W001' })];
}
