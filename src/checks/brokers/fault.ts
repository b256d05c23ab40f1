import * as messageIds from '../../core/heartbeat/message-ids.js';
import { Unavailable } from '../key-values/store.js';
import type { Fault } from '../reasons.js';
import { Unconnected } from './broker.js';
import { brokerReason } from './reasons.js';

/** The kinds of broker faults, by what an operator does about them. */
export type BrokerFault = Fault | Unconnected['fault'];

/** The fault of whatever a client failed with, and a sentence without secrets. */
export function faultOf(thrown: unknown): { readonly fault: BrokerFault; readonly text: string } {
  if (thrown instanceof Unconnected) return { fault: thrown.fault, text: thrown.message };
  if (thrown instanceof Unavailable) {
    return { fault: thrown.id === messageIds.redisMissing ? 'missing' : 'unreachable', text: thrown.message };
  }
  return brokerReason(thrown);
}
