#include "json/arena.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <cstring>
#include <vector>

namespace proa::json {
namespace arena_test {

TEST(Arena, PiecesAreAlignedAndApart) {
  Arena arena;
  std::vector<std::pair<char*, size_t>> pieces;
  for (size_t i = 0; i < 2000; ++i) {
    const size_t alignment = size_t{1} << (i % 5);
    const size_t size = 1 + i * 7 % 300;
    auto* piece = static_cast<char*>(arena.allocate(size, alignment));
    EXPECT_EQ(reinterpret_cast<uintptr_t>(piece) % alignment, 0U);
    std::memset(piece, static_cast<int>(i % 251), size);
    pieces.emplace_back(piece, size);
  }
  for (size_t i = 0; i < pieces.size(); ++i) {
    for (size_t k = 0; k < pieces[i].second; ++k) {
      ASSERT_EQ(pieces[i].first[k], static_cast<char>(i % 251));
    }
  }
}

TEST(Arena, LargePiecesDoNotWasteTheCurrentBlock) {
  Arena arena;
  auto* before = static_cast<char*>(arena.allocate(8, 8));
  arena.allocate(1 << 20, 8);
  auto* after = static_cast<char*>(arena.allocate(8, 8));
  EXPECT_EQ(after, before + 8);
  EXPECT_LT(arena.reserved(), size_t{(1 << 20) + 4096});
}

TEST(Arena, MovesWithItsMemory) {
  Arena first;
  const std::string_view text = first.copy("kept");
  Arena second = std::move(first);
  EXPECT_EQ(text, "kept");
  EXPECT_EQ(first.reserved(), 0U);  // NOLINT: moved from on purpose
  second.copy("more");
  first = std::move(second);
  EXPECT_EQ(text, "kept");
  EXPECT_EQ(first.copy(""), "");
}

}  // namespace arena_test
}  // namespace proa::json
