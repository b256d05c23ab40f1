import { Inject, Injectable } from '@nestjs/common';
import { checks, Health } from 'lifesign/nestjs';

/** Reports a warning while STORAGE is "slow". It is a provider like any other, and listens for failed heartbeats. */
@Injectable()
export class StorageCheck {
  constructor(@Inject(Health) health: Health) {
    health.on('heartbeatFailed', ({ status }) => console.error(`heartbeat failed: ${status}`));
  }

  check() {
    if (process.env['STORAGE'] !== 'slow') return [];
    return [new checks.Warning('Storage answers slowly', { id: 'shop.health.W001' })];
  }
}
