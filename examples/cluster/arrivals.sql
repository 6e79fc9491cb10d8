-- Who comes last at a barrier, and how often: ranks wait for each other there, so that durations say who waited. Hosts' clocks count
-- as they are; `nvtxh ranks` puts them right.
WITH arrivals AS (
    SELECT ranges.rank, ranges.start + processes.epoch AS arrived,
           row_number() OVER (PARTITION BY ranges.rank, ranges.thread ORDER BY ranges.start) AS instance
    FROM ranges JOIN processes ON ranges.job = processes.job AND ranges.rank = processes.rank AND ranges.pid = processes.pid
    WHERE ranges.text = 'barrier'
), lasts AS (
    SELECT instance, max_by(rank, arrived) AS rank, max(arrived) - median(arrived) AS late
    FROM arrivals
    GROUP BY instance
)
SELECT rank, count(*) AS lasts, CAST(floor(median(late)) AS BIGINT) AS late_ns
FROM lasts
GROUP BY rank
ORDER BY lasts DESC, rank
LIMIT 10
