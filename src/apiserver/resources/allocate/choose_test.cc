#include "apiserver/resources/allocate/choose.h"

#include <gtest/gtest.h>

#include <set>

namespace proa::apiserver {
namespace {

struct Counted {
  std::set<uint64_t> numbers;
  int asked = 0;
  int listed = 0;

  Taken taken() {
    return {.has = [this](uint64_t number) -> Result<bool> {
              ++asked;
              return numbers.contains(number);
            },
            .all = [this]() -> Result<std::vector<uint64_t>> {
              ++listed;
              return std::vector<uint64_t>(numbers.begin(), numbers.end());
            }};
  }
};

TEST(NumbersToKeep, AreAPartWithinBounds) {
  struct Case {
    uint64_t total, part, most, kept;
  };
  for (const Case& c : {Case{16, 16, 256, 0}, Case{17, 16, 256, 16}, Case{256, 16, 256, 16},
                        Case{1024, 16, 256, 64}, Case{65536, 16, 256, 256}, Case{2768, 32, 128, 86},
                        Case{1, 32, 128, 0}}) {
    EXPECT_EQ(numbers_to_keep(c.total, c.part, c.most), c.kept) << c.total;
  }
}

TEST(ChooseFree, LeavesTheKeptOnesUntilTheEnd) {
  Counted counted;
  SeededRandom random(7);
  const NumberRange range{.size = 40, .kept = 16};
  for (int i = 0; i < 40; ++i) {
    const auto number = choose_free(range, counted.taken(), random);
    ASSERT_TRUE(number.ok() && *number);
    EXPECT_EQ(**number < 16, i >= 24) << i;
    EXPECT_TRUE(counted.numbers.insert(**number).second);
  }
  const auto none = choose_free(range, counted.taken(), random);
  ASSERT_TRUE(none.ok());
  EXPECT_FALSE(none->has_value());
}

TEST(ChooseFree, LooksAtFewNumbersWhenManyAreFree) {
  Counted counted;
  SeededRandom random(7);
  const NumberRange range{.size = 65534, .kept = 256};
  for (int i = 0; i < 10000; ++i) {
    counted.numbers.insert(**choose_free(range, counted.taken(), random));
  }
  EXPECT_EQ(counted.numbers.size(), 10000u);
  EXPECT_LT(counted.asked, 12000);
  EXPECT_EQ(counted.listed, 0);
}

TEST(ChooseFree, FindsTheLastOne) {
  Counted counted;
  SeededRandom random(7);
  const NumberRange range{.size = 5000, .kept = 256};
  for (uint64_t i = 0; i < range.size; ++i) counted.numbers.insert(i);
  counted.numbers.erase(4321);
  EXPECT_EQ(**choose_free(range, counted.taken(), random), 4321u);
  counted.numbers.insert(4321);
  counted.numbers.erase(12);
  EXPECT_EQ(**choose_free(range, counted.taken(), random), 12u);
}

TEST(ChooseFree, TakesEmptyAndHugeRanges) {
  Counted counted;
  SeededRandom random(7);
  EXPECT_FALSE(choose_free({.size = 0, .kept = 0}, counted.taken(), random)->has_value());
  EXPECT_TRUE(
      choose_free({.size = UINT64_MAX - 1, .kept = 256}, counted.taken(), random)->has_value());
}

TEST(ChooseFree, PassesFailuresOn) {
  SeededRandom random(7);
  const Taken broken{
      .has = [](uint64_t) -> Result<bool> { return Status(Reason::kInternalError, "broken"); },
      .all = [] { return Result<std::vector<uint64_t>>(std::vector<uint64_t>()); }};
  EXPECT_TRUE(choose_free({.size = 9, .kept = 0}, broken, random).is(Reason::kInternalError));
}

}  // namespace
}  // namespace proa::apiserver
