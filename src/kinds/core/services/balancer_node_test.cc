#include "kinds/core/services/balancer_node.h"

#include <gtest/gtest.h>

namespace proa::kinds {
namespace {

api::ObjectPtr make_node(const std::string& metadata, const std::string& rest = "") {
  return api::Object::make(R"({"apiVersion":"v1","kind":"Node","metadata":{"name":"n1")" +
                           metadata + "}" + rest + "}");
}

BalancerNode decoded(const api::ObjectPtr& object) {
  return api::decode<BalancerNode>(*object).value();
}

std::string labelled(const std::string& value) {
  return R"(,"labels":{"node.kubernetes.io/exclude-from-external-load-balancers":")" + value +
         R"("})";
}

TEST(BalancerNode, IsExcludedByLabelTaintOrDeletion) {
  const struct {
    const char* name;
    std::string metadata;
    std::string rest;
    bool excluded;
  } cases[] = {
      {"an ordinary one", "", "", false},
      {"label", labelled(""), "", true},
      {"label of any value", labelled("x"), "", true},
      {"label that says no", labelled("false"), "", false},
      {"about to be deleted", "",
       R"(,"spec":{"taints":[{"key":"ToBeDeletedByClusterAutoscaler","effect":"NoSchedule"}]})",
       true},
      {"another taint", "", R"(,"spec":{"taints":[{"key":"a","effect":"NoSchedule"}]})", false},
      {"being deleted", R"(,"deletionTimestamp":"2026-01-02T03:04:05Z")", "", true},
  };
  for (const auto& c : cases) {
    SCOPED_TRACE(c.name);
    const api::ObjectPtr object = make_node(c.metadata, c.rest);
    EXPECT_EQ(is_excluded_from_balancers(*object, decoded(object)), c.excluded);
  }
}

TEST(BalancerNode, IsReadyByItsCondition) {
  for (const std::string status : {"True", "False", "Unknown"}) {
    const api::ObjectPtr object = make_node(
        "", R"(,"status":{"conditions":[{"type":"Ready","status":")" + status + R"("}]})");
    EXPECT_EQ(is_ready(decoded(object)), status == "True") << status;
  }
  EXPECT_FALSE(is_ready(decoded(make_node(""))));
}

TEST(BalancerNode, HasTheInternalAddressesThatAreAddresses) {
  const api::ObjectPtr object = make_node(
      "", R"(,"status":{"addresses":[{"type":"Hostname","address":"n1"},)"
          R"({"type":"InternalIP","address":"10.0.0.1"},{"type":"ExternalIP","address":"1.2.3.4"},)"
          R"({"type":"InternalIP","address":"x"},{"type":"InternalIP","address":"fd00::1"}]})");
  const std::vector expected{parse_ip("10.0.0.1").value(), parse_ip("fd00::1").value()};
  EXPECT_EQ(internal_addresses(decoded(object)), expected);
}

}  // namespace
}  // namespace proa::kinds
