#include "api/schema/resource.h"

#include <gtest/gtest.h>

#include <set>

#include "api/schema/builtin.h"

namespace proa::api {
namespace {

const Resource& resource_of(std::string_view group, std::string_view version,
                            std::string_view name) {
  const Resource* found = builtin_schema().find_resource(group, version, name);
  CHECK(found != nullptr);
  return *found;
}

TEST(Verbs, HaveNamesInTheOrderOfTheAlphabet) {
  std::string_view last;
  for (uint8_t i = 0; i < 8; ++i) {
    const std::string_view name = verb_name(static_cast<Verb>(i));
    EXPECT_LT(last, name);
    EXPECT_EQ(verb_from_name(name), static_cast<Verb>(i));
    last = name;
  }
  EXPECT_EQ(verb_from_name("connect"), std::nullopt);
}

TEST(BuiltinResources, AgreeWithTheirTypes) {
  for (const Resource* resource : builtin_schema().resources()) {
    SCOPED_TRACE(resource->name);
    if (resource->stored == nullptr) continue;
    EXPECT_FALSE(resource->storage_hash.empty());
    EXPECT_NE(resource->list, nullptr);
    EXPECT_EQ(resource->list->find("items")->type, resource->type);
    EXPECT_EQ(resource->has_status, resource->find_subresource("status") != nullptr);
  }
}

// Groups that are not listed here may stand anywhere between them.
TEST(BuiltinResources, ComeInTheOrderOfDiscovery) {
  const std::string_view upstream =
      " v1 apiregistration.k8s.io/v1 apps/v1 events.k8s.io/v1 authentication.k8s.io/v1 "
      "authorization.k8s.io/v1 autoscaling/v2 autoscaling/v1 batch/v1 certificates.k8s.io/v1 "
      "networking.k8s.io/v1 policy/v1 rbac.authorization.k8s.io/v1 storage.k8s.io/v1 "
      "admissionregistration.k8s.io/v1 apiextensions.k8s.io/v1 scheduling.k8s.io/v1 "
      "coordination.k8s.io/v1 node.k8s.io/v1 discovery.k8s.io/v1 resource.k8s.io/v1 "
      "flowcontrol.apiserver.k8s.io/v1 ";
  std::string order = " ";
  std::string_view last;
  for (const Resource* resource : builtin_schema().resources()) {
    if (resource->group_version() == last) continue;
    last = resource->group_version();
    const std::string word = std::string(last) + " ";
    if (upstream.find(" " + word) != std::string_view::npos) order += word;
  }
  EXPECT_EQ(order, upstream);
}

TEST(BuiltinResources, ShareNoPlaceUnlessOneIsStoredAsTheOther) {
  std::set<std::string_view> places;
  for (const Resource* resource : builtin_schema().resources()) {
    if (resource->stored != resource) continue;
    EXPECT_TRUE(places.insert(resource->key_prefix).second) << resource->key_prefix;
  }
  const Resource& old_scaler = resource_of("autoscaling", "v1", "horizontalpodautoscalers");
  EXPECT_EQ(old_scaler.stored, &resource_of("autoscaling", "v2", "horizontalpodautoscalers"));
  const Resource& events = resource_of("events.k8s.io", "v1", "events");
  EXPECT_EQ(events.stored, &resource_of("", "v1", "events"));
  EXPECT_EQ(events.key_prefix, "/registry/events");
  EXPECT_EQ(events.ttl, std::chrono::hours(1));
}

TEST(BuiltinResources, KnowWhatIsSpecial) {
  const Resource& pods = resource_of("", "v1", "pods");
  EXPECT_EQ(pods.type->name, "Pod");
  EXPECT_EQ(pods.find_subresource("eviction")->type->group_version, "policy/v1");
  EXPECT_EQ(pods.find_subresource("log")->verbs, Verbs({Verb::kGet}));
  EXPECT_EQ(pods.selectable.size(), 10);
  EXPECT_EQ(resource_of("", "v1", "nodes").key_prefix, "/registry/minions");
  EXPECT_TRUE(resource_of("", "v1", "nodes").status_on_create);
  EXPECT_TRUE(pods.returns_deleted);
  EXPECT_FALSE(resource_of("", "v1", "configmaps").returns_deleted);
  EXPECT_EQ(resource_of("", "v1", "componentstatuses").deprecation,
            "v1 ComponentStatus is deprecated in v1.19+");
  EXPECT_EQ(resource_of("", "v1", "endpoints").deprecation,
            "v1 Endpoints is deprecated in v1.33+; use discovery.k8s.io/v1 EndpointSlice");
  EXPECT_EQ(resource_of("batch", "v1", "jobs").unknown_field, UnknownFieldText::kNamesKind);
  EXPECT_FALSE(resource_of("", "v1", "namespaces").verbs.has(Verb::kDeleteCollection));
  EXPECT_EQ(resource_of("", "v1", "bindings").stored, nullptr);
  EXPECT_EQ(resource_of("", "v1", "bindings").list, nullptr);
  const Resource& volumes = resource_of("", "v1", "persistentvolumes");
  ASSERT_EQ(volumes.selectable.size(), 1);
  EXPECT_EQ(volumes.selectable[0].name, "metadata.namespace");
  EXPECT_TRUE(volumes.selectable[0].paths.empty());
  EXPECT_EQ(builtin_schema().find_resource_of(*pods.type), &pods);
}

}  // namespace
}  // namespace proa::api
