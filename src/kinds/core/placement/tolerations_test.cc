#include "kinds/core/placement/tolerations.h"

#include <gtest/gtest.h>

namespace proa::kinds::pods {
namespace {

using std::chrono::seconds;

Taint taint(const char* key, const char* value = "") {
  return {.key = key, .value = value, .effect = "NoExecute"};
}

TEST(Tolerates, ComparesKeyEffectAndValue) {
  struct Case {
    const char* name;
    Toleration toleration;
    bool yes;
  };
  const Case cases[] = {
      {"another key", {.key = "b", .op = "Exists"}, false},
      {"exists", {.key = "a", .op = "Exists"}, true},
      {"any key", {.op = "Exists"}, true},
      {"equal", {.key = "a", .op = "Equal", .value = "1"}, true},
      {"equal is what is meant when nothing is said", {.key = "a", .value = "1"}, true},
      {"another value", {.key = "a", .value = "2"}, false},
      {"its effect", {.key = "a", .op = "Exists", .effect = "NoExecute"}, true},
      {"another effect", {.key = "a", .op = "Exists", .effect = "NoSchedule"}, false},
      {"an operator of the future", {.key = "a", .op = "Lt", .value = "5"}, false},
  };
  for (const Case& c : cases) {
    SCOPED_TRACE(c.name);
    EXPECT_EQ(tolerates(c.toleration, taint("a", "1")), c.yes);
  }
}

TEST(MayStay, IsTheLeastOfWhatIsTolerated) {
  const Toleration forever{.key = "a", .op = "Exists"};
  const Toleration minute{.key = "b", .op = "Exists", .seconds = 60};
  const Toleration hour{.key = "c", .op = "Exists", .seconds = 3600};
  const Toleration never{.key = "d", .op = "Exists", .seconds = -5};
  const Toleration ages{.key = "e", .op = "Exists", .seconds = INT64_MAX};
  const std::vector<Toleration> all{forever, minute, hour, never, ages};
  const auto stay = [&](std::vector<Taint> taints) { return may_stay(all, taints); };
  EXPECT_EQ(stay({}), std::nullopt);
  EXPECT_EQ(stay({taint("a")}), std::nullopt);
  EXPECT_EQ(stay({taint("e")}), std::nullopt);
  EXPECT_EQ(stay({taint("a"), taint("b")}), seconds(60));
  EXPECT_EQ(stay({taint("c"), taint("b")}), seconds(60));
  EXPECT_EQ(stay({taint("c"), taint("d")}), seconds(0));
  EXPECT_EQ(stay({taint("a"), taint("unknown")}), seconds(0));
  EXPECT_EQ(may_stay({}, std::vector<Taint>{taint("a")}), seconds(0));
}

TEST(MayStay, CountsTheFirstTolerationOfATaint) {
  const std::vector<Toleration> two{{.key = "a", .op = "Exists", .seconds = 60}, {.op = "Exists"}};
  EXPECT_EQ(may_stay(two, std::vector<Taint>{taint("a")}), seconds(60));
}

}  // namespace
}  // namespace proa::kinds::pods
