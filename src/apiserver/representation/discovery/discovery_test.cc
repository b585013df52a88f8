#include "apiserver/representation/discovery/discovery.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

#include "api/codec/json/decode.h"
#include "api/codec/protobuf/envelope.h"
#include "api/object/view.h"
#include "api/schema/builtin.h"
#include "apiserver/representation/discovery/groups.h"
#include "json/parse.h"
#include "json/print.h"

namespace proa::apiserver {
namespace {

using api::Resource;
using api::Schema;
using api::View;

const Schema& schema() { return api::builtin_schema(); }

Discovery discovery_of(std::initializer_list<const Resource*> resources) {
  return {schema(), std::vector<const Resource*>(resources), "10.0.0.1:6443"};
}

const Resource* builtin(std::string_view group, std::string_view version, std::string_view name) {
  const Resource* found = schema().find_resource(group, version, name);
  CHECK(found != nullptr);
  return found;
}

// A custom resource of the kind Ship, with the fields that discovery needs.
struct Ship {
  explicit Ship(std::string_view version, std::string_view group_version) {
    type.name = "Ship";
    type.group_version = group_version;
    resource.group = "example.com";
    resource.version = version;
    resource.name = "ships";
    resource.singular = "ship";
    resource.type = &type;
    resource.custom = true;
    resource.verbs = {api::Verb::kGet, api::Verb::kList};
    resource.group_priority = 1000;
    resource.version_priority = 100;
    parts[0].type = &type;
    parts[1].type = schema().find_kind("autoscaling/v1", "Scale");
    resource.subresources = parts;
  }
  Ship(const Ship&) = delete;

