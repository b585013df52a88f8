// Uninstalling removes everything of a cluster from its machine: in order, after a crash, and
// without touching foreign files.

#include <signal.h>

#include <random>

#include "cluster.h"
#include "json/parse.h"
#include "kubelet/runtime/cri/runtime.h"
#include "traces.h"

namespace proa::node_tests {
namespace {

using namespace std::chrono_literals;

// With every kind of volume, a host port and a pod network; and the objects they reference.
std::string pods(const std::string& outside) {
  const std::string objects = R"(
{apiVersion: v1, kind: ConfigMap, metadata: {name: map}, data: {key: value}}
---
{apiVersion: v1, kind: Secret, metadata: {name: secret}, stringData: {key: value}}
---
{apiVersion: v1, kind: PersistentVolume, metadata: {name: disk}, spec: {capacity: {storage: 1Gi},
 accessModes: [ReadWriteOnce], storageClassName: none, hostPath: {path: )" +
                              outside + R"(}}}
---
{apiVersion: v1, kind: PersistentVolumeClaim, metadata: {name: claim},
 spec: {accessModes: [ReadWriteOnce], storageClassName: none, resources: {requests: {storage: 1Gi}}}}
)";
  const std::string volumes = R"([{name: map, configMap: {name: map}},
 {name: secret, secret: {secretName: secret}}, {name: disk, emptyDir: {}},
 {name: memory, emptyDir: {medium: Memory}}, {name: host, hostPath: {path: )" +
                              outside + R"(}},
 {name: claim, persistentVolumeClaim: {claimName: claim}},
 {name: about, downwardAPI: {items: [{path: name, fieldRef: {fieldPath: metadata.name}}]}},
 {name: all, projected: {sources: [{configMap: {name: map}}, {secret: {name: secret}},
   {serviceAccountToken: {path: token}}]}}])";
  const std::string mounts = R"([{name: map, mountPath: /map}, {name: secret, mountPath: /secret},
 {name: map, mountPath: /one, subPath: key}, {name: disk, mountPath: /disk},
 {name: disk, mountPath: /part, subPath: a/b}, {name: memory, mountPath: /memory},
 {name: host, mountPath: /host}, {name: claim, mountPath: /claim},
 {name: about, mountPath: /about}, {name: all, mountPath: /all}])";
  const std::string full =
      "{apiVersion: v1, kind: Pod, metadata: {name: full}, spec: {terminationGracePeriodSeconds: 1,"
      " volumes: " +
      volumes +
      ", containers: [{name: main, image: 'busybox:1', resources: {limits: {memory: 50Mi, cpu: "
      "100m}}, ports: [{containerPort: 80, hostPort: " +
      std::to_string(testkit::free_port()) +
      "}], command: [sh, -c, 'for i in disk memory host claim; do echo $i > /$i/mine; done; "
      "trap exit TERM; sleep 1000 & wait'], volumeMounts: " +
      mounts + "}]}}";
  // A container that ignores the stop signal.
  const std::string deaf =
      "{apiVersion: v1, kind: Pod, metadata: {name: deaf}, spec: {hostNetwork: true, containers: "
      "[{name: main, image: 'busybox:1', command: [sh, -c, 'trap : TERM; while :; do sleep 1; "
      "done']}]}}";
  return objects + "---\n" + full + "\n---\n" + deaf;
}

class UninstallTest : public testing::Test {
 protected:
  void SetUp() override {
    if (!missing().empty()) GTEST_SKIP() << missing();
    if (Cluster::newest_kubectl().empty()) GTEST_SKIP() << "no kubectl";
  }

  // A cluster with such pods.
  void begin() {
    cluster_ = std::make_unique<Cluster>();
    const std::string socket = cluster_->socket();
    run_folder_ = socket.substr(0, socket.rfind('/'));
    traces_ = std::make_unique<Traces>(cluster_->data_dir(), run_folder_);
    cluster_->eventually("get serviceaccount default -o name", "serviceaccount/default");
    cluster_->apply(pods(outside_.path()));
  }
  // The same, with the pods running.
  void start() {
    begin();
    ASSERT_TRUE(cluster_->wait("full") && cluster_->wait("deaf"));
  }
  void crash() const {
    const int containerd = std::atoi(Traces::first_line(run_folder_ + "/containerd.pid").c_str());
    ASSERT_GT(containerd, 1);
    cluster_->stop(SIGKILL);
    kill(containerd, SIGKILL);
  }
  std::string run(const std::string& command) const {
    const e2e::Outcome outcome =
        e2e::run_program(command + " --data-dir " + cluster_->data_dir(), "PROA_LOG_LEVEL=warn");
    EXPECT_EQ(outcome.code, 0) << outcome.text;
    return outcome.text;
  }
  // Everything found from outside, each line with its kind.
  Lines found() const {
    Lines all;
    const auto add = [&all](const std::string& what, const Lines& lines) {
      for (const std::string& line : lines) all.push_back(what + ": " + line);
    };
    add("process", traces_->processes());
    add("mount", traces_->mounts());
    add("network namespace", traces_->namespaces());
    add("link", traces_->links());
    add("cgroup", traces_->cgroups());
    add("rule", traces_->all_rules());
    add("network result", traces_->network_results());
    add("shim's socket", traces_->shim_sockets());
    if (traces_->has_bridge()) all.push_back("bridge: " + traces_->name());
    return all;
  }
  Lines files() const {
    Lines all;
    for (const std::string& path : {cluster_->data_dir(), run_folder_}) {
      if (std::filesystem::exists(path)) all.push_back(path);
    }
    return all;
  }
  // Ensures that finding nothing is meaningful.
  void expect_to_find_all() const {
    std::set<std::string> kinds;
    for (const std::string& line : found()) kinds.insert(line.substr(0, line.find(':')));
    EXPECT_EQ(kinds,
              (std::set<std::string>{"process", "mount", "network namespace", "link", "cgroup",
                                     "rule", "network result", "shim's socket", "bridge"}));
  }
  // Files that pods wrote outside of the data directory are kept.
  void expect_outside_untouched() const {
    EXPECT_EQ(Traces::first_line(outside_.path() + "/mine"), "claim");
  }

