/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Runs a script of annotations on a clock of its own, and prints what was counted: drawn.py draws
 * scripts, and says what the counts and times of each must be.
 *
 *     drawn SCRIPT HZ PLUGIN OTHER    the clock has HZ ticks in a second; 0: CLOCK_MONOTONIC
 *
 * The plugins are this file, too, compiled with -DPLUGIN=1 and -DPLUGIN=2. */
#include "nvtxh.h"
#include "nvtxh/core/clock.h"

#ifdef PLUGIN
#define OF_PROGRAM extern
enum { IN_PLUGIN = 1 };
#else
#define OF_PROGRAM
enum { IN_PLUGIN = 0 };
#endif

OF_PROGRAM uint64_t ticks_now, hz;

static uint64_t script_ns(void) {
    return hz ? (uint64_t)((double)ticks_now * 1e9 / (double)hz) : ticks_now;
}

static void script_both(uint64_t *ret_ticks, uint64_t *ret_ns) {
    *ret_ticks = ticks_now;
    *ret_ns = script_ns();
}

#define nvtxh_i_ticks() ticks_now
#define nvtxh_i_ticks_usable() (hz != 0)
#define nvtxh_i_clock_ticks(counter) ticks_now
#define nvtxh_i_clock_both(counter, tries, ret_ticks, ret_ns) script_both(ret_ticks, ret_ns)
#include "nvtxh/stats.h"

#include <dlfcn.h>
#include <errno.h>
#include <pthread.h>
#include <setjmp.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

NVTXH_DOMAIN(train, "train");
NVTXH_DOMAIN(load, "load");

struct op {
    char what;
    unsigned long long arg;
};

enum { NAMED = 64, RANGES = 16 };
/* errno, which annotations leave alone; the tests' tool sets it to EBADMSG */
enum { KEPT = ELNRNG };

OF_PROGRAM struct op *ops;
OF_PROGRAM size_t n_ops, at;
OF_PROGRAM jmp_buf *catching; /* of the innermost scope of kind 9 on this thread */
OF_PROGRAM struct nvtxh_scope *named[NAMED];
OF_PROGRAM size_t n_named;
OF_PROGRAM struct nvtxh_range ranges[RANGES];
OF_PROGRAM bool range_of_plugin[RANGES];
OF_PROGRAM const char *const *plugins;

