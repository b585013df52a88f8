#include "kinds/kinds.h"

#include <gtest/gtest.h>

#include <set>

#include "api/schema/builtin.h"

namespace proa::kinds {
namespace kinds_test {

TEST(FindRules, KnowsKindsByGroupAndVersion) {
  EXPECT_EQ(find_rules("v1", "ConfigMap").kind, "v1/ConfigMap");
  EXPECT_EQ(find_rules("v1", "Service").name, api::check_dns1123_label);
  EXPECT_EQ(find_rules("v1", "Pod").kind, "v1/Pod");
  EXPECT_EQ(find_rules("apps/v1", "Deployment").kind, "apps/v1/Deployment");
  EXPECT_EQ(find_rules("events.k8s.io/v1", "Event").kind, "events.k8s.io/v1/Event");
  EXPECT_EQ(find_rules("v1", "Event").kind, "v1/Event");
}

TEST(AllRules, HaveEveryKindOnce) {
  std::set<std::string_view> kinds;
  for (const KindRules& rules : all_rules()) {
    EXPECT_TRUE(kinds.insert(rules.kind).second) << rules.kind;
    EXPECT_EQ(rules.columns.empty(), rules.row == nullptr) << rules.kind;
  }
}

TEST(FindRules, FallsBackToOrdinaryOnes) {
  for (const auto& [group_version, kind] : {std::pair("v2", "ConfigMap"),
                                            {"", "ConfigMap"},
                                            {"apps/v1", "Secret"},
                                            {"v1", ""},
                                            {"v1", "Zebra"},
                                            {"a", "A"},
                                            {"v1", "ConfigMapX"}}) {
    const KindRules& rules = find_rules(group_version, kind);
    EXPECT_EQ(rules.kind, "");
    EXPECT_EQ(rules.validate, nullptr);
    EXPECT_TRUE(rules.columns.empty());
    EXPECT_EQ(rules.name, api::check_dns1123_subdomain);
  }
}

TEST(TypeDefaults, AreForTypesThatTheSchemaHas) {
  const auto all = all_type_defaults();
  EXPECT_FALSE(all.empty());
  for (const TypeDefaults& defaults : all) {
    EXPECT_NE(defaults.set, nullptr) << defaults.type;
    const size_t slash = defaults.type.rfind('/');
    ASSERT_NE(slash, std::string_view::npos) << defaults.type;
    bool found = false;
    for (const api::Type* type : api::builtin_schema().types()) {
      found = found || (type->group_version == defaults.type.substr(0, slash) &&
                        type->name == defaults.type.substr(slash + 1));
    }
    EXPECT_TRUE(found) << defaults.type;
  }
}

}  // namespace kinds_test
}  // namespace proa::kinds