  const e2e::TemporaryFolder outside_;
  std::unique_ptr<Cluster> cluster_;
  std::string run_folder_;
  std::unique_ptr<Traces> traces_;
};

TEST_F(UninstallTest, NothingIsLeftAfterDownAndUninstall) {
  start();
  expect_to_find_all();
  EXPECT_TRUE(contains(run("down --grace 1s"), "2 pods stopped"));
  EXPECT_EQ(found(), Lines());
  EXPECT_TRUE(std::filesystem::exists(cluster_->data_dir() + "/store"));
  EXPECT_TRUE(contains(run("uninstall --yes"), "0 pods stopped"));
  EXPECT_EQ(found(), Lines());
  EXPECT_EQ(files(), Lines());
  expect_outside_untouched();
}

TEST_F(UninstallTest, NothingIsLeftAfterACrashAndUninstall) {
  start();
  EXPECT_FALSE(found().empty());
  crash();
  EXPECT_TRUE(contains(run("uninstall --yes"), "2 pods stopped"));
  EXPECT_EQ(found(), Lines());
  EXPECT_EQ(files(), Lines());
  expect_outside_untouched();
}

TEST_F(UninstallTest, NothingIsLeftWhenPodsWereOnlyBegun) {
  begin();
  const unsigned milliseconds = std::random_device()() % 500;
  SCOPED_TRACE("crash after " + std::to_string(milliseconds) + " ms");
  std::this_thread::sleep_for(std::chrono::milliseconds(milliseconds));
  crash();
  run("uninstall --yes");
  EXPECT_EQ(found(), Lines());
  EXPECT_EQ(files(), Lines());
}

// A cluster on a foreign containerd that has other users.
TEST_F(UninstallTest, OfAForeignRuntimeOnlyOwnPodsEnd) {
  testkit::TestContainerd containerd;
  kubelet::cri::Runtime& runtime = containerd.runtime();
  const auto until = [&containerd] { return Until::after(containerd.clock(), 30s); };
  const auto config =
      json::parse(R"({"metadata":{"name":"other","uid":"other","namespace":"other"},"linux":{}})");
  const auto other = runtime.run_sandbox(config->root(), "", until());
  ASSERT_TRUE(other.ok()) << other.status().message();

  const std::string data_dir = outside_.path() + "/data";
  const std::string kubectl =
      "KUBECONFIG=" + data_dir + "/admin.kubeconfig " + Cluster::newest_kubectl() + " ";
  e2e::Server up(data_dir, "up",
                 {"--container-runtime-endpoint", containerd.socket(), "--kubelet-port",
                  std::to_string(testkit::free_port())});
  ASSERT_TRUE(up.ready()) << up.said();
  const e2e::Outcome ran = e2e::run_shell(
      "until " + kubectl + "get serviceaccount default >/dev/null 2>&1; do sleep 0.1; done; " +
      kubectl + "run own --image proa/hello:1 && " + kubectl +
      "wait --for=condition=Ready pod/own" + Cluster::within(30));
  ASSERT_EQ(ran.code, 0) << ran.text << up.said();
  const std::string uid = e2e::run_shell(kubectl + "get pod own -o jsonpath={.metadata.uid}").text;
  const std::string cgroups = "find /sys/fs/cgroup -name 'pod" + uid + "'";
  EXPECT_NE(e2e::run_shell(cgroups).text, "");

  const e2e::Outcome removed = e2e::run_program("uninstall --yes --data-dir " + data_dir);
  EXPECT_EQ(removed.code, 0) << removed.text;
  EXPECT_TRUE(contains(removed.text, "1 pod stopped")) << removed.text;
  const auto left = runtime.sandboxes({}, until());
  ASSERT_TRUE(left.ok()) << left.status().message();
  ASSERT_EQ(left->size(), 1u);
  EXPECT_EQ(left->front().id, *other);
  EXPECT_EQ(left->front().state, kubelet::cri::SandboxState::kReady);
  EXPECT_EQ(e2e::run_shell(cgroups).text, "");
  EXPECT_FALSE(std::filesystem::exists(data_dir));
}

}  // namespace
}  // namespace proa::node_tests
