#include "apiserver/access/admission/pods/pod_parts.h"

#include <gtest/gtest.h>

#include "json/yaml.h"

namespace proa::apiserver {
namespace {

using Names = std::vector<std::string_view>;

TEST(SecretNames, AreFoundWhereverTheyStand) {
  constexpr std::string_view kSpecs[] = {
      "imagePullSecrets: [{name: s}]",
      "containers: [{env: [{name: a, valueFrom: {secretKeyRef: {name: s, key: k}}}]}]",
      "containers: [{envFrom: [{secretRef: {name: s}}]}]",
      "initContainers: [{env: [{name: a, valueFrom: {secretKeyRef: {name: s, key: k}}}]}]",
      "initContainers: [{envFrom: [{secretRef: {name: s}}]}]",
      "ephemeralContainers: [{env: [{name: a, valueFrom: {secretKeyRef: {name: s, key: k}}}]}]",
      "ephemeralContainers: [{envFrom: [{secretRef: {name: s}}]}]",
      "volumes: [{secret: {secretName: s}}]",
      "volumes: [{projected: {sources: [{configMap: {name: c}}, {secret: {name: s}}]}}]",
      "volumes: [{azureFile: {secretName: s}}]",
      "volumes: [{csi: {nodePublishSecretRef: {name: s}}}]",
      "volumes: [{cephfs: {secretRef: {name: s}}}]",
      "volumes: [{cinder: {secretRef: {name: s}}}]",
      "volumes: [{flexVolume: {secretRef: {name: s}}}]",
      "volumes: [{rbd: {secretRef: {name: s}}}]",
      "volumes: [{scaleIO: {secretRef: {name: s}}}]",
      "volumes: [{iscsi: {secretRef: {name: s}}}]",
      "volumes: [{storageos: {secretRef: {name: s}}}]",
  };
  for (const std::string_view spec : kSpecs) {
    SCOPED_TRACE(spec);
    const json::Document document = json::parse_yaml(spec).value();
    EXPECT_EQ(secret_names(document.root()), Names{"s"});
  }
}

TEST(SecretNames, LeavesOutWhatHasNoName) {
  const json::Document document = json::parse_yaml(R"(
    imagePullSecrets: [{}, {name: ""}]
    containers: [{env: [{name: a, value: b}], envFrom: [{configMapRef: {name: c}}]}, null]
    volumes: [{emptyDir: {}}, {configMap: {name: c}}, 7]
  )")
                                      .value();
  EXPECT_EQ(secret_names(document.root()), Names{});
  EXPECT_EQ(secret_names({}), Names{});
}

TEST(EachObject, LeavesOutWhatIsNone) {
  json::Document document = json::parse_yaml("a: [{x: 1}, null, 7, {x: 2}]\nb: 3").value();
  int64_t sum = 0;
  const auto add = [&](api::Edit item) { sum += item["x"].integer(); };
  each_object(api::Edit(document), "a", add);
  each_object(api::Edit(document), "b", add);
  each_object(api::Edit(document), "c", add);
  EXPECT_EQ(sum, 3);
}

}  // namespace
}  // namespace proa::apiserver
