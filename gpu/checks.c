/* The checks: kernels of gpu/kernels, each with the same computation for the CPU. */
#include "checks.h"

static const struct program calls = {"calls", {"calls_kernel", "calls_middle", "calls_leaf"}};
static const struct program pointers = {"pointers", {"pointers_kernel", "operations"}};
static const struct program virtuals = {"virtual", {"virtual_kernel", "shapes"}};
static const struct program data = {"data", {"data_kernel", "data"}};
static const struct program shared = {"shared", {"shared_kernel", "shared_sum"}};
static const struct program recursion = {"recursion", {"recursion_kernel", "recursion_other"}};
static const struct program resources = {"resources", {"resources_kernel", "resources"}};
static const struct program names = {"names", {"names_kernel", "names_other"}};
static const struct program printing = {"printing", {"printing_kernel", "printing"}};

const struct program *const programs[] = {&calls,     &pointers,  &virtuals, &data,    &shared,
                                          &recursion, &resources, &names,    &printing};
const size_t program_count = sizeof programs / sizeof programs[0];

#define EXPECTED(name) static uint32_t name(uint32_t i, uint32_t block, uint32_t thread)
#define UNUSED(name)   (void)(name)

static uint32_t leaf(uint32_t value)
{
    return value * 2654435761u + 12345u;
}

EXPECTED(expect_calls)
{
    UNUSED(block), UNUSED(thread);
    return (leaf(i + 1) * 3 + leaf(i + 2)) ^ leaf(i);
}

EXPECTED(expect_many_arguments)
{
    UNUSED(block), UNUSED(thread);
    return i + 2 * 2 + 3 * (i + 3) + 5 * 4 + 7 * 5 + 11 * i + 13 * 6 + 17 * 7 + 19 * 8 + 23 * 9 +
           29 * (i * 10) + 31 * 11 + 37 * 12;
}

EXPECTED(expect_pointers_in_global)
{
    UNUSED(block), UNUSED(thread);
    const uint32_t results[] = {i + 7, i - 7, i * 7};
    return results[i % 3];
}

EXPECTED(expect_pointers_in_constant)
{
    UNUSED(block), UNUSED(thread);
    const uint32_t results[] = {i * 7, i + 7, i - 7};
    return results[i % 3];
}

EXPECTED(expect_pointer_from_host)
{
    UNUSED(block), UNUSED(thread);
    return i - 7;
}

EXPECTED(expect_pointer_in_code)
{
    UNUSED(block), UNUSED(thread);
    return i & 1 ? i * 7 : i + 7;
}

EXPECTED(expect_virtual_calls)
{
    UNUSED(block), UNUSED(thread);
    return i % 3 ? 3 * i * i * 8 : (i + 1) * (i + 1) * 8 + 4;
}

static const uint32_t table[] = {3, 1, 4, 1, 5, 9, 2, 6};

EXPECTED(expect_global_data)
{
    UNUSED(block), UNUSED(thread);
    const uint32_t entries[] = {9 + 1 + 10, 6 + 2 + 20};
    return table[i % 8] + 10 * table[3 + i % 4] + 100 * entries[i % 2] +
           100000 * (uint32_t) "rpld"[i % 4] + i;
}

static uint32_t constant_data(uint32_t i, uint32_t factor)
{
    return factor * i + 77 + (i % 3 * 2 + 1) + table[2 + i % 4];
}

EXPECTED(expect_constant_data)
{
    UNUSED(block), UNUSED(thread);
    return constant_data(i, 100);
}

EXPECTED(expect_changed_constant)
{
    UNUSED(block), UNUSED(thread);
    return constant_data(i, NEW_FACTOR);
}

static uint32_t sum_of_block(uint32_t block)
{
    uint32_t sum = 0;
    for (uint32_t thread = 0; thread < BLOCK_SIZE; thread++)
        sum += block * BLOCK_SIZE + thread;
    return sum;
}

EXPECTED(expect_shared_in_function)
{
    UNUSED(i);
    return sum_of_block(block) + thread;
}

EXPECTED(expect_shared_in_both)
{
    UNUSED(i);
    uint32_t neighbour = block * BLOCK_SIZE + (thread + 1) % BLOCK_SIZE;
    return sum_of_block(block) + 3 * neighbour + thread % 5 + 1;
}

EXPECTED(expect_shared_at_launch)
{
    UNUSED(i);
    return sum_of_block(block) + block * BLOCK_SIZE + BLOCK_SIZE - 1 - thread;
}

EXPECTED(expect_recursion)
{
    UNUSED(block), UNUSED(thread);
    static const uint32_t fibonacci[] = {0, 1, 1, 2, 3, 5, 8, 13, 21, 34, 55, 89};
    return fibonacci[i % 12];
}

