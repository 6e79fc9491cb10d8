/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#ifndef NVTXH_WRITE_THREAD_FORK_H
#define NVTXH_WRITE_THREAD_FORK_H
/*
 * A fork in a signal handler that has interrupted an event: in the child, the event goes on writing, to memory of the
 * child's own. Both functions are called by the thread that forks: before the fork, and in the child after its memory was
 * wiped.
 */
void thread_fork_before(void);
void thread_fork_in_child(void);

#endif /* NVTXH_WRITE_THREAD_FORK_H */
