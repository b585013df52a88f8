// The Node object, and how it is kept up to date.

#include "shared_cluster.h"

namespace proa::node_tests {
namespace {

using testing::HasSubstr;
using testing::StartsWith;

class NodeTest : public SharedCluster {
 protected:
  static void SetUpTestSuite() {
    if (missing().empty() && !Cluster::newest_kubectl().empty()) {
      cluster_ = std::make_unique<Cluster>(std::vector<std::string>{
          "--node-labels", "mine=1", "--register-with-taints", "busy=now:PreferNoSchedule",
          "--max-pods", "17", "--system-reserved", "cpu=100m,memory=64Mi", "--kube-reserved",
          "cpu=50m"});
    }
  }
  static std::string node(const std::string& path) {
    return cluster_->ask("get nodes -o jsonpath='{.items[0]." + path + "}'");
  }
  static std::string name() { return node("metadata.name"); }
  static std::string lease(const std::string& path) {
    return cluster_->ask("get lease -n kube-node-lease " + name() + " -o jsonpath='{." + path +
                         "}'");
  }
  static std::string shell(const std::string& line) {
    const std::string text = e2e::run_shell(line).text;
    return text.substr(0, text.find('\n'));
  }
};

TEST_F(NodeTest, SaysWhatTheMachineIs) {
  EXPECT_EQ(node("status.nodeInfo.kernelVersion"), shell("uname -r"));
  EXPECT_EQ(node("status.nodeInfo.bootID"), shell("cat /proc/sys/kernel/random/boot_id"));
  EXPECT_EQ(node("status.nodeInfo.architecture"), shell("dpkg --print-architecture"));
  EXPECT_EQ(node("status.nodeInfo.operatingSystem"), "linux");
  EXPECT_THAT(node("status.nodeInfo.containerRuntimeVersion"), StartsWith("containerd://"));
  EXPECT_THAT(node("status.nodeInfo.kubeletVersion"), StartsWith("v1.36."));
  EXPECT_EQ(node(R"(metadata.labels.kubernetes\.io/hostname)"), name());
  EXPECT_EQ(node(R"(metadata.labels.kubernetes\.io/os)"), "linux");
  EXPECT_EQ(node("metadata.labels.mine"), "1");
  EXPECT_EQ(node(R"(spec.taints[?(@.key=="busy")].effect)"), "PreferNoSchedule");
  EXPECT_EQ(node(R"(status.addresses[?(@.type=="Hostname")].address)"), name());
  EXPECT_THAT(node("status.images"), HasSubstr("proa/hello:1"));
}

TEST_F(NodeTest, KeepsWhatIsReservedFromPods) {
  const int processors = std::stoi(shell("nproc --all"));
  EXPECT_EQ(node("status.capacity.cpu"), std::to_string(processors));
  EXPECT_EQ(node("status.allocatable.cpu"), std::to_string(processors * 1000 - 150) + "m");
  EXPECT_EQ(node("status.capacity.pods"), "17");
  EXPECT_EQ(node("status.allocatable.pods"), "17");
  const std::string total = shell("awk '/MemTotal/ {print $2}' /proc/meminfo");
  EXPECT_EQ(node("status.capacity.memory"), total + "Ki");
  // And the 100 MiB that are reserved.
  EXPECT_EQ(node("status.allocatable.memory"),
            std::to_string(std::stoll(total) - 164 * 1024) + "Ki");
  // A pod without its own limit sees that one.
  EXPECT_EQ(output_of("sees", "echo $CPU $PODS_NODE $ADDRESS",
                      {.container = "env: [{name: CPU, valueFrom: {resourceFieldRef: {resource: "
                                    "limits.cpu, divisor: 1m}}}, {name: PODS_NODE, valueFrom: "
                                    "{fieldRef: {fieldPath: spec.nodeName}}}, {name: ADDRESS, "
                                    "valueFrom: {fieldRef: {fieldPath: status.hostIP}}}]"}),
            std::to_string(processors * 1000 - 150) + " " + name() + " " +
                node(R"(status.addresses[?(@.type=="InternalIP")].address)"));
}

TEST_F(NodeTest, IsReadyAndShortOfNothing) {
  for (const auto& [type, status] :
       {std::pair("Ready", "True"), std::pair("MemoryPressure", "False"),
        std::pair("DiskPressure", "False"), std::pair("PIDPressure", "False")}) {
    EXPECT_EQ(node(std::string(R"(status.conditions[?(@.type==")") + type + R"(")].status)"),
              status)
        << type;
  }
  EXPECT_EQ(node(R"(spec.taints[?(@.key=="node.kubernetes.io/not-ready")].key)"), "");
}

// Heartbeats only renew the Lease; the Node is written when something changes.
TEST_F(NodeTest, RenewsItsLeaseAndLeavesTheNodeAlone) {
  EXPECT_EQ(lease("spec.holderIdentity"), name());
  EXPECT_EQ(lease("metadata.ownerReferences[0].uid"), node("metadata.uid"));
  const std::string renewed = lease("spec.renewTime");
  const std::string version = node("metadata.resourceVersion");
  const std::string images = node("status.images");
  EXPECT_TRUE(testkit::holds_within(std::chrono::seconds(20),
                                    [&] { return lease("spec.renewTime") != renewed; }));
  // Half a minute after its start it reports images that others imported.
  if (node("status.images") == images) {
    EXPECT_EQ(node("metadata.resourceVersion"), version);
  }
}

}  // namespace
}  // namespace proa::node_tests