EXPECTED(expect_mutual_recursion)
{
    UNUSED(block), UNUSED(thread);
    uint32_t sum = 0;
    uint32_t left = i % 20;
    for (uint32_t step = 0; step < left; step++)
        sum += step % 2 ? 3 : 2;
    return sum + (left % 2 ? 1000 : 1);
}

uint32_t seed(uint32_t index)
{
    return index * 40503u + 17;
}

EXPECTED(expect_needs_registers)
{
    UNUSED(block), UNUSED(thread);
    uint32_t sum = 0;
    for (uint32_t index = SEED_COUNT; index-- > 0;)
        sum = sum * 3 + seed(index) + i;
    return sum;
}

EXPECTED(expect_needs_stack)
{
    UNUSED(block), UNUSED(thread);
    return i + i % 1024 + i + 1023;
}

EXPECTED(expect_needs_barrier)
{
    UNUSED(i), UNUSED(thread);
    return block * BLOCK_SIZE + BLOCK_SIZE - 1;
}

EXPECTED(expect_static_names)
{
    UNUSED(block), UNUSED(thread);
    return (1000 + i) * 10 + 2000 - i;
}

EXPECTED(expect_weak_names)
{
    UNUSED(block), UNUSED(thread);
    return (5 * i + 1) * 1001;
}

EXPECTED(expect_number)
{
    UNUSED(block), UNUSED(thread);
    return i;
}

#define CHECK(program_, kernel_, expected_, about_, ...)                                           \
    {                                                                                              \
        .program = &(program_), .kernel = (kernel_), .expected = (expected_), .about = (about_),   \
        .threads = BLOCK_SIZE, __VA_ARGS__                                                         \
    }

const struct check checks[] = {
    CHECK(calls, "calls", expect_calls, "calls across three files", .blocks = 4),
    CHECK(calls, "calls_many_arguments", expect_many_arguments, "arguments on the stack",
          .blocks = 4),
    CHECK(pointers, "pointers_in_global", expect_pointers_in_global,
          "function pointers in initialised global data", .blocks = 4),
    CHECK(pointers, "pointers_in_constant", expect_pointers_in_constant,
          "function pointers in constant memory", .blocks = 4),
    CHECK(pointers, "pointer_from_host", expect_pointer_from_host,
          "a function pointer that the host read and passed back", .blocks = 4,
          .argument = ARGUMENT_FUNCTION),
    CHECK(pointers, "pointer_in_code", expect_pointer_in_code, "addresses of functions in code",
          .blocks = 4),
    CHECK(virtuals, "virtual_calls", expect_virtual_calls, "virtual functions of another file",
          .blocks = 4),
    CHECK(data, "global_data", expect_global_data,
          "global data, initialised pointers, zero-initialised data", .blocks = 1),
    CHECK(data, "constant_data", expect_constant_data, "constants of two files", .blocks = 4),
    CHECK(data, "constant_data", expect_changed_constant, "a constant that the host changed",
          .blocks = 4, .factor = NEW_FACTOR),
    CHECK(shared, "shared_in_function", expect_shared_in_function,
          "shared memory of a called function", .blocks = 4),
    CHECK(shared, "shared_in_both", expect_shared_in_both,
          "shared memory of kernel and function together", .blocks = 4),
    CHECK(shared, "shared_at_launch", expect_shared_at_launch,
          "extern shared memory after static shared memory", .blocks = 4,
          .shared_bytes = BLOCK_SIZE * sizeof(uint32_t)),
    CHECK(recursion, "recursion", expect_recursion, "recursion", .blocks = 4,
          .stack_bytes = DEEP_STACK),
    CHECK(recursion, "mutual_recursion", expect_mutual_recursion, "recursion across files",
          .blocks = 4, .stack_bytes = DEEP_STACK),
    CHECK(resources, "needs_registers", expect_needs_registers,
          "registers that a called function needs", .blocks = 4, .argument = ARGUMENT_SEEDS),
    CHECK(resources, "needs_stack", expect_needs_stack, "stack that a called function needs",
          .blocks = 4),
    CHECK(resources, "needs_barrier", expect_needs_barrier, "barrier of a called function",
          .blocks = 4),
    CHECK(names, "static_names", expect_static_names, "static names that two files share",
          .blocks = 4),
    CHECK(names, "weak_names", expect_weak_names, "a template that two files define", .blocks = 4),
    CHECK(printing, "printing", expect_number, "printf", .blocks = 4,
          .prints = "thread 5 says hello\n"),
};
const size_t check_count = sizeof checks / sizeof checks[0];
