-- How long ranges take, over all ranks, exactly.
SELECT domain, text, count(*) AS instances, CAST(sum(duration) AS BIGINT) AS total_ns,
       percentile_cont(0.5) WITHIN GROUP (ORDER BY duration) AS p50_ns,
       percentile_cont(0.9) WITHIN GROUP (ORDER BY duration) AS p90_ns,
       percentile_cont(0.99) WITHIN GROUP (ORDER BY duration) AS p99_ns,
       max(duration) AS max_ns
FROM ranges
GROUP BY domain, text
ORDER BY total_ns DESC
