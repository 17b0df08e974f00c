-- Which sentences of the answers were not found in the sources that they cite?
select task, outcome, support, similarity, sentence, citations, stream, seq as line
from claims
where outcome in ('not_found', 'unreachable')
order by task, stream, line;
