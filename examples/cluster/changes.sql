-- What changed from another run, `before`: of each range the median over ranks of their medians. For whether that is more than chance,
-- nvtxh diff compares several runs.
WITH now AS (
    SELECT domain, text, median(typical) AS typical
    FROM (SELECT domain, text, rank, median(duration) AS typical FROM ranges GROUP BY domain, text, rank) AS by_rank
    GROUP BY domain, text
), was AS (
    SELECT domain, text, median(typical) AS typical
    FROM (SELECT domain, text, rank, median(duration) AS typical FROM before GROUP BY domain, text, rank) AS by_rank
    GROUP BY domain, text
)
SELECT coalesce(now.domain, was.domain) AS domain, coalesce(now.text, was.text) AS text, was.typical AS before_ns, now.typical AS now_ns,
       round(100 * (now.typical / was.typical - 1), 2) AS change
FROM now FULL OUTER JOIN was ON now.text = was.text AND coalesce(now.domain, '') = coalesce(was.domain, '')
ORDER BY change DESC
