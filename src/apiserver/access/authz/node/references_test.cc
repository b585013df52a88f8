#include "apiserver/access/authz/node/references.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "json/parse.h"

namespace proa::apiserver {
namespace {

std::string letter_of(Relative kind) {
  switch (kind) {
    case Relative::kConfigMap:
      return "configmap";
    case Relative::kSecret:
      return "secret";
    case Relative::kClaim:
      return "claim";
    case Relative::kResourceClaim:
      return "resourceclaim";
    case Relative::kServiceAccount:
      return "serviceaccount";
    default:
      return "?";
  }
}

std::string found_in(const std::string& pod) {
  const json::Document document = json::parse(pod).value();
  std::string text;
  for (const Reference& reference : references_of_pod(document.root())) {
    if (!text.empty()) text += " ";
    text += letter_of(reference.kind) + ":" + reference.name;
  }
  return text;
}

std::string found_in_spec(const std::string& spec) {
  return found_in(R"({"metadata":{"name":"p"},"spec":{)" + spec + "}}");
}

TEST(ReferencesOfPod, AreInEveryListOfContainers) {
  for (const std::string list : {"containers", "initContainers", "ephemeralContainers"}) {
    SCOPED_TRACE(list);
    EXPECT_EQ(found_in_spec("\"" + list + R"(":[
      {"envFrom":[{"secretRef":{"name":"a"}},{"configMapRef":{"name":"b"}}]},
      {"env":[{"name":"X","value":"plain"},
              {"name":"Y","valueFrom":{"secretKeyRef":{"name":"c","key":"k"}}},
              {"name":"Z","valueFrom":{"configMapKeyRef":{"name":"d","key":"k"}}},
              {"name":"W","valueFrom":{"fieldRef":{"fieldPath":"metadata.name"}}}]}])"),
              "secret:a configmap:b secret:c configmap:d");
  }
}

TEST(ReferencesOfPod, AreInEveryKindOfVolume) {
  const struct {
    std::string volume;
    std::string found;
  } cases[] = {
      {R"("secret":{"secretName":"s"})", "secret:s"},
      {R"("configMap":{"name":"c"})", "configmap:c"},
      {R"("azureFile":{"secretName":"s"})", "secret:s"},
      {R"("cephfs":{"secretRef":{"name":"s"}})", "secret:s"},
      {R"("cinder":{"secretRef":{"name":"s"}})", "secret:s"},
      {R"("flexVolume":{"secretRef":{"name":"s"}})", "secret:s"},
      {R"("rbd":{"secretRef":{"name":"s"}})", "secret:s"},
      {R"("iscsi":{"secretRef":{"name":"s"}})", "secret:s"},
      {R"("scaleIO":{"secretRef":{"name":"s"}})", "secret:s"},
      {R"("storageos":{"secretRef":{"name":"s"}})", "secret:s"},
      {R"("csi":{"driver":"d","nodePublishSecretRef":{"name":"s"}})", "secret:s"},
      {R"("persistentVolumeClaim":{"claimName":"c"})", "claim:c"},
      {R"("ephemeral":{"volumeClaimTemplate":{}})", "claim:p-v"},
      {R"("projected":{"sources":[{"secret":{"name":"a"}},{"configMap":{"name":"b"}},
          {"serviceAccountToken":{"path":"t"}},{"downwardAPI":{}}]})",
       "secret:a configmap:b"},
      {R"("emptyDir":{})", ""},
      {R"("hostPath":{"path":"/"})", ""},
      {R"("secret":{})", ""},
  };
  for (const auto& c : cases) {
    SCOPED_TRACE(c.volume);
    EXPECT_EQ(found_in_spec(R"("volumes":[{"name":"v",)" + c.volume + "}]"), c.found);
  }
}

TEST(ReferencesOfPod, AreItsAccountAndItsPullSecrets) {
  EXPECT_EQ(
      found_in_spec(
          R"("serviceAccountName":"robot","imagePullSecrets":[{"name":"a"},{},{"name":"b"}])"),
      "serviceaccount:robot secret:a secret:b");
}

