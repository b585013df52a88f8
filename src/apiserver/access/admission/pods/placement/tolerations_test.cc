#include "apiserver/access/admission/pods/placement/tolerations.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "base/random.h"
#include "json/print.h"
#include "json/yaml.h"

namespace proa::apiserver {
namespace {

using Names = std::vector<std::string>;

const std::map<std::string, std::string>& all_tolerations() {
  static const std::map<std::string, std::string> kAll{
      {"all", "{operator: Exists}"},
      {"all-nosched", "{operator: Exists, effect: NoSchedule}"},
      {"all-noexec", "{operator: Exists, effect: NoExecute}"},
      {"foo", "{key: foo, operator: Exists}"},
      {"foo-bar", "{key: foo, operator: Equal, value: bar}"},
      {"foo-nosched", "{key: foo, operator: Exists, effect: NoSchedule}"},
      {"foo-bar-nosched", "{key: foo, operator: Equal, value: bar, effect: NoSchedule}"},
      {"foo-baz-nosched", "{key: foo, operator: Equal, value: baz, effect: NoSchedule}"},
      {"faz-nosched", "{key: faz, operator: Exists, effect: NoSchedule}"},
      {"faz-baz-nosched", "{key: faz, operator: Equal, value: baz, effect: NoSchedule}"},
      {"foo-prefnosched", "{key: foo, operator: Exists, effect: PreferNoSchedule}"},
      {"foo-noexec", "{key: foo, operator: Exists, effect: NoExecute}"},
      {"foo-bar-noexec", "{key: foo, operator: Equal, value: bar, effect: NoExecute}"},
      {"foo-noexec-10", "{key: foo, operator: Exists, effect: NoExecute, tolerationSeconds: 10}"},
      {"foo-noexec-0", "{key: foo, operator: Exists, effect: NoExecute, tolerationSeconds: 0}"},
      {"foo-bar-noexec-10",
       "{key: foo, operator: Equal, value: bar, effect: NoExecute, tolerationSeconds: 10}"},
  };
  return kAll;
}

json::Document list_of(const Names& names) {
  std::string text = "[";
  for (const std::string& name : names) text += all_tolerations().at(name) + ", ";
  return json::parse_yaml(text + "]").value();
}

// Names of those in a list that are known.
Names names_in(api::View list) {
  Names names;
  for (const api::View toleration : list.items()) {
    for (const auto& [name, text] : all_tolerations()) {
      if (toleration == api::View(json::parse_yaml(text)->root())) names.push_back(name);
    }
  }
  return names;
}

TEST(CoversToleration, KnowsWhichIsWider) {
  const std::map<std::string, std::set<std::string>> covered{
      {"all",
       {"all-nosched", "all-noexec", "foo", "foo-bar", "foo-nosched", "foo-bar-nosched",
        "foo-baz-nosched", "faz-nosched", "faz-baz-nosched", "foo-prefnosched", "foo-noexec",
        "foo-bar-noexec", "foo-noexec-10", "foo-noexec-0", "foo-bar-noexec-10"}},
      {"all-nosched",
       {"foo-nosched", "foo-bar-nosched", "foo-baz-nosched", "faz-nosched", "faz-baz-nosched"}},
      {"all-noexec",
       {"foo-noexec", "foo-bar-noexec", "foo-noexec-10", "foo-noexec-0", "foo-bar-noexec-10"}},
      {"foo",
       {"foo-bar", "foo-nosched", "foo-bar-nosched", "foo-baz-nosched", "foo-prefnosched",
        "foo-noexec", "foo-bar-noexec", "foo-noexec-10", "foo-noexec-0", "foo-bar-noexec-10"}},
      {"foo-bar", {"foo-bar-nosched", "foo-bar-noexec", "foo-bar-noexec-10"}},
      {"foo-nosched", {"foo-bar-nosched", "foo-baz-nosched"}},
      {"foo-bar-nosched", {}},
      {"foo-baz-nosched", {}},
      {"faz-nosched", {"faz-baz-nosched"}},
      {"faz-baz-nosched", {}},
      {"foo-prefnosched", {}},
      {"foo-noexec", {"foo-bar-noexec", "foo-noexec-10", "foo-noexec-0", "foo-bar-noexec-10"}},
      {"foo-bar-noexec", {"foo-bar-noexec-10"}},
      {"foo-noexec-10", {"foo-noexec-0", "foo-bar-noexec-10"}},
      {"foo-noexec-0", {}},
      {"foo-bar-noexec-10", {}},
  };
  for (const auto& [wider, expected] : covered) {
    for (const auto& [name, text] : all_tolerations()) {
      const json::Document pair = list_of({wider, name});
      const api::View view(pair.root());
      EXPECT_EQ(covers_toleration(view.item(0), view.item(1)),
                name == wider || expected.contains(name))
          << wider << " and " << name;
    }
  }
}

TEST(CoversToleration, TakesEqualOnlyByItsName) {
  const json::Document pair =
      json::parse_yaml(
          "[{key: a, value: b}, {key: a, value: b, operator: Equal}, {key: a, "
          "operator: Gt, value: '1'}, {key: a, operator: Gt, value: '2'}]")
          .value();
  const api::View view(pair.root());
  EXPECT_TRUE(covers_toleration(view.item(0), view.item(0)));
  EXPECT_TRUE(covers_toleration(view.item(0), view.item(1)));
  EXPECT_FALSE(covers_toleration(view.item(1), view.item(0)));
  EXPECT_TRUE(covers_toleration(view.item(2), view.item(2)));
  EXPECT_FALSE(covers_toleration(view.item(2), view.item(3)));
}

TEST(AreTolerationsAllowed, AsksForEachOfThem) {
  const struct {
    std::string name;
    Names tolerations;
    Names allowed;
    bool expected;
  } cases[] = {
      {"the same",
       {"foo-bar-nosched", "foo-baz-nosched"},
       {"foo-bar-nosched", "foo-baz-nosched"},
       true},
      {"twice",
       {"foo-bar-nosched", "foo-bar-nosched"},
       {"foo-bar-nosched", "foo-baz-nosched"},
       true},
      {"by one for all", {"foo-bar-nosched", "foo-bar-nosched"}, {"all"}, true},
      {"twice, neither allowed",
       {"foo-bar-nosched", "foo-bar-nosched"},
       {"foo-baz-nosched"},
       false},
      {"one of two", {"foo-bar-nosched", "foo-baz-nosched"}, {"foo-baz-nosched"}, false},
      {"another value", {"foo-bar-nosched"}, {"foo-baz-nosched"}, false},
      {"wider than allowed", {"foo-bar"}, {"foo-nosched"}, false},
      {"none", {}, {"foo-bar"}, true},
  };
  for (const auto& c : cases) {
    SCOPED_TRACE(c.name);
    EXPECT_EQ(are_tolerations_allowed(list_of(c.tolerations).root(), list_of(c.allowed).root()),
              c.expected);
  }
}

json::Document merged(const Names& own, const Names& more) {
  json::Document spec = json::parse_yaml("{}").value();
  const json::Document list = list_of(own);
  if (!own.empty()) api::Edit(spec).copy("tolerations", list.root());
  merge_tolerations(api::Edit(spec), list_of(more).root());
  return spec;
}

TEST(MergeTolerations, LeavesOutWhatOthersCover) {
  const struct {
    std::string name;
    Names own;
    Names more;
    Names expected;
  } cases[] = {
      {"disjoint",
       {"foo-bar-nosched", "faz-baz-nosched", "foo-noexec-10"},
       {"foo-prefnosched", "foo-baz-nosched"},
       {"foo-bar-nosched", "faz-baz-nosched", "foo-noexec-10", "foo-prefnosched",
        "foo-baz-nosched"}},
      {"the same",
       {"foo-bar-nosched", "faz-baz-nosched", "foo-noexec-10"},
       {"foo-bar-nosched", "faz-baz-nosched", "foo-noexec-10"},
       {"foo-bar-nosched", "faz-baz-nosched", "foo-noexec-10"}},
      {"narrower ones first",
       {"foo-bar-nosched", "foo-baz-nosched"},
       {"foo-nosched", "faz-baz-nosched"},
       {"foo-nosched", "faz-baz-nosched"}},
      {"all of them last",
       {"foo-bar-nosched", "foo-baz-nosched", "foo-noexec-10"},
       {"all"},
       {"all"}},
      {"all of them first",
       {"all"},
       {"foo-bar-nosched", "foo-baz-nosched", "foo-noexec-10"},
       {"all"}},
      {"none of its own", {}, {"foo"}, {"foo"}},
      {"none more", {"foo", "foo-bar"}, {}, {"foo"}},
  };
  for (const auto& c : cases) {
    SCOPED_TRACE(c.name);
    const json::Document spec = merged(c.own, c.more);
    EXPECT_EQ(names_in(api::View(spec.root())["tolerations"]), c.expected);
  }
  EXPECT_EQ(json::print(merged({}, {}).root()), "{}");
}

TEST(MergeTolerations, LosesNothingThatWasTolerated) {
  SeededRandom random(1234);
  const auto chosen = [&] {
    Names names;
    for (uint64_t i = random.below(10); i > 0; --i) {
      auto one = all_tolerations().begin();
      std::advance(one, random.below(all_tolerations().size()));
      names.push_back(one->first);
    }
    return names;
  };
  for (int i = 0; i < 300; ++i) {
    Names own = chosen();
    const Names more = chosen();
    const json::Document spec = merged(own, more);
    own.insert(own.end(), more.begin(), more.end());
    EXPECT_TRUE(
        are_tolerations_allowed(list_of(own).root(), api::View(spec.root())["tolerations"]));
  }
}

TEST(MergeTolerations, TakesNoTimeForAHugeList) {
  json::Document spec = json::parse_yaml("{tolerations: []}").value();
  const api::Edit list = api::Edit(spec).array("tolerations");
  constexpr size_t kMany = 100'000;
  for (size_t i = 0; i < kMany; ++i) list.push_object().set("key", std::to_string(i));
  merge_tolerations(api::Edit(spec), list_of({"foo", "foo-bar"}).root());
  EXPECT_EQ(api::View(spec.root())["tolerations"].size(), kMany + 2);
}

}  // namespace
}  // namespace proa::apiserver
