#include "apiserver/streaming/aggregation/discovery_reader.h"

#include <gtest/gtest.h>

#include "api/object/view.h"
#include "api/schema/builtin.h"
#include "json/print.h"

namespace proa::apiserver {
namespace {

const api::Schema& schema() { return api::builtin_schema(); }

TEST(IsAggregatedDiscovery, GoesByTheMediaType) {
  EXPECT_TRUE(is_aggregated_discovery(
      "application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList"));
  EXPECT_TRUE(is_aggregated_discovery(
      "application/json;g=apidiscovery.k8s.io;v=v2beta1;as=APIGroupDiscoveryList"));
  EXPECT_FALSE(is_aggregated_discovery("application/json"));
  EXPECT_FALSE(is_aggregated_discovery(
      "application/json;g=apidiscovery.k8s.io;v=v3;as=APIGroupDiscoveryList"));
  EXPECT_FALSE(is_aggregated_discovery(""));
}

TEST(ReadDiscovery, KeepsWhatItKnows) {
  const auto read = read_discovery(
      R"({"kind":"APIGroupDiscoveryList","apiVersion":"apidiscovery.k8s.io/v2","items":[)"
      R"({"metadata":{"name":"wardle.example.com"},"versions":[{"version":"v1alpha1","evil":1,)"
      R"("resources":[{"resource":"flunders","scope":"Namespaced","singularResource":"flunder",)"
      R"("verbs":["get"],"subresources":[{"subresource":"status","verbs":["get"]}]}]},)"
      R"({"version":"v1beta1"}]}]})",
      schema());
  ASSERT_TRUE(read.ok()) << read.status().message();
  ASSERT_EQ(read->size(), 2U);
  EXPECT_EQ((*read)[0].group, "wardle.example.com");
  EXPECT_EQ((*read)[0].version, "v1alpha1");
  const api::View flunders = api::View((*read)[0].resources->root()).item(0);
  EXPECT_EQ(flunders["resource"].text(), "flunders");
  EXPECT_TRUE(flunders["responseKind"].exists());
  EXPECT_TRUE(flunders["subresources"].item(0)["responseKind"].exists());
  EXPECT_EQ(json::print((*read)[1].resources->root()), "[]");
}

TEST(ReadDiscovery, RefusesGarbage) {
  for (const std::string_view garbage :
       {"", "not json", "[]", R"({"items":5})", R"({"items":[{"versions":"all"}]})",
        R"({"items":[{"versions":[{"version":{}}]}]})"}) {
    SCOPED_TRACE(garbage);
    EXPECT_FALSE(read_discovery(garbage, schema()).ok());
  }
}

TEST(ReadLegacyDiscovery, GathersSubresources) {
  const auto read = read_legacy_discovery(
      R"({"kind":"APIResourceList","groupVersion":"wardle.example.com/v1","resources":[)"
      R"({"name":"flunders/status","namespaced":true,"kind":"Flunder","verbs":["get"]},)"
      R"({"name":"flunders","singularName":"flunder","namespaced":true,"kind":"Flunder",)"
      R"("verbs":["get","list"],"shortNames":["fl"]},)"
      R"({"name":"ghosts/log","namespaced":false,"verbs":["get"]}]})",
      "wardle.example.com", "v1", schema());
  ASSERT_TRUE(read.ok()) << read.status().message();
  const api::View list(read->resources->root());
  ASSERT_EQ(list.size(), 2U);
  EXPECT_EQ(list.item(0)["scope"].text(), "Namespaced");
  EXPECT_EQ(list.item(0)["responseKind"]["kind"].text(), "Flunder");
  EXPECT_EQ(list.item(0)["shortNames"].item(0).text(), "fl");
  EXPECT_EQ(list.item(0)["subresources"].item(0)["subresource"].text(), "status");
  EXPECT_EQ(list.item(1)["resource"].text(), "ghosts");
  EXPECT_EQ(list.item(1)["scope"].text(), "Cluster");
}

TEST(ReadLegacyDiscovery, RefusesScopesThatDiffer) {
  const auto read =
      read_legacy_discovery(R"({"resources":[{"name":"a","namespaced":true,"verbs":["get"]},)"
                            R"({"name":"a/b","namespaced":false,"verbs":["get"]}]})",
                            "g", "v1", schema());
  ASSERT_FALSE(read.ok());
  EXPECT_EQ(read.status().message(),
            "Error: Parent a (scope: Namespaced) and subresource b (scope: Cluster) scope do not "
            "match");
}

}  // namespace
}  // namespace proa::apiserver
