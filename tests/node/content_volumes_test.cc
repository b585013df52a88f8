// Volumes with content from API objects, checked inside containers.

#include "shared_cluster.h"

namespace proa::node_tests {
namespace {

using testing::HasSubstr;
using testing::MatchesRegex;
using testing::StartsWith;

class ContentVolumesTest : public SharedCluster {
 protected:
  // A volume "it", mounted at /it.
  static Fields with(const std::string& source, const std::string& spec = "") {
    return {.container = "volumeMounts: [{name: it, mountPath: /it}]",
            .spec = "volumes: [{name: it, " + source + "}]" + (spec.empty() ? "" : ", " + spec)};
  }
  // Waits inside the pod until the file has that content, and returns its content.
  static std::string content(const std::string& pod, const std::string& file,
                             const std::string& awaited) {
    return cluster_->inside(pod, "for i in $(seq 100); do grep -q \"" + awaited + "\" " + file +
                                     " && break; sleep 0.1; done; cat " + file);
  }
  // The API user of the token; empty if it is rejected.
  static std::string bearer(const std::string& token, const std::string& audience) {
    return cluster_
        ->kubectl("create -o jsonpath='{.status.user.username}' -f -",
                  "{apiVersion: authentication.k8s.io/v1, kind: TokenReview, spec: "
                  "{audiences: [" +
                      audience + "], token: " + token + "}}")
        .text;
  }
};

TEST_F(ContentVolumesTest, HoldTheKeysOfAConfigMap) {
  cluster_->apply(R"({apiVersion: v1, kind: ConfigMap, metadata: {name: map},
data: {one: first, two: second}, binaryData: {three: AAEC}})");
  EXPECT_EQ(output_of("all-keys", "cd /it; ls; cat one two; od -An -tx1 three; stat -Lc %a one",
                      with("configMap: {name: map}")),
            "one\nthree\ntwo\nfirstsecond 00 01 02\n644");
  EXPECT_EQ(output_of("some-keys",
                      "cd /it; ls; cat deep/uno; stat -Lc "
                      "%a deep/uno two",
                      with("configMap: {name: map, defaultMode: 0400, items: "
                           "[{key: one, path: deep/uno, mode: 0751}, {key: two, path: two}]}")),
            "deep\ntwo\nfirst751\n400");
}

TEST_F(ContentVolumesTest, HoldTheKeysOfASecretInMemory) {
  cluster_->ask("create secret generic secret --from-literal=password=hush");
  EXPECT_EQ(output_of("secret",
                      "cat /it/password; stat -Lc ' %a' /it/password; grep ' /it ' "
                      "/proc/mounts | cut -d ' ' -f 1-3; touch /it/x 2>&1 || true",
                      with("secret: {secretName: secret, defaultMode: 0440}")),
            "hush 440\ntmpfs /it tmpfs\ntouch: /it/x: Read-only file system");
}

TEST_F(ContentVolumesTest, MayBeEmptyWhereTheirObjectIsOptional) {
  EXPECT_EQ(output_of("optional", "ls /it", with("configMap: {name: nobody, optional: true}")), "");
  cluster_->ask("create configmap has-one --from-literal=one=1");
  EXPECT_EQ(output_of("optional-key", "ls /it",
                      with("configMap: {name: has-one, optional: true, items: [{key: one, path: "
                           "a}, {key: none, path: b}]}")),
            "a");
}

TEST_F(ContentVolumesTest, WaitForTheirObject) {
  cluster_->apply(pod("early", "cat /it/color", with("configMap: {name: late}")));
  EXPECT_THAT(event("early", "FailedMount"),
              StartsWith("MountVolume.SetUp failed for volume \"it\" : configmap \"late\" not "
                         "found"));
  EXPECT_EQ(field("early", "status.containerStatuses[0].state.waiting.reason"),
            "ContainerCreating");
  cluster_->ask("create configmap late --from-literal=color=red");
  ASSERT_TRUE(becomes("early", "status.phase", "Succeeded"));
  EXPECT_EQ(cluster_->ask("logs early"), "red");
}

TEST_F(ContentVolumesTest, WaitForTheKeyThatTheyShallHold) {
  cluster_->ask("create configmap short --from-literal=one=1");
  cluster_->apply(pod("no-key", "cat /it/two",
                      with("configMap: {name: short, items: [{key: two, path: two}]}")));
  EXPECT_THAT(event("no-key", "FailedMount"),
              StartsWith("MountVolume.SetUp failed for volume \"it\" : configmap references "
                         "non-existent config key: two"));
  cluster_->ask(R"(patch configmap short -p '{"data":{"two":"2"}}')");
  becomes("no-key", "status.phase", "Succeeded");
}

TEST_F(ContentVolumesTest, FollowTheirObjects) {
  cluster_->ask("create configmap moving --from-literal=key=old --from-literal=gone=1");
  cluster_->ask("create secret generic moving --from-literal=key=old");
  ASSERT_TRUE(run("follower", {.container = R"(
volumeMounts: [{name: map, mountPath: /map}, {name: secret, mountPath: /secret},
               {name: about, mountPath: /about}, {name: map, mountPath: /part, subPath: key}])",
                               .spec = R"(
volumes: [{name: map, configMap: {name: moving}}, {name: secret, secret: {secretName: moving}},
          {name: about, downwardAPI: {items: [{path: labels,
             fieldRef: {fieldPath: metadata.labels}}]}}])",
                               .labels = "color: red"}));
  EXPECT_EQ(cluster_->inside("follower", "cat /map/key /secret/key /about/labels /part"),
            "oldoldcolor=\"red\"old");
  cluster_->ask(R"(patch configmap moving -p '{"data":{"key":"new","gone":null}}')");
  cluster_->ask(R"(patch secret moving -p '{"stringData":{"key":"new"}}')");
  cluster_->ask("label pod follower color=blue --overwrite");
  EXPECT_EQ(content("follower", "/map/key", "new"), "new");
  EXPECT_EQ(content("follower", "/secret/key", "new"), "new");
  EXPECT_EQ(content("follower", "/about/labels", "blue"), "color=\"blue\"");
  // A subPath mount is not updated.
  EXPECT_EQ(cluster_->inside("follower", "ls /map; cat /part"), "key\nold");
}

