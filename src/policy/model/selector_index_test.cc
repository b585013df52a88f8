#include "policy/model/selector_index.h"

#include <gtest/gtest.h>

#include <map>

#include "base/random.h"

namespace proa::policy {
namespace {

const char* const kSelectors[] = {
    "",         "app=a",       "app=b",        "app in (a,b,c)",       "app",
    "!app",     "app!=a",      "app=a,tier=x", "tier in (x,y),app!=b", "tier notin (x)",
    "tier,app", "app=a,!tier", "zone=z"};

TEST(SelectorIndex, FindsWhatMatchesAmongMany) {
  SeededRandom random(1);
  SelectorIndex index;
  std::map<SelectorIndex::Id, api::LabelSelector> selectors;
  SelectorIndex::Id last = 0;
  const auto add = [&] {
    const auto one = selectors.emplace(
        ++last, api::LabelSelector::parse(kSelectors[random.below(std::size(kSelectors))]).value());
    index.add(last, one.first->second);
  };
  for (int i = 0; i < 100; ++i) add();
  for (int round = 0; round < 500; ++round) {
    std::vector<api::LabelPair> labels;
    constexpr std::string_view kValues[] = {"a", "b", "c", "x", "y"};
    for (const char* key : {"app", "tier"}) {
      if (random.below(3) > 0) labels.emplace_back(key, kValues[random.below(5)]);
    }
    std::vector<SelectorIndex::Id> expected;
    for (const auto& [id, selector] : selectors) {
      if (selector.matches(labels)) expected.push_back(id);
    }
    ASSERT_EQ(index.find(labels), expected);
    const auto gone =
        std::next(selectors.begin(), static_cast<ptrdiff_t>(random.below(selectors.size())));
    index.remove(gone->first);
    selectors.erase(gone);
    add();
  }
  while (!selectors.empty()) {
    index.remove(selectors.begin()->first);
    selectors.erase(selectors.begin());
  }
  EXPECT_TRUE(index.empty());
  EXPECT_TRUE(index.find(std::vector<api::LabelPair>{{"app", "a"}}).empty());
}

TEST(SelectorIndex, NothingIsNeverFound) {
  SelectorIndex index;
  const api::LabelSelector nothing = api::LabelSelector::nothing();
  index.add(1, nothing);
  EXPECT_TRUE(index.find(std::vector<api::LabelPair>{{"app", "a"}}).empty());
  EXPECT_FALSE(index.empty());
}

}  // namespace
}  // namespace proa::policy
