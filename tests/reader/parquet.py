#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""--format parquet, read by pyarrow and DuckDB."""
import importlib.util
import os
import random
import sys

from harness import driver
from harness.checks import ROOT, equal, module, pypi, require, skip
import reference_model
import ranks
import synthetic


def readers(bench):
    """pyarrow.parquet, pyarrow.dataset and duckdb"""
    if 'carquet' not in bench.run('--version').stdout.split('built without')[0]:
        skip('nvtxh was built without carquet')
    return module('pyarrow', 'pyarrow.parquet'), module('pyarrow', 'pyarrow.dataset'), module('duckdb', 'duckdb')


def query(duckdb, folder, table, what):
    return duckdb.sql(f"select {what.format(f'''read_parquet('{folder}/{table}/**/*.parquet', hive_partitioning=true)''')}").fetchall()


def check_sums(bench, duckdb, dataset, folder, recs):
    """What the files add up to is what stats says: every range's count, total and self time."""
    wanted = {}
    for rec in recs:
        for row in bench.table('stats', '--csv', rec):
            if row['Style'] in ('PushPop', 'StartEnd'):
                key = row['Style'], row['Range']
                before = wanted.get(key, (0, 0, 0))
                wanted[key] = tuple(a + int(b or 0) for a, b in zip(before, (row['Instances'], row['Total Time (ns)'], row['Self (ns)'])))
    name = "style, coalesce(domain || ':', '') || coalesce(text, '')"
    rows = query(duckdb, folder, 'ranges', f'{name}, count(*), sum(duration), sum(self) from {{}} group by all')
    equal({(style, text): (count, int(total), int(own or 0)) for style, text, count, total, own in rows}, wanted, 'sums in DuckDB')
    table = dataset.dataset(f'{folder}/ranges', format='parquet', partitioning='hive').to_table()
    got = {}
    for row in table.to_pylist():
        require(row['duration'] == row['end'] - row['start'], row)
        key = row['style'], (row['domain'] + ':' if row['domain'] else '') + (row['text'] or '')
        before = got.get(key, (0, 0, 0))
        got[key] = tuple(a + b for a, b in zip(before, (1, row['duration'], row['self'] or 0)))
    equal(got, wanted, 'sums in pyarrow')
    return table


def made_up(path, rank):
    recording = synthetic.Recording(end=10**6)
    for pid in (100, 101):
        process = recording.process(pid=pid, host='node 1/2')
        process.rank(rank, local=rank % 2, world=2, job='night=1/run:7')
        process.domain(1, 'lib')
        process.names.long(synthetic.CATEGORY, 3, b'io', domain=1)
        process.names.long(synthetic.THREAD, pid + 200, 'wörker'.encode())
        main, other = process.thread(pid), process.thread(pid + 200)
        main.push(1000, 'outer', color=0xff00ff00, payload=-(1 << 62) - 1)
        main.push(1100, 'inner', domain=1, category=3)
        main.push(1200, None)
        main.pop(1300)
        main.pop(1400, domain=1)
        main.push(1450, 'last')
        main.pop(1500)
        main.pop(2000 + rank)
        other.start(1050, 1, 'across', category=9)
        other.push(1060, 'a "b", c\n' * 50)
        other.pop(1061)
        main.end(3000, 1)
        main.mark(3100, 'mark', payload=7)
        main.mark(3200, 'other mark')
        other.push(4000, 'left open')
        other.push(4100, 'left open within')
    return recording.write(path)


def case_parquet(bench):
    """Every range, mark and process is in the folder of its rank, with all that is known of it."""
    _, dataset, duckdb = readers(bench)
    recs = [made_up(bench.here(f'{rank}.nvtxh'), rank) for rank in (0, 1)]
    folder = bench.here('set')
    said = bench.run('export', '--format', 'parquet', '-o', folder, *recs).stderr
    require('wrote 12 files, 40 rows' in said, said)
    place = 'job=night%3D1%2Frun%3A7/host=node%201%2F2/rank='
    for rank in (0, 1):
        for part in (0, 1):
            require(os.path.exists(f'{folder}/ranges/{place}{rank}/part-{part}.parquet'), os.listdir(folder))
    table = check_sums(bench, duckdb, dataset, folder, recs)
    rows = [row for row in table.to_pylist() if row['rank'] == 1 and row['pid'] == 101]
    equal({(row['job'], row['host']) for row in rows}, {('night=1/run:7', 'node 1/2')}, 'job and host')
    by_text = {row['text']: row for row in rows}
    outer, inner, last = by_text['outer'], by_text['inner'], by_text['last']
    equal((outer['depth'], outer['parent'], outer['self'], outer['color'], outer['payload'], outer['open']),
          (0, None, 1001 - 300 - 50, 0xff00ff00, str(-(1 << 62) - 1), 0), 'outer')
    equal((inner['parent'], inner['domain'], inner['category'], inner['categoryName']), (outer['id'], 'lib', 3, 'io'), 'inner')
    equal((by_text[None]['parent'], last['parent'], last['depth']), (inner['id'], outer['id'], 1), 'nested')
    across = by_text['across']
    equal((across['style'], across['self'], across['depth'], across['category'], across['threadName']),
          ('StartEnd', None, None, 9, 'wörker'), 'a process range')
    left, within = by_text['left open'], by_text['left open within']
    equal((left['open'], within['open'], within['end']), (1, 1, left['end']), 'ranges without an end')
    equal((left['parent'], within['parent'], by_text['a "b", c\n' * 50]['parent']), (None, left['id'], None), 'parents are of one thread')
    order = [(row['thread'], row['start']) for row in rows]
    equal(order, sorted(order), 'order')
    equal(query(duckdb, folder, 'marks', "text, payload, count(*) from {} group by all order by 1"),
          [('mark', '7', 4), ('other mark', None, 4)], 'marks')
    equal(query(duckdb, folder, 'processes', "rank, pid, localRank, worldSize, epoch from {} order by 1, 2"),
          [(rank, pid, rank, 2, synthetic.REALTIME) for rank in (0, 1) for pid in (100, 101)], 'processes')
    # Of ranges that a window cuts to the same times, those that began first are the outer ones.
    bench.run('export', '--format', 'parquet', '--from', '500ns', '--to', '600ns', '-o', bench.here('cut'), reference_model.cut_alike(bench.here('cut.nvtxh')))
    rows = query(duckdb, bench.here('cut'), 'ranges', 'thread, text, id, parent from {} order by id')
    equal([(thread, text, parent) for thread, text, _, parent in rows],
          [(thread, f'r{number}', rows[30 * (thread - 1) + number - 1][2] if number else None) for thread in (1, 2) for number in range(30)], 'parents')


