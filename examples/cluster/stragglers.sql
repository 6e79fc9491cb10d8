-- Of each range: the rank that spent the most time in it, and by how many percent that is above the median rank.
WITH per_rank AS (
    SELECT domain, text, host, rank, sum(duration) AS total
    FROM ranges
    GROUP BY domain, text, host, rank
)
SELECT domain, text, count(*) AS ranks, CAST(floor(median(total)) AS BIGINT) AS median_ns, max_by(rank, total) AS slowest,
       max_by(host, total) AS slowest_host, round(100 * (max(total) / median(total) - 1), 2) AS imbalance
FROM per_rank
GROUP BY domain, text
ORDER BY median_ns DESC
