/* The sums that reach_sums.c computes along the call graph equal the sums over the sets of
 * functions that the kernels reach. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "link/resolve/callgraph_build.h"
#include "link/resources/reach_sums.h"

/* reach_sums.c walks over the graph once for every 64 forks. The largest graphs have more forks
 * than that. */
enum { GRAPHS = 300, MOST_FUNCTIONS = 300 };

struct graph {
    link_context link;
    struct function functions[MOST_FUNCTIONS];
    struct function *pointers[MOST_FUNCTIONS];
    uint64_t weights[MOST_FUNCTIONS];
    uint64_t state; /* of random_below; the graph's number is the seed */
};

static void fail_out_of_memory(void *owner)
{
    (void)owner;
    fail_msg("out of memory");
    abort();
}

static uint32_t random_below(struct graph *graph, uint32_t limit)
{
    graph->state = graph->state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (uint32_t)(graph->state >> 33) % limit;
}

/* Returns a random callee. Most callees follow the caller, which gives chains with short cuts and
 * trees. In some graphs a few callees precede the caller, which gives cycles. */
static uint32_t random_callee(struct graph *graph, uint32_t caller, uint32_t span)
{
    uint32_t count = graph->link.callgraph.node_count;
    bool goes_back = graph->state % 2 && !random_below(graph, 20);
    uint32_t callee = caller + 1 + random_below(graph, span);
    return goes_back || callee >= count ? random_below(graph, count) : callee;
}

static void make_graph(struct graph *graph, uint64_t seed)
{
    *graph = (struct graph){.state = seed};
    link_context *link = &graph->link;
    arena_init(&link->arena, fail_out_of_memory, NULL);
    uint32_t count = 1 + random_below(graph, MOST_FUNCTIONS);
    uint32_t span = 1 + random_below(graph, 8), calls = 1 + random_below(graph, 3);
    uint32_t kernels = 1 + random_below(graph, 4), weights = 1 + random_below(graph, 4);
    struct edge_list edges = {.from = NULL};
    link->functions = graph->pointers;
    link->functions_count = count;
    link->callgraph.function_count = link->callgraph.node_count = count;
    for (uint32_t i = 0; i < count; i++) {
        graph->pointers[i] = &graph->functions[i];
        graph->functions[i].index = i;
        graph->functions[i].kernel = !random_below(graph, kernels);
        graph->weights[i] = random_below(graph, weights) ? 0 : 1 + random_below(graph, 1000);
        for (uint32_t n = random_below(graph, calls + 1); n-- > 0 && i + 1 < count;)
            edge_list_add(link, &edges, i, random_callee(graph, i, span));
    }
    adjacency_make(link, &link->callgraph.callees, count, edges.from, edges.to, edges.from_count);
    callgraph_order(link);
}

static uint64_t sum_of_set(const struct graph *graph, uint32_t kernel)
{
    const struct adjacency *callees = &graph->link.callgraph.callees;
    bool is_reached[MOST_FUNCTIONS] = {false};
    uint32_t queue[MOST_FUNCTIONS] = {kernel}, size = 1;
    uint64_t sum = 0;
    is_reached[kernel] = true;
    for (uint32_t i = 0; i < size; i++) {
        sum += graph->weights[queue[i]];
        for (uint32_t e = callees->start[queue[i]]; e < callees->start[queue[i] + 1]; e++) {
            uint32_t callee = callees->targets[e];
            if (!is_reached[callee])
                queue[size++] = callee;
            is_reached[callee] = true;
        }
    }
    return sum;
}

static void sums_are_those_of_the_sets(void **unused)
{
    (void)unused;
    static struct graph graph;
    for (uint64_t seed = 0; seed < GRAPHS; seed++) {
        make_graph(&graph, seed);
        const uint64_t *sums = reach_sums(&graph.link, graph.weights);
        for (uint32_t i = 0; i < graph.link.functions_count; i++)
            if (graph.functions[i].kernel)
                assert_int_equal(sums[graph.link.callgraph.component[i]], sum_of_set(&graph, i));
        arena_destroy(&graph.link.arena);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sums_are_those_of_the_sets),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
