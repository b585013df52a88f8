#include "apiserver/bootstrap/bootstrap.h"

#include <gtest/gtest.h>

#include "api/codec/json/decode.h"
#include "api/validation/metadata.h"
#include "apiserver/objects/keys.h"
#include "json/print.h"
#include "testkit/apiserver/test_cluster.h"

namespace proa::apiserver {
namespace {

using testkit::TestCluster;

const ApiServerOptions kOptions{.advertise_address = "192.0.2.1", .service_cidr = "10.0.0.0/16"};

json::Document stored(const TestCluster& cluster, std::string_view key) {
  const auto entry = cluster.store->get(key);
  EXPECT_TRUE(entry.ok() && *entry != nullptr) << key;
  return *object_of(*entry)->document();
}

std::string text(api::View view) { return view ? json::print(*view.value()) : "null"; }

TEST(Bootstrap, MakesWhatEveryClusterHas) {
  TestCluster cluster(kOptions);
  ASSERT_TRUE(cluster.start().ok());
  for (const char* key :
       {"/registry/namespaces/default", "/registry/namespaces/kube-system",
        "/registry/namespaces/kube-public", "/registry/namespaces/kube-node-lease",
        "/registry/priorityclasses/system-cluster-critical",
        "/registry/priorityclasses/system-node-critical", "/registry/flowschemas/exempt",
        "/registry/flowschemas/catch-all", "/registry/prioritylevelconfigurations/exempt",
        "/registry/prioritylevelconfigurations/global-default", "/registry/servicecidrs/kubernetes",
        "/registry/ipaddresses/10.0.0.1",
        "/registry/configmaps/kube-system/extension-apiserver-authentication",
        "/registry/configmaps/kube-system/kube-apiserver-legacy-service-account-token-tracking",
        "/registry/apiregistration.k8s.io/apiservices/v1.",
        "/registry/apiregistration.k8s.io/apiservices/v1.apps"}) {
    EXPECT_NE(*cluster.store->get(key), nullptr) << key;
  }
  const json::Document service = stored(cluster, "/registry/services/specs/default/kubernetes");
  const api::View object = service.root();
  EXPECT_EQ(text(object["spec"]),
            R"({"ports":[{"name":"https","protocol":"TCP","port":443,"targetPort":6443}],)"
            R"("clusterIP":"10.0.0.1","clusterIPs":["10.0.0.1"],"type":"ClusterIP",)"
            R"("sessionAffinity":"None","ipFamilies":["IPv4"],"ipFamilyPolicy":"SingleStack",)"
            R"("internalTrafficPolicy":"Cluster"})");
  EXPECT_EQ(text(object["metadata"]["labels"]),
            R"({"component":"apiserver","provider":"kubernetes"})");
  const json::Document endpoints =
      stored(cluster, "/registry/services/endpoints/default/kubernetes");
  EXPECT_EQ(text(api::View(endpoints.root())["subsets"]),
            R"([{"addresses":[{"ip":"192.0.2.1"}],)"
            R"("ports":[{"name":"https","port":6443,"protocol":"TCP"}]}])");
  const json::Document slice = stored(cluster, "/registry/endpointslices/default/kubernetes");
  EXPECT_EQ(text(api::View(slice.root())["endpoints"]),
            R"([{"addresses":["192.0.2.1"],"conditions":{"ready":true}}])");
  EXPECT_EQ(text(api::View(slice.root())["metadata"]["generation"]), "1");
}

TEST(Bootstrap, FlowControlIsManagedByItsProducer) {
  TestCluster cluster(kOptions);
  ASSERT_TRUE(cluster.start().ok());
  for (const char* key : {"/registry/flowschemas/catch-all",
                          "/registry/prioritylevelconfigurations/global-default"}) {
    SCOPED_TRACE(key);
    const json::Document object = stored(cluster, key);
    const api::View managers = api::View(object.root())["metadata"]["managedFields"];
    ASSERT_EQ(managers.size(), 1U);
    EXPECT_EQ(managers.item(0)["manager"].text(), "api-priority-and-fairness-config-producer-v1");
  }
}

TEST(Bootstrap, RemovesFlowSchemasOfOtherVersions) {
  TestCluster cluster(kOptions);
  ASSERT_TRUE(cluster.start().ok());
  const auto put = [&](const std::string& name, const std::string& metadata) {
    store::Txn txn;
    txn.operations.push_back(
        store::Put{.key = "/registry/flowschemas/" + name,
                   .value = Bytes(R"({"metadata":{"name":")" + name + "\"" + metadata +
                                  R"(},"spec":{"priorityLevelConfiguration":{"name":"x"}}})")});
    ASSERT_TRUE(cluster.store->commit(std::move(txn), store::Durability::kSynced).ok());
  };
  const std::string automatic = R"(,"annotations":{"apf.kubernetes.io/autoupdate-spec":"true"})";
  put("old", automatic);
  put("own", "");
  put("fixed", R"(,"annotations":{"apf.kubernetes.io/autoupdate-spec":"false"})");
  put("kept", automatic + R"(,"finalizers":["example.com/keep"])");
  TestCluster again(kOptions, cluster.store);
  ASSERT_TRUE(again.start().ok());
  const auto exists = [&](const std::string& name) {
    return *cluster.store->get("/registry/flowschemas/" + name) != nullptr;
  };
  EXPECT_FALSE(exists("old"));
  for (const char* name : {"own", "fixed", "kept", "exempt", "catch-all"})
    EXPECT_TRUE(exists(name)) << name;
}

TEST(Bootstrap, WritesOnlyWhatChanged) {
  TestCluster cluster(kOptions);
  ASSERT_TRUE(cluster.start().ok());
  const store::Revision first = cluster.store->revision();
  TestCluster again(kOptions, cluster.store);
  ASSERT_TRUE(again.start().ok());
  EXPECT_EQ(cluster.store->revision(), first);

  ApiServerOptions moved = kOptions;
  moved.advertise_address = "192.0.2.2";
  TestCluster elsewhere(moved, cluster.store);
  ASSERT_TRUE(elsewhere.start().ok());
  EXPECT_EQ(cluster.store->revision(), first.next());
  const json::Document slice = stored(cluster, "/registry/endpointslices/default/kubernetes");
  EXPECT_EQ(text(api::View(slice.root())["endpoints"].item(0)["addresses"]), R"(["192.0.2.2"])");
  EXPECT_EQ(text(api::View(slice.root())["metadata"]["generation"]), "2");
}

TEST(Bootstrap, ReplacesASliceOfTheOtherFamily) {
  TestCluster cluster(kOptions);
  ASSERT_TRUE(cluster.start().ok());
  const std::string_view key = "/registry/endpointslices/default/kubernetes";
  const std::string uid(object_of(*cluster.store->get(key))->metadata().uid);
  ApiServerOptions moved = kOptions;
  moved.advertise_address = "2001:db8::1";
  TestCluster elsewhere(moved, cluster.store);
  ASSERT_TRUE(elsewhere.start().ok());
  const json::Document slice = stored(cluster, key);
  EXPECT_EQ(text(api::View(slice.root())["addressType"]), R"("IPv6")");
  EXPECT_NE(api::View(slice.root())["metadata"]["uid"].text(), uid);
}

TEST(Bootstrap, WidensTheNetworkButDoesNotChangeIt) {
  TestCluster cluster(kOptions);
  ASSERT_TRUE(cluster.start().ok());
  ApiServerOptions options = kOptions;
  options.service_cidr = "10.0.0.0/16,fd00::/112";
  TestCluster wider(options, cluster.store);
  ASSERT_TRUE(wider.start().ok());
  const std::string_view key = "/registry/servicecidrs/kubernetes";
  const json::Document both = stored(cluster, key);
  EXPECT_EQ(text(api::View(both.root())["spec"]["cidrs"]), R"(["10.0.0.0/16","fd00::/112"])");
  options.service_cidr = "10.1.0.0/16";
  TestCluster other(options, cluster.store);
  ASSERT_TRUE(other.start().ok());
  const json::Document kept = stored(cluster, key);
  EXPECT_EQ(text(api::View(kept.root())["spec"]["cidrs"]), R"(["10.0.0.0/16","fd00::/112"])");
}

TEST(Bootstrap, RegistersTheGroupsThatAreBuiltIn) {
  TestCluster cluster(kOptions);
  ASSERT_TRUE(cluster.start().ok());
  const std::string_view key = "/registry/apiregistration.k8s.io/apiservices/v2.autoscaling";
  const json::Document document = stored(cluster, key);
  const api::View object = document.root();
  EXPECT_EQ(text(object["spec"]),
            R"({"group":"autoscaling","version":"v2","groupPriorityMinimum":17500,)"
            R"("versionPriority":30})");
  EXPECT_EQ(text(object["metadata"]["labels"]),
            R"({"kube-aggregator.kubernetes.io/automanaged":"onstart"})");
  EXPECT_EQ(text(object["status"]["conditions"].item(0)["status"]), R"("True")");
}

// Bootstrap objects are not validated on creation, so they are validated here.
TEST(Bootstrap, MakesValidObjects) {
  TestCluster cluster(kOptions);
  ASSERT_TRUE(cluster.start().ok());
  size_t objects = 0;
  for (const api::Resource* resource : cluster.schema.resources()) {
    if (resource->key_prefix.empty() || resource->stored != resource) continue;
    const auto found =
        cluster.store->range({.keys = store::KeyRange::prefix(prefix_of(*resource, ""))});
    for (const store::EntryPtr& entry : found->entries) {
      const auto decoded = api::decode_document(*object_of(entry)->document(), *resource->type,
                                                api::FieldValidation::kStrict);
      ASSERT_TRUE(decoded.ok()) << entry->key() << decoded.status().message();
      const api::View object = decoded->document.root();
      EXPECT_EQ(json::print(*object.value()), entry->value());
      const kinds::KindRules& rules =
          kinds::find_rules(resource->group_version(), resource->type->name);
      api::FieldErrors errors;
      api::validate_metadata(object["metadata"],
                             {.name = rules.name, .namespaced = resource->namespaced},
                             api::Path("metadata"), errors);
      if (rules.validate != nullptr) rules.validate(object, errors);
      if (rules.validate_create != nullptr) rules.validate_create(object, errors);
      EXPECT_TRUE(errors.empty()) << entry->key() << " " << errors.texts()[0];
      ++objects;
    }
  }
  EXPECT_EQ(objects, 4u + 2u + 8u + 11u + 5u + 2u + 21u);
}

}  // namespace
}  // namespace proa::apiserver
