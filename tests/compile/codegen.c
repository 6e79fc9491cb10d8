/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Every macro in every place where it may stand. codegen.py compiles this file switched off, and
 * once more with the annotations removed, and claims that the object files are the same. To remove
 * them, it drops every line that ends in the mark "off", and replaces a line with the mark
 * "instead" by the text after the mark.
 *
 * C and C++. Nothing here is run. */
#include "nvtxh.h"         /* off */
#include "nvtxh/counter.h" /* off */
#include "nvtxh/capture.h" /* off */
#include "nvtxh/stats.h"   /* off */

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

NVTXH_DOMAIN(train, "text of a domain");                /* off */
NVTXH_DOMAIN_EXTERN(elsewhere);                         /* off */
NVTXH_DOMAIN_INLINE(header, "text of a header");        /* off */
NVTXH_CATEGORY(gemm, &train, "text of a category");     /* off */
NVTXH_CATEGORY(plain, NVTXH_DOMAIN_DEFAULT, "another"); /* off */
NVTXH_CATEGORY_EXTERN(far);                             /* off */

/* clang-format off */
NVTXH_PAYLOAD_ENUM(mood, (GOOD), (BAD, 3));               /* instead: enum mood { GOOD, BAD = 3 }; */
NVTXH_PAYLOAD_STRUCT(pair, (int, a), (enum mood, mood));  /* instead: struct pair { int a; enum mood mood; }; */
NVTXH_PAYLOAD_STRUCT(pairs, (struct pair[2], of));        /* instead: struct pairs { struct pair of[2]; }; */
/* clang-format on */
NVTXH_COUNTER(speed, &train, "text of a counter", .unit = "text of a unit", .max = 5); /* off */
NVTXH_COUNTER_EXTERN(far_counter);                                                     /* off */

/* Calls in attributes are not made, so these functions need no definition. */
int asked(void);             /* off */
const char *text(int which); /* off */

void work(int n);
int all_verbs(int n, const char *name);
int values(int n);
int blocks(int n);
int switched(int n);
int jumps(int n);
int structs(int n, const int64_t *times);

int all_verbs(int n, const char *name) {
    NVTXH_FUNC();                                                                    /* off */
    NVTXH_FUNC(.domain = &train);                                                    /* off */
    NVTXH_FUNC_IF(n > asked(), .color = NVTXH_RED);                                  /* off */
    NVTXH_METHOD();                                                                  /* off */
    NVTXH_METHOD(.color = NVTXH_RED, .payload = nvtxh_payload(asked()));             /* off */
    NVTXH_SCOPE("text of a scope");                                                  /* off */
    NVTX_SCOPE("with everything", .domain = &elsewhere, .category = &far,            /* off */
               .color = nvtxh_color_of(text(1)), .payload = nvtxh_payload(asked())); /* off */
    NVTXH_SCOPE_IF(asked() == n, "sometimes", .domain = NVTXH_DOMAIN_DEFAULT);       /* off */
    NVTXH_SCOPEF("formatted %d %s", n, text(n));                                     /* off */
    NVTXH_SCOPEF_WITH(("with %d", asked()), .payload = nvtxh_payload(asked()));      /* off */
    NVTXH_MARKF_WITH(("with %d", asked()), .color = nvtxh_color_of(text(1)));        /* off */
    (void)NVTXH_PUSHF_WITH(("with %d", asked()), .category = &gemm);                 /* off */
    work(n);
    NVTXH_MARK("text of a mark", .category = &gemm, .payload = nvtxh_payload(n++)); /* off */
    NVTXH_MARKF("%s marks %d", name, n--);                                          /* off */
    work(n + 1);
    NVTXH_PUSH("text of a push", .color = NVTXH_COLOR_AUTO); /* off */
    (void)NVTXH_PUSHF("push %d", asked());                   /* off */
    NVTXH_POP();                                             /* off */
    NVTXH_POP(.domain = &train);                             /* off */
    nvtxh_thread_name(text(3));                              /* off */
    nvtxh_thread_name_os(text(3));                           /* off */
    nvtxh_stats_enable(asked() != 0);                        /* off */
    (void)nvtxh_stats_enabled();                             /* off */
    (void)nvtxh_stats_print(NULL, NVTXH_STATS_CSV);          /* off */
    nvtxh_stats_reset();                                     /* off */
    NVTXH_SCOPE_NVTX_ONLY("for tools", .color = NVTXH_RED);  /* off */
    nvtxh_enable(asked() != 0);                              /* off */
    (void)nvtxh_enabled();                                   /* off */
    (void)nvtxh_listening();                                 /* off */
    return name[n];
}

#ifdef VALUES
/* The values of expressions when off, as the headers promise them. */
int values(int n) {
    int depth = NVTXH_PUSH("outer");  /* instead: int depth = -2; */
    int inner = NVTXH_PUSHF("%d", n); /* instead: int inner = -2; */

    if (nvtxh_listening()) /* instead: if (0) */
        work(1);
    if (nvtxh_enabled()) /* instead: if (0) */
        work(2);
    work(depth);
    work(NVTXH_POP()); /* instead: work(-2); */
    work(inner);
    return NVTXH_POP(); /* instead: return -2; */
}

#endif

#ifdef OBJECTS
/* clang-format off */
struct job { /* instead: struct range { __extension__ unsigned __int128 value; }; struct job { */
    int first;
    struct nvtxh_range range; /* instead: struct range range; */
    int last;
};

