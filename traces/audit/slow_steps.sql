-- Which outside calls took longest, from the question to the answer?
select stream, seq as line, port, operation, model, waited_ms, took_ms, asked_at
from calls
where outcome = 'answered'
order by greatest(waited_ms, took_ms) desc, stream, line
limit 50;
