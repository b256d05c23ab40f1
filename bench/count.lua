-- Prints what the bench reads: requests, microseconds, answers that were not 200.
function done(summary, latency, requests)
  local errors = summary.errors
  local bad = errors.connect + errors.read + errors.write + errors.status + errors.timeout
  io.write(string.format("COUNT %d %d %d\n", summary.requests, summary.duration, bad))
end
