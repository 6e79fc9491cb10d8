/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#ifndef NVTXH_CORE_PRETTY_H
#define NVTXH_CORE_PRETTY_H

/* Shortens __PRETTY_FUNCTION__ at compile time, from C++14 on. Of
 *
 *     g++       constexpr ... nvtxh_i_method_pretty() [with Here = A<int>::run<double>(double)
 *               const::nvtxh_i_here]
 *     clang++   void A<int>::run(U) const [T = int, U = double]
 *
 * it makes A<int>::run<double>. A lambda is named by the line of its annotation: f()::{lambda:12}.
 * In the annotated function, g++'s __PRETTY_FUNCTION__ would be A<T>::run(U) [with U = double; T =
 * int; size_t = long unsigned int], where size_t, a typedef, looks like a template argument. So
 * with g++ the text is the __PRETTY_FUNCTION__ of nvtxh_i_method_pretty(), whose template argument
 * is a local type of the annotated function. Not API. */

#include "compiler.h"

#if defined(__cplusplus) && __cplusplus >= 201402L

extern "C++" { /* for files that include this header inside of extern "C" */

struct nvtxh_i_method_slice {
    const char *at;
    size_t n;
};

/* Hidden; otherwise, in g++'s inline functions, static variables of this type have the binding
 * STB_GNU_UNIQUE, and a shared object that contains one cannot be unloaded. */
template <size_t n>
struct NVTXH_I_HIDDEN nvtxh_i_method_text {
    char chars[n];
};

/* Counts what is written, and keeps as much of it as there is space for. */
struct nvtxh_i_method_writer {
    char *text;
    size_t capacity, n;

    constexpr void put(nvtxh_i_method_slice s) {
        for (size_t i = 0; i < s.n; i++, n++) {
            if (n < capacity) {
                text[n] = s.at[i];
            }
        }
    }
    template <size_t size>
    constexpr void say(const char (&s)[size]) {
        put({s, size - 1});
    }
};

constexpr bool nvtxh_i_method_is_word(char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
}

/* +1 for an opening bracket, -1 for a closing one. */
constexpr int nvtxh_i_method_depth(char c) {
    if (c == '<' || c == '(' || c == '[' || c == '{') {
        return 1;
    }
    return c == '>' || c == ')' || c == ']' || c == '}' ? -1 : 0;
}

constexpr bool nvtxh_i_method_equal(nvtxh_i_method_slice a, nvtxh_i_method_slice b) {
    if (a.n != b.n) {
        return false;
    }
    for (size_t i = 0; i < a.n; i++) {
        if (a.at[i] != b.at[i]) {
            return false;
        }
    }
    return true;
}

/* Does S have WORD at I? */
template <size_t size>
constexpr bool nvtxh_i_method_at(nvtxh_i_method_slice s, size_t i, const char (&word)[size]) {
    return i <= s.n && size - 1 <= s.n - i &&
           nvtxh_i_method_equal({s.at + i, size - 1}, {word, size - 1});
}

/* Removes END from the end of S. False: S does not end in END. */
template <size_t size>
constexpr bool nvtxh_i_method_cut(nvtxh_i_method_slice &s, const char (&end)[size]) {
    if (s.n < size - 1 || !nvtxh_i_method_at(s, s.n - (size - 1), end)) {
        return false;
    }
    s.n -= size - 1;
    return true;
}

/* The position of the bracket that the last character of S closes; 0 if there is none. */
constexpr size_t nvtxh_i_method_opening(nvtxh_i_method_slice s, char open, char close) {
    int depth = 0;

    for (size_t i = s.n; i-- > 0;) {
        depth += s.at[i] == close ? 1 : s.at[i] == open ? -1 : 0;
        if (!depth) {
            return i;
        }
    }
    return 0;
}

/* S: a signature without its parameters. Returns the function's name, which follows the last space
 * outside of brackets. After the word `operator`, spaces and brackets belong to the name. */
constexpr nvtxh_i_method_slice nvtxh_i_method_last(nvtxh_i_method_slice s) {
    size_t i = s.n;
    int depth = 0;

    for (size_t from = s.n; from-- > 0;) {
        if (nvtxh_i_method_at(s, from, "operator") &&
            (!from || !nvtxh_i_method_is_word(s.at[from - 1])) &&
            (from + 8 >= s.n || !nvtxh_i_method_is_word(s.at[from + 8]))) {
            i = from;
            break;
        }
    }
    for (; i > 0; i--) {
        depth -= nvtxh_i_method_depth(s.at[i - 1]);
        if (!depth && s.at[i - 1] == ' ') {
            break;
        }
    }
    for (; i < s.n && (s.at[i] == '*' || s.at[i] == '&'); i++) {
    }
    return {s.at + i, s.n - i};
}

/* Removes the first `T = value` from LIST, clang's template arguments. Returns the value. */
constexpr nvtxh_i_method_slice nvtxh_i_method_argument(nvtxh_i_method_slice &list) {
    nvtxh_i_method_slice value = {};
    size_t i = 0, equals = 0;
    int depth = 0;

    for (; i < list.n && (depth || list.at[i] != ','); i++) {
        depth += nvtxh_i_method_depth(list.at[i]);
        if (!depth && !equals && nvtxh_i_method_at(list, i, " = ")) {
            equals = i;
        }
    }
    if (equals) {
        value = {list.at + equals + 3, i < equals + 3 ? 0 : i - equals - 3};
    }
    if (value.n >= 2 && value.at[0] == '<') { /* a pack */
        value = {value.at + 1, value.n - 2};
    }
    i = i + 2 < list.n ? i + 2 : list.n;
    list = {list.at + i, list.n - i};
    return value;
}

/* Does NAME contain VALUE as a template argument? */
constexpr bool nvtxh_i_method_has(nvtxh_i_method_slice name, nvtxh_i_method_slice value) {
    for (size_t i = 1; i + value.n < name.n; i++) {
        if ((name.at[i - 1] == '<' || name.at[i - 1] == ' ') &&
            (name.at[i + value.n] == '>' || name.at[i + value.n] == ',') &&
            nvtxh_i_method_equal({name.at + i, value.n}, value)) {
            return true;
        }
    }
    return false;
}

/* Writes NAME, with {lambda} in place of the compiler's name of a lambda. For a lambda at the end
 * of NAME: {lambda:LINE}. */
constexpr void nvtxh_i_method_name(nvtxh_i_method_writer &writer, nvtxh_i_method_slice name,
                                   nvtxh_i_method_slice line) {
    for (size_t i = 0; i < name.n;) {
        bool clang = nvtxh_i_method_at(name, i, "(anonymous class)::operator()");
        size_t end = clang ? i + sizeof("(anonymous class)::operator()") - 1 : i;
        int depth = 0;

        if (!clang && !nvtxh_i_method_at(name, i, "<lambda")) {
            writer.put({name.at + i, 1});
            i++;
            continue;
        }
        if (!clang || (end < name.n && name.at[end] == '(')) {
            do {
                depth += nvtxh_i_method_depth(name.at[end++]);
            } while (depth && end < name.n);
        }
        writer.say("{lambda");
        if (end == name.n) {
            writer.say(":");
            writer.put(line);
        }
        writer.say("}");
        i = end;
    }
}

/* Writes the short form of S. LINE: the annotation's line number, as text. Returns the length. */
constexpr size_t nvtxh_i_method_write(nvtxh_i_method_writer writer, nvtxh_i_method_slice s,
                                      nvtxh_i_method_slice line) {
    nvtxh_i_method_slice list = {};
    bool any = false;
    size_t i = 0;

    if (s.n && s.at[s.n - 1] == ']' && (i = nvtxh_i_method_opening(s, '[', ']')) > 1) {
        if (nvtxh_i_method_at(s, i, "[with Here = ")) { /* g++ */
            s = {s.at + i + 13, s.n - i - 14};
            nvtxh_i_method_cut(s, "::nvtxh_i_here");
        } else {
            list = {s.at + i + 1, s.n - i - 2};
            s.n = i - 1;
        }
    }
    for (i = 0; i < s.n; i++) {
        if (nvtxh_i_method_at(s, i, " requires ")) {
            s.n = i;
        }
    }
    while (nvtxh_i_method_cut(s, " const") || nvtxh_i_method_cut(s, " volatile") ||
           nvtxh_i_method_cut(s, " &") || nvtxh_i_method_cut(s, " &&")) {
    }
    if (s.n && s.at[s.n - 1] == ')') {
        s.n = nvtxh_i_method_opening(s, '(', ')');
    }
    s = nvtxh_i_method_last(s);
    nvtxh_i_method_cut(s, "<>"); /* an empty pack */
    nvtxh_i_method_name(writer, s, line);
    while (list.n) {
        nvtxh_i_method_slice value = nvtxh_i_method_argument(list);

        if (!value.n || nvtxh_i_method_has(s, value)) {
            continue;
        }
        if (any) {
            writer.say(", ");
        } else {
            writer.say("<");
        }
        any = true;
        writer.put(value);
    }
    if (any) {
        writer.say(">");
    }
    return writer.n;
}

/* The text to shorten. HERE: a local type of the annotated function. Only g++ puts the function's
 * name into the type's name. So with clang the text is the function's own __PRETTY_FUNCTION__. */
#ifdef __clang__
#define NVTXH_I_PRETTY nvtxh_i_method_pretty(__PRETTY_FUNCTION__)
template <size_t n>
constexpr nvtxh_i_method_slice nvtxh_i_method_pretty(const char (&text)[n]) {
    return {text, n - 1};
}
#else
#define NVTXH_I_PRETTY nvtxh_i_method_pretty<struct nvtxh_i_here>()
template <typename Here>
constexpr nvtxh_i_method_slice nvtxh_i_method_pretty() {
    return {__PRETTY_FUNCTION__, sizeof(__PRETTY_FUNCTION__) - 1};
}
#endif

template <size_t digits>
constexpr size_t nvtxh_i_method_size(nvtxh_i_method_slice pretty, const char (&line)[digits]) {
    return nvtxh_i_method_write({nullptr, 0, 0}, pretty, {line, digits - 1}) + 1;
}

template <size_t size, size_t digits>
constexpr nvtxh_i_method_text<size> nvtxh_i_method(nvtxh_i_method_slice pretty,
                                                   const char (&line)[digits]) {
    nvtxh_i_method_text<size> result = {};

    nvtxh_i_method_write({result.chars, size - 1, 0}, pretty, {line, digits - 1});
    return result;
}
}

#endif

#endif
