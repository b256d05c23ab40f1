// Growth: straight, and no steeper than it was, relative to what an empty response takes on the machine.
import { two } from '../report.mjs';
import { judge, readRecorded, scaled, steeper } from '../verdict.mjs';

/** The last part of a straight line may be this much steeper than the one before it. */
const mostBend = 1.5;
const between = (one, other) => (other.cost - one.cost) / (other.many - one.many);

/**
 * Judges how a cost grows. `points` are `{ many, cost }`, the cost in CPU microseconds; the slope is that between the last two,
 * `budget` in microseconds on the reference machine. What an empty response takes is `calibration`.
 */
export function slopeOf(name, unit, points, calibration, budget) {
  const [before, from, to] = points.slice(-3);
  const slope = between(from, to);
  const earlier = between(before, from);
  const id = `slope: ${name}`;
  const measured = slope / calibration;
  const allowed = budget === undefined ? undefined : scaled(budget, calibration);
  const limit = allowed === undefined ? '' : `, budget ${two(allowed)} µs`;
  const steep = {
    value: slope,
    budget: allowed,
    measured,
    recorded: readRecorded()[id],
    factor: steeper,
    says: `${name}: ${two(slope)} µs ${unit}${limit}`,
  };
  // What bends upwards is not linear, whatever was recorded.
  const bent = {
    value: slope,
    budget: earlier * mostBend,
    says: `${name}: grows faster than linearly, ${two(earlier)} µs ${unit} and then ${two(slope)} µs`,
  };
  return {
    text: `Each further one costs **${two(slope)} µs** ${unit}${limit} (between ${before.many} and ${from.many}: ${two(earlier)} µs).`,
    ...judge([steep, bent]),
    recorded: { [id]: Number(measured.toPrecision(3)) },
  };
}