TEST_F(ContentVolumesTest, DoNotFollowWhatNeverChanges) {
  cluster_->apply(R"({apiVersion: v1, kind: ConfigMap, metadata: {name: fixed}, immutable: true,
data: {key: old}})");
  EXPECT_EQ(output_of("fixed", "cat /it/key", with("configMap: {name: fixed}")), "old");
}

TEST_F(ContentVolumesTest, TellAPodAboutItself) {
  Fields fields = with(R"(downwardAPI: {defaultMode: 0440, items: [
{path: name, fieldRef: {fieldPath: metadata.name}}, {path: space, fieldRef: {fieldPath: metadata.namespace}},
{path: uid, fieldRef: {fieldPath: metadata.uid}},
{path: labels, fieldRef: {fieldPath: metadata.labels}},
{path: one, fieldRef: {fieldPath: "metadata.labels['app']"}},
{path: notes, fieldRef: {fieldPath: metadata.annotations}},
{path: deep/cpu, mode: 0444, resourceFieldRef: {containerName: main, resource: limits.cpu, divisor: 1m}},
{path: deep/memory, resourceFieldRef: {containerName: main, resource: requests.memory}}]})");
  fields.container += ", resources: {limits: {cpu: 300m, memory: 32Mi}}";
  fields.labels = "app: shop, zone: far";
  fields.annotations = "note: 'with \"quotes\"'";
  const std::string output =
      output_of("itself",
                "cd /it; for f in name space uid one labels notes deep/cpu deep/memory; do cat $f; "
                "echo; done; stat -Lc %a name deep/cpu",
                fields);
  EXPECT_EQ(output, "itself\ndefault\n" + field("itself", "metadata.uid") +
                        "\nshop\napp=\"shop\"\nzone=\"far\"\nnote=\"with \\\"quotes\\\"\"\n300\n"
                        "33554432\n440\n444");
}

TEST_F(ContentVolumesTest, JoinSeveralSources) {
  cluster_->ask("create configmap part --from-literal=a=1 --from-literal=b=2");
  cluster_->ask("create secret generic part --from-literal=c=3");
  ASSERT_TRUE(run("joined", with(R"(projected: {defaultMode: 0640, sources: [
{configMap: {name: part, items: [{key: a, path: map/a}]}}, {secret: {name: part}},
{secret: {name: nobody, optional: true}},
{downwardAPI: {items: [{path: name, fieldRef: {fieldPath: metadata.name}}]}},
{serviceAccountToken: {path: token, audience: shop, expirationSeconds: 1200}}]})")));
  EXPECT_EQ(cluster_->inside("joined", "cd /it; ls; cat map/a c name; stat -Lc %a c token"),
            "c\nmap\nname\ntoken\n13joined640\n640");
  const std::string token = cluster_->inside("joined", "cat /it/token");
  EXPECT_EQ(bearer(token, "shop"), "system:serviceaccount:default:default");
  EXPECT_EQ(bearer(token, "other"), "");
  // The token is invalid once its pod is deleted, even before it expires.
  cluster_->ask("delete pod joined");
  EXPECT_EQ(bearer(token, "shop"), "");
}

TEST_F(ContentVolumesTest, GiveAPodItsAccount) {
  const std::string folder = "/var/run/secrets/kubernetes.io/serviceaccount";
  ASSERT_TRUE(run("account", {}));
  EXPECT_EQ(cluster_->inside("account", "cd " + folder + "; ls; cat namespace; stat -Lc %a token"),
            "ca.crt\nnamespace\ntoken\ndefault644");
  EXPECT_THAT(cluster_->inside("account", "cat " + folder + "/ca.crt"),
              StartsWith("-----BEGIN CERTIFICATE-----"));
  const std::string token = cluster_->inside("account", "cat " + folder + "/token");
  EXPECT_EQ(bearer(token, "https://kubernetes.default.svc.cluster.local"),
            "system:serviceaccount:default:default");
  EXPECT_EQ(output_of("no-account", "ls /var/run/secrets 2>&1 || true",
                      {.spec = "automountServiceAccountToken: false"}),
            "ls: /var/run/secrets: No such file or directory");
}

// The token is readable by the pod's user and group.
TEST_F(ContentVolumesTest, KeepTokensFromOtherUsers) {
  const std::string script =
      "cd /var/run/secrets/kubernetes.io/serviceaccount; stat -Lc '%u %g %a' token; cat token >"
      "/dev/null";
  EXPECT_EQ(output_of("user-token", script, {.spec = "securityContext: {runAsUser: 1000}"}),
            "1000 0 600");
  EXPECT_EQ(output_of("group-token", script,
                      {.spec = "securityContext: {runAsUser: 1000, fsGroup: 2000}"}),
            "1000 2000 640");
}

}  // namespace
}  // namespace proa::node_tests
