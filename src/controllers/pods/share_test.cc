#include "controllers/pods/share.h"

#include <gtest/gtest.h>

#include "json/parse.h"

namespace proa::controllers {
namespace {

TEST(Share, IsANumberOrRounded) {
  struct Case {
    const char* value;
    int64_t up;
    int64_t down;
  };
  const Case cases[] = {
      {"3", 3, 3}, {R"("25%")", 3, 2}, {R"("50%")", 5, 5}, {R"("100%")", 10, 10},
      {"0", 0, 0}, {R"("0%")", 0, 0},  {"null", 0, 0},
  };
  for (const Case& c : cases) {
    SCOPED_TRACE(c.value);
    const json::Document value = json::parse(c.value).value();
    EXPECT_EQ(Share::from(value.root()).rounded_up(10), c.up);
    EXPECT_EQ(Share::from(value.root()).rounded_down(10), c.down);
  }
}

}  // namespace
}  // namespace proa::controllers
