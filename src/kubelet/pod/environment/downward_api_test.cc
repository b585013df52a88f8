#include "kubelet/pod/environment/downward_api.h"

#include <gtest/gtest.h>

namespace proa::kubelet {
namespace {

PodPtr read(const std::string& text) {
  return *Pod::read(api::Object::make(text), Pod::Source::kApi);
}

const char* const kPod =
    R"({"metadata":{"name":"web","namespace":"shop","uid":"u-1","labels":{"b":"2\n","app.io/a":"1"},)"
    R"("annotations":{"Upper/Key":"v"}},"spec":{"nodeName":"node-1","serviceAccountName":"seller"}})";

TEST(FieldValue, KnowsTheFieldsOfPods) {
  const PodFacts facts = {.node_name = api::NodeName("node-1"),
                          .host_addresses = {"10.0.0.1", "fd00::1"},
                          .addresses = {"fd01::2", "10.1.0.7", "10.1.0.8"}};
  const struct {
    const char* path;
    const char* expected;
  } cases[] = {
      {"metadata.name", "web"},
      {"metadata.namespace", "shop"},
      {"metadata.uid", "u-1"},
      {"metadata.labels", "app.io/a=\"1\"\nb=\"2\\n\""},
      {"metadata.annotations", "Upper/Key=\"v\""},
      {"metadata.labels['app.io/a']", "1"},
      {"metadata.labels['none']", ""},
      {"metadata.annotations['Upper/Key']", "v"},
      {"spec.nodeName", "node-1"},
      {"spec.host", "node-1"},
      {"spec.serviceAccountName", "seller"},
      {"status.hostIP", "10.0.0.1"},
      {"status.hostIPs", "10.0.0.1,fd00::1"},
      {"status.podIP", "10.1.0.7"},
      {"status.podIPs", "10.1.0.7,fd01::2"},
      {"status.phase", "! unsupported fieldPath: status.phase"},
      {"spec.volumes", "! field label not supported: spec.volumes"},
      {"spec.x['y']", "! field label does not support subscript: spec.x['y']"},
  };
  const PodPtr pod = read(kPod);
  for (const auto& c : cases) {
    SCOPED_TRACE(c.path);
    const Result<std::string> value = field_value(*pod, facts, c.path);
    EXPECT_EQ(value ? *value : "! " + value.status().message(), c.expected);
  }
  EXPECT_TRUE(field_value(*pod, facts, "metadata.labels['']").is(Reason::kBadRequest));
}

TEST(FieldValue, PutsTheFamilyOfTheNodeFirst) {
  const PodFacts facts = {.host_addresses = {"fd00::1"}, .addresses = {"10.1.0.7", "fd01:0::2"}};
  EXPECT_EQ(*field_value(*read(kPod), facts, "status.podIPs"), "fd01::2,10.1.0.7");
}

TEST(FieldValue, OfHostNetworkIsTheNodesAddress) {
  const PodPtr pod = read(R"({"metadata":{"name":"a"},"spec":{"hostNetwork":true}})");
  EXPECT_EQ(*field_value(*pod, {.host_addresses = {"10.0.0.1"}}, "status.podIP"), "10.0.0.1");
}

const char* const kResources =
    R"({"metadata":{"name":"a"},"spec":{"resources":{"limits":{"memory":"1Gi"}},"containers":[)"
    R"({"name":"main","resources":{"requests":{"cpu":"15m","memory":"15Mi","ephemeral-storage":"20Mi","hugepages-2Mi":"4Mi"},)"
    R"("limits":{"cpu":"1500m","memory":"10000001"}}},{"name":"free"}],)"
    R"("initContainers":[{"name":"first"}]}})";

struct ResourceCase {
  const char* container;  // that asks; empty: a volume
  const char* reference;
  const char* expected;
};

TEST(ResourceValue, IsRoundedUpInUnitsOfTheDivisor) {
  PodFacts facts;
  facts.allocatable_cpu = api::Quantity(8);
  facts.allocatable_memory = *api::Quantity::parse("16Gi");
  facts.allocatable_storage = *api::Quantity::parse("100Gi");
  const ResourceCase cases[] = {
      {"main", R"({"resource":"limits.cpu"})", "2"},
      {"main", R"({"resource":"limits.cpu","divisor":"1m"})", "1500"},
      {"main", R"({"resource":"requests.cpu","divisor":"0"})", "1"},
      {"main", R"({"resource":"requests.cpu","divisor":"100m"})", "1"},
      {"main", R"({"resource":"limits.memory"})", "10000001"},
      {"main", R"({"resource":"limits.memory","divisor":"1M"})", "11"},
      {"main", R"({"resource":"requests.memory","divisor":"1Mi"})", "15"},
      {"main", R"({"resource":"requests.ephemeral-storage","divisor":"1Ki"})", "20480"},
      {"main", R"({"resource":"requests.hugepages-2Mi","divisor":"1Mi"})", "4"},
      {"main", R"({"resource":"limits.hugepages-2Mi"})", "0"},
      {"main", R"({"resource":"limits.gpu"})", "! unsupported container resource : limits.gpu"},
      {"main", R"({"resource":"cpu"})", "! unsupported container resource : cpu"},
      // What has no bound has that of the pod, or of the node.
      {"free", R"({"resource":"limits.cpu"})", "8"},
      {"free", R"({"resource":"limits.memory","divisor":"1Gi"})", "1"},
      {"free", R"({"resource":"limits.ephemeral-storage","divisor":"1Gi"})", "100"},
      {"free", R"({"resource":"requests.cpu"})", "0"},
      {"free", R"({"resource":"limits.cpu","containerName":"main"})", "2"},
      {"free", R"({"resource":"limits.cpu","containerName":"first"})", "0"},
      {"free", R"({"resource":"limits.cpu","containerName":"x"})", "! container x not found"},
      {"", R"({"resource":"limits.cpu","containerName":"first"})", "8"},
      {"", R"({"resource":"limits.memory","containerName":"free","divisor":"1Gi"})", "16"},
  };
  const PodPtr pod = read(kResources);
  for (const ResourceCase& c : cases) {
    SCOPED_TRACE(std::string(c.container) + c.reference);
    const json::Document reference = *api::Object::make(c.reference)->document();
    const auto asking = find_container(*pod, c.container);
    const Result<std::string> value = resource_value(
        *pod, facts, asking ? asking->view : api::View(), api::View(reference.root()));
    EXPECT_EQ(value ? *value : "! " + value.status().message(), c.expected);
  }
}

}  // namespace
}  // namespace proa::kubelet
