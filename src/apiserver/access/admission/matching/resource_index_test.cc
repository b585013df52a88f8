#include "apiserver/access/admission/matching/resource_index.h"

#include <gtest/gtest.h>

#include "json/parse.h"

namespace proa::apiserver {
namespace {

MatchCriteria about(std::string_view resources) {
  const json::Document document =
      json::parse(R"({"resourceRules":[{"resources":[)" + std::string(resources) + "]}]}").value();
  return MatchCriteria::of_policy(document.root());
}

using Places = std::vector<uint32_t>;

TEST(ResourceIndex, FindsThoseThatMayBeAboutAResource) {
  ResourceIndex index;
  EXPECT_FALSE(index.has("pods"));
  index.add(about(R"("nodes","pods","pods/status")"));
  EXPECT_FALSE(index.has("secrets"));
  index.add(about(R"("*/scale")"));
  index.add(about(R"("pods")"));
  index.add(about(R"("*","pods")"));
  EXPECT_EQ(index.find("pods"), (Places{0, 1, 2, 3}));
  EXPECT_EQ(index.find("nodes"), (Places{0, 1, 3}));
  EXPECT_EQ(index.find("secrets"), (Places{1, 3}));
  EXPECT_TRUE(index.has("secrets"));
}

// The square of this would take hours, or tens of gigabytes.
TEST(ResourceIndex, ManyNamesAndManyThatAreAboutAllCostLittle) {
  std::string names = R"("pods")";
  for (int i = 0; i < 100'000; ++i) names += ",\"r" + std::to_string(i) + '"';
  const MatchCriteria many = about(names);
  const MatchCriteria all = about(R"("*")");
  ResourceIndex index;
  index.add(many);
  for (int i = 0; i < 20'000; ++i) index.add(all);
  index.add(many);
  EXPECT_EQ(index.find("r77777").size(), 20'002U);
  EXPECT_EQ(index.find("pods").back(), 20'001U);
  EXPECT_EQ(index.find("none").size(), 20'000U);
}

}  // namespace
}  // namespace proa::apiserver
