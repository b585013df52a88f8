#include "kubelet/pod/allocation/admit.h"

#include <gtest/gtest.h>

namespace proa::kubelet {
namespace {

PodPtr pod_with(const std::string& spec, const std::string& metadata = "{\"name\":\"a\"}",
                Pod::Source source = Pod::Source::kApi) {
  return *Pod::read(api::Object::make(R"({"metadata":)" + metadata + R"(,"spec":)" + spec + "}"),
                    source);
}

api::ObjectPtr node_with(const std::string& more = {}) {
  return api::Object::make(
      R"({"metadata":{"name":"n","labels":{"zone":"a"}},"spec":{)" + more +
      R"(},"status":{"allocatable":{"cpu":"1","memory":"100","pods":"3","example.com/gpu":"1",)"
      R"("ephemeral-storage":"10"}}})");
}

std::string requests(const std::string& amounts) {
  return R"({"containers":[{"name":"c","resources":{"requests":)" + amounts + "}}]}";
}

std::string refusal(const PodPtr& pod, const std::vector<PodPtr>& others = {},
                    const std::string& node = {}) {
  const Refusal found = admit(*pod, *node_with(node), others);
  return found.reason.empty() ? "" : found.reason + ": " + found.message;
}

TEST(Admit, RefusesWhatTheNodeHasNoRoomFor) {
  const std::vector<PodPtr> others = {pod_with(requests(R"({"cpu":"500m","memory":"10"})"))};
  EXPECT_EQ(refusal(pod_with(requests(R"({"cpu":"500m","memory":"90"})")), others), "");
  EXPECT_EQ(refusal(pod_with(requests(R"({"cpu":"1"})")), others),
            "OutOfcpu: Node didn't have enough resource: cpu, requested: 1000, used: 500, "
            "capacity: 1000");
  EXPECT_EQ(refusal(pod_with(requests(R"({"memory":"91"})")), others),
            "OutOfmemory: Node didn't have enough resource: memory, requested: 91, used: 10, "
            "capacity: 100");
  EXPECT_EQ(refusal(pod_with(requests(R"({"ephemeral-storage":"11"})"))),
            "OutOfephemeral-storage: Node didn't have enough resource: ephemeral-storage, "
            "requested: 11, used: 0, capacity: 10");
  EXPECT_EQ(refusal(pod_with(requests(R"({"example.com/gpu":"2"})"))),
            "OutOfexample.com/gpu: Node didn't have enough resource: example.com/gpu, requested: "
            "2, used: 0, capacity: 1");
  // Resources that the node never heard of are counted elsewhere.
  EXPECT_EQ(refusal(pod_with(requests(R"({"example.com/licence":"2"})"))), "");
  EXPECT_EQ(refusal(pod_with("{}"), {others[0], others[0], others[0]}),
            "OutOfpods: Node didn't have enough resource: pods, requested: 1, used: 3, capacity: "
            "3");
}

TEST(Admit, CountsOverheadAndInitContainers) {
  EXPECT_EQ(refusal(pod_with(R"({"overhead":{"cpu":"600m"},"containers":[{"resources":)"
                             R"({"requests":{"cpu":"500m"}}}]})")),
            "OutOfcpu: Node didn't have enough resource: cpu, requested: 1100, used: 0, capacity: "
            "1000");
  EXPECT_EQ(refusal(pod_with(R"({"initContainers":[{"resources":{"requests":{"cpu":"2"}}}],)"
                             R"("containers":[{"name":"c"}]})")),
            "OutOfcpu: Node didn't have enough resource: cpu, requested: 2000, used: 0, capacity: "
            "1000");
}

TEST(Admit, RefusesWhatBelongsElsewhere) {
  constexpr const char* kAffinity =
      "NodeAffinity: Predicate NodeAffinity failed: node(s) didn't match Pod's node "
      "affinity/selector";
  EXPECT_EQ(refusal(pod_with(R"({"nodeSelector":{"zone":"a"},"nodeName":"n"})")), "");
  EXPECT_EQ(refusal(pod_with(R"({"nodeSelector":{"zone":"b"}})")), kAffinity);
  EXPECT_EQ(refusal(pod_with(R"({"nodeSelector":{"disk":"a"}})")), kAffinity);
  const auto affinity = [](const std::string& zone) {
    return R"({"affinity":{"nodeAffinity":{"requiredDuringSchedulingIgnoredDuringExecution":)"
           R"({"nodeSelectorTerms":[{"matchExpressions":[{"key":"zone","operator":"In","values":[")" +
           zone + R"("]}]}]}}}})";
  };
  EXPECT_EQ(refusal(pod_with(affinity("a"))), "");
  EXPECT_EQ(refusal(pod_with(affinity("b"))), kAffinity);
  EXPECT_EQ(refusal(pod_with(R"({"nodeName":"m"})")),
            "NodeName: Predicate NodeName failed: node(s) didn't match the requested node name");
}

