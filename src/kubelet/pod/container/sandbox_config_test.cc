#include "kubelet/pod/container/sandbox_config.h"

#include <gtest/gtest.h>

#include "testkit/kubelet/config_fixtures.h"

namespace proa::kubelet {
namespace {

using config_test::expect_is_message;
using config_test::expect_json;
using config_test::make_pod;

const Paths kPaths("/lib/kubelet", "/log/pods");

TEST(SandboxConfig, SaysWhatThePodIs) {
  const PodPtr pod = make_pod(
      R"({"securityContext":{"sysctls":[{"name":"net.ipv4.ip_forward","value":"1"}]},
          "containers":[{"name":"app"}]})",
      R"(,"labels":{"app":"web","io.kubernetes.pod.name":"other"},"annotations":{"note":"x"})");
  const auto made = make_sandbox_config({.pod = *pod,
                                         .attempt = 2,
                                         .paths = kPaths,
                                         .dns = {{"10.96.0.10"}, {"shop.svc"}, {"ndots:5"}},
                                         .hostname = {.hostname = "web"},
                                         .cgroup_parent = "/kubepods/besteffort/podu-1"});
  ASSERT_TRUE(made.ok());
  expect_json(made->root(), R"({
      "metadata":{"name":"web","uid":"u-1","namespace":"shop","attempt":2},
      "hostname":"web","log_directory":"/log/pods/shop_web_u-1",
      "dns_config":{"servers":["10.96.0.10"],"searches":["shop.svc"],"options":["ndots:5"]},
      "labels":{"app":"web","io.kubernetes.pod.name":"web","io.kubernetes.pod.namespace":"shop",
                "io.kubernetes.pod.uid":"u-1"},
      "annotations":{"note":"x"},
      "linux":{"cgroup_parent":"/kubepods/besteffort/podu-1","sysctls":{"net.ipv4.ip_forward":"1"},
               "security_context":{"namespace_options":{"pid":1},"seccomp":{}},
               "resources":{"cpu_period":100000,"cpu_shares":2},"overhead":{}}})");
  expect_is_message(made->root(), "PodSandboxConfig");
}

TEST(SandboxConfig, IgnoresRouterAdvertisementsOnItsOwnNetwork) {
  struct Case {
    const char* sysctls;
    const char* expected;
  };
  // The pod's own come after.
  for (const Case& c : {Case{"", R"({"net.ipv6.conf.eth0.accept_ra":"0"})"},
                        Case{R"({"name":"net.ipv6.conf.eth0.accept_ra","value":"2"})",
                             R"({"net.ipv6.conf.eth0.accept_ra":"2"})"}}) {
    SCOPED_TRACE(c.sysctls);
    const PodPtr pod = make_pod(std::string(R"({"securityContext":{"sysctls":[)") + c.sysctls +
                                R"(]},"containers":[{"name":"app"}]})");
    const auto made =
        make_sandbox_config({.pod = *pod, .paths = kPaths, .ignore_router_advertisements = true});
    ASSERT_TRUE(made.ok());
    expect_json(api::View(made->root())["linux"]["sysctls"], c.expected);
  }
}

TEST(SandboxConfig, HasNoNameOfItsOwnOnTheNodesNetwork) {
  const PodPtr pod = make_pod(R"({"hostNetwork":true,"containers":[{"name":"app"}]})");
  const auto made =
      make_sandbox_config({.pod = *pod, .paths = kPaths, .hostname = {.hostname = "web"}});
  EXPECT_FALSE(api::View(made->root())["hostname"]);
  const auto guarded =
      make_sandbox_config({.pod = *pod, .paths = kPaths, .ignore_router_advertisements = true});
  EXPECT_FALSE(api::View(guarded->root())["linux"]["sysctls"]);
}

TEST(SandboxConfig, TellsPortsOnce) {
  const PodPtr pod = make_pod(
      R"({"containers":[{"name":"a","ports":[
            {"name":"http","containerPort":80,"hostPort":8080,"protocol":"TCP"},
            {"name":"http","containerPort":81,"protocol":"TCP"},
            {"containerPort":53,"hostPort":53,"protocol":"UDP","hostIP":"127.0.0.1"},
            {"containerPort":53,"hostPort":53,"protocol":"UDP","hostIP":"127.0.0.1"},
            {"containerPort":53,"hostPort":53,"protocol":"UDP","hostIP":"::1"}]},
          {"name":"b","ports":[{"name":"http","containerPort":90,"protocol":"SCTP"}]}],
          "initContainers":[{"name":"i","ports":[{"containerPort":1}]}]})");
  const auto made = make_sandbox_config({.pod = *pod, .paths = kPaths});
  expect_json(api::View(made->root())["port_mappings"], R"([
      {"container_port":80,"host_port":8080},
      {"protocol":1,"container_port":53,"host_port":53,"host_ip":"127.0.0.1"},
      {"protocol":1,"container_port":53,"host_port":53,"host_ip":"::1"},
      {"protocol":2,"container_port":90}])");
  expect_is_message(made->root(), "PodSandboxConfig");
}

TEST(SandboxConfig, OfAnotherUserNamespaceIsRefused) {
  const PodPtr pod = make_pod(R"({"hostUsers":false,"containers":[{"name":"app"}]})");
  EXPECT_TRUE(make_sandbox_config({.pod = *pod, .paths = kPaths}).is(Reason::kBadRequest));
}

}  // namespace
}  // namespace proa::kubelet
