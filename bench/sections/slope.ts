// Growth: straight, and no steeper than its budget.
import { two, whole } from '../report.js';
import { judge, scaled, shownBudget, type Verdict } from '../verdict.js';

/** The last part of a straight line may be this much steeper than the one before it. */
const mostBend = 1.5;

export interface Point {
  readonly many: number;
  /** CPU microseconds. */
  readonly cost: number;
}

interface Growth extends Verdict {
  readonly text: string;
}

const between = (one: Point, other: Point) => (other.cost - one.cost) / (other.many - one.many);

/**
 * Judges how a cost grows, by the slope between the last two points. `budget` is in microseconds on the reference machine,
 * `calibration` what an empty response takes on this one.
 */
export function slopeOf(
  name: string,
  unit: string,
  points: readonly Point[],
  calibration: number,
  budget: number,
  /** Why it is missed, if that is known and accepted for now. */
  because?: string,
): Growth {
  const [before, from, to] = points.slice(-3);
  if (before === undefined || from === undefined || to === undefined) throw new Error('needs three points');
  const [earlier, slope] = [between(before, from), between(from, to)];
  const allowed = scaled(budget, calibration);
  const limit = shownBudget(`, budget ${two(allowed)} µs`, slope, allowed);
  const verdict = judge([
    {
      value: slope,
      budget: allowed,
      says: `${name}: ${two(slope)} µs ${unit}${limit}`,
      because,
    },
    // What bends upwards is not linear.
    {
      value: slope,
      budget: earlier * mostBend,
      says: `${name}: grows faster than linearly, ${two(earlier)} µs ${unit} and then ${two(slope)} µs`,
      because,
    },
  ]);
  return {
    ...verdict,
    text: `Between ${whole(from.many)} and ${whole(to.many)}: **${two(slope)} µs** ${unit}${limit}. Between ${whole(before.many)} and ${whole(from.many)}: ${two(earlier)} µs.${because === undefined || verdict.missed.length === 0 ? '' : ` Why: ${because}.`}`,
  };
}
