#include "policy/model/dns_pod.h"

#include <gtest/gtest.h>
#include <netinet/in.h>

#include "policy/model/policy_model.h"

namespace proa::policy {
namespace {

TEST(DnsPod, IsWhatPoliciesForKubeDnsSelect) {
  PolicyModel model;
  model.set_namespace("kube-system", Labels{{"kubernetes.io/metadata.name", "kube-system"}});
  model.set_pod(dns_pod_key(), dns_pod({parse_ip("10.96.0.10").value()}));
  model.set_pod({"a", "p"}, PodFacts{.local = true, .addresses = {parse_ip("10.0.0.1").value()}});
  const auto selector = [](const char* text) { return api::LabelSelector::parse(text).value(); };
  model.set_policy(
      {"a", "dns"},
      PolicyFacts{.egress = true,
                  .to = {{.peers = {PodPeer{
                              .namespaces = selector("kubernetes.io/metadata.name=kube-system"),
                              .pods = selector("k8s-app=kube-dns")}},
                          .ports = {{.protocol = IPPROTO_UDP, .name = "dns"},
                                    {.protocol = IPPROTO_TCP, .first = 53, .last = 53}}}}});
  const auto allows = [&](const char* to, uint8_t protocol, uint16_t port) {
    return model.allows({parse_ip("10.0.0.1").value(), parse_ip(to).value(), protocol, port});
  };
  EXPECT_TRUE(allows("10.96.0.10", IPPROTO_UDP, 53));
  EXPECT_TRUE(allows("10.96.0.10", IPPROTO_TCP, 53));
  EXPECT_FALSE(allows("10.96.0.10", IPPROTO_TCP, 54));
  EXPECT_FALSE(allows("10.96.0.11", IPPROTO_UDP, 53));
}

}  // namespace
}  // namespace proa::policy
