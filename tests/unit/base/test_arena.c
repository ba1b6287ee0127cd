#include "collector/base/arena.h"
#include "tests/support/test.h"

static _Alignas(64) uint8_t memory[256];

TEST(blocks_are_aligned_and_do_not_overlap)
{
    struct arena arena = {.base = memory, .capacity = sizeof memory};
    uint8_t *end = memory;
    for (size_t size = 1; size <= 17; size++) {
        uint8_t *block = arena_allocate(&arena, size);
        assert_non_null(block);
        assert_true(block >= end);
        assert_int_equal((uintptr_t)block % ARENA_ALIGNMENT, 0);
        end = block + size;
        assert_true(end <= memory + arena.used);
    }
    assert_false(arena.exhausted);
}

TEST(it_is_used_to_the_last_byte_and_refuses_the_next)
{
    struct arena arena = {.base = memory, .capacity = sizeof memory};
    assert_ptr_equal(arena_allocate(&arena, sizeof memory - 8), memory);
    assert_null(arena_allocate(&arena, 9));
    assert_true(arena.exhausted);
    assert_int_equal(arena.used, sizeof memory - 8);
    assert_ptr_equal(arena_allocate(&arena, 8), memory + sizeof memory - 8);
    assert_null(arena_allocate(&arena, 1));
    assert_int_equal(arena.used, sizeof memory);
}

TEST(sizes_near_the_end_of_size_t_are_refused)
{
    struct arena arena = {.base = memory, .capacity = sizeof memory};
    assert_non_null(arena_allocate(&arena, 8));
    for (size_t under = 0; under < 40; under++)
        assert_null(arena_allocate(&arena, SIZE_MAX - under));
    assert_int_equal(arena.used, 8);
}

TEST(a_block_of_no_bytes_is_allowed)
{
    struct arena arena = {.base = memory, .capacity = 8};
    assert_non_null(arena_allocate(&arena, 0));
    assert_non_null(arena_allocate(&arena, 8));
    assert_non_null(arena_allocate(&arena, 0));
    assert_false(arena.exhausted);
}