void early(int n);
void named(int n, const char *name);
int measure(struct job *job, int n);
struct job begin(int n);
void end(struct job *job);
int over(int a, int b, struct nvtxh_range range); /* instead: int over(int a, int b, struct range range); */

/* A started process range is zero. As a member or parameter it stays; a local variable is
 * removed. */
struct job begin(int n)
{
    struct job job = {n, NVTXH_START("begun"), n + 1}; /* instead: struct job job = {n, __extension__(struct range){0}, n + 1}; */

    return job;
}
/* clang-format on */

void end(struct job *job) {
    nvtxh_end(job->range); /* off */
    job->first = job->last;
}

/* clang-format off */
int over(int a, int b, struct nvtxh_range range) /* instead: int over(int a, int b, struct range range) */
/* clang-format on */
{
    struct nvtxh_range another = NVTXH_STARTF("%d and %d", a, b), copy = another; /* off */

    work(b);
    nvtxh_end(copy);                                                  /* off */
    nvtxh_end(range);                                                 /* off */
    NVTX_END(NVTX_START("and at once"));                              /* off */
    another = NVTX_START("again", .payload = nvtxh_payload(asked())); /* off */
    nvtxh_end(another);                                               /* off */
    return a;
}

/* Ranges that leave their thread, and names that are known at run time. */
void named(int n, const char *name) {
    NVTXH_RANGE_SCOPE("range scope", .payload = nvtxh_payload(n));         /* off */
    NVTXH_SCOPE_STRING(nvtxh_string_named(nvtxh_domain_named(name), name), /* off */
                       .category = nvtxh_category_named(NULL, name));      /* off */
    NVTXH_MARK_STRING(nvtxh_string_named(NULL, name));                     /* off */
    NVTXH_PUSH_STRING(nvtxh_string_named(NULL, name));                     /* off */
    NVTX_POP();                                                            /* off */
    nvtxh_end(NVTXH_START_STRING(nvtxh_string_named(NULL, name)));         /* off */
    nvtxh_domain_enable(nvtxh_domain_named(name), asked() != 0);           /* off */
    work(n);
}

void early(int n) {
    NVTXH_SCOPE_AS(named, "ends early", .category = NVTXH_CATEGORY_ID(7)); /* off */
    work(n);
    nvtxh_scope_end(&named); /* off */
    work(n + 1);
}

int measure(struct job *job, int n) {
    over(job->first, n, job->range);
    return (int)sizeof(*job);
}

#endif

/* Structs as payloads, and counters. */
int structs(int n, const int64_t *times) {
    struct pairs pairs = {{{n, BAD}, {n + 1, GOOD}}};

    NVTX_SCOPE("struct", .payload = nvtxh_payload(&pairs.of[asked()])); /* off */
    work(n);
    nvtxh_counter_set(&speed, asked());                  /* off */
    nvtxh_counter_set(&far_counter, &pairs);             /* off */
    nvtxh_counter_batch(&speed, &times[1], 2, times);    /* off */
    nvtxh_counter_batch(&speed, pairs.of, 2, times);     /* off */
    NVTXH_MARK("all", .payload = nvtxh_payload(&pairs)); /* off */
    return pairs.of[n].a + (pairs.of[0].mood == BAD) + (times != 0);
}

/* A scope between the declarations and statements of a loop, a switch and a nested block. */
int switched(int n) {
    int i, sum = 0;

    for (i = 0; i < n; i++) {
        NVTX_SCOPE("in a loop", .payload = nvtxh_payload(i)); /* off */
        if (i % 3 == 0)
            continue;
        if (i == 77)
            break;
        switch (i % 5) {
        case 0: {
            NVTX_FUNC(); /* off */
            sum += i;
            break;
        }
        case 1:
            NVTX_MARK("in a case"); /* off */
            return sum;
        default:
            sum -= i;
        }
    }
    return sum;
}

/* Ways out of a scope. */
int jumps(int n) {
    NVTX_SCOPE("outer"); /* off */
    if (n < 0)
        return -1;
    {
        NVTX_SCOPEF("inner %d", asked()); /* off */
        if (n == 4)
            goto out;
        work(n);
    }
    NVTX_MARK("still here"); /* off */
    n *= 2;
out:
    return n;
}

#ifdef BLOCKS
/* The block form. */
int blocks(int n) {
    NVTXH_BLOCK("text of a block") /* off */
    {
        work(n);
    }
    NVTXH_BLOCK("with attributes", .domain = &train, .payload = nvtxh_payload(asked())) /* off */
        work(n + 1);
    return n;
}
#endif

#ifdef __cplusplus
}

/* Templates, member functions, constructors, lambdas. */
template <class T>
struct box {
    T value;
    explicit box(T v) : value(v) {
        NVTX_FUNC(.payload = nvtxh_payload(asked())); /* off */
        work(static_cast<int>(value));
    }
    ~box() {
        NVTX_SCOPE("destructor"); /* off */
        work(0);
    }
    T get() const {
        NVTX_SCOPE("member", .payload = nvtxh_payload(value)); /* off */
        return value;
    }
};

inline int inlined(int n) {
    NVTX_SCOPEF("inline %d", n); /* off */
    auto twice = [n](int k) {
        NVTX_SCOPE("lambda"); /* off */
        return n * k;
    };
    return twice(2);
}

double members(double v) {
    NVTX_SCOPE("members"); /* off */
    box<double> b(v);
    box<int> c(static_cast<int>(v));
    return b.get() + c.get() + inlined(c.get());
}
#endif
