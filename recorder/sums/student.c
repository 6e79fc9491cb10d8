/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "student.h"

#include <math.h>

/* The continued fraction of the incomplete beta function, by Lentz' method (NIST DLMF 8.17.22). It
 * converges fast for x < (a + 1) / (a + b + 2). */
static double beta_fraction(double x, double a, double b)
{
    const double tiny = 1e-300;
    double c = 1, d = 1 - (a + b) * x / (a + 1);

    d = 1 / (fabs(d) < tiny ? tiny : d);
    double result = d;
    for (int m = 1; m < 500; m++) {
        double even = m * (b - m) * x / ((a + 2 * m - 1) * (a + 2 * m));
        double odd = -(a + m) * (a + b + m) * x / ((a + 2 * m) * (a + 2 * m + 1));
        double before = result;
        for (int i = 0; i < 2; i++) {
            double term = i ? odd : even;
            d = 1 + term * d;
            c = 1 + term / c;
            d = 1 / (fabs(d) < tiny ? tiny : d);
            c = fabs(c) < tiny ? tiny : c;
            result *= d * c;
        }
        if (fabs(result - before) <= 1e-15 * fabs(result)) {
            break;
        }
    }
    return result;
}

/* The regularized incomplete beta function I(x; a, b). */
static double beta_regularized(double x, double a, double b)
{
    if (x <= 0 || x >= 1) {
        return x > 0;
    }
    if (x > (a + 1) / (a + b + 2)) {
        return 1 - beta_regularized(1 - x, b, a);
    }
    double front = exp(lgamma(a + b) - lgamma(a) - lgamma(b) + a * log(x) + b * log1p(-x));
    return front * beta_fraction(x, a, b) / a;
}

double student_outside(double t, double freedom)
{
    return beta_regularized(freedom / (freedom + t * t), freedom / 2, 0.5);
}

double student_bound(double p, double freedom)
{
    double low = 0, high = 1;

    while (student_outside(high, freedom) > p && high < 1e150) {
        high *= 2;
    }
    for (int i = 0; i < 200 && high - low > 1e-12 * high; i++) {
        double middle = (low + high) / 2;
        *(student_outside(middle, freedom) > p ? &low : &high) = middle;
    }
    return high;
}