/* Plugins have as many call sites, which have different places. */
#define MORE(place)                                                                                \
    __attribute__((__used__)) static void at_##place(void) {                                       \
        NVTXH_MARK(#place);                                                                        \
        NVTXH_MARK(#place " again");                                                               \
    }
#if defined(PLUGIN) && PLUGIN == 1
MORE(beginning)
#endif

static void run(void);

static void catch_jumps(void) {
    NVTXH_SCOPE("catches");
    jmp_buf here, *const outer = catching;
    const size_t n = n_named;

    (void)setjmp(here);
    catching = &here;
    n_named = n;
    run();
    catching = outer;
}

static void in_named(void) {
    NVTXH_SCOPE_AS(name, "named");

    named[n_named++] = &name;
    run();
    n_named--;
}

static void in_function(void) {
    NVTXH_FUNC();
    run();
}

static void in_scope(unsigned kind) {
    switch (kind % 10) {
    case 0: {
        NVTXH_SCOPE("plain");
        run();
        break;
    }
    case 1: {
        NVTXH_SCOPE("shared", .domain = &train);
        run();
        break;
    }
    case 2: {
        NVTXH_SCOPE("shared", .payload = nvtxh_payload(kind));
        run();
        break;
    }
    case 3: {
        NVTXH_SCOPE("of two", .domain = kind / 10 % 2 ? &train : &load);
        run();
        break;
    }
    case 4: {
        NVTXH_SCOPEF_WITH(("formatted %u", kind), .domain = &train);
        run();
        break;
    }
    case 5: {
        NVTXH_SCOPE_STRING(nvtxh_string_named(&load, "string"));
        run();
        break;
    }
    case 6: {
        NVTXH_SCOPE_NVTX_ONLY("for tools");
        run();
        break;
    }
    case 7:
        in_function();
        break;
    case 8:
        in_named();
        break;
    case 9:
        catch_jumps();
        break;
    }
}

static void push(unsigned kind) {
    switch (kind) {
    case 0:
        NVTXH_PUSH("plain");
        break;
    case 1:
        NVTXH_PUSH("pushed", .domain = &train);
        break;
    case 2:
        NVTXH_PUSHF_WITH(("pushed %u", kind), .domain = &load);
        break;
    case 3:
        NVTXH_PUSH_STRING(nvtxh_string_named(NULL, "string"));
        break;
    }
}

static void pop(unsigned domain) {
    struct nvtxh_domain *const domains[] = {NVTXH_DOMAIN_DEFAULT, &train, &load};

    NVTXH_POP(.domain = domains[domain]);
}

static void mark(unsigned kind) {
    switch (kind) {
    case 0:
        NVTXH_MARK("plain");
        break;
    case 1:
        NVTXH_MARKF_WITH(("marked %u", kind), .domain = &train);
        break;
    case 2:
        NVTXH_MARK_STRING(nvtxh_string_named(&load, "string"));
        break;
    }
}

static struct nvtxh_range start(unsigned kind) {
    switch (kind) {
    case 0:
        return NVTXH_START("plain");
    case 1:
        return NVTXH_START("started", .domain = &train);
    case 2:
        return NVTXH_STARTF_WITH(("started %u", kind), .domain = &load);
    default:
        return NVTXH_START_STRING(nvtxh_string_named(&load, "string"));
    }
}

static void *run_thread(void *unused) {
    (void)unused;
    errno = KEPT;
    run();
    return NULL;
}

/* Threads run one after the other: the starting one waits. */
static void in_thread(void) {
    jmp_buf *const outer = catching;
    const size_t n = n_named;
    pthread_t thread;

    if (pthread_create(&thread, NULL, run_thread, NULL) || pthread_join(thread, NULL))
        abort();
    catching = outer;
    n_named = n;
}

static void in_plugin(const char *plugin) {
    void *object = dlopen(plugin, RTLD_NOW | RTLD_LOCAL);
    void (*run_it)(void);
    int i;

    *(void **)&run_it = object ? dlsym(object, "plugin_run") : NULL;
    if (!run_it)
        abort();
    run_it();
    for (i = 0; i < RANGES; i++) {
        if (range_of_plugin[i])
            ranges[i] = (struct nvtxh_range){0};
    }
    if (dlclose(object) || dlopen(plugin, RTLD_NOW | RTLD_NOLOAD))
        abort();
}

static void show(void) {
    static const char *const found[] = {"plain",  ":shared", "train:shared",
                                        "shared", "string",  "load:string",
                                        "of two", "catches", "none"};
    size_t i;

    for (i = 0; i < sizeof(found) / sizeof(found[0]); i++) {
        struct nvtxh_stats s = nvtxh_stats_find(found[i]);

        printf("%s\t%llu\t%llu\t%llu\t%llu\t%llu\t%llu\t%llu\t%llu\t%llu\t%llu\t%llu\t%llu\t%u\n",
               found[i], (unsigned long long)s.count, (unsigned long long)s.total_ns,
               (unsigned long long)s.self_ns, (unsigned long long)s.min_ns,
               (unsigned long long)s.max_ns, (unsigned long long)s.average_ns,
               (unsigned long long)s.deviation_ns, (unsigned long long)s.median_ns,
               (unsigned long long)s.p90_ns, (unsigned long long)s.p99_ns,
               (unsigned long long)s.p999_ns, (unsigned long long)s.inclusive_ns, s.line);
    }
    printf("\n");
    nvtxh_stats_print(stdout, NVTXH_STATS_CSV);
    printf("\n");
    nvtxh_stats_print(stdout, NVTXH_STATS_JSON);
    printf("----\n");
    fflush(stdout);
}

/* The child runs the script up to 'f', which the parent skips. */
static void in_child(void) {
    pid_t child = fork();
    int status;

    if (!child)
        return;
    if (child < 0 || waitpid(child, &status, 0) != child || status)
        abort();
    while (ops[at++].what != 'f')
        ;
}

static void run(void) {
    while (at < n_ops) {
        struct op op = ops[at++];
        unsigned arg = (unsigned)op.arg;

        if (errno != KEPT && errno != EBADMSG) {
            fprintf(stderr, "line %zu: errno has become %d\n", at - 1, errno);
            abort();
        }
        errno = KEPT;
        switch (op.what) {
        case 's': /* begins a scope */
            in_scope(arg);
            break;
        case 'e': /* ends a scope, or a thread */
            return;
        case 'n': /* ends a named scope early */
            nvtxh_scope_end(named[arg]);
            break;
        case 'j': /* leaves all scopes in the innermost that catches */
            longjmp(*catching, 1);
        case 'x': /* ends the thread, and no scope */
            pthread_exit(NULL);
        case 'p':
            push(arg);
            break;
        case 'o':
            pop(arg);
            break;
        case 'm':
            mark(arg);
            break;
        case 'r':
            ranges[arg % RANGES] = start(arg / RANGES);
            range_of_plugin[arg % RANGES] = IN_PLUGIN;
            break;
        case 'q':
            nvtxh_end(ranges[arg]);
            break;
        case 't':
            in_thread();
            errno = KEPT;
            break;
        case 'l': /* the plugin goes on */
            in_plugin(plugins[arg]);
            errno = KEPT;
            break;
        case 'w': /* time passes */
            ticks_now += op.arg;
            break;
        case 'R':
            nvtxh_stats_reset();
            break;
        case 'S':
            nvtxh_stats_enable(arg);
            break;
        case 'E':
            nvtxh_enable(arg);
            break;
        case '!':
            show();
            errno = KEPT;
            break;
        case 'F':
            in_child();
            errno = KEPT;
            break;
        case 'f':
            _exit(0);
        }
    }
}

#ifdef PLUGIN
#if PLUGIN == 2
MORE(end)
#endif
__attribute__((visibility("default"))) void plugin_run(void);

void plugin_run(void) {
    run();
}
#else
int main(int argc, char **argv) {
    FILE *script = argc == 5 ? fopen(argv[1], "r") : NULL;
    struct op op;

    if (!script)
        return 2;
    ticks_now = 1;
    hz = strtoull(argv[2], NULL, 10);
    plugins = (const char *const *)&argv[3];
    while (fscanf(script, " %c %llu", &op.what, &op.arg) == 2) {
        if (!(n_ops & (n_ops - 1)))
            ops = (struct op *)realloc(ops, (n_ops ? 2 * n_ops : 1) * sizeof(*ops));
        ops[n_ops++] = op;
    }
    fclose(script);
    errno = KEPT;
    run();
    return 0;
}
#endif