  api::Type type;
  api::Subresource parts[2] = {{.name = "status", .verbs = {api::Verb::kGet}},
                               {.name = "scale", .verbs = {api::Verb::kGet}}};
  Resource resource;
};

TEST(Discovery, NamesTheVersionsOfTheCore) {
  const Discovery discovery = discovery_of({builtin("", "v1", "bindings")});
  EXPECT_EQ(discovery.api_versions().json.view(),
            "{\"kind\":\"APIVersions\",\"versions\":[\"v1\"],\"serverAddressByClientCIDRs\":[{"
            "\"clientCIDR\":\"0.0.0.0/0\",\"serverAddress\":\"10.0.0.1:6443\"}]}\n");
  EXPECT_EQ(discovery.groups().json.view(),
            "{\"kind\":\"APIGroupList\",\"apiVersion\":\"v1\",\"groups\":[]}\n");
  ASSERT_NE(discovery.find_resources("v1"), nullptr);
  EXPECT_EQ(discovery.find_resources("v1")->json.view(),
            "{\"kind\":\"APIResourceList\",\"groupVersion\":\"v1\",\"resources\":[{\"name\":"
            "\"bindings\",\"singularName\":\"binding\",\"namespaced\":true,\"kind\":\"Binding\","
            "\"verbs\":[\"create\"]}]}\n");
  EXPECT_EQ(discovery.find_resources("v2"), nullptr);
  EXPECT_EQ(discovery.find_group(""), nullptr);
}

TEST(Discovery, ListsGroupsWithTheirVersions) {
  const Discovery discovery =
      discovery_of({builtin("autoscaling", "v1", "horizontalpodautoscalers"),
                    builtin("autoscaling", "v2", "horizontalpodautoscalers")});
  const std::string_view group =
      "\"name\":\"autoscaling\",\"versions\":[{\"groupVersion\":\"autoscaling/v2\",\"version\":"
      "\"v2\"},{\"groupVersion\":\"autoscaling/v1\",\"version\":\"v1\"}],\"preferredVersion\":{"
      "\"groupVersion\":\"autoscaling/v2\",\"version\":\"v2\"}}";
  ASSERT_NE(discovery.find_group("autoscaling"), nullptr);
  EXPECT_EQ(discovery.find_group("autoscaling")->json.str(),
            "{\"kind\":\"APIGroup\",\"apiVersion\":\"v1\"," + std::string(group) + "\n");
  EXPECT_EQ(discovery.groups().json.str(),
            "{\"kind\":\"APIGroupList\",\"apiVersion\":\"v1\",\"groups\":[{" + std::string(group) +
                "]}\n");
}

TEST(Discovery, NamesForeignGroupsOfSubresources) {
  const Discovery discovery = discovery_of({builtin("", "v1", "pods")});
  auto list = json::parse(discovery.find_resources("v1")->json.view());
  ASSERT_TRUE(list.ok());
  bool found = false;
  for (const View entry : View(list->root())["resources"].items()) {
    const bool is_eviction = entry["name"].text() == "pods/eviction";
    found = found || is_eviction;
    EXPECT_EQ(entry["group"].text(), is_eviction ? "policy" : "");
    EXPECT_EQ(entry["version"].text(), is_eviction ? "v1" : "");
  }
  EXPECT_TRUE(found);
}

TEST(Discovery, AggregatesEverythingInOneDocument) {
  const Discovery discovery =
      discovery_of({builtin("", "v1", "bindings"), builtin("apps", "v1", "deployments")});
  EXPECT_EQ(discovery.aggregated_core().json.view(),
            "{\"kind\":\"APIGroupDiscoveryList\",\"apiVersion\":\"apidiscovery.k8s.io/v2\","
            "\"metadata\":{},\"items\":[{\"metadata\":{},\"versions\":[{\"version\":\"v1\","
            "\"resources\":[{\"resource\":\"bindings\",\"responseKind\":{\"group\":\"\","
            "\"version\":\"\",\"kind\":\"Binding\"},\"scope\":\"Namespaced\",\"singularResource\":"
            "\"binding\",\"verbs\":[\"create\"]}],\"freshness\":\"Current\"}]}]}\n");
  auto groups = json::parse(discovery.aggregated_groups().json.view());
  ASSERT_TRUE(groups.ok());
  const View items = View(groups->root())["items"];
  ASSERT_EQ(items.size(), 1);
  EXPECT_EQ(items.item(0).at("metadata.name").text(), "apps");
  const View deployments = items.item(0)["versions"].item(0)["resources"].item(0);
  EXPECT_EQ(deployments["shortNames"].item(0).text(), "deploy");
  EXPECT_EQ(deployments["categories"].item(0).text(), "all");
  const View scale = deployments["subresources"].item(0);
  EXPECT_EQ(scale["subresource"].text(), "scale");
  EXPECT_EQ(scale["responseKind"]["group"].text(), "autoscaling");
  EXPECT_EQ(scale["responseKind"]["version"].text(), "v1");
}

TEST(Discovery, NamesTheGroupOfCustomKinds) {
  const Ship ship("v1", "example.com/v1");
  const Discovery discovery = discovery_of({&ship.resource});
  auto groups = json::parse(discovery.aggregated_groups().json.view());
  ASSERT_TRUE(groups.ok());
  const View ships = View(groups->root())["items"].item(0)["versions"].item(0)["resources"].item(0);
  EXPECT_EQ(ships["responseKind"]["group"].text(), "example.com");
  EXPECT_EQ(ships["subresources"].item(0)["responseKind"]["version"].text(), "v1");
  EXPECT_EQ(ships["subresources"].item(1)["responseKind"]["group"].text(), "autoscaling");
  EXPECT_EQ(discovery.find_resources("example.com/v1")->json.view().find("\"group\":\"example"),
            std::string_view::npos);
}

TEST(Discovery, TagsContent) {
  const Discovery one = discovery_of({builtin("apps", "v1", "deployments")});
  const Discovery same = discovery_of({builtin("apps", "v1", "deployments")});
  const Discovery other = discovery_of({builtin("apps", "v1", "replicasets")});
  const std::string& tag = one.aggregated_groups().etag;
  EXPECT_EQ(tag.size(), 130);
  EXPECT_EQ(tag.find_first_not_of("\"0123456789ABCDEF"), std::string::npos);
  EXPECT_EQ(tag, same.aggregated_groups().etag);
  EXPECT_NE(tag, other.aggregated_groups().etag);
  EXPECT_TRUE(is_unchanged(one.aggregated_groups(), tag));
  EXPECT_FALSE(is_unchanged(other.aggregated_groups(), tag));
  EXPECT_FALSE(is_unchanged(one.groups(), ""));
}

TEST(Discovery, MergesVersionsOfOtherServers) {
  const auto resources = std::make_shared<const json::Document>(
      *json::parse(R"([{"resource":"flunders","responseKind":{"group":"wardle.example.com",)"
                   R"("version":"v1alpha1","kind":"Flunder"},"scope":"Namespaced",)"
                   R"("singularResource":"flunder","verbs":["get"]}])"));
  const RemoteVersion remotes[] = {{.group = "wardle.example.com",
                                    .version = "v1alpha1",
                                    .group_version = "wardle.example.com/v1alpha1",
                                    .group_priority = 1000,
                                    .version_priority = 15,
                                    .resources = resources},
                                   {.group = "wardle.example.com",
                                    .version = "v1beta1",
                                    .group_version = "wardle.example.com/v1beta1",
                                    .group_priority = 1000,
                                    .version_priority = 15,
                                    .stale = true}};
  const std::vector<const Resource*> own = {builtin("apps", "v1", "deployments")};
  const Discovery discovery(schema(), own, "10.0.0.1:6443", remotes);
  auto aggregated = json::parse(discovery.aggregated_groups().json.view());
  ASSERT_TRUE(aggregated.ok());
  const View items = View(aggregated->root())["items"];
  ASSERT_EQ(items.size(), 2U);
  EXPECT_EQ(items.item(1).at("metadata.name").text(), "wardle.example.com");
  // Of the same priority: by name.
  const View beta = items.item(1)["versions"].item(0);
  EXPECT_EQ(json::print(*beta.value()), R"({"version":"v1beta1","freshness":"Stale"})");
  const View alpha = items.item(1)["versions"].item(1);
  EXPECT_EQ(alpha["freshness"].text(), "Current");
  EXPECT_EQ(alpha["resources"].item(0)["resource"].text(), "flunders");
  EXPECT_FALSE(discovery.aggregated_groups().protobuf.view().empty());
  // The list of groups names them; their servers answer for the rest.
  EXPECT_NE(discovery.groups().json.view().find("wardle.example.com/v1alpha1"),
            std::string_view::npos);
  ASSERT_NE(discovery.find_group("wardle.example.com"), nullptr);
  EXPECT_EQ(discovery.find_resources("wardle.example.com/v1alpha1"), nullptr);
}

// Both encodings decode to the document, printed as upstream would.
TEST(Discovery, WritesCanonicalDocumentsInBothEncodings) {
  const Discovery discovery(schema(), schema().resources(), "10.0.0.1:6443");
  struct Case {
    const Discovery::Document* document;
    std::string_view kind;
  };
  const Case cases[] = {
      {&discovery.api_versions(), "APIVersions"},
      {&discovery.groups(), "APIGroupList"},
      {discovery.find_group("autoscaling"), "APIGroup"},
      {discovery.find_resources("v1"), "APIResourceList"},
      {discovery.find_resources("apps/v1"), "APIResourceList"},
      {&discovery.aggregated_core(), "APIGroupDiscoveryList"},
      {&discovery.aggregated_groups(), "APIGroupDiscoveryList"},
  };
  for (const Case& one : cases) {
    SCOPED_TRACE(one.kind);
    ASSERT_NE(one.document, nullptr);
    const std::string json = one.document->json.str();
    const api::Type* type = schema().find_kind("apidiscovery.k8s.io/v2", one.kind);
    ASSERT_NE(type, nullptr);
    const auto decoded = api::decode_json(json, *type, api::FieldValidation::kStrict);
    ASSERT_TRUE(decoded.ok()) << decoded.status().message();
    EXPECT_EQ(json::print(decoded->document.root()) + "\n", json);
    const auto envelope = api::open_envelope(one.document->protobuf.view());
    ASSERT_TRUE(envelope.ok());
    const auto from_protobuf = api::from_protobuf(envelope->raw, *type, schema(), envelope->meta);
    ASSERT_TRUE(from_protobuf.ok()) << from_protobuf.status().message();
    EXPECT_EQ(json::print(from_protobuf->root()) + "\n", json);
  }
}

TEST(ServedGroups, ComeByPriorityThenName) {
  const Ship first("v1beta1", "example.com/v1beta1");
  const Ship second("v1", "example.com/v1");
  std::vector<const Resource*> resources(schema().resources().begin(), schema().resources().end());
  resources.push_back(&first.resource);
  resources.push_back(&second.resource);
  std::reverse(resources.begin(), resources.end());
  const auto groups = sort_into_groups(resources);
  ASSERT_GE(groups.size(), 22U);
  EXPECT_EQ(groups.front().name, "apiregistration.k8s.io");
  EXPECT_EQ(groups.back().name, "example.com");
  ASSERT_EQ(groups.back().versions.size(), 2);
  EXPECT_EQ(groups.back().versions.front().name, "v1");
  EXPECT_EQ(groups.back().versions.front().resources.front(), &second.resource);
  for (size_t i = 1; i < groups.size(); ++i) EXPECT_GE(groups[i - 1].priority, groups[i].priority);
}

}  // namespace
}  // namespace proa::apiserver
