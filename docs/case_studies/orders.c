/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The program of straggler.md: ranks add up the sales of each customer, month by month, and
 * exchange the sums.
 *
 *     mpicc -O2 $(pkg-config --cflags nvtxh) orders.c -o orders
 *     mpirun -n 4 ./orders [even] */
#include "nvtxh.h"

#include <mpi.h>
#include <stdio.h>

enum { MONTHS = 6, CUSTOMERS = 64, ORDERS = 1000, LARGE = 6, LARGE_ORDERS = 600000 };

/* What the order costs, after some rounds of arithmetic that stand for taxes and exchange rates. */
static unsigned price(unsigned order) {
    for (int i = 0; i < 100; i++)
        order = order * 1664525 + 1013904223;
    return order >> 20;
}

static void add_up(double sums[CUSTOMERS], int rank, int ranks, int even) {
    NVTX_FUNC();
    for (int customer = 0; customer < CUSTOMERS; customer++) {
        unsigned orders = customer == LARGE ? LARGE_ORDERS : ORDERS;
        for (unsigned order = 0; order < orders; order++) {
            unsigned owner = even ? order : (unsigned)customer;
            if (owner % (unsigned)ranks == (unsigned)rank)
                sums[customer] += price(order);
        }
    }
}

static void exchange(double sums[CUSTOMERS]) {
    NVTX_FUNC();
    MPI_Allreduce(MPI_IN_PLACE, sums, CUSTOMERS, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
}

int main(int argc, char **argv) {
    double sums[CUSTOMERS];
    int rank, ranks;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    for (int month = 0; month < MONTHS; month++) {
        NVTX_SCOPE("month", .payload = nvtxh_payload(month));
        for (int customer = 0; customer < CUSTOMERS; customer++)
            sums[customer] = 0;
        add_up(sums, rank, ranks, argc > 1);
        exchange(sums);
    }
    if (rank == 0)
        printf("customer %d: %.0f\n", LARGE, sums[LARGE]);
    MPI_Finalize();
}
