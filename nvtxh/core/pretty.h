/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#ifndef NVTXH_CORE_PRETTY_H
#define NVTXH_CORE_PRETTY_H

/*
 * Shortens __PRETTY_FUNCTION__ at compile time, from C++14 on. Of
 *
 *     g++       void A<T>::run(U) const [with U = double; T = int]
 *     clang++   void A<int>::run(U) const [T = int, U = double]
 *
 * it makes A<int>::run<double>. A lambda is named by its line: f()::{lambda:12}. Not API.
 */

#include "compiler.h"

#if defined(__cplusplus) && __cplusplus >= 201402L

extern "C++" { /* for files that include this header inside of extern "C" */

struct nvtxh_i_method_part {
    const char *at;
    size_t n;
};

/*
 * Hidden; otherwise g++ makes a static variable of this type in an inline function GNU unique, and its shared object
 * cannot be unloaded.
 */
template <size_t n>
struct NVTXH_I_HIDDEN nvtxh_i_method_text {
    char chars[n];
};

/* Counts what is written, and keeps as much of it as there is room for. */
struct nvtxh_i_method_writer {
    char *text;
    size_t room, n;

    constexpr void put(nvtxh_i_method_part s)
    {
        for (size_t i = 0; i < s.n; i++, n++)
            if (n < room)
                text[n] = s.at[i];
    }
    template <size_t size>
    constexpr void say(const char (&s)[size])
    {
        put({s, size - 1});
    }
};

constexpr bool nvtxh_i_method_is_word(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
}

/* +1 for an opening bracket, -1 for a closing one. */
constexpr int nvtxh_i_method_depth(char c)
{
    return c == '<' || c == '(' || c == '[' || c == '{'   ? 1
           : c == '>' || c == ')' || c == ']' || c == '}' ? -1
                                                          : 0;
}

constexpr bool nvtxh_i_method_equal(nvtxh_i_method_part a, nvtxh_i_method_part b)
{
    if (a.n != b.n)
        return false;
    for (size_t i = 0; i < a.n; i++)
        if (a.at[i] != b.at[i])
            return false;
    return true;
}

/* Does S have WORD at I? */
template <size_t size>
constexpr bool nvtxh_i_method_at(nvtxh_i_method_part s, size_t i, const char (&word)[size])
{
    return i <= s.n && size - 1 <= s.n - i &&
           nvtxh_i_method_equal({s.at + i, size - 1}, {word, size - 1});
}

/* Removes END from the end of S. False: S ends otherwise. */
template <size_t size>
constexpr bool nvtxh_i_method_cut(nvtxh_i_method_part &s, const char (&end)[size])
{
    if (s.n < size - 1 || !nvtxh_i_method_at(s, s.n - (size - 1), end))
        return false;
    s.n -= size - 1;
    return true;
}

/* The position of the bracket that the last character of S closes; 0 if there is none. */
constexpr size_t nvtxh_i_method_opening(nvtxh_i_method_part s, char open, char close)
{
    int depth = 0;

    for (size_t i = s.n; i-- > 0;) {
        depth += s.at[i] == close ? 1 : s.at[i] == open ? -1 : 0;
        if (!depth)
            return i;
    }
    return 0;
}

/*
 * S is the text before the parameters. Returns the name in it, which follows the last space outside of brackets. In a
 * name with `operator`, spaces and brackets may follow that word.
 */
constexpr nvtxh_i_method_part nvtxh_i_method_last(nvtxh_i_method_part s)
{
    size_t i = s.n;
    int depth = 0;

    for (size_t from = s.n; from-- > 0;)
        if (nvtxh_i_method_at(s, from, "operator") &&
            (!from || !nvtxh_i_method_is_word(s.at[from - 1])) &&
            (from + 8 >= s.n || !nvtxh_i_method_is_word(s.at[from + 8]))) {
            i = from;
            break;
        }
    for (; i > 0; i--) {
        depth -= nvtxh_i_method_depth(s.at[i - 1]);
        if (!depth && s.at[i - 1] == ' ')
            break;
    }
    for (; i < s.n && (s.at[i] == '*' || s.at[i] == '&'); i++)
        ;
    return {s.at + i, s.n - i};
}

/* One `key = value` of a list of template arguments. next() reads the first of the list, and removes it there. */
struct nvtxh_i_method_argument {
    nvtxh_i_method_part key, value;

    constexpr bool next(nvtxh_i_method_part &list)
    {
        size_t i = 0, equals = 0, begin = 0;
        int depth = 0;

        if (!list.n)
            return false;
        for (; i < list.n && (depth || (list.at[i] != ';' && list.at[i] != ',')); i++) {
            depth += nvtxh_i_method_depth(list.at[i]);
            if (!depth && !equals && nvtxh_i_method_at(list, i, " = "))
                equals = i;
            if (!equals && list.at[i] == ' ')
                begin = i + 1; /* after the type: int N = 3 */
        }
        if (!equals)
            equals = i < 3 ? 0 : i - 3;
        if (begin > equals)
            begin = 0;
        key = {list.at + begin, equals - begin};
        value = {list.at + equals + 3, i < equals + 3 ? 0 : i - equals - 3};
        if (value.n >= 2 && (value.at[0] == '{' || value.at[0] == '<')) /* a pack */
            value = {value.at + 1, value.n - 2};
        i = i + 2 < list.n ? i + 2 : list.n;
        list = {list.at + i, list.n - i};
        return true;
    }

    /* Is the key a template parameter? g++ also lists others: std::string, decltype(...). */
    constexpr bool is_parameter() const
    {
        for (size_t i = 0; i < key.n; i++)
            if (key.at[i] == ')' || nvtxh_i_method_at(key, i, "::"))
                return false;
        return true;
    }

    /* Does the name contain the value (or the key) as a template argument already? */
    constexpr bool is_in(nvtxh_i_method_part name, bool by_key) const
    {
        nvtxh_i_method_part what = by_key ? key : value;

        for (size_t i = 1; i + what.n < name.n; i++)
            if ((name.at[i - 1] == '<' || name.at[i - 1] == ' ') &&
                (name.at[i + what.n] == '>' || name.at[i + what.n] == ',') &&
                nvtxh_i_method_equal({name.at + i, what.n}, what))
                return true;
        return false;
    }
};

/* Writes NAME, with the arguments of LIST in place of the template parameters. */
constexpr void nvtxh_i_method_name(nvtxh_i_method_writer &writer, nvtxh_i_method_part name,
                                   nvtxh_i_method_part list, nvtxh_i_method_part line)
{
    for (size_t i = 0; i < name.n;) {
        size_t end = i;
        int depth = 0;
        bool clang = nvtxh_i_method_at(name, i, "(anonymous class)::operator()");

        if (clang || nvtxh_i_method_at(name, i, "<lambda")) {
            end = clang ? i + sizeof("(anonymous class)::operator()") - 1 : i;
            if (!clang || (end < name.n && name.at[end] == '('))
                do
                    depth += nvtxh_i_method_depth(name.at[end++]);
                while (depth && end < name.n);
            writer.say("{lambda");
            if (end == name.n) {
                writer.say(":");
                writer.put(line);
            }
            writer.say("}");
            i = end;
            continue;
        }
        for (; end < name.n && nvtxh_i_method_is_word(name.at[end]); end++)
            ;
        end += end == i;
        nvtxh_i_method_part word = {name.at + i, end - i}, rest = list;
        nvtxh_i_method_argument argument = {};
        while (list.n && argument.next(rest))
            if (argument.is_parameter() && nvtxh_i_method_equal(word, argument.key) &&
                (!i || name.at[i - 1] != ':')) {
                word = argument.value;
                break;
            }
        writer.put(word);
        i = end;
    }
}

/* Writes the short form of S, a __PRETTY_FUNCTION__ in line LINE. Returns its length. */
constexpr size_t nvtxh_i_method_write(nvtxh_i_method_writer writer, nvtxh_i_method_part s,
                                      nvtxh_i_method_part line)
{
    nvtxh_i_method_part list = {}, rest = {};
    nvtxh_i_method_argument argument = {};
    bool with = false, any = false;
    size_t i = 0;

    if (s.n && s.at[s.n - 1] == ']' && (i = nvtxh_i_method_opening(s, '[', ']')) > 1) {
        with = nvtxh_i_method_at(s, i, "[with "); /* g++ */
        list = {s.at + i + (with ? 6 : 1), s.n - i - (with ? 7 : 2)};
        s.n = i - 1;
    }
    for (i = 0; i < s.n; i++)
        if (nvtxh_i_method_at(s, i, " requires "))
            s.n = i;
    while (nvtxh_i_method_cut(s, " const") || nvtxh_i_method_cut(s, " volatile") ||
           nvtxh_i_method_cut(s, " &") || nvtxh_i_method_cut(s, " &&"))
        ;
    if (s.n && s.at[s.n - 1] == ')')
        s.n = nvtxh_i_method_opening(s, '(', ')');
    s = nvtxh_i_method_last(s);
    nvtxh_i_method_name(writer, s, with ? list : rest, line);
    for (rest = list; argument.next(rest);)
        if (argument.value.n && argument.is_parameter() && !argument.is_in(s, with)) {
            if (any)
                writer.say(", ");
            else
                writer.say("<");
            any = true;
            writer.put(argument.value);
        }
    if (any)
        writer.say(">");
    return writer.n;
}

template <size_t n, size_t digits>
constexpr size_t nvtxh_i_method_size(const char (&pretty)[n], const char (&line)[digits])
{
    return nvtxh_i_method_write({nullptr, 0, 0}, {pretty, n - 1}, {line, digits - 1}) + 1;
}

template <size_t size, size_t n, size_t digits>
constexpr nvtxh_i_method_text<size> nvtxh_i_method(const char (&pretty)[n],
                                                   const char (&line)[digits])
{
    nvtxh_i_method_text<size> result = {};

    nvtxh_i_method_write({result.chars, size - 1, 0}, {pretty, n - 1}, {line, digits - 1});
    return result;
}
}

#endif

#endif
