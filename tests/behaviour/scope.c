/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "test.h"

NVTX_DOMAIN(train, "train");
NVTX_CATEGORY(gemm, &train, "gemm");

static int returns(int way) {
    NVTX_SCOPE("returns");

    if (way == 0)
        return 10;
    NVTX_SCOPE("further");
    if (way == 1)
        return 11;
    NVTX_MARK("end");
    return 12;
}

/* It ends on every way out: return, and the value returned is not disturbed. */
static void by_return(void **state) {
    (void)state;
    assert_int_equal(returns(0), 10);
    logged("push [returns]; pop");
    assert_int_equal(returns(1), 11);
    logged("push [returns]; push [further]; pop; pop");
    assert_int_equal(returns(2), 12);
    logged("push [returns]; push [further]; mark [end]; pop; pop");
}

/* What is returned is computed while the scope is open. */
static int marked(int x) {
    NVTX_MARK("computing");
    return x;
}

static int returns_call(void) {
    NVTX_SCOPE("open");
    return marked(5);
}

static void return_value(void **state) {
    (void)state;
    assert_int_equal(returns_call(), 5);
    logged("push [open]; mark [computing]; pop");
}

/* break and continue. */
static void by_break(void **state) {
    int i;

    (void)state;
    for (i = 0; i < 10; i++) {
        NVTX_SCOPE("turn");

        if (i == 0)
            continue;
        NVTX_MARK("not the first");
        if (i == 2)
            break;
    }
    logged("push [turn]; pop; push [turn]; mark [not the first]; pop; push [turn]; "
           "mark [not the first]; pop");
    switch (i) {
    case 2: {
        NVTX_SCOPE("case");
        break;
    }
    default:
        NVTX_MARK("default");
    }
    logged("push [case]; pop");
}

/* goto out of two scopes, forwards; and back to before one, which then begins anew. */
static void by_goto(void **state) {
    int turns = 0;

    (void)state;
again : {
    NVTX_SCOPE("one");
    {
        NVTX_SCOPE("two");
        if (turns == 1)
            goto out;
    }
    turns++;
    goto again;
}
out:
    NVTX_MARK("out");
    logged("push [one]; push [two]; pop; pop; push [one]; push [two]; pop; pop; mark [out]");
}

static void function_name(int way) {
    NVTX_FUNC();
    if (way)
        return;
    NVTX_MARK("in");
}

static void in_method(void) {
    NVTXH_METHOD(.payload = nvtxh_payload(counted(7)));
}

/* In C the name of the function. */
static void method(void **state) {
    (void)state;
    in_method();
    evaluated_times(1);
#if !defined(__cplusplus) || __cplusplus >= 201402L
    logged("push [in_method] i32=7; pop");
#else
    logged("push [void in_method()] i32=7; pop");
#endif
}

static void function(void **state) {
    (void)state;
    function_name(0);
    function_name(1);
    logged("push [function_name]; mark [in]; pop; push [function_name]; pop");
}

/* Attributes are evaluated once, in order, if a tool listens, and else not at all. */
static int order[4], n_order;

/* When annotations are off, it is not used, and clang would warn. */
__attribute__((unused)) static int ordered(int x) {
    if (n_order < 4)
        order[n_order++] = x;
    return counted(x);
}

static void attributes(void **state) {
    (void)state;
    n_order = 0;
    {
        NVTX_SCOPE("a", .domain = ordered(1) ? &train : NULL, .category = ordered(2) ? &gemm : NULL,
                   .color = ordered(3) ? NVTXH_GREEN : 0u, .payload = nvtxh_payload(ordered(4)));
    }
    evaluated_times(4);
    logged("train push [a] cat=gemm color=ff008000 i32=4; train pop");
    if (tool()) {
        assert_int_equal(order[0], 1);
        assert_int_equal(order[3], 4);
    }
}

/* An attribute may itself be annotated. */
__attribute__((unused)) static int annotated(void) {
    NVTX_SCOPE("inner");
    return 3;
}