TEST(ReferencesOfPod, AreClaimsByNameOrAsTheStatusSays) {
  const std::string spec =
      R"("spec":{"resourceClaims":[{"name":"x","resourceClaimName":"named"},
         {"name":"y","resourceClaimTemplateName":"t"},{"name":"z","resourceClaimTemplateName":"t"}]})";
  EXPECT_EQ(found_in("{" + spec + "}"), "resourceclaim:named");
  EXPECT_EQ(found_in("{" + spec + R"(,"status":{
      "resourceClaimStatuses":[{"name":"y","resourceClaimName":"made"},{"name":"z"},
                               {"name":"x","resourceClaimName":"other"},
                               {"name":"nobody","resourceClaimName":"more"}],
      "extendedResourceClaimStatus":{"resourceClaimName":"extended"}}})"),
            "resourceclaim:named resourceclaim:made resourceclaim:extended");
}

TEST(ReferencesOfPod, AreNoneForMirrorPods) {
  EXPECT_EQ(found_in(R"({"metadata":{"annotations":{"kubernetes.io/config.mirror":""}},
      "spec":{"serviceAccountName":"robot","imagePullSecrets":[{"name":"a"}]}})"),
            "");
}

TEST(ReferencesOfPod, EndureAnyShape) {
  EXPECT_EQ(found_in("[]"), "");
  EXPECT_EQ(found_in("null"), "");
  EXPECT_EQ(found_in(R"({"spec":7,"status":[]})"), "");
  EXPECT_EQ(found_in(R"({"spec":{"containers":{"a":1},"volumes":[null,3,[]],"imagePullSecrets":"x",
      "serviceAccountName":{"a":1}}})"),
            "");
}

TEST(SecretsOfVolume, AreThoseThatNodesNeed) {
  const struct {
    std::string source;
    std::string found;
  } cases[] = {
      {R"("azureFile":{"secretName":"s"})", "claimed/s"},
      {R"("azureFile":{"secretName":"s","secretNamespace":"own"})", "own/s"},
      {R"("cephfs":{"secretRef":{"name":"s"}})", "claimed/s"},
      {R"("cephfs":{"secretRef":{"name":"s","namespace":"own"}})", "own/s"},
      {R"("flexVolume":{"secretRef":{"name":"s"}})", "claimed/s"},
      {R"("rbd":{"secretRef":{"name":"s"}})", "claimed/s"},
      {R"("scaleIO":{"secretRef":{"name":"s"}})", "claimed/s"},
      {R"("iscsi":{"secretRef":{"name":"s"}})", "claimed/s"},
      {R"("cinder":{"secretRef":{"name":"s","namespace":"own"}})", "own/s"},
      {R"("storageos":{"secretRef":{"name":"s","namespace":"own"}})", "own/s"},
      {R"("csi":{"controllerPublishSecretRef":{"name":"c1","namespace":"n"},
                 "controllerExpandSecretRef":{"name":"c2","namespace":"n"},
                 "nodePublishSecretRef":{"name":"p","namespace":"n"},
                 "nodeStageSecretRef":{"name":"s","namespace":"n"},
                 "nodeExpandSecretRef":{"name":"e","namespace":"n"}})",
       "n/p n/s n/e"},
      {R"("nfs":{"path":"/"})", ""},
      {R"("cephfs":{"secretRef":{"namespace":"own"}})", ""},
  };
  for (const auto& c : cases) {
    SCOPED_TRACE(c.source);
    const json::Document document =
        json::parse(R"({"spec":{"claimRef":{"namespace":"claimed","name":"x"},)" + c.source + "}}")
            .value();
    std::string text;
    for (const SecretReference& secret : secrets_of_volume(document.root())) {
      if (!text.empty()) text += " ";
      text.append(secret.name_space).append("/").append(secret.name);
    }
    EXPECT_EQ(text, c.found);
  }
}

}  // namespace
}  // namespace proa::apiserver
