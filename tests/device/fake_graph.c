/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Graphs and the user objects that they hold. */
#include "fake.h"

#include <unistd.h>

static int n_graphs, n_user_objects;
static struct CUuserObject_st *doomed;
static bool destroying;

/* --- user objects --------------------------------------------------------------------------------- */

/* Destructors run on a thread of their own, later. */
static void *destroy(void *unused) {
    (void)unused;
    pthread_mutex_lock(&fake_lock);
    while (doomed) {
        struct CUuserObject_st *object = doomed;

        doomed = object->next;
        pthread_mutex_unlock(&fake_lock);
        fake_call_back(object->destroy, object->data);
        free(object);
        pthread_mutex_lock(&fake_lock);
        n_user_objects--;
    }
    destroying = false;
    pthread_mutex_unlock(&fake_lock);
    return NULL;
}

static void release(struct CUuserObject_st *object, int n) {
    pthread_t thread;

    object->references -= n;
    if (object->references)
        return;
    object->next = doomed;
    doomed = object;
    if (!destroying && !pthread_create(&thread, NULL, destroy, NULL)) {
        destroying = true;
        pthread_detach(thread);
    }
}

int fake_user_objects(void) {
    int n;

    pthread_mutex_lock(&fake_lock);
    while (destroying) {
        pthread_mutex_unlock(&fake_lock);
        usleep(100);
        pthread_mutex_lock(&fake_lock);
    }
    n = n_user_objects;
    pthread_mutex_unlock(&fake_lock);
    return n;
}

int fake_graphs(void) {
    int n;

    pthread_mutex_lock(&fake_lock);
    n = n_graphs;
    pthread_mutex_unlock(&fake_lock);
    return n;
}

cudaError_t cudaUserObjectCreate(cudaUserObject_t *ret_object, void *data, cudaHostFn_t function,
                                 unsigned references, unsigned flags) {
    cudaError_t status = fake_enter(__func__);

    if (status == cudaSuccess && flags != cudaUserObjectNoDestructorSync)
        status = cudaErrorInvalidValue;
    if (status == cudaSuccess) {
        *ret_object = calloc(1, sizeof(**ret_object));
        (*ret_object)->references = (int)references;
        (*ret_object)->data = data;
        (*ret_object)->destroy = function;
        n_user_objects++;
    }
    return fake_leave(status);
}

cudaError_t cudaUserObjectRelease(cudaUserObject_t object, unsigned n) {
    cudaError_t status = fake_enter(__func__);

    release(object, (int)n); /* also where the context is broken: this is about memory */
    return fake_leave(status);
}

cudaError_t cudaGraphRetainUserObject(cudaGraph_t handle, cudaUserObject_t object, unsigned n,
                                      unsigned flags) {
    cudaError_t status = fake_enter(__func__);
    struct graph *graph = GRAPH(handle);

    if (status == cudaSuccess && (n != 1 || graph->n_refs == REFS))
        status = cudaErrorInvalidValue;
    if (status == cudaSuccess) {
        object->references += flags != cudaGraphUserObjectMove;
        graph->refs[graph->n_refs++] = object;
    }
    return fake_leave(status);
}

/* --- graphs ------------------------------------------------------------------------------------- */

struct graph *fake_new_graph(void) {
    struct graph *graph = calloc(1, sizeof(*graph));

    graph->nodes = calloc(NODES, sizeof(*graph->nodes));
    graph->refs = calloc(REFS, sizeof(*graph->refs));
    graph->holders = 1;
    pthread_mutex_init(&graph->running, NULL);
    n_graphs++;
    return graph;
}

static void drop_refs(struct graph *graph) {
    while (graph->n_refs)
        release(graph->refs[--graph->n_refs], 1);
}

static void copy_graph(struct graph *to, const struct graph *from) {
    int i;

    to->n_nodes = from->n_nodes;
    memcpy(to->nodes, from->nodes, (size_t)from->n_nodes * sizeof(*from->nodes));
    for (i = 0; i < from->n_refs; i++) {
        to->refs[to->n_refs++] = from->refs[i];
        from->refs[i]->references++;
    }
}

void fake_release_graph(struct graph *graph) {
    if (--graph->holders)
        return;
    drop_refs(graph);
    free(graph->nodes);
    free(graph->refs);
    pthread_mutex_destroy(&graph->running);
    free(graph);
    n_graphs--;
}