static void nested_attribute(void **state) {
    (void)state;
    {
        NVTX_SCOPE("outer", .payload = nvtxh_payload(annotated()));
        NVTX_MARK("in");
    }
    logged("push [inner]; pop; push [outer] i32=3; mark [in]; pop");
#ifndef __cplusplus
    {
        NVTX_SCOPE("statement", .payload = nvtxh_payload(__extension__({
                                    NVTX_SCOPE("within");
                                    4;
                                })));
    }
    logged("push [within]; pop; push [statement] i32=4; pop");
#endif
}

#define TWO(a, b)                                                                                  \
    NVTX_SCOPE(a);                                                                                 \
    NVTX_SCOPE(b)

/* Several from one macro, and so in one line. */
static void one_line(void **state) {
    (void)state;
    {
        TWO("a", "b");
        NVTX_SCOPE("c");
        NVTX_SCOPE("d");
    }
    logged("push [a]; push [b]; push [c]; push [d]; pop; pop; pop; pop");
}

static void recursion(int n) {
    NVTX_SCOPE("level", .payload = nvtxh_payload(n));
    if (n < 2)
        recursion(n + 1);
}

static inline int in_inline(void) {
    NVTX_SCOPE("inline");
    return 1;
}

static void functions(void **state) {
    (void)state;
    recursion(0);
    logged("push [level] i32=0; push [level] i32=1; push [level] i32=2; pop; pop; pop");
    assert_int_equal(in_inline() + in_inline(), 2);
    logged("push [inline]; pop; push [inline]; pop");
}

#ifdef __cplusplus
template <typename T>
static T in_template(T x) {
    NVTX_SCOPE("template", .payload = nvtxh_payload(x));
    return x;
}

struct object {
    int member() const {
        NVTX_FUNC();
        return 1;
    }
    ~object() {
        NVTX_MARK("destroyed");
    }
};

/* Templates, lambdas, members; ended in turn with the objects of the block. */
static void cpp(void **state) {
    (void)state;
    assert_int_equal(in_template(3), 3);
    (void)in_template(1.5);
    logged("push [template] i32=3; pop; push [template] f64=1.5; pop");
    {
        object before;
        NVTX_SCOPE("with objects");
        object after;

        assert_int_equal(after.member() + before.member(), 2);
    }
    logged("push [with objects]; push [member]; pop; push [member]; pop; mark [destroyed]; pop; "
           "mark [destroyed]");
    auto lambda = [](int x) {
        NVTX_SCOPE("lambda");
        return x;
    };
    assert_int_equal(lambda(2), 2);
    logged("push [lambda]; pop");
}
#endif

#if defined(__cplusplus) && __cplusplus >= 201402L
namespace space {
template <typename... Ts>
static unsigned long several(Ts...) {
    NVTXH_METHOD();
    return sizeof...(Ts);
}
} // namespace space

template <typename T>
static void run_all(T lambda) {
    lambda();
}

static void lambdas() {
#line 1 "lambdas"
    run_all([] { NVTXH_METHOD(); });
    run_all([] { NVTXH_METHOD(); });
}

/* The types of a parameter pack are the arguments of its template; lambdas are named by their line. */
static void methods(void **state) {
    (void)state;
    assert_int_equal(space::several(1, 'x') + space::several(), 2);
    logged("push [space::several<int, char>]; pop; push [space::several]; pop");
    lambdas();
    logged("push [lambdas()::{lambda:1}]; pop; push [lambdas()::{lambda:2}]; pop");
}
#endif

int main(void) {
    const struct CMUnitTest tests[] = {
        CASE(by_return),
        CASE(return_value),
        CASE(by_break),
        CASE(by_goto),
        CASE(function),
        CASE(method),
        CASE(attributes),
        CASE(nested_attribute),
        CASE(one_line),
        CASE(functions),
#ifdef __cplusplus
        CASE(cpp),
#if __cplusplus >= 201402L
        CASE(methods),
#endif
#endif
    };

    return RUN(tests);
}
