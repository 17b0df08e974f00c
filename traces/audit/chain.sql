-- Which lines are not what they claim to be?
select stream || '.jsonl' as file, line, wrong
from faults
order by file, line;