/* All nodes, each after those it depends on, otherwise in any order. */
void fake_run_graph(struct graph *graph) {
    bool *done;
    int left, i, k;

    pthread_mutex_lock(&graph->running);
    done = calloc((size_t)graph->n_nodes + 1, sizeof(*done));
    for (left = graph->n_nodes; left; left--) {
        int start;

        pthread_mutex_lock(&fake_lock);
        start = fake_seed ? (int)(fake_random() % (unsigned)graph->n_nodes) : 0;
        pthread_mutex_unlock(&fake_lock);
        for (i = start;; i = (i + 1) % graph->n_nodes) {
            for (k = 0; k < graph->nodes[i].n_deps && done[graph->nodes[i].deps[k]]; k++)
                ;
            if (!done[i] && k == graph->nodes[i].n_deps)
                break;
        }
        done[i] = true;
        if (!fake_broken_for_good())
            fake_call_back(graph->nodes[i].function, graph->nodes[i].data);
    }
    free(done);
    pthread_mutex_unlock(&graph->running);
    pthread_mutex_lock(&fake_lock);
    fake_release_graph(graph);
    pthread_mutex_unlock(&fake_lock);
}

cudaError_t cudaGraphDestroy(cudaGraph_t graph) {
    cudaError_t status = fake_enter(__func__);

    fake_release_graph(GRAPH(graph));
    return fake_leave(status);
}

cudaError_t cudaGraphExecDestroy(cudaGraphExec_t exec) {
    cudaError_t status = fake_enter(__func__);

    fake_release_graph(GRAPH(exec));
    return fake_leave(status);
}

cudaError_t cudaGraphGetNodes(cudaGraph_t graph, cudaGraphNode_t *nodes, size_t *ret_n) {
    cudaError_t status = fake_enter(__func__);

    (void)nodes;
    *ret_n = (size_t)GRAPH(graph)->n_nodes;
    return fake_leave(status);
}

cudaError_t cudaGraphClone(cudaGraph_t *ret_clone, cudaGraph_t graph) {
    cudaError_t status = fake_enter(__func__);

    if (status == cudaSuccess) {
        struct graph *clone = fake_new_graph();

        copy_graph(clone, GRAPH(graph));
        *ret_clone = (cudaGraph_t)(void *)clone;
    }
    return fake_leave(status);
}

cudaError_t cudaGraphInstantiateWithFlags(cudaGraphExec_t *ret_exec, cudaGraph_t graph,
                                          unsigned long long flags) {
    cudaGraph_t clone = NULL;
    cudaError_t status = cudaGraphClone(&clone, graph);

    (void)flags;
    *ret_exec = (cudaGraphExec_t)(void *)clone;
    return status;
}

#if CUDART_VERSION >= 12000
cudaError_t cudaGraphExecUpdate(cudaGraphExec_t exec, cudaGraph_t graph,
                                cudaGraphExecUpdateResultInfo *info)
#else
cudaError_t cudaGraphExecUpdate(cudaGraphExec_t exec, cudaGraph_t graph, cudaGraphNode_t *info,
                                enum cudaGraphExecUpdateResult *result)
#endif
{
    cudaError_t status;

    pthread_mutex_lock(&GRAPH(exec)->running);
    status = fake_enter(__func__);
    (void)info;
#if CUDART_VERSION < 12000
    (void)result;
#endif
    if (status == cudaSuccess && GRAPH(exec)->n_nodes != GRAPH(graph)->n_nodes)
        status = cudaErrorGraphExecUpdateFailure;
    if (status == cudaSuccess) {
        struct graph old = *GRAPH(exec);

        old.refs = malloc(REFS * sizeof(*old.refs));
        memcpy(old.refs, GRAPH(exec)->refs, REFS * sizeof(*old.refs));
        GRAPH(exec)->n_refs = 0;
        copy_graph(GRAPH(exec), GRAPH(graph));
        drop_refs(&old);
        free(old.refs);
    }
    pthread_mutex_unlock(&GRAPH(exec)->running);
    return fake_leave(status);
}

cudaError_t cudaGraphLaunch(cudaGraphExec_t exec, cudaStream_t stream) {
    cudaError_t status = fake_enter(__func__);
    struct graph *graph = GRAPH(exec);

    if (status == cudaSuccess) {
        graph->holders++;
        fake_enqueue(fake_stream(stream), (struct op){.kind = OP_GRAPH, .graph = graph});
    }
    return fake_leave(status);
}
