/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "report.h"
#include "../../nvtxh/core/text.h"

const char *const figure_units[FIGURE_UNITS] = {"auto", "ns", "us", "ms", "s"};

void figure_number(double number, int decimals, char ret_text[64]) {
    if (!(fabs(number) <= 1e30)) {
        snprintf(ret_text, 64, "%g", number);
        return;
    }
    *ret_text = '-';
    nvtxh_i_number_grouped(ret_text + (number < 0), decimals, fabs(number));
}

void figure_digits(double number, int decimals, FILE *out) {
    char digits[VALUE_DIGITS];

    if (decimals < 0) {
        fputs(value_digits(&(struct value){.kind = VALUE_REAL, .d = number}, digits), out);
    } else {
        fprintf(out, "%.*f", decimals, number);
    }
}

void figure_value(double value, char ret_text[64]) {
    if (fabs(value) > 0 && fabs(value) < 0.1) {
        snprintf(ret_text, 64, "%.3g", value);
    } else {
        figure_number(value, value == trunc(value) ? 0 : 3, ret_text);
    }
}

void figure_time(double ns, size_t unit, int decimals, bool utf8, char ret_text[64]) {
    static const double sizes[FIGURE_UNITS] = {1, 1, 1e3, 1e6, 1e9};
    const char *const names[] = {"ns", utf8 ? "µs" : "us", "ms", "s"};

    if (unit) {
        figure_number(ns / sizes[unit], unit == 1 ? decimals : 3, ret_text);
    } else {
        *ret_text = '-';
        nvtxh_i_number_short(ret_text + (ns < 0), fabs(ns), names, 4,
                             decimals == 0 || ns >= 99.95 || ns == floor(ns));
    }
}

const char *figure_usage(const struct rec_usage *usage, uint64_t elapsed,
                         char buffer[FIGURE_USAGE]) {
    char cpu[64], whole[64] = "", times[64];

    if (!(usage->user + usage->system)) {
        return "";
    }
    figure_time((double)(usage->user + usage->system), 0, 0, false, cpu);
    figure_number((double)usage->preempted, 0, times);
    if (elapsed) {
        figure_time((double)elapsed, 0, 0, false, whole);
    }
    snprintf(buffer, FIGURE_USAGE, "; %s CPU%s%s; preempted %s %s", cpu, elapsed ? " of " : "",
             whole, times, PLURAL(usage->preempted, "time", "times"));
    return buffer;
}

void figure_size(uint64_t bytes, char ret_text[64]) {
    static const char *const names[] = {"bytes", "kB", "MB", "GB", "TB"};

    nvtxh_i_number_short(ret_text, (double)bytes, names, 5, true);
}
