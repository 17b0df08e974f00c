-- What was asked of the outside world, and what came of it, attempt by attempt?
select asked_at, stream, seq as line, call, port, operation, attempt, outcome, code, model, took_ms, cost_usd
from calls
order by asked_at, stream, line;
