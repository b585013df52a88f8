#include "kubelet/workers/static_pods/manifest.h"

#include <gtest/gtest.h>

#include "json/parse.h"
#include "json/print.h"
#include "kubelet/workers/static_pods/api_references.h"

namespace proa::kubelet {
namespace {

constexpr Time kNow{std::chrono::seconds(1767366245)};

constexpr const char* kYaml = R"(
apiVersion: v1
kind: Pod
metadata:
  name: web
spec:
  containers:
  - name: main
    image: web
)";

TEST(Manifest, BecomesAStaticPodOfTheNode) {
  const ManifestReader reader(api::NodeName("node-1"));
  const auto pod = reader.read(kYaml, "/etc/manifests/web.yaml", kNow);
  ASSERT_TRUE(pod.ok()) << pod.status().message();
  EXPECT_TRUE((*pod)->is_static());
  EXPECT_EQ((*pod)->name(), "web-node-1");
  EXPECT_EQ((*pod)->name_space(), "default");
  EXPECT_EQ((*pod)->uid().view().size(), 32u);
  const api::View metadata = (*pod)->metadata();
  EXPECT_EQ(metadata["uid"].text(), (*pod)->uid());
  EXPECT_EQ(metadata["annotations"][kConfigHash].text(), (*pod)->uid());
  EXPECT_EQ(metadata["annotations"][kConfigSource].text(), "file");
  EXPECT_EQ(metadata["annotations"][kConfigSeen].text(), "2026-01-02T15:04:05.000000Z");
  const api::View spec = (*pod)->spec();
  EXPECT_EQ(spec["nodeName"].text(), "node-1");
  EXPECT_EQ(json::print(*spec["tolerations"].value()),
            R"([{"operator":"Exists","effect":"NoExecute"}])");
  EXPECT_EQ(spec["restartPolicy"].text(), "Always");  // a default
  EXPECT_EQ(spec["containers"].item(0)["imagePullPolicy"].text(), "Always");
  EXPECT_EQ((*pod)->status()["phase"].text(), "Pending");
}

TEST(Manifest, IsAnotherPodWithOtherContentFileOrNode) {
  const ManifestReader reader(api::NodeName("n"));
  const std::string text = kYaml;
  const auto uid = [&](const std::string& content, std::string_view path) {
    return (*reader.read(content, path, kNow))->uid();
  };
  const api::Uid first = uid(text, "/a");
  EXPECT_EQ(uid(text, "/a"), first);
  EXPECT_EQ(uid("# only a comment\n" + text, "/a"), first);
  EXPECT_EQ(uid(R"({"apiVersion":"v1","kind":"Pod","metadata":{"name":"web"},"spec":{"containers":)"
                R"([{"name":"main","image":"web"}]}})",
                "/a"),
            first);
  EXPECT_NE(uid(text, "/b"), first);
  EXPECT_NE(uid(text + "    tty: true\n", "/a"), first);
  EXPECT_NE((*ManifestReader(api::NodeName("m")).read(text, "/a", kNow))->uid(), first);
}

TEST(Manifest, IsRefused) {
  struct Case {
    const char* text;
    const char* message;
  };
  const Case cases[] = {
      {"", "couldn't parse as pod"},
      {"apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a}\n", "couldn't parse as pod"},
      {"apiVersion: v1\nkind: Pod\nspec: {}\n", "invalid pod: name is needed for the pod"},
      {"apiVersion: v1\nkind: Pod\nmetadata: {name: a}\nspec: {}\n",
       "spec.containers: Required value"},
      {"apiVersion: v1\nkind: Pod\nmetadata: {name: A_B}\nspec: {containers: [{name: a, image: "
       "b}]}\n",
       "metadata.name"},
      {"apiVersion: v1\nkind: Pod\nmetadata: {name: a}\nspec: {serviceAccountName: x, containers: "
       "[{name: a, image: b}]}\n",
       "static pods may not reference serviceaccounts"},
  };
  const ManifestReader reader(api::NodeName("n"));
  for (const Case& c : cases) {
    SCOPED_TRACE(c.text);
    const auto pod = reader.read(c.text, "/a", kNow);
    ASSERT_FALSE(pod.ok());
    EXPECT_NE(pod.status().message().find(c.message), std::string::npos) << pod.status().message();
  }
}

TEST(ApiReferences, AreFound) {
  struct Case {
    const char* spec;
    const char* words;
  };
  const Case cases[] = {
      {R"({"volumes":[{"name":"a","emptyDir":{}},{"name":"b","hostPath":{"path":"/"}}]})", ""},
      {R"({"volumes":[{"projected":{"sources":[{"downwardAPI":{}}]}}]})", ""},
      {R"({"serviceAccountName":"x"})", "serviceaccounts"},
      {R"({"imagePullSecrets":[{"name":"x"}]})", "secrets"},
      {R"({"containers":[{"env":[{"valueFrom":{"secretKeyRef":{}}}]}]})", "secrets"},
      {R"({"initContainers":[{"envFrom":[{"secretRef":{}}]}]})", "secrets"},
      {R"({"volumes":[{"secret":{"secretName":"x"}}]})", "secrets"},
      {R"({"volumes":[{"projected":{"sources":[{"secret":{}}]}}]})", "secrets"},
      {R"({"volumes":[{"cephfs":{"secretRef":{"name":"x"}}}]})", "secrets"},
      {R"({"containers":[{"envFrom":[{"configMapRef":{}}]}]})", "configmaps"},
      {R"({"volumes":[{"configMap":{"name":"x"}}]})", "configmaps"},
      {R"({"resourceClaims":[{"name":"x"}]})", "resourceclaims"},
      {R"({"volumes":[{"csi":{"driver":"x"}}]})", "csidrivers (via CSI volumes)"},
      {R"({"volumes":[{"persistentVolumeClaim":{}}]})", "persistentvolumeclaims"},
      {R"({"volumes":[{"ephemeral":{}}]})", "persistentvolumeclaims (via ephemeral volumes)"},
      {R"({"volumes":[{"projected":{"sources":[{"serviceAccountToken":{}}]}}]})",
       "serviceaccounts (via projected volumes)"},
      {R"({"volumes":[{"projected":{"sources":[{"clusterTrustBundle":{}}]}}]})",
       "clustertrustbundles"},
  };
  for (const Case& c : cases) {
    SCOPED_TRACE(c.spec);
    const auto spec = json::parse(c.spec);
    EXPECT_EQ(find_api_reference(spec->root()), c.words);
  }
}

}  // namespace
}  // namespace proa::kubelet