TEST(Admit, RefusesPortsThatAreTaken) {
  const auto port = [](const std::string& text) {
    return pod_with(R"({"containers":[{"name":"c","ports":[)" + text + "]}]}");
  };
  const std::vector<PodPtr> others = {port(R"({"hostPort":80,"hostIP":"10.0.0.1"})")};
  constexpr const char* kTaken =
      "NodePorts: Predicate NodePorts failed: node(s) didn't have free ports for the requested "
      "pod ports";
  EXPECT_EQ(refusal(port(R"({"hostPort":80})"), others), kTaken);
  EXPECT_EQ(refusal(port(R"({"hostPort":80,"hostIP":"10.0.0.1"})"), others), kTaken);
  EXPECT_EQ(refusal(port(R"({"hostPort":80,"hostIP":"10.0.0.2"})"), others), "");
  EXPECT_EQ(refusal(port(R"({"hostPort":80,"protocol":"UDP"})"), others), "");
  EXPECT_EQ(refusal(port(R"({"hostPort":81})"), others), "");
  EXPECT_EQ(refusal(port(R"({"containerPort":80})"), others), "");
}

TEST(Admit, RefusesTaintsThatDriveAway) {
  const std::string taints =
      R"("taints":[{"key":"k","value":"v","effect":"NoExecute"},{"key":"s","effect":"NoSchedule"}])";
  EXPECT_EQ(refusal(pod_with("{}"), {}, taints),
            "TaintToleration: Predicate TaintToleration failed: node(s) had taints that the pod "
            "didn't tolerate");
  EXPECT_EQ(refusal(pod_with(R"({"tolerations":[{"key":"k","operator":"Exists"}]})"), {}, taints),
            "");
  EXPECT_EQ(refusal(pod_with("{}", R"({"name":"a"})", Pod::Source::kFile), {}, taints), "");
}

TEST(Admit, RefusesOtherSystems) {
  EXPECT_EQ(refusal(pod_with(R"({"os":{"name":"linux"}})")), "");
  EXPECT_EQ(refusal(pod_with(R"({"os":{"name":"windows"}})")),
            "PodOSNotSupported: Failed to admit pod as the OS field doesn't match node OS");
  EXPECT_EQ(refusal(pod_with("{}", R"({"name":"a","labels":{"kubernetes.io/os":"windows"}})")),
            "PodOSSelectorNodeLabelDoesNotMatch: Failed to admit pod as the `kubernetes.io/os` "
            "label doesn't match node label");
  EXPECT_EQ(refusal(pod_with(R"({"securityContext":{"supplementalGroupsPolicy":"Strict"}})")),
            "SupplementalGroupsPolicyNotSupported: SupplementalGroupsPolicy=Strict is not "
            "supported in this node");
}

TEST(Admit, RefusesSysctlsThatReachBeyondThePod) {
  const auto sysctl = [](const std::string& name, const std::string& more = {}) {
    return pod_with(R"({"securityContext":{"sysctls":[{"name":")" + name + R"("}]})" + more + "}");
  };
  EXPECT_EQ(refusal(sysctl("net.ipv4.tcp_syncookies")), "");
  EXPECT_EQ(refusal(sysctl("net/ipv4/tcp_syncookies")), "");
  EXPECT_EQ(refusal(sysctl("kernel.msgmax")),
            "SysctlForbidden: forbidden sysctl: \"kernel.msgmax\" not allowlisted");
  EXPECT_EQ(refusal(sysctl("net.ipv4.tcp_rmem", R"(,"hostNetwork":true)")),
            "SysctlForbidden: forbidden sysctl: \"net.ipv4.tcp_rmem\" not allowed with host Net "
            "enabled");
  EXPECT_EQ(refusal(sysctl("kernel.shm_rmid_forced", R"(,"hostIPC":true)")),
            "SysctlForbidden: forbidden sysctl: \"kernel.shm_rmid_forced\" not allowed with host "
            "IPC enabled");
}

}  // namespace
}  // namespace proa::kubelet
