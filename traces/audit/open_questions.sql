-- What further questions did the evidence raise, and what else was noticed on the way?
select task, 'question' as what, question as text, context as reason, priority, source_locator, opened_at as noted_at
from questions
union all
select task, 'discovery', query, reason, type, source_locator, made_at
from discoveries
order by noted_at, task, text;
