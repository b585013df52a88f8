#include "controllers/workload/job/indexes.h"

#include <gtest/gtest.h>

namespace proa::controllers::jobs {
namespace {

TEST(Indexes, AreReadAndWritten) {
  struct Case {
    const char* text;
    int64_t completions;
    const char* expected;
    int64_t count;
  };
  const Case cases[] = {
      {"", 10, "", 0},
      {"3", 10, "3", 1},
      {"0,1", 10, "0,1", 2},
      {"0,1,2", 10, "0-2", 3},
      {"1,3-5,7", 10, "1,3-5,7", 5},
      {"1,3-5,7", 5, "1,3,4", 3},
      {"1,3-5,7", 3, "1", 1},
      {"5-3", 10, "5", 1},
      {"x,2,y-3,4-z", 10, "2", 1},
      {"-1,2", 10, "2", 1},
      {"7,2,3", 10, "2,3,7", 3},
      {"0-9", 0, "", 0},
  };
  for (const Case& c : cases) {
    SCOPED_TRACE(c.text);
    const Indexes indexes = Indexes::parse(c.text, c.completions);
    EXPECT_EQ(indexes.str(), c.expected);
    EXPECT_EQ(indexes.count(), c.count);
    EXPECT_EQ(indexes.empty(), c.count == 0);
  }
}

TEST(Indexes, KnowWhatIsAmongThem) {
  const Indexes indexes = Indexes::parse("1,3-5,8", 100);
  for (int64_t i = -1; i < 12; ++i) {
    EXPECT_EQ(indexes.has(i), i == 1 || (i >= 3 && i <= 5) || i == 8) << i;
  }
}

TEST(Indexes, AreJoined) {
  Indexes indexes = Indexes::parse("1,3-5", 100);
  indexes.add(Indexes({2, 9, 7, 8, 9}));
  EXPECT_EQ(indexes.str(), "1-5,7-9");
  EXPECT_EQ(indexes, Indexes::parse("1-5,7-9", 100));
}

TEST(Indexes, CountWhatTheyHaveInCommon) {
  struct Case {
    const char* a;
    const char* b;
    int64_t count;
  };
  const Case cases[] = {
      {"", "1", 0},      {"1-3", "4-6", 0},       {"1-5", "2-3,5", 3},
      {"1-5", "0-9", 5}, {"1,3,5", "0-3,5-7", 3}, {"2-4,6-8", "4-6", 2},
  };
  for (const Case& c : cases) {
    SCOPED_TRACE(std::string(c.a) + " and " + c.b);
    const Indexes a = Indexes::parse(c.a, 100);
    const Indexes b = Indexes::parse(c.b, 100);
    EXPECT_EQ(a.count_common(b), c.count);
    EXPECT_EQ(b.count_common(a), c.count);
  }
}

TEST(Indexes, FindTheFirstOnesThatAreMissing) {
  struct Case {
    const char* have;
    int64_t count;
    int64_t completions;
    std::vector<int64_t> expected;
  };
  const Case cases[] = {
      {"", 3, 5, {0, 1, 2}},
      {"", 9, 2, {0, 1}},
      {"0-2", 2, 5, {3, 4}},
      {"1,3-4", 3, 7, {0, 2, 5}},
      {"1,3-4", 9, 7, {0, 2, 5, 6}},
      {"0-4", 2, 5, {}},
      {"2", 0, 5, {}},
      {"5-9", 4, 3, {0, 1, 2}},
  };
  for (const Case& c : cases) {
    SCOPED_TRACE(c.have);
    EXPECT_EQ(Indexes::parse(c.have, 100).first_missing(c.count, c.completions), c.expected);
  }
}

}  // namespace
}  // namespace proa::controllers::jobs