def case_parquet_many(bench):
    """Many ranges are several row groups, so a query of one thread or time skips the others; counters."""
    parquet, _, duckdb = readers(bench)
    rec = bench.here('many.nvtxh')
    count = synthetic.write_many(rec, 1200000) // 2
    folder = bench.here('set')
    bench.run('export', '--format', 'parquet', '-o', folder, rec)
    check = query(duckdb, folder, 'ranges', 'count(*), min(duration), max(duration) from {}')[0]
    equal(check[0], count, 'rows')
    metadata = parquet.ParquetFile(f'{folder}/ranges/job=none/host=none/rank=-1/part-0.parquet').metadata
    names = [metadata.schema.column(i).name for i in range(metadata.num_columns)]
    first = {name: metadata.row_group(0).column(i) for i, name in enumerate(names)}
    equal({column.compression for column in first.values()}, {'ZSTD'}, 'compression')
    for name in ('text', 'thread', 'style', 'pid'):
        require('RLE_DICTIONARY' in first[name].encodings, name, first[name])
    bounds = []
    for group in range(metadata.num_row_groups):
        threads, starts = (metadata.row_group(group).column(names.index(name)).statistics for name in ('thread', 'start'))
        bounds.append((threads.min, threads.max))
    require(len(bounds) > 3 and bounds == sorted(bounds) and len(set(bounds)) > 2, bounds)
    rows = bench.table('stats', '--csv', rec)
    got = query(duckdb, folder, 'ranges', 'text, count(*), sum(duration), sum(self), sum(cast(payload as bigint)) from {} group by all')
    equal({row[0]: (row[1], int(row[2]), int(row[3])) for row in got},
          {row['Range']: (int(row['Instances']), int(row['Total Time (ns)']), int(row['Self (ns)'])) for row in rows}, 'sums')
    # Filters apply here, too; counters have their own files.
    bench.run('export', '--format', 'parquet', '--name', '^range 7$', '-o', bench.here('seven'), rec)
    equal(query(duckdb, bench.here('seven'), 'ranges', 'distinct text from {}'), [('range 7',)], 'filtered')
    # Of several recordings, in which texts have other numbers.
    recs = []
    for number, texts in enumerate((('a', 'b', 'c'), ('c', 'b', 'a'))):
        recording = synthetic.Recording(end=10**6)
        process = recording.process()
        process.rank(number)
        for at, text in enumerate(texts):
            process.thread(300 + at).ranges(text, [10 + at])
        recs.append(recording.write(bench.here(f'r{number}.nvtxh')))
    require('nothing matches --name d; ' in bench.run('export', '--format', 'parquet', '--name', 'd', '-o', bench.here('d'), *recs, status=1).stderr, 'nothing')
    bench.run('export', '--format', 'parquet', '--name', '^c$', '-o', bench.here('c'), *recs)
    equal(query(duckdb, bench.here('c'), 'ranges', 'rank, text, duration from {} order by 1'), [(0, 'c', 12), (1, 'c', 10)], 'filtered')
    counted = bench.record('counted.nvtxh', 'extended-3') if os.path.exists(bench.program('extended-3')) else None
    if counted:
        bench.run('export', '--format', 'parquet', '-o', bench.here('counted'), counted)
        samples = [row for row in bench.table('stats', '--csv', counted) if row['Style'] == 'Counter']
        got = query(duckdb, bench.here('counted'), 'counters', "coalesce(domain || ':', '') || text, count(*) from {} group by all")
        equal(dict(got), {row['Range']: int(row['Instances']) for row in samples}, 'counters')


def case_parquet_queries(bench):
    """The queries of examples/cluster say what the commands say: the slowest ranks, who comes last, percentiles, what changed.
    Where Python finds pyspark, Spark answers them as DuckDB does."""
    readers(bench)
    environment = dict(os.environ, PYTHONPATH=os.pathsep.join(filter(None, [os.environ.get('PYTHONPATH'), str(pypi('duckdb'))])))

    def rounded(text):
        try:
            return round(float(text), 3)
        except ValueError:
            return text

    def ask(name, *sets):
        answers = [driver.table(bench.run(ROOT / 'examples/cluster/run.py', engine, ROOT / f'examples/cluster/{name}.sql', *sets,
                                          command=sys.executable, env=environment, timeout=1200).stdout) for engine in engines]
        for other in answers[1:]:  # equal rows come in any order
            of_each = [sorted(str([(key, rounded(value)) for key, value in row.items()]) for row in answer) for answer in (other, answers[0])]
            equal(*of_each, f'{name}.sql in Spark and in DuckDB')
        return answers[0]

    engines = ['duckdb', 'spark'] if importlib.util.find_spec('pyspark') else ['duckdb']

    sets = []
    for name, straggler in (('now', 5), ('was', None)):
        os.mkdir(bench.here(name))
        job = ranks.Job(bench, 8, 1, straggler=straggler, jitter=100, folder=name)
        sets.append(bench.here(name + '.set'))
        bench.run('export', '--format', 'parquet', '-o', sets[-1], *job.paths)
        if straggler:
            paths = job.paths
    mine = {row['Range']: row for row in bench.table('ranks', '--csv', *paths)}
    for row in ask('stragglers', sets[0]):
        of = mine[(row['domain'] + ':' if row['domain'] else '') + row['text']]
        equal((row['slowest'], row['slowest_host'], row['ranks']), (of['Slowest'], of['Slowest Host'], of['Ranks']), row['text'])
        require(abs(float(row['imbalance']) - float(of['Imbalance (%)'])) < 0.011, row, of)
    last = ask('arrivals', sets[0])[0]
    equal(last['rank'], '5', 'the last')
    merged = bench.here('all.rec')
    bench.run('merge', '-o', merged, *paths)
    stats = {row['Range'].removeprefix('mpi:'): row for row in bench.table('stats', '--csv', merged)}
    for row in ask('percentiles', sets[0]):
        of = stats[row['text']]
        equal((row['instances'], row['total_ns'], row['max_ns']), (of['Instances'], of['Total Time (ns)'], of['Max (ns)']), row['text'])
        for ours, theirs in (('p50_ns', 'Med (ns)'), ('p90_ns', 'P90 (ns)'), ('p99_ns', 'P99 (ns)')):
            require(abs(float(row[ours]) - float(of[theirs])) < 0.1, row, of)
    changes = {row['text']: float(row['change']) for row in ask('changes', *sets)}
    require(-1 < changes['step'] < 5 and set(changes) == {'step', 'barrier'}, changes)


def case_parquet_refused(bench):
    """Files that are there are not replaced unless that is asked for; what cannot be written is reported, and leaves no file."""
    readers(bench)
    rec = made_up(bench.here('rec.nvtxh'), 3)
    for arguments, why in ((('export', '--format', 'parquet', rec), '-o DIRECTORY'),
                           (('export', '--format', 'csv', rec, rec), 'one recording at a time'),
                           (('export', '--format', 'parquet', '-o', bench.here('x')), 'no recording given')):
        require(why in bench.run(*arguments, status=2).stderr, why)
    folder = bench.here('set')
    bench.run('export', '--format', 'parquet', '-o', folder, rec)
    said = bench.run('export', '--format', 'parquet', '-o', folder, rec, status=1).stderr
    require('File exists' in said and said.count('\n') == 1, said)
    bench.run('export', '--format', 'parquet', '-f', '-o', folder, rec)
    open(bench.here('file'), 'w', encoding='ascii').close()
    said = bench.run('export', '--format', 'parquet', '-o', bench.here('file'), rec, status=1).stderr
    require(said.count('\n') == 1 and bench.here('file') in said, said)
    # A limit on file sizes, which a process sees as a full disk. The ranges are few enough to be sorted in memory.
    recording = synthetic.Recording(end=10**9)
    thread, chance = recording.process().thread(1), random.Random(1)
    for at in range(3000):
        thread.ranges(chance.randbytes(50).hex(), [10], at=1000 * at)
    big = recording.write(bench.here('big.nvtxh'))
    done = bench.run('-c', 'trap "" XFSZ; ulimit -f 60; exec "$0" "$@"', bench.nvtxh, 'export', '--format', 'parquet', '-o', bench.here('full'), big,
                     command='sh', status=1)
    require('part-0.parquet: File too large' in done.stderr and done.stderr.count('\n') == 1, done.stderr)
    left = [name for _, _, names in os.walk(bench.here('full')) for name in names]
    equal(left, [], 'files that are left')


if __name__ == '__main__':
    driver.main(globals())
